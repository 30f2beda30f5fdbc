"""Record the examples anew: `uv run python -m tests.record_examples [NAME]`.

Writes beside each `actions.ndjson` the sheets that a replay comes to, and the turns as they are stored. To be
run when an example gains turns; what was recorded before must come out as it was, or there is a bug.
"""

import sys
from pathlib import Path

import msgspec

import data
from domain.log.port import MemoryLog
from tests.kit.recorded import recorded_in, sheets_of

DATA = Path(data.__path__[0])


def replayed(name: str) -> MemoryLog:
    """An example, decided line by line as if it were typed."""
    return next(each for each in recorded_in(DATA) if each.name == name).replayed()


def main(names: list[str]) -> None:
    """Record the named examples, or all."""
    for each in recorded_in(DATA):
        if names and each.name not in names:
            continue
        log = each.replayed()
        sheets = msgspec.json.format(msgspec.json.encode(sheets_of(log)), indent=1)
        (each.folder / each.name / "sheets.json").write_bytes(sheets + b"\n")
        turns = b"".join(msgspec.json.encode(turn) + b"\n" for turn in log.turns)
        (each.folder / each.name / "turns.ndjson").write_bytes(turns)
        sys.stdout.write(f"{each.name}: {log.last()} turns\n")


if __name__ == "__main__":
    main(sys.argv[1:])
