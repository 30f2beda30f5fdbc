"""Opening of campaign files: which mode works (read and write, or read only), and whether the file is one whole log.

Turn 1 alone says which rule system the log is for.
"""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import msgspec

from cli.store import connection as settings
from cli.store.connection import connect, uri_of
from cli.store.failures import (
    DEFECTS,
    FULL,
    PROTECTED,
    SQLITE_FAILS,
    MadeByNewer,
    Unopenable,
    because,
    damage_of,
    disk_is_full,
    has_locks,
    in_the_way,
    is_protected,
    primary_code,
    size_of,
    unreadable,
)
from cli.store.header import check_format, hold, let_go
from cli.store.layout import BUILT_IN, FIRST_TURN, HOW_MANY_TURNS, WHOSE_TURNS
from cli.store.linking import campaign_of, tables_agree
from cli.store.lock import sole_writer
from domain.log.port import NotSaved
from domain.registry import system_of
from domain.system.installed import is_installed, missing

#: Seconds to wait for a lock before it is looked whether there are any.
FIRST_WAIT = 0.5
#: The first byte of a journal that SQLite would put back.
JOURNAL = b"\xd9"


class _Start(msgspec.Struct, tag_field="type", tag="campaign.start"):
    rules: str
    package: str | None = None


class _Started(msgspec.Struct):
    version: int = 0


class _First(msgspec.Struct):
    """The part of turn 1 that says how to read the rest."""

    number: int
    action: _Start
    events: tuple[_Started, ...]


class Beginning(msgspec.Struct, frozen=True):
    campaign_id: str
    rules: str
    #: The version of the rules when the campaign was begun.
    version: int
    #: The name of the package that brought the rules; None for built-in rules.
    package: str | None


