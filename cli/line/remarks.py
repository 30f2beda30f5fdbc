"""The rest of a line behind its values: the remark, `after T3`, `by Mia`, and errors for words that cannot be one."""

import re
from collections.abc import Iterator, Sequence

from cli.line.clause import FILLER, NAMED, VALUE, WORDS, Clause, Readings
from cli.line.errors import Misread, Unclear
from cli.line.reading import Reading
from cli.line.values import number_of, people_at, title_at
from cli.line.verbs import parts_of, verbs_of
from cli.line.vocabulary import ALL, ARTICLES, FOR, JOINS, NOT, OR, STOPS, THEN, TOO, WITH
from cli.line.words import Word, joins, tokenize
from domain.naming import key_of


def as_remark(clause: Clause, reading: Reading, here: int, begin: int | None = None) -> Readings:
    """Read the words from `begin` on as the remark, up to the end of the line or an option behind them."""
    begin = here if begin is None else begin
    remark, first = clause.grammar.remark, clause.words[begin]
    if begin == here:
        if (with_option := _with_option_of_the_line(clause, reading, here)) is not None:
            yield with_option
            return
        _refuse_no_turn(clause, reading, here)
        _refuse_another_name(clause, here)
        _refuse_no_card(clause, reading, here)
        if (remark is not None and remark.key in reading.shared) or _cannot_be_words(clause, reading, here):
            return
    if remark is None or not reading.is_open(remark):
        return
    legal = clause.fits(reading).legal(remark, reading.whose)
    if legal and not first.quoted:
        title = title_at(clause.words, begin, legal)
        if title is not None and (title[1] == len(clause.words) or clause.begins_a_value(reading, title[1])):
            as_value = clause.taking(reading, here, title[1], "value", VALUE, remark.key)
            as_value.shared[remark.key] = title[0]
            yield as_value
            return
    if begin == here and _leads(clause, here):
        yield from as_remark(clause, clause.taking(reading, here, here + 1, "filler", FILLER), here + 1)
        return
    takes_words = remark.thing or remark.said_alone
    if takes_words and begin + 1 < len(clause.words) and not first.quoted and first.text.casefold() in ARTICLES:
        begin += 1  # `attack the guard`: whoever is attacked is called guard, and `a miss` is a miss
        reading = clause.taking(reading, here, begin, "filler", FILLER)
        here = begin
    for end in _ends(clause, reading, begin):
        cut = _end_of_a_thing(clause, begin, end)
        if cut == begin:
            yield clause.taking(reading, here, end, "filler", FILLER)
            continue
        words = _as_words(clause, reading, here, begin, cut, clause.line.rest(begin, cut), WORDS * (cut - begin))
        yield words if cut == end else clause.taking(words, cut, end, "filler", FILLER)


def _with_option_of_the_line(clause: Clause, reading: Reading, here: int) -> Reading | None:
    """The reading with `after T3` at its end, or with `by Mia` where the verb has no remark; None: neither is there."""
    if (late := clause.late_at(here)) is not None:
        (name, value), cost = late, 0.0
    elif clause.grammar.remark is None and (by := clause.by_at(here)) is not None:
        (name, value), cost = ("by", by), FILLER
    else:
        return None
    other = clause.taking(reading, here, len(clause.words), "manner", cost)
    other.manner[name] = value
    return other


def _end_of_a_thing(clause: Clause, begin: int, end: int) -> int:
    """The end of what something is called, without a `too` and what leads to a number: `attack guard 1 with a 3`."""
    remark = clause.grammar.remark
    if remark is None or not (remark.thing or remark.led_by):
        return end
    cut = end = _without_too(clause.words, begin, end)
    if not remark.thing:
        return end
    while cut > begin + 1 and not clause.words[cut - 1].quoted and clause.words[cut - 1].text.casefold() in ARTICLES:
        cut -= 1
    leads = not clause.words[cut - 1].quoted and clause.words[cut - 1].text.casefold() in (FOR, *WITH)
    return cut - 1 if leads and cut > begin + 1 else end


def _without_too(words: Sequence[Word], begin: int, end: int) -> int:
    """The end of these words without a `too` behind them: `takes 5 from the monk too`."""
    for too in TOO:
        start = end - len(too)
        behind = words[max(start, begin) : end]
        if start >= begin and tuple(word.text.casefold() for word in behind) == too:
            return end if any(word.quoted for word in behind) else start
    return end


def _leads(clause: Clause, here: int) -> bool:
    """Whether a little word leads to the remark: `from a trap`; `by Mia` at the end may say who tells it."""
    remark, word = clause.grammar.remark, clause.words[here]
    leads = remark is not None and not word.quoted and word.text.casefold() in remark.led_by
    return leads and here + 1 < len(clause.words) and clause.by_at(here) is None


def _as_words(clause: Clause, reading: Reading, here: int, begin: int, end: int, text: str, cost: float) -> Reading:
    remark = clause.grammar.remark
    assert remark is not None
    if begin > here:
        reading = clause.taking(reading, here, begin, "named", NAMED, remark.key)
    other = clause.taking(reading, begin, end, "words", cost, remark.key)
    # a comma before an option is no part of the remark
    text = text.removesuffix(",") if end < len(clause.words) and text != "," else text
    if remark.said_alone and not clause.words[begin].quoted:
        from cli.line.speech import in_plain_words  # `draws a minus one`: most words are kept as they are

        plain = in_plain_words(tokenize(text))
        text = text if plain is None else plain.text
    other.shared[remark.key] = text
    return other


