"""The schema of fields, read once from their types: what each takes, for lines, options, forms and error messages."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

#: The kind of name that enrols somebody.
NEW = "new character"
BOUNDS = ("ge", "le", "min_length", "max_length")


class Kind(Struct, frozen=True):
    """What one type takes."""

    #: "either": a value of one of `parts`; "object": the fields of a Struct; "any": whatever JSON holds
    shape: Literal["text", "number", "flag", "choice", "list", "map", "object", "either", "any"]
    #: `ge`, `le`, `min_length`, `max_length`, where there are any
    bounds: Mapping[str, int] = {}
    #: the values of a choice
    choices: tuple[Any, ...] = ()
    #: each item of a list, each value of a map
    item: "Kind | None" = None
    #: the keys of a map
    keys: "Kind | None" = None
    parts: tuple["Kind", ...] = ()
    #: the fields of an object
    fields: tuple[str, ...] = ()
    description: str = ""
    #: what the type's `Meta(extra=…)` says of it; what follows is part of that
    extra: Mapping[str, Any] = {}
    #: "character" or "new character" if it is the name of one; "ally" if it may be somebody else's too
    names: str | None = None
    #: the texts that are legal, if only some are
    values: Sequence[str] | None = None
    #: other spellings of the values of a choice, which are not offered
    also_written: tuple[Any, ...] = ()
    #: how the values of a choice are read where they are chosen from and not typed; the others as they stand
    read_as: Mapping[str, str] = {}
    #: the form that a text has to have, as a regular expression; None: any
    written_as: str | None = None
    #: whether a number with a sign is something else than its value
    unsigned: bool = False
    #: the letter that may stand before a number (R3)
    letter: str = ""

    @property
    def reference(self) -> bool:
        return {part.shape for part in self.parts} == {"number", "text"}

    @property
    def offered_choices(self) -> tuple[str, ...]:
        """The values of a choice that are offered, as they are typed, without alternative spellings."""
        return tuple(str(choice) for choice in self.choices if choice not in self.also_written)

    def with_reading(self, value: str) -> str:
        """A value as it is typed, and how it is read if that is otherwise: "v: ✔ one check"."""
        return f"{value}: {self.read_as[value]}" if value in self.read_as else value

    def reading_of(self, value: str) -> str:
        """A value as it is read, not as it is typed: "✔ one check", "major wound"."""
        return self.read_as.get(value, value.replace("_", " "))

    def with_extra(self, extra: Mapping[str, Any]) -> "Kind":
        """The kind with what a `Meta(extra=…)` says of it."""
        return replace(
            self, extra=extra, **{name: value for name, value in extra.items() if name in Kind.__struct_fields__}
        )


class Field(Struct, frozen=True):
    """One field of an action. What follows `default` is what the `Meta` of its type says of it."""

    name: str
    #: as JSON and sheets spell it
    key: str
    kind: Kind
    required: bool
    default: Any
    #: what it is, in words
    what: str = ""
    #: what it means to leave it out, in words
    otherwise: str = ""
    #: whether it is a text that must not be blank: a required one, or one with a minimum length. Who is named and which
    #: paragraph is looked up, and what is missing is said better there
    never_blank: bool = False
    #: "character" or "new character" if it holds the name of one, or a list of them; "ally", of others too
    names: str | None = None
    #: whether it is a map whose keys are names of characters
    keyed_by_names: bool = False
    #: the field whose names are this map's keys
    keyed_by: str | None = None
    #: what the file is called that a surface may read this value from; None: it is typed
    file: str | None = None
    #: whether it takes the remaining words of a line
    remark: bool = False
    #: values that are usual; there are others
    usual: tuple[str, ...] = ()
    #: the fields of which one has to be said where this one is not: a line that says none of them lacks this one;
    #: of a name on a list of the log only while somebody is on it
    unless: tuple[str, ...] = ()
    #: the field that calls for one of them, as a sacrifice calls for a price; "": one is always called for
    needed_with: str = ""
    #: little words that may lead to its words, and are no part of them: `from` a trap
    led_by: tuple[str, ...] = ()
    #: whether it is a list of rolled dice
    dice: bool = False
    #: whether it is what somebody rolled or turned over at the table, which another did not
    reported: bool = False
    #: the word that says no where its name says yes: `lost`, of `won`
    denied_by: str = ""
    #: whether it has a position in a line although it is optional
    in_order: bool = False
    #: whether the table asks for it by name, behind what is required: most people want to say it
    wanted: bool = False
    #: whether a form asks for it before the other fields, which depend on it or are read with it
    asked_first: bool = False
    #: whether it is an earlier turn, several, or a point in the log
    turn: bool = False
    #: the number that its name alone stands for
    alone: int | None = None
    #: the short name of its option, like -n
    short: str | None = None
    #: the tag of the action that adds to the list which this field takes a name of; None: it is no such name
    added_by: str | None = None
    #: the tag of the action by which those whom it names do themselves what this action does; None: they do nothing
    acts_with: str | None = None
    #: whether a number among the words of a line may be meant for it, although it stands by its name
    filled: bool = False
    #: the field that says of how many sides these dice are, like 2d6; None: of fewer than ten
    sides_in: str | None = None
    #: the sides of these dice, which together make what keeps a newcomer alive, and the field that says how many
    makes: tuple[int, str] | None = None
    #: the field whose names it holds a subset of
    among: str | None = None
    #: the values of options under which it has a meaning; elsewhere an action with it is refused
    under: Mapping[str, Any] = {}
    #: the number of which it says something only where that is more than one, and the list that reports so many
    of_several: tuple[str, str] | None = None

    @property
    def description(self) -> str:
        """What it is, and what it means to leave it out."""
        return f"{self.what}; default: {self.otherwise}" if self.otherwise else self.what

    @property
    def one(self) -> Kind:
        """What one value takes: of a list each of its items."""
        return self.kind.item if self.kind.shape == "list" and self.kind.item is not None else self.kind

    def taking(self, kind: Kind) -> "Field":
        """The field with another kind; whom that names is read anew."""
        return replace(self, kind=kind, names=_names_in(kind))


def _names_in(kind: Kind) -> str | None:
    """Whose names a value of this kind holds, itself or as a list."""
    return kind.names or (kind.item.names if kind.shape == "list" and kind.item else None)


def _field(struct_field: msgspec.structs.FieldInfo, kind: Kind) -> Field:
    own_extra = {name: value for name, value in kind.extra.items() if name in Field.__struct_fields__}
    is_looked_up = _names_in(kind) is not None or struct_field.name == "rule"
    says_something = struct_field.required or bool(kind.bounds.get("min_length"))
    return Field(
        name=struct_field.name,
        key=struct_field.encode_name,
        kind=kind,
        required=struct_field.required,
        default=None if struct_field.default is msgspec.NODEFAULT else struct_field.default,
        what=kind.description,
        never_blank=kind.shape == "text" and says_something and not is_looked_up,
        keyed_by_names=kind.keys is not None and kind.keys.names is not None,
        **{
            **own_extra,
            "names": _names_in(kind),
            "in_order": bool(own_extra.keys() & {"in_order", "dice", "added_by"}),
        },
    )


def kind_of(hint: Any) -> Kind:
    """The schema of a type. Outer Metas override inner ones; None is left out of a union."""
    all_metas: list[Meta] = []
    while True:
        if get_origin(hint) is Annotated:
            hint, *metas = get_args(hint)
            all_metas += [meta for meta in reversed(metas) if isinstance(meta, Meta)]
            continue
        is_union = get_origin(hint) in (Union, UnionType)
        parts = [part for part in get_args(hint) if part is not type(None)] if is_union else []
        if len(parts) != 1:
            break
        hint = parts[0]
    bounds = {name: value for meta in all_metas[::-1] for name in BOUNDS if (value := getattr(meta, name)) is not None}
    description = next((meta.description for meta in all_metas if meta.description), "")
    extra = {name: value for meta in all_metas[::-1] for name, value in (meta.extra or {}).items()}
    return replace(_bare(hint, parts), bounds=bounds, description=description).with_extra(extra)


def _bare(hint: Any, parts: list[Any]) -> Kind:
    """The schema of a type without its Metas; `parts` are its members if it is a union."""
    origin, inside = get_origin(hint), get_args(hint)
    if parts:
        return Kind("either", parts=tuple(map(kind_of, parts)))
    if origin is Literal:
        return Kind("choice", choices=inside)
    if origin in (tuple, list):
        return Kind("list", item=kind_of(inside[0]))
    if origin in (dict, Mapping):
        return Kind("map", keys=kind_of(inside[0]), item=kind_of(inside[1]))
    if isinstance(hint, type) and issubclass(hint, Struct):
        return Kind("object", fields=tuple(field.encode_name for field in msgspec.structs.fields(hint)))
    return Kind({bool: "flag", int: "number", str: "text"}.get(hint, "any"))  # type: ignore[arg-type]


def typed_fields(kind: type[Struct]) -> Iterator[tuple[str, Any]]:
    """The fields of a Struct with their annotated types, in order."""
    hints = get_type_hints(kind, include_extras=True)
    return ((name, hints[name]) for name in kind.__struct_fields__)


@cache
def stored_fields(kind: type[Struct]) -> Mapping[str, msgspec.structs.FieldInfo]:
    """The fields of an action, event or sheet by the names that are stored and printed."""
    return {field.encode_name: field for field in msgspec.structs.fields(kind)}


@cache
def fields_of(action: type[Struct]) -> tuple[Field, ...]:
    """The fields of an action, in their order."""
    return tuple(_field(struct_field, kind_of(struct_field.type)) for struct_field in msgspec.structs.fields(action))
