"""How a value is written in a sentence: as JSON, and a text by itself as it is."""

from collections.abc import Mapping
from typing import Any

import msgspec

from domain.naming import listed


def as_json(value: Any) -> str:
    """A value as JSON, on one line."""
    return msgspec.json.encode(value).decode()


def as_written(value: Any) -> str:
    """A value as somebody would type it: a text as it is, the rest as JSON."""
    return value if isinstance(value, str) else as_json(value)


def assigned(values: Mapping[str, Any]) -> str:
    """Fields or options with the values they were given: `keep_higher = true and dc = 12`."""
    return listed(f"{name} = {as_json(value)}" for name, value in values.items())
