"""Chance is not fished for: what is told of something before it is done rests on no draw that it would make."""

from contextlib import suppress
from random import Random
from typing import Any

import msgspec
from hypothesis import given

from cli.shell.jsonlines import action_and_author
from domain.log.command_handler import Command
from domain.log.revising import Outcome
from domain.log.simulation import SIMULATIONS, FaceDown, Simulation
from domain.refusal import Conflict, Invalid, Refusal
from domain.turn import packed
from projections.preview import simulate
from projections.preview_json import own_json, preview_json

from ..kit.given import EVENING, Given
from ..kit.subjects import Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests
from ..kit.tables import MODEST, Chances, chances, line, revised, revising_line, second_handler


def foreseen(table: Given, value: dict[str, Any]) -> Any:
    """What is told of a line before it is done, or why it is refused."""
    try:
        asked, about = action_and_author(table.log.rules, dict(value))
        preview = simulate(table.handler, Command(asked, **about))
    except (Refusal, Invalid, Conflict) as error:
        return type(error).__name__
    return preview_json(table.system, preview), own_json(table.system, preview), preview.only_latest


def under_other_seeds(table: Given, chance: Random) -> Given:
    """The same log, with seeds by which everything that was never drawn falls otherwise."""
    other = Given(table.system.key)
    other.log.turns[:] = [msgspec.structs.replace(turn, seed=chance.randrange(2**53)) for turn in table.log.turns]
    other.handler = second_handler(other, seed=chance.randrange(8, 1000))
    return other


@MODEST
@given(chance=chances)
def test_what_is_told_before_does_not_rest_on_a_seed(subject: Subject, chance: Chances) -> None:
    table = revised(chance, subject)
    other = under_other_seeds(table, chance)
    for _ in range(6):
        value = (revising_line if chance.random() < 0.7 else line)(chance, subject, table)
        assert foreseen(table, value) == foreseen(other, value), value


def test_a_simulation_draws_each_turn_from_a_seed_of_its_own_that_no_log_has(subject: Subject) -> None:
    table = Given(subject.key)
    turns = [msgspec.structs.replace(table.log.turns[0], number=number) for number in range(1, 50)]
    simulations = [Simulation(number, FaceDown(table.system)) for number in range(1, SIMULATIONS + 1)]
    seeds = {simulation.seed(turn) for simulation in simulations for turn in turns}
    assert len(seeds) == len(simulations) * len(turns)
    assert max(seeds) < 0, "seeds of a log are whole numbers from 0 on"


@MODEST
@given(chance=chances)
def test_simulations_that_share_what_they_decide_come_to_what_each_comes_to_alone(
    subject: Subject, chance: Chances
) -> None:
    table = revised(chance, subject)
    face_down = FaceDown(table.system, table.log.read())
    simulations = [Simulation(number, face_down) for number in range(1, SIMULATIONS + 1)]
    for _ in range(4):
        value = revising_line(chance, subject, table)
        action, about = action_and_author(table.log.rules, dict(value))
        command = Command(action, at=EVENING, **about)
        together = came_to(table, command, simulations)
        alone = [outcome for simulation in simulations for outcome in came_to(table, command, [simulation])]
        # a single one stands for all of them
        assert (together * len(simulations) if len(together) == 1 else together) == alone, value
        assert whole_turn(table, command, simulations) == whole_turn(table, command, simulations[:1]), value


def whole_turn(table: Given, command: Command, simulations: list[Simulation]) -> bytes | None:
    """The turn with all its events, which the first simulation alone has; None if it would not be appended."""
    with suppress(Refusal, Invalid):
        revision = table.handler.revision_of(command)
        first, *others = revision.outcomes(simulations) if revision is not None else (None,)
        assert not any(isinstance(other, Outcome) and other.redecisions for other in others)
        return packed(first.whole_turn) if isinstance(first, Outcome) else None
    return None


def came_to(table: Given, command: Command, simulations: list[Simulation]) -> list[Any]:
    """What can be seen of the outcome or the error of each simulation."""
    try:
        revision = table.handler.revision_of(command)
        outcomes: list[Any] = revision.outcomes(simulations) if revision is not None else []
    except (Refusal, Invalid) as error:
        outcomes = [error]
    return [
        (
            packed(outcome.turn),
            list(outcome.changed),
            outcome.conflicts,
            outcome.draws,
            outcome.moved,
            outcome.state,
        )
        if isinstance(outcome, Outcome)
        else repr(outcome)
        for outcome in outcomes
    ]


@MODEST
@given(chance=chances)
def test_what_is_told_as_certain_is_what_happens(subject: Subject, chance: Chances) -> None:
    table = revised(chance, subject)
    value = revising_line(chance, subject, table)
    preview = foreseen(table, value)
    before = table.log.last()
    table.when(value)
    if isinstance(preview, str):
        assert type(table.error).__name__ == preview
    elif preview[0].get("doubtful"):
        return
    elif preview[0]["conflicts"]:
        assert isinstance(table.error, Conflict)
        assert {conflict.turn for conflict in table.error.turns} >= {
            conflict["turn"] for conflict in preview[0]["conflicts"]
        }
    elif table.error is None:
        assert table.log.last() == before + 1
        shown = {name: table.sheet(name) for name in table.handler.state().characters}
        for name, sheet in preview[0]["sheets"].items():
            for field in sheet["fields"]:
                if not field.get("open") and "." not in field["field"] and field["change"] == "changed":
                    assert shown[name][field["field"]] == field["new"], (name, field)
