"""The reader: takes the words behind a verb from left to right, each once, and never goes back.

At each place it asks in this order, and the first that fits takes the words:

1. an option (`--dc 30`), a field by its name (`dc=30`, `dc 30`), a flag (`safe`, `unsafe`, `not safe`);
2. a value of the first field in order that is still open and takes one of this kind;
3. in an action of several the dice of whoever was named last (`brog 34`), and somebody else (`seg 61`);
4. nothing of these: here the words begin, and they run to the end.

So `rest brog 34 seg 61` is: the verb; Brog, as `rest` begins with whom it is about; 34, his dice, as the fields of
`rest` keep dice by name; Segolene; 61, hers. What is refused because it may be two things is said in `cli.line.doubts`,
what is missing and what fits nowhere in `cli.line.lacking`.
"""

import re
from collections.abc import Mapping
from typing import Any, Self

from cli.line.doubts import (
    refuse_doubts,
    refuse_listed,
    refuse_name,
    refuse_number,
    refuse_open_title,
    refuse_range,
    refuse_slip,
    refuse_two_names,
    without_doubt,
)
from cli.line.field_values import begins_value, name_at, value_at
from cli.line.grammar import is_text
from cli.line.lacking import meant_as, no_place, slips, takes
from cli.line.manner import option_at
from cli.line.people import People, is_join, people_at
from cli.line.said import Group, Said
from cli.line.values import NO, YES, dice_at, json_or_text, turn_number_of
from cli.line.words import NAME, Line, Word, quote
from domain.choice import Choice
from domain.naming import EVERYBODY, PARTY, called, find_name, fitting, listed, nearest, played_by
from domain.refusal import Unknown
from domain.registry import verb_name
from domain.system.field_schema import Field
from domain.system.options import options_of
from domain.system.pending import choices_in


