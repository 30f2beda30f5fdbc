"""The errors of campaign files in plain words: what SQLite's and the operating system's codes mean to a user."""

import errno
import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

from msgspec import MsgspecError

from cli.store.connection import connect, uri_of
from cli.store.layout import SIDE_FILES

#: Bytes that SQLite needs on the disk to open a file: the first block of its `-shm`, and a little more.
LEAST_ROOM = 2**16


class Unopenable(Exception):
    """A campaign cannot be opened; `reason` is one plain sentence.

    `exit_code` is 2 for what is no campaign or not one for this version, 5 for a damaged one, 6 for one that
    cannot be read now.
    """

    def __init__(self, reason: str, exit_code: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.exit_code = exit_code


class MadeByNewer(Unopenable):
    """A newer version of the program made it, or brought it up to date: no damage, but nothing may be appended."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, 2)


class MadeByOlder(Unopenable):
    """An older version of the program made the tables of a server, and nobody has brought them up to date yet."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason, 2)


#: Why nothing is appended any more to a log that was open when a newer version of the program brought it up to date.
NEWER = "Nothing was saved: a newer version of campaign keeps this log now; update yours to go on."


class NewerVersion(MadeByNewer):
    """A turn was recorded by a newer version of the program."""

    def __init__(self, number: int) -> None:
        super().__init__(f"T{number} was recorded by a newer version of campaign; update to read it.")
        self.number = number


#: What the sqlite3 module raises; UnicodeDecodeError if damage reaches the text of an error message.
SQLITE_FAILS = (sqlite3.Error, UnicodeDecodeError)


#: What folding a forged record may raise, long after it was decoded.
STRANGE = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MsgspecError, RecursionError, TypeError, ValueError,
)  # fmt: skip


def primary_code(error: BaseException) -> int:
    """SQLite's primary result code; SQLITE_CORRUPT for undecodable text."""
    code = getattr(error, "sqlite_errorcode", None)
    return sqlite3.SQLITE_CORRUPT if code is None else code & 0xFF


#: Codes after which nothing of the failed transaction can have reached the file.
HARMLESS = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CONSTRAINT,
}
DEFECTS = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH}


FULL = "the disk is full; make room and try again"
PROTECTED = "this file or its folder is write-protected"
FAILING = "the disk reports an error"
GONE = "it was moved or deleted meanwhile"
TOO_MANY_FILES = "no more files may be opened here; close some programs, or raise the limit (ulimit -n)"
NO_LOCKS = "this disk has no locks, which keep writers apart; move the campaign to another disk"
TOO_LARGE = "no file may grow so large here; raise the limit (ulimit -f)"
TOO_LONG = "its path is longer than SQLite takes; move it to a folder with a shorter path"
#: Bytes of a path from which on SQLite may not open the files beside it: it takes 512, with their suffixes.
LONGEST_PATH = 490

#: Files that SQLite opens at once: a database, those beside it, and one to sort in.
MOST_AT_ONCE = 5

#: What the errors of the operating system mean.
REASONS = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT), FULL),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), PROTECTED),
    **dict.fromkeys((errno.ENOENT, errno.ENOTDIR), "there is no such folder"),
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), TOO_MANY_FILES),
    **dict.fromkeys((errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP), NO_LOCKS),
    errno.ENAMETOOLONG: "the name is too long",
    errno.EFBIG: TOO_LARGE,
    errno.EISDIR: "a folder has this name",
    errno.EEXIST: "something else has this name",
    errno.ELOOP: "a link stands in its place",
}


def because(error: Exception, path: Path) -> str:
    """The end of a sentence about the file at `path`: why it could not be read or written, and what to do.

    SQLite reports many things as others, damage and write protection after a single failed call among them, so each is
    looked for before.
    """
    if isinstance(error, OSError):
        return REASONS.get(error.errno or 0, FAILING)
    if not os.path.lexists(path.parent):
        return REASONS[errno.ENOENT]
    code = primary_code(error)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "it is busy; try again" if has_locks(path.parent) else NO_LOCKS
    if code == sqlite3.SQLITE_FULL or disk_is_full(path):
        return FULL
    if code == sqlite3.SQLITE_CANTOPEN and len(os.fsencode(path)) >= LONGEST_PATH:
        return TOO_LONG
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR) and (limit := limit_reached(path)):
        return limit
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR):
        for side in SIDE_FILES:
            if what := in_the_way(Path(f"{path}{side}")):
                return what
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
        if is_protected(path):
            return PROTECTED
        if path.exists() and (code == sqlite3.SQLITE_CANTOPEN or _is_side_file_closed_to_us(path)):
            return f"{path.name}-wal or {path.name}-shm beside it cannot be opened"
    if code == sqlite3.SQLITE_CONSTRAINT:
        # what this program writes never clashes: numbers and ids are looked up before
        return "its tables do not fit together; see `campaign verify`"
    if code in DEFECTS and _is_damaged(path):
        return "the file is damaged"
    return FAILING


