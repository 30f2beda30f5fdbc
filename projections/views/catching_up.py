"""How a view catches up with its log.

* It is caught up in one transaction, together with its position: the last turn, its id, the versions of the rules and
  of the tables, and the state there. If the position does not match the log, the view is made again.
* New turns add rows. After a revision the rows from the first turn that reads differently on are deleted and written
  again.
* One for a player has what that player may know. What was chosen face down reads differently once it is revealed, so
  the table `face_down` has the turns after which something lay so, and rows are written again from before those.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, repeat
from typing import Any

import msgspec

from domain.log.effective_history import EffectiveHistory, effective_history
from domain.log.folding import state_at, state_before
from domain.log.port import Log
from domain.log.snapshots import pack_state, unpack_state
from domain.system.field_schema import stored_fields
from domain.system.rulesystem import RuleSystem
from domain.system.rulings_in_force import Rulings, holdings_of
from domain.system.state import Game
from domain.system.used_numbers import UsedNumbers
from domain.values import as_json
from projections.secrecy import played_by
from projections.views import tables
from projections.views.cells import as_cell
from projections.views.rows import AT_ONCE, Rows, segment

#: Where no more than one of so many turns stay, to take the others out takes longer than to begin anew.
FEW_OF_MANY = 6


class Position(msgspec.Struct, frozen=True):
    """The last turn in a view, the versions that it was made by, and the audience that it was made for."""

    campaign: str
    rules: str
    rules_version: int
    schema: int
    #: as `audience_of` gives it
    audience: str
    turn: int
    turn_id: str


def catch_up(
    connection: sqlite3.Connection,
    log: Log,
    system: RuleSystem,
    *,
    upto: int | None = None,
    viewer: str | None = None,
    slow: Callable[[int], None] | None = None,
    whole: Log | None = None,
) -> None:
    """Bring the tables to turn `upto` of the log (None: its last), in one transaction.

    With `whole` they are a copy of the tables of that log, of which this one is the beginning.
    """
    last = log.last() if upto is None else upto
    audience = audience_of(system, log, last, viewer)
    goal = Position(log.campaign_id, system.key, system.version, tables.layout(), audience, last, _id_of(log, last))
    if _position(connection) == goal:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # another process may have caught up meanwhile, even further than turn `upto`
        position = _position(connection)
        if position is not None and not _fits(position, goal, whole or log):
            position = None
        if whole is not None or position is None or position.turn < last:
            _write(connection, log, system, position, goal, viewer, slow, whole or log)
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def audience_of(system: RuleSystem, log: Log, upto: int, viewer: str | None) -> str:
    """The player whom a view is for, with the characters whom that player plays at turn `upto`; empty: the keeper.

    How every earlier turn reads depends on it: a player sees the secrets of these characters.
    """
    return "" if viewer is None else as_json([viewer, *played_by(state_at(system, log, upto), viewer)])


def first_unsettled(connection: sqlite3.Connection, start: int) -> int:
    """The first turn whose reading may depend on turn `start`, or on a later one.

    That is the one behind the last turn before it after which nothing lay face down: all choices up to there were
    revealed, or never will be. Without a player nothing waits to be revealed, and it is `start` itself.
    """
    select = "SELECT max(turn) FROM main.turns WHERE turn < ? AND turn NOT IN (SELECT turn FROM main.face_down)"
    (calm,) = connection.execute(select, (start,)).fetchone()
    return (calm or 0) + 1


def _id_of(log: Log, number: int) -> str:
    return next((turn.id for turn in log.read(after=number - 1, upto=number)), "")


def _position(connection: sqlite3.Connection) -> Position | None:
    try:
        row = connection.execute(
            "SELECT campaign, rules, rules_version, schema, audience, turn, turn_id FROM position"
        ).fetchone()
    except sqlite3.OperationalError as error:
        if error_code(error) == sqlite3.SQLITE_ERROR:  # no such table: new, or made by another version
            return None
        raise
    return Position(*row) if row else None


def _fits(position: Position, goal: Position, log: Log) -> bool:
    """Whether the view has the beginning of this very log, made by the same versions for the same audience."""
    is_of_goal = msgspec.structs.replace(position, turn=goal.turn, turn_id=goal.turn_id) == goal
    return is_of_goal and position.turn <= log.last() and _id_of(log, position.turn) == position.turn_id


def _write(
    connection: sqlite3.Connection,
    log: Log,
    system: RuleSystem,
    position: Position | None,
    goal: Position,
    viewer: str | None,
    slow: Callable[[int], None] | None,
    written_from: Log,
) -> None:
    last_written, start = position.turn if position is not None else 0, 1
    if position is not None:
        common = min(position.turn, goal.turn)
        effective, start = _first_to_write(connection, written_from, position.turn, log, goal.turn, common)
    # to take most rows out of their indexes, and put them in again, takes longer than to begin anew
    fresh = position is None or start <= last_written // (2 if start <= goal.turn else FEW_OF_MANY)
    if fresh:
        tables.make(connection)
        effective, start, last_written = effective_history(log, goal.turn), 1, 0
    elif start <= last_written:  # otherwise all rows stay
        _delete_from(connection, start)
    if slow is not None:
        slow(goal.turn - start + 1)
    state = _state_before(connection, system, log, start, last_written, goal.turn)
    rulings = state.campaign.rulings
    rows = Rows(
        system,
        state,
        effective,
        value_id=connection.execute('SELECT coalesce(max(id), 0) FROM "values"').fetchone()[0],
        roll_id=connection.execute("SELECT coalesce(max(id), 0) FROM rolls").fetchone()[0],
        viewer=viewer,
        now=state_at(system, log, goal.turn) if viewer is not None else None,
        versions=dict(connection.execute("SELECT rule, max(version) FROM wordings GROUP BY rule HAVING max(version)")),
    )
    for count, _ in enumerate(segment(log, rows, start, goal.turn), 1):
        if count % AT_ONCE == 0:
            write_rows(connection, rows)
    write_rows(connection, rows)
    if fresh:
        tables.make_indexes(connection)
    if tables.has_full_text():
        connection.execute(
            "INSERT INTO turns_fts (rowid, sentence, folded) SELECT turn, sentence, folded FROM turns WHERE turn >= ?",
            (start,),
        )
    if fresh or start <= last_written or rows.shown_anew:
        _write_sheets(connection, system, rows.sheet_views)
    if rows.state.campaign.rulings is not rulings or start <= last_written:
        _settle_rulings(connection, rows.state.campaign.rulings)
    connection.execute("DELETE FROM position")
    # a view for one player must not contain the state, which has secrets
    final_state = pack_state(rows.state, UsedNumbers()) if viewer is None else None
    values = (*msgspec.structs.astuple(goal), final_state)
    connection.execute("INSERT INTO position VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)


# -- the first turn to write -----------------------------------------------------------------------------


def _first_to_write(
    connection: sqlite3.Connection, old_log: Log, written_upto: int, log: Log, last: int, common: int
) -> tuple[EffectiveHistory, int]:
    """The effective history of the turns to write, and the first of them: the first that reads differently.

    The view has the turns up to `written_upto` of `old_log`, whose first `common` turns are those of this log too.
    """
    start = common + 1
    while True:
        # revisions point backward only, so that the turns from `start` on are enough to know what is effective there
        before = start - 1
        old, effective = (
            effective_history(old_log, written_upto, after=before),
            effective_history(log, last, after=before),
        )
        first_changes = [first for reading in (old, effective) for number, first in reading.changes if number > common]
        places = (reading.trunk(number) for number in _differing(old, effective) for reading in (old, effective))
        start = min([common + 1, *first_changes, *places])
        # a turn that is written again is folded again, at its place
        while True:
            trunks = [reading.trunk(n) for reading in (old, effective) for n in reading.place if n >= start]
            lower = min([first_unsettled(connection, start), *trunks])
            if lower >= start:
                break
            start = lower
        if before < start:
            return effective, start


def _differing(old: EffectiveHistory, new: EffectiveHistory) -> set[int]:
    """The turns that the two readings differ about, including the turn that revised them."""
    readings: Sequence[tuple[dict[int, Any], dict[int, Any]]] = (
        (old.undone_by, new.undone_by),
        (old.redecided_by, new.redecided_by),
        (old.amendments, new.amendments),
        (old.place, new.place),
    )
    return {
        n
        for old_values, new_values in readings
        for n in old_values.keys() | new_values.keys()
        if old_values.get(n) != new_values.get(n)
    }


def _delete_from(connection: sqlite3.Connection, start: int) -> None:
    """Delete the rows of the turns from `start` on, and reset what these turns set in earlier rows."""
    if tables.has_full_text():
        connection.execute(
            "INSERT INTO turns_fts (turns_fts, rowid, sentence, folded)"
            " SELECT 'delete', turn, sentence, folded FROM turns WHERE turn >= ?",
            (start,),
        )
    for name, table in tables.TABLES.items():
        if "turn" in table.columns:
            connection.execute(f"DELETE FROM {tables.quote(name)} WHERE turn >= ?", (start,))
    connection.execute("DELETE FROM face_down WHERE turn >= ?", (start,))
    connection.execute("DELETE FROM sessions WHERE opened >= ?", (start,))
    connection.execute("UPDATE sessions SET closed = NULL, summary = NULL WHERE closed >= ?", (start,))
    connection.execute("UPDATE rulings SET ended_by = NULL, ended_why = NULL WHERE ended_by >= ?", (start,))
    connection.execute("UPDATE rulings SET kept_by = NULL WHERE kept_by >= ?", (start,))


def _state_before(
    connection: sqlite3.Connection, system: RuleSystem, log: Log, start: int, last_written: int, last: int
) -> Game:
    """The state before turn `start`: that of the view's position if rows are only added and it has one."""
    if start == last_written + 1 and last_written:
        ((state,),) = connection.execute("SELECT state FROM position").fetchall()
        if (found_state := unpack_state(system, state)) is not None:
            return found_state[0]
    return state_before(system, log, start, last)


