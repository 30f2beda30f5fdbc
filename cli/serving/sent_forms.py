"""What was filled in and sent, as the fields of an action; and what is still missing, in the words of its labels."""

from collections.abc import Mapping, Sequence
from typing import Any

from cli.line.grammar import as_list
from cli.recording.audience import Audience
from cli.serving.controls import (
    OPTIONS,
    PREFIX,
    holds_sheet_fields,
    label_of_field,
    label_of_sheet_field,
    name_of_field,
    types_of_sheet,
)
from cli.serving.field_controls import FieldControls, is_filled_in
from cli.serving.form_values import dice_by_name, pairs_in_words, value_from, values_by_name, what_is_wrong
from cli.serving.seat_actions import SeatActions
from domain.common.rulings import Ruling
from domain.naming import listed
from domain.refusal import Invalid, Unfit
from domain.registry import action_from, tag_of
from domain.system.drafts import legal_values
from domain.system.field_schema import fields_of
from domain.system.options import options_of
from domain.turn import Action


class SentForms:
    """Reads the forms that one seat sends."""

    def __init__(self, audience: Audience, actions: SeatActions, controls: FieldControls) -> None:
        self._audience, self._actions, self._controls = audience, actions, controls

    def action(self, kind: type[Action], form_fields: Mapping[str, Sequence[str]]) -> Action:
        """The action that was filled in. Raises Invalid, Refusal."""
        value = {"type": tag_of(kind), **self.values(kind, form_fields)}
        self._check_target(kind, value)
        self._check_chosen(kind, value, form_fields)
        return self.as_action(value)

    def values(self, kind: type[Action], form_fields: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        """The fields of an action as they were filled in. Raises Invalid."""
        value: dict[str, Any] = {}
        for field in filter(is_filled_in, map(as_list, fields_of(kind))):
            words = [word.strip() for word in form_fields.get(f"{PREFIX}{field.key}", ()) if word.strip()]
            # as it would be typed in a line
            words = [word.removeprefix(f"{field.key}=") for word in words]
            begin, label = f"{PREFIX}{field.key}.", label_of_field(field)
            if kind is Ruling and field.key == OPTIONS:
                options = options_of(self._audience.system.options)
                types: Mapping[str, Any] = {name: option.type for name, option in options.items()}
                meanings = {name: option.meaning for name, option in options.items()}
                value[field.key] = values_by_name(begin, form_fields, types, meanings)
            elif holds_sheet_fields(field):
                types = types_of_sheet(self._audience)
                labels = {name: label_of_sheet_field(self._audience.system, name) for name in types}
                value[field.key] = values_by_name(begin, form_fields, types, labels)
            elif field.keyed_by_names:
                value[field.key] = dice_by_name(field, form_fields, value.get(field.keyed_by or ""))
            elif field.kind.shape == "map" and field.file is None:
                value[field.key] = pairs_in_words(label, " ".join(words)) if words else {}
            elif field.kind.shape == "flag":
                # a box that is not ticked sends nothing
                is_ticked = "yes" in words
                if is_ticked != (field.default is True) or (field.required and words):
                    value[field.key] = is_ticked
            elif words:
                value[field.key] = value_from(field, words, str(value.get(field.sides_in or "")))
            if not value.get(field.key, True) and field.kind.shape == "map":
                del value[field.key]  # nothing was filled in
            if field.added_by is not None and any(key in value for key in field.unless):
                value.pop(field.key, None)  # the only foe was chosen by itself, and somebody else by hand
            needed = field.required or self._controls.is_reported(kind, field, str(value.get("character", "")))
            if needed and field.key not in value:
                name = name_of_field(field)
                if name.endswith("?"):
                    raise Invalid(f"Answer first: {name}")
                whose = str(value.get("character", "")) or None
                is_chosen = self._controls.control(kind, field, whose, value, self._actions.able(kind)).kind in (
                    "choice",
                    "several",
                )
                raise Invalid(f"Choose first: {_decapitalised(name)}." if is_chosen else f"{name} is missing.")
        return value

    def as_action(self, value: Mapping[str, Any]) -> Action:
        """Fields that were filled in as an action. Raises Invalid with their labels."""
        try:
            return action_from(self._audience.log.rules, value)
        except Unfit as error:
            raise Invalid(what_is_wrong(error.field, error.value)) from None

    def _check_target(self, kind: type[Action], value: Mapping[str, Any]) -> None:
        """Raise Invalid for what is aimed at nobody while there are foes to choose from."""
        for field in fields_of(kind):
            is_open = field.added_by is not None and not value.keys() & {field.key, *field.unless}
            if is_open and legal_values(self._audience.system, self._audience.known(), kind, field, None, value):
                raise Invalid(f"Choose first: {_decapitalised(name_of_field(field))}.")

    def _check_chosen(
        self, kind: type[Action], value: Mapping[str, Any], form_fields: Mapping[str, Sequence[str]]
    ) -> None:
        """Raise Invalid where nothing is chosen of what decides the outcome of an attack on a foe either way."""
        target = next((field for field in fields_of(kind) if field.added_by is not None), None)
        if target is None or value.keys() & set(target.unless):
            return
        for field in map(as_list, fields_of(kind)):
            if field.added_by is None and field.in_order and f"{PREFIX}{field.key}" not in form_fields:
                whose = next(iter(self._actions.plays()), None)
                if self._controls.control(kind, field, whose, {}, self._actions.plays()).decides:
                    raise Invalid(f"Choose first: {_decapitalised(name_of_field(field))}.")

    def own_words(self, verb: str, form_fields: Mapping[str, Sequence[str]], outcome: str) -> str:
        """What to know of a reported value that stands in the outcome as it was typed: it is none of the usual ones."""
        for field in fields_of(self._actions.kind(verb)):
            text = "".join(form_fields.get(f"{PREFIX}{field.key}", ())[-1:]).strip()
            if field.usual and text and text not in field.usual and f" {text}" in outcome:
                return f"“{text}” is none of {listed(field.usual)}: it is recorded in your words."
        return ""


def _decapitalised(label: str) -> str:
    """A label as it stands within a sentence."""
    return f"{label[:1].lower()}{label[1:]}"
