"""What the log costs, as ratios measured side by side in one run: `uv run python -m tests.campaigns.benchmark`.

The machine's speed drifts, so each pair is run in turns (A B A B …) and the median of the ratios is told, with
the lowest and the highest. The collector waits as long while it measures as in every command. Nothing here is
asserted; the tests run the short form (`--turns 300 --rounds 1`).
"""

import argparse
import gc
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import count, islice
from pathlib import Path
from unittest.mock import patch

import msgspec
from msgspec.structs import replace

from cli.main import COLLECTED_AFTER
from cli.store.checking import findings_in
from cli.store.connection import connect
from cli.store.file import CampaignFile, open_campaign
from cli.store.making import create
from domain.common.notes import Note
from domain.common.revisions import Amend, Undo
from domain.log.backdating import NOW, Backdating
from domain.log.command_handler import CommandHandler
from domain.log.effective_history import effective_history
from domain.log.folding import counting_numbers, fold, state_at
from domain.log.port import MemoryLog
from domain.log.snapshots import EVERY, snapshot_of
from domain.log.verifying import decide_all_again
from domain.osr.hit_points import Enrol
from domain.osr.injuries import Damage
from domain.osr.rests import NightRest, ShortRest
from domain.registry import action_from, record_types, system_of
from domain.system.rulesystem import RuleSystem
from domain.system.used_numbers import UsedNumbers
from domain.turn import Action, Turn
from tests.campaigns.ended import clean_up_when_told_to_end

EVENING = datetime(2026, 1, 1, 19, tzinfo=UTC)


def handler_for(log: MemoryLog | CampaignFile) -> CommandHandler:
    numbers = count(1)
    return CommandHandler(
        log, clock=lambda: EVENING, new_id=lambda: f"b-{time.time_ns()}-{next(numbers)}", new_seed=lambda: 7
    )


def evening(turns: int) -> Iterator[Action]:
    """A campaign of so many turns: hits, rests, nights and notes of two characters."""
    yield Enrol(character="Brog", level=3)
    yield Enrol(character="Ada", level=2)
    for number in range(turns - 3):
        character = "Brog" if number % 2 else "Ada"
        match number % 6:
            case 0 | 3:
                yield Damage(character=character, amount=0 if number % 4 else 1, source="a rat")
            case 1:
                yield ShortRest(characters=(character,))
            case 2:
                yield Note(text="The torch gutters; somebody counts the rations.", about=character)
            case 4:
                yield Damage(character=character, amount=0)
            case _:
                yield NightRest(characters=("Brog", "Ada"))


def long_log(turns: int) -> list[Turn]:
    """The turns of such a campaign; a hit that would injure is left out."""
    log = MemoryLog("osr")
    handler = handler_for(log)
    handler.record(action_from("osr", {"type": "campaign.start", "name": "Long", "rules": "osr"}))
    for action in evening(turns):
        hurt = isinstance(action, Damage) and handler.state().characters[action.character].hp <= action.amount
        handler.record(NightRest(characters=("Brog", "Ada")) if hurt else action)
    return log.turns


def campaign_of(folder: Path, turns: Iterable[Turn], name: str) -> Path:
    """A campaign file with these turns in it, filled without deciding them again."""
    path = folder / f"{name}.campaign"
    following = iter(turns)
    create(path, f"bench-{name}", next(following), following)
    return path