def _beginning(name: str, connection: sqlite3.Connection) -> Beginning:
    """The beginning of the log in a file. Raises Unopenable, and sqlite3.Error for errors of SQLite."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    check_format(name, version)
    if connection.execute(BUILT_IN).fetchone():
        raise Unopenable(f"{name} is damaged: somebody built triggers or views into it.", 5)
    ids = connection.execute(WHOSE_TURNS).fetchone()
    if ids[0] is None:
        raise Unopenable(f"{name} is damaged: it holds no turn.", 5)
    if not all(isinstance(stream, str) for stream in ids) or campaign_of(ids[0]) != campaign_of(ids[1]):
        raise Unopenable(f"{name} is damaged: it holds more than one log.", 5)
    first = connection.execute(FIRST_TURN, ids[:1]).fetchone()
    return beginning_of(name, str(ids[0]), first)


def beginning_of(name: str, campaign_id: str, first: tuple[Any, ...] | None) -> Beginning:
    """The beginning of a log from the row of its first turn, (number, state). Raises Unopenable."""
    try:
        number, state = first or (None, b"")
        turn = msgspec.msgpack.decode(state, type=_First)
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
        raise Unopenable(f"{name} is damaged: turn T1 cannot be read.", 5) from None
    if number != 1 or turn.number != 1:
        raise Unopenable(f"{name} is damaged: it does not begin with turn T1.", 5)
    start, version = turn.action, max((event.version for event in turn.events), default=0)
    return Beginning(campaign_id, start.rules, version, start.package)


def check_rules(name: str, beginning: Beginning) -> None:
    """Raise Unopenable if the rules of a log are not installed, or only in an older version."""
    rules = beginning.rules
    if not is_installed(rules):
        raise Unopenable(f"{name} is played under {missing(rules, beginning.package)}", 2)
    if beginning.version > system_of(rules).version:
        raise MadeByNewer(f"{name} is played under a newer version of the {rules} rules; update campaign to open it.")


class OpenedFile(msgspec.Struct, frozen=True):
    connection: sqlite3.Connection
    beginning: Beginning
    #: A sentence about why nothing can be saved; None if it can.
    notice: str | None


def open_safely(path: Path, *, write: bool, in_wal_mode: bool) -> OpenedFile:
    """Open a file for writing if possible, else for reading; `in_wal_mode` is what its header says.

    With `write` a file of an older version loses its `-wal`, if nobody else has it open. Raises Unopenable, OSError.
    """
    name = path.name
    for beside in (Path(f"{path}-wal"), Path(f"{path}-journal")):
        # SQLite would wait for ever for somebody who writes into a pipe
        if beside.exists() and (what := in_the_way(beside)):
            raise Unopenable(f"{name} cannot be read: {what}.", 6)
    if size_of(Path(f"{path}-wal")) > 0:
        _check_wal(path)
    if _first_byte(Path(f"{path}-journal")) == JOURNAL:
        _check_journal(path)
    if is_protected(path):
        reason = PROTECTED
    elif disk_is_full(path) and not any(Path(f"{path}{side}").exists() for side in ("-wal", "-journal")):
        # nothing could be saved, and in WAL mode an attempt to read leaves an empty -wal and -shm behind
        reason = FULL
    else:
        # not `mode=ro`, which leaves a -wal and a -shm behind
        try:
            opened = OpenedFile(*_try(path), None)
            if write and in_wal_mode:
                with suppress(sqlite3.Error):  # as long as somebody else has it open; whoever writes clears the -wal
                    opened.connection.execute("PRAGMA query_only=OFF").fetchall()
                    opened.connection.execute("PRAGMA journal_mode=DELETE").fetchall()
                opened.connection.execute("PRAGMA query_only=ON").fetchall()
            return opened
        except SQLITE_FAILS as error:
            if primary_code(error) in DEFECTS | {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
                raise unreadable(error, path) from error
            reason = because(error, path)
    is_open = any(size_of(Path(f"{path}{side}")) > 0 for side in ("-wal", "-journal"))
    try:
        # `immutable` would ignore turns in a -wal, so a file with one is read with it or not at all
        how = "mode=ro&immutable=1" if in_wal_mode and not is_open else "mode=ro"
        connection, beginning = _try(path, how)
    except SQLITE_FAILS as error:
        if is_open and primary_code(error) not in DEFECTS:
            raise Unopenable(f"{name} was not closed properly and cannot be put right here: {reason}.", 6) from error
        raise unreadable(error, path) from error
    return OpenedFile(connection, beginning, f"{name} can be read but nothing can be saved in it: {reason}.")


def _check_wal(path: Path) -> None:
    """Raise Unopenable if the `-wal` is another campaign's, before SQLite opens the file for writing.

    SQLite would not notice: it would show the other campaign's turns, and write them over this one on close. Decided by
    a read that includes the `-wal`: after a power cut during a checkpoint the pages are whole there, and the file alone
    may hold anything.
    """
    shm = Path(f"{path}-shm")
    in_use = shm.exists()
    turns_alone = _turns_of(path, "mode=ro&immutable=1")  # before those with the -wal, as others may be writing
    together = _campaign_id_of(path, "mode=ro")
    alone = _campaign_id_of(path, "mode=ro&immutable=1")
    if together and together == alone and (turns := _turns_of(path, "mode=ro")) < turns_alone:
        raise Unopenable(
            f"Beside {path.name} lies an older {path.name}-wal, with {turns} turns where the file has {turns_alone};"
            " move it away and keep it.",
            5,
        )
    if together is None or together == alone != "" or (together and not alone):
        return
    foreign = bool(alone) and bool(together or not _speaks_of(Path(f"{path}-wal"), alone or ""))
    wrong = damage_of(path)
    if foreign:
        advice = "move it away and keep it: it holds turns of another campaign."
        wrong = Unopenable(f"Beside {path.name} lies a {path.name}-wal that is not its own; {advice}", 5)
    if not in_use:
        with suppress(OSError):
            shm.unlink()
    raise wrong


def _campaign_id_of(path: Path, how: str) -> str | None:
    """The campaign id as read in this mode; "" if the file is damaged so, None if it cannot be told."""
    try:
        with closing(connect(uri_of(path, how))) as connection:
            return _beginning(path.name, connection).campaign_id
    except Unopenable as error:
        return "" if error.exit_code == 5 else None
    except SQLITE_FAILS as error:
        return "" if primary_code(error) in DEFECTS else None


def _turns_of(path: Path, how: str) -> int:
    """How many turns there are as read in this mode; 0 if that cannot be told."""
    try:
        with closing(connect(uri_of(path, how))) as connection:
            return int(connection.execute(HOW_MANY_TURNS).fetchone()[0])
    except SQLITE_FAILS:
        return 0


def _first_byte(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(1)
    except OSError:
        return b""


def _check_journal(path: Path) -> None:
    """Take a journal away that the file does not need, before SQLite puts its pages back into the file.

    It is of another file, or older than the file, or was left when the turn was complete. One that names the campaign
    goes, as its pages are those of before; any other is set aside under a name that SQLite does not know.
    """
    journal = Path(f"{path}-journal")
    with suppress(OSError, NotSaved), sole_writer(path):
        descriptor = hold(path)
        try:
            pages, first_page = _journaled(journal)
            os.lseek(descriptor.fd, 0, os.SEEK_SET)
            file_header = os.read(descriptor.fd, 100)
            # the first page is written with every commit, and says how often that was and how many pages there are
            before = first_page[24:28] if first_page else pages.to_bytes(4, "big")
            is_of_now = before == (file_header[24:28] if first_page else file_header[28:32])
            campaign_id = _campaign_id_of(path, "mode=ro&immutable=1")
            is_own = not campaign_id or _speaks_of(journal, campaign_id)
            if (is_own and is_of_now) or not _is_whole_alone(path):
                return
            os.fsync(descriptor.fd)
        finally:
            let_go(descriptor)
        if is_own:
            journal.unlink()
        else:
            journal.rename(f"{journal}.of-another-file")


def _journaled(journal: Path) -> tuple[int, bytes]:
    """How many pages the file had before, and its first page if that is in the journal. Raises OSError."""
    content, at, first_page = journal.read_bytes(), 0, b""
    pages, sector, size = (int.from_bytes(content[start : start + 4], "big") for start in (16, 20, 24))
    while sector and size and content[at : at + 1] == JOURNAL:
        records = int.from_bytes(content[at + 8 : at + 12], "big") or 2**32 - 1
        at += sector
        while records and at + size + 8 <= len(content):
            if content[at : at + 4] == b"\0\0\0\1":
                first_page = content[at + 4 : at + 4 + size]
            at, records = at + size + 8, records - 1
        at = -(-at // sector) * sector
    return pages, first_page


def _is_whole_alone(path: Path) -> bool:
    """Whether a file is as after a commit, without what lies beside it."""
    try:
        with closing(connect(uri_of(path, "mode=ro&immutable=1"))) as connection:
            is_sound = connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
            return is_sound and tables_agree(connection)
    except (*SQLITE_FAILS, NotSaved, TypeError, ValueError, msgspec.MsgspecError):
        return False


def _speaks_of(wal: Path, campaign_id: str) -> bool:
    """Whether a `-wal` names this campaign, as every stored turn and branch does."""
    try:
        return campaign_id.encode() in wal.read_bytes()
    except OSError:
        return True


def _try(path: Path, how: str = "mode=rw") -> tuple[sqlite3.Connection, Beginning]:
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
        beginning = _beginning(path.name, connection)
        connection.execute(f"PRAGMA busy_timeout={settings.LONGEST_WAIT * 1000:.0f}").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection, beginning
