"""The campaign file: one log in one SQLite file, read by our own select and written through `cli.store.recorder`.

What it keeps to:

* A campaign is known by its application id and its format by `user_version`; both are read from the bytes
  of the header before SQLite touches a file, so a foreign file is never changed.
* Turn 1 says which rule system the log is for. Nothing else does.
* Appending has three outcomes: saved, not saved, not known. An error is settled by looking the turn's id up.
* One writer at a time, by an advisory lock on `<file>-lock`. It lies beside the campaign because everybody who
  may write there must meet the same lock, whatever their home, machine or container; it is removed when
  released, and one that a killed process left behind is simply taken over.
* Reading imports neither the event store library nor the lock: together they take longer than the reading.
"""

import errno
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from itertools import islice
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from types import TracebackType
from typing import TYPE_CHECKING, Any

import msgspec

from domain.log.port import Damaged, MaybeSaved, NotSaved, Taken
from domain.system.registry import SYSTEMS, record_types, system_of
from domain.turn import Turn

if TYPE_CHECKING:
    from cli.store.kept import StatesOnDisk
    from cli.store.recorder import Writer

#: "CAMP" in ASCII, at byte 68 of the file.
APPLICATION_ID = 0x43414D50
#: The layout of the tables, at byte 60 of the file (`user_version`).
FORMAT = 1
#: How long to wait for whoever is writing, in seconds.
LONGEST_WAIT = 10.0
#: Turns fetched, or put into a new file, at once. Between two fetches no read transaction is open, so that a
#: reader who pauses (a pager) neither sees an old end of the log nor keeps the `-wal` from being cleared.
#: Nothing is lost by it: what lies before a turn never changes.
AT_ONCE = 500

#: What SQLite needs to open a file that nobody has open: the first piece of its `-shm`, and a little.
LEAST_ROOM = 2**16

#: The least and the greatest id. Asked for apart, SQLite takes each from its end of the index; asked for
#: together it goes through all of it.
WHOSE_TURNS = "SELECT (SELECT min(originator_id) FROM stored_events), (SELECT max(originator_id) FROM stored_events)"

#: The branch that every campaign has.
MAIN = "main"
#: More turns than any log holds.
WITHOUT_END = 2**53
SIDE_FILES = ("-wal", "-shm", "-journal")


class Unopenable(Exception):
    """There is no campaign to be had from this file; `reason` is one plain sentence.

    `exit_code` is 2 for what is no campaign or not one for this version, 5 for a damaged one, 6 for one that
    cannot be read just now.
    """

    def __init__(self, reason: str, exit_code: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.exit_code = exit_code


# -- what goes wrong, in plain words ---------------------------------------------------------------------


def primary_code(error: BaseException) -> int:
    """SQLite's result code without its extension; SQLITE_CORRUPT where Python found undecodable text."""
    code = getattr(error, "sqlite_errorcode", None)
    return sqlite3.SQLITE_CORRUPT if code is None else code & 0xFF


#: Nothing of a transaction that failed with one of these can have reached the file.
HARMLESS = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CONSTRAINT,
}
BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH}


def because(error: Exception, path: Path) -> str:
    """The end of a sentence about the file at `path`: why it could not be read or written, and what to do."""
    if isinstance(error, OSError):
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return "the disk is full; make room and try again"
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return "this file or its folder is write-protected"
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return "there is no such folder"
        if error.errno == errno.ENAMETOOLONG:
            return "the name is too long"
        return "the disk reports an error"
    code = primary_code(error)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "it is busy; try again"
    if code == sqlite3.SQLITE_FULL or _disk_is_full(path):
        return "the disk is full; make room and try again"
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
        return "this file or its folder is write-protected"
    if code in BROKEN:
        return "the file is damaged"
    return "the disk reports an error"


def _disk_is_full(path: Path) -> bool:
    """SQLite reports a full disk in many ways, among them as an error of its shared memory."""
    try:
        disk = os.statvfs(path.parent)
    except (OSError, AttributeError):
        return False
    free = disk.f_bfree if os.geteuid() == 0 else disk.f_bavail
    return free * disk.f_frsize < LEAST_ROOM


