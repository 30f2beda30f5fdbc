"""A log that is asked many things in one go: turns of others are looked for once, and none is missed."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from cli.store import layout
from cli.store.anywhere import create_at, open_log
from cli.store.making import create
from cli.store.stored_log import StoredLog
from domain.common.notes import Note
from domain.log.command_handler import Command
from domain.log.port import NotSaved, NumberTaken
from tests.kit.on_disk import first_turn, handler_of


@pytest.fixture(params=["file", "server"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "file":
        create(tmp_path / "test.campaign", "campaign-1", first_turn())
        return str(tmp_path / "test.campaign")
    return create_at(request.getfixturevalue("database"), "campaign-1", "Test", "test", first_turn())


@pytest.fixture
def log(address: str) -> Iterator[StoredLog]:
    with open_log(address, write=True) as log:
        yield log


@pytest.fixture
def asked(log: StoredLog, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the store was asked each select."""
    asked, ask = Counter[str](), log.ask

    def counting(select: str, *parameters: int | str) -> Any:
        asked[select] += 1
        return ask(select, *parameters)

    monkeypatch.setattr(log, "ask", counting)
    return asked


def another(address: str, *texts: str) -> None:
    """What somebody else records meanwhile."""
    with open_log(address, write=True) as log:
        handler_of(log, count(1000)).record_together([Command(Note(text=text)) for text in texts])


def test_the_end_is_looked_for_once(log: StoredLog, asked: Counter[str], address: str) -> None:
    handler = handler_of(log)
    with log.looking_once():
        assert [log.last(), handler.last(), len(list(log.read()))] == [1, 1, 1]
        another(address, "Rain.")
        assert log.last() == 1
    assert asked[layout.LAST_TURN] == 1
    assert (log.last(), handler.last()) == (2, 2)


def test_the_own_turns_are_known_without_asking_again(log: StoredLog, asked: Counter[str]) -> None:
    handler = handler_of(log)
    with log.looking_once():
        handler.record(Note(text="Rain."))
        handler.record_together([Command(Note(text="Fog.")), Command(Note(text="Snow."))])
        assert (log.last(), handler.last()) == (4, 4)
        assert asked[layout.LAST_TURN] == 1


def test_what_another_did_meanwhile_is_looked_for_before_it_is_decided_again(log: StoredLog, address: str) -> None:
    handler = handler_of(log)
    with log.looking_once():
        assert handler.last() == 1
        another(address, "Rain.", "Fog.")
        assert handler.record(Note(text="Snow.")).turn.number == 4
        assert (log.last(), handler.last()) == (4, 4)


def test_an_id_that_is_not_there_is_looked_for_once_and_again_once_it_is_taken(
    log: StoredLog, asked: Counter[str], address: str
) -> None:
    handler = handler_of(log)
    with log.looking_once():
        assert log.find("new") is None
        with open_log(address, write=True) as other:
            handler_of(other, count(1000)).record(Note(text="Rain."), turn_id="new")
        outcome = handler.record(Note(text="Rain."), turn_id="new")
        assert outcome.repeated and asked[layout.WHERE_THE_ID_IS] == 2
    assert (log.last(), log.find("new")) == (2, outcome.turn)


def test_under_a_lock_the_end_is_looked_for_again(log: StoredLog, address: str) -> None:
    with log.looking_once():
        assert log.last() == 1
        another(address, "Rain.")
        with log.exclusive_access():
            assert log.last() == 2


@pytest.mark.parametrize("error", [NotSaved("The disk is full."), NumberTaken()])
def test_after_an_append_that_failed_the_log_is_asked_again(
    log: StoredLog, asked: Counter[str], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    append_all: Callable[[Any], None] = log._append_all

    def failing(_: Any) -> None:
        monkeypatch.setattr(log, "_append_all", append_all)
        raise error

    handler = handler_of(log)
    monkeypatch.setattr(log, "_append_all", failing)
    with log.looking_once():
        try:
            handler.record(Note(text="Rain."))
        except NotSaved:
            handler.state()
        assert asked[layout.LAST_TURN] == 2
