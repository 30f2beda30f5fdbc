"""A state that is asked for many times in one go: turns of others are looked for once, and none is missed."""

from typing import Any

import pytest

from domain.log.command_handler import Command
from domain.log.port import NotSaved, NumberTaken
from domain.refusal import Refusal
from tests.kit.given import Given
from tests.kit.soundness import is_sound
from tests.kit.tables import second_handler
from tests.osr.asked import NOTE, hit


@pytest.fixture
def table() -> Given:
    """T2 brog, with 6 hit points."""
    return Given("osr").when({"type": "osr.enrol", "character": "brog", "rolled": [6]})


@pytest.fixture
def asked(table: Given) -> list[int]:
    """The answers of the log to how far it goes."""
    answers, last = list[int](), table.log.last

    def ask() -> int:
        answers.append(last())
        return answers[-1]

    table.log.last = ask  # type: ignore[method-assign]
    return answers


def test_the_log_is_asked_once(table: Given, asked: list[int]) -> None:
    with table.handler.catching_up_once():
        states = [table.handler.state() for _ in range(5)]
        assert (len(asked), table.handler.last()) == (1, 2)
    assert all(state is states[0] for state in states)
    table.handler.state()
    assert len(asked) == 2


def test_the_own_turn_is_known_without_asking_again(table: Given, asked: list[int]) -> None:
    with table.handler.catching_up_once():
        table.handler.state()
        outcome = table.handler.record(table.line(hit(2)))
        assert table.handler.state().characters["brog"].hp == 4
        assert (table.handler.last(), len(asked)) == (outcome.turn.number, 1)


def test_turns_of_one_line_are_known_too(table: Given) -> None:
    with table.handler.catching_up_once():
        table.handler.state()
        table.handler.record_together([Command(table.line(hit(1))), Command(table.line(hit(2)))])
        assert (table.handler.last(), table.handler.state().characters["brog"].hp) == (4, 3)


def test_what_another_did_meanwhile_is_looked_for_before_it_is_decided_again(table: Given) -> None:
    other = second_handler(table)
    with table.handler.catching_up_once():
        table.handler.state()
        other.record(table.line(hit(4)))
        outcome = table.handler.record(table.line(hit(1)))
        assert (outcome.turn.number, table.handler.state().characters["brog"].hp) == (4, 1)
        other.record(table.line({"type": "undo", "turns": [2], "conflicts": "drop"}))
        with pytest.raises(Refusal):
            table.handler.record(table.line(hit(1)))
    is_sound(table)


@pytest.mark.parametrize("error", [NotSaved("The disk is full."), NumberTaken()])
def test_after_an_append_that_failed_the_log_is_asked_again(table: Given, asked: list[int], error: Exception) -> None:
    append = table.log.append

    def failing(_: Any) -> None:
        table.log.append = append  # type: ignore[method-assign]
        raise error

    table.log.append = failing  # type: ignore[method-assign, assignment]
    with table.handler.catching_up_once():
        table.handler.state()
        try:
            table.handler.record(table.line(NOTE))
        except NotSaved:
            table.handler.state()
        assert len(asked) == 2
