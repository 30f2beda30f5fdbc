"""The grammar of one verb, derived from the fields of its action: who, values by position, named values, remark.

Which words are a value of a field is tested here too (`Fits`). Nothing here knows any verb by its name, so that a verb
of a new rule system has its grammar at once.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from cli.line.errors import Unclear
from cli.line.values import (
    Context,
    Fit,
    dice_of,
    highest_face,
    json_or_text,
    number_of,
    one_of,
    pairs_of,
    people_at,
    title_at,
    title_behind_article,
    turn_number_of,
)
from cli.line.verbs import Verb
from cli.line.vocabulary import ALL, DETERMINERS, NO, SIGNS, WHO, YES
from cli.line.words import Word, joins
from domain.naming import LITTLE, find_name, plain_words
from domain.registry import verb_name
from domain.system.field_schema import Field, Kind, fields_of
from domain.system.options import options_of
from domain.system.type_descriptions import either, type_description
from domain.turn import Action

#: What people say for a value has so many words at most: `with her bow`.
LONGEST_PHRASE = 3


class Fits:
    """The values of one action's fields, for the character whom it is about."""

    def __init__(self, context: Context, kind: type[Action], values: Mapping[str, Any]) -> None:
        self.context, self.kind, self.given = context, kind, values

    def legal(self, field: Field, whose: str | None) -> Sequence[str] | None:
        """What is legal in a field now; None: the rules have no opinion."""
        return self.context.system.proposals_for(self.context.state, self.kind, field.key, whose, self.given)

    def is_free(self, field: Field) -> bool:
        """Whether any word is a value."""
        kind = field.one
        of_names = field.names in ("character", "ally")
        open_ = kind.values is None and kind.written_as is None and not of_names
        return kind.shape in ("text", "any") and open_ and not field.turn and field.added_by is None

    def known_at(self, field: Field, words: Sequence[Word], place: int, whose: str | None) -> Fit:
        """The value of a field at a place, if it could not be just any text. Raises Unclear."""
        if not self.is_free(field):
            return self.at(field, words, place, whose)
        legal = self.legal(field, whose)
        title = None if legal is None or place >= len(words) else title_at(words, place, legal)
        return ([title[0]], title[1]) if title is not None and field.kind.shape == "list" else title

    def at(self, field: Field, words: Sequence[Word], place: int, whose: str | None, *, named: bool = False) -> Fit:
        """The value of a field at a place. `named`: the field was named, so a text is as it is. Raises Unclear."""
        if place >= len(words):
            return None
        if field.names == "character":
            return self._names(field, words, place)
        if field.kind.extra.get("all") and words[place].text.casefold() in ALL:
            return ["all"], place + 1
        if field.dice:
            return self._dice(field, words, place)
        if field.turn:
            return self._turns(field, words, place)
        if field.kind.shape == "list":
            return self._list(field, words, place, whose, named)
        if field.kind.shape == "map":
            fit = self._map(field, words[place].text, whose)
            return None if fit is None else (fit, place + 1)
        return self._single(field, field.kind, words, place, whose, named)

    def _names(self, field: Field, words: Sequence[Word], place: int) -> Fit:
        people = people_at(words, place, self.context)
        if people is None:
            return None
        if field.kind.shape == "list":
            return list(people[0]), people[1]
        return (people[0][0], people[1]) if len(people[0]) == 1 else None

    def _dice(self, field: Field, words: Sequence[Word], place: int) -> Fit:
        """Faces, in as many words as there are."""
        faces: list[int] = []
        here = place
        if words[place].text == "[]":
            return [], place + 1
        most = highest_face(field, self.given)
        while here < len(words) and (more := dice_of(words[here].text, most)) is not None:
            faces, here = faces + more, here + 1
        return (faces, here) if here > place else None

    def _turns(self, field: Field, words: Sequence[Word], place: int) -> Fit:
        text, listed = words[place].text, field.kind.shape == "list"
        if field.kind.shape == "text":
            return text, place + 1
        numbers: list[int] = []
        beyond = place + 1
        while listed and beyond < len(words):
            another = beyond + joins(words, beyond)
            if another >= len(words) or turn_number_of(words[another].text.removesuffix(","), self.context.log) is None:
                break
            text, beyond = f"{text},{words[another].text}", another + 1
        for part in filter(None, text.split(",")) if listed else (text,):
            if (number := turn_number_of(part, self.context.log)) is not None:
                numbers.append(number)
            elif not re.fullmatch(r"\d{1,15}", part):
                return None
            elif listed:
                ways = (f"T{part}", f"last {part}")
                raise Unclear(
                    f"{part} may be the turn T{part} or the last {part} turns; say {either(ways)}.", ways, place
                )
            else:
                numbers.append(int(part))
        return (numbers if listed else numbers[0]), beyond

    def _list(self, field: Field, words: Sequence[Word], place: int, whose: str | None, named: bool) -> Fit:
        """Items as long as they fit, parted by commas or spaces. A free text takes one word alone."""
        item = field.kind.item
        assert item is not None
        values: list[Any] = []
        here = place
        if words[place].text == "[]" and not words[place].quoted:
            return [], place + 1
        if item.shape in ("object", "any", "map"):
            # what is more than a word is written as JSON has it
            value = json_or_text(words[place].text)
            return (value, place + 1) if isinstance(value, list) else None
        while here < len(words):
            several = [part.strip() for part in words[here].text.split(",") if part.strip()]
            if words[here].quoted or len(several) < 2:
                one = self._single(field, item, words, here, whose, named)
                some, beyond = ([one[0]], one[1]) if one is not None else ([], here)
            else:
                fits = [self._single(field, item, (Word(part, 0, 0),), 0, whose, named) for part in several]
                some, beyond = ([], here) if None in fits else ([fit[0] for fit in fits if fit is not None], here + 1)
            if not some:
                break
            values, here = values + some, beyond
            if self.is_free(field):
                break
        return (values, here) if here > place else None

    def _map(self, field: Field, text: str, whose: str | None) -> dict[str, Any] | None:
        """`brog=3,4`, `strength=2,wisdom=1`; without a name, for the one whom the line is about. Raises Refusal."""
        keys, item = field.kind.keys, field.kind.item
        assert keys is not None and item is not None
        if text.startswith("{"):
            value = json_or_text(text)
            return value if isinstance(value, dict) else None
        values: dict[str, Any] = {}
        for named, value in pairs_of(text, item):
            if named is None and (whose is None or keys.names is None):
                return None
            if named is None:
                name = str(whose)
            elif keys.names is not None:
                name = find_name(named, self.context.state.characters)
            else:
                known = keys.choices or self.legal(field, whose) or ()
                name = one_of(named, tuple(map(str, known)), 0) or named
            if value is None or name in values:
                return None
            values[name] = value
        return values

    def _single(
        self, field: Field, kind: Kind, words: Sequence[Word], place: int, whose: str | None, named: bool
    ) -> Fit:
        word = words[place]
        match kind.shape:
            case "number":
                has_letter = kind.letter and word.text[:1].upper() == kind.letter
                number = number_of(word.text[1:] if has_letter else word.text)
                is_another = not named and kind.unsigned and word.text[0] in SIGNS
                return None if number is None or is_another else (number, place + 1)
            case "flag":
                text, beyond = _as_people_say(kind, words, place)
                return (text.casefold() in YES, beyond) if text.casefold() in (*YES, *NO) else None
            case "choice":
                choices = {str(choice): choice for choice in kind.choices}
                text, beyond = _as_people_say(kind, words, place)
                choice = one_of(text, tuple(choices), place)
                return None if choice is None else (choices[choice], beyond)
            case "any" | "object":
                return json_or_text(word.text), place + 1
        if kind.written_as is not None:
            return (word.text, place + 1) if named or re.fullmatch(kind.written_as, word.text) else None
        if field.added_by is not None:
            return title_behind_article(words, place, self.legal(field, whose) or ())
        if kind.reference and not word.quoted and re.fullmatch(r"[0-9]{1,15}", word.text):
            return int(word.text), place + 1
        return self._title(field, kind, words, place, whose, named)

    def _title(
        self, field: Field, kind: Kind, words: Sequence[Word], place: int, whose: str | None, named: bool
    ) -> Fit:
        """A text; where only some are known, one of these. In quotes it is meant as it stands."""
        word = words[place]
        titles: Sequence[str] | None = kind.values or self.legal(field, whose)
        if titles is None:
            return None if kind.reference and not named and not word.quoted else (word.text, place + 1)
        is_closed = kind.reference or kind.values is not None
        if word.quoted:
            same = [title for title in titles if plain_words(title) == plain_words(word.text)]
            title = word.text if named or len(same) != 1 else same[0]
            return (title, place + 1) if named or same or not is_closed else None
        if word.text.casefold() in LITTLE and word.text not in titles:
            # "a" begins no card that may be left out: `items heater a guard`
            return title_behind_article(words, place, titles) if field.required and is_closed else None
        fit = title_at(words, place, titles)
        return fit if fit is not None or (is_closed and not named) else (word.text, place + 1)


