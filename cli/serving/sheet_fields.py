"""The fields of a sheet that somebody may set or compare by hand, each as one control with its present value."""

from collections.abc import Iterator, Mapping
from typing import Any

from cli.recording.audience import Audience
from cli.serving.controls import PREFIX, Control, control_of_value
from domain.common.sheets import OF_EVERY_SHEET
from domain.system.field_schema import Field, kind_of, stored_fields
from domain.system.rulesystem import RuleSystem
from projections.difference import field_in_words


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
    return (kind_of(field.type).description if field is not None else "") or field_in_words(system, name)


def types_of_sheet(audience: Audience) -> Mapping[str, Any]:
    """The types of the fields that can be set, by the names under which they are stored."""
    hidden = {*audience.system.hidden, *OF_EVERY_SHEET}
    fields = stored_fields(audience.system.sheet).items()
    return {name: field.type for name, field in fields if field.name not in hidden}
