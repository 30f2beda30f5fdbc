"""Values as text: in words for people, as somebody would type them, and as JSON for programs."""

from collections.abc import Mapping
from typing import Any, Self

import msgspec


def as_json(value: Any) -> str:
    """A value as one line of JSON. Surrogates, from typed bytes that are no text, are escaped."""
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        import json

        return json.dumps(msgspec.to_builtins(value))


def as_written(value: Any) -> str:
    """A value as somebody would type it: a text unchanged, the rest as JSON."""
    return value if isinstance(value, str) else as_json(value)


def in_words(value: Any) -> str:
    """A value of a sheet in words: "1, 4, 9", "severity minor, what shallow cut", "none"."""
    if value is None or (isinstance(value, str | list | tuple | Mapping) and not value):
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_nested(item)}" for key, item in value.items() if not silent(item)) or "none"
    if isinstance(value, list | tuple):
        parts = [_nested(item) for item in value]
        return ("; " if any(isinstance(item, Mapping) for item in value) else ", ").join(parts)
    return str(value)


def plainly(value: Any) -> str:
    """A value in words that nobody types: "yes" for true, and none of the signs that join the words of a name."""
    return ("yes" if value else "no") if isinstance(value, bool) else in_words(value).replace("_", " ")


def _nested(value: Any) -> str:
    return f"({in_words(value)})" if isinstance(value, list | tuple) and len(value) > 1 else in_words(value)


def silent(value: Any) -> bool:
    """Whether a value is left out in words: None, False and what is empty; numbers, 0 included, are not."""
    return value is None or value is False or (isinstance(value, str | list | tuple | Mapping) and not value)


class Setting(str):
    """A field or an option with its value, as it is typed: `keep_higher = true`. Other texts are in quotes.

    It knows both, for a face that says them in other words.
    """

    name: str
    value: Any

    def __new__(cls, name: str, value: Any) -> Self:
        setting = super().__new__(cls, f"{name} = {_in_quotes(value)}")
        setting.name, setting.value = name, value
        return setting


def settings(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Fields or options with their values, as parts of a sentence."""
    parts: list[str] = []
    for place, (name, value) in enumerate(values.items()):
        between = " and " if place == len(values) - 1 else ", "
        parts += [between, Setting(name, value)] if place else [Setting(name, value)]
    return tuple(parts)


def assignments(values: Mapping[str, Any]) -> str:
    """The same as one text: `keep_higher = true and regained_to = deck`."""
    return "".join(settings(values))


def _in_quotes(value: Any) -> str:
    return as_json(value) if isinstance(value, str) and not value.isidentifier() else in_words(value)
