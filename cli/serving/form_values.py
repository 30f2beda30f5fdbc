"""The values of an action out of the fields of a form that was sent: read as a line at the table reads them."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cli.line.values import json_or_text
from cli.recording.audience import Audience
from cli.serving.controls import OPTIONS, PREFIX, label_of_field, map_example
from cli.shell.references import turn_number, turn_numbers
from cli.shell.words import field_value, shape_of
from domain.refusal import Invalid
from domain.system.field_schema import Field
from domain.system.options import Option


def options_from(options: Mapping[str, Option], form_fields: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The options that the form of a ruling sets, each value as a line at the table reads it."""
    begin = f"{PREFIX}{OPTIONS}."
    texts = {
        key.removeprefix(begin): values[-1].strip() for key, values in form_fields.items() if key.startswith(begin)
    }
    return {
        name: json_or_text(text, options[name].type if name in options else Any) for name, text in texts.items() if text
    }


def named_values(begin: str, form_fields: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """What was filled in for each name, as NAME=VALUES."""
    for key, values in form_fields.items():
        if key.startswith(begin) and (parts := values[-1].replace(",", " ").split()):
            yield f"{key.removeprefix(begin)}={','.join(parts)}"


def must_be_pairs(field: Field, words: Sequence[str], audience: Audience, whose: str | None) -> None:
    """Raise Invalid, with what is likely meant, for a map that is not typed as names with their values."""
    parts = [part for word in words for part in word.split()]
    if all("=" in part for part in parts):
        return
    match parts:
        case [value] if value.isdecimal() and field.key in ("set", "expect"):
            example = f"{audience.system.vital[0]}={value}"
        case [name, value] | [name, "=", value] if "=" not in name + value:
            example = f"{name}={value}"
        case _:
            example = map_example(field, audience, whose)
    raise Invalid(f"Write a name and its value with = between them: {example}")


def value_from(field: Field, words: list[str], so_far: dict[str, Any], fields: tuple[Field, ...]) -> Any:
    """The value of one field as it was typed. Raises Invalid."""
    if field.file is not None:
        try:
            return tomllib.loads("\n".join(words))
        except tomllib.TOMLDecodeError as error:
            raise Invalid(f"{label_of_field(field)} is not TOML: {error}.") from None
    if field.turn and field.kind.shape == "list":
        return [number for word in words for number in turn_numbers(word.replace(",", " ").split())]
    if field.turn and field.kind.shape == "number":
        return turn_number(words[-1])
    if field.kind.letter and field.kind.shape == "number":
        words = [word.removeprefix(field.kind.letter).removeprefix(field.kind.letter.lower()) for word in words]
    if shape_of(field) == "map" or field.dice or _lists_ids(field):
        words = [part for word in words for part in word.split()]
    return field_value(field, words, so_far, fields)


def _lists_ids(field: Field) -> bool:
    """Whether a field lists values without spaces out of a fixed set, so that spaces part them."""
    item = field.kind.item if field.kind.shape == "list" else None
    return item is not None and bool(item.values) and not any(" " in value for value in item.values or ())
