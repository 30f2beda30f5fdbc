"""What people wait for, on logs that have lived: `uv run python -m tests.campaigns.benchmark_lived`.

Whole processes beside a Typer program that does nothing, into a pipe and on a pseudo-terminal, in turns (A B A B …),
because the machine's load drifts. The ratio and the seconds are the processor's; how long somebody waited, whatever
else the machine did, stands behind them, and the memory is the most that the process had. `--before TREE` measures
another tree of the program beside this one. Nothing here is asserted; the tests run the short form (`--turns 60
--rounds 1`).
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from tests.campaigns.ended import clean_up_when_told_to_end
from tests.campaigns.lived import BEFORE, EVENING

ROOT = Path(__file__).resolve().parents[2]
NOOP = "import typer\napp = typer.Typer()\n@app.command()\ndef main() -> None:\n    pass\napp()\n"
CAMPAIGN = "from cli.main import main; main()"
#: Makes a log that has lived, with the snapshots that there would be if it had been played here.
PLAYED = """
import sys
from pathlib import Path
from cli.store.file import open_campaign
from tests.campaigns.lived import campaign_of, keep_states, lived
with open_campaign(campaign_of(Path(sys.argv[1]), lived(int(sys.argv[2])), "lived"), write=True) as log:
    keep_states(log, lived(int(sys.argv[2])))
"""
#: The same under any rules, each turn decided at its time; it prints the first enrolment, and a player with secrets.
DECIDED = """
import sys
from pathlib import Path
from cli.store.file import open_campaign
from domain.registry import tag_of
from tests.campaigns.lived import campaign_of, keep_states, lived_under
from tests.kit.subjects import built_in
(subject,) = [subject for subject in built_in() if subject.key == sys.argv[3]]
turns = lived_under(subject, int(sys.argv[2]))
with open_campaign(campaign_of(Path(sys.argv[1]), turns, "lived"), write=True) as log:
    keep_states(log, turns)
print(next(turn.number for turn in turns if "enrol" in tag_of(type(turn.action))), subject.viewer or "", sep=",")
"""
#: What is typed, how much of a Typer no-op it may take, and the seconds that it may take at 20,000 turns.
TYPED = (
    ("status", 1.8, 0.3), ("log -n 20", 1.8, 0.3), ("why brog.hp -n 20", 1.8, 0.3), ("show", 1.8, 0.3),
    ("log --grep torch -n 20", 1.8, 0.3), ("note Rain", 2.1, 0.3), ("osr damage brog 0", 2.1, 0.3),
    ("d brog 0", 2.1, 0.3), ("undo -y", 2.1, 0.3), ("recap S{session}", 2.2, 0.3), ("diff T{early}..", 2.2, 0.3),
    ("status --at T{early}", None, 0.3), ("log -n 20 --at T{early}", None, 0.3), ("log S{session}", None, 0.3),
    ("stats", None, 0.3), ("rules 6.4", None, 0.3), ("when brog.hp<3", None, 0.3),
    ("check-sheet brog hp=5", None, 0.3), ("undo T{early} --dry-run", None, 0.3),
    ("amend T2 level=4 --drop --dry-run", None, 3), ("amend T2 level=4 --drop --dry-run --json", None, None),
)  # fmt: skip
#: An amendment that changes nearly everything, and what reads it once it is recorded: as JSON, and with every remark.
AMENDED = "amend T2 level=4 --drop"
READ_AFTER = ("show --json", "log -n 1 -O ndjson", "export", "verify --quick", "rules 6.4")
#: What the first enrolment is amended to under each of the rules, so that much that follows comes out differently.
OTHERWISE = {"osr": "level=7", "deckahedron": "intelligence=2", "gloomhaven": "level=2"}
#: What changes nearly everything that was played, and the seconds that each may take at 20,000 turns.
CORRECTED = (
    ("amend T{first} {otherwise} --drop --dry-run", 3), ("track brog torches +3 --after T{first} --drop --dry-run", 3),
)  # fmt: skip
#: What a player reads where the rules keep secrets from players, and the seconds that each may take at 20,000 turns.
SEEN = (
    ("log -n 20 --as {player}", 0.3), ("show T{middle} --as {player}", 0.3), ("why {player}.hp --as {player}", 0.3),
    ("log --grep torch -n 20 --as {player}", 0.3), ("why brog.hand --as {player}", 0.3),
    ("log --grep torch -n 20 --as {player} --at T{middle}", 0.3),
)  # fmt: skip
#: The seconds that any command may take at more than 20,000 turns.
LONGEST = 1.5
#: The memory that any of them may take, in MB.
MEMORY = 300


class Run(Struct, frozen=True):
    """What one process took: of the processor, of somebody's time, and of memory (in MB)."""

    processor: float
    waited: float
    memory: float


