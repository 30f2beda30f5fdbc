"""What goes wrong with a campaign file, in plain words: SQLite's codes and the disk's, as the end of a sentence."""

import errno
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from msgspec import MsgspecError

from cli.store.connection import connect
from cli.store.layout import SIDE_FILES

#: What SQLite needs to open a file that nobody has open, in bytes: the first piece of its `-shm`, and a little.
LEAST_ROOM = 2**16


class Unopenable(Exception):
    """There is no campaign to be had from this file; `reason` is one plain sentence.

    `exit_code` is 2 for what is no campaign or not one for this version, 5 for a damaged one, 6 for one that
    cannot be read just now.
    """

    def __init__(self, reason: str, exit_code: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.exit_code = exit_code


class NewerVersion(Unopenable):
    """A turn was recorded by a newer version of the program. That is no damage, but nothing may be appended here."""

    def __init__(self, number: int) -> None:
        super().__init__(f"T{number} was recorded by a newer version of campaign; update to read it.", 2)
        self.number = number


#: What SQLite's module raises; the last where the text of the error is as damaged as what it speaks of.
SQLITE_FAILS = (sqlite3.Error, UnicodeDecodeError)


#: As what a record that was changed behind the program's back comes to light, long after it was read.
STRANGE = (
    ArithmeticError, AssertionError, AttributeError, LookupError, MsgspecError, RecursionError, TypeError, ValueError,
)  # fmt: skip


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


FULL = "the disk is full; make room and try again"
PROTECTED = "this file or its folder is write-protected"
FAILING = "the disk reports an error"


def because(error: Exception, path: Path) -> str:
    """The end of a sentence about the file at `path`: why it could not be read or written, and what to do.

    SQLite says "damaged" and "read-only" after one call that failed, too: neither is told unless it is so.
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
    if code in BROKEN and _is_damaged(path):
        return "the file is damaged"
    return FAILING


def is_protected(path: Path) -> bool:
    """Whether this file, or the folder in which it is or would be, may not be written."""
    return not all(os.access(each, os.W_OK) for each in (path, path.parent) if each.exists())


def _side_file_in_the_way(path: Path) -> bool:
    sides = (Path(f"{path}{side}") for side in SIDE_FILES)
    return any(each.exists() and not (each.is_file() and os.access(each, os.R_OK | os.W_OK)) for each in sides)


def _is_damaged(path: Path) -> bool:
    """Whether it still is when it is read anew. What is not there is not."""
    try:
        with closing(connect(path.as_uri() + "?mode=rw")) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
    except SQLITE_FAILS as error:
        return primary_code(error) in BROKEN


def disk_is_full(path: Path) -> bool:
    """SQLite reports a full disk in many ways, among them as an error of its shared memory."""
    try:
        disk = os.statvfs(path.parent)
    except (OSError, AttributeError):
        return False
    free = disk.f_bfree if getattr(os, "geteuid", int)() == 0 else disk.f_bavail
    return free * disk.f_frsize < LEAST_ROOM


def unreadable(error: Exception, path: Path) -> Unopenable:
    """What to say of a file that SQLite could not read."""
    if primary_code(error) in BROKEN:
        return damaged(path)
    return Unopenable(f"{path.name} cannot be read: {because(error, path)}.", 6)


def misread(path: Path) -> Unopenable:
    """What to say of a file that was read wrongly once and is read well now."""
    return Unopenable(f"{path.name} could not be read just now: {FAILING}; try again.", 6)


def damaged(path: Path) -> Unopenable:
    """What to say of a file that cannot be made out. Its `-wal` may be all that is whole of it."""
    if size_of(Path(f"{path}-wal")):
        keep = f"keep it together with its {path.name}-wal, and restore a backup elsewhere"
        return Unopenable(f"{path.name} is damaged or cut short; {keep}.", 5)
    return Unopenable(f"{path.name} is damaged or cut short; restore it from a backup.", 5)


def size_of(path: Path) -> int:
    """In bytes; 0 if there is no such file."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
