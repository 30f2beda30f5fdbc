"""The errors of campaign files in plain words: what SQLite's and the operating system's codes mean to a user."""

import errno
import os
import sqlite3
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


class NewerVersion(Unopenable):
    """A turn was recorded by a newer version of the program: no damage, but nothing may be appended."""

    def __init__(self, number: int) -> None:
        super().__init__(f"T{number} was recorded by a newer version of campaign; update to read it.", 2)
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


def because(error: Exception, path: Path) -> str:
    """The end of a sentence about the file at `path`: why it could not be read or written, and what to do.

    SQLite also reports damage and write protection after a single failed call, so both are checked first.
    """
    if isinstance(error, OSError):
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return FULL
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            return PROTECTED
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            return "there is no such folder"
        if error.errno == errno.ENAMETOOLONG:
            return "the name is too long"
        return FAILING
    code = primary_code(error)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "it is busy; try again"
    if code == sqlite3.SQLITE_FULL or disk_is_full(path):
        return FULL
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
        if is_protected(path):
            return PROTECTED
        if path.exists() and (code == sqlite3.SQLITE_CANTOPEN or _side_file_in_the_way(path)):
            return f"{path.name}-wal or {path.name}-shm beside it cannot be opened"
    if code == sqlite3.SQLITE_CONSTRAINT:
        # what this program writes never clashes: numbers and ids are looked up before
        return "its tables do not fit together; see `campaign verify`"
    if code in DEFECTS and _is_damaged(path):
        return "the file is damaged"
    return FAILING


def is_protected(path: Path) -> bool:
    """Whether this file, or its folder, may not be written."""
    return not all(os.access(place, os.W_OK) for place in (path, path.parent) if place.exists())


def _side_file_in_the_way(path: Path) -> bool:
    sides = (Path(f"{path}{side}") for side in SIDE_FILES)
    return any(side.exists() and not (side.is_file() and os.access(side, os.R_OK | os.W_OK)) for side in sides)


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
    free = disk.f_bfree if getattr(os, "geteuid", int)() == 0 else disk.f_bavail
    return free * disk.f_frsize < LEAST_ROOM


def unreadable(error: Exception, path: Path) -> Unopenable:
    """The error for a file that SQLite could not read."""
    if primary_code(error) in DEFECTS:
        return damage_of(path)
    return Unopenable(f"{path.name} cannot be read: {because(error, path)}.", 6)


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
