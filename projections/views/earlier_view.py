"""A view as it was at an earlier point, without making the whole view again.

Up to some turn the log reads as it did then: those rows are used from the view, without what later turns added to
them. The turns from there to the point are written again, as they were effective then, into an in-memory database
attached to the view. SQL views with the names of the tables join both, so that every query sees the earlier point.
Nothing is written to the file, and no lock is held between queries.

Later revisions mostly do not reach back before the point, and then no turn is written.
"""

import sqlite3

from domain.log.effective_history import EffectiveHistory, effective_history
from domain.log.folding import state_at, state_before
from domain.log.port import Log
from domain.system.rulesystem import RuleSystem
from projections.views.catching_up import audience_of, first_unsettled, write_rows
from projections.views.cells import as_cell
from projections.views.chronicle_queries import way
from projections.views.rows import AT_ONCE, Rows, segment
from projections.views.tables import OF_THE_PRESENT, TABLES, quote
from projections.views.view import Segment, View

#: The attached database with the turns that are written again.
BESIDE = "beside"
#: Tables whose rows are updated by later turns, and the column by which these name a row.
NAMED_BY = {"sessions": "session", "rulings": "ruling"}


def brought_back(view: View, log: Log, system: RuleSystem, upto: int, viewer: str | None = None) -> View:
    """Turn a view of the whole log into the view at turn `upto`; it cannot be used for the whole log afterwards.

    `viewer` is the player whom it was made for (None: the keeper). The columns `OF_THE_PRESENT` are missing from it.
    """
    try:
        view.connection.execute(f"ATTACH ':memory:' AS {BESIDE}")
        # one transaction, for a consistent read and because SQLite needs longer for one than for a view
        view.connection.execute("BEGIN")
        ((audience,),) = view.ask("SELECT audience FROM position")
        # whoever played others then saw other secrets in every turn
        is_same_audience = audience == audience_of(system, log, upto, viewer)
        # of the whole log, for to undo an earlier revision reaches as far back as that did
        later_changes = (first for number, first in effective_history(log).changes if number > upto)
        start = min([upto + 1, *later_changes]) if is_same_audience else 1
        start, effective = _first_otherwise(view, log, start, upto)
        _write_again(view.connection, log, system, effective, start, upto, viewer)
        _show_both(view.connection, start, upto)
        view.earlier = (Segment("main", 1, start - 1), Segment(BESIDE, start, upto))
        view.connection.execute("COMMIT")
    except BaseException:
        view.close()
        raise
    return view


def _first_otherwise(view: View, log: Log, start: int, upto: int) -> tuple[int, EffectiveHistory]:
    """The first turn to write again, `start` or one before it, and the effective history at turn `upto`."""
    while True:
        effective = effective_history(log, upto, after=start - 1)
        # a turn that is written again is folded again, at its place then and at its place now
        trunks_then = [effective.trunk(number) for number in effective.place if number >= start]
        late = view.ask("SELECT turn, place FROM turns WHERE turn BETWEEN ? AND ? AND place IS NOT NULL", start, upto)
        trunks_now = (way(view, turn, place)[0] for turn, place in late)
        furthest = min([first_unsettled(view.connection, start), *trunks_then, *trunks_now])
        if furthest == start:
            return start, effective
        start = furthest


# -- writing the turns that read differently -------------------------------------------------------------


def _write_again(
    connection: sqlite3.Connection,
    log: Log,
    system: RuleSystem,
    effective: EffectiveHistory,
    start: int,
    upto: int,
    viewer: str | None,
) -> None:
    """Write the turns from `start` to `upto` into the attached database, from the nearest snapshot before them."""
    # the view's tables and indexes, empty
    names = [*TABLES, "sheets", "face_down"]
    statements = f"SELECT sql FROM main.sqlite_master WHERE sql > '' AND tbl_name IN ({', '.join('?' * len(names))})"
    for (statement,) in connection.execute(f"{statements} ORDER BY type = 'index'", names).fetchall():
        connection.execute(statement.replace('"', f'{BESIDE}."', 1))  # the first name is that of the new object
    wordings = "SELECT rule, max(version) FROM main.wordings WHERE turn < ? GROUP BY rule HAVING max(version)"
    rows = Rows(
        system,
        state_before(system, log, start, upto),
        effective,
        value_id=_last_id(connection, "values", start - 1),
        roll_id=_last_id(connection, "rolls", start - 1),
        viewer=viewer,
        now=state_at(system, log, upto) if viewer is not None else None,
        versions=dict(connection.execute(wordings, (start,))),
    )
    for count, _ in enumerate(segment(log, rows, start, upto), 1):
        if count % AT_ONCE == 0:
            _write(connection, rows, start)
    _write(connection, rows, start)
    fields = [row[1] for row in connection.execute("PRAGMA main.table_info(sheets)")][1:]
    connection.executemany(
        f"INSERT INTO {BESIDE}.sheets VALUES (?{', ?' * len(fields)})",
        [(name, *(as_cell(sheet.get(field)) for field in fields)) for name, sheet in rows.sheet_views.items()],
    )


