"""The grammar of one verb, derived from the fields of its action: who, values by position, named values, remark.

Nothing here knows a verb, so that one of a new rule system has its grammar at once.
"""

from collections.abc import Collection, Mapping
from typing import Any

from msgspec.structs import replace

from cli.line.values import Context, Fits
from cli.line.verbs import Verb, verb_name
from cli.line.vocabulary import WHO
from domain.system.field_schema import Field, fields_of
from domain.system.options import options_of
from domain.system.type_descriptions import either, type_description


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

    def tests(self, known: Mapping[str, Any]) -> Fits:
        """The tests of the fields' values, given the values that are known already."""
        return Fits(self.context, self.verb.kind, known)

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
        matches = [field for known, field in self.fields.items() if key and known.startswith(key)]
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

    def takes(self, field: Field, whose: str | None) -> str:
        """The values that a field takes, in words."""
        if field.names == "character":
            names = self.context.own() if field is self.who else tuple(self.context.state.characters)
            return either(names or ("somebody who is enrolled",))
        if field.dice or field is self.faces:
            return "dice as they were rolled, like 5,6"
        if field is self.loose:
            return "NAME=VALUE" if self.who is None else f"FIELD=VALUE, like {self.context.system.vital[0]}=5"
        legal = self.tests({}).legal(field, whose)
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
        return "its number or its name" if field.kind.reference else type_description(field.kind)


def as_list(field: Field) -> Field:
    """The field with the list as its only kind, if it takes a list or an object."""
    lists = [part for part in field.kind.parts if part.shape == "list"]
    return field.taking(replace(lists[0], extra=field.kind.extra)) if lists else field
