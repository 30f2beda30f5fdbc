"""Record examples anew: `uv run python -m tests.record_examples [NAME …] [--data FOLDER] [--old-log FILE]`.

Writes beside each `actions.ndjson` the sheets that a replay comes to, and the turns as they are stored. To be
run when an example gains turns; what was recorded before must come out as it was, or there is a bug. With
`--old-log` it writes beside a campaign file what it reads as today, for later versions to be held against. A
package with a rule system of its own names its own folder; there this is `campaign_log.suite.record_examples`.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from cli.store.file import open_campaign
from domain.log.folding import state_at
from domain.log.port import MemoryLog
from domain.registry import system_of
from projections.chronicle_range import chronicle
from projections.sheets import status_of

from .kit.recordings import recordings_in, sheets_of
from .kit.subjects import DATA


def replayed(name: str) -> MemoryLog:
    """One of the examples that come with the program, decided line by line as if it were typed."""
    return next(example for example in recordings_in(DATA) if example.name == name).replayed()


def record(data: Path, names: Sequence[str]) -> None:
    """Record the named examples of a data folder, or all."""
    for example in recordings_in(data):
        if names and example.name not in names:
            continue
        log = example.replayed()
        sheets = msgspec.json.format(msgspec.json.encode(sheets_of(log)), indent=1)
        (example.folder / example.name / "sheets.json").write_bytes(sheets + b"\n")
        turns = b"".join(msgspec.json.encode(turn) + b"\n" for turn in log.turns)
        (example.folder / example.name / "turns.ndjson").write_bytes(turns)
        sys.stdout.write(f"{example.name}: {log.last()} turns\n")


def record_old_log(path: Path) -> None:
    """Write what a campaign file reads as beside it: every line of the log, and every sheet after every turn."""
    with open_campaign(path) as log:
        system, last = system_of(log.rules), log.last()
        entries = [entry.as_json() for entry in chronicle(system, log)]
        sheets = [status_of(log, system, state_at(system, log, turn), turn) for turn in range(1, last + 1)]
    for name, rows in (("log", entries), ("sheets", sheets)):
        path.with_suffix(f".{name}.ndjson").write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    sys.stdout.write(f"{path.name}: {last} turns\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Record what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--old-log", type=Path)
    options = parser.parse_args(arguments)
    if options.old_log is not None:
        record_old_log(options.old_log)
    else:
        record(options.data, options.names)


if __name__ == "__main__":
    main()