# -- the bytes of a file -------------------------------------------------------------------------------


class Held(msgspec.Struct, frozen=True):
    """A file kept open, and which one it is."""

    fd: int
    inode: tuple[int, int]


#: Closing any descriptor of a file drops all locks that the process has on it, SQLite's too: then somebody
#: else's close would delete the `-wal` under our hands. So the descriptors that the header was read from
#: stay open until the process has nothing left open of that file.
_held: dict[tuple[int, int], tuple[int, list[int]]] = {}


def _hold(path: Path) -> Held:
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    found = os.fstat(fd)
    inode = (found.st_dev, found.st_ino)
    users, fds = _held.get(inode, (0, []))
    _held[inode] = (users + 1, [*fds, fd])
    return Held(fd, inode)


def _let_go(held: Held) -> None:
    users, fds = _held.pop(held.inode)
    if users > 1:
        _held[held.inode] = (users - 1, fds)
        return
    for fd in fds:
        os.close(fd)


def _header(held: Held) -> bytes:
    os.lseek(held.fd, 0, os.SEEK_SET)
    return os.read(held.fd, 100)


def _whole_number(header: bytes, at: int) -> int:
    return int.from_bytes(header[at : at + 4], "big", signed=True)


def _check_header(path: Path, held: Held) -> None:
    """Raise Unopenable unless the first bytes are a campaign's, of a format known here."""
    name = path.name
    found = os.fstat(held.fd)
    if S_ISDIR(found.st_mode):
        raise Unopenable(f"{name} is a folder, not a campaign.", 2)
    if not S_ISREG(found.st_mode):
        raise Unopenable(f"{name} is not a file, so it is not a campaign.", 2)
    header = _header(held)
    if not header:
        raise Unopenable(f"{name} is empty, so it is not a campaign.", 2)
    if not header.startswith(b"SQLite format 3\0"):
        raise Unopenable(f"{name} is not a campaign.", 2)
    if len(header) < 100:
        raise Unopenable(f"{name} is cut short; restore it from a backup.", 5)
    if _whole_number(header, 68) != APPLICATION_ID:
        raise Unopenable(f"{name} is a database, but not a campaign.", 2)
    _check_format(name, _whole_number(header, 60))
    # a checkpoint under way also looks like this, but not without a -wal and not again and again
    if all(_is_cut_short(path, held) for _ in range(3)):
        raise Unopenable(f"{name} is cut short; restore it from a backup.", 5)


def _check_format(name: str, version: int) -> None:
    if version > FORMAT:
        raise Unopenable(f"{name} was written by a newer version of campaign; update yours to open it.", 2)
    if version < 1:
        raise Unopenable(f"{name} is damaged: it does not say which format it has.", 5)


def _is_cut_short(path: Path, held: Held) -> bool:
    """Whether pages that the header counts are not there. SQLite itself overlooks the loss of part of a page."""
    header = _header(held)
    size = os.fstat(held.fd).st_size
    pages = _whole_number(header, 28)
    counted = header[24:28] == header[92:96]  # otherwise a very old SQLite wrote it, and did not count
    return counted and size < pages * int.from_bytes(header[16:18], "big") and not Path(f"{path}-wal").exists()


def connect(uri: str) -> sqlite3.Connection:
    """A connection that keeps what it was told to keep, and believes nothing that a file says about itself."""
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=LONGEST_WAIT)
    try:
        # NORMAL passes every test with kill -9 and loses acknowledged turns when the power goes
        for pragma in ("synchronous=FULL", "secure_delete=ON", "trusted_schema=OFF", "cell_size_check=ON"):
            connection.execute(f"PRAGMA {pragma}").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


# -- one writer at a time --------------------------------------------------------------------------------


