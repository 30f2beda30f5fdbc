"""Record the examples anew: `uv run python -m tests.record_examples [NAME]`.

Writes beside each `actions.ndjson` the sheets that a replay comes to, and the turns as they are stored. To be
run when an example gains turns; what was recorded before must come out as it was, or there is a bug.
"""

import sys
from pathlib import Path
from typing import Any

import msgspec

import data
from cli.shell.examples import examples, first_turn, play
from domain.log.folding import state_at
from domain.log.points import turn_at
from domain.log.port import MemoryLog
from domain.system.registry import system_of
from projections.sheets import status_of

FOLDER = Path(data.__path__[0]) / "examples"


def replayed(name: str) -> MemoryLog:
    """An example, decided line by line as if it were typed."""
    example = examples()[name]
    log = MemoryLog(example.rules, turns=[first_turn(example)])
    for _ in play(name, log):
        pass
    return log


def sheets_of(log: MemoryLog) -> dict[str, Any]:
    """What `status --json` says at the end of each session and at the end, without the campaign's id."""
    system = system_of(log.rules)
    sessions = [turn for turn in log.turns if msgspec.to_builtins(turn.action)["type"] == "session.close"]
    points = {f"T{turn.number}": turn.number for turn in sessions} | {"@": turn_at("@", log)}
    told = {}
    for point, turn in points.items():
        value = status_of(log, system, state_at(system, log, turn), turn)
        del value["campaign"]["id"]
        told[point] = value
    return told


def main(names: list[str]) -> None:
    """Record the named examples, or all."""
    for name in names or examples():
        log = replayed(name)
        sheets = msgspec.json.format(msgspec.json.encode(sheets_of(log)), indent=1)
        (FOLDER / name / "sheets.json").write_bytes(sheets + b"\n")
        turns = b"".join(msgspec.json.encode(turn) + b"\n" for turn in log.turns)
        (FOLDER / name / "turns.ndjson").write_bytes(turns)
        sys.stdout.write(f"{name}: {log.last()} turns\n")


if __name__ == "__main__":
    main(sys.argv[1:])
