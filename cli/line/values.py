"""Whom and what the words of a line mean: names, groups, players, numbers and what they count, dice, turns.

Every function here is given the words and a place among them, and answers with the value and the place behind it, or
with None: the words mean nothing of the kind. Which of them a field takes is known to its grammar
(`cli.line.grammar`).
"""

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from cli.line.errors import PlaysSeveral, Unclear
from cli.line.vocabulary import ALL, APIECE, ARTICLES, BUT, NO, PARTY, STOPS, YES
from cli.line.words import Line, Word, joins, next_of_several, quote, words_to_type
from domain.log.points import number_in, turn_at
from domain.log.port import Log
from domain.naming import LITTLE, called, fitting, following, key_of, letters, listed, plain_words, same_letters
from domain.system.field_schema import Field, Kind, kind_of
from domain.system.groups import able, party, present
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.system.type_descriptions import either
from domain.turn import Action, Turn

#: A value and the place behind it; None: no value.
Fit = tuple[Any, int] | None
#: So many letters of a name mean somebody where another word may stand as well.
LEAST_OF_A_NAME = 3
#: The longest run of words that is tried as one name.
LONGEST_NAME = 8


class Context(Struct, frozen=True):
    """What a line is understood against: the rules, the state now, and the log that it may speak of."""

    system: RuleSystem
    state: Game
    log: Log
    #: what a file of this name holds; None: nothing that is typed here may name a file
    reads: Callable[[str], Any] | None = None
    #: whether a turn holds something that those who type may not know; None: they may know everything
    keeps: Callable[[Turn], bool] | None = None
    #: whether turns are shown without their secrets; otherwise their fields are shown while a line is typed
    veiled: bool = False
    #: whom they act for, and whether they may do this kind of thing; None: they act for everybody and do everything
    acts_for: tuple[str, ...] | None = None
    does: Callable[[type[Action]], bool] | None = None
    #: what is known of this state already about why something cannot be done in it
    tried: dict[tuple[type[Action], tuple[str, ...]], str] | None = None

    def proposes(self, kind: type[Action]) -> bool:
        """Whether an action is one of theirs."""
        return self.does is None or self.does(kind)

    def own(self) -> tuple[str, ...]:
        """Whom what they do may be about."""
        return tuple(self.state.characters) if self.acts_for is None else self.acts_for

    def able(self) -> tuple[str, ...]:
        """Everyone of our side who is here and can act."""
        return able(self.system, self.state)

    def party(self) -> tuple[str, ...]:
        """Those of them with a player."""
        return party(self.system, self.state)


def one_of(text: str, names: Sequence[str], at: int) -> str | None:
    """The one name that was meant. Raises Unclear: several fit."""
    matches = fitting(text, names)
    if len(matches) > 1:
        raise Unclear(f"{text} may be {either(matches)}.", matches, at)
    return matches[0] if matches else None


def title_at(words: Sequence[Word], at: int, names: Sequence[str]) -> Fit:
    """A name that stands at a place, of as many words as are its own; what is in quotes is whole as it is."""
    for count in range(min(LONGEST_NAME, len(words) - at), 1, -1):
        run = words[at : at + count]
        if any(word.quoted or word.text[0] in "+-−" for word in run):
            continue
        if len(matches := following([word.text for word in run], names)) == 1:
            return matches[0], at + count
    found_here = one_of(words[at].text, names, at) if at < len(words) else None
    return None if found_here is None else (found_here, at + 1)


def title_behind_article(words: Sequence[Word], at: int, names: Sequence[str]) -> Fit:
    """A name that stands at a place, or behind an article which is no part of it: `the ogre`.

    Raises Unclear: several fit.
    """
    begins = at + 1 < len(words) and not words[at].quoted and words[at].text.casefold() in ARTICLES
    if not begins or len(letters(words[at + 1].text)) < LEAST_OF_A_NAME:
        return title_at(words, at, names)
    runs = [(count, [word.text for word in words[at : at + count]]) for count in range(LONGEST_NAME, 1, -1)]
    with_article = next(
        ((matches[0], at + count) for count, run in runs if len(matches := following(run, names)) == 1), None
    )
    if with_article is not None:
        typed_whole = plain_words(" ".join(word.text for word in words[at : with_article[1]]))
        if plain_words(with_article[0]) == typed_whole:
            return with_article
    behind = title_at(words, at + 1, names)
    if behind is None:
        return title_at(words, at, names)
    if with_article is not None and with_article[0] != behind[0]:
        either_name = (with_article[0], behind[0])
        raise Unclear(f"{words[at].text} {words[at + 1].text} may be {either(either_name)}.", either_name, at)
    return behind


def without_article(words: Sequence[Word], at: int, names: Sequence[str]) -> int:
    """The place of a name behind an article that is no part of it; the same place where there is no such name."""
    try:
        title = title_behind_article(words, at, names)
        return at + 1 if title is not None and title != title_at(words, at, names) else at
    except Unclear:
        return at


