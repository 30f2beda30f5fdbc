"""What holds of every log, however it was revised: on random tables of every rule system."""

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given

from domain.common.revisions import REVISIONS
from domain.common.sheets import Override, SheetCheck
from domain.log import revision_draft
from domain.log.command_handler import Command
from domain.log.effective_history import effective_history, effective_turns
from domain.log.folding import state_at
from domain.log.port import MemoryLog
from domain.log.revision_draft import latest_line
from domain.refusal import Conflict
from domain.turn import REVISION_EVENTS, Event, TurnRedecided

from ..kit.given import Given
from ..kit.soundness import (
    ByDefinition,
    can_be_stored,
    decides_as_told,
    everything,
    in_force,
    is_caught_up,
    is_sound,
    reading,
    reads_as_defined,
)
from ..kit.subjects import Line, Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests
from ..kit.tables import (
    MODEST,
    Chances,
    chances,
    fresh,
    has_appended,
    line,
    open_table,
    revised,
    revising_line,
    second_handler,
)


@pytest.fixture(autouse=True, scope="module")
def states_are_kept_often() -> Iterator[None]:
    """Half of the tables keep states: let them do so all the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("domain.log.command_handler.EVERY", 2)
        patch.setattr("domain.log.revision_draft.EVERY", 1)
        yield


def outcomes(table: Given) -> dict[int, tuple[Event, ...] | None]:
    """What every turn comes to that does not itself speak of others; None if it does not stand."""
    turns = [
        effective_turn
        for effective_turn in effective_turns(table.log)
        if not isinstance(effective_turn.action, REVISIONS)
    ]
    return {
        effective_turn.number: effective_turn.facts if effective_turn.standing else None for effective_turn in turns
    }


def other_turns(reading: dict[str, Any], *left_out: int) -> dict[str, Any]:
    """A reading without some of its log lines."""
    return {**reading, "log": [entry for entry in reading["log"] if entry["turn"] not in left_out]}


@MODEST
@given(chance=chances)
def test_the_reading_is_what_the_definition_says(subject: Subject, chance: Random) -> None:
    reads_as_defined(revised(chance, subject))


@MODEST
@given(chance=chances)
def test_deciding_each_turn_with_its_own_chance_tells_what_is_told(subject: Subject, chance: Random) -> None:
    decides_as_told(revised(chance, subject))


@MODEST
@given(chance=chances)
def test_every_turn_can_be_stored_and_no_number_is_given_out_twice(subject: Subject, chance: Random) -> None:
    can_be_stored(revised(chance, subject))


@MODEST
@given(chance=chances)
def test_undo_and_redo_is_the_identity(subject: Subject, chance: Random) -> None:
    table = revised(chance, subject)
    before, last = everything(table), table.log.last()
    for settle in ("drop", "keep"):
        table.when({"type": "undo", "turns": [chance.randint(2, last)], "conflicts": settle})
        if has_appended(table):
            table.when({"type": "redo"})
            assert has_appended(table)
            assert everything(table, last) == before
            assert not table.events[1:], "nothing had to be decided again"
            is_sound(table)


@MODEST
@given(chance=chances)
def test_redo_with_later_turns_gives_the_earlier_ones_back(subject: Subject, chance: Random) -> None:
    table = revised(chance, subject)
    before, last = reading(table), table.log.last()
    table.when({"type": "undo", "turns": [chance.randint(2, last)], "conflicts": "drop"})
    if has_appended(table):
        undo = table.log.last()
        for _ in range(5):
            # what is said of earlier turns meanwhile holds, so nothing is
            table.when({name: value for name, value in line(chance, subject, table).items() if name != "since"})
        table.when({"type": "undo", "turns": [undo], "conflicts": chance.choice(("drop", "keep"))})
        assert has_appended(table)
        assert reading(table, last) == before
        is_sound(table)


@MODEST
@given(chance=chances)
def test_undoing_any_revision_gives_back_what_was_before_it(subject: Subject, chance: Random) -> None:
    table = revised(chance, subject)
    before, last = everything(table), table.log.last()
    table.when(revising_line(chance, subject, table))
    if has_appended(table):
        revision = table.log.last()
        table.when({"type": "undo", "turns": [revision]})
        assert has_appended(table)
        assert everything(table, last) == before
        table.when({"type": "undo", "turns": [revision + 1]})
        assert has_appended(table)
        is_sound(table)


@MODEST
@given(chance=chances)
def test_an_amend_to_the_same_action_changes_nothing(subject: Subject, chance: Random) -> None:
    table = revised(chance, subject)
    slow = ByDefinition(table)
    turns = [turn for turn in slow.turns if slow.stands(turn) and not slow.pinned(turn)]
    if not turns:
        return
    turn, before, last = chance.choice(turns), everything(table), table.log.last()
    table.when({"type": "amend", "turn": turn, "action": in_force(table, turn)})
    assert [(event.turn, event.events) for event in table.events if isinstance(event, TurnRedecided)] == [
        (turn, slow.facts(turn))
    ]
    after = everything(table, last)
    assert other_turns(after, turn) == other_turns(before, turn)
    assert after["log"][turn - 1]["sentence"] == before["log"][turn - 1]["sentence"]
    is_sound(table)


@MODEST
@given(chance=chances)
def test_dropping_conflicts_never_leaves_an_illegal_log(subject: Subject, chance: Random) -> None:
    table = fresh(chance, subject)
    for _ in range(4):
        value = revising_line(chance, subject, table, settle=("drop",))
        table.when(value)
        assert not isinstance(table.error, Conflict)
        decides_as_told(table)


@MODEST
@given(chance=chances)
def test_earlier_points_read_as_they_did(subject: Subject, chance: Random) -> None:
    table = open_table(chance, subject)
    points: list[tuple[Any, list[Any]]] = []
    numbers = []
    for _ in range(20):
        table.when((revising_line if chance.random() < 0.4 else line)(chance, subject, table))
        if has_appended(table):
            numbers.append(table.log.last())
            points.append((state_at(table.system, table.log), list(effective_turns(table.log))))
    assert numbers == list(range(2, len(numbers) + 2)), "turn numbers go on without gaps"
    for number, (state, point) in zip(numbers, points, strict=True):
        assert state_at(table.system, table.log, number) == state, f"T{number}"
        assert list(effective_turns(table.log, number)) == point, f"T{number}"


@MODEST
@given(chance=chances)
def test_the_state_caught_up_is_the_state_read_from_nothing(subject: Subject, chance: Random) -> None:
    table = fresh(chance, subject)
    other = second_handler(table)
    for _ in range(12):
        value = (revising_line if chance.random() < 0.4 else line)(chance, subject, table)
        if chance.random() < 0.5:
            table.when(value)
        else:
            ours, table.handler = table.handler, other
            table.when(value)
            other, table.handler = table.handler, ours
        if chance.random() < 0.5:
            is_caught_up(table)
    is_caught_up(table)


@MODEST
@given(chance=chances)
def test_a_dry_run_appends_nothing_and_tells_what_then_happens(subject: Subject, chance: Random) -> None:
    table = revised(chance, subject)
    value = revising_line(chance, subject, table)
    before, state, used = table.log.last(), table.handler.state().copy(), table.handler.used_numbers.copy()
    try:
        dry = table.attempt(value, dry_run=True)
    except Exception as refused:
        table.when(value)
        assert (type(table.error), str(table.error)) == (type(refused), str(refused))
        return
    assert (table.log.last(), table.handler.state(), table.handler.used_numbers) == (before, state, used)
    told_before = outcomes(table)
    table.when(value)
    if dry.conflicts:
        assert isinstance(table.error, Conflict)
        assert table.error.turns == dry.conflicts
        return
    assert table.outcome is not None
    if not isinstance(dry.turn.action, REVISIONS) and dry.turn.chance:
        return  # its own dice and cards are other ones when it is done
    assert msgspec.structs.replace(dry.whole_turn, id="", at=table.outcome.turn.at, seed=0) == msgspec.structs.replace(
        table.outcome.turn, id="", seed=0
    )
    assert dry.changed == table.outcome.changed
    told_now = outcomes(table)
    assert {change.turn: (change.before, change.after) for change in dry.changed} == {
        number: (facts, told_now[number]) for number, facts in told_before.items() if facts != told_now[number]
    }


@MODEST
@given(chance=chances)
def test_a_turn_speaks_of_others_only_where_they_come_out_differently(subject: Subject, chance: Random) -> None:
    table = revised(chance, subject)
    for _ in range(4):
        value = revising_line(chance, subject, table)
        table.when(value)
        if has_appended(table):
            revises_what_differs(subject, value, table)


def revises_what_differs(subject: Subject, value: Line, table: Given) -> None:
    """The last turn has one event about each turn, and none about a turn that comes out the same without it."""
    *earlier, last = table.log.read()
    revisions = [event for event in last.events if isinstance(event, REVISION_EVENTS)]
    assert len({event.turn for event in revisions}) == len(revisions), "one event about each turn"
    for revision in revisions:
        if not isinstance(revision, TurnRedecided):
            continue
        without = msgspec.structs.replace(last, events=tuple(event for event in last.events if event is not revision))
        turns = MemoryLog(subject.key, turns=[*earlier, without])
        effective_turn = next(
            effective_turn for effective_turn in effective_turns(turns) if effective_turn.number == revision.turn
        )
        assert not effective_turn.kept or revision.turn == value.get("turn"), "what is pinned is not decided again"
        assert effective_turn.standing
        assert revision.kept or revision.turn == value.get("turn") or effective_turn.facts != revision.events
        assert revision.turn == value.get("turn") or not isinstance(effective_turn.action, Override | SheetCheck)


@MODEST
@given(chance=chances)
def test_the_latest_line_is_the_same_whether_the_whole_history_is_known_or_not(
    subject: Subject, chance: Chances
) -> None:
    table = revised(chance, subject)
    note = Command(table.line({"type": "note", "text": "Rain."}))
    table.handler.record_together([note] * chance.randint(2, 6))
    for _ in range(chance.randint(0, 4)):
        table.when({"type": "undo", "turns": [chance.randint(2, table.log.last())]})
    with pytest.MonkeyPatch.context() as short:
        short.setattr(revision_draft, "EVERY", chance.randint(1, 4))
        last = table.log.last()
        assert latest_line(table.log, last) == latest_line(table.log, last, effective_history(table.log))
