"""What Windows or macOS lack: taken away here, and named by the tests that cannot do without."""

import multiprocessing
from importlib import import_module
from typing import Any

import pytest

#: Names that the program knows another way without: statements that take each of them away.
NAMES = {
    "os.fchmod": "import os; del os.fchmod",
    "os.set_blocking": "import os; del os.set_blocking",
    "os.geteuid": "import os; del os.geteuid, os.getuid",
    # what is free is told by `shutil`, which asks Windows itself; here it asks what was taken away
    "os.statvfs": (
        "import os, shutil, types; asked = os.statvfs; del os.statvfs; "
        "shutil.disk_usage = lambda folder: types.SimpleNamespace(free=asked(folder).f_bavail * asked(folder).f_frsize)"
    ),
    "os.fork": "import os; del os.fork",
    "os.O_NOFOLLOW": "import os; del os.O_NOFOLLOW, os.O_NONBLOCK",
    "signals": "import signal; del signal.SIGHUP, signal.SIGTSTP, signal.SIGSTOP, signal.SIGPIPE",
    "socket.AF_UNIX": "import socket; del socket.AF_UNIX",
    "select of standard input": (
        "import select, sys; whole = select.select; "
        "select.select = lambda r, *more: (_ for _ in ()).throw(OSError('no socket')) if sys.stdin in r "
        "else whole(r, *more)"
    ),
    "termios": "import sys; sys.modules.update(dict.fromkeys(('termios', 'tty', 'pty', 'pwd', 'grp', 'resource')))",
    # where there is no fcntl, portalocker asks Windows; here it asks what was taken away
    "fcntl": (
        "import fcntl as taken, sys, types; sys.modules['fcntl'] = None; stand = types.ModuleType('portalocker'); "
        "stand.LOCK_EX, stand.LOCK_NB, stand.lock = taken.LOCK_EX, taken.LOCK_NB, taken.flock; "
        "stand.AlreadyLocked, stand.LockException = BlockingIOError, OSError; sys.modules['portalocker'] = stand"
    ),
}
#: What only tests ask for.
OF_TESTS = """
import multiprocessing, os, signal, time
del os.mkfifo, os.killpg, os.setsid, os.openpty, os.chown, os.wait4, time.tzset
del signal.SIGCONT, signal.SIGWINCH, signal.SIGQUIT, signal.SIGALRM
multiprocessing.get_context = {"spawn": multiprocessing.get_context("spawn")}.__getitem__
"""
#: What libraries ask for by themselves, of a system that is not Windows: done before all that, so that they still can.
OF_LIBRARIES = """
import signal, socket, subprocess, multiprocessing.heap, textual.drivers.linux_driver
def pair():
    with socket.create_server(("127.0.0.1", 0)) as door:
        return socket.create_connection(door.getsockname()), door.accept()[0]
socket.socketpair = pair
subprocess.Popen.kill = lambda process: process.send_signal(9)
del signal.SIGKILL
multiprocessing.heap.Arena._dir_candidates = []
"""


def take_everything_away() -> None:
    """Leave this process what a Python on Windows has, as far as names go."""
    for statement in (OF_LIBRARIES, *NAMES.values(), OF_TESTS):
        exec(statement, {})  # noqa: S102  what stands above


def lacks(*names: str) -> str | None:
    """The first of these modules and names in modules that this system has not; None: it has all of them."""
    for name in names:
        module, _, attribute = name.partition(".")
        try:
            found = import_module(module)
        except ImportError:
            return name
        if attribute and not hasattr(found, attribute):
            return name
    return None


def needs(*names: str) -> pytest.MarkDecorator:
    """The mark of a test that is left out where one of these is not to be had."""
    lacking = lacks(*names)
    return pytest.mark.skipif(lacking is not None, reason=f"there is no {lacking} on this system")


def ask_for(*names: str) -> None:
    """Leave the test that runs out where one of these is not to be had."""
    if (lacking := lacks(*names)) is not None:
        pytest.skip(f"there is no {lacking} on this system")


def begun() -> Any:
    """What begins other processes: forked where that can be, for a start takes longer than most that they do."""
    return multiprocessing.get_context("fork" if lacks("os.fork") is None else "spawn")
