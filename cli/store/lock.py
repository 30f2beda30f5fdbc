"""One writer at a time, by an advisory lock on `<file>-lock`.

The lock lies beside the campaign so that all writers meet the same one, whatever their home, machine or container. It
is removed when released, and one that a killed process left behind is taken over.
"""

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cli.store import connection
from cli.store.failures import because, in_the_way
from cli.store.names import lock_of
from domain.log.port import NotSaved

try:
    # flock is what portalocker calls as well, and importing that takes longer than an append
    import fcntl
except ImportError:  # as on Windows
    HAS_FLOCK = False
else:
    HAS_FLOCK = True


@contextmanager
def sole_writer(path: Path) -> Iterator[None]:
    """Hold the lock of a campaign, waiting for another writer. Raises NotSaved after `LONGEST_WAIT`."""
    lock = lock_of(path)
    deadline = time.monotonic() + connection.LONGEST_WAIT
    while (fd := _take(lock, path)) is None:
        if time.monotonic() > deadline:
            raise NotSaved(f"{path.name} is busy; try again.")
        time.sleep(0.001 + os.urandom(1)[0] * 0.009 / 255)  # random, so that waiting processes do not collide
    try:
        yield
    finally:
        _release(lock, fd)


@contextmanager
def sole_holder(path: Path) -> Iterator[bool]:
    """Try to hold the lock without waiting; yields whether it is held. Raises NotSaved."""
    lock = lock_of(path)
    fd = _take(lock, path)
    try:
        yield fd is not None
    finally:
        if fd is not None:
            _release(lock, fd)


def _take(lock: Path, path: Path) -> int | None:
    """Take the lock and return its descriptor; None if somebody else has it. Raises NotSaved."""
    fd = _open_lock(lock, path)
    try:
        if _try_lock(fd):
            # the holder before may have removed the file, and then this lock locks nothing
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(fd), lock.stat()):
                    return fd
    except OSError as error:
        os.close(fd)
        raise NotSaved(f"Nothing was saved in {path.name}: {because(error, path)}.") from None
    os.close(fd)
    return None


def _release(lock: Path, fd: int) -> None:
    # removed before it is unlocked, or another process's lock could be removed
    is_open = False
    try:
        lock.unlink()
    except PermissionError:  # as Windows answers for an open file, that of another process too
        is_open = True
    except OSError:
        pass
    os.close(fd)
    if is_open:
        with suppress(OSError):
            lock.unlink()


def _try_lock(fd: int) -> bool:
    """Lock the file; False if somebody else has. Raises OSError if the file system has no locks."""
    if not HAS_FLOCK:
        return _try_lock_portably(fd)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _try_lock_portably(fd: int) -> bool:
    import portalocker

    try:
        portalocker.lock(fd, portalocker.LOCK_EX | portalocker.LOCK_NB)
    except portalocker.AlreadyLocked:
        return False
    except portalocker.LockException as error:
        raise OSError(errno.ENOLCK, str(error)) from error
    return True


def _open_lock(lock: Path, path: Path) -> int:
    """Open the lock file, with the permissions of the campaign itself. Raises NotSaved."""
    try:
        mode = path.stat().st_mode & 0o666
    except OSError:
        mode = 0o600
    try:
        fd = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0), mode)
    except PermissionError as error:
        if os.path.lexists(lock) and os.access(lock.parent, os.W_OK):
            whose = f"{lock.name} beside it is somebody else's; if nobody else writes there now, delete it"
            raise NotSaved(f"Nothing was saved in {path.name}: {whose}.") from None
        raise NotSaved(f"Nothing was saved in {path.name}: {because(error, path)}.") from None
    except OSError as error:
        raise NotSaved(f"Nothing was saved in {path.name}: {in_the_way(lock) or because(error, path)}.") from None
    if not stat.S_ISREG(os.fstat(fd).st_mode):  # a pipe would be locked, and removed
        os.close(fd)
        raise NotSaved(f"Nothing was saved in {path.name}: {in_the_way(lock)}.")
    with suppress(OSError):
        lock.chmod(mode)
    return fd
