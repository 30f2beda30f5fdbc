"""The example campaigns in `data/examples/`: played through the same path as every user's turn.

Each folder holds `campaign.toml` (name, rules, options, what the demo shows) and `actions.ndjson`, lines as
`campaign act` reads them. What the lines leave to chance is drawn from seeds counted up from 1, so that a
replay comes to the recorded `sheets.json` every time.
"""

import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

import data
from cli.shell.jsonlines import action_and_author, strict_object
from domain.log.command_handler import CommandHandler
from domain.log.port import Log, MemoryLog
from domain.registry import action_from
from domain.turn import Turn

#: Where the examples of the built-in rule systems lie.
FOLDER = Path(data.__path__[0]) / "examples"


class Example(Struct, frozen=True, forbid_unknown_fields=True):
    """One example campaign. `shows` are the command lines with which the demo shows it."""

    name: str
    rules: str
    started: datetime
    shows: tuple[str, ...]
    options: dict[str, Any] = {}


def examples(folder: Path = FOLDER) -> dict[str, Example]:
    """Every example by the name of its folder, the first of each rule system first."""
    return {
        path.parent.name: msgspec.convert(tomllib.loads(path.read_text("utf-8")), Example)
        for path in sorted(folder.glob("*/campaign.toml"))
    }


def handler_of_example(log: Log) -> CommandHandler:
    """A command handler whose ids and seeds are the same in every replay; every line of an example brings its time."""
    numbers, seeds = count(log.last() + 1), count(log.last() + 1)
    return CommandHandler(
        log,
        clock=lambda: datetime(2026, 1, 1, tzinfo=UTC),
        new_id=lambda: f"example-{next(numbers)}",
        new_seed=lambda: next(seeds),
    )


def first_turn(example: Example) -> Turn:
    """Turn 1 of an example."""
    action = action_from(
        example.rules,
        {"type": "campaign.start", "name": example.name, "rules": example.rules, "options": example.options},
    )
    return handler_of_example(MemoryLog(example.rules)).record(action, at=example.started).turn


def play(name: str, log: Log, folder: Path = FOLDER) -> Iterator[Turn]:
    """Record every line of an example after turn 1. A line that is refused raises: examples are legal."""
    handler = handler_of_example(log)
    for line in (folder / name / "actions.ndjson").read_text("utf-8").splitlines():
        action, about = action_and_author(log.rules, strict_object(line.encode()))
        yield handler.record(action, **about).turn