class Reader(Said):
    """The words of one line behind its verb, from `at` up to `end`."""

    def read(self) -> Self:
        """Take all words. Raises LineError at the first that cannot be taken."""
        self._take_options()
        if self.grammar.who is not None and not self.names:
            self._take_whom()
        while self.at < self.end:
            if not (self.take_named() or self._flag() or self._value() or self._dice() or self._somebody_else()):
                self._take_words()
        return self

    # -- whom it is about ----------------------------------------------------------------------------------------------

    def _take_whom(self) -> None:
        """The people whom the line is about: one name or several; or whom the rules know, where none is there."""
        turn = self.context.system.whose_turn(self.context.state)
        people = people_at(self.context, self.line, self.at)
        if people is not None and turn is not None and people[1] == self.end and begins_value(self, self.at, turn):
            people = None  # `t tr` is a card of whoever's turn it is, and nobody called Tristan without one
        if people is None or people[1] > self.end:
            self.is_default = True
            # whose turn it is may leave the name out of what the rules let them do, but not of who retires
            is_of_rules = self.grammar.verb.kind in self.context.system.actions
            names = self._pending() if turn is None else {turn} if is_of_rules else set()
            self.groups[0].names = sorted(names) if len(names) == 1 else []
            refuse_slip(self)
            return
        begin = self.at  # options may stand before it
        self.group_at = begin if self.words[begin].text.casefold() in (*EVERYBODY, *PARTY) else None
        self._add(people)
        refuse_two_names(self, begin, people)
        self._take_row()

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

    def _somebody_else(self) -> bool:
        """Somebody else with values of their own: `seg 61`, `and wen 5`."""
        grammar, group, place = self.grammar, self.groups[-1], self.at + is_join(self.line, self.at)
        if grammar.who is None or not group.names or any(field.names for field in grammar.order):
            return False
        people = name_at(self, place) if self.words_at is None and (group.values or group.faces) else None
        if people is None or not people[0]:
            return False
        refuse_two_names(self, place, people)
        if self.is_default:
            refuse_name(self, self.at, self.end)
        is_last = people[1] == self.end and (grammar.words is None or place > self.at)
        takes_no_more = grammar.several and grammar.words is None
        if not (is_last or takes_no_more or begins_value(self, people[1])):
            return False
        self._add(people, anew=not grammar.several)
        self._take_row()
        return True

    def _add(self, people: People, *, anew: bool = False) -> None:
        """Somebody more, with the others who were named last, or `anew` with values of their own."""
        assert people is not None
        if not people[0]:
            raise self.refuse(f"{self.words[self.at].text} means nobody yet; say the name.")
        if twice := [name for name in people[0] if name in self.names]:
            raise self.refuse(f"{listed(map(called, twice))} is named twice.", self.at)
        self.groups += [Group([])] if anew else []
        group = self.groups[-1]
        group.is_group = len(people[0]) > 1 or bool(group.names and group.names[-1] not in group.faces)
        group.names += people[0]
        self.at = people[1]

    def _take_row(self) -> None:
        """More names behind one: behind `and` or a comma, or where a value or the end stands behind them."""
        while self.at < self.end and not any(field.names for field in self.grammar.order):
            place = self.at + is_join(self.line, self.at)
            is_joined = place > self.at or self.words[self.at - 1].text.endswith(",")
            people = name_at(self, place) if is_joined or not begins_value(self, self.at) else None
            if people is None or not (is_joined or self._is_row(people[1])):
                return
            refuse_two_names(self, place, people)
            self._add(people)

    def _is_row(self, at: int) -> bool:
        """Whether names up to a place are several in a row: more of them, a value or the end stands behind them."""
        while at < self.end:
            if is_join(self.line, at) or self.words[at - 1].text.endswith(",") or begins_value(self, at):
                return True
            name = self.grammar.word_at(self.line, at, self.end)[0].text.removeprefix("--").partition("=")[0]
            if self.grammar.field(name) is not None or self.grammar.flag_at(self.line, at, self.end) is not None:
                return True
            people = name_at(self, at)
            if people is None:
                return self.grammar.words is None
            at = people[1]
        return True

    # -- values in order -----------------------------------------------------------------------------------------------

    def _value(self) -> bool:
        """The value of the first open field in order that takes one here. Refuses what two of different kinds take."""
        found: list[tuple[Field, Any, int]] = []
        is_quoted = self.words[self.at].quoted
        for field in self.open_in_order():
            is_free = is_text(field)
            if is_free and not is_quoted and (found or not field.required):
                continue
            fit = value_at(self, field, self.at)
            if fit is None or fit[1] > self.end:
                continue
            found.append((field, *fit))
            if is_free or not (field.kind.shape == "choice" or isinstance(fit[0], str)):
                break  # what is taken by its name might be taken by another field as well
        if not found:
            return self._newcomer() or self._as_typed()
        field, value, beyond = without_doubt(self, found)
        self.groups[-1].values[field.key] = value
        refuse_range(self, field, beyond)
        refuse_open_title(self, field, beyond)
        refuse_listed(self, field, value, beyond)
        self.at = beyond
        return True

    def _newcomer(self) -> bool:
        """`new goblin`: somebody who is not on the log's own list, and is added to it first."""
        field = next((field for field in self.open_in_order() if field.added_by is not None), None)
        word = self.words[self.at]
        if field is None or word.quoted or word.text.casefold() != "new" or self.at + 1 >= self.end:
            return False
        end = self._end_of_name(self.at + 1)
        name = self.line.rest(self.at + 1, end).rstrip(",")
        refuse_number(self, name, end)
        self.added.append({"type": field.added_by, field.key: name})
        self.groups[-1].values[field.key] = name
        self.at = end
        return True

    def _as_typed(self) -> bool:
        """A card or an item that is not legal now: that is for the rules to say."""
        field = next((field for field in self.open_in_order() if field.required and field.one.reference), None)
        word = self.words[self.at]
        if field is None or not word.text[:1].isalnum():
            return False
        if is_join(self.line, self.at):
            raise self.refuse(f"{word.text!r} does not fit here.", self.at, self.line.replaced(self.at, self.at + 1))
        wanted = [own for own in self.open_in_order() if own.required and own.one.reference]
        is_one_each = len(wanted) > 1 and self.end - self.at == len(wanted)
        is_one_word = is_one_each or self.grammar.words is not None or field.kind.shape == "list"
        end = self.at + 1 if is_one_word else self._end_of_name(self.at)
        name = self.line.rest(self.at, end).removesuffix(",")
        self.groups[-1].values[field.key] = [name] if field.kind.shape == "list" else name
        self.at = end
        return True

    def _end_of_name(self, begin: int) -> int:
        """The end of a name that is on no list: before what is a value of another field, or a field by its name."""
        end = begin + 1
        while end < self.end and not self.words[begin].quoted and not self.words[end - 1].text.endswith(","):
            word, _ = self.grammar.word_at(self.line, end, self.end)
            if word.quoted or "=" in word.text or word.is_option or self.grammar.field(word.text) is not None:
                break
            if begins_value(self, end, *self.groups[-1].names) or name_at(self, end) is not None:
                break
            end += 1
        return end

    def _dice(self) -> bool:
        """`brog 545`: the dice of whoever was named last, in an action of several."""
        faces, group = self.grammar.faces, self.groups[-1]
        found = dice_at(self.line, self.at) if faces is not None and faces.key not in self.shared else None
        if found is None or not group.names or found[1] > self.end:
            return False
        stuck = self.words[self.at].text.removesuffix(",")
        if found[1] == self.at + 1 and stuck.isdecimal() and found[1] < self.end and name_at(self, found[1]):
            found = [int(face) for face in stuck], found[1]  # `brog 34, seg 61`: the comma parts the people
        if group.is_group or group.names[-1] in group.faces:
            text = self.line.rest(self.at, found[1])
            raise self.refuse(f"Whose dice are {text}? Each name has its own behind it.", self.at)
        group.faces[group.names[-1]] = found[0]
        self.at = found[1]
        return True

    # -- values by name ------------------------------------------------------------------------------------------------

    def _take_options(self) -> None:
        """Take what is said by its name before anything else."""
        while self.at < self.end:
            word, _ = self.grammar.word_at(self.line, self.at, self.end)
            if not (word.is_option or "=" in word.text) or not self.take_named():
                return

    def take_named(self) -> bool:
        """`dc=30`, `--dc 30`, `dc 30`, `--no-safe`; NAME=VALUE of the rules or of a sheet; an option of the line."""
        grammar = self.grammar
        word, beyond = grammar.word_at(self.line, self.at, self.end)
        if (option := option_at(self.line, self.at, self.end, grammar.fields)) is not None:
            key, value, self.at = option
            if key in grammar.fields:
                self._give(grammar.fields[key], value)
            elif self.manner.setdefault(key, value) != value:
                raise self.refuse(f"{key} is given twice.")
            return True
        name, sign, text = word.text.removeprefix("--").partition("=")
        if (word.quoted and not sign) or (not word.is_option and sign and not NAME.fullmatch(name)):
            return False
        field = grammar.field(name)
        may_be_set = grammar.loose is not None and field in (None, grammar.loose)
        if may_be_set and (sign or (field is not None and word.is_option)):
            self._set(field, name, sign, text)
        elif field is None or field is grammar.loose:
            return self._not_a_field(word, name, sign, text)
        elif sign:
            alone = Word(text, word.start + len(word.text) - len(text), word.end, word.quoted)
            self._give(field, self._named_value(field, Line(self.line.text, (alone,)), 0, 1, field.key)[0])
            self.at = beyond
        else:
            return self._option(field) if word.is_option or name == field.short else self._by_its_name(field, beyond)
        return True

    def _not_a_field(self, word: Word, name: str, sign: str, text: str) -> bool:
        """`--no-safe`; any other option or NAME=VALUE is refused, unless it may be part of words that may be any."""
        grammar = self.grammar
        flag = grammar.flag_at(self.line, self.at, self.end) if word.is_option else None
        if flag is not None:
            self._give(flag[0], flag[1])
            self.at += 1
            return True
        if word.is_option:
            near = nearest(name, [key.replace("_", "-") for key in grammar.fields])
            hint = f"; did you mean --{near}?" if near else "."
            raise self.refuse(f"There is no option --{name}{hint}", self.at)
        if sign and not grammar.any_words:
            has = listed([f"{key}=" for key in grammar.fields] or ["no fields"])
            begun = fitting(name, grammar.fields)
            ways = [self.line.replaced(self.at, self.at + 1, f"{key}={quote(text)}") for key in begun]
            if text.casefold() in YES:  # the slot of a field of one choice is called by that: `foe=yes`
                choices = slips(name, [choice for key in grammar.fields.values() for choice in key.one.offered_choices])
                ways += [self.line.replaced(self.at, self.at + 1, choice) for choice in choices]
            raise self.refuse(f"{verb_name(grammar.verb.kind)} has no field {name}; it takes {has}.", self.at, *ways)
        return False

    def _set(self, field: Field | None, name: str, sign: str, text: str) -> None:
        """NAME=VALUE of the rules or of a sheet, also behind the field of these: `--set hp=9`, or as a JSON object."""
        if field is not None:
            if not sign:
                self.at += 1
                text = self.words[self.at].text if self.at < self.end else ""
            name, sign, text = text.partition("=") if not text.startswith("{") else ("", "", text)
        name = name.strip()
        values = {name: self._as_set(name, text)} if sign and name else json_or_text(text)
        if not isinstance(values, dict):
            raise self.refuse(f"Write it as NAME=VALUE, not {text or name!r}.", self.at)
        assert self.grammar.loose is not None
        so_far = self.shared.setdefault(self.grammar.loose.key, {})
        for key, value in values.items():
            own = key.replace("-", "_") if self.settable(key) else key
            if own in so_far:
                raise self.refuse(f"{own} is given twice.", self.at)
            so_far[own] = value
        self.at += 1

    def _as_set(self, name: str, text: str) -> Any:
        """The value of an option, or of a field of a sheet; a text as JSON where it is none of yes and no."""
        plain, state, system = name.replace("-", "_"), self.context.state, self.context.system
        if self.grammar.who is None:
            option = options_of(system.options).get(plain)
            return json_or_text(text, option.type if option is not None else Any)
        sheet: Mapping[str, Any] = system.sheet_view(state, self.whose) if self.whose in state.characters else {}
        return json_or_text(text, bool if isinstance(sheet.get(plain), bool) else Any)

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
        fit = value_at(self, field, at, named=True, line=line) if word.text or word.quoted else None
        if fit is not None and fit[1] <= end:
            return fit
        if field.names == "character" and word.text:
            find_name(word.text, self.context.state.characters)
        place, before = (at, "") if line is self.line else (self.at, f"{field.key}=")
        ways = [self.line.replaced(place, place + 1, f"{before}{way}") for way in meant_as(self, word.text, [field])]
        wrong = f", not {word.text!r}" if word.text else ""  # nothing is typed behind `xp=` yet
        raise self.refuse(f"{name} must be {takes(self, field)}{wrong}.", None, *ways)

    def _by_its_name(self, field: Field, at: int) -> bool:
        """`dc 30`, `player Mia`: where a value of the field stands behind its name. Words are named with `=` alone."""
        has_more, is_free = at < self.end, is_text(field) and not field.turn
        if not self.leads_to_value(field, in_quotes=has_more and self.words[at].quoted):
            return False
        fit = value_at(self, field, at, named=is_free) if has_more else None
        if fit is not None:
            value, beyond = fit
        elif field.among is not None and len(self.names) == 1:
            value, beyond = list(self.names), at  # `rest brog keep`
        elif field.one.written_as is not None and has_more:
            raise self.refuse(f"{field.key} must be {field.description}, not {self.words[at].text!r}.")
        elif field.alone is not None and not has_more:
            value, beyond = field.alone, at
        else:
            return False
        if beyond > self.end:
            return False
        self._give(field, value)
        self.at = beyond
        return True

    def leads_to_value(self, field: Field, *, in_quotes: bool = False) -> bool:
        """Whether the bare name of a field, behind what is read, leads to its value, which stands `in_quotes`."""
        is_taken = not self.is_open(field) and field.kind.shape != "list"
        is_word = self._says_words or self.is_in_words
        if field.kind.shape == "flag" or is_taken or field is self.grammar.who or is_word:
            return False
        may_be_words = is_text(field) and not field.turn and self.grammar.words is not None and self.words_at is None
        return in_quotes or not may_be_words

    def _flag(self) -> bool:
        """`safe`, `unsafe`, `no-safe`, `not safe`."""
        flag = self.grammar.flag_at(self.line, self.at, self.end) if not self._says_words else None
        if flag is None or not self.is_open(flag[0]):
            return False
        field, value, self.at = flag
        answer = self.words[self.at] if self.grammar.words is None and self.at < self.end else None
        if answer is not None and answer.text.casefold() in (*YES, *NO) and not answer.quoted and value:
            value, self.at = answer.text.casefold() in YES, self.at + 1  # `saves yes`
        self._give(field, value)
        return True

    @property
    def _says_words(self) -> bool:
        """Whether words that name a field are part of what is written down, until that stands in quotes."""
        return self.grammar.says_all and self.grammar.any_words and self.words_at is None

    def _give(self, field: Field, value: Any) -> None:
        """Set a field for everybody whom the line is about."""
        key, so_far = field.key, self.shared.get(field.key)
        if field is self.grammar.who and (self.is_default or not self.names):
            self.groups[0].names = list(value) if isinstance(value, list) else [value]
            self.is_default = False
        elif field is self.grammar.who and self.grammar.several and isinstance(value, list):
            self.groups[0].names += value
        elif self.is_open(field) and not (field is self.grammar.faces and any(group.faces for group in self.groups)):
            self.shared[key] = value
        elif isinstance(value, list) and isinstance(so_far, list):
            self.shared[key] = [*so_far, *value]
        elif isinstance(value, dict) and isinstance(so_far, dict) and not set(value) & set(so_far):
            self.shared[key] = {**so_far, **value}
        else:
            is_words = self.words_at is not None and field is self.grammar.words
            ways = [self.in_quotes(self.words_at or 0, self.at)] if is_words else []
            raise self.refuse(f"{key} is given twice.", None, *ways)

    # -- words ---------------------------------------------------------------------------------------------------------

    @property
    def is_in_words(self) -> bool:
        """Whether the words go on with what is typed behind all that is read: they are no quotation that has ended."""
        begin = self.words_at
        is_quotation = begin is not None and self.words[begin].quoted and self.words_end == begin + 1
        return self.words_end == self.at and not is_quotation

    def _take_words(self) -> None:
        """The words, from here to the end of the line, or to the end of their quotes."""
        words, here, first = self.grammar.words, self.at, self.words[self.at]
        if self.grammar.who is not None and not self.names and here == self.begin:
            is_slip = nearest(first.text, self.context.state.characters) is not None  # `rest borg 34 ada 61`
            if not is_slip and not (first.text.isalpha() and begins_value(self, here + 1)):  # `d ghoul 4 ada`
                refuse_name(self, here, self.end)
            try:
                find_name(first.text, self.context.state.characters)
            except Unknown as unknown:
                unknown.choices = self._with_own(first.text)
                raise
        if words is None or not self.is_open(words):
            if self.is_default:
                refuse_name(self, here, self.end)
            raise no_place(self)
        end = self._end_of_words(here)
        if not (first.quoted and end == here + 1):
            refuse_doubts(self, here, end)
        self._put_words(words, here, end)

    def _with_own(self, player: str) -> list[Choice]:
        """The action about whom a player plays, where the line says no more than the player: `absent mia`."""
        own, who = played_by(player, self.context.state.characters), self.grammar.who
        if who is None or self.grammar.several or len(own) != 1 or self.end != self.begin + 1:
            return []
        fields = {who.key: own[0], **self.shared}
        return [Choice(self.grammar.verb.kind, fields)] if self.missing() == [who] else []

    def _put_words(self, words: Field, begin: int, end: int) -> None:
        led = not self.words[begin].quoted and self.words[begin].text.casefold() in words.led_by and begin + 1 < end
        text = self.line.rest(begin + led, end)
        value = text.removesuffix(",") if end < self.end else text
        is_free = words.one.written_as is None or (self.words[begin].quoted and end == begin + 1)
        if not is_free and not re.fullmatch(str(words.one.written_as), value):
            flags = [field.key for field in self.grammar.fields.values() if field.kind.shape == "flag"]
            ways = [self.line.replaced(begin, end, slip) for slip in slips(value, flags)]
            raise self.refuse(f"{value!r} is not {words.one.description}.", begin, *ways)
        self.shared[words.key] = value
        self.words_at, self.words_end, self.at = begin, end, end

    def _end_of_words(self, begin: int) -> int:
        """The end of the words: of their quotes; before an option, and before NAME=VALUE of a verb for words.

        Words that may be any may begin with a quotation: `note "Halt!" cried the guard`.
        """
        end = self.end
        is_quoted = self.words[begin].quoted and begin + 1 < end
        if is_quoted and (not self.grammar.any_words or self._is_value_by_name(begin + 1)):
            return begin + 1
        is_closed = self.grammar.words is not None and self.grammar.words.one.written_as is not None
        while (self.grammar.says_all or is_closed) and end > begin + 1:
            name, sign, _ = self.words[end - 1].text.partition("=")
            if not sign or not self.names_a_value(name):
                break
            end -= 1
        return next((place for place in range(begin + 1, end) if self.words[place].is_option), end)

    def _is_value_by_name(self, at: int) -> bool:
        """Whether a field by its name, a flag or a turn stands at a place."""
        word, beyond = self.grammar.word_at(self.line, at, self.end)
        name, sign, _ = word.text.removeprefix("--").partition("=")
        if word.is_option or (sign and self.names_a_value(name)):
            return True
        takes_turns = any(field.turn for field in self.grammar.order)
        return not word.quoted and (
            self.grammar.flag_at(self.line, at, self.end) is not None
            or (self.grammar.field(name) is not None and beyond < self.end)
            or (takes_turns and turn_number_of(word.text, self.context.log) is not None)
        )
