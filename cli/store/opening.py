"""Opening a campaign file: in the best way that works here, and only if it is one whole log.

Turn 1 says which rule system the log is for. Nothing else does.
"""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import msgspec

from cli.store.connection import connect
from cli.store.failures import (
    BROKEN,
    FULL,
    PROTECTED,
    SQLITE_FAILS,
    Unopenable,
    because,
    damaged,
    disk_is_full,
    is_protected,
    primary_code,
    size_of,
    unreadable,
)
from cli.store.header import check_format
from cli.store.layout import BUILT_IN, FIRST_TURN, WHOSE_TURNS
from cli.store.linking import campaign_of
from domain.registry import system_of
from domain.system.installed import is_installed, missing


class _Start(msgspec.Struct, tag_field="type", tag="campaign.start"):
    rules: str
    package: str | None = None


class _Started(msgspec.Struct):
    version: int = 0


class _First(msgspec.Struct):
    """As much of turn 1 as says how to read the rest."""

    number: int
    action: _Start
    events: tuple[_Started, ...]


class Beginning(msgspec.Struct, frozen=True):
    campaign_id: str
    rules: str
    #: The version of the rules under which it was begun.
    version: int
    #: What the package is called that brought the rules, if they were not built in.
    package: str | None


def _beginning(name: str, connection: sqlite3.Connection) -> Beginning:
    """Whose log this is. Raises Unopenable, and sqlite3.Error for what SQLite itself finds."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    check_format(name, version)
    if connection.execute(BUILT_IN).fetchone():
        raise Unopenable(f"{name} is damaged: somebody built triggers or views into it.", 5)
    ids = connection.execute(WHOSE_TURNS).fetchone()
    if ids[0] is None:
        raise Unopenable(f"{name} is damaged: it holds no turn.", 5)
    if not all(isinstance(each, str) for each in ids) or campaign_of(ids[0]) != campaign_of(ids[1]):
        raise Unopenable(f"{name} is damaged: it holds more than one log.", 5)
    first = connection.execute(FIRST_TURN, ids[:1]).fetchone()
    return begun(name, str(ids[0]), first)


def begun(name: str, campaign_id: str, first: tuple[Any, ...] | None) -> Beginning:
    """What the first turn that is stored says of its log. Raises Unopenable."""
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
    """Raise Unopenable if the rules that a log is played under are not here, or are older than it."""
    rules = beginning.rules
    if not is_installed(rules):
        raise Unopenable(f"{name} is played under {missing(rules, beginning.package)}", 2)
    if beginning.version > system_of(rules).version:
        raise Unopenable(f"{name} is played under a newer version of the {rules} rules; update campaign to open it.", 2)


class Opened(msgspec.Struct, frozen=True):
    connection: sqlite3.Connection
    beginning: Beginning
    #: Why nothing can be saved; None if it can.
    notice: str | None


def opened_safely(path: Path) -> Opened:
    """Open the file in the best way that works: to write, else beside a writer, else as it lies there.

    Raises Unopenable.
    """
    name = path.name
    if size_of(Path(f"{path}-wal")) > 0:
        _check_wal(path)
    if is_protected(path):
        reason = PROTECTED
    elif disk_is_full(path) and not Path(f"{path}-wal").exists():
        # trying would fail, and leave an empty -wal and -shm behind
        reason = FULL
    else:
        # not `mode=ro`: that one cannot tidy up after itself, and leaves a -wal and a -shm behind
        try:
            return Opened(*_tried(name, path.as_uri() + "?mode=rw"), None)
        except SQLITE_FAILS as error:
            if primary_code(error) in BROKEN | {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
                raise unreadable(error, path) from error
            reason = because(error, path)
    unsaved = size_of(Path(f"{path}-wal")) > 0
    try:
        # with turns in a -wal, `immutable` would not see them: either it is read with them or not at all
        how = "?mode=ro" if unsaved else "?mode=ro&immutable=1"
        opened = _tried(name, path.as_uri() + how)
    except SQLITE_FAILS as error:
        if unsaved and primary_code(error) not in BROKEN:
            raise Unopenable(f"{name} was not closed properly and cannot be put right here: {reason}.", 6) from error
        raise unreadable(error, path) from error
    return Opened(*opened, f"{name} can be read but nothing can be saved in it: {reason}.")


def _check_wal(path: Path) -> None:
    """Raise Unopenable if the `-wal` is another campaign's, before anything is done with it.

    SQLite would not notice: it would show another campaign's turns, and on closing write them over this one.
    Judged by the reading that includes it: what a power cut tore in the middle of a checkpoint is whole in the
    `-wal`, and the file alone may then be anything.
    """
    shm = Path(f"{path}-shm")
    in_use = shm.exists()
    together = _whose(path, "?mode=ro")
    alone = _whose(path, "?mode=ro&immutable=1")
    if together is None or together == alone != "" or (together and not alone):
        return
    foreign = bool(alone) and bool(together or not _speaks_of(Path(f"{path}-wal"), alone or ""))
    wrong = damaged(path)
    if foreign:
        advice = "move it away and keep it: it holds turns of another campaign."
        wrong = Unopenable(f"Beside {path.name} lies a {path.name}-wal that is not its own; {advice}", 5)
    if not in_use:
        with suppress(OSError):
            shm.unlink()
    raise wrong


def _whose(path: Path, how: str) -> str | None:
    """Which campaign is read in this way: "" if it cannot be made out, None if nothing is said about that."""
    try:
        with closing(connect(path.as_uri() + how)) as connection:
            return _beginning(path.name, connection).campaign_id
    except Unopenable as error:
        return "" if error.exit_code == 5 else None
    except SQLITE_FAILS as error:
        return "" if primary_code(error) in BROKEN else None


def _speaks_of(wal: Path, campaign_id: str) -> bool:
    """Whether a `-wal` holds anything of this campaign: every turn and every branch names it."""
    try:
        return campaign_id.encode() in wal.read_bytes()
    except OSError:
        return True


def _tried(name: str, uri: str) -> tuple[sqlite3.Connection, Beginning]:
    """Open it in one way; once more where it looks damaged, as one failed read does, and only that is gone then."""
    try:
        return _tried_once(name, uri)
    except SQLITE_FAILS as error:
        if primary_code(error) not in BROKEN:
            raise
        return _tried_once(name, uri)


def _tried_once(name: str, uri: str) -> tuple[sqlite3.Connection, Beginning]:
    connection = connect(uri)
    try:
        connection.execute("PRAGMA query_only=ON").fetchall()
        beginning = _beginning(name, connection)
    except BaseException:
        connection.close()
        raise
    return connection, beginning