class Tree:
    """The program in one tree of its sources, with a log and caches of its own."""

    def __init__(self, tree: Path, folder: Path) -> None:
        self.folder, self.log = folder, folder / "lived.campaign"
        self.folder.mkdir()
        self.environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        # the sources of one tree are compiled once for all its logs
        compiled = os.environ.get("PYTHONPYCACHEPREFIX", str(folder.parent / "compiled"))
        self.environment |= {
            "PYTHONPYCACHEPREFIX": compiled, "XDG_CACHE_HOME": str(folder / "cache"),
            "XDG_STATE_HOME": str(folder / "state"), "PYTHONPATH": str(tree), "PAGER": "cat", "TERM": "xterm-256color",
        }  # fmt: skip

    def played(self, turns: int, *rules: str) -> str:
        """Make the log, with what would be kept beside it if it had been played here; what that prints."""
        command = [sys.executable, "-c", DECIDED if rules else PLAYED, str(self.folder), str(turns), *rules]
        process = subprocess.run(
            command, env=self.environment, cwd=self.folder, check=True, text=True, capture_output=True
        )
        return process.stdout.strip()

    def run(self, line: str, *, terminal: bool = False) -> Run:
        """One command line in a process of its own."""
        return self.process("-c", CAMPAIGN, *line.split(), "-c", str(self.log), terminal=terminal)

    def process(self, *words: str, terminal: bool = False) -> Run:
        """One process of Python, to its end."""
        start, command, null = time.perf_counter(), [sys.executable, *words], subprocess.DEVNULL
        about: dict[str, Any] = {
            "env": self.environment,
            "cwd": self.folder,
        }  # `-c` looks for modules in this folder first
        if terminal:
            keeper, end = os.openpty()
            process = subprocess.Popen(command, stdin=end, stdout=end, stderr=end, **about)
            os.close(end)
            with suppress(OSError):
                while os.read(keeper, 65536):
                    pass
            os.close(keeper)
        else:
            process = subprocess.Popen(command, stdout=null, stderr=null, **about)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return Run(used.ru_utime + used.ru_stime, time.perf_counter() - start, used.ru_maxrss / 1024)


def measured(folder: Path, trees: list[Path], turns: int, rounds: int) -> None:
    """Every command on one log, in each of the trees."""
    here = [Tree(tree, folder / f"{turns}-{number}") for number, tree in enumerate(trees)]
    noop = folder / "noop.py"
    noop.write_text(NOOP, "utf-8")
    for tree in here:
        tree.played(turns)
        first = tree.run("log --grep torch -n 1")
        _print(f"{turns:,}: a view made for the first time", None, None, [first], None)
    names = {"session": max(1, (turns - BEFORE) // EVENING), "early": max(3, turns // 2)}
    for line, ratio, wait in TYPED:
        beside(f"{turns:,}: campaign", line.format(**names), noop, here, rounds, ratio, _seconds(wait, turns))
    _print(f"{turns:,}: campaign {AMENDED} -y", None, None, [tree.run(f"{AMENDED} -y") for tree in here], None)
    for line in READ_AFTER:
        beside(f"{turns:,}: after it, campaign", line, noop, here, rounds, None, None)


def under_each_system(folder: Path, trees: list[Path], turns: int, rounds: int) -> None:
    """Under each of the rules, what changes nearly everything that was played, and what a player reads."""
    noop = folder / "noop.py"
    for rules, otherwise in OTHERWISE.items():
        here = [Tree(tree, folder / f"{rules}-{turns}-{number}") for number, tree in enumerate(trees)]
        for tree in here:
            first, player = tree.played(turns, rules).split(",")
        for typed, wait in (*CORRECTED, *(SEEN if player else ())):
            line = typed.format(first=first, otherwise=otherwise, player=player, middle=turns // 2)
            beside(f"{rules}, {turns:,}: campaign", line, noop, here, rounds, None, _seconds(wait, turns))


def _seconds(wait: float | None, turns: int) -> float | None:
    """The seconds that a command may take which may take so long at 20,000 turns; None: any."""
    if wait is None:
        return None
    return wait if turns <= 20_000 else LONGEST


def beside(
    label: str, line: str, noop: Path, here: list[Tree], rounds: int, ratio: float | None, wait: float | None
) -> None:
    """One command line in each of the trees beside a program that does nothing, into a pipe and on a terminal."""
    for terminal in (False, True):
        runs: list[list[Run]] = [[] for _ in here]
        nothing = []
        for tree in here:
            tree.run(line, terminal=terminal)  # what is compiled or made once
        here[0].process(str(noop))
        # a short command differs most from one run to the next
        for _ in range(rounds if ratio is None else 3 * rounds):
            nothing.append(here[0].process(str(noop)).processor)
            for tree, results in zip(here, runs, strict=True):
                results.append(tree.run(line, terminal=terminal))
        row = f"{label} {line}" if not terminal else f"{label.removesuffix('campaign')}the same on a terminal"
        _print(row, ratio, wait, [_median(results) for results in runs], statistics.median(nothing))


def _median(runs: list[Run]) -> Run:
    return Run(
        statistics.median(run.processor for run in runs),
        statistics.median(run.waited for run in runs),
        max(run.memory for run in runs),
    )


def _print(label: str, ratio: float | None, wait: float | None, runs: list[Run], nothing: float | None) -> None:
    """One row: what this tree took beside its limits, then what the other did."""
    figures = [
        f"{'' if nothing is None else f'{command.processor / nothing:.2f} x, '}"
        f"{command.processor:.2f} s ({command.waited:.2f}), {command.memory:.0f} MB"
        for command in runs
    ]
    limit = f"(limit {ratio or '–'} x, {wait or '–'} s, {MEMORY} MB)"
    before = f"  before: {figures[1]}" if len(figures) > 1 else ""
    over = [
        name
        for name, is_over in (
            ("ratio", ratio and nothing and runs[0].processor / nothing > ratio),
            ("seconds", wait and runs[0].processor > wait),
            ("memory", runs[0].memory > MEMORY),
        )
        if is_over
    ]
    print(f"{label:<62} {figures[0]:<32} {limit}{before}{'  OVER: ' + ', '.join(over) if over else ''}", flush=True)


def main(arguments: list[str] | None = None) -> None:
    """Run it all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, nargs="*", default=[1_000, 20_000, 100_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--before", type=Path, metavar="TREE", help="another tree of the program, measured beside")
    options = parser.parse_args(arguments)
    trees = [ROOT, *([options.before.resolve()] if options.before else [])]
    for turns in options.turns:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            measured(folder, trees, turns, options.rounds)
            under_each_system(folder, trees, turns, options.rounds)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
