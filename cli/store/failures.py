"""What goes wrong with a campaign file, in plain words: SQLite's codes and the disk's, as the end of a sentence."""

import errno
import os
import sqlite3
from pathlib import Path

from msgspec import MsgspecError

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
    if code == sqlite3.SQLITE_FULL or disk_is_full(path):
        return "the disk is full; make room and try again"
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN):
        if code == sqlite3.SQLITE_CANTOPEN and os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
            return f"{path.name}-wal or {path.name}-shm beside it cannot be opened"
        return "this file or its folder is write-protected"
    if code in BROKEN:
        return "the file is damaged"
    return "the disk reports an error"


def disk_is_full(path: Path) -> bool:
    """SQLite reports a full disk in many ways, among them as an error of its shared memory."""
    try:
        disk = os.statvfs(path.parent)
    except (OSError, AttributeError):
        return False
    free = disk.f_bfree if os.geteuid() == 0 else disk.f_bavail
    return free * disk.f_frsize < LEAST_ROOM


def unreadable(error: Exception, path: Path) -> Unopenable:
    """What to say of a file that SQLite could not read."""
    if primary_code(error) in BROKEN:
        return damaged(path)
    return Unopenable(f"{path.name} cannot be read: {because(error, path)}.", 6)


def misread(path: Path) -> Unopenable:
    """What to say of a file that was read wrongly once and is read well now."""
    return Unopenable(f"{path.name} could not be read just now: the disk reports an error; try again.", 6)


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
