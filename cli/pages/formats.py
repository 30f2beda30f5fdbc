"""The formats in which a command can write its result."""

from enum import StrEnum


class Format(StrEnum):
    """The formats of a result; `text` is written by each command itself."""

    text = "text"
    json = "json"
    ndjson = "ndjson"
    csv = "csv"
    md = "md"
    html = "html"
