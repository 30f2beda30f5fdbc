"""The options of a rule system (its open questions), with their paragraphs, values and defaults."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.naming import known_are
from domain.refusal import Refusal, Unknown
from domain.system.field_schema import fields_of, kind_of, typed_fields
from domain.system.paragraphs import OptionFields, paragraphs_of
from domain.system.rulesystem import RuleSystem
from domain.system.state import Options
from domain.system.type_descriptions import type_description, value_in_brief
from domain.turn import Action
from domain.values import plainly


class Option(Struct, frozen=True):
    """One option: its paragraph, its values (None: any value of the type), its default."""

    name: str
    rule: str
    meaning: str
    type: Any
    default: Any
    values: tuple[Any, ...] | None

    def reading_of(self, value: Any) -> Any:
        """The value, validated. Raises Refusal naming the legal values."""
        try:
            return msgspec.convert(value, self.type)
        except msgspec.ValidationError:
            raise Refusal(
                None,
                f"{value_in_brief(value)} is not a value of {self.name} ({self.rule}); it takes "
                f"{type_description(self.type, value)}.",
            ) from None


@cache
def options_of(options: type[Options]) -> dict[str, Option]:
    """The options of a rule system by name, in their order."""
    defaults = options()
    options_by_name = {}
    for name, hint in typed_fields(options):
        kind = kind_of(hint)
        values = (False, True) if kind.shape == "flag" else kind.choices or None
        default = getattr(defaults, name)
        if values is not None:
            values = (default, *(value for value in values if value != default))
        options_by_name[name] = Option(name, kind.extra.get("rule", ""), kind.description, hint, default, values)
    return options_by_name


def settings_in_words(options: type[Options], values: Mapping[str, Any]) -> str:
    """What option values decide: "whether the player may keep the old total: yes"."""
    meanings = {name: option.meaning for name, option in options_of(options).items()}
    return "; ".join(f"{meanings.get(name, name)}: {plainly(value)}" for name, value in values.items())


def checked_options(system: RuleSystem, values_by_name: Mapping[str, Any], rule: str | None = None) -> dict[str, Any]:
    """Validated option values, of one paragraph if `rule` is given. Raises Refusal naming the known ones."""
    options = options_of(system.options)
    values = {}
    for name, value in values_by_name.items():
        option = options.get(name)
        if option is None:
            raise Unknown("option", name, f"There is no option {name!r}", known_are(name, options))
        if rule is not None and option.rule != rule:
            raise Refusal(None, f"The option {name} belongs to {option.rule}, not to {rule}.")
        values[name] = option.reading_of(value)
    return values


@cache
def option_fields_of(key: str) -> dict[str, tuple[OptionFields, ...]]:
    """By the tag of an action: its fields that mean something only while an option has a certain value."""
    by_tag: dict[str, list[OptionFields]] = {}
    for paragraph in paragraphs_of(key).values():
        for fields in paragraph.option_fields:
            by_tag.setdefault(fields.action, []).append(fields)
    return {tag: tuple(fields) for tag, fields in by_tag.items()}


def without_idle_fields(system: RuleSystem, options: Options, action: Action) -> Action:
    """The action without the fields that mean nothing under these options: each back at its default."""
    idle = [
        name
        for conditional in option_fields_of(system.key).get(str(action.__struct_config__.tag), ())
        if getattr(options, conditional.option) != conditional.value
        for name in conditional.fields
    ]
    if not idle:
        return action
    defaults = {field.name: field.default for field in fields_of(type(action)) if field.name in idle}
    return replace(action, **defaults)
