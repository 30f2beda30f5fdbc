"""Several at once, and some of them killed: nothing acknowledged is lost, and the numbers have no gaps."""

import random
import signal
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from cli.store.failures import Unopenable
from cli.store.file import open_campaign
from cli.store.making import create
from domain.common.notes import Note
from domain.log.port import MaybeSaved, NotSaved
from tests.campaigns.crash import SIGNALS, kill_maker, kill_one
from tests.kit.elsewhere import begun, needs
from tests.kit.on_disk import beside, first_turn, handler_of, started

processes = begun()


def at_once(count: int, do: Callable[..., Any], *arguments: Any) -> list[Any]:
    """What so many processes say that all begin at the same moment."""
    start = processes.Barrier(count)
    answers: Any = processes.Queue()
    all_of_them = [
        processes.Process(target=_one, args=(start, answers, do, number, arguments)) for number in range(count)
    ]
    for process in all_of_them:
        process.start()
    results = [answers.get(timeout=60) for _ in all_of_them]
    for process in all_of_them:
        process.join(timeout=60)
        assert process.exitcode == 0
    return results


def _one(start: Any, answers: Any, do: Callable[..., Any], writer: int, arguments: tuple[Any, ...]) -> None:
    start.wait(timeout=60)
    try:
        answers.put(do(writer, *arguments))
    except BaseException as error:
        answers.put(repr(error))


def append_some(writer: int, path: Path, some: int) -> list[tuple[int, str]]:
    with open_campaign(path, write=True) as campaign:
        handler = handler_of(campaign)
        turns = [handler.record(Note(text=f"{writer}: {number}")).turn for number in range(some)]
        return [(turn.number, turn.id) for turn in turns]


@pytest.mark.parametrize(("writers", "some"), [(2, 40), (10, 10)])
def test_appending_at_once(tmp_path: Path, writers: int, some: int) -> None:
    path = started(tmp_path / "dc.campaign")
    answers = at_once(writers, append_some, path, some)
    acknowledged = sorted(turn for turns in answers for turn in turns)
    with open_campaign(path) as campaign:
        assert [(turn.number, turn.id) for turn in campaign.read(after=1)] == acknowledged
        assert campaign.last() == 1 + writers * some
    assert beside(path) == ["dc.campaign"]


def append_in_turns(writer: int, path: Path, careless: bool) -> list[str]:
    """Append eight times, each time over a connection of its own; whatever kept a turn from being saved."""
    refusals = []
    with ExitStack() as without_lock:
        if careless:
            without_lock.enter_context(patch("cli.store.file.sole_writer", lambda _: nullcontext()))
            without_lock.enter_context(patch("cli.store.connection.LONGEST_WAIT", 0.0))
        for number in range(8):
            try:
                append_some(writer, path, 1)
            except (NotSaved, MaybeSaved, Unopenable) as error:
                refusals.append(f"{number}: {error}")
    return refusals


@pytest.mark.parametrize("careless", [False, True], ids=["with the lock", "without it"])
def test_nobody_is_turned_away_thanks_to_the_lock(tmp_path: Path, careless: bool) -> None:
    path = started(tmp_path / "dc.campaign")
    refusals = [refusal for turns in at_once(10, append_in_turns, path, careless) for refusal in turns]
    assert bool(refusals) == careless, refusals
    with open_campaign(path) as campaign:
        assert campaign.last() >= 81 - len(refusals)


def create_and_append(writer: int, path: Path) -> str:
    try:
        create(path, f"campaign-{writer}", first_turn())
        made = f"campaign-{writer}"
    except Unopenable as error:
        assert error.exit_code == 2 and "already" in error.reason
        made = ""
    with open_campaign(path, write=True) as campaign:
        handler_of(campaign).record(Note(text=f"{writer}"))
    return made


def test_creating_and_opening_at_once(tmp_path: Path) -> None:
    for attempt in range(5):
        path = tmp_path / f"{attempt}.campaign"
        answers = at_once(10, create_and_append, path)
        (maker,) = filter(None, answers)
        with open_campaign(path) as campaign:
            assert campaign.campaign_id == maker
            assert len(list(campaign.read())) == campaign.last() == 11
    assert beside(path) == [f"{attempt}.campaign" for attempt in range(5)]


def read_whole(_: int, path: Path) -> int:
    with open_campaign(path) as campaign:
        return len(list(campaign.read()))


@needs("signal.SIGKILL")
def test_opening_at_once_what_a_crash_left(tmp_path: Path) -> None:
    path = started(tmp_path / "dc.campaign", turns=20)
    acknowledged = processes.Process(target=die_while_open, args=(path,))
    acknowledged.start()
    acknowledged.join(timeout=60)
    assert Path(f"{path}-journal").stat().st_size > 0
    assert at_once(10, read_whole, path) == [21] * 10
    assert beside(path) == ["dc.campaign"]


def die_while_open(path: Path) -> None:
    append_then = open_campaign(path, write=True)
    handler_of(append_then).record(Note(text="the last words"))
    # and in the middle of another turn, of which pages are in the file already
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA cache_size=1")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("UPDATE stored_events SET state = zeroblob(100000)")
    signal.raise_signal(signal.SIGKILL)


def retry_one(_: int, path: Path) -> tuple[int, bool]:
    with open_campaign(path, write=True) as campaign:
        outcome = handler_of(campaign).record(Note(text="Rain."), turn_id="one request")
        return outcome.turn.number, outcome.repeated


def test_the_same_request_sent_ten_times_at_once_is_one_turn(tmp_path: Path) -> None:
    path = started(tmp_path / "dc.campaign")
    answers = at_once(10, retry_one, path)
    assert {number for number, _ in answers} == {2} and (2, False) in answers
    with open_campaign(path) as campaign:
        assert campaign.last() == 2


@needs("os.fork")
@pytest.mark.parametrize("kill", SIGNALS, ids=lambda kill: kill.name)
def test_killed_while_appending(tmp_path: Path, kill: signal.Signals) -> None:
    path = started(tmp_path / "dc.campaign")
    chance = random.Random(kill)
    assert sum(kill_one(path, chance, kill, writers) for writers in (1, 2, 1)) > 0


@needs("os.fork")
def test_killed_while_making_a_campaign(tmp_path: Path) -> None:
    chance = random.Random(1)
    for attempt in range(5):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        assert kill_maker(folder, chance) > 0
