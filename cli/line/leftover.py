"""What is left over in a line: the remark of the action, and where in the log it happened."""

import re
from collections.abc import Iterator

from cli.line.errors import Misread, Unclear
from cli.line.reading import Reading
from cli.line.table import FILLER, NAMED, VALUE, WORDS, Readings, Table
from cli.line.values import ALL, number_of, people_at, title_at
from cli.line.verbs import parts_of, verbs_of
from domain.naming import key_of


def left_over(table: Table, reading: Reading, here: int, begin: int | None = None) -> Readings:
    """What is left over: the remark, up to the end of the line or to what is written as an option behind it."""
    begin = here if begin is None else begin
    remark, first = table.grammar.remark, table.words[begin]
    if begin == here:
        if (late := table.late_at(here)) is not None:
            other = table.on(reading, here, len(table.words), "manner", 0)
            other.manner[late[0]] = late[1]
            yield other
            return
        if remark is None and (by := table.by_at(here)) is not None:
            other = table.on(reading, here, len(table.words), "manner", FILLER)
            other.manner["by"] = by
            yield other
            return
        _refuse_no_turn(table, reading, here)
        _refuse_another_name(table, here)
        _refuse_no_card(table, reading, here)
        if (remark is not None and remark.key in reading.shared) or _cannot_be_words(table, reading, here):
            return
    if remark is None or not reading.is_open(remark):
        return
    legal = table.tests(reading).legal(remark, reading.whose)
    if legal and not first.quoted:
        found = title_at(table.words, begin, legal)
        if found is not None and (found[1] == len(table.words) or table.begins_a_value(reading, found[1])):
            named = table.on(reading, here, found[1], "value", VALUE, remark.key)
            named.shared[remark.key] = found[0]
            yield named
            return
    for end in _ends(table, reading, begin):
        yield _worded(table, reading, here, begin, end, table.line.rest(begin, end), WORDS * (end - begin))


def _worded(table: Table, reading: Reading, here: int, begin: int, end: int, text: str, cost: float) -> Reading:
    remark = table.grammar.remark
    assert remark is not None
    if begin > here:
        reading = table.on(reading, here, begin, "named", NAMED, remark.key)
    other = table.on(reading, begin, end, "words", cost, remark.key)
    # a comma before an option parts it from the words
    other.shared[remark.key] = text.removesuffix(",") if end < len(table.words) and text != "," else text
    return other


def _ends(table: Table, reading: Reading, here: int) -> Iterator[int]:
    """Where words may end that begin here: before an option, before where it happened, behind what is quoted."""
    if table.words[here].quoted and here + 1 < len(table.words):
        yield here + 1
    for end in range(here + 1, len(table.words)):
        if table.is_option(end) or table.late_at(end) is not None or _ends_before_a_number(table, reading, end):
            yield end
    yield len(table.words)


def _ends_before_a_number(table: Table, reading: Reading, here: int) -> bool:
    """Whether words that must be said end before the only number that must be: `effort ash reading 6 hours`."""
    missing = [field for field in reading.missing() if not field.names]
    needed = [field for field in missing if not field.remark]
    return (
        len(missing) > len(needed) == 1
        and needed[0].kind.shape == "number"
        and number_of(table.words[here].text) is not None
    )


def _cannot_be_words(table: Table, reading: Reading, here: int) -> bool:
    """Whether what is left over is nothing that anybody says: numbers alone, or what is written as an option."""
    remark, left = table.grammar.remark, table.words[here:]
    if left[0].text.startswith("--") and table.option_named(here):
        return True
    if remark is None or left[0].quoted or remark.required:
        return False
    numbers_too = bool(remark.kind.extra.get("numbers"))
    numbers = not numbers_too and not reading.missing() and all(number_of(word.text) is not None for word in left)
    return numbers or re.match("-[A-Za-z]", left[0].text) is not None


def _refuse_no_turn(table: Table, reading: Reading, here: int) -> None:
    """Raise Misread for words where turns may stand, if they name something that is no turn: `undo brog`."""
    word, grammar = table.words[here], table.grammar
    if word.quoted or not any(field.turn and reading.is_open(field) for field in grammar.order):
        return
    named = any(key_of(word.text) == key_of(name) for name in table.context.state.characters)
    begins_as_turn = re.match(r"[Tt]\d|@|#?\d", word.text) is not None
    verbs = [verb.words for verb in verbs_of(table.context.system.key)]
    if named or begins_as_turn or word.text.casefold() in ALL or parts_of(word.text) in verbs:
        as_words = f", or the reason as {grammar.remark.key}=…" if grammar.remark is not None else ""
        raise Misread(f"{word.text!r} is no turn; write each like T4{as_words}.", here)


def _refuse_no_card(table: Table, reading: Reading, here: int) -> None:
    """Raise Misread for a number with words behind it, where cards stand that have numbers: `f wren str 25 a lift`."""
    word = table.words[here]
    for field in table.grammar.order:
        known = (field.kind.item.values or ()) if field.kind.item is not None and field.in_order else ()
        cards = [int(value) for value in known if value.isdecimal()]
        if not cards or field.required or not reading.is_open(field) or word.quoted:
            continue
        numbers = [part for part in word.text.split(",") if part]
        wrong = [part for part in numbers if part not in known]
        if wrong and all(part.isdecimal() for part in numbers):
            span = f"{min(cards)} to {max(cards)}"
            raise Misread(f"{wrong[0]} is no card ({span}); words that begin with a number stand in quotes.", here)


def _refuse_another_name(table: Table, here: int) -> None:
    """Raise Misread for `d brog 4 and wen`: whoever is hit too is no remark."""
    try:
        joined = table.grammar.who and table.joins(here) and people_at(table.words, here + 1, table.context)
    except Unclear:
        return
    if joined:
        left = table.line.rest(here, joined[1])
        raise Misread(f"{left!r} has no place here; names stand before the values, joined by and.", here)