def people_at(words: Sequence[Word], at: int, context: Context) -> tuple[tuple[str, ...], int] | None:
    """Whom a word means: somebody, several joined by commas, `all` who can act, `party`: those with a player."""
    everybody = tuple(context.state.characters)
    if at >= len(words):
        return None
    word = words[at].text
    if word.startswith("--") and not words[at].quoted:
        return None  # an option names nobody
    if not any(key_of(word) == key_of(name) for name in everybody):
        if number_of(word) is not None and not words[at].quoted:
            return None  # the 3 of Rat 3 names nobody by itself
        if word.casefold() in (*ALL, *PARTY) or _is_both(word, context):
            group = context.able() if word.casefold() in ALL else context.party()
            return _but(words, at + 1, group, context)
        parts = [part for part in word.split(",") if part.strip()]
        if "," in word and parts:
            people = [one_of(part.strip(), everybody, at) or _character_of_player(part, at, context) for part in parts]
            return None if None in people else (tuple(dict.fromkeys(name for name in people if name)), at + 1)
    title = title_at(words, at, everybody)
    if title is None and not words[at].quoted and (character := _character_of_player(word, at, context)) is not None:
        return (character,), at + 1
    return None if title is None else ((title[0],), title[1])


def _is_both(word: str, context: Context) -> bool:
    """Whether a word means the two of us, where there are no more."""
    return word.casefold() == "both" and len(context.party()) == 2


def names_between(line: Line, begin: int, end: int, context: Context) -> list[str]:
    """All whom the words from one place up to another name."""
    names: list[str] = []
    here = begin
    while here < end:
        people = people_at(line.words[:end], here, context)
        names += people[0] if people is not None else ()
        here = people[1] if people is not None else here + 1
    return list(dict.fromkeys(names))


def people_first(line: Line, context: Context) -> int:
    """The place behind those whom a line names first: `brog, wen and ada lose 2`; 0: nobody.

    Raises PlaysSeveral for a player who plays several.
    """
    beyond = 0
    while beyond < len(line.words):
        place = next_of_several(line.words, beyond) if beyond else 0
        try:
            people = people_at(line.words, beyond if place is None else place, context)
        except PlaysSeveral:
            raise
        except Unclear:
            return 0
        if people is None or place is None:
            break
        if not beyond and people[1] == 1 and _is_article(line.words[0], context):
            return 0
        beyond = people[1]
    return beyond


def _is_article(word: Word, context: Context) -> bool:
    """Whether a word is an article, and the beginning of a name only by chance: the `a` of Ada."""
    return word.text.casefold() in ARTICLES and same_letters(word.text, context.state.characters) is None


def those_first(line: Line, last: int, context: Context) -> tuple[str, list[str]]:
    """Those whom a line names first, as words of a line about what is tracked, and their names."""
    return " ".join(word.text for word in line.words[:last]), names_between(line, 0, last, context)


def before_a_number(line: Line, begin: int, end: int, context: Context) -> str:
    """Those whom words name, as words behind which a number is a value: Goblin in quotes, where Goblin 2 is there."""
    everybody = tuple(context.state.characters)
    words = words_to_type(line, begin, end)
    for at in range(end - 1, begin - 1, -1):
        people = people_at(line.words[:end], at, context)
        if people is None or people[1] != end or len(people[0]) != 1:
            continue
        if numbered(people[0][0], everybody):
            return " ".join([*words[: at - begin], quote(people[0][0], always=True)])
        break
    return " ".join(words)


def numbered(name: str, names: Sequence[str]) -> bool:
    """Whether others of these are called so with a number behind it: Goblin, where Goblin 2 is there."""
    own = plain_words(name)
    others = (plain_words(other) for other in names)
    return any(other[: len(own)] == own and "".join(other[len(own) :]).isdecimal() for other in others)


def without_number(name: str, names: Sequence[str]) -> str | None:
    """Whoever is called so without the number at its end: Goblin for Goblin 2; None: nobody is."""
    own = plain_words(name)
    is_numbered = len(own) > 1 and own[-1].isdecimal()
    return next((other for other in names if is_numbered and plain_words(other) == own[:-1]), None)


def players_of(context: Context) -> dict[str, list[str]]:
    """The characters of each player, by the words of the player's name; of several those who have not fallen."""
    system, state = context.system, context.state
    characters: dict[str, list[str]] = {}
    for name, sheet in state.characters.items():
        player = getattr(sheet, "player", None)
        for word in {letters(player), *plain_words(player)} if player else ():
            characters.setdefault(word, []).append(name)
    here = [name for name in present(system, state) if system.fallen(state, name) is None]
    return {
        word: [name for name in names if name in here] or names if len(names) > 1 else names
        for word, names in characters.items()
    }


def _character_of_player(word: str, at: int, context: Context) -> str | None:
    """Whom a player plays, named by the player. Raises Unclear for one who plays several."""
    names = players_of(context).get(letters(word))
    if names is None:
        return None
    if len(names) > 1:
        raise PlaysSeveral(f"{called(word)} plays {listed(names)}; say whom you mean.", names, at)
    return names[0]


