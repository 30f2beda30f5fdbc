"""Several write at once in a file that has just been made: each turn once, none lost, nobody turned away.

python -m tests.campaigns.writers --rounds 20 --writers 10

The control writes without the lock: somebody has to be turned away, or nothing was tried.
"""

import argparse
import os
import tempfile
from collections import Counter
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

from cli.store.checking import findings_in
from cli.store.failures import Unopenable
from cli.store.file import open_campaign
from cli.store.making import create
from domain.common.notes import Note
from domain.log.port import MaybeSaved, NotSaved
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.kit.elsewhere import begun
from tests.kit.longer_runs import end
from tests.kit.on_disk import first_turn, handler_of

#: Turns that each of them appends, in a connection of its own.
EACH = 8
processes = begun()


def write(path: Path, writer: str, pipe: int, all_there: Any, careless: bool) -> None:
    """Append, and say of each turn whether it is saved; begin when all are there."""
    all_there.wait(timeout=60)
    with ExitStack() as without_lock:
        if careless:
            without_lock.enter_context(patch("cli.store.file.sole_writer", lambda _: nullcontext()))
            without_lock.enter_context(patch("cli.store.connection.LONGEST_WAIT", 0.0))
        for number in range(EACH):
            try:
                with open_campaign(path, write=True) as log:
                    handler_of(log).record(Note(text=f"{writer} {number}"))
                os.write(pipe, f"saved {writer} {number}\n".encode())
            except (NotSaved, MaybeSaved, Unopenable) as error:
                os.write(pipe, f"refused {writer} {number}: {error}\n".encode())


def round_of(path: Path, writers: int, *, careless: bool) -> tuple[list[str], list[str]]:
    """What so many were told, and what is wrong with the file afterwards."""
    create(path, f"campaign-{path.stem}", first_turn())
    all_there = processes.Barrier(writers)
    acknowledged = []
    with ExitStack() as ending:
        running = []
        for number in range(writers):
            reading, backdating = os.pipe()
            process = processes.Process(target=write, args=(path, f"w{number}", backdating, all_there, careless))
            process.start()
            ending.callback(process.kill)
            os.close(backdating)
            running.append((process, ending.enter_context(os.fdopen(reading))))
        for process, lines in running:
            acknowledged += lines.read().splitlines()
            process.join(timeout=120)
    with open_campaign(path) as log:
        there = Counter(turn.action.text for turn in log.read(after=1) if isinstance(turn.action, Note))
        wrong = [finding.sentence for finding in findings_in(log, quick=True)]
    saved = {line.partition(" ")[2] for line in acknowledged if line.startswith("saved ")}
    wrong += [f"{text} is lost" for text in sorted(saved - there.keys())]
    wrong += [f"{text} is there {times} times" for text, times in there.items() if times > 1]
    return acknowledged, wrong


def run(rounds: int, writers: int, *, careless: bool = False) -> tuple[int, list[str], list[str]]:
    """How many turns were saved, who was turned away, and what was lost or doubled."""
    saved = 0
    refusals: list[str] = []
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        for number in range(rounds):
            acknowledged, faults = round_of(Path(name, f"{number}.campaign"), writers, careless=careless)
            saved += sum(line.startswith("saved ") for line in acknowledged)
            refusals += [line for line in acknowledged if not line.startswith("saved ")]
            refusals += ["no answer"] * (writers * EACH - len(acknowledged))
            wrong += faults
    return saved, refusals, wrong


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--writers", type=int, default=10)
    options = parser.parse_args(arguments)
    saved, refusals, wrong = run(options.rounds, options.writers)
    _, control, _ = run(1, options.writers, careless=True)
    print(
        f"{options.rounds} rounds of {options.writers} writers: {saved} turns saved, {len(refusals)} refused,"
        f" {len(wrong)} lost or doubled; control: without the lock {len(control)} refused"
    )
    end(refusals + wrong, is_able_to_fail=bool(control))


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
