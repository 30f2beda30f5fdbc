"""The schema of fields, read once from their types: what each takes, for lines, options, forms and error messages."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
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
    #: what the type's `Meta(extra=…)` says of it
    extra: Mapping[str, Any] = {}

    @property
    def reference(self) -> bool:
        """Whether it is a reference: a number or a name."""
        return {part.shape for part in self.parts} == {"number", "text"}

    @property
    def names(self) -> str | None:
        """ "character" or "new character" if it is the name of one; "ally" if it may be somebody else's too."""
        return self.extra.get("names")

    @property
    def values(self) -> Sequence[str] | None:
        """The texts that are legal, if only some are."""
        return self.extra.get("values")

    @property
    def offered_choices(self) -> tuple[str, ...]:
        """The values of a choice that are offered, as they are typed, without alternative spellings."""
        return tuple(str(choice) for choice in self.choices if choice not in self.extra.get("also_written", ()))

    @property
    def also_said(self) -> Mapping[str, str]:
        """What people say for a value of a choice ("dies" for "death")."""
        return dict(self.extra.get("also_said", {}))

    @property
    def written_as(self) -> str | None:
        """The form that a text has to have, as a regular expression; None: any."""
        return self.extra.get("written_as")

    @property
    def letter(self) -> str:
        """The letter that may stand before a number (R3)."""
        return str(self.extra.get("written", ""))


class Field(Struct, frozen=True):
    """One field of an action."""

    name: str
    #: as JSON and sheets spell it
    key: str
    kind: Kind
    required: bool
    default: Any

    @property
    def description(self) -> str:
        return self.kind.description

    @property
    def names(self) -> str | None:
        """ "character" or "new character" if it holds the name of one, or a list of them; "ally", of others too."""
        return self.kind.names or (self.kind.item.names if self.kind.shape == "list" and self.kind.item else None)

    @property
    def keyed_by_names(self) -> bool:
        """A map whose keys are names of characters."""
        return self.kind.keys is not None and self.kind.keys.names is not None

    @property
    def keyed_by(self) -> str | None:
        """The field whose names are this map's keys."""
        return self.kind.extra.get("keyed_by")

    @property
    def file(self) -> str | None:
        """What the file is called that a surface may read this value from; None: it is typed."""
        return self.kind.extra.get("file")

    @property
    def remark(self) -> bool:
        """Whether it takes the remaining words of a line."""
        return bool(self.kind.extra.get("remark"))

    @property
    def dice(self) -> bool:
        """Whether it is a list of rolled dice."""
        return bool(self.kind.extra.get("dice"))

    @property
    def in_order(self) -> bool:
        """Whether it has a position in a line although it is optional."""
        return self.dice or self.added_by is not None or bool(self.kind.extra.get("in_order"))

    @property
    def turn(self) -> bool:
        """An earlier turn, several, or a point in the log."""
        return bool(self.kind.extra.get("turn"))

    @property
    def alone(self) -> int | None:
        """The number that its name alone stands for."""
        return self.kind.extra.get("alone")

    @property
    def short(self) -> str | None:
        """The short name of its option, like -n."""
        return self.kind.extra.get("short")

    @property
    def added_by(self) -> str | None:
        """The tag of the action that adds to the list which this field takes a name of; None: it is no such name."""
        return self.kind.extra.get("added_by")

    @property
    def each(self) -> bool:
        """Whether several values in one line at the table make several turns."""
        return bool(self.kind.extra.get("each"))

    @property
    def hinted_by(self) -> tuple[str, ...]:
        """Words that imply a flag: a line with one of them and without the flag is asked about."""
        return tuple(self.kind.extra.get("hints", ()))

    @property
    def among(self) -> str | None:
        """The field whose names it holds a subset of."""
        return self.kind.extra.get("among")

    @property
    def under(self) -> Mapping[str, Any]:
        """The values of options under which it has a meaning; elsewhere an action with it is refused."""
        options: Mapping[str, Any] = self.kind.extra.get("under", {})
        return options

    @property
    def of_several(self) -> tuple[str, str] | None:
        """The number of which it says something only where that is more than one, and the list that reports so many."""
        several: tuple[str, str] | None = self.kind.extra.get("of_several")
        return several

    @property
    def choices(self) -> tuple[str, ...]:
        """The values of a choice, as they are typed."""
        return tuple(map(str, self.kind.choices))


def kind_of(hint: Any) -> Kind:
    """The schema of a type. Outer Metas override inner ones; None is left out of a union."""
    all_metas: list[Meta] = []
    while True:
        if get_origin(hint) is Annotated:
            hint, *metas = get_args(hint)
            all_metas += [meta for meta in reversed(metas) if isinstance(meta, Meta)]
            continue
        parts = [part for part in get_args(hint) if part is not type(None)] if _is_union(hint) else []
        if len(parts) != 1:
            break
        hint = parts[0]
    bounds = {name: value for meta in all_metas[::-1] for name in BOUNDS if (value := getattr(meta, name)) is not None}
    description = next((meta.description for meta in all_metas if meta.description), "")
    extra = {name: value for meta in all_metas[::-1] for name, value in (meta.extra or {}).items()}
    return replace(_bare(hint, parts), bounds=bounds, description=description, extra=extra)


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


def _is_union(hint: Any) -> bool:
    return get_origin(hint) is Union or type(hint).__name__ == "UnionType"


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
    hints = dict(typed_fields(action))
    return tuple(
        Field(
            name=field.name,
            key=field.encode_name,
            kind=kind_of(hints[field.name]),
            required=field.required,
            default=None if field.default is msgspec.NODEFAULT else field.default,
        )
        for field in msgspec.structs.fields(action)
    )


@cache
def never_blank(action: type[Struct]) -> tuple[Field, ...]:
    """The text fields of an action that must not be blank: required ones and those with a minimum length.

    Who is named, and which paragraph, is looked up: what is missing is said better there.
    """

    def says_something(field: Field) -> bool:
        words = field.kind.shape == "text" and not field.names and field.name != "rule"
        return words and (field.required or bool(field.kind.bounds.get("min_length")))

    return tuple(filter(says_something, fields_of(action)))
