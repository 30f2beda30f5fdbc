"""What the fields of one verb are in its line: whom it is about, values in order, names with values, the remark.

Everything comes from the fields themselves, so that a verb of a new rule system has a grammar without a line here.
"""

from collections.abc import Collection, Mapping
from typing import Any

from msgspec.structs import replace

from cli.line.values import Context, Fits
from cli.line.verbs import Verb, verb_name
from domain.system.field_schema import Field, fields_of
from domain.system.options import options_of
from domain.system.type_descriptions import either, type_description


class Grammar:
    """The fields of one verb by the part that they play in its line, and what each of them takes."""

    def __init__(self, context: Context, verb: Verb) -> None:
        self.context, self.verb = context, verb
        fields = [_as_said(field) for field in fields_of(verb.kind) if field.key not in verb.sets]
        #: all that the line may say, by name
        self.fields = {field.key: field for field in fields}
        #: whom the line is about
        self.who = next((field for field in fields if field.required and field.names == "character"), None)
        #: where the words go that are left over
        self.remark = next((field for field in fields if field.remark), None)
        #: the dice of each of several
        self.faces = next(
            (field for field in fields if self.who and field.keyed_by == self.who.key and field.keyed_by_names), None
        )
        #: where NAME=VALUE goes whose NAME is no field
        self.loose = next((field for field in fields if _takes_any_name(field)), None)
        apart = (self.who, self.remark, self.faces, self.loose)
        #: what is said without its name, in this order
        self.order = [field for field in fields if field not in apart and (field.required or field.in_order)]

    def tests(self, given: Mapping[str, Any]) -> Fits:
        """The tests of the fields' values, where so much is known of the action."""
        return Fits(self.context, self.verb.kind, given)

    @property
    def name(self) -> str:
        """The verb as it is called."""
        return verb_name(self.verb.kind)

    @property
    def several(self) -> bool:
        """Whether one action speaks of several characters."""
        return self.who is not None and self.who.kind.shape == "list"

    @property
    def words_alone(self) -> bool:
        """Whether the line is nothing but words, as a note is: only what is written NAME=VALUE is not one of them."""
        return self.remark is not None and self.remark.required and self.who is None and not self.order

    @property
    def names_another(self) -> bool:
        """Whether somebody besides the one whom the line is about has a place of their own."""
        return any(field.names for field in self.order)

    def field_called(self, name: str, *, whole: bool = False) -> Field | None:
        """The field of this name, or (unless `whole`) the only one that begins so."""
        key = name.casefold().replace("-", "_")
        if self.context.reads is not None:
            read_from = next((field for field in self.fields.values() if field.file == name), None)
            if read_from is not None:
                return read_from
        if key in self.fields:
            return self.fields[key]
        begun = [field for known, field in self.fields.items() if key and known.startswith(key)]
        return begun[0] if len(begun) == 1 and not whole and self.loose is None else None

    def settable(self, whose: str | None) -> Collection[str]:
        """The names that go where NAME=VALUE goes whose NAME is no field: options, or the fields of a sheet."""
        if self.loose is None:
            return ()
        if self.who is None:
            return options_of(self.context.system.options)
        if whose not in self.context.state.characters:
            return ()
        return self.context.system.sheet_view(self.context.state, whose)

    def takes(self, field: Field, whose: str | None) -> str:
        """What a field takes, in words: whoever and whatever there is, where that is known."""
        if field.names == "character":
            known = self.context.own() if field is self.who else tuple(self.context.state.characters)
            return either(known or ("somebody who is enrolled",))
        if field.dice or field is self.faces:
            return "dice as they were rolled, like 5,6"
        if field is self.loose:
            return "NAME=VALUE" if self.who is None else f"FIELD=VALUE, like {self.context.system.vital[0]}=…"
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
                return f"words ({field.description})" if field.description else "words"
            case "map":
                return "NAME=VALUE"
        return "its number or its name" if field.kind.reference else type_description(field.kind)


def _as_said(field: Field) -> Field:
    """A field as a line gives it a value: of a list or an object, the list."""
    lists = [part for part in field.kind.parts if part.shape == "list"]
    return replace(field, kind=replace(lists[0], extra=field.kind.extra)) if lists else field


def _takes_any_name(field: Field) -> bool:
    kind = field.kind
    return kind.shape == "map" and kind.item is not None and kind.item.shape == "any" and field.file is None
