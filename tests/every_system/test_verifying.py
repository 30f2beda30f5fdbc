"""Deciding every turn again tells what is told, however a log was revised; and nothing can be slipped in."""

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import event, given

from domain.common.revisions import Undo
from domain.log.effective_history import effective_history
from domain.log.verifying import Redraws, decide_all_again, turns_that_drew
from domain.system.chance import COUNTED
from projections.views.fairness import redrawn
from tests.kit.views import view_in_memory

from ..kit.soundness import findings
from ..kit.subjects import Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests
from ..kit.tables import FEW, MODEST, chances, revised


@pytest.fixture(autouse=True, scope="module")
def states_are_kept_often() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("domain.log.command_handler.EVERY", 2)
        yield


@MODEST
@given(chance=chances)
def test_nothing_is_found_in_a_log_as_it_was_written(subject: Subject, chance: Random) -> None:
    table = revised(chance, subject)
    assert findings(subject.key, table.log.turns) == []


@MODEST
@given(chance=chances)
def test_it_goes_on_from_any_turn(subject: Subject, chance: Random) -> None:
    table = revised(chance, subject)
    after = chance.randrange(table.log.last())
    checked = list(decide_all_again(table.log, after))
    assert [turn.number for turn, _ in checked] == list(range(after + 1, table.log.last() + 1))
    assert not [finding for _, finding in checked if finding]


@MODEST
@given(chance=chances)
def test_a_turn_that_says_what_another_said_is_found(subject: Subject, chance: Random) -> None:
    turns = list(revised(chance, subject).log.turns)
    at = chance.randrange(1, len(turns))
    other = chance.choice(turns)
    if other.events == turns[at].events:
        return
    turns[at] = msgspec.structs.replace(turns[at], events=other.events)
    assert at + 1 in {finding.turn for finding in findings(subject.key, turns)}


@MODEST
@given(chance=chances)
def test_a_die_or_card_that_the_seed_did_not_draw_is_found(subject: Subject, chance: Random) -> None:
    turns = list(revised(chance, subject).log.turns)
    drawn = [
        (at, key)
        for at, turn in enumerate(turns)
        for key, drawn in turn.chance.items()
        if drawn.reported < len(drawn.values) and not key.endswith(COUNTED) and len(set(drawn.values)) > 1
    ]
    if not drawn:
        return
    at, key = chance.choice(drawn)
    values: Any = turns[at].chance[key]
    backwards = (*values.values[: values.reported], *reversed(values.values[values.reported :]))
    if backwards == values.values:
        return
    forged = msgspec.structs.replace(values, values=backwards)
    turns[at] = msgspec.structs.replace(turns[at], chance={**turns[at].chance, key: forged})
    assert at + 1 in {finding.turn for finding in findings(subject.key, turns)}


@FEW
@given(chance=chances)
def test_what_was_taken_back_and_drawn_again_is_told_alike_by_the_log_and_the_tables(
    subject: Subject, chance: Random
) -> None:
    table = revised(chance, subject)
    drawn = [number for number, _, stands in turns_that_drew(table.log.turns, effective_history(table.log)) if stands]
    for number in chance.sample(drawn, min(2, len(drawn))):
        # whoever fishes for better dice takes the draw back and asks the same again
        table.when(Undo(turns=(number,), conflicts="drop")).when(
            effective_history(table.log).action(table.log.turns[number - 1])
        )
    found = [note.sentence for note in Redraws().notes(turns_that_drew(table.log.turns, effective_history(table.log)))]
    event(f"{min(len(found), 3)} found")
    with view_in_memory(table.log, table.system) as view:
        assert redrawn(view) == found