@contextmanager
def sole_writer(path: Path) -> Iterator[None]:
    """Nobody else creates or appends meanwhile. Raises NotSaved if somebody does for too long."""
    # imported late: only who writes pays for it
    import random
    import time

    import portalocker

    lock = path.with_name(f"{path.name}-lock")
    deadline = time.monotonic() + LONGEST_WAIT
    while True:
        fd = _open_lock(lock, path)
        try:
            portalocker.lock(fd, portalocker.LOCK_EX | portalocker.LOCK_NB)
            # whoever held it before has removed the file; then this is the lock of nobody
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(fd), lock.stat()):
                    break
        except portalocker.AlreadyLocked:
            pass
        except (portalocker.LockException, OSError):
            os.close(fd)
            raise NotSaved(f"{path.name} cannot be locked against other writers there; nothing was saved.") from None
        os.close(fd)
        if time.monotonic() > deadline:
            raise NotSaved(f"{path.name} is busy; try again.")
        time.sleep(random.uniform(0.001, 0.01))
    try:
        yield
    finally:
        with suppress(OSError):
            lock.unlink()
        os.close(fd)


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
        os.fchmod(fd, mode)
    return fd


# -- making a file ---------------------------------------------------------------------------------------


@contextmanager
def _made_whole(path: Path) -> Iterator[Path]:
    """A new file to fill; it gets the name `path` when the block is through, or is gone.

    Raises Unopenable if there is something of that name, NotSaved if it could not be made.
    """
    new = path.with_name(f".{path.name}.being-made")
    with sole_writer(path):
        for side in ("", *SIDE_FILES):
            if os.path.lexists(f"{path}{side}"):
                raise Unopenable(f"There is a file {path.name}{side} already; choose another name.", 2)
        try:
            _remove(new)  # of somebody killed while making it
            fd = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                os.fchmod(fd, 0o600)  # whatever the umask
                yield new
                os.fsync(fd)
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
    """Give the finished file its name, in one step and never over another file."""
    try:
        os.link(new, path)
    except FileExistsError:
        raise Unopenable(f"There is a file {path.name} already; choose another name.", 2) from None
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.ENOSYS):
            raise
        # a file system without hard links; that the name is free was seen under the lock
        new.rename(path)


def _sync_folder(folder: Path) -> None:
    """Keep the name through a power cut, where folders can be synced at all."""
    with suppress(OSError):
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def _resolved(path: str | os.PathLike[str]) -> Path:
    """One file, one name, whatever links lead to it: the lock and the `-wal` lie beside it."""
    try:
        return Path(path).resolve()
    except (OSError, RuntimeError, ValueError):
        raise Unopenable(f"{os.fspath(path)!r} is not the name of a file.", 2) from None


def create(path: str | os.PathLike[str], campaign_id: str, turn: Turn, later: Iterable[Turn] = ()) -> None:
    """Make a campaign with its first turn in it, and those that follow it if there are any.

    Raises Unopenable if the name is taken or its folder is not there, NotSaved if the file could not be made,
    and whatever `later` raises. Either way nothing is left behind.
    """
    from cli.store.recorder import Writer

    whole = _resolved(path)
    if not whole.parent.is_dir():
        raise Unopenable(f"There is no folder {whole.parent} to make {whole.name} in.", 2)
    rules: str = turn.action.rules  # type: ignore[attr-defined]  # turn 1 is campaign.start
    system_of(rules)
    with _made_whole(whole) as new:
        writer = Writer(new.as_uri() + "?mode=rw", campaign_id, record_types(rules).turn)
        try:
            writer.make_tables()
            writer.put((turn,))
            following = iter(later)
            while together := list(islice(following, AT_ONCE)):
                writer.put(together)
        finally:
            writer.close()


# -- opening one -----------------------------------------------------------------------------------------


class _Start(msgspec.Struct, tag_field="type", tag="campaign.start"):
    rules: str


class _Started(msgspec.Struct):
    version: int = 0


class _First(msgspec.Struct):
    """As much of turn 1 as says how to read the rest."""

    number: int
    action: _Start
    events: tuple[_Started, ...]


def _root(stream: str) -> str:
    """The campaign that a stream belongs to: its branches are called after it."""
    return stream.partition("/")[0]


class _Beginning(msgspec.Struct, frozen=True):
    campaign_id: str
    rules: str