def has_locks(folder: Path) -> bool:
    """Whether files in this folder can be locked, as far as can be told: SQLite calls a disk without locks busy."""
    try:
        import fcntl
        from tempfile import TemporaryFile  # both after something has failed

        with TemporaryFile(dir=folder) as file:  # never the campaign: closing it would give up the locks of others here
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:  # Windows has no fcntl
        return True
    except OSError as error:
        return REASONS.get(error.errno or 0) != NO_LOCKS
    return True


def files_ran_out() -> bool:
    """Whether fewer files may be opened now than SQLite needs at once."""
    numbers: list[int] = []
    try:
        numbers += (os.open(os.devnull, os.O_RDONLY) for _ in range(MOST_AT_ONCE))
    except OSError as error:
        return REASONS.get(error.errno or 0) == TOO_MANY_FILES
    finally:
        for number in numbers:
            os.close(number)
    return False


def limit_reached(path: Path) -> str | None:
    """The limit of this process that keeps it from opening one more file, or one from growing; None if neither does."""
    return TOO_MANY_FILES if files_ran_out() else too_large_already(path)


def too_large_already(path: Path) -> str | None:
    """The limit of this process on the size of a file, if this one has no room left below it; None: it has."""
    try:
        import resource
    except ImportError:  # as on Windows
        return None
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    largest = max(size_of(Path(f"{path}{side}")) for side in ("", *SIDE_FILES))
    return TOO_LARGE if most != resource.RLIM_INFINITY and most < largest + LEAST_ROOM else None


def is_protected(path: Path) -> bool:
    return not all(os.access(place, os.W_OK) for place in (path, path.parent) if place.exists())


def in_the_way(beside: Path) -> str | None:
    """The end of a sentence about a folder, link or pipe that has the name of a lock or journal; None for a file."""
    try:
        mode = beside.lstat().st_mode
    except OSError:
        return None
    if stat.S_ISREG(mode):
        return None
    what = "a folder" if stat.S_ISDIR(mode) else "a link" if stat.S_ISLNK(mode) else "not a file"
    return f"{beside.name} beside it is {what}; move it away and try again"


def _is_side_file_closed_to_us(path: Path) -> bool:
    sides = (Path(f"{path}{side}") for side in SIDE_FILES)
    return any(side.exists() and not os.access(side, os.R_OK | os.W_OK) for side in sides)


def _is_damaged(path: Path) -> bool:
    """Whether a second check over a new connection finds damage too."""
    try:
        with closing(connect(uri_of(path))) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
    except SQLITE_FAILS as error:
        return primary_code(error) in DEFECTS


def disk_is_full(path: Path) -> bool:
    """Whether the disk is full; SQLite reports that in many ways, as an error of its shared memory for one."""
    try:
        if not hasattr(os, "statvfs"):  # as on Windows
            import shutil  # here, for what every command imports is measured

            return shutil.disk_usage(path.parent).free < LEAST_ROOM
        disk = os.statvfs(path.parent)
    except OSError:
        return False
    if not disk.f_blocks:  # as some file systems answer that do not count
        return False
    free = disk.f_bfree if getattr(os, "geteuid", int)() == 0 else disk.f_bavail
    return free * disk.f_frsize < LEAST_ROOM


def unreadable(error: Exception, path: Path) -> Unopenable:
    """The error for a file that SQLite could not read."""
    if primary_code(error) in DEFECTS:
        return damage_of(path)
    return Unopenable(f"{path.name} cannot be read: {because(error, path) if os.path.lexists(path) else GONE}.", 6)


def misread(path: Path) -> Unopenable:
    """The error for a file that one read found damaged and the next did not."""
    return Unopenable(f"{path.name} could not be read just now: {FAILING}; try again.", 6)


def damage_of(path: Path) -> Unopenable:
    """The error for a damaged file. Its `-wal` may hold turns that are whole."""
    if size_of(Path(f"{path}-wal")):
        keep = f"keep it together with its {path.name}-wal, and restore a backup elsewhere"
        return Unopenable(f"{path.name} is damaged or cut short; {keep}.", 5)
    return Unopenable(f"{path.name} is damaged or cut short; restore it from a backup.", 5)


def size_of(path: Path) -> int:
    """The size of a file in bytes; 0 if there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
