"""What a form is made of: the controls with which its fields are filled in, those of a sheet too, and their words."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from cli.recording.audience import Audience
from domain.common.sheets import OF_EVERY_SHEET
from domain.naming import capitalised
from domain.system.field_schema import Field, kind_of, stored_fields
from domain.system.options import Option
from domain.system.rows import CardView
from domain.system.rulesystem import RuleSystem
from domain.system.type_descriptions import either
from domain.values import as_written
from projections.difference import field_title

#: What the name of a field begins with in a form.
PREFIX = "f."
#: The field of a ruling that holds the options which it sets.
OPTIONS = "set"
#: The label of the choice that leaves a field out, if its description does not say what that means.
LABEL_OF_NONE = "not said"
#: Controls with which something is chosen from a list.
LISTS = ("choice", "several", "cards")


class Control(Struct, frozen=True):
    """What a form shows for one field, to fill it in."""

    name: str
    label: str
    kind: Literal["choice", "several", "number", "dice", "flag", "text", "long", "cards"]
    required: bool = False
    #: (value, what it is called)
    values: tuple[tuple[str, str], ...] = ()
    initial: tuple[str, ...] = ()
    help: str = ""
    #: whether a number may be below zero
    signed: bool = False
    #: how values look that are cards
    cards: Mapping[str, CardView] = {}
    #: whether it stands with what has to be filled in
    is_first: bool = False
    #: what it means to leave it out
    note: str = ""
    #: whether leaving it out decides what comes of it too, so that nothing is chosen beforehand
    decides: bool = False
    #: what it is called to choose none of the values
    label_of_none: str = LABEL_OF_NONE
    #: whether there are values that are not listed, because nobody at the table has met them, but can be typed
    takes_others: bool = False


class Form(Struct, frozen=True):
    """One action, to be filled in; `whose` are those whom it may be about, the first of them chosen."""

    verb: str
    title: str
    help: str
    controls: tuple[Control, ...] = ()
    #: what is to be chosen before the rest can be asked for; None: that is chosen, or there is no such thing
    first: Control | None = None
    #: what was chosen so
    after: str = ""
    #: fields of the action that are settled already
    presets: tuple[tuple[str, str], ...] = ()
    whose: tuple[str, ...] = ()
    about: str = ""
    #: the turn directly after which it happened, as an address said; "": it happens now, or that is to be filled in
    late: str = ""
    #: why it cannot be filled in now
    why_not: str = ""
    #: why the table waits for it, as which saves against what
    awaited: str = ""


def control_of_option(option: Option, now: Any) -> Control:
    """An option that a ruling may set, which has the value `now`."""
    return control_of_value(f"{PREFIX}{OPTIONS}.{option.name}", option.meaning, option.type, option.values, now)


def control_of_value(name: str, label: str, kind: Any, values: Sequence[Any] | None, now: Any) -> Control:
    """A value that is `now` so and is left alone where nothing is filled in: one of `values`, or of a type."""
    label, as_now = capitalised(label), f"as it is now: {_value_of_text(now)}"
    if values is None:
        is_number = kind_of(kind).shape == "number"
        return Control(name, label, "number" if is_number else "text", is_first=True, note=as_now)
    offered = tuple((as_written(value), _value_of_text(value)) for value in values)
    return Control(name, label, "choice", values=offered, is_first=True, label_of_none=as_now)


def _value_of_text(value: Any) -> str:
    if value is None or value == "":
        return "none"
    return ("yes" if value else "no") if isinstance(value, bool) else as_written(value).replace("_", " ")


def label_of_field(field: Field) -> str:
    words = field.what.removesuffix(".") or field.key.replace("_", " ")
    if field.file is not None:
        words = words.replace(" as TOML", "")
    choices = field.kind.offered_choices
    if is_asked := re.fullmatch(r"whether (.+?) (is|was|are|were) (.+)", words):
        return f"{is_asked[2].capitalize()} {is_asked[1]} {is_asked[3]}?"
    # a box says what is so where it is ticked
    words = words.removeprefix("whether ")
    # what can be chosen stands below
    return capitalised(words.removesuffix(f": {either(choices)}") if choices else words)


def name_of_field(field: Field) -> str:
    """The label of a field without examples of its values."""
    return label_of_field(field).partition(", like ")[0]


def note_of_field(field: Field) -> str:
    """What stands behind the label of a field that may be left out."""
    return f"default: {otherwise}" if (otherwise := left_out(field)) else "optional"


def left_out(field: Field) -> str:
    """What it means to leave a field out; "" where that is not said."""
    has_default = field.kind.shape == "number" and isinstance(field.default, int)
    return field.otherwise or (str(field.default) if has_default else "")


# -- the fields of a sheet, to be set or compared by hand --------------------------------------------------------------


def holds_sheet_fields(field: Field) -> bool:
    return bool(field.kind.extra.get("holds") == "sheet fields")


def sheet_controls(audience: Audience, field: Field, whose: str) -> Iterator[Control]:
    """What is a number, a word or a yes on the sheet of `whose`; its piles and lists change by what happens to them.

    The figure that is watched all evening comes first.
    """
    system, view = audience.system, audience.system.sheet_view(audience.known(), whose)
    types = types_of_sheet(audience)
    for name in sorted(types, key=lambda name: name != system.vital[0]):
        hint, kind = types[name], kind_of(types[name])
        if kind.shape in ("number", "text", "flag", "choice") and name in view:
            values = (False, True) if kind.shape == "flag" else kind.choices or None
            yield control_of_value(
                f"{PREFIX}{field.key}.{name}", label_of_sheet_field(system, name), hint, values, view[name]
            )


def label_of_sheet_field(system: RuleSystem, name: str) -> str:
    """What a field of a sheet is called: hit points for hp, experience for xp."""
    if name == system.vital[0]:
        return system.vital[1]
    field = stored_fields(system.sheet).get(name)
    return (kind_of(field.type).description if field is not None else "") or field_title(system, name)


def types_of_sheet(audience: Audience) -> Mapping[str, Any]:
    """The types of the fields that can be set, by the names under which they are stored."""
    hidden = {*audience.system.hidden, *OF_EVERY_SHEET}
    fields = stored_fields(audience.system.sheet).items()
    return {name: field.type for name, field in fields if field.name not in hidden}
