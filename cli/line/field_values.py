"""What stands in a field at a place of a line: its value and the place behind it, or None.

It follows from the kind of the field, from what is legal there now, and from what the line has said so far.
"""

import re
from collections.abc import Sequence
from typing import Any

from cli.line.errors import LineError, may_be
from cli.line.grammar import is_text, known_in
from cli.line.people import LEAST_AMONG_WORDS, People, people_at, row_at
from cli.line.said import Group, Said
from cli.line.values import (
    LONGEST_TITLE,
    SIGNS,
    Fit,
    dice_at,
    dice_of,
    json_or_text,
    number_at,
    pairs_of,
    run_at,
    sides_in,
    single_at,
    title_at,
    turn_number_of,
    turns_at,
)
from cli.line.words import Line, Word, quote
from domain.naming import find_name, fitting, plain_words
from domain.system.field_schema import Field


def value_at(said: Said, field: Field, at: int, *, named: bool = False, line: Line | None = None) -> Fit:
    """The value of a field at a place. Raises LineError for several. A field that is `named` takes any text."""
    line = said.line if line is None else line
    if at >= len(line.words):
        return None
    word = line.words[at]
    if word.text == "[]" and not word.quoted and field.kind.shape == "list":
        return [], at + 1
    if field.names == "character":
        people = row_at(said.context, line, at) if field.kind.shape == "list" else people_at(said.context, line, at)
        if people is None or field.kind.shape == "list":
            return people and (list(people[0]), people[1])
        return (people[0][0], people[1]) if len(people[0]) == 1 else None
    if field.key == "rule" and word.text.casefold() == said.context.system.cite.casefold():
        return value_at(said, field, at + 1, named=named, line=line)  # as a paragraph is cited: OSR 6.6
    if field.kind.extra.get("all") and word.text.casefold() == "all":
        return ["all"], at + 1
    if field.dice:
        return _results(said, field, line, at)
    if field.turn:
        return _turns(said, field, line, at)
    if field.kind.shape == "map":
        return _map(said, field, word, at)
    titles = said.titles(field)
    if (known := known_in(said.context, said.grammar.verb.kind, field)) and not named:
        for end in range(min(at + LONGEST_TITLE, len(line.words)), at, -1):
            same = [name for name in known if plain_words(name) == plain_words(line.rest(at, end))]
            if same and not line.words[end - 1].quoted:
                return same[0], end
    if field.added_by is not None:
        _refuse_past_or_number(said, field, titles or (), line, at)
    if (thing := _numbered(said, field, line, at)) is not None:
        return thing
    if field.kind.shape != "list":
        return single_at(field, field.kind, titles, line, at, named=named)
    return _list(field, titles, line, at, named=named)


def _refuse_past_or_number(said: Said, field: Field, titles: Sequence[str], line: Line, at: int) -> None:
    """Refuse the whole name of who is there no more, so that a beginning of it does not mean somebody else.

    And a number behind a name that may be its own and no card: where others of that name have numbers, as `guard 5`
    beside guard and guard 3, or where the log deals the cards.
    """
    past = said.context.system.past(said.context.state, said.grammar.verb.kind, field.key)
    typed, names = plain_words(line.words[at].text), (*titles, *past)
    is_one_word = [name for name in past if plain_words(name) == typed]
    name = next(iter(is_one_word), "") if (run := run_at(line, at, names)) is None else run[0]
    if name in past:
        raise said.refuse(past[name], at if line is said.line else said.at)
    number = line.words[at + 1].text if at + 1 < len(line.words) else ""
    if run is not None or not number.isdecimal() or line.words[at].quoted:
        return
    others = [name for name in names if plain_words(name)[:-1] == typed and plain_words(name)[-1].isdecimal()]
    system, state, kind = said.context.system, said.context.state, said.grammar.verb.kind
    cards = next((own.key for own in said.grammar.order if own.reported), "")
    reported = system.cards_to_report(state, kind, cards, said.whose)
    taken = title_at(line, at, titles)
    if taken is not None and (others or (reported is not None and not reported.awaited)):
        first = line.words[at].text
        both = {f"{taken[0]} with {number}": f"{quote(taken[0], always=True)} {number}",
                f"{first} {number}": f"new {quote(f'{first} {number}')}"}  # fmt: skip
        raise may_be(line, at, at + 2, both)


def _numbered(said: Said, field: Field, line: Line, at: int) -> Fit:
    """The number of what is named by its words: `treat brog jaw`. Raises LineError where it may be several."""
    things = said.numbered(field)
    if len(line.words[at].text) < LEAST_AMONG_WORDS:
        return None  # `a night with the healer` is no ankle
    fit = title_at(line, at, tuple(dict.fromkeys(things.values())))
    if fit is None:
        return None
    numbers = [number for number, what in things.items() if what == fit[0]]
    if len(numbers) > 1:
        raise may_be(line, at, fit[1], {f"{fit[0]} ({number})": number for number in numbers})
    return int(numbers[0]), fit[1]


def _results(said: Said, field: Field, line: Line, at: int) -> Fit:
    """Dice as they fell; of dice that the line names, as many as there are, each of what it can show."""
    dice = said.given.get(field.sides_in or "")
    if not isinstance(dice, str):
        return dice_at(line, at)
    count, sides = sides_in(dice)
    faces, here = list[int](), at
    while here < len(line.words) and len(faces) < count:
        if (more := dice_of(line.words[here].text, sides)) is None:
            break
        faces, here = [*faces, *more], here + 1
    if here == at or (number_at(line, at, signed=False) is None and "," not in line.words[at].text):
        return None
    if len(faces) != count or not all(1 <= face <= sides for face in faces):
        what = "one number" if count == 1 else f"{count} numbers"
        raise said.refuse(f"{dice} shows {what} from 1 to {sides}.", at, said.in_quotes(at))
    return faces, here