def _beginning(name: str, connection: sqlite3.Connection) -> _Beginning:
    """Whose log this is. Raises Unopenable, and sqlite3.Error for what SQLite itself finds."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    _check_format(name, version)
    if connection.execute("SELECT 1 FROM sqlite_master WHERE type IN ('trigger', 'view') LIMIT 1").fetchone():
        raise Unopenable(f"{name} is damaged: somebody built triggers or views into it.", 5)
    ids = connection.execute(WHOSE_TURNS).fetchone()
    if ids[0] is None or _root(ids[0]) != _root(ids[1]):
        raise Unopenable(f"{name} is damaged: it holds {'more than one log' if ids[0] else 'no turn'}.", 5)
    first = connection.execute(
        "SELECT originator_version, state FROM stored_events WHERE originator_id = ?"
        " ORDER BY originator_version LIMIT 1",
        ids[:1],
    ).fetchone()
    try:
        turn = msgspec.msgpack.decode(first[1], type=_First)
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
        raise Unopenable(f"{name} is damaged: turn T1 cannot be read.", 5) from None
    if first[0] != 1 or turn.number != 1:
        raise Unopenable(f"{name} is damaged: it does not begin with turn T1.", 5)
    rules = turn.action.rules
    if rules not in SYSTEMS:
        raise Unopenable(f"{name} is played under {rules!r}, which this version of campaign does not know.", 2)
    if any(event.version > system_of(rules).version for event in turn.events):
        raise Unopenable(f"{name} is played under a newer version of the {rules} rules; update campaign to open it.", 2)
    return _Beginning(str(ids[0]), rules)


class _Opened(msgspec.Struct, frozen=True):
    connection: sqlite3.Connection
    beginning: _Beginning
    #: Why nothing can be saved; None if it can.
    notice: str | None


def _open(path: Path) -> _Opened:
    """Open the file in the best way that works: to write, else beside a writer, else as it lies there.

    Raises Unopenable.
    """
    name = path.name
    if _size(Path(f"{path}-wal")) > 0:
        _check_wal(path)
    protected = not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
    if protected:
        reason = "this file or its folder is write-protected"
    elif _disk_is_full(path) and not Path(f"{path}-wal").exists():
        # trying would fail, and leave an empty -wal and -shm behind
        reason = "the disk is full; make room and try again"
    else:
        # not `mode=ro`: that one cannot tidy up after itself, and leaves a -wal and a -shm behind
        try:
            return _Opened(*_tried(name, path.as_uri() + "?mode=rw"), None)
        except sqlite3.Error as error:
            if primary_code(error) in BROKEN | {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
                raise _unreadable(name, error, path) from error
            reason = because(error, path)
    unsaved = _size(Path(f"{path}-wal")) > 0
    try:
        # with turns in a -wal, `immutable` would not see them: either it is read with them or not at all
        how = "?mode=ro" if unsaved else "?mode=ro&immutable=1"
        opened = _tried(name, path.as_uri() + how)
    except sqlite3.Error as error:
        if unsaved and primary_code(error) not in BROKEN:
            raise Unopenable(f"{name} was not closed properly and cannot be put right here: {reason}.", 6) from error
        raise _unreadable(name, error, path) from error
    return _Opened(*opened, f"{name} can be read but nothing can be saved in it: {reason}.")


def _check_wal(path: Path) -> None:
    """Raise Unopenable if the `-wal` does not fit this campaign, before anything is done with it.

    SQLite would not notice: it would show another campaign's turns, and on closing write them over this one.
    """
    shm = Path(f"{path}-shm")
    in_use = shm.exists()
    alone = _campaign_ids(path, "?mode=ro&immutable=1")
    together = _campaign_ids(path, "?mode=ro")
    # alone it may be unreadable, while somebody is writing the -wal into it; together they never are
    if alone and together is not None and together != alone:
        if not in_use:
            with suppress(OSError):
                shm.unlink()
        raise Unopenable(f"Beside {path.name} lies a {path.name}-wal that is not its own; move it away first.", 5)


def _campaign_ids(path: Path, how: str) -> set[str] | None:
    """Whose turns are read in this way: empty if they cannot be made out, None if this way is not open."""
    try:
        with closing(connect(path.as_uri() + how)) as connection:
            return {_root(stream) for stream in connection.execute(WHOSE_TURNS).fetchone()}
    except sqlite3.Error as error:
        return set() if primary_code(error) in BROKEN else None


def _tried(name: str, uri: str) -> tuple[sqlite3.Connection, _Beginning]:
    connection = connect(uri)
    try:
        connection.execute("PRAGMA query_only=ON").fetchall()
        beginning = _beginning(name, connection)
    except BaseException:
        connection.close()
        raise
    return connection, beginning


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _unreadable(name: str, error: sqlite3.Error, path: Path) -> Unopenable:
    if primary_code(error) in BROKEN:
        return Unopenable(f"{name} is damaged or cut short; restore it from a backup.", 5)
    return Unopenable(f"{name} cannot be read: {because(error, path)}.", 6)


def open_campaign(path: str | os.PathLike[str], *, write: bool = False, branch: str | None = None) -> "CampaignFile":
    """Open a campaign. Raises Unopenable, and then the file is as it was and nothing lies beside it.

    Where nothing can be written, a campaign that was closed properly is still read, and `notice` says so.
    """
    whole = _resolved(path)
    try:
        held = _hold(whole)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            raise Unopenable(f"There is no file {os.fspath(path)}.", 2) from None
        if error.errno in (errno.EACCES, errno.EPERM):
            raise Unopenable(f"{whole.name} may not be read by you; ask whoever owns it.", 2) from None
        raise Unopenable(f"{whole.name} cannot be opened: {because(error, whole)}.", 2) from None
    try:
        _check_header(whole, held)
        opened = _open(whole)
    except BaseException:
        _let_go(held)
        raise
    try:
        return CampaignFile(whole, held, opened, write=write, branch=branch)
    except BaseException:
        opened.connection.close()
        _let_go(held)
        raise


class Branch(msgspec.Struct, frozen=True):
    """A stream of its own that begins after turn `fork` of another."""

    name: str
    stream: str
    base: str
    fork: int


def quoted(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


class CampaignFile:
    """One campaign's log (`domain.log.port.Log`), open. For one thread; close it, or use it in a `with`."""

    def __init__(self, path: Path, held: Held, opened: _Opened, *, write: bool, branch: str | None) -> None:
        self.path = path
        #: Something that whoever opened it should be told, as one sentence; None if all is well.
        self.notice = opened.notice
        self.campaign_id, self.rules = opened.beginning.campaign_id, opened.beginning.rules
        self._held = held
        self._reader = opened.connection
        self._write = write
        self._writer: Writer | None = None
        self._closed = False
        kind = record_types(self.rules).turn
        self._decode: Callable[[bytes], Turn] = msgspec.msgpack.Decoder(kind).decode
        #: The branch that is read and appended to.
        self.branch = MAIN
        #: The streams that the log is made of, each up to a turn, the own one last and without an end.
        self._stretches: list[tuple[str, int]] = [(self.campaign_id, WITHOUT_END)]
        self._choose_branch(branch)

    def _choose_branch(self, branch: str | None) -> None:
        """Raises Unopenable if there is no such branch. None: the one that was switched to last."""
        chosen = branch or next((row[0] for row in self._ask("SELECT value FROM settings WHERE name = 'branch'")), MAIN)
        if chosen == MAIN:
            return
        found = {each.name: each for each in self.branches()}
        if chosen not in found:
            raise Unopenable(f"There is no branch {chosen!r}; known: {', '.join([MAIN, *found])}.", 1)
        self.branch = chosen
        by_stream = {each.stream: each for each in self.branches(deleted=True)}
        stretches, stream, upto = [], found[chosen].stream, WITHOUT_END
        while True:
            stretches.append((stream, upto))
            if stream not in by_stream:
                break
            upto = min(upto, by_stream[stream].fork)
            stream = by_stream[stream].base
        self._stretches = stretches[::-1]

    @property
    def stream(self) -> str:
        """The id of this line of turns: the campaign's, or the branch's own."""
        return self._stretches[-1][0]

    @property
    def fork(self) -> int:
        """The last turn that a branch shares with what it came from; 0 on main."""
        return self._stretches[-2][1] if len(self._stretches) > 1 else 0

    def branches(self, *, deleted: bool = False) -> list[Branch]:
        """The branches besides main, in the order in which they were made."""
        which = "" if deleted else " WHERE deleted = 0"
        return [
            Branch(*row) for row in self._ask(f"SELECT name, stream, base, fork FROM branches{which} ORDER BY rowid")
        ]

    def stream_at(self, number: int) -> str:
        """The stream that holds a turn of this log."""
        return next(stream for stream, upto in self._stretches if number <= upto)

    @cached_property
    def kept(self) -> "StatesOnDisk":
        """Where states of this log are kept."""
        from cli.store.kept import StatesOnDisk

        return StatesOnDisk(self.stream)

    def __enter__(self) -> "CampaignFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. The last one to do so leaves nothing beside it."""
        if self._closed:
            return
        self._closed = True
        try:
            self._drop_writer()
            with suppress(sqlite3.Error):
                self._reader.close()
        finally:
            _let_go(self._held)

    # -- reading

    def last(self) -> int:
        """The number of the last turn."""
        select = "SELECT max(originator_version) FROM stored_events WHERE originator_id = ?"
        number = self._ask(select, self.stream)[0][0]
        if number is None and self.fork:
            return self.fork
        if not isinstance(number, int):
            raise Damaged(f"{self.path.name} is damaged: its last turn has no number.")
        return number

    def read(self, after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        """The turns after `after` up to `upto`, or up to the last one there is when the reading begins.

        Raises Damaged at the first turn that cannot be read, and Unopenable if the disk fails meanwhile.
        """
        upto = self.last() if upto is None else upto
        for stream, end in self._stretches:
            if after < min(upto, end):
                yield from self._read_stretch(stream, after, min(upto, end), topics)
                after = end

    def _read_stretch(self, stream: str, after: int, upto: int, topics: Sequence[str]) -> Iterator[Turn]:
        # written out, not as parameters: so the index of the turns that speak of others is found to fit
        only = f" AND topic IN ({', '.join(map(quoted, topics))})" if topics else ""
        select = (
            "SELECT originator_version, topic, state FROM stored_events"
            f" WHERE originator_id = ? AND originator_version > ? AND originator_version <= ?{only}"
            f" ORDER BY originator_version LIMIT {AT_ONCE}"
        )
        decode, number = self._decode, after
        while rows := self._ask(select, stream, number, upto):
            for found, topic, state in rows:
                if not topics and found != number + 1:
                    raise Damaged(f"Turn T{number + 1} is missing.")
                try:
                    turn = decode(state)
                except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
                    what = str(error) if isinstance(error, msgspec.ValidationError) else "its record cannot be read"
                    raise Damaged(f"Turn T{found} is damaged: {what}.") from None
                if turn.number != found:
                    raise Damaged(f"Turn T{found} is damaged: its record says that it is turn T{turn.number}.")
                tag = turn.action.__struct_config__.tag
                if tag != topic:
                    raise Damaged(f"Turn T{found} is damaged: it is listed as {topic!r}, its record says {tag!r}.")
                number = found
                yield turn
            if len(rows) < AT_ONCE:
                return

    def find(self, turn_id: str) -> Turn | None:
        """The turn of this id."""
        rows = self._ask("SELECT number, stream FROM turn_ids WHERE id = ?", turn_id)
        if not rows:
            return None
        number, stream = rows[0]
        if isinstance(number, int) and stream != self.stream_at(number):
            return None  # a turn of another branch
        turn = next(self.read(after=number - 1, upto=number), None) if isinstance(number, int) else None
        if turn is None or turn.id != turn_id:
            raise Damaged(f"Turn T{number} is damaged: it does not have the id that it was listed under.")
        return turn

    def _ask(self, select: str, *parameters: int | str) -> list[tuple[Any, ...]]:
        try:
            return self._reader.execute(select, parameters).fetchall()
        except sqlite3.Error as error:
            if primary_code(error) in BROKEN:
                raise Damaged(f"{self.path.name} is damaged and cannot be read whole.") from error
            raise _unreadable(self.path.name, error, self.path) from error

    # -- writing

    def append(self, turn: Turn) -> None:
        """Keep one turn; returns when it is on the disk.

        Raises Taken if somebody else's turn has the number or another turn the id, NotSaved or MaybeSaved. The
        very same turn appended again is there already, and stays there once.
        """
        self.append_all((turn,))

    def append_all(self, turns: Sequence[Turn]) -> None:
        """Keep several turns, all or none. Raises as `append` does."""
        if not self._write:
            raise NotSaved(f"{self.path.name} was opened for reading only; nothing was saved.")
        if self.notice:
            raise NotSaved(self.notice)
        with sole_writer(self.path):
            self._check_still_there()
            try:
                self._put(turns)
            except BaseException:
                # whatever is left of the transaction goes with the connection
                self._drop_writer()
                raise

    def _check_still_there(self) -> None:
        """Raise NotSaved if the file was deleted, moved or replaced: what is appended to it would be lost with it."""
        try:
            found = self.path.stat()
        except OSError:
            found = None
        if found is None or (found.st_dev, found.st_ino) != self._held.inode:
            raise NotSaved(f"{self.path.name} was moved, deleted or replaced while it was open; open it again.")

    def _put(self, turns: Sequence[Turn]) -> None:
        from cli.store.recorder import Writer

        if self._writer is None:
            uri = self.path.as_uri() + "?mode=rw"
            self._writer = Writer(uri, self.stream, record_types(self.rules).turn, after=self.fork)
        try:
            self._writer.put(turns)
        except Taken:
            if self._holds(turns):
                return
            raise
        except sqlite3.Error as error:
            doubtful = self._writer.committing and primary_code(error) not in HARMLESS
            self._drop_writer()
            reason = because(error, self.path)
            if self._holds(turns):
                return
            if doubtful and not self._cleared():
                raise self._unknown(turns[0]) from error
            raise NotSaved(f"Turn T{turns[0].number} was not saved: {reason}.") from error

    def _holds(self, turns: Sequence[Turn]) -> bool:
        """Whether these turns, to the last byte, are in the log: all are or none, so the last one tells.

        Raises MaybeSaved if that cannot be found out.
        """
        turn = turns[-1]
        try:
            rows = self._reader.execute(
                "SELECT state FROM turn_ids JOIN stored_events ON originator_version = number"
                " WHERE id = ? AND originator_id = stream AND stream = ?",
                (turn.id, self.stream),
            ).fetchall()
        except sqlite3.Error as error:
            raise self._unknown(turn) from error
        return bool(rows) and rows[0][0] == msgspec.msgpack.encode(turn)

    def _unknown(self, turn: Turn) -> MaybeSaved:
        return MaybeSaved(
            f"It is not known whether turn T{turn.number} was saved, because the disk reports errors."
            " Look whether it is in the log, or send it again under the same id."
        )

    def _cleared(self) -> bool:
        """Clear the `-wal`, so that a turn which did not make it cannot come back from there after a crash.

        A commit that fails while syncing may have written all its bytes; they are passed over now, and would
        be found by the recovery after a crash.
        """
        try:
            row = self._reader.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error:
            return False
        return bool(row) and row[0] == 0

    def _drop_writer(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            with suppress(sqlite3.Error):
                writer.close()

    def backup(self, target: str | os.PathLike[str]) -> None:
        """Copy the campaign as it is now, whoever is writing. Raises Unopenable if the name is taken, or NotSaved.

        Copying the file by hand while it is open can miss every turn that is still in the `-wal`.
        """
        whole = _resolved(target)
        if not whole.parent.is_dir():
            raise Unopenable(f"There is no folder {whole.parent} to make {whole.name} in.", 2)
        with _made_whole(whole) as new:
            copy = connect(new.as_uri() + "?mode=rw")
            try:
                self._reader.backup(copy)
            finally:
                copy.close()
