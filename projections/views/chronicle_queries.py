"""The chronicle's queries of a view: the turns that pass a filter, newest or oldest first, as entries.

The SQL only selects candidates; `projections.filters` decides on their entries. So a query may select too many turns,
but never too few.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter

import msgspec

from domain.values import as_json
from projections.chronicle import Entry
from projections.filters import AT_FIRST, Filters, is_by, matching_entries
from projections.views.turn_rows import entry_from, instant
from projections.views.view import View

#: The maximum of turns per query.
AT_ONCE = 500

#: An SQL condition or select, and its parameters.
Select = tuple[str, tuple[object, ...]]


def entries(view: View, filters: Filters | None = None, newest: int | None = None) -> Iterator[Entry]:
    """The turns that pass the filters, by number; with `newest` only so many of the newest."""
    if newest is None:
        return _passing(view, filters or Filters(), descending=False, at_first=AT_FIRST)
    passing = _passing(view, filters or Filters(), descending=True, at_first=newest)
    return reversed(list(islice(passing, newest)))


def _passing(view: View, filters: Filters, *, descending: bool, at_first: int) -> Iterator[Entry]:
    """The turns that pass, ascending or descending; no cursor is open between two queries."""
    low, high = filters.first, filters.last if filters.last is not None else view.last()
    count = min(max(at_first, 1), AT_ONCE)
    while low <= high:
        select, values = candidates(view, filters, low, high, count, descending=descending)
        numbers = [turn for (turn,) in view.ask(select, *values)]
        turns = _whole(view, numbers)
        yield from matching_entries(reversed(turns) if descending else turns, filters)
        if len(numbers) < count:
            return
        low, high = (low, numbers[-1] - 1) if descending else (numbers[-1] + 1, high)
        count = AT_ONCE


def titles_of(view: View) -> dict[int, str]:
    """The titles of the standing sessions by number."""
    return dict(view.ask("SELECT session, title FROM sessions WHERE title IS NOT NULL"))


def way(view: View, turn: int, place: int | None) -> tuple[int, ...]:
    """The place where a turn folds, as a path from the turn that folds at its number; paths sort in folding order."""
    steps: tuple[int, ...] = (turn,)
    while place is not None:
        steps = (place, *steps)
        ((place,),) = view.ask("SELECT place FROM turns WHERE turn = ?", place)
    return steps


# -- selecting candidates --------------------------------------------------------------------------------


def candidates(view: View, filters: Filters, first: int, last: int, most: int, *, descending: bool = False) -> Select:
    """The select of at most `most` turns (-1: of all) from one to another that may pass the filters, and its values."""
    selects, values = list[str](), list[object]()
    for segment in view.segments():
        tests = list(_tests(view, filters, segment.database))
        where = " AND ".join(["t.turn BETWEEN ? AND ?", *(test for test, _ in tests)])
        selects.append(f"SELECT t.turn AS found FROM {segment.database}.turns AS t WHERE {where}")
        values += (max(first, segment.first), min(last, segment.last), *(value for _, own in tests for value in own))
    order = f"ORDER BY found {'DESC' if descending else 'ASC'}"
    return f"{' UNION ALL '.join(selects)} {order} LIMIT ?", (*values, most)


def _tests(view: View, filters: Filters, database: str) -> Iterator[Select]:
    """The conditions on a row of `turns` (t) in a database of the view."""
    f = filters
    if f.session is not None:
        yield "t.session = ?", (f.session,)
    if f.rule is not None:
        yield f"t.turn IN (SELECT turn FROM {database}.citations WHERE rule = ?)", (f.rule,)
    if f.turns is not None:
        yield "t.turn IN (SELECT value FROM json_each(?))", (as_json(sorted(f.turns)),)
    if f.character is not None:
        yield f"t.turn IN (SELECT turn FROM {database}.involved WHERE character = ?)", (f.character,)
    if f.kinds is not None:
        yield f"t.kind IN ({_places(f.kinds)})", tuple(f.kinds)
    if f.by is not None:
        people = view.ask(f"SELECT DISTINCT by FROM {database}.turns WHERE by IS NOT NULL")
        names = [name for (name,) in people if is_by(name, f.by)]
        yield f"t.by IN ({_places(names)})", tuple(names)
    if f.undone is not None:
        yield "t.standing = ?", (int(not f.undone),)
    if f.since is not None:
        yield "t.instant >= ?", (instant(f.since),)
    if f.until is not None:
        yield "t.instant <= ?", (instant(f.until),)
    for word in f.words:
        yield "instr(coalesce(t.folded, lower(t.sentence)), ?)", (word,)


def _places(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


# -- whole turns -----------------------------------------------------------------------------------------


def _whole(view: View, numbers: Sequence[int]) -> list[Entry]:
    """The entries of these turns, by number."""
    these_turns = f"({_places(numbers)})"
    select = f"SELECT turn, json FROM events WHERE turn IN {these_turns} ORDER BY turn, number"
    events = {
        turn: tuple(msgspec.json.decode(json) for _, json in rows)
        for turn, rows in groupby(view.connection.execute(select, numbers), itemgetter(0))
    }
    names: dict[int, list[str]] = {}
    for turn, name in view.ask(f"SELECT turn, character FROM involved WHERE turn IN {these_turns}", *numbers):
        names.setdefault(turn, []).append(name)
    rules: dict[int, list[str]] = {}
    for turn, rule in view.ask(
        f"SELECT turn, rule FROM citations WHERE turn IN {these_turns} ORDER BY turn, number, rowid", *numbers
    ):
        rules.setdefault(turn, []).append(rule)
    return [
        entry_from(row, events.get(row[0], ()), names.get(row[0], ()), dict.fromkeys(rules.get(row[0], ())))
        for row in view.ask(f"SELECT * FROM turns WHERE turn IN {these_turns} ORDER BY turn", *numbers)
    ]


# -- a view of these turns alone -------------------------------------------------------------------------

#: The tables that are covered, and whether their rows are about a character.
COVERED = {"turns": False, "citations": False, "events": True, "changes": True, "tracked": True, "rolls": True}


def narrow(view: View, filters: Filters) -> None:
    """Let a view show the turns in a range, a session and a time, and of a character what is about it, from now on.

    SQL views with the names of the tables cover them, so that every question is answered for these turns. The table
    `values` stays whole: it says who plays a character, whenever that was written down.
    """
    connection = view.connection
    last = filters.last if filters.last is not None else view.last()
    select, values = candidates(view, filters, filters.first, last, -1)
    connection.execute("CREATE TEMP TABLE chosen (turn INTEGER PRIMARY KEY)")
    connection.execute("CREATE TEMP TABLE chosen_character AS SELECT ? AS character", (filters.character,))
    connection.execute(f"INSERT INTO temp.chosen {select}", values)
    for table, is_about_somebody in COVERED.items():
        # a view of an earlier point covers the tables already
        of_then = view.ask("SELECT sql FROM sqlite_temp_master WHERE type = 'view' AND name = ?", table)
        rows = of_then[0][0].partition(" AS ")[2] if of_then else f"SELECT * FROM main.{table}"
        where = "turn IN (SELECT turn FROM temp.chosen)"
        if is_about_somebody and filters.character is not None:
            where += " AND character = (SELECT character FROM temp.chosen_character)"
        connection.execute(f"DROP VIEW IF EXISTS temp.{table}")
        connection.execute(f"CREATE TEMP VIEW {table} AS SELECT * FROM ({rows}) WHERE {where}")
