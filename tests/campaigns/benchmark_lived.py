"""What people wait for, on logs that have lived: `uv run python -m tests.campaigns.benchmark_lived`.

Whole processes beside a Typer program that does nothing, into a pipe and on a pseudo-terminal; changes of the past
beside folding the log; what lies on the disk beside what it is made of. Measured is the processor's time, in turns
(A B A B …): the machine's load drifts. `--large` adds a million turns. Nothing here is asserted; the tests run the
short form (`--turns 300 --rounds 1`).
"""

import argparse
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from uuid import UUID

import msgspec

from cli.shell.viewing import session_known, view_path, viewing
from cli.store.branches import make_branch
from cli.store.file import CampaignFile, open_campaign
from cli.store.folders import cache_folder
from domain.common.notes import Note
from domain.common.revisions import Undo
from domain.log.effective_history import effective_history
from domain.log.folding import fold
from domain.system.registry import record_types, system_of
from domain.system.rulesystem import RuleSystem
from projections.filters import Filters
from projections.recap import recap_of
from projections.views.earlier import reads_the_same
from projections.views.reading import entries
from projections.views.why import Target, chain, context_of
from tests.campaigns.benchmark import campaign_of, handler_for, keep_states, own_cache, seconds, uncollected
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.campaigns.lived import BEFORE, EVENING, lived

NOOP = "import typer\napp = typer.Typer()\n@app.command()\ndef main() -> None:\n    pass\napp()\n"
CAMPAIGN = "from cli.main import main; main()"
#: What is typed, and how much of a Typer no-op it may take.
TYPED = (
    ("status", 1.35), ("log -n 20", 1.35), ("why brog.hp -n 20", 1.35), ("show", 1.35),
    ("log --grep torch -n 20", 1.35), ("note Rain", 1.7), ("undo -y", 1.7),
    ("osr damage brog 0", 1.7), ("d brog 0", 1.7),
)  # fmt: skip


def compare(
    what: str, ours: Callable[[], object], theirs: Callable[[], object], rounds: int, limit: float | None = None
) -> None:
    """Run both in turns and print the median ratio beside its limit."""
    pairs = [(seconds(ours), seconds(theirs)) for _ in range(rounds)]
    ratios = sorted(one / other for one, other in pairs if other) or [0.0]
    here, there = (statistics.median(each) * 1000 for each in zip(*pairs, strict=True))
    _print(what, f"{statistics.median(ratios):.4g}", limit, f"{here:.1f} ms / {there:.1f} ms")


def _print(what: str, found: str, limit: float | None, more: str = "") -> None:
    print(f"{what:<78} {found:>9}  (limit {limit if limit is not None else '–'})  {more}", flush=True)


def on_a_terminal(command: list[str], environment: dict[str, str]) -> None:
    """Run a command on a pseudo-terminal, and read what it shows."""
    keeper, terminal = os.openpty()
    with subprocess.Popen(command, env=environment, stdin=terminal, stdout=terminal, stderr=terminal):
        os.close(terminal)
        with suppress(OSError):
            while os.read(keeper, 65536):
                pass
    os.close(keeper)


def processes(folder: Path, path: Path, turns: int, rounds: int) -> None:
    """Whole processes, beside one that does nothing."""
    noop = folder / "noop.py"
    noop.write_text(NOOP)
    with own_cache(folder) as environment:
        environment |= {"PAGER": "cat", "TERM": "xterm-256color"}

        def piped(*command: str) -> None:
            subprocess.run([sys.executable, *command], env=environment, stdout=subprocess.DEVNULL, check=True)

        for typed, limit in TYPED:
            words = ["-c", CAMPAIGN, *typed.split(), "-c", str(path)]
            piped(*words)
            piped(str(noop))

            def ours(words: list[str] = words) -> None:
                piped(*words)

            def shown(words: list[str] = words) -> None:
                on_a_terminal([sys.executable, *words], environment)

            def nothing() -> None:
                piped(str(noop))

            compare(f"{turns:,}: campaign {typed} : Typer no-op", ours, nothing, rounds, limit)
            compare(f"{turns:,}: the same on a terminal", shown, nothing, rounds, limit)


