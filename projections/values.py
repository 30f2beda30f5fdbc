"""Values of a sheet in words. Every place that prints one for people asks here."""

from collections.abc import Mapping
from typing import Any

import msgspec

from domain.system.hints import kind_of
from domain.system.rulesystem import RuleSystem


def in_words(value: Any) -> str:
    """A value of a sheet in words: "1, 4, 9", "severity minor, what shallow cut", "none"."""
    if value is None or (isinstance(value, str | list | tuple | Mapping) and not value):
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_nested(each)}" for key, each in value.items() if not _silent(each)) or "none"
    if isinstance(value, list | tuple):
        parts = [_nested(each) for each in value]
        return ("; " if any(isinstance(each, Mapping) for each in value) else ", ").join(parts)
    return str(value)


def field_in_words(system: RuleSystem, field: str) -> str:
    """What a field of the sheet is called: "wounds.1" is wound 1, "ability_loss.strength" ability loss strength."""
    top, _, inside = field.partition(".")
    kinds = {each.encode_name: kind_of(each.type).shape for each in msgspec.structs.fields(system.sheet)}
    # one member of several
    first = top.removesuffix("s") if inside and kinds.get(top) == "list" else top
    return f"{first} {inside}".strip().replace("_", " ").replace(".", " ")


def _nested(value: Any) -> str:
    return f"({in_words(value)})" if isinstance(value, list | tuple) and len(value) > 1 else in_words(value)


def _silent(value: Any) -> bool:
    """What a nested thing does not have need not be told; a number, 0 too, is told."""
    return value is None or value is False or (isinstance(value, str | list | tuple | Mapping) and not value)
