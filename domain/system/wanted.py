"""What a field takes, in words: so that whoever gave something else knows what would have worked."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import Meta

from domain.naming import listed

#: A bound beyond this is there for the store's sake; it is told only to who went beyond it.
FAR = 10**12
#: A longer value is told by its beginning.
LONGEST_VALUE = 60


def wanted(hint: Any, value: Any = None) -> str:
    """ "a whole number from 1 to 6", "strength or will", "a list, each item a text": what the type takes.

    `value` is what was given instead.
    """
    hint, bounds = _bare(hint)
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return either(map(str, parts))
    if origin is Union or type(hint).__name__ == "UnionType":
        return either(dict.fromkeys(wanted(part, value) for part in parts if part is not type(None)))
    if origin in (tuple, list):
        return f"{_counted('a list', bounds)}, each item {wanted(parts[0])}"
    if origin in (dict, Mapping):
        keys = f" with {wanted(parts[0])} as its keys" if get_origin(_bare(parts[0])[0]) is Literal else ""
        each = f", each value {wanted(parts[1])}" if parts[1] is not Any else ""
        return f"{_counted('an object', bounds)}{keys}{each}"
    if hint is bool:
        return "true or false"
    if hint is int:
        return f"a whole number{_within(bounds, value)}"
    if hint is str:
        return _counted("a text", bounds)
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return f"an object with {listed(field.encode_name for field in msgspec.structs.fields(hint))}"
    return "a value of another kind"


def given(value: Any) -> str:
    """A value as JSON writes it, shortened."""
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


def either(names: Any) -> str:
    """ "a", "a or b", "a, b or c"."""
    parts = list(names)
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"


def _bare(hint: Any) -> tuple[Any, dict[str, int]]:
    """The type itself, and the bounds that stand around it."""
    bounds: dict[str, int] = {}
    while get_origin(hint) is Annotated:
        hint, *metas = get_args(hint)
        for meta in metas:
            if isinstance(meta, Meta):
                found = {name: getattr(meta, name) for name in ("ge", "le", "min_length", "max_length")}
                bounds = {**{name: each for name, each in found.items() if each is not None}, **bounds}
    return hint, bounds


def _within(bounds: Mapping[str, int], value: Any) -> str:
    far = isinstance(value, int) and abs(value) > FAR
    low, high = (
        each if each is not None and (far or abs(each) <= FAR) else None for each in map(bounds.get, ("ge", "le"))
    )
    if low is not None and high is not None:
        return f" from {low} to {high}"
    return f" of {low} or more" if low is not None else f" of {high} or less" if high is not None else ""


def _counted(what: str, bounds: Mapping[str, int]) -> str:
    least, most = bounds.get("min_length"), bounds.get("max_length")
    unit = " characters" if what == "a text" else ""
    some = f"{what} that is not empty" if least else what
    return (
        f"{some} and has at most {most:,}{unit}"
        if most and least
        else f"{what} of at most {most:,}{unit}"
        if most
        else some
    )
