"""The example campaigns in `data/examples/`, recorded through the same command handler as a user's turns.

Each folder holds `campaign.toml` (name, rules, options, the commands of the demo) and `actions.ndjson`, lines for
`campaign act`. Seeds count up from 1, so that every replay comes to the recorded `sheets.json`.
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

#: The folder of the examples of the built-in rule systems.
FOLDER = Path(data.__path__[0]) / "examples"


class Example(Struct, frozen=True, forbid_unknown_fields=True):
    """One example campaign; `shows` are the commands that the demo runs on it."""

    name: str
    rules: str
    started: datetime
    shows: tuple[str, ...]
    options: dict[str, Any] = {}


def examples(folder: Path = FOLDER) -> dict[str, Example]:
    """Every example by the name of its folder, in the order of the names."""
    return {
        path.parent.name: msgspec.convert(tomllib.loads(path.read_text("utf-8")), Example)
        for path in sorted(folder.glob("*/campaign.toml"))
    }


def handler_of_example(log: Log) -> CommandHandler:
    """A command handler with the same ids and seeds in every replay; the lines of an example bring their times."""
    numbers, seeds = count(log.last() + 1), count(log.last() + 1)
    return CommandHandler(
        log,
        clock=lambda: datetime(2026, 1, 1, tzinfo=UTC),
        new_id=lambda: f"example-{next(numbers)}",
        new_seed=lambda: next(seeds),
    )


def first_turn(example: Example) -> Turn:
    action = action_from(
        example.rules,
        {"type": "campaign.start", "name": example.name, "rules": example.rules, "options": example.options},
    )
    return handler_of_example(MemoryLog(example.rules)).record(action, at=example.started).turn


def play(name: str, log: Log, folder: Path = FOLDER) -> Iterator[Turn]:
    """Record every line of an example after turn 1. Raises for a refused line, as examples must be legal."""
    handler = handler_of_example(log)
    for line in (folder / name / "actions.ndjson").read_text("utf-8").splitlines():
        action, about = action_and_author(log.rules, strict_object(line.encode()))
        yield handler.record(action, **about).turn
