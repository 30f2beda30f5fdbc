"""The formats in which a command can write its result."""

from enum import StrEnum


class Format(StrEnum):
    """The formats of a result. `lines`: a line for each cell; `ids`: only what each row is called, like T4."""

    text = "text"
    json = "json"
    ndjson = "ndjson"
    csv = "csv"
    md = "md"
    html = "html"
    lines = "lines"
    ids = "ids"
