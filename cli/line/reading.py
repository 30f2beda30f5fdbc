"""The reader: takes the words behind a verb from left to right, each once, and never goes back.

At each place it asks in this order, and the first that fits takes the words:

1. an option (`--dc 30`), a field by its name (`dc=30`, `dc 30`), a flag (`safe`, `unsafe`, `not safe`);
2. a value of the first field in order that is still open and takes one of this kind;
3. in an action of several the dice of whoever was named last (`brog 34`), and somebody else (`seg 61`);
4. nothing of these: here the words begin, and they run to the end.

So `rest brog 34 seg 61` is: the verb; Brog, as `rest` begins with whom it is about; 34, his dice, as the fields of
`rest` keep dice by name; Segolene; 61, hers. Two things keep this honest. Whatever fits two fields or two names is
refused with both. And nothing that could be a value ends among the words: such a line is refused with two to type.
"""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from msgspec import Struct

from cli.line.errors import LineError
from cli.line.grammar import Grammar, is_text, known_in
from cli.line.manner import SETTLING, option_at
from cli.line.people import BUT, is_join, people_at, somebody_among_words
from cli.line.values import (
    LONGEST_TITLE,
    Context,
    Fit,
    dice_at,
    is_sign,
    json_or_text,
    number_at,
    pairs_of,
    sides_in,
    single_at,
    title_at,
    turn_number_of,
    turns_at,
)
from cli.line.verbs import LIKE_A_SLIP
from cli.line.words import Line, Word, quote
from domain.choice import Choice
from domain.naming import EVERYBODY, called, find_name, fitting, key_of, listed, nearest, plain_words, short_for
from domain.registry import tag_of, verb_name
from domain.system.field_schema import NEW, Field
from domain.system.options import options_of
from domain.system.pending import choices_in
from domain.system.type_descriptions import either, type_description

#: Words before a value that it does not have: nothing is offered that says the opposite.
DENYING = ("not", "no", "never", "without")
#: The name before `=`.
NAME = re.compile(r"[\w.-]*[^\W_][\w.-]*")


class Group(Struct):
    """Those who are named together, with the values that stand behind them."""

    names: list[str]
    values: dict[str, Any] = {}
    #: the dice of each, in an action of several
    faces: dict[str, list[int]] = {}
    #: whether they were named at once, so that dice behind them are nobody's
    is_group: bool = False


