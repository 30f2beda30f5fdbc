"""The values of an action out of the fields of a form that was sent: read as a line at the table reads them."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from cli.line.values import dice_of, json_or_text, number_of, sides_in
from cli.serving.controls import PREFIX, label_of_field
from cli.shell.references import turn_name, turn_number, turn_numbers
from cli.shell.words import scalar
from domain.naming import capitalised
from domain.refusal import Invalid
from domain.system.field_schema import Field, Kind, kind_of
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
    """Values of these types, by name, of what was filled in. Raises Invalid with the label of the name."""
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


def dice_by_name(field: Field, form_fields: Mapping[str, Sequence[str]], named: Any) -> dict[str, Any]:
    """The dice of each who rolls, by name; those without a name belong to whoever alone is `named`. Raises Invalid."""
    label, texts = label_of_field(field), by_name(f"{PREFIX}{field.key}.", form_fields)
    names = named if isinstance(named, list) else [named] if named else []
    if bare := "".join(form_fields.get(f"{PREFIX}{field.key}", ())[-1:]).strip():
        if len(names) != 1:
            raise Invalid(f"Say whose they are: {label}.")
        texts = {str(names[0]): bare, **texts}
    return {name: dice_of(",".join(faces_of(label, text))) or text for name, text in texts.items()}


def value_from(field: Field, words: list[str], dice: str = "") -> Any:
    """The value of one field as it was typed; `dice` are those that it says the faces of. Raises Invalid."""
    if field.file is not None:
        try:
            return tomllib.loads("\n".join(words))
        except tomllib.TOMLDecodeError as error:
            at = re.search(r"\((at .*)\)", str(error))
            where = f" {at[1]}" if at else ""
            raise Invalid(f"That is not the text of such a file: it cannot be read{where}.") from None
    is_list = field.kind.shape == "list"
    if field.turn and is_list:
        return [number for word in words for number in turn_numbers(word.replace(",", " ").split())]
    if field.turn and field.kind.shape == "number":
        return turn_number(words[-1])
    if field.turn:
        words = [turn_name(word) for word in words]
    if field.dice:
        _, most = sides_in(dice)
        faces = [face for word in words for face in faces_of(label_of_field(field), word)]
        return [shown for face in faces for shown in (dice_of(face, most) or (face,))]
    if is_list:
        parts = re.split(r"[,\s]" if _lists_ids(field) else ",", ",".join(words))
        # somebody is chosen, and not typed
        parts = words if field.names and field.required else parts
        return [_single(field.one, part.strip()) for part in parts if part.strip()]
    word = words[-1]
    if field.kind.letter and field.kind.shape == "number":
        word = word.removeprefix(field.kind.letter).removeprefix(field.kind.letter.lower())
    return _single(field.kind, word)


def _single(kind: Kind, text: str) -> Any:
    """One value; a number that cannot be read stays as it is, as the check of the whole action says what is wrong."""
    shape = scalar(kind)
    if shape == "number":
        return text if (number := number_of(text)) is None else number
    return json_or_text(text) if shape == "json" else text


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
