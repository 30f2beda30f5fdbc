"""What holds of every log, however it was revised: on random tables of every rule system."""

from collections.abc import Iterator
from itertools import permutations
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given

from domain.common.campaign import REVISIONS, Override, SheetCheck
from domain.log.folding import state_at
from domain.log.port import MemoryLog
from domain.log.standing import tell
from domain.refusal import Conflict
from domain.system.registry import action_from
from domain.turn import WORDS, Event, TurnRedecided
from tests.kit.given import Given
from tests.kit.tables import (
    LINES,
    MODEST,
    ByDefinition,
    can_be_stored,
    chances,
    decides_as_told,
    done,
    everything,
    fresh,
    in_force,
    is_caught_up,
    is_sound,
    line,
    play,
    reading,
    reads_as_defined,
    revising_line,
    second_scribe,
)

every_system = pytest.mark.parametrize("rules", LINES)


@pytest.fixture(autouse=True, scope="module")
def states_are_kept_often() -> Iterator[None]:
    """Half of the tables keep states: let them do so all the time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("domain.log.scribe.EVERY", 2)
        yield


def revised(chance: Random, rules: str) -> Given:
    """A table at which turns were taken back and amended, and play went on."""
    return play(chance, fresh(chance, rules), chance.randint(2, 12), revising=0.5)


def outcomes(table: Given) -> dict[int, tuple[Event, ...] | None]:
    """What every turn comes to that does not itself speak of others; None if it does not stand."""
    told = [each for each in tell(table.log) if not isinstance(each.action, REVISIONS)]
    return {each.turn.number: each.facts if each.standing else None for each in told}


def other_turns(told: dict[str, Any], *left_out: int) -> dict[str, Any]:
    """A reading without some of its log lines."""
    return {**told, "log": [entry for entry in told["log"] if entry["turn"] not in left_out]}


@every_system
@MODEST
@given(chance=chances)
def test_the_reading_is_what_the_definition_says(rules: str, chance: Random) -> None:
    reads_as_defined(revised(chance, rules))


@every_system
@MODEST
@given(chance=chances)
def test_deciding_each_turn_with_its_own_chance_tells_what_is_told(rules: str, chance: Random) -> None:
    decides_as_told(revised(chance, rules))


@every_system
@MODEST
@given(chance=chances)
def test_every_turn_can_be_stored_and_no_number_is_given_out_twice(rules: str, chance: Random) -> None:
    can_be_stored(revised(chance, rules))


@every_system
@MODEST
@given(chance=chances)
def test_undo_and_redo_is_the_identity(rules: str, chance: Random) -> None:
    table = revised(chance, rules)
    before, last = everything(table), table.log.last()
    for settle in ("drop", "keep"):
        table.when({"type": "undo", "turns": [chance.randint(2, last)], "conflicts": settle})
        if done(table):
            table.when({"type": "redo"})
            assert done(table)
            assert everything(table, last) == before
            assert not table.events[1:], "nothing had to be decided again"
            is_sound(table)


@every_system
@MODEST
@given(chance=chances)
def test_redo_with_later_turns_gives_the_earlier_ones_back(rules: str, chance: Random) -> None:
    table = revised(chance, rules)
    before, last = reading(table), table.log.last()
    table.when({"type": "undo", "turns": [chance.randint(2, last)], "conflicts": "drop"})
    if done(table):
        undo = table.log.last()
        for _ in range(5):
            # what is said of earlier turns meanwhile holds, so nothing is
            table.when({name: value for name, value in line(chance, table).items() if name != "since"})
        table.when({"type": "undo", "turns": [undo], "conflicts": chance.choice(("drop", "keep"))})
        assert done(table)
        assert reading(table, last) == before
        is_sound(table)


@every_system
@MODEST
@given(chance=chances)
def test_undoing_any_revision_gives_back_what_was_before_it(rules: str, chance: Random) -> None:
    table = revised(chance, rules)
    before, last = everything(table), table.log.last()
    table.when(revising_line(chance, table))
    if done(table):
        revision = table.log.last()
        table.when({"type": "undo", "turns": [revision]})
        assert done(table)
        assert everything(table, last) == before
        table.when({"type": "undo", "turns": [revision + 1]})
        assert done(table)
        is_sound(table)


@every_system
@MODEST
@given(chance=chances)
def test_an_amend_to_the_same_action_changes_nothing(rules: str, chance: Random) -> None:
    table = revised(chance, rules)
    slow = ByDefinition(table)
    turns = [turn for turn in slow.turns if slow.stands(turn) and not slow.pinned(turn)]
    if not turns:
        return
    turn, before, last = chance.choice(turns), everything(table), table.log.last()
    table.when({"type": "amend", "turn": turn, "action": in_force(table, turn)})
    assert [(word.turn, word.events) for word in table.events if isinstance(word, TurnRedecided)] == [
        (turn, slow.facts(turn))
    ]
    after = everything(table, last)
    assert other_turns(after, turn) == other_turns(before, turn)
    assert after["log"][turn - 1]["sentence"] == before["log"][turn - 1]["sentence"]
    is_sound(table)


@every_system
@MODEST
@given(chance=chances)
def test_dropping_conflicts_never_leaves_an_illegal_log(rules: str, chance: Random) -> None:
    table = fresh(chance, rules)
    for _ in range(4):
        value = revising_line(chance, table, settle=("drop",))
        table.when(value)
        assert not isinstance(table.error, Conflict)
        decides_as_told(table)


@every_system
@MODEST
@given(chance=chances)
def test_earlier_points_read_as_they_did(rules: str, chance: Random) -> None:
    table = Given(rules, seed=chance.randrange(1000))
    points: list[tuple[Any, list[Any]]] = []
    numbers = []
    for _ in range(20):
        table.when((revising_line if chance.random() < 0.4 else line)(chance, table))
        if done(table):
            numbers.append(table.log.last())
            points.append((state_at(table.system, table.log), list(tell(table.log))))
    assert numbers == list(range(2, len(numbers) + 2)), "turn numbers go on without gaps"
    for number, (state, told) in zip(numbers, points, strict=True):
        assert state_at(table.system, table.log, number) == state, f"T{number}"
        assert list(tell(table.log, number)) == told, f"T{number}"


@every_system
@MODEST
@given(chance=chances)
def test_the_state_caught_up_is_the_state_read_from_nothing(rules: str, chance: Random) -> None:
    table = fresh(chance, rules)
    other = second_scribe(table)
    for _ in range(12):
        value = (revising_line if chance.random() < 0.4 else line)(chance, table)
        if chance.random() < 0.5:
            table.when(value)
        else:
            ours, table.scribe = table.scribe, other
            table.when(value)
            other, table.scribe = table.scribe, ours
        if chance.random() < 0.5:
            is_caught_up(table)
    is_caught_up(table)


@every_system
@MODEST
@given(chance=chances)
def test_a_dry_run_appends_nothing_and_tells_what_then_happens(rules: str, chance: Random) -> None:
    table = revised(chance, rules)
    value = revising_line(chance, table)
    before, state, used = table.log.last(), table.scribe.state().copy(), dict(table.scribe.used)
    try:
        dry = table.scribe.record(action_from(rules, value), dry_run=True)
    except Exception as refused:
        table.when(value)
        assert (type(table.error), str(table.error)) == (type(refused), str(refused))
        return
    assert (table.log.last(), table.scribe.state(), table.scribe.used) == (before, state, used)
    told_before = outcomes(table)
    table.when(value)
    if dry.conflicts:
        assert isinstance(table.error, Conflict)
        assert table.error.turns == dry.conflicts
        return
    assert table.outcome is not None
    assert msgspec.structs.replace(dry.turn, id="", at=table.outcome.turn.at, seed=0) == msgspec.structs.replace(
        table.outcome.turn, id="", seed=0
    )
    assert dry.changed == table.outcome.changed
    told_now = outcomes(table)
    assert {each.turn: (each.before, each.after) for each in dry.changed} == {
        number: (facts, told_now[number]) for number, facts in told_before.items() if facts != told_now[number]
    }


@every_system
@MODEST
@given(chance=chances)
def test_a_turn_speaks_of_others_only_where_they_come_out_differently(rules: str, chance: Random) -> None:
    table = revised(chance, rules)
    value = revising_line(chance, table)
    table.when(value)
    if not done(table):
        return
    *earlier, last = table.log.read()
    words = [event for event in last.events if isinstance(event, WORDS)]
    assert len({word.turn for word in words}) == len(words), "of each turn it speaks once"
    for word in words:
        if not isinstance(word, TurnRedecided):
            continue
        without = msgspec.structs.replace(last, events=tuple(event for event in last.events if event is not word))
        turns = MemoryLog(rules, turns=[*earlier, without])
        told = next(each for each in tell(turns) if each.turn.number == word.turn)
        assert not told.kept or word.turn == value.get("turn"), "what is pinned is not decided again"
        assert told.standing
        assert word.kept or word.turn == value.get("turn") or told.facts != word.events
        assert word.turn == value.get("turn") or not isinstance(told.action, Override | SheetCheck)


RULED: tuple[dict[str, Any], ...] = (
    {"type": "ruling", "rule": "6.6", "text": "Zero hurts.", "set": {"zero_is_injury": True}, "since": "T2"},
    {"type": "ruling", "rule": "6.6", "text": "Zero does not.", "set": {"zero_is_injury": False}, "since": "T4"},
    {"type": "ruling.end", "ruling": 1},
    {"type": "undo", "last": 1, "conflicts": "drop"},
    {"type": "redo", "conflicts": "drop"},
)


@pytest.mark.parametrize("order", list(permutations(range(len(RULED)))))
def test_rulings_made_moved_ended_undone_in_every_order(order: tuple[int, ...]) -> None:
    table = Given("osr")
    table.when({"type": "osr.enrol", "character": "brog", "level": 2, "rolled": [3, 4]})
    table.when({"type": "osr.damage", "character": "brog", "amount": 2})
    table.when({"type": "osr.enrol", "character": "ada", "rolled": [5]})
    table.when({"type": "osr.damage", "character": "brog", "amount": 5})
    table.when({"type": "osr.damage", "character": "ada", "amount": 5})
    for step in order:
        table.when(RULED[step])
        is_sound(table)
    rulings = [each for each in table.scribe.state().campaign.rulings if not each.ended]
    in_force = max(rulings, key=lambda each: each.number).options["zero_is_injury"] if rulings else False
    assert table.scribe.state().options.zero_is_injury is in_force
    for name, zero_at in (("brog", 5), ("ada", 6)):
        said = next(each for each in tell(table.log) if each.turn.number == zero_at)
        if said.standing:
            ruled = [
                each.facts[0]
                for each in tell(table.log)
                if each.standing and each.action.__struct_config__.tag == "ruling" and (each.since or 99) < zero_at
            ]
            last: Any = max(ruled, key=lambda fact: fact.number, default=None)  # type: ignore[attr-defined]
            expected = "osr.injured" if last is not None and last.set["zero_is_injury"] else "osr.damaged"
            assert said.facts[0].__struct_config__.tag == expected, name
