"""What was recorded once and has to read the same for ever: example campaigns, and logs of earlier versions.

Both lie in a folder as `data/` has them: `examples/NAME/` with `actions.ndjson`, `sheets.json` and `turns.ndjson`,
and `old_logs/*/NAME.campaign` with what `log` and `status` said beside it.
"""

import json
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from cli.shell.examples import Example, examples, first_turn, play
from domain.log.folding import state_at
from domain.log.points import turn_at
from domain.log.port import MemoryLog
from domain.registry import system_of
from projections.sheets import status_of


class Recording(Struct, frozen=True):
    """One example campaign and the folder that it lies in."""

    name: str
    example: Example
    folder: Path

    def __repr__(self) -> str:
        return self.name

    def file(self, name: str) -> bytes:
        """What is recorded under this name."""
        return (self.folder / self.name / name).read_bytes()

    def replayed(self) -> MemoryLog:
        """The example decided line by line, as if it were typed."""
        log = MemoryLog(self.example.rules, turns=[first_turn(self.example)])
        for _ in play(self.name, log, self.folder):
            pass
        return log


def recordings_in(data: Path, key: str | None = None) -> tuple[Recording, ...]:
    """The examples of one rule system, or of all."""
    folder = data / "examples"
    return tuple(
        Recording(name, example, folder)
        for name, example in examples(folder).items()
        if key is None or example.rules == key
    )


def old_logs_in(data: Path, key: str) -> tuple[Path, ...]:
    """The campaign files of earlier versions under one rule system."""
    return tuple(path for path in sorted((data / "old_logs").glob("*/*.campaign")) if _rules_of(path) == key)


def _rules_of(path: Path) -> str:
    with path.with_suffix(".sheets.ndjson").open("rb") as sheets:
        return str(json.loads(sheets.readline())["campaign"]["rules"])


def sheets_of(log: MemoryLog) -> dict[str, Any]:
    """What `status --json` says at the end of each session and at the end, without the campaign's id."""
    system = system_of(log.rules)
    sessions = [turn for turn in log.turns if msgspec.to_builtins(turn.action)["type"] == "session.close"]
    points = {f"T{turn.number}": turn.number for turn in sessions} | {"@": turn_at("@", log)}
    readings = {}
    for point, turn in points.items():
        value = status_of(log, system, state_at(system, log, turn), turn)
        del value["campaign"]["id"]
        readings[point] = value
    return readings
