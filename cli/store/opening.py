"""How a campaign file is opened: for reading and writing where that works, else for reading alone, or not at all."""

import errno
import os
import sqlite3
from contextlib import suppress
from pathlib import Path

import msgspec

from cli.store import connection as settings
from cli.store.beginning import Beginning, beginning_in, check_rules
from cli.store.connection import ALONE, connect, uri_of
from cli.store.descriptors import OpenDescriptor, hold, let_go
from cli.store.failures import (
    DEFECTS,
    FULL,
    PROTECTED,
    SQLITE_FAILS,
    Unopenable,
    because,
    disk_is_full,
    has_locks,
    is_protected,
    primary_code,
    size_of,
    unreadable,
)
from cli.store.header import check_header
from cli.store.layout import WITH_PAGES
from cli.store.left_beside import check_what_lies_beside
from cli.store.names import resolve
from domain.system.installed import is_installed

#: Seconds to wait for a lock before it is looked whether there are any.
FIRST_WAIT = 0.5


class OpenFile(msgspec.Struct, frozen=True):
    """A campaign file that is open for reading, at the path that it had when it was opened."""

    path: Path
    descriptor: OpenDescriptor
    connection: sqlite3.Connection
    beginning: Beginning
    #: A sentence about why nothing can be saved; None if it can.
    notice: str | None

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self.connection.close()
        let_go(self.descriptor)


def open_file(path: str | os.PathLike[str], *, write: bool, needs_rules: bool = True) -> OpenFile:
    """Open a campaign file as `cli.store.file.open_campaign` does. Raises Unopenable."""
    whole = resolve(path)
    try:
        descriptor = hold(whole)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            raise Unopenable(f"There is no file {os.fspath(path)}.", 2) from None
        if error.errno in (errno.EACCES, errno.EPERM):
            raise Unopenable(f"{whole.name} is not yours to read; ask whoever owns it.", 2) from None
        code = 6 if error.errno == errno.EIO else 2
        raise Unopenable(f"{whole.name} cannot be opened: {because(error, whole)}.", code) from None
    try:
        connection, beginning, notice = _open_safely(whole, write=write, in_wal_mode=check_header(whole, descriptor))
    except OSError as error:
        let_go(descriptor)
        raise Unopenable(f"{whole.name} cannot be read: {because(error, whole)}.", 6) from None
    except BaseException:
        let_go(descriptor)
        raise
    file = OpenFile(whole, descriptor, connection, beginning, notice)
    if needs_rules or is_installed(beginning.rules):
        try:
            check_rules(whole.name, beginning)
        except BaseException:
            file.close()
            raise
    return file


def _open_safely(path: Path, *, write: bool, in_wal_mode: bool) -> tuple[sqlite3.Connection, Beginning, str | None]:
    """Open a file for writing if possible, else for reading; `in_wal_mode` is what its header says.

    The text says why nothing can be saved. With `write` a file of an older version loses its `-wal`, if nobody else has
    it open. Raises Unopenable, OSError.
    """
    name = path.name
    check_what_lies_beside(path)
    if is_protected(path):
        reason = PROTECTED
    elif disk_is_full(path) and not any(Path(f"{path}{side}").exists() for side in WITH_PAGES):
        # nothing could be saved, and in WAL mode an attempt to read leaves an empty -wal and -shm behind
        reason = FULL
    else:
        # not `mode=ro`, which leaves a -wal and a -shm behind
        try:
            connection, beginning = _try(path, "mode=rw")
            if write and in_wal_mode:
                with suppress(sqlite3.Error):  # as long as somebody else has it open; whoever writes clears the -wal
                    connection.execute("PRAGMA query_only=OFF").fetchall()
                    connection.execute("PRAGMA journal_mode=DELETE").fetchall()
                connection.execute("PRAGMA query_only=ON").fetchall()
            return connection, beginning, None
        except SQLITE_FAILS as error:
            if primary_code(error) in DEFECTS | {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
                raise unreadable(error, path) from error
            reason = because(error, path)
    is_open = any(size_of(Path(f"{path}{side}")) > 0 for side in WITH_PAGES)
    try:
        # `immutable` would ignore turns in a -wal, so a file with one is read with it or not at all
        connection, beginning = _try(path, ALONE if in_wal_mode and not is_open else "mode=ro")
    except SQLITE_FAILS as error:
        if is_open and primary_code(error) not in DEFECTS:
            raise Unopenable(f"{name} was not closed properly and cannot be put right here: {reason}.", 6) from error
        raise unreadable(error, path) from error
    return connection, beginning, f"{name} can be read but nothing can be saved in it: {reason}."


def _try(path: Path, how: str) -> tuple[sqlite3.Connection, Beginning]:
    """Open a file in one mode; a second attempt if it seems damaged, as one failed read looks the same."""
    wait, is_second = FIRST_WAIT, False
    while True:
        try:
            return _connect_and_read(path, how, wait)
        except SQLITE_FAILS as error:
            code = primary_code(error)
            # whoever waits for a lock on a disk without locks waits in vain
            if code == sqlite3.SQLITE_BUSY and wait == FIRST_WAIT and has_locks(path.parent):
                wait = settings.LONGEST_WAIT
            elif code in DEFECTS and not is_second:
                wait, is_second = FIRST_WAIT, True
            else:
                raise


def _connect_and_read(path: Path, how: str, wait: float) -> tuple[sqlite3.Connection, Beginning]:
    connection = connect(uri_of(path, how), wait=wait)
    try:
        connection.execute("PRAGMA query_only=ON").fetchall()
        beginning = beginning_in(path.name, connection)
        connection.execute(f"PRAGMA busy_timeout={settings.LONGEST_WAIT * 1000:.0f}").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection, beginning
