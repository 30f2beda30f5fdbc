"""A view as it would have been at an earlier point, without making it anew.

Up to some turn the log reads as it did then: those rows are in the view already, and are shown without what later
turns said of them. The turns from there to the point are written once more, as they read then, into a database in
memory beside the view. SQL views of the same names hide the tables of both, so every question is asked of the earlier
point. Nothing is written into the file, and no lock on it outlasts a question.

How far back later revisions reach is in the table `reaches`; mostly it is not behind the point, and no turn is written.
"""

import sqlite3
from bisect import bisect_left

from domain.log.effective_history import EffectiveHistory, effective_history
from domain.log.port import Log
from domain.system.rulesystem import RuleSystem
from projections.views.reading import way
from projections.views.rows import AT_ONCE, Rows, as_cell, segment
from projections.views.tables import OF_THE_PRESENT, TABLES, WITHOUT_END, quoted
from projections.views.view import Segment, View, folded_before, write_rows

#: The database of the turns that are written once more.
BESIDE = "beside"
#: The tables in whose rows later turns write, besides their own, and the column by which those turns name them.
NAMED_BY = {"sessions": "session", "rulings": "ruling"}


def reads_the_same(view: View, upto: int) -> bool:
    """Whether nothing that was said after turn `upto` changes how the log reads up to it."""
    return _reached(view, upto) > upto


def brought_back(view: View, log: Log, system: RuleSystem, upto: int) -> View:
    """A view of the whole log, which is asked no more as such, as it was when turn `upto` was the last of the log.

    What a ruling came to is told of the present alone, so that those columns are not there.
    """
    try:
        view.connection.execute(f"ATTACH ':memory:' AS {BESIDE}")
        # what is read has to fit together; and SQLite takes longer over a transaction than over a view
        view.connection.execute("BEGIN")
        start, effective = _first_otherwise(view, log, min(_reached(view, upto), upto + 1), upto)
        _write_again(view.connection, log, system, effective, start, upto)
        _show_both(view.connection, start, upto)
        view.earlier = (Segment("main", 1, start - 1), Segment(BESIDE, start, upto, has_words=False))
        view.connection.execute("COMMIT")
    except BaseException:
        view.close()
        raise
    return view


def _reached(view: View, upto: int) -> int:
    """The first turn that may read otherwise for what was said after turn `upto`; none does: after every turn."""
    hits = view.ask("SELECT first FROM reaches WHERE until = ? AND turn > ? ORDER BY turn LIMIT 1", WITHOUT_END, upto)
    return int(hits[0][0]) if hits else WITHOUT_END


def _first_otherwise(view: View, log: Log, start: int, upto: int) -> tuple[int, EffectiveHistory]:
    """From which turn on all is written again, `start` or one before it, and what stood of it at turn `upto`."""
    while True:
        effective = effective_history(log, upto, after=start - 1)
        # what is written again is folded again too, where it folded then as where it folds now
        trunks_then = [effective.trunk(number) for number in effective.place if number >= start]
        late = view.ask("SELECT turn, place FROM turns WHERE turn BETWEEN ? AND ? AND place IS NOT NULL", start, upto)
        furthest = min([start, *trunks_then, *(way(view, turn, place)[0] for turn, place in late)])
        if furthest == start:
            return start, effective
        start = furthest


# -- writing what reads otherwise ------------------------------------------------------------------------


def _write_again(
    connection: sqlite3.Connection, log: Log, system: RuleSystem, effective: EffectiveHistory, start: int, upto: int
) -> None:
    """Write the turns from `start` to `upto` beside the view, from the nearest state before them that is kept."""
    _make_tables(connection)
    wordings = "SELECT rule, max(version) FROM main.wordings WHERE turn < ? GROUP BY rule HAVING max(version)"
    rows = Rows(
        system,
        folded_before(system, log, start, upto),
        effective,
        value_id=_last_id(connection, "values", start - 1),
        roll_id=_last_id(connection, "rolls", start - 1),
        versions=dict(connection.execute(wordings, (start,))),
    )
    for count, _ in enumerate(segment(log, rows, start, upto), 1):
        if count % AT_ONCE == 0:
            _write(connection, rows, start)
    _write(connection, rows, start)
    fields = [row[1] for row in connection.execute("PRAGMA main.table_info(sheets)")][1:]
    connection.executemany(
        f"INSERT INTO {BESIDE}.sheets VALUES (?{', ?' * len(fields)})",
        [(name, *(as_cell(sheet.get(field)) for field in fields)) for name, sheet in rows.sheets().items()],
    )


def _make_tables(connection: sqlite3.Connection) -> None:
    """The tables and indexes that the view has, once more and empty."""
    names = [*TABLES, "sheets", "holdings"]
    statements = f"SELECT sql FROM main.sqlite_master WHERE sql > '' AND tbl_name IN ({', '.join('?' * len(names))})"
    for (statement,) in connection.execute(f"{statements} ORDER BY type = 'index'", names).fetchall():
        connection.execute(statement.replace('"', f'{BESIDE}."', 1))  # the first name is that of what is made


