"""What a value of each kind looks like: numbers, dice, names of things, turns, choices, lists, maps.

Every function is given a line and a place in it, and answers with the value and the place behind it, or with None: no
value of the kind stands there. Which fields take which kind is said in `cli.line.grammar`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from cli.line.errors import may_be
from cli.line.words import Line, quote
from domain.log.effective_history import effective_history
from domain.log.points import number_in, turn_at
from domain.log.port import Log
from domain.naming import COUNTED_BACK, fitting, following, key_of, plain_words
from domain.system.field_schema import Field, Kind, kind_of
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game

#: A value and the place behind it; None: no value.
Fit = tuple[Any, int] | None
#: The longest run of words that is tried as one name.
LONGEST_TITLE = 8
YES, NO = ("yes", "true", "on"), ("no", "false", "off")
#: The signs that keyboards make for a minus, as the one that numbers have.
SIGNS = str.maketrans("−–", "--")


# -- numbers -----------------------------------------------------------------------------------------------------------


def number_of(text: str) -> int | None:
    """A whole number with or without a sign, or a sum without one (`2+1`); a comma behind it parts it from the rest."""
    text = text.removesuffix(",").translate(SIGNS)
    if re.fullmatch(r"[+-]?[0-9]{1,1000}", text):
        return int(text)
    return sum(map(int, text.split("+"))) if re.fullmatch(r"[0-9]{1,9}(\+[0-9]{1,9}){1,20}", text) else None


def is_signed(text: str) -> bool:
    """Whether a word begins with the sign of a number."""
    return text[:1].translate(SIGNS) in ("+", "-")


def is_sign(line: Line, at: int) -> bool:
    """Whether a sign stands at a place by itself, before its number: `+ 5`."""
    word = line.words[at] if at < len(line.words) else None
    return word is not None and not word.quoted and word.text.translate(SIGNS) in ("+", "-")


def number_at(line: Line, at: int, *, signed: bool = True) -> tuple[int, int] | None:
    """A number at a place; a sign belongs to it, over a space too. Without `signed` one that has no sign."""
    if at >= len(line.words) or line.words[at].quoted:
        return None
    text = line.words[at].text
    if is_sign(line, at):
        behind = line.words[at + 1].text if at + 1 < len(line.words) else ""
        number = number_of(behind) if behind[:1].isdecimal() and "+" not in behind else None
        return (-number if text.translate(SIGNS) == "-" else number, at + 2) if number is not None and signed else None
    number = number_of(text)
    return (number, at + 1) if number is not None and (signed or text[0].isdecimal()) else None


def dice_of(text: str, most: int = 9) -> list[int] | None:
    """Faces as they were rolled, stuck together (545) or parted by commas.

    Where faces go up to `most`, of two digits, a number up to that is one face.
    """
    if re.fullmatch(r"[0-9]{1,100}", text):
        return [int(text)] if 9 < int(text) <= most else [int(face) for face in text]
    if re.fullmatch(r"[0-9]{1,16}(,[0-9]{1,16}){0,100},?", text):
        return [int(face) for face in text.split(",") if face]
    return None


def dice_at(line: Line, at: int) -> tuple[list[int], int] | None:
    """Faces, in as many words as there are."""
    faces, here = list[int](), at
    while here < len(line.words) and (more := dice_of(line.words[here].text)) is not None:
        faces, here = [*faces, *more], here + 1
    return (faces, here) if here > at else None


#: What is rolled at the table: 2d6, d20+5.
DICE = re.compile(r"([1-9]\d?)?[dD]([1-9]\d{0,3})([+-]\d{1,4})?")


def sides_in(dice: str) -> tuple[int, int]:
    """How many dice `2d6` are, and of how many sides."""
    match = DICE.fullmatch(dice)
    return (int(match[1] or 1), int(match[2])) if match is not None else (0, 9)


# -- turns -------------------------------------------------------------------------------------------------------------


def turn_number_of(word: str, log: Log) -> int | None:
    """A turn: T4, @ for the latest, @-1 for the one before it. Raises Refusal for one before the first."""
    number = number_in(word, "T")
    return turn_at(word, log) if number is None and re.fullmatch(COUNTED_BACK, word) else number


def turns_at(line: Line, at: int, log: Log) -> tuple[list[int], int] | None:
    """Turns, as many as stand there, parted by commas, spaces or `and`: `T4`, `T4,T6`, `T4..T6`.

    A range passes over what was undone already; a turn that is named by itself does not.
    """
    numbers, here = list[int](), at
    while here < len(line.words) and not line.words[here].quoted:
        place = here + (here > at and line.words[here].text.casefold() == "and" and here + 1 < len(line.words))
        more: list[int | None] = []
        for part in filter(None, line.words[place].text.split(",")):
            span = re.fullmatch(r"[Tt](\d{1,9})\.\.[Tt]?(\d{1,9})", part)
            if span is not None and int(span[1]) <= int(span[2]) <= log.last():
                turns = range(int(span[1]), int(span[2]) + 1)
                undone_by = effective_history(log, log.last(), after=turns[0] - 1).undone_by
                # what another turn of the range undid would stand again without it
                more += [turn for turn in turns if undone_by.get(turn, turns[0]) in turns] or turns
            else:
                more.append(turn_number_of(part, log))
        if None in more or not more:
            break
        numbers, here = [*numbers, *(number for number in more if number is not None)], place + 1
    return (numbers, here) if numbers else None


# -- names of things ---------------------------------------------------------------------------------------------------


def run_at(line: Line, at: int, titles: Sequence[str]) -> tuple[str, int] | None:
    """A name of several words, the longest that stands there."""
    for count in range(min(LONGEST_TITLE, len(line.words) - at), 1, -1):
        run = line.words[at : at + count]
        if any(word.quoted or is_signed(word.text) or "," in word.text[:-1] for word in run):
            continue
        if len(found := following([word.text for word in run], titles)) == 1:
            return found[0], at + count
    return None


def title_at(line: Line, at: int, titles: Sequence[str]) -> tuple[str, int] | None:
    """The name of a thing, of as many words as are its own, or the beginning of one of them.

    Raises LineError where it fits several.
    """
    if at >= len(line.words):
        return None
    word = line.words[at]
    if word.quoted:
        same = [title for title in titles if plain_words(title) == plain_words(word.text)]
        return (same[0], at + 1) if same else None
    if (run := run_at(line, at, titles)) is not None:
        return run
    text = word.text.removesuffix(",")
    fits = fitting(text, titles) if text else []
    if is_signed(text):  # -3 is no card 3
        fits = [title for title in fits if key_of(title) == key_of(text)]
    if len(fits) > 1:
        raise may_be(line, at, at + 1, {title: quote(title) for title in fits})
    return (fits[0], at + 1) if fits else None


# -- values of a kind --------------------------------------------------------------------------------------------------


def single_at(field: Field, kind: Kind, titles: Sequence[str] | None, line: Line, at: int, *, named: bool) -> Fit:
    """One value of a kind; `titles` are the legal ones where only some are. A field that is `named` takes any text."""
    word = line.words[at]
    text = word.text if word.quoted or len(word.text) < 2 else word.text.removesuffix(",")
    match kind.shape:
        case "number":
            if kind.letter and text[:1].upper() == kind.letter and text[1:].isdecimal():
                return int(text[1:]), at + 1
            return number_at(line, at, signed=named or not (kind.unsigned or kind.bounds.get("ge", -1) >= 0))
        case "flag":
            return (text.casefold() in YES, at + 1) if text.casefold() in (*YES, *NO) and not word.quoted else None
        case "choice":
            choices = {str(choice): choice for choice in kind.choices}
            fit = title_at(line, at, tuple(choices))
            return None if fit is None else (choices[fit[0]], fit[1])
        case "any" | "object" | "map":
            return json_or_text(word.text), at + 1
    if kind.written_as is not None:
        return _written(kind.written_as, line, at, named=named)
    if kind.reference and not word.quoted and re.fullmatch(r"[0-9]{1,15}", text):
        return int(text), at + 1
    titles = kind.values or titles
    is_closed = kind.reference or kind.values is not None or field.added_by is not None
    if titles is not None and (fit := title_at(line, at, titles)) is not None:
        return fit
    if is_closed and titles is not None and (not named or field.added_by is not None):
        return None  # whoever is new is added by `new`, never by a slip in a name
    return (text, at + 1) if named or word.quoted or not is_closed else None


def _written(pattern: str, line: Line, at: int, *, named: bool) -> Fit:
    """A text of a form of its own, of as many words as are of that form."""
    words = line.words
    if words[at].quoted:
        return (words[at].text, at + 1) if named or re.fullmatch(pattern, words[at].text) else None
    for count in range(min(LONGEST_TITLE, len(words) - at), 0, -1):
        if any(word.quoted for word in words[at : at + count]):
            continue
        text = " ".join(word.text for word in words[at : at + count]).translate(SIGNS)
        for written in (text, re.sub(r"\s*([+-])\s*", r"\1", text)):
            if re.fullmatch(pattern, written):
                return written, at + count
    return None


def pairs_of(text: str, value: Kind) -> Iterator[tuple[str | None, Any]]:
    """`brog=3,4`, `strength=2,wisdom=1`: each name (None: none is said) with its value; None: that is no value.

    Commas part pairs, unless the values are lists.
    """
    for pair in [text] if value.item else text.split(","):
        name, sign, behind = pair.rpartition("=")
        yield name.strip() if sign else None, _behind_a_name(value, behind.strip())


def _behind_a_name(kind: Kind, text: str) -> Any:
    if kind.item is not None:
        if not text:
            return []
        return (
            dice_of(text) if kind.item.shape == "number" else [part.strip() for part in text.split(",") if part.strip()]
        )
    return number_of(text) if kind.shape == "number" else text if kind.shape == "text" else json_or_text(text)


def json_or_text(text: str, kind: Any = Any) -> Any:
    """A value of a kind as JSON writes it, a flag also as yes or no; what is neither is text."""
    if text.casefold() in (*YES, *NO) and kind_of(kind).shape == "flag":
        return text.casefold() in YES
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text


#: Actions that name sheet fields with values, and the field that holds them.
OF_SHEETS = {"override": "set", "sheet.check": "expect"}


def sheet_as_meant(system: RuleSystem, state: Game, value: Mapping[str, Any]) -> Mapping[str, Any]:
    """An action as typed, with the sheet fields that it names as the sheet shows them: `hand=1,2` is a list."""
    key = OF_SHEETS.get(str(value["type"]))
    if key is None or not isinstance(value.get(key), Mapping):
        return value
    name = next((one for one in state.characters if key_of(one) == key_of(str(value.get("character")))), None)
    if name is None:
        return value
    return {**value, key: {field: system.read_value(state, name, field, text) for field, text in value[key].items()}}
