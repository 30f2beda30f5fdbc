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
from projections.views.rows import entry_from, instant
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


#: The places of the turns that opened and closed a session; not a join, so that both halves of a view use an index.
OPENED_AT = "(SELECT place FROM turns WHERE turn = opened)"
CLOSED_AT = "(SELECT place FROM turns WHERE turn = closed)"


def sessions_in(view: View) -> dict[int, tuple[int, int]]:
    """Every standing session: number -> (first turn, last turn), as in `domain.log.points`."""
    rows = view.ask(f"SELECT session, opened, {OPENED_AT}, closed, {CLOSED_AT} FROM sessions")
    # a late entry folds between its place and the next turn
    opening_ways = {session: way(view, turn, place) for session, turn, place, _, _ in rows}
    closing_ways = {session: way(view, turn, place)[0] for session, _, _, turn, place in rows if turn is not None}
    bounds: dict[int, tuple[int, int]] = {}
    end = view.last()
    for session, began in sorted(opening_ways.items(), key=lambda pair: pair[1], reverse=True):
        first = began[0] + (len(began) > 1)
        bounds[session] = (first, closing_ways.get(session, end))
        end = first - 1
    return dict(reversed(bounds.items()))


def session_in(view: View, session: int | None = None) -> tuple[int, tuple[int, int]] | None:
    """One standing session (None: the last one) with its first and last turn; None if there is none."""
    condition = "session = ?" if session is not None else "opened = (SELECT max(opened) FROM sessions)"
    entered_late = f"coalesce({OPENED_AT}, {CLOSED_AT}) IS NOT NULL"
    for number, opening, closing, late in view.ask(
        f"SELECT session, opened, closed, {entered_late} FROM sessions WHERE {condition}",
        *(() if session is None else (session,)),
    ):
        ((following,),) = view.ask("SELECT count(*) FROM sessions WHERE opened > ?", opening)
        if not late and (closing is not None or not following):
            return number, (opening, view.last() if closing is None else closing)
    bounds_of = sessions_in(view)  # with late entries, or without a closing turn, the other sessions matter
    number = next(reversed(bounds_of), None) if session is None else session
    return (number, bounds_of[number]) if number is not None and number in bounds_of else None


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