def _last_id(connection: sqlite3.Connection, table: str, upto: int) -> int:
    """The last number that was given to a row of a turn up to `upto`: they count up as the turns fold, or are told."""
    select = f"SELECT turn FROM main.{quoted(table)} WHERE id = ?"
    (highest,) = connection.execute(f"SELECT max(id) FROM main.{quoted(table)}").fetchone()

    def is_later(number: int) -> bool:
        return bool(connection.execute(select, (number,)).fetchone()[0] > upto)

    return bisect_left(range(1, (highest or 0) + 1), True, key=is_later)


def _write(connection: sqlite3.Connection, rows: Rows, start: int) -> None:
    """Write what there is, and the rows of before `start` that it writes into as they were until then."""
    named = {
        "sessions": {row[-1] for opened, row in rows.sessions if not opened},
        "rulings": {row["ruling"] for row in (*rows.ended, *rows.kept)},
    }
    for name, column in NAMED_BY.items():
        columns = ", ".join(map(quoted, _columns(name)))
        then_rows = f"{_select(name, start - 1)} {_up_to(connection, name, start - 1)} AND {column} = ?"
        take = f"INSERT OR IGNORE INTO {BESIDE}.{name} ({columns}) {then_rows}"
        connection.executemany(take, ((number,) for number in named[name]))
    still = f"INSERT OR IGNORE INTO {BESIDE}.holdings {_still_held(start)} AND ruling = ?"
    connection.executemany(still, {row[-1:] for row in rows.no_longer})
    write_rows(connection, rows, into=BESIDE)


# -- showing the earlier point ---------------------------------------------------------------------------


def _show_both(connection: sqlite3.Connection, start: int, upto: int) -> None:
    """Hide the tables behind views of the turns before `start` and of those that were written beside them.

    Both halves of a view say their columns in the same way: only then does SQLite look into each of them for itself.
    """
    for name, table in TABLES.items():
        before, key = f"{_select(name, start - 1)} {_up_to(connection, name, start - 1)}", table.key
        if name in NAMED_BY:
            before += f" AND {key} NOT IN (SELECT {key} FROM {BESIDE}.{name})"
        _show(connection, name, f"{before} UNION ALL {_select(name, upto, BESIDE)}")
    _show(connection, "changes", 'SELECT * FROM temp."values"')
    _show(connection, "sheets", f"SELECT * FROM {BESIDE}.sheets ORDER BY rowid")
    ended = f"SELECT * FROM main.holdings WHERE until_trunk < {start}"
    still = f"{_still_held(start)} AND (ruling, since) NOT IN (SELECT ruling, since FROM {BESIDE}.holdings)"
    _show(connection, "holdings", f"{ended} UNION ALL {still} UNION ALL SELECT * FROM {BESIDE}.holdings")


def _show(connection: sqlite3.Connection, name: str, select: str) -> None:
    connection.execute(f"CREATE TEMP VIEW {quoted(name)} AS {select}")


def _columns(name: str) -> list[str]:
    return [column for column in TABLES[name].columns if column not in OF_THE_PRESENT]


def _select(name: str, upto: int, database: str = "main") -> str:
    """The rows of a table as they were at turn `upto`."""
    shown = ", ".join(_until(column, upto) for column in _columns(name))
    if not isinstance(TABLES[name].key, str):
        shown += ", rowid AS rowid"  # a view has none of its own
    return f"SELECT {shown} FROM {database}.{quoted(name)}"


def _up_to(connection: sqlite3.Connection, name: str, upto: int) -> str:
    """Only the rows of the turns up to `upto`: by their numbers those of which the newest are asked for.

    By the turn, SQLite would walk over all that came later to find them.
    """
    if name == "values":
        return f"WHERE id <= {_last_id(connection, name, upto)}"
    return f"WHERE {'opened' if name == 'sessions' else 'turn'} <= {upto}"


def _until(column: str, upto: int) -> str:
    """A column as it was then: what ended or closed later had not yet."""
    if column in ("ended_by", "ended_why"):
        return f"CASE WHEN ended_by <= {upto} THEN {column} END AS {column}"
    if column == "kept_by":
        return f"CASE WHEN kept_by <= {upto} THEN kept_by END AS kept_by"
    if column in ("closed", "summary"):
        return f"CASE WHEN closed <= {upto} THEN {column} END AS {column}"
    return quoted(column)


def _still_held(start: int) -> str:
    """The rulings that were in force before turn `start` and had not been superseded there."""
    without_end = f"CAST(NULL AS INTEGER) AS until, CAST({WITHOUT_END} AS INTEGER) AS until_trunk"
    rows = f"SELECT rule, ruling, since, since_trunk, {without_end} FROM main.holdings"
    return f"{rows} WHERE until_trunk >= {start} AND since_trunk < {start}"
