"""What Windows or macOS lack: taken away here, and named by the tests that cannot do without."""

import multiprocessing
import os
import shutil
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any

import pytest

#: What files do on Windows: none that is open is removed or renamed, a mode says only whether it may be written, lines
#: end with two characters, and there are neither `/dev` nor names with one of `<>:"|?*`.
FILES = """
import builtins, errno, io, os, stat
def must_be_a_name(what):
    path = os.fsdecode(what) if isinstance(what, (str, bytes, os.PathLike)) else ""
    if path.startswith("/dev/") and not path.startswith("/dev/shm") and path != os.devnull:
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)
    if set(os.path.basename(path)) & set('<>:"|?*\\n\\t'):
        raise OSError(errno.EINVAL, "Invalid argument", path)
def is_open(path):
    try:
        there = os.lstat(path)
    except OSError:
        return False
    if not stat.S_ISREG(there.st_mode) or "pymp-" in os.fspath(path):  # what `multiprocessing` shares, which it may
        return False
    for fd in os.listdir("/dev/fd"):
        try:
            if os.path.samestat(os.fstat(int(fd)), there):
                return True
        except OSError:
            pass
    return False
def unless_open(whole, which):
    def done(*paths, **more):
        for path in paths[which]:
            if not more and is_open(path):
                raise PermissionError(errno.EACCES, "It is being used", os.fspath(path))
        return whole(*paths, **more)
    return done
whole_open, whole_os_open, whole_mkdir, whole_chmod = io.open, os.open, os.mkdir, os.chmod
def opened(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
    must_be_a_name(file)
    ends = "\\r\\n" if newline is None and "b" not in mode and set(mode) & set("wax+") else newline
    return whole_open(file, mode, buffering, encoding, errors, ends, closefd, opener)
def os_opened(path, flags, mode=0o777, *, dir_fd=None):
    must_be_a_name(path)
    return whole_os_open(path, flags, 0o666, dir_fd=dir_fd)
def made(path, *more, **others):
    must_be_a_name(path)
    whole_mkdir(path)
def changed(path, mode, **more):
    whole_chmod(path, 0o777 if os.path.isdir(path) else 0o666 if mode & 0o200 else 0o444)
builtins.open = io.open = opened
os.open, os.mkdir, os.chmod = os_opened, made, changed
os.unlink = os.remove = unless_open(os.unlink, slice(1))
os.rename, os.replace = unless_open(os.rename, slice(2)), unless_open(os.replace, slice(2))
os.umask(0)
"""
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
    "what files do elsewhere": FILES,
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
import importlib.util, signal, socket, subprocess, multiprocessing.heap, textual.drivers.linux_driver
if importlib.util.find_spec("mcp") is not None:
    import mcp.server.stdio
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
            room = import_module(module)
        except ImportError:
            return name
        if attribute and not hasattr(room, attribute):
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


#: The mark of a test that types into `sh`, or runs what begins with `#!/bin/sh`: Windows has another shell.
needs_sh = needs("termios")


#: The beginning of a command that is bound by what files allow, even for root.
WEAK = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
needs_setpriv = pytest.mark.skipif(
    shutil.which("setpriv") is None or lacks("os.geteuid") is not None or os.geteuid() != 0,
    reason="rights can be put away only by root, with setpriv",
)


@cache
def keeps_modes() -> bool:
    """Whether a file can be its owner's alone, as those on Windows cannot by their mode."""
    with NamedTemporaryFile() as file:
        Path(file.name).chmod(0o600)
        return Path(file.name).stat().st_mode & 0o777 == 0o600


@cache
def renames_what_is_open() -> bool:
    """Whether an open file can be renamed and removed, as on Windows it cannot."""
    with TemporaryDirectory() as folder, Path(folder, "before").open("wb") as file:
        try:
            return Path(file.name).rename(Path(folder, "after")).exists()
        except PermissionError:
            return False


def homes(folder: Path) -> dict[str, str]:
    """The variables that lead the program to folders in this one, whatever the system is that it asks for them."""
    names = ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")
    windows = {"USERPROFILE": "home", "WIN_PD_OVERRIDE_LOCAL_APPDATA": "local"}
    return {
        name: str(folder / folder_name)
        for name, folder_name in {**{name: name.lower() for name in names}, **windows}.items()
    }


def move_home(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let the program keep and remember in this folder what it keeps and remembers for a user."""
    for name, value in homes(folder).items():
        patch.setenv(name, value)


def ask_for_device(name: str) -> Path:
    """A file like `/dev/zero`; the test that runs is left out where it cannot be opened."""
    try:
        Path(name).open("rb").close()
    except OSError:
        pytest.skip(f"there is no {name} on this system")
    return Path(name)


def begun() -> Any:
    """What begins other processes: forked where that can be, for a start takes longer than most that they do."""
    return multiprocessing.get_context("fork" if lacks("os.fork") is None else "spawn")
