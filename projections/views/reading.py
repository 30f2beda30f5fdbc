"""What the chronicle asks of a view: turns by any filter, and turns whole."""

from collections.abc import Sequence

from projections.chronicle import Entry, Filters
from projections.views.rows import entry_from, instant
from projections.views.view import View

#: So many numbers fit into one question.
AT_ONCE = 500


def entries(view: View, filters: Filters | None = None, newest: int | None = None) -> list[Entry]:
    """The turns that pass the filters in the order of the numbers, only the newest so many if that is said."""
    numbers = chosen(view, filters or Filters(), newest)
    return [
        entry for start in range(0, len(numbers), AT_ONCE) for entry in _whole(view, numbers[start : start + AT_ONCE])
    ]


def titles_of(view: View) -> dict[int, str]:
    """What each session is called, as its opening says."""
    select = (
        "SELECT json_extract(json, '$.number'), json_extract(json, '$.title') FROM events WHERE kind = 'session.opened'"
    )
    return {number: title for number, title in view.ask(select) if title is not None}


def chosen(view: View, filters: Filters, newest: int | None = None) -> list[int]:
    """The numbers of the turns that pass the filters, ascending."""
    tests: list[tuple[str, Sequence[object]]] = [("turn >= ?", (filters.first,))]
    if filters.last is not None:
        tests.append(("turn <= ?", (filters.last,)))
    if filters.session is not None:
        tests.append(("session = ?", (filters.session,)))
    if filters.character is not None:
        tests.append(("turn IN (SELECT turn FROM involved WHERE character = ?)", (filters.character,)))
    if filters.kinds is not None:
        tests.append((f"kind IN ({', '.join('?' * len(filters.kinds))})", tuple(filters.kinds)))
    if filters.rule is not None:
        tests.append(("turn IN (SELECT turn FROM citations WHERE rule = ?)", (filters.rule,)))
    if filters.by is not None:
        names = [name for (name,) in view.ask("SELECT DISTINCT by FROM turns WHERE by IS NOT NULL")]
        same = [name for name in names if name.casefold() == filters.by.casefold()]
        tests.append((f"by IN ({', '.join('?' * len(same))})", tuple(same)))
    if filters.since is not None:
        tests.append(("instant >= ?", (instant(filters.since),)))
    if filters.until is not None:
        tests.append(("instant <= ?", (instant(filters.until),)))
    if filters.undone is not None:
        tests.append(("standing = ?", (int(not filters.undone),)))
    for word in filters.grep.split() if filters.grep is not None else ():
        tests.append(_holding(word))
    where = " AND ".join(test for test, _ in tests)
    limit = f" DESC LIMIT {newest}" if newest is not None else ""
    select = f"SELECT turn FROM turns WHERE {where} ORDER BY turn{limit}"
    return sorted(turn for (turn,) in view.ask(select, *(each for _, values in tests for each in values)))


def _holding(word: str) -> tuple[str, Sequence[object]]:
    """A word anywhere in the sentence, whatever its case; the index knows runs of three signs and more."""
    if len(word) >= 3:
        return ("turn IN (SELECT rowid FROM turns_fts WHERE turns_fts MATCH ?)", ('"' + word.replace('"', '""') + '"',))
    return ("instr(casefold(sentence), ?)", (word.casefold(),))


def _whole(view: View, numbers: Sequence[int]) -> list[Entry]:
    these = f"({', '.join('?' * len(numbers))})"
    events: dict[int, list[str]] = {}
    for turn, json in view.ask(f"SELECT turn, json FROM events WHERE turn IN {these} ORDER BY turn, number", *numbers):
        events.setdefault(turn, []).append(json)
    names: dict[int, list[str]] = {}
    for turn, name in view.ask(f"SELECT turn, character FROM involved WHERE turn IN {these}", *numbers):
        names.setdefault(turn, []).append(name)
    rules: dict[int, list[str]] = {}
    for turn, rule in view.ask(
        f"SELECT turn, rule FROM citations WHERE turn IN {these} ORDER BY turn, number, rowid", *numbers
    ):
        rules.setdefault(turn, []).append(rule)
    return [
        entry_from(row, events.get(row[0], ()), names.get(row[0], ()), dict.fromkeys(rules.get(row[0], ())))
        for row in view.ask(f"SELECT * FROM turns WHERE turn IN {these} ORDER BY turn", *numbers)
    ]