def processor() -> float:
    """What this process took of the processor, with those that it waited for; what others do does not count."""
    try:
        import resource
    except ImportError:  # Windows has none, and tells of nobody else
        return time.process_time()
    used = [resource.getrusage(usage_of) for usage_of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def seconds(work: Callable[[], object], clock: Callable[[], float] = processor) -> float:
    start = clock()
    work()
    return clock() - start


def compare(
    label: str,
    ours: Callable[[], object],
    theirs: Callable[[], object],
    rounds: int,
    aim: float | None,
    clock: Callable[[], float] = processor,
) -> None:
    """Run both in turns and print the ratio."""
    pairs = [(seconds(ours, clock), seconds(theirs, clock)) for _ in range(rounds)]
    ratios = sorted(a / b for a, b in pairs)
    here, there = (statistics.median(column) * 1000 for column in zip(*pairs, strict=True))
    told_aim = f"  (aim {aim})" if aim else ""
    print(
        f"{label:<72} {statistics.median(ratios):6.2f}  [{ratios[0]:.2f} … {ratios[-1]:.2f}]"
        f"  {here:9.2f} ms / {there:9.2f} ms{told_aim}",
        flush=True,
    )


def appending(folder: Path, turns: list[Turn], rounds: int) -> None:
    """One action decided and appended, against raw sqlite3 writing the same bytes with the same pragmas."""
    ours, theirs = campaign_of(folder, turns, "append"), folder / "raw.db"
    with open_campaign(ours, write=True) as log, closing(connect(theirs.as_uri())) as raw:
        raw.execute("PRAGMA journal_mode=WAL").fetchall()
        raw.execute("CREATE TABLE t (id TEXT, version INTEGER, topic TEXT, state BLOB, PRIMARY KEY (id, version))")
        raw.execute("CREATE TABLE ids (id TEXT PRIMARY KEY, number INTEGER UNIQUE) WITHOUT ROWID")
        handler, action = handler_for(log), Damage(character="Brog", amount=0)
        handler.state()
        numbers = count(10)

        def append() -> None:
            for _ in range(20):
                handler.record(action)

        def write() -> None:
            for _ in range(20):
                number = next(numbers)
                state = msgspec.msgpack.encode(turns[-1])
                raw.execute("BEGIN IMMEDIATE")
                raw.execute("INSERT INTO ids VALUES (?, ?)", (f"b-{time.time_ns()}-{number}", number))
                raw.execute("INSERT INTO t VALUES ('raw', ?, 'osr.damage', ?)", (number, state))
                raw.execute("COMMIT")

        append()
        write()
        compare("append 20 actions : raw sqlite3, the same bytes", append, write, rounds, 2.2, time.perf_counter)


def folding(folder: Path, turns: list[Turn], rounds: int) -> None:
    """Reading and folding a whole log, against the same SELECT and msgspec decoding alone."""
    path = campaign_of(folder, turns, f"fold{len(turns)}")
    system, decoder = system_of("osr"), msgspec.msgpack.Decoder(record_types("osr").turn)

    def read_and_fold() -> None:
        with open_campaign(path) as log:
            fold(system.opening(), log.read(), effective_history(log))

    def select_and_decode() -> None:
        with closing(sqlite3.connect(path)) as connection:
            select = "SELECT state FROM stored_events WHERE originator_id = ? ORDER BY originator_version"
            for (state,) in connection.execute(select, (f"bench-fold{len(turns)}",)):
                decoder.decode(state)

    compare(f"read and fold {len(turns)} turns : SELECT and decode", read_and_fold, select_and_decode, rounds, 1.6)


def verifying(folder: Path, turns: list[Turn], rounds: int) -> None:
    """Holding every turn against its link, and deciding every turn again, against reading and folding."""
    path = folder / f"verify{len(turns)}.campaign"
    create(path, "verify", turns[0], turns[1:])
    system = system_of("osr")
    with open_campaign(path) as log:

        def by_links() -> None:
            assert not list(findings_in(log, quick=True))

        def read() -> None:
            for _ in log.read():
                pass

        def again() -> None:
            assert not [finding for _, finding in decide_all_again(log) if finding]

        def fold_all() -> None:
            fold(system.opening(), log.read(), effective_history(log))

        compare(f"verify {len(turns)} turns by links alone : reading them", by_links, read, rounds, 2)
        compare(f"verify {len(turns)} turns, each decided again : folding them", again, fold_all, rounds, 3)


def linking(folder: Path, turns: list[Turn], rounds: int) -> None:
    """Appending a turn with its link, against the same writer without."""

    def appending_to(log: CampaignFile) -> Callable[[], None]:
        numbers = count(log.last() + 1)

        def append() -> None:
            for _, number in zip(range(20), numbers, strict=False):
                log.append(replace(turns[-1], number=number, id=f"{log.campaign_id}-{number}"))

        return append

    paths = [campaign_of(folder, turns, name) for name in ("linked", "bare")]
    with open_campaign(paths[0], write=True) as linked, open_campaign(paths[1], write=True) as bare:
        with_links, plain = appending_to(linked), appending_to(bare)

        def without() -> None:
            with patch("cli.store.recorder.add_links"):
                plain()

        with_links()
        without()
        compare(
            "append 20 turns, each with its link : without", with_links, without, rounds * 3, 1.15, time.perf_counter
        )


@contextmanager
def uncollected() -> Iterator[None]:
    """With the collector as seldom as `cli.main` has it."""
    before = gc.get_threshold()
    gc.set_threshold(COLLECTED_AFTER)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def own_cache(folder: Path) -> Iterator[dict[str, str]]:
    """An environment for programs: byte code is kept, caches are this run's own."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {
        "PYTHONPYCACHEPREFIX": str(folder / "pyc"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_STATE_HOME": str(folder / "state"),
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
    }
    yield environment


def undoing(folder: Path, turns: list[Turn], steps: list[int], rounds: int) -> None:
    """Changing the k-th last turn (as a dry run), against reading and folding the same turns once."""
    path = campaign_of(folder, turns, f"undo{len(turns)}")
    system = system_of("osr")
    with open_campaign(path, write=True) as log:
        keep_states(log, turns)
        for k in steps:
            target = max(4, len(turns) - k + 1)
            while target < len(turns) and not _hurts(turns[target - 1]):
                target += 1
            hit = Undo(turns=(target,), conflicts="drop")
            _compare_change(log, system, target, hit, f"undo a hit, the {k}. last of {len(turns)} turns", rounds)
        enrol = {"type": "osr.enrol", "character": "Brog", "level": 4}
        for label, change in (
            ("undo an enrolment, dropping what falls", Undo(turns=(2,), conflicts="drop")),
            ("undo an enrolment, keeping what falls", Undo(turns=(2,), conflicts="keep")),
            ("amend an enrolment", Amend(turn=2, action=enrol, conflicts="drop")),
        ):
            _compare_change(log, system, 2, change, f"{label}, all of {len(turns)} turns", rounds)
        late = Backdating(after="T3", conflicts="drop")
        late_entry = f"a hit told late, before all of {len(turns)} turns"
        _compare_change(log, system, 3, Damage(character="Brog", amount=1), late_entry, rounds, late)


def _hurts(turn: Turn) -> bool:
    return isinstance(turn.action, Damage) and turn.action.amount > 0


def keep_states(log: CampaignFile, turns: Iterable[Turn], after: int = 0) -> None:
    """Keep states behind a turn as they would have been kept while the campaign was played."""
    system = system_of(log.rules)
    state, used = system.opening(), UsedNumbers()
    effective = effective_history(log)
    following = iter(turns)
    # many at once: each time it folds, all that is judged otherwise is gathered
    while together := list(islice(following, EVERY)):
        fold(state, counting_numbers(together, used), effective)
        turn = together[-1]
        if turn.number % EVERY == 0 and turn.number > after:
            log.snapshots.store(snapshot_of(log, turn.number, state, used))


def _compare_change(
    log: CampaignFile,
    system: RuleSystem,
    target: int,
    change: Action,
    label: str,
    rounds: int,
    backdating: Backdating = NOW,
) -> None:
    handler = handler_for(log)
    handler.state()

    def revise() -> None:
        handler.record(change, dry_run=True, backdating=backdating)

    def refold() -> None:
        state = state_at(system, log, target - 1)
        fold(state, log.read(target - 1), effective_history(log))

    revise()
    refold()
    compare(f"{label} : fold what follows", revise, refold, rounds, 3)


def main(arguments: list[str] | None = None) -> None:
    """Run it all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args(arguments)
    print(f"Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}; median ratio [lowest … highest]")
    with uncollected(), tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
        appending(folder, long_log(min(options.turns)), options.rounds)
        linking(folder, long_log(min(options.turns)), options.rounds)
        for turns in options.turns:
            log = long_log(turns)
            folding(folder, log, options.rounds)
            verifying(folder, log, options.rounds)
            undoing(folder, log, [k for k in (1, 10, 1_000) if k < turns] + [turns], options.rounds)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