def _as_people_say(kind: Kind, words: Sequence[Word], place: int) -> tuple[str, int]:
    """The value of a choice for what people say, of several words too (`with her bow`); else the word as it is."""
    for beyond in range(min(place + LONGEST_PHRASE, len(words)), place, -1):
        run = words[place:beyond]
        if not any(word.quoted for word in run[1:]):
            text = " ".join(word.text.casefold() for word in run if word.text.casefold() not in DETERMINERS)
            if run[-1].text.casefold() in DETERMINERS:
                continue
            if text in kind.also_said:
                return kind.also_said[text], beyond
            if " " in text and (choice := text.replace(" ", "_")) in kind.offered_choices:
                return choice, beyond
    return words[place].text, place + 1


class Grammar:
    """The fields of one verb by their part in its line, and what each of them takes."""

    def __init__(self, context: Context, verb: Verb) -> None:
        self.context, self.verb = context, verb
        fields = [as_list(field) for field in fields_of(verb.kind) if field.key not in verb.sets]
        #: all fields that a line may set, by name
        self.fields = {field.key: field for field in fields}
        #: the field for the characters that the line is about
        self.who = next((field for field in fields if field.required and field.names == "character"), None)
        #: the field for the words that are left over
        self.remark = next((field for field in fields if field.remark), None)
        #: the field for the dice of each character, if there may be several
        self.faces = next(
            (field for field in fields if self.who and field.keyed_by == self.who.key and field.keyed_by_names), None
        )
        #: the field for NAME=VALUE if NAME is no field
        self.loose = next(
            (
                field
                for field in fields
                if field.kind.shape == "map" and field.kind.item and field.kind.item.shape == "any" and not field.file
            ),
            None,
        )
        apart = (self.who, self.remark, self.faces, self.loose)
        #: the fields whose values may stand without a name, in this order
        self.order = [field for field in fields if field not in apart and (field.required or field.in_order)]
        #: whether one action is about several characters
        self.several = self.who is not None and self.who.kind.shape == "list"
        #: whether all words are the remark, as in a note, but for NAME=VALUE
        self.words_alone = self.remark is not None and self.remark.required and self.who is None and not self.order
        #: whether a further field by position takes a character
        self.names_another = any(field.names for field in self.order)

    def fits(self, values: Mapping[str, Any]) -> Fits:
        """What fits the fields, given the values that are known already."""
        return Fits(self.context, self.verb.kind, values)

    @property
    def name(self) -> str:
        """The name of the verb."""
        return verb_name(self.verb.kind)

    def field_called(self, name: str, *, whole: bool = False) -> Field | None:
        """The field of this name, or, unless `whole`, the only one that begins with it."""
        key = name.casefold().replace("-", "_")
        if self.context.reads is not None:
            read_from = next((field for field in self.fields.values() if field.file == name), None)
            if read_from is not None:
                return read_from
        if key in self.fields:
            return self.fields[key]
        if key in WHO and self.who is not None:
            return self.who
        matches = [field for key_there, field in self.fields.items() if key and key_there.startswith(key)]
        return matches[0] if len(matches) == 1 and not whole and self.loose is None else None

    def settable(self, whose: str | None) -> Collection[str]:
        """The names for NAME=VALUE that are no fields: options of the rules, or fields of the character's sheet."""
        if self.loose is None:
            return ()
        if self.who is None:
            return options_of(self.context.system.options)
        if whose not in self.context.state.characters:
            return ()
        return self.context.system.sheet_view(self.context.state, whose)

    def takes(self, field: Field, whose: str | None, *, missing: bool = False) -> str:
        """The values that a field takes, in words; where it is `missing`, a number is called by what it counts."""
        if field.names == "character":
            names = self.context.own() if field is self.who else tuple(self.context.state.characters)
            return either(names or ("somebody who is enrolled",))
        if field.dice or field is self.faces:
            return "dice as they were rolled, like 5,6"
        if field is self.loose:
            return "NAME=VALUE" if self.who is None else f"FIELD=VALUE, like {self.context.system.vital[0]}=5"
        legal = self.fits({}).legal(field, whose)
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
                return field.description or "words"
            case "map":
                return "NAME=VALUE"
            case "number" if missing and field.description:
                return field.description
        return "its number or its name" if field.kind.reference else type_description(field.kind)


def as_list(field: Field) -> Field:
    """The field with the list as its only kind, if it takes a list or an object."""
    lists = [part for part in field.kind.parts if part.shape == "list"]
    return field.taking(lists[0].with_extra(field.kind.extra)) if lists else field
