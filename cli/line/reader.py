"""One action read from the words behind its verb: who, values in order and by name, what is left for the remark."""

import re
from collections.abc import Collection, Sequence
from typing import Any, get_args

from msgspec import Struct
from msgspec.structs import replace

from cli.line.errors import Misread, Missing, NoField, Unclear
from cli.line.values import (
    ALL,
    JOINS,
    Context,
    Fits,
    dice_of,
    json_or_text,
    number_of,
    people_at,
    sheet_as_meant,
    title_at,
)
from cli.line.verbs import Verb, names_a_turn, parts_of, verb_name, verbs_of
from cli.line.words import Line, Word, quoted, typed
from domain.common.revisions import Conflicts
from domain.naming import called, did_you_mean, find_name, key_of, listed, nearest, somebody
from domain.refusal import Invalid, Refusal
from domain.system.drafts import legal_values
from domain.system.field_schema import Field, fields_of
from domain.system.options import options_of
from domain.system.pending import Choice
from domain.system.registry import tag_of
from domain.system.rulesystem import RuleSystem
from domain.system.type_descriptions import either, given, type_description

#: Options of the telling and not of what is told; an action with such a field of its own keeps it.
MANNER = ("by", "when", "after", "before", "conflicts")
#: Those of them that have a turn for their value.
PLACES = ("after", "before")
#: So many fields are told of to whoever said something that is none.
MOST_TOLD = 7


