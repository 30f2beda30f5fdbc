"""Lines about tracked values: `track hob gold +75 the chest`, and tracked names as verbs: `gold hob +75`, `day +1`.

The grammar is `track [WHO] NAME VALUE [words]`, with the first two in either order; the rest is read as of any verb. A
signed number is a change, any other is the new value; a text is the new value of what is no number, and of a number
only in quotes or as `value=…`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Self

from msgspec.structs import replace

from cli.line.context import Context
from cli.line.errors import LineError, may_be
from cli.line.grammar import grammar_of
from cli.line.people import row_at, somebody_among_words
from cli.line.reading import Reader
from cli.line.values import LONGEST_TITLE, is_sign, is_signed, number_at, number_of
from cli.line.verbs import Verb
from cli.line.words import NAME, Line, quote
from domain.common.tracking import Track, tracked_names
from domain.naming import EVERYBODY, PARTY, key_of, letters, nearest, played_by, same_letters, short_for, spelt_like
from domain.registry import tag_of
from domain.system.field_schema import Field
from domain.system.type_descriptions import either

DROP = "drop"
#: Fields of which one says what becomes of it.
VALUES = frozenset(("change", "value", DROP, "pin"))


class Tracking(Reader):
    """The words of one line behind `track` or a tracked name."""

    def __init__(self, context: Context, verb: Verb, line: Line, at: int, end: int, who: Sequence[str] = ()) -> None:
        grammar = grammar_of(verb)
        of_numbers = replace(grammar, who=grammar.fields["character"], order=(grammar.fields["change"],))
        super().__init__(context, of_numbers, line, at, end, who)
        self.known = tuple(dict.fromkeys((*tracked_names(context.state), *context.state.campaign.pinned)))

    @property
    def name(self) -> str | None:
        """What is tracked; None while it is not said."""
        return self.shared.get("name")

    def is_open(self, field: Field) -> bool:
        """Whether a field has no value yet: one of them says what becomes of it."""
        if field.key in VALUES:
            return not VALUES & {*self.shared, *self.groups[-1].values}
        return super().is_open(field)

    def read(self) -> Self:
        """Take all words. Raises LineError at the first that cannot be taken, and for a name or value left out."""
        first = self.grammar.flag_at(self.line, self.at, self.end) if self.name is None else None
        if first is not None and first[0].key in VALUES:  # `track pin gold`, `track drop gold`
            self._flag()
        for _ in range(2):
            self._take_options()
            self._take_name_or_whom()
        self._take_options()
        if self.name is None:
            raise self._lacking("Say what is tracked.", "name", *self._with_a_name())
        super().read()
        if any(not VALUES & {*self.shared, *group.values} for group in self.groups):
            values = ("+5", "12", DROP) if self.name in self.known else ("12",)
            ways = [self.line.replaced(self.end, self.end, value) for value in values]
            raise self._lacking("Say how much, or what it is.", "change", *ways)
        return self

    def _take_whom(self) -> None:
        """Whose it is where the line names nobody."""
        self._flag()
        if "pin" not in self.given:
            self.groups[0].names = self._owner(str(self.name))
            self.is_default = True

    def actions(self) -> list[dict[str, Any]]:
        """The actions as JSON: one for each who is named, else the table's."""
        return super().actions() if self.names else [{"type": tag_of(Track), **self.shared, **self.groups[0].values}]

    def _lacking(self, reason: str, key: str, *nearest: str) -> LineError:
        return LineError(reason, nearest=nearest, at=self.at, missing=(key,))

    def _with_a_name(self) -> Iterator[str]:
        """The line with a name in it: one that is known where one is pinned or dropped, else before its value."""
        people = row_at(self.context, self.line, self.at)
        at = self.begin if people is None else people[1]
        torches, day = (("torches", "6"), ("day", "14")) if at == self.end else (("torches",), ("day",))
        if VALUES & self.given.keys():
            yield from (self.line.replaced(self.end, self.end, quote(name)) for name in self.known[:1])
        elif people is not None:
            yield self.line.replaced(at, at, *torches)
        else:
            whose = [quote(short_for(name, self.context.state.characters)) for name in self.context.own()[:1]]
            yield self.line.replaced(at, at, *whose, *torches)
            yield self.line.replaced(at, at, *day)

    # -- who, and what -------------------------------------------------------------------------------------------------

    def take_named(self) -> bool:
        """A field by its name; `gold=240` of what is tracked; `--drop` of later turns where a value stands already."""
        word = self.words[self.at]
        name, sign, text = word.text.partition("=")
        if word.text == f"--{DROP}" and not self.is_open(self.grammar.fields[DROP]):
            self.manner["conflicts"] = DROP
        elif self.name is None and sign and NAME.fullmatch(name) and self.grammar.field(name) is None:
            self.shared["name"] = same_letters(name, self.known) or name
            self.groups[0].values["value"] = self._number_or_text(text, is_text=word.quoted)
        else:
            return super().take_named()
        self.at += 1
        return True

    def _named_value(self, field: Field, line: Line, at: int, end: int, name: str) -> tuple[Any, int]:
        word = line.words[at]
        if field.key == "value":
            return self._number_or_text(word.text, is_text=word.quoted), at + 1
        return super()._named_value(field, line, at, end, name)

    @staticmethod
    def _number_or_text(text: str, *, is_text: bool) -> int | str:
        number = None if is_text else number_of(text)
        return text if number is None else number

    def _take_name_or_whom(self) -> None:
        """The name or whom it is of; a tracked name goes before the beginning of somebody's name."""
        if self.at >= self.end:
            return
        if self.name is None and (own := self._known_name()) is not None:
            self.shared["name"], self.at = own
            return
        word = self.words[self.at]
        is_word = not is_sign(self.line, self.at) and number_of(word.text) is None
        people = row_at(self.context, self.line, self.at) if is_word and not self.names else None
        behind = self.words[people[1]].text.casefold() if people is not None and people[1] < self.end else ""
        # the last of a line is a value in quotes, and what stands before a value is a name
        is_whom = people is not None and (
            people[1] < self.end or not word.quoted
            if self.name is not None
            else behind not in ("", DROP) and number_at(self.line, people[1]) is None
        )
        if people is not None and people[1] <= self.end and is_whom:
            self.group_at = self.at if word.text.casefold() in (*EVERYBODY, *PARTY) else None
            self._add(people)
        elif self.name is None:
            self._take_new_name()

    def _known_name(self) -> tuple[str, int] | None:
        """The tracked name that stands here, in as many words as are its own."""
        for end in range(min(self.at + LONGEST_TITLE, self.end), self.at, -1):
            if end > self.at + 1 and not any(sign.isalnum() for sign in self.words[end - 1].text):
                continue  # `gold - 12`: the sign belongs to the number, and to no name
            typed = " ".join(word.text for word in self.words[self.at : end])
            if (own := same_letters(typed, self.known)) is not None and letters(typed):
                return own, end
        return None

    def _take_new_name(self) -> None:
        word, names = self.words[self.at], self.context.state.characters
        if any(key_of(word.text) == key_of(name) for name in names) or number_at(self.line, self.at) is not None:
            return
        for near in spelt_like(word.text, self.known) if not word.quoted else ():
            ways = {near: quote(near), "a new name": quote(word.text, always=True)}
            raise may_be(self.line, self.at, self.at + 1, ways)
        self.shared["name"] = word.text
        self.at += 1

    def _owner(self, name: str) -> list[str]:
        """Whose it is where the line names nobody: nobody's but the table's, or whoever's alone has that name."""
        state = self.context.state
        if same_letters(name, state.table.tracked) is not None:
            return []
        own = [who for who in self.context.own() if same_letters(name, state.characters[who].tracked)]
        if len(own) <= 1:
            return own
        turn = self.context.system.whose_turn(state)
        if turn in own:
            return [turn]
        reason = f"Whose {name}? {either(own)} have some."
        rest = self.line.rest(self.at, self.end) if self.at < self.end else "+5"
        number = number_at(self.line, self.at)
        if number is not None and (
            named := somebody_among_words(own, self.line, number[1], min(number[1] + 1, self.end))
        ):
            own = [named[0]]  # `gold -4 tess`: whose it is stands behind the number
            rest = " ".join(self.line.typed(at) for at in range(self.at, self.end) if at != named[1])
        ways = [f"{quote(name)} {quote(short_for(who, state.characters))} {rest}" for who in own]
        raise self._lacking(reason, "character", *ways)

    # -- the value -----------------------------------------------------------------------------------------------------

    def _value(self) -> bool:
        """The value of whoever was named last: a number, a text."""
        if self.words_at is not None or not self.is_open(self.grammar.fields["value"]):
            return False
        word, values = self.words[self.at], self.groups[-1].values
        number = number_at(self.line, self.at)
        if word.text == "=":
            self.at += 1
        elif number is not None:
            change = self.groups[0].values.get("change")
            if change is not None and not is_signed(word.text):
                way = self.line.replaced(self.at, self.at + 1, f"{'-' if change < 0 else '+'}{word.text}")
                reason = f"{word.text} sets a value, where the first number changes one."
                raise self.refuse(reason, self.at, way)
            values["change" if is_signed(word.text) else "value"], self.at = number
        else:
            end = self.at + 1 if word.quoted else self._end_of_words(self.at)
            values["value"] = word.text if word.quoted else self._text(end)
            self.at = end
        return True

    def _flag(self) -> bool:
        """`debt`, `drop` and `pin` before the words."""
        flag = self.grammar.flag_at(self.line, self.at, self.end)
        if flag is None or flag[0].key not in VALUES or not self.is_open(flag[0]):
            return super()._flag()
        self.groups[-1].values[flag[0].key], self.at = flag[1:]
        return True

    def _put_words(self, words: Field, begin: int, end: int) -> None:
        if "pin" in self.given:
            raise self.refuse(f"{self.words[begin].text!r} does not fit here; pin takes no words.", begin)
        super()._put_words(words, begin, end)

    def _text(self, end: int) -> str:
        """A text that is not quoted, up to a place. Raises LineError where it may be a number."""
        text, first, before = self.line.rest(self.at, end), self.words[self.at].text, self.words[self.at - 1].text
        number = next((at for at in range(self.at, end) if any(map(str.isdecimal, self.words[at].text))), None)
        state, own = self.context.state, str(self.name)
        tracked = [state.characters[who].tracked for who in self.groups[-1].names] or [state.table.tracked]
        is_number = any(isinstance(values.get(same_letters(own, values) or ""), int) for values in tracked)
        if number is None and not is_number:
            return text
        ways = [] if is_number else [self.in_quotes(self.at, end)]  # the number would be gone
        if amount := re.fullmatch(r"([+−–-]?\d+)([A-Za-z]*)", first.replace(",", "")):
            ways.insert(0, self.line.replaced(self.at, self.at + 1, *amount.groups()))
        elif number is not None and not is_number and same_letters(before, (own,)) is not None:
            name = quote(f"{own} {self.line.rest(self.at, number)}")  # of several words
            ways.insert(0, self.line.replaced(self.at - 1, number, name))
        # whose it is, mistyped, or the player: `track bob gold 5`, `gold bob +5`
        place = self.at - 1 if own not in self.known else self.at
        played = played_by(self.words[place].text, state.characters)
        near = played[0] if len(played) == 1 else nearest(self.words[place].text, state.characters)
        if near is not None and number is not None:
            ways.insert(0, self.line.replaced(place, place + 1, quote(short_for(near, state.characters))))
        raise self.refuse(f"{text!r} is no number; a text stands in quotes.", self.at, *ways)
