"""What holds for every test: the machine may be slow, what it writes need not outlive it, and what is imported is
compiled once for all processes.

Where nothing compiled is kept, each command in a process of its own compiles the whole program again.
"""

import gc
import os
import shutil
import signal
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.kit.elsewhere import take_everything_away

if TYPE_CHECKING:
    from tests.kit.shell import Shell

PREFIX, NOT_KEPT = "PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE"
COMPILED, FOLDER = pytest.StashKey[pytest.MonkeyPatch](), pytest.StashKey[str]()
#: Files that lie in memory, where there is such a folder: nothing waits for a disk there.
MEMORY = Path("/dev/shm")
#: Bytes that are free where all the tests have room.
ROOM = 2**30


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--as-on-windows`: run without the names that only other systems have."""
    parser.addoption("--as-on-windows", action="store_true", help="take away the names that Windows lacks")


def pytest_configure(config: pytest.Config) -> None:
    """Before the workers are started, which share it: a folder that is gone when all tests are done."""
    if not hasattr(config, "workerinput"):
        patch = config.stash[COMPILED] = pytest.MonkeyPatch()
        # whoever says where is obeyed
        if "TMPDIR" not in os.environ and is_fit(MEMORY):
            patch.setenv("TMPDIR", str(MEMORY))
            patch.setattr(tempfile, "tempdir", None)
        if PREFIX not in os.environ:  # tests that start pytest have set it
            config.stash[FOLDER] = tempfile.mkdtemp(prefix="compiled-")
            patch.setenv(PREFIX, config.stash[FOLDER])
        patch.delenv(NOT_KEPT, raising=False)
        patch.setattr(sys, "pycache_prefix", os.environ[PREFIX])
        patch.setattr(sys, "dont_write_bytecode", False)
    if hasattr(signal, "SIGHUP"):
        # under nohup every program that is started here would ignore it too
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    if config.getoption("--as-on-windows"):
        # pytest asks who somebody is, to find a folder that it makes by itself
        config.option.basetemp = config.option.basetemp or tempfile.mkdtemp(dir=os.environ[PREFIX])
        take_everything_away()
    from hypothesis import HealthCheck, settings

    # no property rests on how busy the machine is; `--hypothesis-profile longer` tries more
    any_machine: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
    for name, count in (("any machine", 50), ("longer", 2_000)):
        settings.register_profile(name, max_examples=count, **any_machine)
    settings.load_profile("any machine")


def is_fit(folder: Path) -> bool:
    """Whether all tests may write there and start what they wrote, as a small folder for shared memory is not."""
    if not os.access(folder, os.W_OK) or not hasattr(os, "statvfs"):
        return False
    where = os.statvfs(folder)
    return where.f_bavail * where.f_frsize >= ROOM and not where.f_flag & os.ST_NOEXEC


def pytest_collection(session: pytest.Session) -> None:
    """Of two processes that collect everything, the second begins at the other end: each finds half compiled."""
    gc.disable()
    config = session.config
    worker = getattr(config, "workerinput", {"workerid": "gw0"})["workerid"]
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS and worker.endswith(tuple("13579")):
        elsewhere = set(config.getini("norecursedirs"))
        for path in sorted(Path(__file__).parent.rglob("test_*.py"), reverse=True):
            if not elsewhere & set(path.parts):
                import_module(".".join(path.relative_to(config.rootpath).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """All that is there by now stays to the end, and is most of what each collection would look through."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_unconfigure(config: pytest.Config) -> None:
    if COMPILED in config.stash:
        config.stash[COMPILED].undo()
    if FOLDER in config.stash:
        shutil.rmtree(config.stash[FOLDER], ignore_errors=True)


@pytest.fixture
def new_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Shell":
    """The program in a folder and a home of its own, with no campaign so far."""
    from tests.kit.shell import Shell  # here, so that it is compiled where `pytest_configure` says

    return Shell(tmp_path, monkeypatch)


@pytest.fixture
def shell(new_shell: "Shell") -> "Shell":
    """The same, for tests whose file begins with no campaign of its own."""
    return new_shell
