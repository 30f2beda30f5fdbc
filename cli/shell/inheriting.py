"""The rulebook that another campaign begins with: a book written as JSON, or a campaign that is read for it."""

import json
from pathlib import Path
from typing import Any

import msgspec

from cli.shell.command_context import opened
from cli.shell.rulebooks import weighed
from domain.refusal import Invalid
from projections.views.inheriting import inheritance_of, options_of
from projections.views.rulebook import Rulebook

#: A book is a few pages; what is larger is something else.
LARGEST = 20_000_000


def inherited(source: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a campaign takes over, as JSON, and the values of options.

    Raises Invalid, and what opening a campaign raises.
    """
    book = _written(Path(source)) if _is_json(Path(source)) else _played(source)
    return msgspec.to_builtins(inheritance_of(book)), options_of(book)


def _is_json(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(64).lstrip()[:1] == b"{"
    except OSError:
        return False


def _played(source: str) -> Rulebook:
    with opened(source) as (log, system):
        return weighed(log, system, log.last())


def _written(path: Path) -> Rulebook:
    no_book = f"{path} is not a rulebook; write one with campaign rules --book -O json -o {path.name}"
    try:
        if path.stat().st_size > LARGEST:
            raise Invalid(no_book)
        value = json.loads(path.read_bytes())
        if value.get("type") != "rulebook":
            raise Invalid(no_book)
        return msgspec.convert(value, Rulebook)
    except (OSError, ValueError, RecursionError, msgspec.ValidationError):
        raise Invalid(no_book) from None