def _ends(clause: Clause, reading: Reading, here: int) -> Iterator[int]:
    """The places where the words may end: before an option or a backdating, behind a quoted text, at the end."""
    if clause.words[here].quoted and here + 1 < len(clause.words):
        yield here + 1
    for end in range(here + 1, len(clause.words)):
        if _goes_on(clause, end) or _ends_before_a_number(clause, reading, end) or _ends_a_thing(clause, reading, end):
            yield end
    yield len(clause.words)


def _goes_on(clause: Clause, here: int) -> bool:
    """Whether an option of the line or where it happened stands at a place."""
    return clause.is_option(here) or clause.late_at(here) is not None


def _ends_a_thing(clause: Clause, reading: Reading, here: int) -> bool:
    """Whether what something is called ends before a number that is still to come: `attack bandit guard 3`."""
    remark, word = clause.grammar.remark, clause.words[here]
    if remark is None or not remark.thing or word.quoted or not word.text.isdecimal():
        return False
    is_last = here + 1 == len(clause.words) or _goes_on(clause, here + 1)
    return is_last and any(field.kind.shape == "number" and reading.is_open(field) for field in clause.grammar.order)


def _ends_before_a_number(clause: Clause, reading: Reading, here: int) -> bool:
    """Whether a required remark ends before the only other required value, a number: `effort ash reading 6 hours`."""
    missing = [field for field in reading.missing() if not field.names]
    fields = [field for field in missing if not field.remark]
    return (
        len(missing) > len(fields) == 1
        and fields[0].kind.shape == "number"
        and number_of(clause.words[here].text) is not None
    )


def _cannot_be_words(clause: Clause, reading: Reading, here: int) -> bool:
    """Whether the rest is certainly no remark: only numbers, one more number (`d brog 1 and 4`), or an option."""
    remark, words = clause.grammar.remark, clause.words[here:]
    if words[0].text.startswith("--") and clause.option_named(here):
        return True
    if remark is None or words[0].quoted or remark.required:
        return False
    numbers_too = bool(remark.kind.extra.get("numbers"))
    numbers = (
        not numbers_too
        and not reading.missing()
        and (_adds_one_more(reading, clause, here) or is_one_more(words) or all(map(is_number, words)))
    )
    return numbers or re.match("-[A-Za-z]", words[0].text) is not None


def _adds_one_more(reading: Reading, clause: Clause, here: int) -> bool:
    """Whether a number stands at a place behind a little word that joins it to another number: `3 and 4`."""
    is_joined = bool(reading.pieces) and reading.pieces[-1].how == "filler" and here > 1
    return is_joined and is_one_more(clause.words[here - 1 :]) and is_number(clause.words[here - 2])


def is_number(word: Word) -> bool:
    """Whether a word is a number, perhaps with a comma behind it."""
    return not word.quoted and number_of(word.text.rstrip(STOPS)) is not None


def is_one_more(words: Sequence[Word]) -> bool:
    """Whether words begin with one more number behind another: `and 4`, `or 4`, `not 4`."""
    is_joined = words[0].text.casefold() in (*JOINS, *THEN, OR, NOT)
    return is_joined and len(words) > 1 and is_number(words[1])


def _refuse_no_turn(clause: Clause, reading: Reading, here: int) -> None:
    """Raise Misread for a word in the place of a turn that means something else: `undo brog`."""
    word, grammar = clause.words[here], clause.grammar
    if word.quoted or not any(field.turn and reading.is_open(field) for field in grammar.order):
        return
    is_name = any(key_of(word.text) == key_of(name) for name in clause.context.state.characters)
    begins_as_turn = re.match(r"[Tt]\d|@|#?\d", word.text) is not None
    verbs = [verb.words for verb in verbs_of(clause.context.system.key)]
    if is_name or begins_as_turn or word.text.casefold() in ALL or parts_of(word.text) in verbs:
        as_words = f", and the reason as {grammar.remark.key}=…" if grammar.remark is not None else ""
        raise Misread(f"{word.text!r} is not a turn; write turns like T4{as_words}.", here)


def _refuse_no_card(clause: Clause, reading: Reading, here: int) -> None:
    """Raise Misread for a number in the place of a numbered card that there is not: `f wren str 25 a lift`."""
    word = clause.words[here]
    for field in clause.grammar.order:
        legal = (field.kind.item.values or ()) if field.kind.item is not None and field.in_order else ()
        cards = [int(value) for value in legal if value.isdecimal()]
        if not cards or field.required or not reading.is_open(field) or word.quoted:
            continue
        numbers = [part for part in word.text.split(",") if part]
        wrong = [part for part in numbers if part not in legal]
        if wrong and all(part.isdecimal() for part in numbers):
            span = f"{min(cards)} to {max(cards)}"
            raise Misread(f"{wrong[0]} is not a card ({span}); put words that begin with a number in quotes.", here)


def _refuse_another_name(clause: Clause, here: int) -> None:
    """Raise Misread for a further character behind the values, which is no remark: `d brog 4 and wen`."""
    try:
        others = clause.grammar.who and joins(clause.words, here) and people_at(clause.words, here + 1, clause.context)
    except Unclear:
        return
    if others:
        rest = clause.line.rest(here, others[1])
        raise Misread(f"{rest!r} does not fit here; put the names first, joined by and.", here)