# -- writing ---------------------------------------------------------------------------------------------


def write_rows(connection: sqlite3.Connection, rows: Rows, into: str = "main") -> None:
    """Write the collected rows into the tables of a database, and clear them."""
    for name, table_rows in chain(rows.tables.items(), zip(repeat("events"), rows.revisions)):
        if table_rows:
            places = ", ".join("?" * len(tables.TABLES[name].columns))
            connection.executemany(f"INSERT INTO {into}.{tables.quote(name)} VALUES ({places})", table_rows)
    for is_opening, row in rows.sessions:
        if is_opening:
            connection.execute(f"INSERT OR REPLACE INTO {into}.sessions VALUES (?, ?, ?, ?, ?, NULL, NULL)", row)
        else:
            connection.execute(f"UPDATE {into}.sessions SET closed = ?, summary = ? WHERE session = ?", row)
    # an end that was recorded before its ruling has no effect, however many rows are written at once
    standing_ruling = "WHERE ruling = :ruling AND standing AND turn < :turn"
    changes: Sequence[tuple[str, Sequence[Any]]] = (
        (f"UPDATE {into}.rulings SET ended_by = :turn, ended_why = :why {standing_ruling}", rows.endings),
        (f"UPDATE {into}.rulings SET kept_by = :turn {standing_ruling} AND kept_by IS NULL", rows.keepings),
        (f"INSERT INTO {into}.face_down VALUES (?)", rows.face_down),
    )
    for statement, values in changes:
        if values:  # a statement that changes nothing takes time too
            connection.executemany(statement, values)
    rows.forget()