def somebody_meant(words: Sequence[Word], at: int, context: Context) -> bool:
    """Whether a word is meant as somebody: a group, or so much of a name that it is hardly another word."""
    if at >= len(words) or words[at].text.casefold() in LITTLE:
        return False
    first = plain_words(words[at].text.partition(",")[0])[0]
    name_words = {part for name in context.state.characters for part in plain_words(name)}
    if letters(words[at].text) in players_of(context):
        return True
    return (
        first in (*ALL, *PARTY, *name_words)
        or _is_both(first, context)
        or (len(first) >= LEAST_OF_A_NAME and any(part.startswith(first) for part in name_words))
    )


def people_meant_at(words: Sequence[Word], at: int, context: Context) -> tuple[tuple[str, ...], int] | None:
    """Whom a word means by so much of a name that it is hardly another word, and the place behind them."""
    return people_at(words, at, context) if somebody_meant(words, at, context) else None


def _but(words: Sequence[Word], at: int, group: tuple[str, ...], context: Context) -> tuple[tuple[str, ...], int]:
    """`all but brog`: a group without whoever is named behind it."""
    if at >= len(words) or words[at].quoted or words[at].text.casefold() not in BUT:
        return group, at
    beyond, left_out = at + 1, list[str]()
    while beyond < len(words) and (people := people_at(words, beyond, context)) is not None:
        left_out += people[0]
        beyond = people[1] + joins(words, people[1])
    return (tuple(name for name in group if name not in left_out), beyond) if left_out else (group, at)


def number_of(word: str) -> int | None:
    """A whole number, or a sum of them; a comma behind it parts it from what follows, as one speaks."""
    word = word.removesuffix(",")
    if re.fullmatch(r"[+-]?[0-9]{1,1000}", word):
        return int(word)
    if re.fullmatch(r"[0-9]{1,9}(\+[0-9]{1,9}){1,20}", word):
        return sum(map(int, word.split("+")))
    return None


def behind_unit(words: Sequence[Word], here: int, units: Container[str]) -> int:
    """The place behind one of these units, of one word or two; the same place where none stands there."""
    for beyond in (here + 2, here + 1):
        unit = words[here:beyond]
        if (
            len(unit) == beyond - here
            and not any(word.quoted for word in unit)
            and " ".join(word.text.casefold() for word in unit).rstrip(STOPS) in units
        ):
            here = beyond
            break
    if _is_of_unit(words, here, units):
        here += 2  # `3 points of damage`
    # what says that everybody who is named has so many: `take 3 each`
    return here + (here < len(words) and not words[here].quoted and words[here].text.casefold() in APIECE)


def _is_of_unit(words: Sequence[Word], here: int, units: Container[str]) -> bool:
    """Whether `of` and a unit stand at a place: `of damage`."""
    texts = [word.text.casefold().rstrip(STOPS) for word in words[here : here + 2] if not word.quoted]
    return len(texts) == 2 and texts[0] == "of" and texts[1] in units


def highest_face(field: Field, fields: Mapping[str, Any]) -> int:
    """The highest face of a field's dice, of which another field says the sides, as `2d20`; 9 where none does."""
    sides = re.search(r"[dD](\d{1,4})", str(fields.get(field.sides_in, ""))) if field.sides_in is not None else None
    return 9 if sides is None else int(sides[1])


def behind_words(words: Sequence[Word], here: int, skipped: Container[str]) -> int:
    """The first place from one on at which none of these words stands."""
    while here < len(words) and not words[here].quoted and words[here].text.casefold().rstrip(",") in skipped:
        here += 1
    return here


def dice_of(word: str, most: int = 9) -> list[int] | None:
    """Faces as they were rolled: stuck together (545), or parted by commas or a plus.

    Where faces go up to `most`, of two digits, a number up to that is one face.
    """
    if re.fullmatch(r"[0-9]{1,100}", word):
        return [int(word)] if 9 < int(word) <= most else [int(face) for face in word]
    if re.fullmatch(r"[+-]?[0-9]{1,16}([,+][+-]?[0-9]{1,16}){0,100},?", word):
        return [int(face) for face in re.split(r"[,+]", word) if face]
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
        return values_of(kind.item, text) if text else []
    if kind.shape == "number":
        return number_of(text)
    return text if kind.shape == "text" else json_or_text(text)


def values_of(kind: Kind, text: str) -> list[Any] | None:
    """Several values in one word: dice, or whatever commas part."""
    return dice_of(text) if kind.shape == "number" else [part.strip() for part in text.split(",") if part.strip()]


def turn_number_of(word: str, log: Log) -> int | None:
    """A turn: T4, @ for the latest, @-1 for the one before it. Raises Refusal for one before the first."""
    number = number_in(word, "T")
    return turn_at(word, log) if number is None and re.fullmatch(r"@(-\d{1,15})?", word) else number


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


def json_or_text(text: str, kind: Any = Any) -> Any:
    """A value of a kind as JSON writes it, a flag also as people say it; what is neither is text."""
    if text.casefold() in (*YES, *NO) and kind_of(kind).shape == "flag":
        return text.casefold() in YES
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return text
