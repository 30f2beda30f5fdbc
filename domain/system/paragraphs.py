"""The paragraphs of a rule system, as `data/<key>/paragraphs.toml` lists them in our own words.

["6.4"]
title = "Short rest"
summary = "…"
modelled = true              # or false, with
reason = "…"                 # why it is left to the table
background = "…"             # optional: how the paragraph came to read as it does
"""

from functools import cache
from typing import Any

import msgspec
from msgspec import Struct


class Paragraph(Struct, frozen=True, forbid_unknown_fields=True):
    """One paragraph. `background` is the history that the source itself tells about it."""

    title: str
    summary: str
    modelled: bool = True
    reason: str = ""
    background: str = ""


def data_of(key: str, name: str) -> dict[str, Any]:
    """The table in `data/<key>/<name>.toml`."""
    import tomllib
    from pathlib import Path

    import data

    # importlib.resources would find it too, and take longer to import than the file takes to read
    return tomllib.loads(Path(data.__path__[0], key, f"{name}.toml").read_text("utf-8"))


@cache
def paragraphs_of(key: str) -> dict[str, Paragraph]:
    """Every paragraph by its bare number ("6.4"), in the order of the rules."""
    return msgspec.convert(data_of(key, "paragraphs"), dict[str, Paragraph])