class Reader:
    """The words of one line behind its verb, from `at` up to `end`. `who`: whom the line named before its verb."""

    def __init__(
        self, context: Context, grammar: Grammar, line: Line, at: int, end: int, who: Sequence[str] = ()
    ) -> None:
        self.context, self.grammar, self.line, self.words = context, grammar, line, line.words
        self.at, self.end, self.begin = at, end, at
        self.shared: dict[str, Any] = dict(grammar.verb.sets)
        self.groups = [Group(list(who), is_group=len(who) > 1)]
        #: options of the line itself: by whom, when, how conflicts are settled
        self.manner: dict[str, str] = {}
        #: whether the line left out whom it is about
        self.is_default = False
        #: whether `all` named them
        self.is_everybody = False
        #: whether a field that is given takes the place of what is known, as in an amendment
        self.replaces = False
        #: the place at which the words began
        self.words_at: int | None = None
        #: who is added to the log's list first (`at ash new goblin`): the adding action as JSON
        self.added: list[dict[str, Any]] = []

    # -- what is known so far ------------------------------------------------------------------------------------------

    @property
    def whose(self) -> str | None:
        """Whom the next value is about; None while nobody is named."""
        names = self.groups[-1].names
        return names[-1] if names else None

    @property
    def given(self) -> dict[str, Any]:
        """The values of whoever was named last, by field."""
        who, names = self.grammar.who, self.groups[-1].names
        about = {who.key: names if self.grammar.several else names[-1]} if who is not None and names else {}
        return {**about, **self.shared, **self.groups[-1].values}

    def is_open(self, field: Field) -> bool:
        """Whether a field has no value yet."""
        if field is self.grammar.who:
            return not self.groups[0].names
        return field.key not in self.shared and field.key not in self.groups[-1].values

    @property
    def _says_words(self) -> bool:
        """Whether words that name a field are part of what is written down, until that stands in quotes."""
        return self.grammar.says_all and self.grammar.any_words and self.words_at is None

    @property
    def is_open_loose(self) -> bool:
        """Whether NAME=VALUE has to be said and is not."""
        loose = self.grammar.loose
        return loose is not None and loose.required and loose.key not in self.shared

    def missing(self) -> list[Field]:
        """The required fields without a value, and those of which one has to be said."""
        return [
            field
            for field in self.grammar.fields.values()
            if not self._has(field)
            and (field.required or (field.unless and not any(map(self._has, self._others(field)))))
            # of those on the log's own list one is meant, while there are any
            and (field.added_by is None or self.titles(field) or field.required)
        ]

    def _others(self, field: Field) -> list[Field]:
        return [self.grammar.fields[key] for key in field.unless if key in self.grammar.fields]

    def _has(self, field: Field) -> bool:
        if field is self.grammar.who:
            return all(group.names for group in self.groups)
        return field.key in self.shared or all(field.key in group.values for group in self.groups)

    # -- from left to right --------------------------------------------------------------------------------------------

    def read(self) -> "Reader":
        """Take all words. Raises LineError at the first that cannot be taken."""
        while self.at < self.end and (self.words[self.at].is_option or "=" in self.words[self.at].text):
            if not self.take_named():
                break
        if self.grammar.who is not None and not self.groups[0].names:
            self._take_whom()
        while self.at < self.end:
            if not (self.take_named() or self._flag() or self._value() or self._dice() or self._somebody_else()):
                self._take_words()
        return self

    def _take_whom(self) -> None:
        """The people whom the line is about: one name or several; or whom the rules know, where none is there."""
        turn = self.context.system.whose_turn(self.context.state)
        people = people_at(self.context, self.line, self.at) if self.at < self.end else None
        if people is not None and turn is not None and people[1] == self.end and self._is_value_of(turn):
            people = None  # `t tr` is a card of whoever's turn it is, and nobody called Tristan without one
        if people is not None and people[1] <= self.end:
            begin, self.at = self.at, people[1]  # options may stand before it
            self.groups[0].names, self.groups[0].is_group = list(people[0]), len(people[0]) > 1
            self.is_everybody = self.words[begin].text.casefold() in EVERYBODY
            if not self.groups[0].names:
                raise self.refuse(f"{self.words[begin].text} means nobody yet; say the name.", begin)
            if self.missing():
                self._refuse_two_names(begin, self.at, self.groups[0].names[0])
            while (more := self._next_in_row()) is not None:
                self._add(more)
            return
        self.is_default = True
        names = {turn} if turn is not None else self._pending()
        self.groups[0].names = sorted(names) if len(names) == 1 else []

    def _is_value_of(self, name: str) -> bool:
        """Whether a value of a field in order stands here, for this character."""
        self.groups = [Group([name])]
        try:
            return any(self._fits_by_name(field, self.at) for field in self.grammar.order)
        except LineError:
            return True
        finally:
            self.groups = [Group([])]

    def _pending(self) -> set[str]:
        """Those of whom the rules wait for this verb."""
        who, state, system = self.grammar.who, self.context.state, self.context.system
        assert who is not None
        choices = choices_in(decision for name in state.characters for decision in system.pending_for(state, name))
        return {
            str(choice.fields[who.key])
            for choice in choices
            if choice.action is self.grammar.verb.kind and who.key in choice.fields
        }

    def _refuse_two_names(self, begin: int, end: int, name: str) -> None:
        """`d goblin 2`, where Goblin 2 and Goblin are there: it is one's name, or the other's value."""
        if end - begin < 2 or end < self.end or not self.words[end - 1].text.isdecimal():
            return
        shorter, number = self.line.rest(begin, end - 1), self.words[end - 1].text
        other = next((n for n in self.context.state.characters if plain_words(n) == plain_words(shorter)), None)
        if other is not None:
            ways = [self.line.replaced(begin, end, quote(other, always=True), number)]
            ways += [self.line.replaced(begin, end, quote(name, always=True))]
            text = self.line.rest(begin, end)
            raise self.refuse(f"{text} may be {name}, or {other} and {number}.", begin, *ways)

    def _next_in_row(self) -> tuple[tuple[str, ...], int] | None:
        """The next of several names: behind `and` or a comma, or where a value or the end stands behind it."""
        joined = is_join(self.line, self.at) or self.words[self.at - 1].text.endswith(",")
        if self.at >= self.end or (not joined and self._begins_value(self.at)):
            return None
        people = (
            people_at(self.context, self.line, self.at + is_join(self.line, self.at)) if self._names_here() else None
        )
        if people is None or people[1] > self.end or any(field.names for field in self.grammar.order):
            return None
        return people if joined or self._is_row(people[1]) else None

    def _is_row(self, at: int) -> bool:
        """Whether names up to a place are several in a row: more of them, a value or the end stands behind them."""
        while at < self.end:
            name = self.words[at].text.removeprefix("--").partition("=")[0]
            if is_join(self.line, at) or self.words[at - 1].text.endswith(",") or self._begins_value(at):
                return True
            is_named = any(self.grammar.field(key) for key in (name, name.removeprefix("un"), name.removeprefix("no-")))
            if is_named or not self._names_at(at):
                return is_named or self.grammar.words is None
            people = people_at(self.context, self.line, at)
            at = people[1] if people is not None else at + 1
        return True

    def _names_here(self) -> bool:
        """Whether a place may name somebody else: a word that fits several is an error only where a name has to be."""
        place = self.at + is_join(self.line, self.at)
        return place < self.end and self._names_at(place)

    def _names_at(self, place: int) -> bool:
        try:
            return people_at(self.context, self.line, place) is not None
        except LineError:
            return self._begins_value(place + 1)

    def _add(self, people: tuple[tuple[str, ...], int]) -> None:
        named = [name for group in self.groups for name in group.names]
        if twice := [name for name in people[0] if name in named]:
            raise self.refuse(f"{listed(map(called, twice))} is named twice.", self.at)
        group = self.groups[-1]
        group.is_group = len(people[0]) > 1 or bool(group.names and group.names[-1] not in group.faces)
        group.names += people[0]
        self.at = people[1]

    def _somebody_else(self) -> bool:
        """Somebody else with values of their own: `seg 61`, `and wen 5`."""
        grammar, group = self.grammar, self.groups[-1]
        if grammar.who is None or not group.names or any(field.names for field in grammar.order):
            return False
        if self.words_at is not None or not (group.values or group.faces) or not self._names_here():
            return False
        people = people_at(self.context, self.line, self.at + is_join(self.line, self.at))
        assert people is not None
        if people[1] > self.end:
            return False
        if not people[0]:
            return False
        self._refuse_two_names(self.at, people[1], people[0][0])
        if self.is_default:
            self._refuse_name_among_words(self.at, self.end)
        is_last = people[1] == self.end and (grammar.words is None or is_join(self.line, self.at))
        if not is_last and not self._begins_value(people[1]) and not (grammar.several and grammar.words is None):
            return False
        if not grammar.several:
            named = [name for group in self.groups for name in group.names]
            if twice := [name for name in people[0] if name in named]:
                raise self.refuse(f"{listed(map(called, twice))} is named twice.", self.at)
            self.groups.append(Group([]))
        self._add(people)
        while (more := self._next_in_row()) is not None:
            self._add(more)
        return True

    def _begins_value(self, at: int) -> bool:
        """Whether a value of a field in order stands at a place, for somebody who is named anew."""
        if at >= self.end:
            return False
        if self.grammar.faces is not None:
            return dice_at(self.line, at) is not None
        held, self.groups = self.groups, [*self.groups, Group([])]
        try:
            return any(self._fits_by_name(field, at) for field in self.grammar.order)
        except LineError:
            return True
        finally:
            self.groups = held

    def _fits_by_name(self, field: Field, at: int) -> bool:
        """Whether a word is a value of a field, and could not be just any text."""
        if not is_text(field):
            return self.fit(field, at) is not None
        titles = self.titles(field)
        return titles is not None and title_at(self.line, at, titles) is not None

    # -- values --------------------------------------------------------------------------------------------------------

    def titles(self, field: Field) -> Sequence[str] | None:
        """The names that are legal in a field now; None: the rules have no opinion."""
        system, kind = self.context.system, self.grammar.verb.kind
        return system.proposals_for(self.context.state, kind, field.key, self.whose, self.given)

    def fit(self, field: Field, at: int, *, named: bool = False, line: Line | None = None) -> Fit:
        """The value of a field at a place, and the place behind it; None: none. Raises LineError for several."""
        line = self.line if line is None else line
        if at >= len(line.words):
            return None
        word = line.words[at]
        if word.text == "[]" and not word.quoted and field.kind.shape == "list":
            return [], at + 1
        if field.names == "character":
            return self._people(field, line, at)
        if field.kind.extra.get("all") and word.text.casefold() == "all":
            return ["all"], at + 1
        if field.dice:
            return self._results(field, line, at)
        if field.turn:
            return self._turns(field, line, at)
        if field.kind.shape == "map":
            return self._map(field, word, at)
        titles = self.titles(field)
        if (known := known_in(self.context, self.grammar.verb.kind, field)) and not named:
            for end in range(min(at + LONGEST_TITLE, len(line.words)), at, -1):
                same = [name for name in known if plain_words(name) == plain_words(line.rest(at, end))]
                if same and not line.words[end - 1].quoted:
                    return same[0], end
        if field.kind.shape != "list":
            return single_at(field, field.kind, titles, line, at, named=named)
        return self._list(field, titles, line, at, named=named)

    def _people(self, field: Field, line: Line, at: int) -> Fit:
        people = people_at(self.context, line, at)
        if people is None:
            return None
        if field.kind.shape != "list":
            return (people[0][0], people[1]) if len(people[0]) == 1 else None
        names, beyond = list(people[0]), people[1]
        while beyond < len(line.words) and (is_join(line, beyond) or line.words[beyond - 1].text.endswith(",")):
            more = people_at(self.context, line, beyond + is_join(line, beyond))
            if more is None:
                break
            names, beyond = [*names, *more[0]], more[1]
        return names, beyond

    def _results(self, field: Field, line: Line, at: int) -> Fit:
        """Dice as they fell; of dice that the line names, as many as there are, each of what it can show."""
        dice = self.given.get(field.sides_in or "")
        if not isinstance(dice, str):
            return dice_at(line, at)
        count, sides = sides_in(dice)
        faces, here = list[int](), at
        while here < len(line.words) and len(faces) < count and (more := dice_at(line, here, sides)) is not None:
            behind = dice_at(Line(line.text, line.words[: here + 1]), here, sides)
            faces, here = [*faces, *(behind or more)[0]], here + 1
        if here == at or (number_at(line, at, signed=False) is None and "," not in line.words[at].text):
            return None
        if len(faces) != count or not all(1 <= face <= sides for face in faces):
            what = "one number" if count == 1 else f"{count} numbers"
            raise self.refuse(f"{dice} shows {what} from 1 to {sides}.", at, *self._as_words(at))
        return faces, here

    def _turns(self, field: Field, line: Line, at: int) -> Fit:
        word = line.words[at]
        if field.kind.shape == "text":
            return word.text, at + 1
        found = turns_at(line, at, self.context.log)
        if found is not None and field.kind.shape == "list":
            return found
        if found is not None:
            number = turn_number_of(word.text, self.context.log)
            return None if number is None else (number, at + 1)
        if not re.fullmatch(r"\d{1,15}", word.text) or word.quoted:
            return None
        if field.kind.shape != "list":
            return int(word.text), at + 1
        ways = [self.line.replaced(at, at + 1, way) for way in (f"T{word.text}", f"last {word.text}")]
        raise self.refuse(f"{word.text} may be the turn T{word.text} or the last {word.text} turns.", at, *ways)

    def _map(self, field: Field, word: Word, at: int) -> Fit:
        """`brog=3,4`, `strength=2,wisdom=1`; without a name, for the one whom the line is about."""
        if word.text.startswith("{"):
            value = json_or_text(word.text)
            return (value, at + 1) if isinstance(value, dict) else None
        keys, item = field.kind.keys, field.kind.item
        assert keys is not None and item is not None
        values: dict[str, Any] = {}
        for name, value in pairs_of(word.text, item):
            if value is None or (name is None and (self.whose is None or keys.names is None)):
                return None
            if name is None and len(self.names) > 1:
                raise self.refuse(f"Say whose: {field.key}=NAME={word.text}.")
            if name is None:
                name = str(self.whose)
            elif keys.names is not None:
                name = find_name(name, self.context.state.characters)
            else:
                known = tuple(map(str, keys.choices or self.titles(field) or ()))
                name = next(iter(fitting(name, known)), name)
            if name in values:
                return None
            values[name] = value
        return values, at + 1

    def _list(self, field: Field, titles: Sequence[str] | None, line: Line, at: int, *, named: bool) -> Fit:
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
                more, beyond = self._written_items(item.written_as, line, here)
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

    def _written_items(self, pattern: str, line: Line, at: int) -> tuple[list[str], int]:
        """Items of a form of their own, of several words each: `rolling +1,rolling +1`."""
        for end in range(len(line.words), at, -1):
            text = line.rest(at, end)
            items = [
                part.strip().strip('"') for part in text.replace("−", "-").replace("–", "-").split(",") if part.strip()
            ]
            if items and all(re.fullmatch(pattern, part) for part in items):
                return items, end
        return [], at

    def _value(self) -> bool:
        """The value of the first open field in order that takes one here. Refuses what two of different kinds take."""
        found: list[tuple[Field, Any, int]] = []
        for field in self.grammar.order:
            is_free = is_text(field)
            if not self.is_open(field) or (is_free and not field.required and not self.words[self.at].quoted):
                continue
            fit = self.fit(field, self.at)
            if fit is None or fit[1] > self.end:
                continue
            if is_free and not self.words[self.at].quoted and found:
                continue
            found.append((field, *fit))
            if is_free or not self._is_name(field, fit[0]):
                break
        if not found:
            return self._newcomer() or self._as_typed()
        field, value, beyond = self._without_doubt(found)
        self.groups[-1].values[field.key] = value
        self._refuse_open_title(field, beyond)
        self._refuse_listed(field, value, beyond)
        self.at = beyond
        return True

    def _newcomer(self) -> bool:
        """`new goblin`: somebody who is not on the log's own list, and is added to it first."""
        fields = (field for field in self.grammar.order if field.added_by is not None and self.is_open(field))
        field, word = next(fields, None), self.words[self.at]
        if field is None or word.quoted or word.text.casefold() != "new" or self.at + 1 >= self.end:
            return False
        end = self._end_of_name(self.at + 1)
        name = self.line.rest(self.at + 1, end).rstrip(",")
        self.added.append({"type": field.added_by, field.key: name})
        self.groups[-1].values[field.key] = name
        self.at = end
        return True

    def _as_typed(self) -> bool:
        """A card or an item that is not legal now: that is for the rules to say."""
        fields = (
            field for field in self.grammar.order if field.required and field.one.reference and self.is_open(field)
        )
        field, word = next(fields, None), self.words[self.at]
        if field is None or not word.text[:1].isalnum():
            return False
        if is_join(self.line, self.at):
            raise self.refuse(f"{word.text!r} does not fit here.", self.at, self.line.replaced(self.at, self.at + 1))
        end = self._end_of_name(self.at) if self.grammar.words is None and field.kind.shape != "list" else self.at + 1
        name = self.line.rest(self.at, end)
        self.groups[-1].values[field.key] = [name] if field.kind.shape == "list" else name
        self.at = end
        return True

    def _end_of_name(self, begin: int) -> int:
        """The end of a name that is on no list: before what is a value of another field, or a field by its name."""
        end = begin + 1
        while end < self.end and not self.words[begin].quoted:
            word = self.words[end]
            if word.quoted or "=" in word.text or word.is_option or self._begins_value(end):
                break
            if self.grammar.field(word.text) is not None or self._names_at(end):
                break
            end += 1
        return end

    def _is_name(self, field: Field, value: Any) -> bool:
        """Whether a value was taken by its name, so that another field might take it as well."""
        return field.kind.shape == "choice" or isinstance(value, str)

    def _without_doubt(self, found: list[tuple[Field, Any, int]]) -> tuple[Field, Any, int]:
        """The only value of those that fit: one that is said whole wins; two kinds are refused with both."""
        kinds = {(field.kind.shape, field.names, field.added_by, field.kind.choices): (field, value, end)
                 for field, value, end in reversed(found)}  # fmt: skip
        ways = list(reversed(kinds.values()))
        whole = [way for way in ways if plain_words(str(way[1])) == plain_words(self.line.rest(self.at, way[2]))]
        if len(whole or ways) == 1:
            return (whole or ways)[0]
        both = [self.line.replaced(self.at, end, f"{field.key}={quote(str(value))}") for field, value, end in ways]
        text = self.line.rest(self.at, ways[0][2])
        raise self.refuse(f"{text} may be {either([str(way[1]) for way in ways])}.", self.at, *both)

    def _refuse_open_title(self, field: Field, beyond: int) -> None:
        """A title of one's own before words ends where its quotes end: `paragraph add 6.13 "Wet ropes" Whoever …`."""
        word = self.words[self.at]
        is_title = is_text(field) and field.never_blank and not field.kind.written_as and self.grammar.words is not None
        if not is_title or word.quoted or self.line.from_shell or beyond >= self.end:
            return
        ways = [self.line.replaced(self.at, end, quote(self.line.rest(self.at, end), always=True))
                for end in (beyond, beyond + 1)]  # fmt: skip
        raise self.refuse(f"Put the {field.key} in quotes, so that it ends where you mean.", self.at, *ways)

    def _refuse_listed(self, field: Field, value: Any, beyond: int) -> None:
        """A part of the name of what is on the log's own list, where a new name is told: `foe reed 4`.

        With a flag behind it, as in `foe reed gone`, it is about what is there.
        """
        known = known_in(self.context, self.grammar.verb.kind, field)
        flags = [key for key, own in self.grammar.fields.items() if own.kind.shape == "flag"]
        is_there = any(word.text.partition("=")[0] in flags for word in self.words[beyond : self.end])
        if not known or value in known or self.words[self.at].quoted or is_there:
            return
        for end in range(min(self.at + LONGEST_TITLE, self.end), self.at, -1):
            text = self.line.rest(self.at, end)
            if meant := fitting(text, known):
                ways = [self.line.replaced(self.at, end, quote(name)) for name in meant]
                new = self.line.replaced(self.at, end, quote(text, always=True))
                raise self.refuse(f"{text} may be {either(meant)}, or a new name.", self.at, *ways, new)

    def _dice(self) -> bool:
        """`brog 545`: the dice of whoever was named last, in an action of several."""
        faces, group = self.grammar.faces, self.groups[-1]
        found = dice_at(self.line, self.at) if faces is not None and faces.key not in self.shared else None
        if found is None or not group.names or found[1] > self.end:
            return False
        stuck = self.words[self.at].text.removesuffix(",")
        if found[1] == self.at + 1 and stuck.isdecimal() and found[1] < self.end and self._names_at(found[1]):
            found = [int(face) for face in stuck], found[1]  # `brog 34, seg 61`: the comma parts the people
        if group.is_group or group.names[-1] in group.faces:
            names = [name for name in group.names if name not in group.faces] or group.names
            text = self.line.rest(self.at, found[1])
            raise self.refuse(f"Say whose dice {text} are, like {quote(names[0])} {text}.", self.at)
        group.faces[group.names[-1]] = found[0]
        self.at = found[1]
        return True

    # -- values by name ------------------------------------------------------------------------------------------------

    def take_named(self) -> bool:
        """`dc=30`, `--dc 30`, `dc 30`, `--no-safe`; NAME=VALUE of the rules or of a sheet; an option of the line."""
        word = self.words[self.at]
        if (option := option_at(self.line, self.at, self.end, self.grammar.fields)) is not None:
            if self.manner.get(option[0], option[1]) != option[1]:
                raise self.refuse(f"{option[0]} is given twice.")
            self.manner[option[0]], self.at = option[1], option[2]
            return True
        if (
            word.text.removeprefix("--") in SETTLING
            and word.text.startswith("--")
            and "conflicts" in self.grammar.fields
        ):
            self._give(self.grammar.fields["conflicts"], SETTLING[word.text.removeprefix("--")])
            self.at += 1
            return True
        name, sign, text = word.text.removeprefix("--").partition("=")
        is_option = word.is_option
        if (word.quoted and not sign) or (not is_option and sign and not NAME.fullmatch(name)):
            return False
        field = self.grammar.field(name)
        if field is None or field is self.grammar.loose:
            return self._not_a_field(field, name, sign, text, is_option=is_option)
        if sign:
            self._give_text(field, Word(text, word.start + len(word.text) - len(text), word.end, word.quoted))
            return True
        if is_option or name == field.short:
            return self._option(field)
        return self._by_its_name(field)

    def _not_a_field(self, loose: Field | None, name: str, sign: str, text: str, *, is_option: bool) -> bool:
        """NAME=VALUE of the rules or of a sheet, `--no-safe`; what nothing takes is refused."""
        grammar = self.grammar
        if grammar.loose is not None and (sign or (loose is not None and is_option)):
            if loose is not None:  # `set=hp=9`, `--set hp=9`, a JSON object
                if not sign:
                    self.at += 1
                    text = self.words[self.at].text if self.at < self.end else ""
                name, sign, text = text.partition("=") if not text.startswith("{") else ("", "", text)
            values = {name.strip(): text} if sign and name.strip() else json_or_text(text)
            if not isinstance(values, dict):
                raise self.refuse(f"Write it as NAME=VALUE, not {text or name!r}.", self.at)
            self._set(values if not sign else {name.strip(): self._as_set(name.strip(), text)})
            self.at += 1
            return True
        off = grammar.field(name.removeprefix("no-")) if is_option and name.startswith("no-") else None
        if off is not None and off.kind.shape == "flag" and not sign:
            self._give(off, False)
            self.at += 1
            return True
        if is_option:
            near = nearest(name, [key.replace("_", "-") for key in grammar.fields])
            hint = f"; did you mean --{near}?" if near else "."
            raise self.refuse(f"There is no option --{name}{hint}", self.at)
        if sign and not grammar.any_words:
            takes = listed([f"{key}=" for key in grammar.fields]) or "no fields"
            reason = f"{verb_name(grammar.verb.kind)} has no field {name}; it takes {takes}."
            begun = fitting(name, grammar.fields)
            ways = [self.line.replaced(self.at, self.at + 1, f"{key}={quote(text)}") for key in begun]
            raise self.refuse(reason, self.at, *ways)
        return False

    def settable(self, name: str) -> bool:
        """Whether NAME=VALUE sets something that is no field: an option of the rules, a field of a sheet."""
        return name.replace("-", "_") in self.grammar.settable(self.context, self.whose)

    def given_anew(self) -> dict[str, Any]:
        """The fields that an amendment gives, by name."""
        who, names = self.grammar.who, self.groups[0].names
        about = {who.key: names if self.grammar.several else names[0]} if who is not None and names else {}
        return {**about, **self.shared}

    def _set(self, values: Mapping[str, Any]) -> None:
        loose = self.grammar.loose
        assert loose is not None
        settable = self.grammar.settable(self.context, self.whose)
        so_far = self.shared.setdefault(loose.key, {})
        for name, value in values.items():
            plain = name.replace("-", "_")
            key = plain if plain in settable else name
            if key in so_far:
                raise self.refuse(f"{key} is given twice.", self.at)
            so_far[key] = value

    def _as_set(self, name: str, text: str) -> Any:
        """The value of an option, or of a field of a sheet; a text as JSON where it is none of yes and no."""
        plain = name.replace("-", "_")
        if self.grammar.who is None:
            option = options_of(self.context.system.options).get(plain)
            return json_or_text(text, option.type if option is not None else Any)
        state = self.context.state
        sheet = self.context.system.sheet_view(state, self.whose) if self.whose in state.characters else {}
        return json_or_text(text, bool if isinstance(sheet.get(plain), bool) else Any)

    def _give_text(self, field: Field, word: Word) -> None:
        """`dc=30`: all that stands behind the sign is the value."""
        self._give(field, self._named_value(field, Line(self.line.text, (word,)), 0, 1, field.key)[0])
        self.at += 1

    def _option(self, field: Field) -> bool:
        """`--dc 30`, `--safe`, `-n 2`: an option has a value behind it, unless it is a flag or stands for one."""
        here, has_value = self.at, self.at + 1 < self.end
        value: Any = True
        if field.kind.shape == "flag":
            beyond = here + 1
        elif field.alone is not None and (not has_value or self.words[here + 1].is_option):
            value, beyond = field.alone, here + 1
        elif has_value:
            value, beyond = self._named_value(field, self.line, here + 1, self.end, f"--{field.key}")
        else:
            raise self.refuse(f"{self.words[here].text} needs a value.")
        self._give(field, value)
        self.at = beyond
        return True

    def _named_value(self, field: Field, line: Line, at: int, end: int, name: str) -> tuple[Any, int]:
        """The value behind the name of a field, from a file where it is one's. Raises LineError, and Unknown."""
        word = line.words[at]
        if field.file is not None and self.context.reads is not None and word.text:
            return self.context.reads(word.text), at + 1
        fit = self.fit(field, at, named=True, line=line) if word.text or word.quoted else None
        if fit is not None and fit[1] <= end:
            return fit
        if field.names == "character" and word.text:
            find_name(word.text, self.context.state.characters)
        raise self.refuse(f"{name} must be {takes(self, field)}, not {word.text!r}.")

    def _by_its_name(self, field: Field) -> bool:
        """`dc 30`, `player Mia`: where a value of the field stands behind its name. Words are named with `=` alone."""
        is_taken = not self.is_open(field) and field.kind.shape != "list"
        if field.kind.shape == "flag" or is_taken or field is self.grammar.who or self._says_words:
            return False
        is_free = is_text(field) and not field.turn
        is_words = self.grammar.words is not None and self.words_at is None
        if is_free and is_words and not (self.at + 1 < self.end and self.words[self.at + 1].quoted):
            return False
        fit = self.fit(field, self.at + 1, named=is_free) if self.at + 1 < self.end else None
        if fit is not None and fit[1] <= self.end:
            self._give(field, fit[0])
            self.at = fit[1]
            return True
        if fit is None and field.among is not None and len(self.names) == 1:
            self._give(field, list(self.names))  # `rest brog keep`
            self.at += 1
            return True
        if fit is None and field.one.written_as is not None and self.at + 1 < self.end:
            raise self.refuse(f"{field.key} must be {field.description}, not {self.words[self.at + 1].text!r}.")
        if fit is None and field.alone is not None and self.at + 1 == self.end:
            self._give(field, field.alone)
            self.at += 1
            return True
        return False

    def _flag(self) -> bool:
        """`safe`, `unsafe`, `no-safe`, `not safe`."""
        if self.words[self.at].quoted or self._says_words:
            return False
        said = self.words[self.at].text.casefold().replace("_", "-")
        behind = self.words[self.at + 1].text.casefold().replace("_", "-") if self.at + 1 < self.end else ""
        for field in self.grammar.fields.values():
            name = field.key.replace("_", "-")
            is_off = said == "not" and behind == name
            if (
                field.kind.shape == "flag"
                and self.is_open(field)
                and (said in (name, f"un{name}", f"no-{name}") or is_off)
            ):
                self._give(field, said == name)
                self.at += 1 + is_off
                return True
        return False

    def _give(self, field: Field, value: Any) -> None:
        """Set a field for everybody whom the line is about."""
        key = field.key
        if field is self.grammar.who and (self.replaces or self.is_default or not self.groups[0].names):
            self.groups[0].names = list(value) if isinstance(value, list) else [value]
            self.is_default = False
        elif field is self.grammar.who and self.grammar.several and isinstance(value, list):
            self.groups[0].names += value
        elif self.is_open(field):
            self.shared[key] = value
        elif isinstance(value, list) and isinstance(self.shared.get(key), list):
            self.shared[key] = [*self.shared[key], *value]
        elif (
            isinstance(value, dict)
            and isinstance(self.shared.get(key), dict)
            and not set(value) & set(self.shared[key])
        ):
            self.shared[key] = {**self.shared[key], **value}
        else:
            ways = []
            if self.words_at is not None and self.grammar.words is not None and key == self.grammar.words.key:
                quoted = self._in_quotes(range(self.words_at, self.at))
                ways = [self.line.replaced(self.words_at, self.at, quoted)]
            raise self.refuse(f"{key} is given twice.", None, *ways)

    # -- words ---------------------------------------------------------------------------------------------------------

    def _take_words(self) -> None:
        """The words, from here to the end of the line, or to the end of their quotes."""
        words, here, first = self.grammar.words, self.at, self.words[self.at]
        if self.grammar.who is not None and not self.groups[0].names and here == self.begin:
            is_slip = nearest(first.text, self.context.state.characters) is not None  # `rest borg 34 ada 61`
            if not is_slip:
                self._refuse_name_among_words(here, self.end)
            find_name(first.text, self.context.state.characters)
        if words is None or not self.is_open(words):
            raise self._no_words()
        if self.settable(first.text) and not first.quoted and self.is_open_loose:
            value = here + 1 + (here + 2 < self.end and self.words[here + 1].text == "=")
            if value < self.end and not self.words[value].is_option:
                pair = f"{first.text}={self.line.typed(value)}"
                raise self.refuse(f"Write it as {pair}.", here, self.line.replaced(here, value + 1, pair))
        if not first.quoted:
            self._refuse_beginning(here)
        end = self._end_of_words(here)
        if self.is_default and not (first.quoted and end == here + 1):
            self._refuse_name_among_words(here, end)
        if not self.grammar.any_words:
            self._check_words(here, end)
        elif not (first.quoted and end == here + 1):
            if any(field.turn for field in self.grammar.order):
                self._check_turns(here, end)
            self._refuse_other_verb(here, end)
        self._put_words(words, here, end)

    def _put_words(self, words: Field, begin: int, end: int) -> None:
        led = not self.words[begin].quoted and self.words[begin].text.casefold() in words.led_by and begin + 1 < end
        text = self.line.rest(begin + led, end)
        value = text.removesuffix(",") if end < self.end else text
        is_free = words.one.written_as is None or (self.words[begin].quoted and end == begin + 1)
        if not is_free and not re.fullmatch(str(words.one.written_as), value):
            form = words.one.description.partition(";")[0]
            raise self.refuse(f"{value!r} is not {form}.", begin, *self._as_words(begin))
        self.shared[words.key] = value
        self.words_at, self.at = begin, end

    def _names_something(self, name: str) -> bool:
        is_of_sheet = self.grammar.loose is not None and self.grammar.who is not None and NAME.fullmatch(name)
        return self.grammar.field(name) is not None or self.settable(name) or bool(is_of_sheet)

    def _end_of_words(self, begin: int) -> int:
        """The end of the words: of their quotes; before an option, and before NAME=VALUE of a verb for words.

        Words that may be any may begin with a quotation: `note "Halt!" cried the guard`.
        """
        end = self.end
        is_quoted = self.words[begin].quoted and begin + 1 < end
        if is_quoted and (not self.grammar.any_words or self._is_value_by_name(begin + 1)):
            return begin + 1
        while self.grammar.says_all and end > begin + 1:
            name, sign, _ = self.words[end - 1].text.partition("=")
            if not sign or not self._names_something(name):
                break
            end -= 1
        for place in range(begin + 1, end):
            word = self.words[place]
            if word.is_option:
                return place
            name, sign, _ = word.text.partition("=")
            if self.grammar.any_words and sign and self._names_something(name) and not word.quoted:
                raise self._may_be_values([(place, word.text)], begin, end)
        return end

    def _is_value_by_name(self, at: int) -> bool:
        """Whether a field by its name, a flag or a turn stands at a place."""
        word = self.words[at]
        name, sign, _ = word.text.removeprefix("--").partition("=")
        if word.is_option or (sign and self._names_something(name)):
            return True
        behind = self.words[at + 1].text if at + 1 < self.end else ""
        flags = [field.key for field in self.grammar.fields.values() if field.kind.shape == "flag"]
        is_flag = name in flags or any(
            name in (f"un{key}", f"no-{key}") or (name, behind) == ("not", key) for key in flags
        )
        takes_turns = any(field.turn for field in self.grammar.order)
        return not word.quoted and (
            is_flag
            or (self.grammar.field(name) is not None and bool(behind))
            or (takes_turns and turn_number_of(word.text, self.context.log) is not None)
        )

    def _refuse_beginning(self, here: int) -> None:
        """Refuse what begins no words: a number, a sign, `and`; a reason before the turns that it is about."""
        words, text = self.grammar.words, self.words[here].text
        assert words is not None
        lacks_turns = any(
            field.turn and field.kind.shape == "list" and self.is_open(field) for field in self.grammar.order
        )
        if lacks_turns and not words.required and not {"last", "to"} & self.shared.keys():
            raise self.refuse(f"{text!r} is not a turn; name turns like T4, and then the reason.", here)
        if self._says_words and (flag := self._flag_in_front(here)) is not None:
            raise self._may_be_values([(here, flag)], here, self.end)
        if self.grammar.says_all or self.grammar.any_words or words.one.written_as is not None:
            return
        amount = re.match(r"[+−–-]?(\d+)[^\W\d_]+$", text)
        if amount is not None and any(
            f.required and f.kind.shape == "number" and self.is_open(f) for f in self.grammar.order
        ):
            raise self.refuse(
                f"{text!r} is no number; units are not read.", here, self.line.replaced(here, here + 1, amount[1])
            )
        if text.casefold() in ("and", *BUT) or is_sign(self.line, here) or re.fullmatch(r"[+−–-]?\d[\d,+−-]*", text):
            raise self.refuse(f"{text!r} does not fit here.", here, *self._as_words(here))
        if text.startswith("-") and len(text) > 1:
            raise self.refuse(f"There is no option {text}.", here, *self._as_words(here))

    def _flag_in_front(self, here: int) -> str | None:
        """A flag in front of what is written down, as it is said by its name: `ruling 6.4 trial We all rest`."""
        field = self.grammar.field(self.words[here].text)
        return f"{field.key}=yes" if field is not None and field.kind.shape == "flag" else None

    def _as_words(self, here: int) -> list[str]:
        """The line with all from a place on as words in quotes, where the verb takes words."""
        words = self.grammar.words
        if words is None or not self.is_open(words):
            return []
        return [self.line.replaced(here, self.end, self._in_quotes(range(here, self.end)))]

    def _in_quotes(self, places: Sequence[int]) -> str:
        """These words in quotes, without a little word that leads to them: `from "2 goblins"`."""
        words, texts = self.grammar.words, [self.words[place].text for place in places]
        is_led = words is not None and len(texts) > 1 and texts[0].casefold() in words.led_by
        return " ".join([*texts[:is_led], quote(" ".join(texts[is_led:]), always=True)])

    def _no_words(self) -> LineError:
        """That a word fits nothing: with the line in which it belongs to what stands before it, or is NAME=VALUE."""
        at, grammar, text = self.at, self.grammar, self.words[self.at].text
        if self.is_default:
            self._refuse_name_among_words(at, self.end)
        ways = []
        if self.words_at is not None:
            places = list(range(self.words_at, self.end))
            if turn_number_of(text, self.context.log) is not None:
                ways.append(
                    self.line.replaced(self.words_at, at + 1, text, *map(self.line.typed, places[: at - places[0]]))
                )
            ways.append(self.line.replaced(self.words_at, self.end, self._in_quotes(places)))
        elif at > self.begin and not self.words[at - 1].quoted:
            ways = [self.line.replaced(at - 1, end, quote(self.line.rest(at - 1, end), always=True))
                    for end in range(at + 1, min(at + 4, self.end) + 1)][:1]  # fmt: skip
        if at + 1 < self.end and text.replace("-", "_") in grammar.settable(self.context, self.whose):
            ways = [self.line.replaced(at, at + 2, f"{text}={self.line.typed(at + 1)}")]
        for of_list in (field for field in grammar.order if field.added_by is not None and self.is_open(field)):
            near = nearest(text, self.titles(of_list) or ())
            ways = [self.line.replaced(at, at + 1, quote(near))] if near is not None else []
            ways += [self.line.replaced(at, at, "new")]
        what = "the words are said already"
        if grammar.words is None:
            what = f"{verb_name(grammar.verb.kind)} takes no words"
        wanted = next(filter(self.is_open, grammar.order), None)
        is_closed = wanted is not None and wanted.one.shape in ("choice", "flag", "number")
        if wanted is not None and is_closed and not any(field.names == NEW for field in grammar.order):
            what = f"{wanted.key} takes {takes(self, wanted)}"
            slips = get_close_matches(text.casefold(), wanted.one.offered_choices, n=1, cutoff=LIKE_A_SLIP)
            ways = [self.line.replaced(at, at + 1, quote(slip)) for slip in slips] or ways
        return self.refuse(f"{text!r} does not fit here; {what}.", at, *ways)

    # -- nothing that could be a value ends among the words ------------------------------------------------------------

    def _check_words(self, begin: int, end: int) -> None:
        """Refuse words with something among them that could be a value of this line."""
        if self.words[begin].quoted and end == begin + 1:
            return
        grammar = self.grammar
        for place in range(begin, end - 1):
            if self.words[place].text.casefold() in BUT and not self.words[place].quoted and grammar.who is not None:
                out = people_at(self.context, self.line, place + 1) if self._names_at(place + 1) else None
                if out is not None and set(out[0]) & set(self.names):
                    raise self.refuse(f"Is {listed(out[0])} left out? Say whom it is about before the values.", place)
        is_named_before = self._names_of_people(begin, end)
        found = [
            (place, value)
            for place in range(begin, end)
            if not self.words[place].quoted
            and (value := self._value_among_words(place, begin, end, is_named_before)) is not None
        ]
        if found:
            raise self._may_be_values(found, begin, end)
        self._refuse_figures(begin, end)
        for place in range(begin, end) if any(field.sides_in for field in grammar.order) else ():
            word = self.words[place]
            if number_at(self.line, place) is not None:  # what was rolled stands directly behind the dice
                ways = [line for at in {self.begin + 1, begin} if at < end for line in self._as_words(at)]
                raise self.refuse(f"{word.text!r} may be a result or part of the words.", place, *ways)

    def _refuse_figures(self, begin: int, end: int) -> None:
        """Refuse something of the sheet with a number behind it: `d brann 4 shield 1` may be the items'."""
        sheet = self.context.state.characters.get(self.whose or "")
        if sheet is None or self.grammar.words is None or self.grammar.words.one.written_as is not None:
            return
        own = {*self.context.system.sheet_view(self.context.state, str(self.whose)), *map(key_of, sheet.tracked)}
        numbers = [f for f in self.grammar.fields.values() if f.kind.shape == "number" and self.is_open(f)]
        for place in range(begin, end - 1):
            said, number = self.words[place].text.casefold(), self.words[place + 1].text
            meant = [field for field in numbers if said in field.key.split("_")]
            if (meant or said in own) and re.fullmatch(r"\d{1,4}", number):
                rest = [self.line.typed(at) for at in (*range(begin, place), *range(place + 2, end))]
                ways = [self.line.replaced(begin, end, f"{field.key}={number}", *rest) for field in meant]
                text = self.line.rest(place, place + 2)
                raise self.refuse(
                    f"{text!r} may be a value or part of the words.", place, *ways, *self._as_words(begin)
                )

    def _check_turns(self, begin: int, end: int) -> None:
        """Refuse a reason with a turn in it, which may be one more of those that the line is about."""
        if number_at(self.line, begin) is not None:
            raise self.refuse(f"{self.words[begin].text!r} does not fit here.", begin, *self._as_words(begin))
        for place in range(begin, end):
            if turn_number_of(self.words[place].text, self.context.log) is not None:
                rest = [self.line.typed(at) for at in range(begin, end) if at != place]
                moved = self.line.replaced(begin, end, self.words[place].text, *rest)
                reason = f"{self.words[place].text} may be one of the turns or part of the reason."
                raise self.refuse(reason, place, moved, *self._as_words(begin))

    def _refuse_other_verb(self, begin: int, end: int) -> None:
        """Refuse words that begin with another verb for the same action, which says otherwise: `absent ada back`."""
        verb, said = self.grammar.verb, self.words[begin].text.casefold()
        if said in verb.kind.shorts and verb.kind.shorts[said] != verb.sets:
            words = [self.line.typed(at) for at in (*range(self.begin, begin), *range(begin + 1, end))]
            ways = [" ".join([said, *words]), *self._as_words(begin)]
            raise self.refuse(f"{said!r} may be a verb or part of the words.", begin, *ways)

    def _refuse_name_among_words(self, begin: int, end: int) -> None:
        """Refuse somebody's name where whom the line is about was left out: it may be about them."""
        somebody = somebody_among_words(self.context, self.line, begin, end)
        if somebody is None:
            return
        (name, at), words = somebody, self.grammar.words
        everybody = tuple(self.context.state.characters)
        before = self.words[at - 1].text.casefold() if at > begin else ""
        ways = []
        if before != "by" and (words is None or before not in words.led_by):  # by whom is not whom it is about
            first = at - (before in ("for", "to", "on", "of"))
            rest = [self.line.typed(place) for place in (*range(self.begin, first), *range(at + 1, len(self.words)))]
            ways = [self.line.replaced(self.begin, len(self.words), quote(short_for(name, everybody)), *rest)]
        if not ways and self.groups[0].names:
            ways.append(
                self.line.replaced(self.begin, self.begin, quote(short_for(self.groups[0].names[0], everybody)))
            )
        raise self.refuse("Whom is it about? A name stands before the values.", begin, *ways)

    def _names_of_people(self, begin: int, end: int) -> set[int]:
        """The places of words that belong to the name of somebody who is there, as the 2 of Goblin 2."""
        places: set[int] = set()
        for at in range(begin, end - 1):
            for beyond in range(at + 2, min(at + 4, end) + 1):
                run = plain_words(self.line.rest(at, beyond))
                if any(plain_words(name) == run for name in self.context.state.characters):
                    places |= set(range(at, beyond))
        return places

    def _value_among_words(self, place: int, begin: int, end: int, names: set[int]) -> str | None:
        """The value, by its field's name, that a word among others could be; None: it is a word."""
        word, grammar = self.words[place], self.grammar
        name, sign, text = word.text.partition("=")
        if sign and NAME.fullmatch(name) and text:
            return word.text
        for field in grammar.fields.values():
            if field is grammar.words or field is grammar.who:
                continue
            key, is_flag = field.key.replace("_", "-"), field.kind.shape == "flag"
            plain = name.casefold().replace("_", "-")
            # what has a value already is said again: `d brog 3 dc 4 dc 5`, `attack unattack`
            is_said = self.is_open(field) or is_flag or (not is_text(field) and self.fit(field, place + 1) is not None)
            if is_said and (plain == key or (is_flag and plain in (f"un{key}", f"no-{key}"))):
                return self._field_among_words(field, place, end, is_on=plain == key)
            if place in names or not self.is_open(field):
                continue
            if (value := self._open_value(field, place, is_alone=end == begin + 1)) is not None:
                return value
        if word.text.casefold() == (grammar.words.key if grammar.words else "") and place == begin and place + 1 < end:
            return f"{word.text}="
        return None

    def _field_among_words(self, field: Field, place: int, end: int, *, is_on: bool) -> str:
        if field.kind.shape == "flag":
            return f"{field.key}={'yes' if is_on else 'no'}"
        text = self.words[place + 1].text if place + 1 < end else ""
        slips = get_close_matches(text.casefold(), field.one.offered_choices, n=1, cutoff=LIKE_A_SLIP)
        return f"{field.key}={quote((slips or [text])[0]) if text else ''}"

    def _open_value(self, field: Field, place: int, *, is_alone: bool) -> str | None:
        """A value of an open field that a word among others is: a number that a person would fill, a whole name.

        Any number where it is all of the words, and none were asked for: `session open 5`.
        """
        word, words, in_order = self.words[place], self.grammar.words, field in self.grammar.order
        assert words is not None
        one = field.one
        if field.turn:
            number = turn_number_of(word.text, self.context.log)
            return f"{field.key}=T{number}" if number is not None else None
        if one.shape == "number":
            counts = in_order or field.dice or field.filled or (is_alone and not words.required)
            return f"{field.key}={word.text}" if counts and number_at(self.line, place, signed=False) else None
        if one.shape == "choice":
            whole = [str(choice) for choice in one.choices if plain_words(str(choice)) == plain_words(word.text)]
            return f"{field.key}={whole[0]}" if whole else None
        titles = one.values or (None if is_text(field) else self.titles(field))
        if titles is None or (word.text.isdecimal() and not (in_order and self.can_report(field))):
            return None
        found = next((title for title in titles if plain_words(str(title)) == plain_words(word.text)), None)
        return f"{field.key}={quote(str(found))}" if found is not None else None

    def can_report(self, field: Field) -> bool:
        """Whether cards may be reported in a field for whoever the line is about: only where they lie on the table."""
        cards = self.context.system.cards_to_report(self.context.state, self.grammar.verb.kind, field.key, self.whose)
        return field.one.values is None or cards is not None

    def _may_be_values(self, found: Sequence[tuple[int, str]], begin: int, end: int) -> LineError:
        """The refusal with the lines that can be meant: a value moved before the words, and the words in quotes.

        What is said by its name is moved with each of the others, of which one alone is.
        """
        alone = [(place, value) for place, value in found if not self._is_value_by_name(place)]
        named = [(place, value) for place, value in found if (place, value) not in alone]
        behind = {place + 1 for place, value in named if self._width(place, value) > 1}
        alone = [(place, value) for place, value in alone if place not in behind]
        ways = []
        if not any(self._is_denied(place, begin) for place, _ in found):
            ways = [self._moved([*named, one], begin, end, is_left=len(alone) > 1) for one in alone[:2]]
            ways = ways or [self._moved(named, begin, end, is_left=False)]
        words = self.line.replaced(begin, end, self._in_quotes(range(begin, end)))
        (place, value), *_ = found
        text = self.line.rest(place, min(place + self._width(place, value), end))
        missing = {field.key for field in self.missing() if field is not self.grammar.words}
        if missing and not missing & {value.partition("=")[0] for _, value in found}:
            self.words_at = begin
            self.check_complete()  # as neither line can be read: `roll d% 45`
        return self.refuse(f"{text!r} may be a value or part of the words.", place, *ways, words)

    def _is_denied(self, place: int, begin: int) -> bool:
        return any(self.words[at].text.casefold() in DENYING for at in range(max(begin, place - 2), place))

    def _width(self, place: int, value: str) -> int:
        """How many words a value takes that stands among others: two, where its name stands before it."""
        name, _, behind = value.partition("=")
        is_pair = self.words[place].text.replace("-", "_").casefold() == name and behind not in ("yes", "no")
        return 1 + (is_pair and place + 1 < self.end)

    def _moved(self, found: Sequence[tuple[int, str]], begin: int, end: int, *, is_left: bool) -> str:
        """The line with these values before the words, which stand in quotes where another value is left in them."""
        (place, value), words = found[0], self.grammar.words
        if words is not None and value == f"{words.key}=" and place + 1 < end:  # the name of the words before them
            text = quote(self.line.rest(place + 1, end), always=True)
            return self.line.replaced(place, end, f"{words.key}={text}")
        taken = {at for place, value in found for at in range(place, place + self._width(place, value))}
        rest = [at for at in range(begin, end) if at not in taken]
        texts = [self._in_quotes(rest)] if is_left else [self.line.typed(at).removesuffix(",") for at in rest]
        return self.line.replaced(begin, end, *(value for _, value in found), *texts)

    # -- the end -------------------------------------------------------------------------------------------------------

    def refuse(self, reason: str, at: int | None = None, *nearest: str) -> LineError:
        """The error about a place of this line."""
        return LineError(reason, usage=self.grammar.usage, nearest=nearest, at=self.at if at is None else at)

    def check_complete(self) -> None:
        """Raise LineError for what the line does not say, all at once, with the line as it would be right."""
        fields = self.missing()
        if not fields:
            return
        name = verb_name(self.grammar.verb.kind)
        wants = [f"{field.key}: {takes(self, field, missing=True)}" for field in fields]
        reason = f"{name} needs {'; and '.join(wants)}."
        ways = self._completed(fields)
        if self.words_at is not None and not self.words[self.words_at].quoted:
            # what is missing may be the first of the words: `d brog three`, `fate brog deth`
            first = self.words[self.words_at].text
            reason = f"{reason[:-1]}, before {self.line.rest(self.words_at, self.end)!r}."
            choices = [choice for field in fields for choice in field.one.offered_choices]
            slips = get_close_matches(first.casefold(), choices, n=1, cutoff=LIKE_A_SLIP)
            ways = [self.line.replaced(self.words_at, self.words_at + 1, quote(slip)) for slip in slips]
        lacks = None
        if len(self.groups) == 1 and len(self.groups[0].names) <= 1:
            lacks = Choice(self.grammar.verb.kind, self.given, tuple(field.key for field in fields))
        error = self.refuse(reason, len(self.words), *ways)
        raise LineError(
            error.reason, usage=error.usage, nearest=error.nearest, at=error.at,
            missing=[field.key for field in fields] if self.words_at is None else (), lacks=lacks,
        )  # fmt: skip

    def _completed(self, fields: Sequence[Field]) -> list[str]:
        """The line with an example in the place of each missing value; none where a text of one's own is missing."""
        examples = [self._example(field) for field in fields]
        if None in examples:
            return []
        at = self.end if self.words_at is None else self.words_at
        words = [self.line.typed(at) for at in range(len(self.words))]
        first = [text for field, text in zip(fields, examples, strict=True) if text and field is self.grammar.who]
        rest = [
            text if field in self.grammar.order else f"{field.key}={text}"
            for field, text in zip(fields, examples, strict=True)
            if text and field is not self.grammar.who
        ]
        return [" ".join([*words[: self.begin], *first, *words[self.begin : at], *rest, *words[at:]])]

    def _example(self, field: Field) -> str | None:
        """A value that a field may have; None: it is a text of somebody's own, or nobody may know it."""
        if field.names == "character":
            names = self.context.able() or self.context.own()
            return quote(short_for(names[0], tuple(self.context.state.characters))) if names else None
        if field.turn or field.kind.extra.get("secret") is not None:
            return None
        if field.one.shape == "number":
            return str(max(1, field.one.bounds.get("ge", 1)))
        if field.one.shape == "flag":
            return "yes"
        grave = self.grammar.verb.kind.grave_values.get(field.key)
        titles = [title for title in self.titles(field) or field.one.offered_choices if title != grave]
        return quote(str(titles[0])) if titles else None

    def actions(self) -> list[dict[str, Any]]:
        """The actions of a complete line as JSON: one, or one for each person whom it is about."""
        grammar, tag = self.grammar, {"type": tag_of(self.grammar.verb.kind)}
        if grammar.who is None:
            return [*self.added, {**tag, **self.shared, **self.groups[0].values}]
        if grammar.several:
            names = [name for group in self.groups for name in group.names]
            faces = {name: dice for group in self.groups for name, dice in group.faces.items()}
            dice = {grammar.faces.key: faces} if grammar.faces is not None and faces else {}
            return [{**tag, grammar.who.key: names, **dice, **self.shared, **self.groups[0].values}]
        return [
            {**tag, grammar.who.key: name, **self.shared, **group.values}
            for group in self.groups
            for name in group.names
        ]

    @property
    def names(self) -> list[str]:
        """All whom the line is about."""
        return [name for group in self.groups for name in group.names]


def takes(reader: Reader, field: Field, *, missing: bool = False) -> str:
    """The values that a field takes, in words; where it is `missing`, a number is called by what it counts."""
    context, grammar = reader.context, reader.grammar
    if field.names == "character":
        names = context.own() if field is grammar.who else tuple(context.state.characters)
        return either(names or ("somebody who is enrolled",))
    if field.dice or field is grammar.faces:
        return "dice as they were rolled, like 5,6"
    if field is grammar.loose:
        return "NAME=VALUE" if grammar.who is None else f"FIELD=VALUE, like {context.system.vital[0]}=5"
    if (titles := reader.titles(field)) and not is_text(field):
        return either(list(map(str, titles)))
    if field.names == NEW:
        return "a name"
    if field.turn:
        return "a turn, like T4"
    match field.kind.shape:
        case "flag":
            return "yes or no"
        case "text":
            return field.description or "words"
        case "map":
            return "NAME=VALUE"
        case "number" if missing and field.description:
            return field.description
    return "its number or its name" if field.kind.reference else type_description(field.kind)
