"""Lines about tracked values: `track hob gold +75 the chest`, and tracked names as verbs: `gold hob +75`, `day +1`.

The grammar is `track [WHO] NAME VALUE [words]`, with the first two in either order. A signed number is a change, any
other is the new value; a text is the new value of what is no number, and of a number only in quotes or as `value=…`.
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from cli.line.context import Context
from cli.line.errors import LineError
from cli.line.manner import option_at
from cli.line.people import is_join, people_at
from cli.line.values import is_sign, json_or_text, number_at, number_of
from cli.line.verbs import LIKE_A_SLIP, Verb
from cli.line.words import Line, quote
from domain.common.tracking import Track, tracked_names
from domain.naming import find_name, key_of, letters, same_letters, short_for
from domain.registry import tag_of, verb_name
from domain.system.field_schema import fields_of
from domain.system.type_descriptions import either

DROP, DEBT = "drop", "debt"
#: The words behind `track` that show a value in the party's lines, or no more.
PINS = {"pin": True, "unpin": False}
USAGE = "track [WHO] NAME ±N|N|TEXT|drop [source…]"
#: The longest run of words that is tried as one tracked name.
LONGEST = 5
#: Fields of which one says what is tracked.
VALUES = frozenset(("change", "value", DROP, "pin"))
FIELDS = frozenset(field.key for field in fields_of(Track))


class Tracking:
    """The words of one line behind `track` or a tracked name, from `at` up to `end`, taken from left to right."""

    def __init__(self, context: Context, verb: Verb, line: Line, at: int, end: int, who: Sequence[str] = ()) -> None:
        self.context, self.line, self.words, self.at, self.end = context, line, line.words, at, end
        self.name: str | None = verb.sets.get("name")
        self.who: tuple[str | None, ...] | None = tuple(who) or None
        self.known = tracked_names(context.state)
        self.fields: dict[str, Any] = {}
        self.manner: dict[str, str] = {}
        self.parts: list[tuple[tuple[str | None, ...], dict[str, Any]]] = []

    def actions(self) -> list[dict[str, Any]]:
        """The actions as JSON. Raises LineError."""
        self._take_options()
        if self.name is None and self._plain() in PINS and self.at + 1 < self.end:
            return [self._action(None, {"pin": PINS[self._plain()], "name": self.line.rest(self.at + 1, self.end)})]
        is_dropped = self.name is None and self._plain() == DROP and self.at + 1 < self.end
        self.at += is_dropped
        self._take_name_and_whom()
        self._take_values(is_dropped=is_dropped)
        self._take_options()
        source = {"source": self._source()} if self.at < self.end else {}
        return [self._action(name, {**own, **self.fields, **source}) for who, own in self.parts for name in who]

    def _action(self, character: str | None, fields: dict[str, Any]) -> dict[str, Any]:
        about = {"name": self.name} if self.name is not None else {}
        return {"type": tag_of(Track), **about, **({"character": character} if character else {}), **fields}

    def _plain(self, ahead: int = 0) -> str:
        """A word in small letters; nothing where none is, or where it is quoted."""
        place = self.at + ahead
        return self.words[place].text.casefold() if place < self.end and not self.words[place].quoted else ""

    def _refuse(self, reason: str, *nearest: str, missing: Sequence[str] = ()) -> LineError:
        return LineError(reason, nearest=nearest, at=self.at, missing=missing)

    def _take_options(self) -> None:
        """Fields by their names, wherever they stand: `value="two rings"`, `--change 5`, `--by Mia`."""
        while self.at < self.end:
            word = self.words[self.at]
            if (option := option_at(self.line, self.at, self.end, FIELDS)) is not None:
                self.manner[option[0]], self.at = option[1], option[2]
                continue
            name, sign, text = word.text.removeprefix("--").partition("=")
            is_option = word.is_option
            if name == DROP and is_option and not sign and self.parts:
                self.manner["conflicts"], self.at = DROP, self.at + 1  # of later turns, where a value stands already
                continue
            if name not in FIELDS or not (sign or is_option) or (word.quoted and not sign):
                if is_option:
                    raise self._refuse(f"There is no option --{name}.")
                return
            if not sign and name in (DROP, DEBT, "pin"):
                text = "yes"
            elif not sign:
                self.at += 1
                text = self.words[self.at].text if self.at < self.end else ""
            self._give(name, text, is_text=word.quoted)
            self.at += 1

    def _give(self, name: str, text: str, *, is_text: bool) -> None:
        values = {key for fields in (self.fields, *(own for _, own in self.parts)) for key in fields}
        is_second = name in VALUES and values & VALUES
        if is_second or {"character": self.who, "name": self.name}.get(name) is not None or name in values:
            raise self._refuse(f"{'The value' if is_second else f'The {name}'} is given twice.")
        if name == "character":
            self.who = (find_name(text, self.context.state.characters),)
        elif name == "name":
            self.name = same_letters(text, self.known) or text
        elif name in (DROP, DEBT, "pin"):
            self.fields[name] = json_or_text(text, bool)
        else:
            number = number_of(text) if name != "source" and not (is_text and name == "value") else None
            self.fields[name] = text if number is None else number

    # -- who, and what -------------------------------------------------------------------------------------------------

    def _take_name_and_whom(self) -> None:
        """The name and whom it is of, in either order; a tracked name goes before the beginning of somebody's name."""
        for _ in range(2):
            self._take_options()
            own = self._known_name() if self.name is None else None
            if own is not None:
                self.name, self.at = own
                continue
            people = people_at(self.context, self.line, self.at) if self.who is None and self._is_name() else None
            if people is not None and people[1] <= self.end and (
                (self.name is not None and not (people[1] == self.end and self.words[self.at].quoted))
                or (people[1] < self.end and not self._ends_or_value(people[1]))
            ):  # fmt: skip
                names, self.at = people
                while (is_join(self.line, self.at) or self.words[self.at - 1].text.endswith(",")) and (
                    more := people_at(self.context, self.line, self.at + is_join(self.line, self.at))
                ) is not None:
                    names, self.at = (*names, *more[0]), more[1]
                if not names:
                    raise self._refuse(f"{self.words[self.at - 1].text} means nobody yet; say the name.")
                self.who = names
            elif self.name is None and self.at < self.end:
                self._take_new_name(people)
        self._take_options()
        if self.name is None:
            raise self._refuse("Say what is tracked: track hob gold +75, track day 14.", missing=("name",))
        if self.who is None:
            self.who = self._owner()

    def _is_name(self) -> bool:
        word = self.words[self.at] if self.at < self.end else None
        return word is not None and not is_sign(self.line, self.at) and number_of(word.text) is None

    def _ends_or_value(self, at: int) -> bool:
        return at >= self.end or number_at(self.line, at) is not None or self.words[at].text.casefold() == DROP

    def _known_name(self) -> tuple[str, int] | None:
        """The tracked name that stands here, in as many words as are its own."""
        for end in range(min(self.at + LONGEST, self.end), self.at, -1):
            if end > self.at + 1 and not any(sign.isalnum() for sign in self.words[end - 1].text):
                continue  # `gold - 12`: the sign belongs to the number, and to no name
            typed = " ".join(word.text for word in self.words[self.at : end])
            if (own := same_letters(typed, self.known)) is not None and letters(typed):
                return own, end
        return None

    def _take_new_name(self, people: object) -> None:
        word = self.words[self.at]
        if any(key_of(word.text) == key_of(name) for name in self.context.state.characters) and people is not None:
            who = quote(word.text)
            raise self._refuse(f"Say what of {word.text} is tracked: track {who} gold +5.", missing=("name",))
        if number_at(self.line, self.at) is not None:
            raise self._refuse(f"Say what {word.text} is the number of: track hob gold {word.text}.", missing=("name",))
        near = get_close_matches(key_of(word.text), {key_of(name): name for name in self.known}, 1, LIKE_A_SLIP)
        if near and not word.quoted:
            own = next(name for name in self.known if key_of(name) == near[0])
            ways = [
                self.line.replaced(self.at, self.at + 1, text) for text in (quote(own), quote(word.text, always=True))
            ]
            raise self._refuse(f"{word.text} may be {own}, which is tracked, or a new name.", *ways)
        name, sign, value = word.text.partition("=")
        if sign and name and not word.quoted:  # `leader="Sir Tom"`
            self.name = same_letters(name, self.known) or name
            self._give("value", value, is_text=False)
        else:
            self.name = word.text
        self.at += 1

    def _owner(self) -> tuple[str | None, ...]:
        """Whose it is where the line names nobody: the table's, or whoever alone has something of that name."""
        assert self.name is not None
        state = self.context.state
        own = [name for name in self.context.own() if same_letters(self.name, state.characters[name].tracked)]
        if same_letters(self.name, state.table.tracked) is not None or not own:
            return (None,)
        turn = self.context.system.whose_turn(state)
        if len(own) == 1 or turn in own:
            return (turn if turn in own else own[0],)
        rest = self.line.rest(self.at, self.end) if self.at < self.end else "+5"
        ways = [f"{quote(self.name)} {quote(short_for(name, state.characters))} {rest}" for name in own]
        raise self._refuse(f"Whose {self.name}? {either(own)} have some.", *ways, missing=("character",))

    # -- the value, and the words behind it ----------------------------------------------------------------------------

    def _take_values(self, *, is_dropped: bool) -> None:
        """A value, and further people with values of their own: `gold hob +5 wen +3`."""
        assert self.who is not None
        if is_dropped:
            self.parts = [(self.who, {DROP: True})]
            return
        if self.fields.keys() & VALUES:
            self.parts = [(self.who, {})]
            return
        self.parts = [(self.who, self._value(self.who))]
        while self.at < self.end:
            others = self._somebody_with_a_number()
            if others is None:
                return
            who, self.at = others
            number, first = self.words[self.at].text, self.parts[0][1]
            if "change" in first and number[:1].isdecimal():
                signed = f"{'-' if first['change'] < 0 else '+'}{number}"
                way = self.line.replaced(self.at, self.at + 1, signed)
                raise self._refuse(f"{number} sets a value, where the first number changes one.", way)
            self.parts.append((who, self._value(who)))

    def _somebody_with_a_number(self) -> tuple[tuple[str, ...], int] | None:
        try:
            people = people_at(self.context, self.line, self.at + is_join(self.line, self.at))
        except LineError:
            return None
        return people if people is not None and people[1] < self.end and number_at(self.line, people[1]) else None

    def _value(self, who: Sequence[str | None]) -> dict[str, Any]:
        assert self.name is not None
        self.at += self._plain() == "="
        self._take_options()
        if self.at >= self.end:
            values = ("+5", "12", DROP) if self.name in self.known else ("12",)
            ways = [self.line.replaced(self.end, self.end, value) for value in values]
            raise self._refuse("Say how much, or what it is.", *ways, missing=("change",))
        if self._plain() == DROP:
            self.at += 1
            return {DROP: True}
        number = number_at(self.line, self.at)
        if number is not None:
            is_change = self.words[self.at].text[0] in "+-−–"
            self.at = number[1]
            fields: dict[str, Any] = {"change" if is_change else "value": number[0]}
            if self._plain() == DEBT:
                self.at += 1
                fields[DEBT] = True
            return fields
        if self.words[self.at].quoted:
            self.at += 1
            return {"value": self.words[self.at - 1].text}
        return {"value": self._text(who)}

    def _text(self, who: Sequence[str | None]) -> str:
        """A text that is not quoted: the rest of the line. Raises LineError where it may be a number."""
        text = self.line.rest(self.at, self.end)
        in_quotes = self.line.replaced(self.at, self.end, quote(text, always=True))
        if any(isinstance(self._now(name), int) for name in who):
            plain = self.words[self.at].text.replace(",", "")
            digits = plain.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
            rest = [plain[len(digits) :]] if plain != digits else []
            ways = [self.line.replaced(self.at, self.at + 1, digits, *rest)] if number_of(digits) is not None else []
            raise self._refuse(
                f"{self.name} is a number, and {self.words[self.at].text!r} is none; a text stands in quotes.",
                *ways, in_quotes,
            )  # fmt: skip
        numbers = [place for place in range(self.at, self.end) if any(map(str.isdecimal, self.words[place].text))]
        if numbers:
            name = quote(f"{self.name} {self.line.rest(self.at, numbers[0])}".strip()) if numbers[0] > self.at else ""
            first = next(
                (at for at in range(self.end) if same_letters(self.words[at].text, (str(self.name),))), self.at
            )
            ways = [self.line.replaced(first, numbers[0], name)] if name and self.at == first + 1 else []
            raise self._refuse(f"{text!r} holds a number; put the text in quotes.", *ways, in_quotes)
        self.at = self.end
        return text

    def _now(self, who: str | None) -> object:
        """What is tracked under the name now; None: nothing."""
        state = self.context.state
        tracked: Mapping[str, object] = (
            state.table.tracked if who is None else (state.characters[who].tracked if who in state.characters else {})
        )
        own = same_letters(str(self.name), tracked)
        return None if own is None else tracked[own]

    def _source(self) -> str:
        """Where a value comes from: the words that are left. Raises LineError for one of them that may be more."""
        begin, first = self.at, self.words[self.at]
        in_quotes = self.line.replaced(begin, self.end, quote(self.line.rest(begin, self.end), always=True))
        if not first.quoted and (number_at(self.line, begin) is not None or is_sign(self.line, begin)):
            raise self._refuse(f"{first.text!r} does not fit here.", in_quotes)
        for place in range(begin, self.end if not (first.quoted and begin + 1 == self.end) else begin):
            word = self.words[place]
            name, sign, _ = word.text.partition("=")
            self.at = place
            if not word.quoted and (name.casefold() in FIELDS or (sign and name.isidentifier())):
                value = word.text if sign else f"{name}=yes"
                rest = [self.line.typed(at) for at in range(begin, self.end) if at != place]
                moved = " ".join([*map(self.line.typed, range(begin)), value, *rest])
                raise self._refuse(f"{word.text!r} may be a value or part of the words.", moved, in_quotes)
            if is_join(self.line, place) or place == begin:
                others = self._somebody_with_a_number()
                if others is not None:
                    raise self._refuse("Somebody else has a number here; put the words last.", in_quotes)
        self.at = self.end
        return self.line.rest(begin, self.end)


def line_with_gaps(values: Mapping[str, Any], gap: str) -> str:
    """The line of a track action, perhaps not whole."""
    name = quote(str(values["name"])) if "name" in values else gap
    if values.get("pin") is not None:
        return f"{verb_name(Track)} {'pin' if values['pin'] else 'unpin'} {name}"
    words = [verb_name(Track), *([quote(str(values["character"]))] if values.get("character") else []), name]
    if values.get("change") is not None:
        words.append(f"{values['change']:+d}")
    elif isinstance(values.get("value"), int):
        words.append(str(values["value"]))
    elif values.get("value") is not None:
        words.append(quote(values["value"], always=True))
    else:
        words.append(DROP if values.get("drop") else gap)
    if values.get("debt"):
        words.append(DEBT)
    if values.get("source"):
        words.append(str(values["source"]))
    return " ".join(words)
