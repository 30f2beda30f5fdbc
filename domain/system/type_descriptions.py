"""Descriptions of types in words, for error messages."""

from collections.abc import Mapping
from typing import Any

from domain.naming import listed
from domain.system.field_schema import Kind, kind_of
from domain.values import as_json

#: Bounds beyond this exist for storage; they are mentioned only if a value exceeds them.
FAR = 10**12
#: Longer values are shortened in messages.
LONGEST_VALUE = 60


def type_description(hint: Any, value: Any = None) -> str:
    """ "a whole number from 1 to 6", "strength or will", "a list, each item a text": what the type takes.

    `hint` is a type, or what `kind_of` says of it; `value` is what was given instead.
    """
    kind = hint if isinstance(hint, Kind) else kind_of(hint)
    match kind.shape:
        case "choice":
            return either(kind.offered_choices)
        case "either":
            return either(dict.fromkeys(type_description(part, value) for part in kind.parts))
        case "list":
            return f"{_number_within('a list', kind.bounds)}, each item {type_description(kind.item)}"
        case "map":
            assert kind.keys is not None and kind.item is not None
            names = type_description(kind.keys) if kind.keys.shape == "choice" else kind.keys.description
            keys = f" with {names} as its keys" if names else ""
            values = f", each value {type_description(kind.item)}" if kind.item.shape != "any" else ""
            return f"{_number_within('an object', kind.bounds)}{keys}{values}"
        case "flag":
            return "true or false"
        case "number":
            return f"a whole number{_within(kind.bounds, value)}"
        case "text":
            return _number_within("a text", kind.bounds)
        case "object":
            return f"an object with {listed(kind.fields)}"
    return "a value of another kind"


def value_in_brief(value: Any) -> str:
    """A value as JSON writes it, shortened."""
    text = as_json(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


def either(names: Any) -> str:
    """ "a", "a or b", "a, b or c"."""
    parts = list(names)
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def _within(bounds: Mapping[str, int], value: Any) -> str:
    far = isinstance(value, int) and abs(value) > FAR
    low, high = (
        bound if bound is not None and (far or abs(bound) <= FAR) else None for bound in map(bounds.get, ("ge", "le"))
    )
    if low is not None and high is not None:
        return f" from {low} to {high}"
    return f" of {low} or more" if low is not None else f" of {high} or less" if high is not None else ""


def _number_within(noun: str, bounds: Mapping[str, int]) -> str:
    least, most = bounds.get("min_length"), bounds.get("max_length")
    unit = " characters" if noun == "a text" else ""
    base_noun = f"{noun} of {least} or more" if least and least > 1 else f"{noun} that is not empty" if least else noun
    return (
        f"{base_noun} and has at most {most:,}{unit}"
        if most and least
        else f"{noun} of at most {most:,}{unit}"
        if most
        else base_noun
    )