class People:
    """Some people, and the values that were said of them."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self.values: dict[str, Any] = {}
        #: the dice of each, in an action of several
        self.faces: dict[str, list[int]] = {}


class LineReader:
    """The words of a line, taken one after the other."""

    def __init__(self, context: Context, verb: Verb, line: Line, at: int, whose: str | None = None) -> None:
        self.context, self.verb, self.line, self.start, self.words = context, verb, line, at, line.words
        #: whose turn it is taken to be, without looking for a name
        self.left_out = whose
        self.fits = Fits(context, verb.kind)
        fields = [field for field in fields_of(verb.kind) if field.key not in verb.sets]
        self.fields = {field.key: field for field in fields}
        self.who = next((each for each in fields if each.required and each.names == "character"), None)
        self.remark = next((each for each in fields if each.remark), None)
        #: the dice of each of several
        self.faces = next(
            (each for each in fields if self.who and each.keyed_by == self.who.key and each.keyed_by_names), None
        )
        #: where NAME=VALUE goes whose NAME is no field
        self.loose = next((each for each in fields if _takes_any_name(each)), None)
        apart = (self.who, self.remark, self.faces, self.loose)
        self.order = [each for each in fields if each not in apart and (each.required or each.in_order)]
        self.groups = [People((whose,) if whose is not None else ())]
        #: what holds for everybody whom the line names
        self.shared: dict[str, Any] = dict(verb.sets)
        self.manner: dict[str, str] = {}
        #: lists of names that were named without saying whose
        self.of_one: list[Field] = []
        #: the field of the person who was named last, and whether several were named by one word
        self.person: str | None = self.who.key if self.who else None
        self.together = False
        #: fields that were given an empty value, so as to be left out
        self.dropped: set[str] = set()
        #: whom the line is about, where that is known before it is read
        self.about: str | None = None
        #: where the words begin that are left over
        self.words_at: int | None = None
        #: whether everybody was named by one word
        self.said_all = False

    # -- the whole line ------------------------------------------------------------------------------------

    def run(self, upto: int | None = None) -> "LineReader":
        """Take the words in; `upto`: only those before this one. Raises Misread."""
        self.words = self.words[:upto]
        here = self._first_people(self.start)
        while here < len(self.words):
            here = self._next(here)
        return self

    def values(self) -> list[dict[str, Any]]:
        """The actions as JSON has them. Raises Missing."""
        for field in self.of_one:
            names = [name for group in self.groups for name in group.names]
            if len(names) > 1:
                raise Unclear(f"Say whose: {field.key}=NAME.", names)
            self.shared[field.key] = names
        missing = self.missing()
        if missing:
            raise self._lacking(missing)
        tag = {"type": tag_of(self.verb.kind)}
        if self.who is None:
            return [{**tag, **self.shared, **self.groups[0].values}]
        if self.several:
            names = [name for group in self.groups for name in group.names]
            faces = {name: dice for group in self.groups for name, dice in group.faces.items()}
            dice = {self.faces.key: faces} if self.faces and faces else {}
            return [{**tag, **({self.who.key: names} if names else {}), **dice, **self.shared, **self.groups[0].values}]
        return [
            {**tag, **({self.who.key: name} if name else {}), **self.shared, **group.values}
            for group in self.groups
            for name in group.names or [""]
        ]

    def _lacking(self, missing: Sequence[Field]) -> Missing:
        """What the line does not say, and the word that stands in its place."""
        field, place = missing[0], self.words_at
        told = f"{verb_name(self.verb.kind)} needs {field.key}: {self.takes(field)}"
        legal = legal_values(self.context.system, self.context.state, self.verb.kind, field, self.whose)
        asks = tuple(each.key for each in missing)
        if place is None or field is self.remark:
            return Missing(f"{told}.", missing, len(self.words), legal, of=Choice(self.verb.kind, self._known(), asks))
        word = self.words[place].text
        return Missing(f"{told}, not {word!r}{self._before_the_words(field, place)}.", missing, place, legal, word)

    def _known(self) -> dict[str, Any]:
        """Whom the line is about, as a way says it."""
        return {self.who.key: self.whose} if self.who is not None and self.whose is not None else {}

    def _before_the_words(self, field: Field, place: int) -> str:
        """Where a number that stands behind the words belongs, if it is the only one that there is."""
        later = [at for at in range(place + 1, len(self.words)) if number_of(self.words[at].text) is not None]
        if field.kind.shape != "number" or len(later) != 1:
            return ""
        order = [*range(self.start, place), later[0], *(at for at in range(place, len(self.words)) if at != later[0])]
        said = (self.line.text[self.words[at].start : self.words[at].end] for at in order)
        verb = verb_name(self.verb.kind)
        line = " ".join([verb, *said])
        try:
            still = LineReader(self.context, self.verb, typed(line), len(verb.split())).run().missing()
        except (Invalid, Refusal):
            return ""  # what helps against one mistake alone is no advice
        return "" if still else f"; words come last, like {line}"

    def takes(self, field: Field) -> str:
        """What a field takes, in words: whoever and whatever there is, where that is known."""
        if field.names == "character":
            known = self.context.own() if field is self.who else tuple(self.context.state.characters)
            return either(known or ("somebody who is enrolled",))
        if field.dice or field is self.faces:
            return "dice as they were rolled, like 5,6"
        if field is self.loose:
            return "NAME=VALUE" if self.who is None else f"FIELD=VALUE, like {self.context.system.vital[0]}=…"
        legal = self.fits.legal(field, self.whose)
        if legal:
            return either(legal)
        if field.names == "new character":
            return "a name"
        if field.turn:
            return "a turn, like T4"
        match field.kind.shape:
            case "flag":
                return "yes or no"
            case "text":
                return f"words ({field.description})" if field.description else "words"
            case "map":
                return "NAME=VALUE"
        return "its number or its name" if field.kind.reference else type_description(field.kind)

    @property
    def without(self) -> tuple[str, ...]:
        """Who is left out where everybody was named, and is in sight all the same: the collapsed, but not the dead."""
        if not self.said_all:
            return ()
        system, state = self.context.system, self.context.state
        named = {name for group in self.groups for name in group.names}
        fallen = [name for name in state.characters if system.fallen(state, name) is not None and name not in named]
        return tuple(name for name in fallen if system.brief(state, name, system.sheet_view(state, name)))

    @property
    def several(self) -> bool:
        """One action speaks of several characters."""
        return self.who is not None and self.who.kind.shape == "list"

    def missing(self) -> list[Field]:
        """The required fields that are not said yet."""
        found = []
        for field in self.fields.values():
            said = field.key in self.shared or all(field.key in group.values for group in self.groups)
            if field.required and not said and not (field is self.who and all(group.names for group in self.groups)):
                found.append(field)
        return found

    def is_open(self, field: Field) -> bool:
        """Whether a field is not said yet."""
        group = self.groups[-1]
        named = field is self.who and bool(group.names)
        return not named and field.key not in self.shared and field.key not in group.values

    def _next(self, here: int) -> int:
        """The place behind what stands here."""
        words_alone = self.remark is not None and self.remark.required and self.who is None and not self.order
        # in a line of words alone only what is written as NAME=VALUE is not one of them
        for way in (self._explicit,) if words_alone else (self._explicit, self._named, self._value, self._others):
            beyond = way(here)
            if beyond is not None:
                return beyond
        return self._remark(here)

    # -- who -----------------------------------------------------------------------------------------------

    def _first_people(self, here: int) -> int:
        if self.who is None:
            return here
        if self.left_out is not None:
            return here
        found = self._people(here)
        if found is not None:
            names, beyond = found
            if not names:
                raise Misread(f"{self.words[here].text} is nobody now.", here)
            self.groups = [People(names)]
            return beyond
        self.left_out = self._awaited()
        self.groups = [People([self.left_out] if self.left_out is not None else [])]
        return here

    def _awaited(self) -> str | None:
        """Whose turn it is, or the only one for whom this action is what comes next, as far as the rules know."""
        system, state = self.context.system, self.context.state
        turn = system.whose_turn(state)
        if turn is not None or self.who is None:
            return turn
        ways = [
            way for name in state.characters for matter in system.pending_for(state, name) for way in matter.choices
        ]
        waited_for = {way.fields.get(self.who.key) for way in ways if way.action is self.verb.kind}
        return waited_for.pop() if len(waited_for) == 1 else None

    def _people(self, here: int) -> tuple[list[str], int] | None:
        """Names in a row. Those after the first count only if no words may follow, or a value does."""
        found = people_at(self.words, here, self.context)
        if found is None:
            return None
        names, beyond = list(found[0]), found[1]
        self.together = len(names) > 1
        self.said_all = self.said_all or self.words[here].text.casefold() in ALL
        if any(field.names for field in self.order):
            return names, beyond  # the next name has a place of its own
        row, after, together = list(names), beyond, self.together
        while after < len(self.words) and not self._begins_a_value(after):
            try:
                more = people_at(self.words, after + self._joins(after), self.context)
            except Unclear:
                more = None
            if more is None:
                break
            row, after, together = [*row, *more[0]], more[1], len(more[0]) > 1
        if after > beyond and (self._begins_a_value(after) or self._no_words()):
            self.together = together
            return row, after
        return names, beyond

    def _joins(self, here: int) -> bool:
        """Whether a word stands between two names."""
        return not self.words[here].quoted and self.words[here].text.casefold() in JOINS

    def _no_words(self) -> bool:
        return self.remark is None or self.remark.key in self.shared

    def _begins_a_value(self, here: int) -> bool:
        """Whether a word is a value of those that go in order, and could not be just any text."""
        if here >= len(self.words):
            return False
        if self.faces is not None and dice_of(self.words[here].text) is not None:
            return True
        for field in self.order:
            try:
                if not field.names and self.fits.known_at(field, self.words, here, self.whose) is not None:
                    return True
            except Unclear:
                return field.required
        return False

    @property
    def whose(self) -> str | None:
        """Whom the line is about, as far as it is read."""
        names = self.groups[-1].names
        said = self.shared.get(self.who.key) if self.who else None
        return names[-1] if names else said if isinstance(said, str) else self.about

    def _others(self, here: int) -> int | None:
        """Somebody else, of whom values of their own are said."""
        if self.who is None or any(field.names for field in self.order):
            return None
        if self.left_out is None and not self.groups[0].names:
            return self._who_after_all(here)
        if not self.several and not self.groups[-1].values:
            return None
        here += self._joins(here)
        try:
            found = self._people(here)
        except Unclear:
            if self._begins_a_value(here + 1):
                raise
            return None
        if found is None or not found[0]:
            return None
        names, beyond = found
        if not self._begins_a_value(beyond) and not (self.several and self._no_words()):
            return None
        if self.several:
            if twice := set(names) & set(self.groups[-1].names):
                raise Misread(f"{listed(sorted(twice))} is named twice.", here)
            self.groups[-1].names += names
        else:
            self.groups.append(People(names))
        return beyond

    def _who_after_all(self, here: int) -> int | None:
        """Whom the line is about, told behind a value: it had to be told, and nobody was."""
        found = people_at(self.words, here, self.context)
        if found is None or not found[0]:
            return None
        self.groups[0].names = list(found[0])
        return found[1]

    # -- values in order -----------------------------------------------------------------------------------

    def _value(self, here: int) -> int | None:
        group = self.groups[-1]
        for field in self.order:
            if field.key in group.values or field.key in self.shared or not self._in_its_place(field):
                continue
            try:
                fit = self.fits.known_at(field, self.words, here, self.whose)
            except Unclear:
                if field.required or field.turn:
                    raise
                continue
            if fit is None and field.required and self.fits.is_free(field):
                if (beyond := self._number_of(here)) is not None:
                    return beyond
                if (beyond := self._for_an_earlier_field(field, here)) is not None:
                    return beyond
                if here + 1 < len(self.words) and self._begins_a_value(here):
                    continue  # `foe 6 bear`
                last = field.kind.shape == "text" and self._is_last(field)
                fit = self._run_of_words(here, in_order=True) if last else self.fits.at(field, self.words, here, None)
            if fit is None or self._is_for_a_later_field(field, fit[0], fit[1]):
                continue
            group.values[field.key], beyond = fit
            self._refuse_half_a_field(field, here, beyond)
            if field.names == "character":
                self.person = field.key
            return beyond + self._is_unit(field, beyond)
        return self._number_of(here) or self._dice_of_each(here)

    def _is_for_a_later_field(self, field: Field, value: Any, beyond: int) -> bool:
        """Whether a number that is none of those there are is the only one for a field that must be said."""
        legal = None if field.required else self.fits.legal(field, self.whose)
        if legal is None or str(value) in map(str, legal) or self._begins_a_value(beyond):
            return False
        return any(each.required and each.kind.shape == "number" and self.is_open(each) for each in self.order)

    def _is_unit(self, field: Field, here: int) -> bool:
        """Whether a word behind a number only says what it counts: `8 hours`, `1 hour`."""
        counts = field.kind.shape == "number" and not field.turn and here < len(self.words)
        return counts and self.words[here].text.casefold() in (field.key, field.key.removesuffix("s"))

    def _for_an_earlier_field(self, field: Field, here: int) -> int | None:
        """A card that is not legal now, before a free text that must be said: that is for the rules to say."""
        before = self.order[: self.order.index(field)]
        for each in before:
            if each.required and each.kind.reference and self.is_open(each):
                self.groups[-1].values[each.key] = self.words[here].text
                return here + 1
        return None

    def _number_of(self, here: int) -> int | None:
        """`5 gold`: a number before the whole name of what it is, where nothing else can be meant."""
        field = self._unsaid(self.words[here + 1].text) if here + 1 < len(self.words) else None
        if field is None or field.kind.shape != "number" or field.dice or field.turn:
            return None
        number = number_of(self.words[here].text)
        if number is None or self.fits.at(field, self.words, here + 2, self.whose) is not None:
            return None
        self._set(field, number, here)
        return here + 2

    def _in_its_place(self, field: Field) -> bool:
        """What belongs to a person stands behind that person."""
        return field.keyed_by is None or field.keyed_by == self.person

    def _is_last(self, field: Field) -> bool:
        """Nothing else is required, so that a text may run on."""
        return all(each is field or each is self.who for each in self.missing())

    def _dice_of_each(self, here: int) -> int | None:
        if self.faces is None or self.faces.key in self.shared:
            return None
        dice: list[int] = []
        group, beyond = self.groups[-1], here
        while beyond < len(self.words) and (more := dice_of(self.words[beyond].text)) is not None:
            dice, beyond = dice + more, beyond + 1
        if beyond == here or not group.names:
            return None
        if self.together or group.names[-1] in group.faces:
            names, said = group.names if self.together else [group.names[-1]], self.words[here].text
            raise Unclear(f"Say whose dice {said} are, like {quoted(names[0])} {said}.", names, here)
        group.faces[group.names[-1]] = dice
        return beyond

    # -- values by name ------------------------------------------------------------------------------------

    def _explicit(self, here: int) -> int | None:
        """`dc=30`, `--dc 30`, `--no-safe`: a field that is meant without doubt."""
        word = self.words[here]
        dashed = word.text.startswith("--") and len(word.text) > 2
        name, sign, text = word.text.removeprefix("--").partition("=")
        if not dashed and (not sign or not name.replace("_", "").replace("-", "").replace(".", "").isalnum()):
            return None
        field = self.field_called(name)
        if field is None and dashed and not sign and name in get_args(Conflicts):
            # how conflicts with later turns are settled, of an action that says so itself or of one told late
            self.manner["conflicts"] = name
            if "conflicts" in self.fields:
                self._give(self.fields["conflicts"], Word(self.manner.pop("conflicts"), 0, 0), here)
            return here + 1
        flag = field if field is not None else self.field_called(name.removeprefix("no-")) if dashed else None
        if flag is not None and flag.kind.shape == "flag" and dashed and not sign:
            self._give(flag, Word("yes" if field is not None else "no", 0, 0), here)
            return here + 1
        beyond, value = here + 1, Word(text, word.start, word.end, word.quoted)
        if not sign:
            if field is None and name not in MANNER:
                return None
            if beyond >= len(self.words):
                raise Missing(f"{word.text} needs its value.", (field,) if field else (), here)
            value, beyond = self.words[beyond], beyond + 1
        if field is not None and field.file == name and self.context.reads is not None:
            self._set(field, self.context.reads(value.text), here)
        elif field is not None and field is not self.loose:
            self._give(field, value, here)
        elif self.loose is not None and field is self.loose and value.text.startswith("{"):
            self._give_many(value.text, here)
        elif self.loose is not None and (sign or field is self.loose):
            inner, equals, told = value.text.partition("=") if field is self.loose else (name, "=", text)
            if not equals or not inner.strip():
                raise Misread(f"Write it as NAME=VALUE, not {value.text!r}.", here)
            self._give_loose(inner.strip(), told, here)
        elif dashed and name in MANNER:
            self.manner[name] = value.text
        else:
            return None
        return beyond

    def name_at(self, here: int) -> int | None:
        """The place behind a field that is named here, with its value."""
        beyond = self._explicit(here)
        return self._named(here) if beyond is None else beyond

    def said(self) -> dict[str, Any]:
        """What was said of the one that the line is about, field by field."""
        names = self.groups[0].names
        told = {self.who.key: names if self.several else names[0]} if self.who is not None and names else {}
        return {**told, **self.shared}

    def field_called(self, name: str, *, whole: bool = False) -> Field | None:
        """The field of this name, or (unless `whole`) the only one that begins so."""
        wanted_ = name.casefold().replace("-", "_")
        if self.context.reads is not None:
            read_from = next((each for each in self.fields.values() if each.file == name), None)
            if read_from is not None:
                return read_from
        if wanted_ in self.fields:
            return self.fields[wanted_]
        begun = [each for key, each in self.fields.items() if wanted_ and key.startswith(wanted_)]
        return begun[0] if len(begun) == 1 and not whole and self.loose is None else None

    def _give(self, field: Field, word: Word, here: int) -> None:
        """Set a field that was named. Raises Misread if the value does not fit."""
        if not word.text and not word.quoted:
            self.dropped.add(field.key)
            return
        names = [name for group in self.groups for name in group.names]
        if field.keyed_by_names and "=" not in word.text and not word.text.startswith("{"):
            if len(names) > 1:
                raise Unclear(f"Say whose: {field.key}=NAME={word.text}.", names, here)
            if self.who is not None and self.whose is None:
                raise self._lacking([self.who])
        fit = self.fits.at(field, (word,), 0, self.whose, named=True)
        if fit is None and field.kind.names:
            find_name(word.text, self.context.state.characters)
        if fit is None:
            raise Misread(f"{field.key} is {self.takes(field)}, not {given(word.text)}.", here)
        self._set(field, fit[0], here)

    def _set(self, field: Field, value: Any, here: int) -> None:
        if field is self.who and not self.several:
            self.groups[0].names = [value]
        elif field is self.who:
            self.groups[0].names += value
        elif field.key not in self.shared and field.key not in self.groups[-1].values:
            self.shared[field.key] = value
        elif field.key not in self.shared:
            raise Misread(f"{field.key} is said twice.", here)
        elif field.kind.shape == "list":
            self.shared[field.key] = [*self.shared[field.key], *value]
        elif field.kind.shape == "map" and not set(value) & set(self.shared[field.key]):
            self.shared[field.key] = {**self.shared[field.key], **value}
        else:
            raise Misread(f"{field.key} is said twice.", here)

    def _give_loose(self, name: str, text: str, here: int) -> None:
        assert self.loose is not None
        name = plain if (plain := name.replace("-", "_")) in self._settable() else name
        values = self.shared.setdefault(self.loose.key, {})
        if name in values:
            raise Misread(f"{name} is said twice.", here)
        option = options_of(self.context.system.options).get(name) if self.who is None else None
        values[name] = json_or_text(text, Any if option is None else option.type)

    def _give_many(self, text: str, here: int) -> None:
        """NAME and VALUE in an object of JSON."""
        told = json_or_text(text)
        if not isinstance(told, dict):
            raise Misread(f"{text!r} is no object of JSON; write it as NAME=VALUE.", here)
        assert self.loose is not None
        self.shared.setdefault(self.loose.key, {}).update(told)

    def _named(self, here: int) -> int | None:
        """`dc 30`, `unsafe`, `source a trap`: a field by its whole name, with a value behind it that fits."""
        if self.words[here].quoted:
            return None
        flag = self._flag(here)
        if flag is not None:
            self.shared[flag[0].key] = flag[1]
            return flag[2]
        field_here = self._unsaid(self.words[here].text)
        if field_here is None:
            return self._loose_by_name(here)
        if field_here is self.remark and here + 1 < len(self.words):
            return self._remark(here + 1)
        if field_here.among:
            return self._of_these(field_here, here)
        fit = self.fits.known_at(field_here, self.words, here + 1, self.whose)
        if fit is None and self.fits.is_free(field_here) and here + 1 < len(self.words):
            text = field_here.kind.shape == "text"
            fit = self._run_of_words(here + 1) if text else self.fits.at(field_here, self.words, here + 1, None)
        if fit is None and field_here.alone is not None:
            fit = field_here.alone, here + 1
        if fit is None:
            self._refuse_no_value(field_here, here)
            return None
        self._set(field_here, fit[0], here)
        return fit[1]

    def _refuse_no_value(self, field: Field, here: int) -> None:
        """Raise Misread for the whole name of a field with no value behind it, unless words may well begin so."""
        if self._begins_a_value(here):
            return  # `perform shield bottom`: the card is meant
        if here + 1 >= len(self.words):
            raise Missing(f"{field.key} needs its value: {self.takes(field)}.", (field,), here + 1)
        following = self.words[here + 1].text
        number = field.kind.shape == "number" or field.dice or field is self.faces
        if "_" in field.key or (self.remark is None and not number):
            # nobody's remark begins with `lose_hand`: a card that cannot pay must not become words beside a wound
            raise Misread(f"{field.key} takes nothing called {given(following)} here.", here + 1)
        if number:
            may_be_words = not field.required and self.remark is not None and self.is_open(self.remark)
            as_words = "; in quotes it is words" if may_be_words else ""
            raise Misread(f"{field.key} is {self.takes(field)}, not {following!r}{as_words}.", here + 1)

    def _loose_by_name(self, here: int) -> int | None:
        """`hp 5`: what can be set by its whole name, with a number or the like behind it."""
        name = self.words[here].text.replace("-", "_")
        if name not in self._settable() or here + 1 >= len(self.words):
            return None
        value = self.words[here + 1].text
        if isinstance(json_or_text(value), str) or (
            self.loose is not None and name in self.shared.get(self.loose.key, ())
        ):
            return None
        self._give_loose(name, value, here)
        return here + 2

    def _unsaid(self, name: str) -> Field | None:
        field = self.field_called(name, whole=True)
        said = field is not None and (field.key in self.shared or field.key in self.groups[-1].values)
        return None if field is None or said or field is self.loose or (field is self.who and self.whose) else field

    def _flag(self, here: int) -> tuple[Field, bool, int] | None:
        """A flag that stands at a place: `safe`, `unsafe`, `no-safe`, `not safe`."""
        word, following = self.words[here].text.casefold(), self.words[here + 1 : here + 2]
        for field in self.fields.values():
            if field.kind.shape != "flag" or self._unsaid(field.key) is None:
                continue
            name = field.key.replace("_", "-")
            if word.replace("_", "-") == name:
                return field, True, here + 1
            if word.replace("_", "-") in (f"un{name}", f"no-{name}", f"not-{name}"):
                return field, False, here + 1
            if word in ("not", "no") and following and following[0].text.casefold().replace("_", "-") == name:
                return field, False, here + 2
        return None

    def _of_these(self, field: Field, here: int) -> int:
        """Some of those whom the line is about; with no names behind it, the only one."""
        names: list[str] = []
        beyond = here + 1
        while beyond < len(self.words):
            found = people_at(self.words, beyond, self.context)
            if found is None or self._begins_a_value(found[1]):
                break
            names, beyond = [*names, *found[0]], found[1]
        if names:
            self.shared[field.key] = names
        else:
            self.of_one.append(field)
        return beyond

    def _run_of_words(self, here: int, *, in_order: bool = False) -> tuple[str, int]:
        """A text from here to the next field that is named (or value `in_order`); one in quotes is whole."""
        if self.words[here].quoted:
            return self.words[here].text, here + 1
        beyond = here + 1
        while beyond < len(self.words) and not (self._names_a_field(beyond) or self._is_option(beyond)):
            if self._begins_a_value(beyond) if in_order else self._only_values_follow(beyond):
                break
            beyond += 1
        text = self.line.text[self.words[here].start : self.words[beyond - 1].end]
        # `Brog, player Mia, level 2`: a comma before a field parts it from what stands before it
        return text.removesuffix(",") if beyond < len(self.words) and text != "," else text, beyond

    def _refuse_half_a_field(self, field: Field, here: int, beyond: int) -> None:
        """Raise Misread for a new name that ends in a field (`Brog player`), or nearly in one (`Brog lvl 2`)."""
        if field.kind.names != "new character" or beyond - here < 2:
            return
        word = self.words[beyond - 1].text
        if (last := self._unsaid(word)) is not None and last is not field and not self.words[beyond - 1].quoted:
            raise Missing(f"{last.key} needs its value: {self.takes(last)}.", (last,), beyond)
        if beyond >= len(self.words):
            return
        near = self.field_called(word) or self.fields.get(nearest(word, self.fields) or "")
        if near is not None and self.is_open(near) and near.kind.shape == "number":
            name = self.line.text[self.words[here].start : self.words[beyond - 1].end]
            told = f"{word!r} may be {near.key} or the end of a name; write {near.key}={self.words[beyond].text}"
            raise Misread(f'{told}, or the name in quotes: "{name}".', beyond - 1)

    def _only_values_follow(self, here: int) -> bool:
        """Whether the words from here to the next field are what must still be said, and dice that may be told."""
        still = [each for each in self.order if each.required and self.is_open(each) and self._is_told_apart(each)]
        beyond = here
        for field in still:
            try:
                fit = self.fits.known_at(field, self.words, beyond, self.whose)
            except Unclear:
                fit = None
            if fit is None:
                break
            beyond = fit[1]
        may_be_dice = any(field.dice and self.is_open(field) for field in self.order)
        while may_be_dice and beyond < len(self.words) and dice_of(self.words[beyond].text) is not None:
            beyond += 1
        return beyond > here and (beyond >= len(self.words) or self._names_a_field(beyond))

    def _is_told_apart(self, field: Field) -> bool:
        """Whether a value of this field is told from any text."""
        return not self.fits.is_free(field) or self.fits.legal(field, self.whose) is not None

    def _names_a_field(self, here: int) -> bool:
        word = self.words[here]
        name, sign, _ = word.text.removeprefix("--").partition("=")
        if (sign or word.text.startswith("--")) and self.field_called(name) is not None:
            return True
        return not word.quoted and (
            self._flag(here) is not None or (self._unsaid(word.text) is not None and here + 1 < len(self.words))
        )

    # -- words ---------------------------------------------------------------------------------------------

    def _remark(self, here: int) -> int:
        name = self.words[here].text.removeprefix("--").partition("=")[0]
        if self.words[here].text.startswith("--") and name:
            known = did_you_mean(name, list(self.fields), otherwise="it has none.")
            raise NoField(f"{verb_name(self.verb.kind)} has no field {name!r}; {known}", name, here)
        if (placed := self.place_at(here)) is not None:
            self.manner[placed[0]] = placed[1]
            return len(self.words)
        self._refuse_no_turn(here)
        self._refuse_another_name(here)
        if self.remark is None or self.remark.key in self.shared or self._are_no_words(here):
            if (beyond := self._as_typed(here)) is not None:
                return beyond
            missing = [each for each in self.missing() if each not in (self.who, self.remark, self.loose)]
            if missing and not self._are_no_words(here):
                self.words_at = here
                raise self._lacking(missing)
            word = self.words[here].text
            raise Misread(f"{word!r} has no place here; {self._what_has_a_place(word)}", here)
        if (named := self._known_remark(here)) is not None:
            return named
        beyond = self._end_of_words(here)
        self.shared[self.remark.key] = self.line.rest(here, beyond)
        self.words_at = here
        return beyond

    def _known_remark(self, here: int) -> int | None:
        """One of those whom the words may name: `wolf` for the grey wolf, with values behind it or nothing."""
        assert self.remark is not None
        legal = self.fits.legal(self.remark, self.whose)
        if not legal or self.words[here].quoted:
            return None
        try:
            found = title_at(self.words, here, legal)
        except Unclear:
            return None
        if found is None or not (found[1] == len(self.words) or self._begins_a_value(found[1])):
            return None
        self.shared[self.remark.key] = found[0]
        return found[1]

    def _are_no_words(self, here: int) -> bool:
        """Whether what is left over is nothing that anybody says: numbers alone, or what is written as an option."""
        left = self.words[here:]
        if self.remark is None or left[0].quoted or self.remark.required:
            return False
        numbers = not self.missing() and all(number_of(word.text) is not None for word in left)
        return numbers or re.match("-[A-Za-z]", left[0].text) is not None

    def _refuse_no_turn(self, here: int) -> None:
        """Raise Misread for words where turns may stand, if they name something that is no turn: `undo brog`."""
        word = self.words[here]
        if word.quoted or not any(each.turn and self.is_open(each) for each in self.order):
            return
        named = any(key_of(word.text) == key_of(name) for name in self.context.state.characters)
        begins_as_turn = re.match(r"[Tt]\d|@|#?\d", word.text) is not None
        verbs = [verb.words for verb in verbs_of(self.context.system.key)]
        if named or begins_as_turn or word.text.casefold() in ALL or parts_of(word.text) in verbs:
            as_words = f", or the reason as {self.remark.key}=…" if self.remark is not None else ""
            raise Misread(f"{word.text!r} is no turn; write each like T4{as_words}.", here)

    def _refuse_another_name(self, here: int) -> None:
        """Raise Misread for `d brog 4 and wen`: whoever is hit too is no remark."""
        try:
            joined = self.who is not None and self._joins(here) and people_at(self.words, here + 1, self.context)
        except Unclear:
            return
        if joined:
            said = self.line.rest(here, joined[1])
            raise Misread(f"{said!r} has no place here; names stand before the values, joined by and.", here)

    def place_at(self, here: int) -> tuple[str, str] | None:
        """`after T6`, `before=@-1`: where in the log it happened, where that is the end of a line."""
        name, sign, point = self.words[here].text.partition("=")
        if not sign and here + 1 < len(self.words):
            point = self.words[here + 1].text
        ends = here + 1 + (not sign) == len(self.words)
        words_alone = self.remark is not None and self.remark.required
        if name not in PLACES or name in self.fields or words_alone or not ends or not names_a_turn(point):
            return None
        return name, point

    def _what_has_a_place(self, word: str) -> str:
        """What may still be said, for whoever said something else."""
        name = word.partition("=")[0].removeprefix("--").casefold()
        near = [each.key for each in self.fields.values() if self.is_open(each) and name in each.key.split("_")]
        if near == [name]:
            return f"write it as {name}=…."
        if len(near) == 1:
            return f"did you mean {near[0]}?"
        still = [f"{each.key}=…" for each in self.fields.values() if each is not self.who and self.is_open(each)]
        if self.faces is not None and self.faces.key not in self.shared:
            like = f"dice behind a name ({called(somebody(self.context.state.characters))} 545)"
            still = [like, *(each for each in still if each != f"{self.faces.key}=…")]
        if not still:
            return f"{verb_name(self.verb.kind)} takes nothing more."
        if len(still) > MOST_TOLD:
            still = [*still[: MOST_TOLD - 1], f"{len(still) - MOST_TOLD + 1} more"]
        return f"{verb_name(self.verb.kind)} still takes {either(still)}."

    def _end_of_words(self, here: int) -> int:
        """The place behind the words that begin here: what is in quotes is whole where a field is named behind it."""
        if self.words[here].quoted and here + 1 < len(self.words) and self._names_a_field(here + 1):
            return here + 1
        end = len(self.words)
        end = next((at for at in (end - 2, end - 1) if at > here and self.place_at(at) is not None), end)
        while end > here + 1 and self._gives_a_field(end - 1):
            end -= 1
        return next((place for place in range(here + 1, end) if self._is_option(place)), end)

    def _gives_a_field(self, here: int) -> bool:
        """Whether a word is NAME=VALUE with the whole name of something that can be set, as nobody writes in words."""
        word = self.words[here]
        name, sign, text = word.text.partition("=")
        if not sign or not text or word.text.startswith("--"):
            return False
        return self._unsaid(name) is not None or name.replace("-", "_") in self._settable()

    def _settable(self) -> Collection[str]:
        """The names that go where NAME=VALUE goes whose NAME is no field."""
        if self.loose is None:
            return ()
        if self.who is None:
            return options_of(self.context.system.options)
        if self.whose not in self.context.state.characters:
            return ()
        return self.context.system.sheet_view(self.context.state, self.whose)

    def _is_option(self, here: int) -> bool:
        """Whether a word is written as an option that there is: those may stand behind the remark too."""
        name = self.words[here].text.removeprefix("--").partition("=")[0]
        dashed = self.words[here].text.startswith("--") and not self.words[here].quoted
        known = (*self.fields, *MANNER, *get_args(Conflicts))
        return dashed and (name in known or self.field_called(name.removeprefix("no-")) is not None)

    def _as_typed(self, here: int) -> int | None:
        """A card or an item that is not legal now: that is for the rules to say."""
        for field in self.order:
            listed = field.kind.shape == "list" and field.kind.item is not None
            kind = field.kind.item if listed and field.kind.item else field.kind
            numbers = all(number_of(word.text) is not None for word in self.words[here:])
            if listed and field.in_order and not field.required and self.is_open(field) and kind.values and numbers:
                # no card of this number is there: where cards are told, it is one all the same
                self.groups[-1].values[field.key] = [word.text for word in self.words[here:]]
                return len(self.words)
            if field.required and kind.reference and field in self.missing():
                run = self._run_of_words(here) if self._is_last(field) else (self.words[here].text, here + 1)
                self.groups[-1].values[field.key] = [run[0]] if listed else run[0]
                return run[1]
        return None


class Read(Struct, frozen=True):
    """The actions of a line as JSON has them, how they are told, and who was left out where everybody was named."""

    values: list[dict[str, Any]]
    manner: dict[str, str]
    without: tuple[str, ...] = ()


def read(context: Context, verb: Verb, line: Line, at: int) -> Read:
    """The actions of a line. Raises Misread, and Refusal for somebody who is not there."""
    reader = LineReader(context, verb, line, at)
    try:
        told = reader.run().values()
        told = [dict(sheet_as_meant(context.system, context.state, each)) for each in told]
        return Read(told, reader.manner, reader.without)
    except Misread as error:
        whose = context.system.whose_turn(context.state) if reader.who is not None else None
        if whose is not None and at < len(line.words) and reader.left_out is None:
            # what looked like a name may be a card of whoever's turn it is
            again = LineReader(context, verb, line, at, whose)
            if again._begins_a_value(at):
                try:
                    return Read(again.run().values(), again.manner)
                except Misread:
                    pass
        _miss_somebody(reader, error)
        raise


def _miss_somebody(reader: LineReader, error: Misread) -> None:
    """Raise Refusal if a line fails because its first word is the name of nobody."""
    if (
        reader.who is None
        or reader.start >= len(reader.words)
        or (error.at == reader.start and isinstance(error, Unclear))
    ):
        return
    word = reader.words[reader.start]
    known = reader.context.state.characters
    try:
        named = people_at(reader.words, reader.start, reader.context) is not None
    except Unclear:
        return
    if named or reader._names_a_field(reader.start) or reader._begins_a_value(reader.start):
        return
    if ("=" in word.text and not word.quoted) or (reader.remark and reader._known_remark(reader.start) is not None):
        return  # nobody is called so: who it is about is left out
    if reader.left_out is None and nearest(word.text, known) is None and _goes_by_turns(reader):
        raise Refusal(
            None,
            f"Nobody's turn is open, and {word.text!r} is no character; say whose: {either(known)}.",
            [way for matter in reader.context.system.pending_for_table(reader.context.state) for way in matter.choices],
        )
    players = {name: str(getattr(sheet, "player", None)) for name, sheet in known.items()}
    plays = [name for name, player in players.items() if key_of(player) == key_of(word.text)]
    if plays:
        raise Refusal(None, f"There is no character {word.text!r}; {players[plays[0]]} plays {listed(plays)}.")
    if reader.left_out is None or nearest(word.text, known) or _is_whole_with_somebody(reader):
        find_name(word.text, known)


def _is_whole_with_somebody(reader: LineReader) -> bool:
    """Whether nothing is wrong with a line but its first word: somebody in its place, and all is understood."""
    known = reader.context.state.characters
    words = reader.line.words
    somebody_there = replace(words[reader.start], text=somebody(known), quoted=True)
    line = replace(reader.line, words=(*words[: reader.start], somebody_there, *words[reader.start + 1 :]))
    try:
        return not LineReader(reader.context, reader.verb, line, reader.start).run().missing()
    except (Invalid, Refusal):
        return False


def _goes_by_turns(reader: LineReader) -> bool:
    """Whether the one it is about may be left out under these rules, while a turn is open."""
    return bool(reader.context.state.characters) and type(reader.context.system).whose_turn is not RuleSystem.whose_turn


def _takes_any_name(field: Field) -> bool:
    kind = field.kind
    return kind.shape == "map" and kind.item is not None and kind.item.shape == "any" and field.file is None