def _last_id(connection: sqlite3.Connection, table: str, upto: int) -> int:
    """The last id of a row of a turn up to `upto`; ids are given in the order in which the turns were written."""
    select = f"SELECT coalesce(max(id), 0) FROM main.{quote(table)} WHERE turn <= ?"
    return int(connection.execute(select, (upto,)).fetchone()[0])


def _write(connection: sqlite3.Connection, rows: Rows, start: int) -> None:
    """Write the collected rows, and copies of the rows before `start` that they update."""
    ids = {
        "sessions": {row[-1] for opens, row in rows.sessions if not opens},
        "rulings": {row["ruling"] for row in (*rows.endings, *rows.keepings)},
    }
    for name, column in NAMED_BY.items():
        columns = ", ".join(map(quote, _columns(name)))
        then_rows = f"{_select(name, start - 1)} {_up_to(connection, name, start - 1)} AND {column} = ?"
        take = f"INSERT OR IGNORE INTO {BESIDE}.{name} ({columns}) {then_rows}"
        connection.executemany(take, ((number,) for number in ids[name]))
    write_rows(connection, rows, into=BESIDE)


# -- showing the earlier point ---------------------------------------------------------------------------


def _show_both(connection: sqlite3.Connection, start: int, upto: int) -> None:
    """Cover the tables with SQL views that join the turns before `start` with those written again.

    Both halves list their columns in the same form; only then does SQLite use the indexes of each half.
    """
    for name, table in TABLES.items():
        before, key = f"{_select(name, start - 1)} {_up_to(connection, name, start - 1)}", table.key
        if name in NAMED_BY:
            before += f" AND {key} NOT IN (SELECT {key} FROM {BESIDE}.{name})"
        _show(connection, name, f"{before} UNION ALL {_select(name, upto, BESIDE)}")
    _show(connection, "changes", 'SELECT * FROM temp."values"')
    _show(connection, "sheets", f"SELECT * FROM {BESIDE}.sheets ORDER BY rowid")


def _show(connection: sqlite3.Connection, name: str, select: str) -> None:
    connection.execute(f"CREATE TEMP VIEW {quote(name)} AS {select}")


def _columns(name: str) -> list[str]:
    return [column for column in TABLES[name].columns if column not in OF_THE_PRESENT]


def _select(name: str, upto: int, database: str = "main") -> str:
    """The rows of a table as they were at turn `upto`."""
    columns = ", ".join(_until(column, upto) for column in _columns(name))
    if not isinstance(TABLES[name].key, str):
        columns += ", rowid AS rowid"  # an SQL view has no rowid of its own
    return f"SELECT {columns} FROM {database}.{quote(name)}"


def _up_to(connection: sqlite3.Connection, name: str, upto: int) -> str:
    """The condition for rows of turns up to `upto`; by id for `values`, of which the newest rows are queried.

    With a condition on the turn SQLite would scan all later rows first.
    """
    if name == "values":
        return f"WHERE id <= {_last_id(connection, name, upto)}"
    return f"WHERE {'opened' if name == 'sessions' else 'turn'} <= {upto}"


def _until(column: str, upto: int) -> str:
    """A column as it was at turn `upto`: null if a later turn set it."""
    if column in ("ended_by", "ended_why"):
        return f"CASE WHEN ended_by <= {upto} THEN {column} END AS {column}"
    if column == "kept_by":
        return f"CASE WHEN kept_by <= {upto} THEN kept_by END AS kept_by"
    if column in ("closed", "summary"):
        return f"CASE WHEN closed <= {upto} THEN {column} END AS {column}"
    return quote(column)
