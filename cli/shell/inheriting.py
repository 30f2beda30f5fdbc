"""The rulebook that a new campaign inherits: from a book written as JSON, or from another campaign."""

import json
from pathlib import Path
from typing import Any

import msgspec

from cli.shell.command_context import open_chosen
from cli.shell.rulebooks import rulebook_with_evidence
from domain.refusal import Invalid
from projections.views.inheriting import inheritance_of, options_of
from projections.views.rulebook import Rulebook

#: Bytes of a book at most; real ones have a few pages.
LARGEST = 20_000_000


def inheritance_from(source: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The inheritance from a book or a campaign as JSON, and the values of its options.

    Raises Invalid, and what opening a campaign raises.
    """
    if _is_json(Path(source)):
        book = _from_json(Path(source))
    else:
        with open_chosen(source) as (log, system):
            book = rulebook_with_evidence(log, system, log.last())
    return msgspec.to_builtins(inheritance_of(book)), options_of(book)


def _is_json(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(64).lstrip()[:1] == b"{"
    except OSError:
        return False


def _from_json(path: Path) -> Rulebook:
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
