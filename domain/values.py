"""How a value is written for people: in words, or as somebody would type it; and as JSON for programs."""

from collections.abc import Mapping
from typing import Any

import msgspec

from domain.naming import listed


def as_json(value: Any) -> str:
    """A value as JSON, on one line. Bytes that were typed and are no text are escaped."""
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        import json

        return json.dumps(msgspec.to_builtins(value))


def as_written(value: Any) -> str:
    """A value as somebody would type it: a text as it is, the rest as JSON."""
    return value if isinstance(value, str) else as_json(value)


def in_words(value: Any) -> str:
    """A value of a sheet in words: "1, 4, 9", "severity minor, what shallow cut", "none"."""
    if value is None or (isinstance(value, str | list | tuple | Mapping) and not value):
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_nested(each)}" for key, each in value.items() if not silent(each)) or "none"
    if isinstance(value, list | tuple):
        parts = [_nested(each) for each in value]
        return ("; " if any(isinstance(each, Mapping) for each in value) else ", ").join(parts)
    return str(value)


def _nested(value: Any) -> str:
    return f"({in_words(value)})" if isinstance(value, list | tuple) and len(value) > 1 else in_words(value)


def silent(value: Any) -> bool:
    """What somebody or something does not have need not be told; a number, 0 too, is told."""
    return value is None or value is False or (isinstance(value, str | list | tuple | Mapping) and not value)


def assigned(values: Mapping[str, Any]) -> str:
    """Fields or options with the values they were given: `keep_higher = true and dc = 12`. A text is in quotes."""
    return listed(
        f"{name} = {as_json(value) if isinstance(value, str) else in_words(value)}" for name, value in values.items()
    )
