"""One writer at a time, by an advisory lock on `<file>-lock`.

It lies beside the campaign because everybody who may write there must meet the same lock, whatever their home,
machine or container; it is removed when released, and one that a killed process left behind is simply taken over.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cli.store import connection
from cli.store.failures import Unopenable, because
from domain.log.port import NotSaved


def resolved(path: str | os.PathLike[str]) -> Path:
    """One file, one name, whatever links lead to it: the lock and the `-wal` lie beside it."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError, ValueError):
        raise Unopenable(f"{os.fspath(path)!r} is not the name of a file.", 2) from None


@contextmanager
def sole_writer(path: Path) -> Iterator[None]:
    """Nobody else creates or appends meanwhile. Raises NotSaved if somebody does for too long."""
    lock = path.with_name(f"{path.name}-lock")
    deadline = time.monotonic() + connection.LONGEST_WAIT
    while (fd := _taken(lock, path)) is None:
        if time.monotonic() > deadline:
            raise NotSaved(f"{path.name} is busy; try again.")
        time.sleep(0.001 + os.urandom(1)[0] * 0.009 / 255)  # not all who wait at the same moments
    try:
        yield
    finally:
        _released(lock, fd)


@contextmanager
def sole_holder(path: Path) -> Iterator[bool]:
    """Whether this is held by nobody else; then by nobody else for as long as this lasts. Raises NotSaved."""
    lock = path.with_name(f"{path.name}-lock")
    fd = _taken(lock, path)
    try:
        yield fd is not None
    finally:
        if fd is not None:
            _released(lock, fd)


def _taken(lock: Path, path: Path) -> int | None:
    """The lock, taken; None: somebody else has it. Raises NotSaved."""
    fd = _open_lock(lock, path)
    try:
        if _locked(fd):
            # whoever held it before has removed the file; then this is the lock of nobody
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(fd), lock.stat()):
                    return fd
    except OSError:
        os.close(fd)
        raise NotSaved(f"{path.name} cannot be locked against other writers there; nothing was saved.") from None
    os.close(fd)
    return None


def _released(lock: Path, fd: int) -> None:
    # under the lock, or somebody else's would be taken away; but Windows removes no file that is open
    if sys.platform != "win32":
        with suppress(OSError):
            lock.unlink()
    os.close(fd)
    if sys.platform == "win32":
        with suppress(OSError):  # whoever has it open keeps it
            lock.unlink()


def _locked(fd: int) -> bool:
    """Lock the file; False: somebody else has. Raises OSError where nothing can be locked."""
    try:
        # the very lock that portalocker takes here, whose start takes longer than all that is done under the lock
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # as on Windows
        return _locked_elsewhere(fd)
    try:
        flock(fd, LOCK_EX | LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _locked_elsewhere(fd: int) -> bool:
    import portalocker

    try:
        portalocker.lock(fd, portalocker.LOCK_EX | portalocker.LOCK_NB)
    except portalocker.AlreadyLocked:
        return False
    except portalocker.LockException as error:
        raise OSError(str(error)) from error
    return True


def _open_lock(lock: Path, path: Path) -> int:
    """The lock file, open to whoever may write the campaign itself."""
    try:
        mode = path.stat().st_mode & 0o666
    except OSError:
        mode = 0o600
    try:
        fd = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), mode)
    except OSError as error:
        raise NotSaved(f"Nothing was saved in {path.name}: {because(error, path)}.") from None
    with suppress(OSError):
        lock.chmod(mode)
    return fd
