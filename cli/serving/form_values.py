"""The values of an action out of the fields of a form that was sent: read as a line at the table reads them."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from cli.line.values import json_or_text, number_of
from cli.serving.controls import label_of_field
from cli.shell.references import turn_name, turn_number, turn_numbers
from cli.shell.words import field_value
from domain.naming import capitalised
from domain.refusal import Invalid
from domain.system.field_schema import Field, kind_of
from domain.system.type_descriptions import either, type_description, value_in_brief
from domain.values import in_words


def by_name(begin: str, form_fields: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """What was filled in of a field that has a control for each name."""
    texts = {
        key.removeprefix(begin): values[-1].strip() for key, values in form_fields.items() if key.startswith(begin)
    }
    return {name: text for name, text in texts.items() if text}


def values_by_name(
    begin: str, form_fields: Mapping[str, Sequence[str]], types: Mapping[str, Any], labels: Mapping[str, str]
) -> dict[str, Any]:
    """The same as values of these types, by name. Raises Invalid with the label of the name."""
    return {
        name: _number(labels[name], text)
        if kind_of(types.get(name, Any)).shape == "number"
        else json_or_text(text, types.get(name, Any))
        for name, text in by_name(begin, form_fields).items()
    }


def _number(label: str, text: str) -> int:
    number = number_of(text)
    if number is None:
        raise Invalid(f'{capitalised(label)} must be a whole number, not "{text}".')
    return number


def faces_of(label: str, text: str) -> list[str]:
    """Dice as they were rolled, with whatever between them: 5 4 3, 5.4.3, 543. Raises Invalid."""
    faces = re.split(r"[\s,.;+]+", text.strip(" ,.;+"))
    if not all(face.isascii() and face.isdecimal() for face in faces):
        raise Invalid(f'{label} must be dice as rolled, like 5 4 5, not "{text}".')
    return faces


def pairs_in_words(label: str, text: str) -> dict[str, int]:
    """Names with a number each: strength 1, will 2. Raises Invalid."""
    pairs = re.findall(r"([^\W\d]+)[\s=:]+(\d{1,9})(?:[\s,;]+|$)", text)
    if not pairs or re.sub(r"([^\W\d]+)[\s=:]+(\d{1,9})(?:[\s,;]+|$)", "", text).strip():
        raise Invalid(f'{label}: write a name and a number, like strength 1, not "{text}".')
    return {name: int(number) for name, number in pairs}


def value_from(field: Field, words: list[str], so_far: dict[str, Any], fields: tuple[Field, ...]) -> Any:
    """The value of one field as it was typed. Raises Invalid."""
    if field.file is not None:
        try:
            return tomllib.loads("\n".join(words))
        except tomllib.TOMLDecodeError as error:
            at = re.search(r"\((at .*)\)", str(error))
            where = f" {at[1]}" if at else ""
            raise Invalid(f"That is not the text of such a file: it cannot be read{where}.") from None
    if field.turn and field.kind.shape == "list":
        return [number for word in words for number in turn_numbers(word.replace(",", " ").split())]
    if field.turn and field.kind.shape == "number":
        return turn_number(words[-1])
    if field.turn:
        words = [turn_name(word) for word in words]
    if field.kind.letter and field.kind.shape == "number":
        words = [word.removeprefix(field.kind.letter).removeprefix(field.kind.letter.lower()) for word in words]
    if field.dice:
        words = [face for word in words for face in faces_of(label_of_field(field), word)]
    elif _lists_ids(field):
        words = [part for word in words for part in word.split()]
    return field_value(field, words, so_far, fields)


def what_is_wrong(field: Field, value: Any) -> str:
    """A value that a field does not take, in the words of its label; None: nothing was filled in."""
    label, kind = label_of_field(field), field.kind
    if value is None:
        return f"{label} must be filled in."
    if field.dice:
        return f"{label} must be dice as they were rolled, like 5 6, not {in_words(value)}."
    is_list = kind.shape == "list" and isinstance(value, list)
    if is_list and kind.item is not None:
        kind = kind.item
    wants = either(map(kind.reading_of, kind.offered_choices)) if kind.choices else type_description(kind, value)
    given_values = ", ".join(map(value_in_brief, value if is_list else [value]))
    return f"{label} must {'each ' if is_list else ''}be {wants}, not {given_values}."


def _lists_ids(field: Field) -> bool:
    """Whether a field lists values without spaces out of a fixed set, so that spaces part them."""
    item = field.kind.item if field.kind.shape == "list" else None
    return item is not None and bool(item.values) and not any(" " in value for value in item.values or ())
