"""The chronicle's queries of a view: the turns that pass a filter, newest or oldest first, as entries.

The SQL only selects candidates, by the index that fits the filters best; `projections.filters` decides on their
entries. So a query may select too many turns, but never too few.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter

import msgspec
from msgspec import Struct

from domain.values import as_json
from projections.chronicle import Entry
from projections.filters import AT_FIRST, Filters, is_by, matching_entries
from projections.views.rows import entry_from, instant
from projections.views.tables import has_full_text
from projections.views.view import Segment, View

#: The maximum of turns per query.
AT_ONCE = 500
#: The minimum length of words in the full-text index (trigrams).
SHORTEST = 3

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
    search = candidates(view, filters, descending=descending)
    count = min(max(at_first, 1), AT_ONCE)
    while low <= high:
        select, values = search.between(low, high, count)
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


class Source(Struct, frozen=True):
    """Rows in the order of their turns, by an index, and the conditions on them."""

    rows: str
    turn: str = "t.turn"
    tests: Sequence[Select] = ()
    #: a turn may come several times in a row
    repeats: bool = False


class Part(Struct, frozen=True):
    """The select for the turns of a segment; its first two parameters are the first and the last turn."""

    segment: Segment
    select: str
    values: tuple[object, ...]


class Search(Struct, frozen=True):
    """The select for the candidates of all segments."""

    parts: Sequence[Part]
    descending: bool

    def between(self, first: int, last: int, most: int) -> Select:
        """The select of at most `most` turns from `first` to `last`."""
        selects = " UNION ALL ".join(part.select for part in self.parts)
        values: list[object] = []
        for part in self.parts:
            values += (max(first, part.segment.first), min(last, part.segment.last), *part.values)
        return f"{selects} ORDER BY found {'DESC' if self.descending else 'ASC'} LIMIT ?", (*values, most)


def candidates(view: View, filters: Filters, *, descending: bool) -> Search:
    """The search for the candidates of these filters."""
    parts = []
    for segment in view.segments():
        tests = _tests(view, filters, segment)
        for source in _sources(filters, tests, segment):
            where = [*source.tests, *tests.values()]
            conditions = " AND ".join([f"{source.turn} BETWEEN ? AND ?", *(test for test, _ in where)])
            once = "DISTINCT " if source.repeats else ""
            select = f"SELECT {once}{source.turn} AS found FROM {source.rows} WHERE {conditions}"
            parts.append(Part(segment, select, tuple(value for _, parameters in where for value in parameters)))
    return Search(parts, descending)


def _tests(view: View, filters: Filters, segment: Segment) -> dict[str, Select]:
    """The conditions on a row of `turns` (t), by filter."""
    f, database = filters, segment.database
    tests: dict[str, Select] = {}
    if f.session is not None:
        tests["session"] = ("t.session = ?", (f.session,))
    if f.rule is not None:
        citing = f"SELECT 1 FROM {database}.citations AS c WHERE c.rule = ? AND c.turn = t.turn"
        tests["rule"] = (f"EXISTS ({citing})", (f.rule,))
    if f.turns is not None:
        tests["turns"] = ("t.turn IN (SELECT value FROM json_each(?))", (as_json(sorted(f.turns)),))
    if f.character is not None:
        naming = f"SELECT 1 FROM {database}.involved AS i WHERE i.character = ? AND i.turn = t.turn"
        tests["character"] = (f"EXISTS ({naming})", (f.character,))
    if f.kinds is not None:
        tests["kind"] = (f"t.kind IN ({_places(f.kinds)})", tuple(f.kinds))
    if f.by is not None:
        names = [name for name in _loggers(view, segment) if is_by(name, f.by)]
        tests["by"] = (f"t.by IN ({_places(names)})", tuple(names))
    if f.undone is not None:
        tests["standing"] = ("t.standing = ?", (int(not f.undone),))
    if f.since is not None:
        tests["since"] = ("t.instant >= ?", (instant(f.since),))
    if f.until is not None:
        tests["until"] = ("t.instant <= ?", (instant(f.until),))
    if words := f.words:
        tests["words"] = (" AND ".join(["instr(folded(t.sentence), ?)"] * len(words)), tuple(words))
    return tests


def _sources(filters: Filters, tests: dict[str, Select], segment: Segment) -> list[Source]:
    """The rows to search: those of the narrowest filter that has an index; its condition is taken out of `tests`."""
    database, phrases = segment.database, [word for word in filters.words if len(word) >= SHORTEST and "\0" not in word]
    turns = f"{database}.turns AS t"
    if "session" in tests:
        return [Source(f"{turns} INDEXED BY idx_turns_session")]
    if phrases and segment.has_words and has_full_text():
        # the index folds its text once more, in its own way, so that it finds at least every match
        match = " ".join('"' + word.replace('"', '""') + '"' for word in phrases)
        del tests["words"]
        return [_join(database, "turns_fts", "rowid", ("turns_fts MATCH ?", (match,)))]
    if "rule" in tests:
        return [_join(database, "citations", "turn", ("citations.rule = ?", tests.pop("rule")[1]), repeats=True)]
    if "character" in tests:
        return [_join(database, "involved", "turn", ("involved.character = ?", tests.pop("character")[1]))]
    for name in ("kind", "by", "standing"):
        if name in tests:
            _, values = tests.pop(name)
            rows = f"{turns} INDEXED BY idx_turns_{name}"
            return [Source(rows, tests=[(f"t.{name} = ?", (value,))]) for value in values] or [NOWHERE]
    return [Source(f"{turns} NOT INDEXED")]


#: The source without any turn.
NOWHERE = Source("main.turns AS t", tests=[("0", ())])


def _join(database: str, table: str, turn: str, test: Select, *, repeats: bool = False) -> Source:
    # CROSS: these rows first, whatever SQLite estimates of their number
    rows = f"{database}.{table} CROSS JOIN {database}.turns AS t ON t.turn = {table}.{turn}"
    return Source(rows, f"{table}.{turn}", [test], repeats)


def _places(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _loggers(view: View, segment: Segment) -> list[str]:
    """Everybody who logged a turn in the segment's database, found by skips through the index."""
    turns = f"{segment.database}.turns"
    return [
        name
        for (name,) in view.ask(
            f"WITH RECURSIVE people (name) AS (SELECT min(by) FROM {turns} UNION ALL"
            f" SELECT (SELECT min(by) FROM {turns} WHERE by > name) FROM people WHERE name IS NOT NULL)"
            " SELECT name FROM people WHERE name IS NOT NULL"
        )
    ]


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