def changes(log: CampaignFile, turns: int, rounds: int) -> None:
    """Changes of the past in process, beside folding the whole log."""
    system = system_of(log.rules)

    def whole() -> None:
        fold(system.opening(), log.happened(), effective_history(log))

    def taken_back(back: int) -> Callable[[], object]:
        number = next(turn.number for turn in log.read(after=log.last() - back) if isinstance(turn.action, Note))

        def undo() -> None:
            handler = handler_for(log)
            handler.record(Undo(turns=(number,), conflicts="drop"), dry_run=True)

        return undo

    for back in (20, min(1_000, turns // 2)):
        compare(f"{turns:,}: undo of a note {back:,} back : folding all", taken_back(back), whole, rounds, 1 / 400)


def folding(log: CampaignFile, turns: int, rounds: int) -> None:
    """Reading and folding the whole log, beside the same select and decoding alone."""
    system, decode = system_of(log.rules), msgspec.msgpack.Decoder(record_types(log.rules).turn).decode

    def whole() -> None:
        fold(system.opening(), log.happened(), effective_history(log))

    def select_and_decode() -> None:
        with closing(sqlite3.connect(log.path)) as connection:
            select = "SELECT state FROM stored_events WHERE originator_id = ? ORDER BY originator_version"
            for (state,) in connection.execute(select, (log.campaign_id,)):
                decode(state)

    compare(f"{turns:,}: reading and folding : SELECT and decoding", whole, select_and_decode, rounds, 1.6)


def readings(log: CampaignFile, turns: int, rounds: int) -> None:
    """Readings in process, in milliseconds."""
    system, session = system_of(log.rules), max(1, (turns - BEFORE) // EVENING)

    def recap() -> None:
        recap_of(system, log, session, bounds=session_known(log, system, log.last(), session)[1])

    def caught_up() -> None:
        with viewing(log, system):
            pass

    for what, work, limit in (("recap", recap, 15), ("a view with nothing new", caught_up, 3)):
        work()
        spent = statistics.median(seconds(work) for _ in range(rounds))
        _print(f"{turns:,}: {what}, in ms", f"{spent * 1000:.1f}", limit)
    at_an_earlier_point(log, system, turns, rounds)
    spent = statistics.median(_one_more_note(log, caught_up) for _ in range(rounds))
    _print(f"{turns:,}: a view one note on, in ms", f"{spent * 1000:.1f}", 3)


def at_an_earlier_point(log: CampaignFile, system: RuleSystem, turns: int, rounds: int) -> None:
    """What `--at` adds, in milliseconds: where nothing that came later reaches back, and where something does."""
    last = log.last()
    points = range(last - min(10, turns // 2), 0, -1)
    with viewing(log, system) as view:
        same = next(each for each in points if reads_the_same(view, each))
        otherwise = next((each for each in points if not reads_the_same(view, each)), None)

    def why(upto: int) -> None:
        with viewing(log, system, upto) as view:
            chain(view, system, Target("Brog", "hp"), 20)

    def show(upto: int) -> None:
        with viewing(log, system, upto) as view:
            (entry,) = entries(view, Filters(first=upto, last=upto))
            context_of(view, system, upto, entry.rules)

    def newest(upto: int) -> None:
        with viewing(log, system, upto) as view:
            list(entries(view, None, 20))

    for point, where, limit in ((same, "an earlier point", 2), (otherwise, "a point that was undone behind", 10)):
        if point is None:
            continue  # short, and nobody took anything back
        for what, ask in (("why", why), ("show", show), ("log -n 20", newest)):
            ask(last)
            pairs = [(seconds(partial(ask, point)), seconds(partial(ask, last))) for _ in range(max(5, rounds))]
            then, now = (statistics.median(each) * 1000 for each in zip(*pairs, strict=True))
            more = f"{then:.1f} ms / {now:.1f} ms, {last - point:,} back"
            _print(f"{turns:,}: {what} at {where}, in ms above now", f"{then - now:.1f}", limit, more)


def _one_more_note(log: CampaignFile, caught_up: Callable[[], object]) -> float:
    handler_for(log).record(Note(text="The torch gutters once more."))
    return seconds(caught_up)


#: Reads and folds a log in a process of its own, and tells the memory in MB before and after.
FOLDS = """
import sys
from pathlib import Path
from cli.store.file import open_campaign
from domain.log.folding import fold
from domain.log.effective_history import effective_history
from domain.system.registry import system_of

def most():
    told = Path("/proc/self/status").read_text().split()
    return int(told[told.index("VmHWM:") + 1]) / 1024

with open_campaign(Path(sys.argv[1])) as log:
    next(log.happened())
    before = most()
    fold(system_of(log.rules).opening(), log.happened(), effective_history(log))
    print(before, most())
"""


def memory(folder: Path, path: Path, turns: int) -> None:
    """What reading and folding the log takes of memory beyond the interpreter and the program, as Linux counts it."""
    if not Path("/proc/self/status").exists():
        return
    with own_cache(folder) as environment:
        told = subprocess.run(
            [sys.executable, "-c", FOLDS, str(path)], env=environment, capture_output=True, check=True, text=True
        )
    before, after = map(float, told.stdout.split())
    what = f"{turns:,}: memory that reading and folding adds, in MB"
    _print(what, f"{after - before:.1f}", 21, f"{after:.0f} MB in all")


def branching(path: Path, turns: int) -> None:
    """The first look at a new branch, in milliseconds."""
    with open_campaign(path, write=True) as log:
        make_branch(log, "plan", log.last() - 5)
    with open_campaign(path, branch="plan") as log:

        def look() -> None:
            with viewing(log, system_of(log.rules)):
                pass

        _print(f"{turns:,}: first look at a new branch, in ms", f"{seconds(look) * 1000:.1f}", 100)


def sizes(path: Path, turns: int) -> None:
    """What lies on the disk."""
    with open_campaign(path) as log:
        payload = log.ask("SELECT sum(length(state)) FROM stored_events")[0][0]
        view = view_path(log).stat().st_size
    states = sum(each.stat().st_size for each in cache_folder().glob("*.states"))
    size = path.stat().st_size
    _print(f"{turns:,}: bytes of the log : its payload", f"{size / payload:.2f}", 1.5, f"{payload / turns:.0f} a turn")
    _print(f"{turns:,}: kept states : the log", f"{states / size:.2f}", 0.2)
    _print(f"{turns:,}: the view : the log", f"{view / size:.2f}", 4)


def others(folder: Path, turns: int, rounds: int) -> None:
    """`status` beside what others take to answer from as many entries, where they are installed."""
    journal = folder / "journal.txt"
    entries = (f"2026-01-02 Turn {number}\n    a:brog  1\n    a:ada\n\n" for number in range(turns))
    journal.write_text("".join(entries))
    asked = {
        "ledger": ["ledger", "-f", str(journal), "balance"],
        "hledger": ["hledger", "-f", str(journal), "balance"],
        "task": ["task", f"rc:{_tasks(folder, turns)}", "minimal", "limit:20"],
        "git": ["git", "-C", str(_repository(folder, turns)), "log", "-n", "20"] if shutil.which("git") else [],
    }
    noop = [sys.executable, str(folder / "noop.py")]
    for name, command in asked.items():
        if not command or shutil.which(name) is None:
            print(f"{turns:,}: {name} is not installed here")
            continue

        def theirs(command: list[str] = command) -> None:
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)

        def nothing() -> None:
            subprocess.run(noop, stdout=subprocess.DEVNULL, check=True)

        compare(f"{turns:,}: {' '.join([name, *command[3:]])} : Typer no-op", theirs, nothing, rounds)


def _tasks(folder: Path, turns: int) -> Path:
    """The settings of a Taskwarrior that keeps a task for each turn."""
    (folder / "tasks").mkdir()
    settings = folder / "taskrc"
    settings.write_text(f"data.location={folder / 'tasks'}\nconfirmation=off\n")
    lines = (
        f'[description:"Turn {number}" entry:"{1_700_000_000 + number}" status:"pending" uuid:"{UUID(int=number)}"]\n'
        for number in range(turns)
    )
    (folder / "tasks" / "pending.data").write_text("".join(lines))
    return settings


def _repository(folder: Path, turns: int) -> Path:
    """A repository with a commit for each turn."""
    path = folder / "repository"
    subprocess.run(["git", "init", "-q", str(path)], check=True)

    def commits() -> Iterator[str]:
        for number in range(1, turns + 1):
            text = f"Turn {number}"
            yield f"commit refs/heads/turns\ncommitter Mia <mia> {1_700_000_000 + number} +0000\n"
            yield f"data {len(text)}\n{text}\n"

    subprocess.run(["git", "-C", str(path), "fast-import", "--quiet"], input="".join(commits()).encode(), check=True)
    subprocess.run(["git", "-C", str(path), "symbolic-ref", "HEAD", "refs/heads/turns"], check=True)
    return path


def main(arguments: list[str] | None = None) -> None:
    """Run it all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument("--large", action="store_true", help="a million turns too")
    parser.add_argument("--rounds", type=int, default=7)
    told = parser.parse_args(arguments)
    for turns in [*told.turns, *([1_000_000] if told.large else [])]:
        with uncollected(), tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
            path = campaign_of(folder, lived(turns), f"lived{turns}")
            with open_campaign(path, write=True) as log:
                keep_states(log, lived(turns))
                with viewing(log, system_of(log.rules)):
                    pass
                folding(log, turns, told.rounds)
                changes(log, turns, told.rounds)
                readings(log, turns, told.rounds)
            sizes(path, turns)
            memory(folder, path, turns)
            processes(folder, path, turns, told.rounds)
            branching(path, turns)
            others(folder, turns, told.rounds)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