def _turns(said: Said, field: Field, line: Line, at: int) -> Fit:
    word = line.words[at]
    if field.kind.shape == "text":
        return word.text, at + 1
    is_number = re.fullmatch(r"\d{1,15}", word.text) is not None and not word.quoted
    if field.kind.shape != "list":
        number = int(word.text) if is_number else None if word.quoted else turn_number_of(word.text, said.context.log)
        return None if number is None else (number, at + 1)
    if (found := turns_at(line, at, said.context.log)) is not None:
        return found
    if re.fullmatch(r"\d{1,15}(,\d{1,15})+", word.text) and not word.quoted:
        return [int(number) for number in word.text.split(",")], at + 1
    if not is_number:
        return None
    if said.grammar.field("last") is None:
        return [int(word.text)], at + 1
    place, name = (at, "") if line is said.line else (said.at, f"{field.key}=")  # `turns=4`
    ways = {f"the turn T{word.text}": f"{name}T{word.text}", f"the last {word.text} turns": f"last {word.text}"}
    raise may_be(said.line, place, place + 1, ways)


def _map(said: Said, field: Field, word: Word, at: int) -> Fit:
    """`brog=3,4`, `strength=2,wisdom=1`; without a name, for the one whom the line is about."""
    if word.text.startswith("{"):
        value = json_or_text(word.text)
        return (value, at + 1) if isinstance(value, dict) else None
    keys, item = field.kind.keys, field.kind.item
    assert keys is not None and item is not None
    values: dict[str, Any] = {}
    for name, value in pairs_of(word.text, item):
        if value is None or (name is None and (said.whose is None or keys.names is None)):
            return None
        if name is None and len(said.names) > 1:
            raise said.refuse(f"Say whose: {field.key}=NAME={word.text}.")
        if name is None:
            name = str(said.whose)
        elif keys.names is not None:
            name = find_name(name, said.context.state.characters)
        else:
            known = tuple(map(str, keys.choices or said.titles(field) or ()))
            name = next(iter(fitting(name, known)), name)
        if name in values:
            return None
        values[name] = value
    return values, at + 1


def _list(field: Field, titles: Sequence[str] | None, line: Line, at: int, *, named: bool) -> Fit:
    """Items as long as they fit, parted by commas or spaces; a free text takes one word alone."""
    item = field.one
    if item.shape in ("object", "any", "map"):
        value = json_or_text(line.words[at].text)
        return (value, at + 1) if isinstance(value, list) else None
    values, here = list[Any](), at
    while here < len(line.words):
        word = line.words[here]
        parts = [part.strip() for part in word.text.split(",") if part.strip()] if not word.quoted else []
        if item.written_as is not None:
            more, beyond = _written_items(item.written_as, line, here)
        elif len(parts) > 1 or (word.quoted and "," in word.text and not titles):
            alone = [Line(part, (Word(part, 0, len(part), word.quoted),)) for part in parts or word.text.split(",")]
            fits = [single_at(field, item, titles, part, 0, named=named) for part in alone]
            more = [] if None in fits else [fit[0] for fit in fits if fit is not None]
            beyond = here + 1
        else:
            fit = single_at(field, item, titles, line, here, named=named and not values)
            more, beyond = ([] if fit is None else [fit[0]]), here if fit is None else fit[1]
        if not more:
            break
        values, here = [*values, *more], beyond
        if is_text(field) and not word.text.endswith(","):
            break
    return (values, here) if values else None


def _written_items(pattern: str, line: Line, at: int) -> tuple[list[str], int]:
    """Items of a form of their own, of several words each: `rolling +1,rolling +1`."""
    for end in range(len(line.words), at, -1):
        parts = line.rest(at, end).translate(SIGNS).split(",")
        items = [part.strip().strip('"') for part in parts if part.strip()]
        if items and all(re.fullmatch(pattern, part) for part in items):
            return items, end
    return [], at


def by_its_name(said: Said, field: Field, at: int) -> bool:
    """Whether a word is a value of a field, and could not be just any text."""
    if not is_text(field):
        return value_at(said, field, at) is not None
    titles = said.titles(field)
    return titles is not None and title_at(said.line, at, titles) is not None


def begins_value(said: Said, at: int, *whose: str) -> bool:
    """Whether a value of a field in order stands at a place, for somebody who is named anew."""
    if at >= said.end:
        return False
    if said.grammar.faces is not None and not whose:
        return dice_at(said.line, at) is not None
    held, said.groups = said.groups, [*(() if whose else said.groups), Group(list(whose))]
    try:
        return any(by_its_name(said, field, at) for field in said.grammar.order)
    except LineError:
        return True
    finally:
        said.groups = held


def name_at(said: Said, at: int) -> People:
    """Whom a word names. One that begins several names is a word like others, unless a value stands behind it.

    Raises LineError for that.
    """
    try:
        people = people_at(said.context, said.line, at) if at < said.end else None
    except LineError:
        if begins_value(said, at + 1):
            raise
        return None
    return people if people is not None and people[1] <= said.end else None
