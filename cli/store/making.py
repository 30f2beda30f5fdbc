"""Creation of campaign files: a file gets its name only when it is complete and synced."""

import errno
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from itertools import islice
from pathlib import Path

from cli.store.connection import ALONE, connect, uri_of
from cli.store.encoding import NOTHING_STORED
from cli.store.failures import Unopenable, because
from cli.store.layout import AT_ONCE, SIDE_FILES
from cli.store.lock import sole_writer
from cli.store.names import owner_of_side_file, resolve, while_being_made
from cli.store.recorder import Writer
from domain.log.port import NotSaved
from domain.registry import record_types, system_of
from domain.turn import Turn

try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment]


@contextmanager
def making_whole(target: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary file to fill; after the block it gets the name `target`, or is removed if the block raised.

    Raises Unopenable if the name is taken or there is no such folder, NotSaved if the file could not be made.
    """
    path = resolve(target)
    if not path.parent.is_dir():
        raise Unopenable(f"There is no folder {path.parent} to make {path.name} in.", 2)
    if (owner := owner_of_side_file(path)) is not None:
        raise Unopenable(f"{path.name} is a name that SQLite uses beside {owner}; choose another name.", 2)
    new = while_being_made(path)
    with sole_writer(path):
        for side in ("", *SIDE_FILES):
            if os.path.lexists(f"{path}{side}"):
                raise Unopenable(f"There is a file {path.name}{side} already; choose another name.", 2)
        try:
            _remove(new)  # left behind by a process that was killed
            fd = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with suppress(OSError):  # not every disk knows modes
                    new.chmod(0o600)  # whatever the umask is; by path, as Windows has no fchmod before Python 3.13
                yield new
                _sync(fd)
            finally:
                os.close(fd)
            _name(new, path)
        except (OSError, sqlite3.Error) as error:
            raise NotSaved(f"{path.name} was not made: {because(error, path)}.") from error
        finally:
            with suppress(OSError):
                _remove(new)
        _sync_folder(path.parent)


def _remove(new: Path) -> None:
    for side in ("", *SIDE_FILES):
        Path(f"{new}{side}").unlink(missing_ok=True)


def _name(new: Path, path: Path) -> None:
    """Give the finished file its name, atomically and never over another file."""
    try:
        os.link(new, path)
    except FileExistsError:
        raise Unopenable(f"There is a file {path.name} already; choose another name.", 2) from None
    except OSError as error:
        # what Linux, macOS and Windows answer on a file system without hard links
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL):
            raise
        # the name was found free under the lock
        new.rename(path)


def _sync(fd: int) -> None:
    """Sync a file to the disk; on macOS with F_FULLFSYNC, which flushes the drive's cache too."""
    full = getattr(fcntl, "F_FULLFSYNC", None)
    if full is not None:
        with suppress(OSError):  # a network file system may not support it
            fcntl.fcntl(fd, full)
            return
    os.fsync(fd)


def _sync_folder(folder: Path) -> None:
    """Sync a folder, so that a new name in it survives a power cut; not every system can."""
    with suppress(OSError):
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def must_hold(new: Path, turns: int) -> None:
    """Raise OSError or sqlite3.Error unless so many turns are in the file itself, and nothing is needed beside it."""
    with closing(connect(uri_of(new))) as connection:
        if connection.execute("PRAGMA journal_mode=DELETE").fetchone() != ("delete",):  # it may be a copy in WAL mode
            raise OSError(errno.EIO, "the -wal could not be taken away")
    with closing(connect(uri_of(new, ALONE))) as connection:
        turns_there = connection.execute("SELECT count(state) FROM stored_events").fetchone()[0]
        whole = connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"
    if turns_there < turns or not whole:
        raise OSError(errno.EIO, "what was written is not what is there")


def create(
    path: str | os.PathLike[str],
    campaign_id: str,
    turn: Turn,
    later: Iterable[Turn] = (),
    *,
    stored_bytes: Mapping[int, bytes] = NOTHING_STORED,
    check: Callable[[Path], None] = lambda _: None,
) -> None:
    """Create a campaign from its first turn and any later ones.

    `stored_bytes` may gain the bytes of a turn while `later` is read: then those are stored.
    `check` is called with the finished file before it gets its name. Raises Unopenable if the name is taken or there
    is no such folder, NotSaved if the file could not be made, and whatever `later` and `check` raise. After an error
    nothing is left behind.
    """
    rules: str = turn.action.rules  # type: ignore[attr-defined]  # turn 1 is campaign.start
    system_of(rules)
    with making_whole(path) as new:
        writer = Writer(uri_of(new), campaign_id, record_types(rules), stored_bytes=stored_bytes, in_the_making=True)
        turns = 1
        try:
            writer.make_tables()
            writer.put((turn,))
            following = iter(later)
            while together := list(islice(following, AT_ONCE)):
                writer.put(together)
                turns += len(together)
        finally:
            writer.close()
        must_hold(new, turns)
        check(new)