def _write_sheets(connection: sqlite3.Connection, system: RuleSystem, sheets: Mapping[str, Mapping[str, Any]]) -> None:
    sheet_fields = stored_fields(system.sheet)
    fields = list(next(iter(sheets.values()), [name for name in sheet_fields if name not in system.hidden]))
    columns = [row[1] for row in connection.execute("PRAGMA table_info(sheets)")]
    if columns != ["character", *fields]:
        tables.make_sheets(connection, fields)
    connection.execute("DELETE FROM sheets")
    connection.executemany(
        f"INSERT INTO sheets VALUES (?{', ?' * len(fields)})",
        [(name, *(as_cell(sheet.get(field)) for field in fields)) for name, sheet in sheets.items()],
    )


def _settle_rulings(connection: sqlite3.Connection, rulings: Rulings) -> None:
    """Update which rulings are in force now, and what supersedes the others."""
    holdings = dict(holdings_of(rulings.newest_first()))
    rows_there = connection.execute("SELECT turn, ruling, standing, in_force, superseded_by FROM rulings").fetchall()
    updates = []
    for turn, ruling, standing, *before in rows_there:
        holding = holdings.get(ruling) if standing else None
        now = [int(holding is not None and holding.in_force), holding.superseded_by if holding is not None else None]
        if now != before:
            updates.append((*now, turn))
    connection.executemany("UPDATE rulings SET in_force = ?, superseded_by = ? WHERE turn = ?", updates)


def error_code(error: Exception) -> int:
    """SQLite's code for an error, without its details; any other error is of a defective file."""
    code = getattr(error, "sqlite_errorcode", None)
    return sqlite3.SQLITE_CORRUPT if code is None else code & 0xFF
