"""What is not decided again: what is settled, what stands on the same ground, what is pinned.

The rules in the code change under these logs, so that every turn that is decided again is found out.
"""

import pytest

from domain.log.effective_history import effective_turns
from domain.osr import injuries
from domain.osr.injuries import Injured
from domain.turn import TurnRedecided
from tests.kit.given import Given
from tests.osr.asked import NOTE, REDO, enrol, hit, undo


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> Given:
    """T2 brog, T3 ada, T4 ada loses a hit point, T5 brog is injured, T6 a note; then the rules change."""
    at = Given("osr")
    for value in (enrol("brog"), enrol("ada"), hit(1, "ada"), hit(9, "brog"), NOTE):
        at.when(value)
    monkeypatch.setattr(injuries, "BASE_DC", 90)
    return at


def decided_again(at: Given) -> set[int]:
    """The turns that the last one says come out differently."""
    assert at.error is None, at.error
    return {event.turn for event in at.events if isinstance(event, TurnRedecided)}


def dc(at: Given) -> int:
    fact = next(effective_turn.facts[0] for effective_turn in effective_turns(at.log) if effective_turn.number == 5)
    assert isinstance(fact, Injured)
    return fact.dc


def test_on_another_ground_a_turn_is_decided_by_the_rules_of_today(table: Given) -> None:
    dry = table.handler.record(table.line(undo(4)), dry_run=True)
    assert 5 in {change.turn for change in dry.changed}, "and the dry run shows it"
    assert decided_again(table.when(undo(4))) == {5}
    assert dc(table) == 95


def test_what_lies_before_the_turn_revised_is_not_decided_again(table: Given) -> None:
    assert decided_again(table.when(undo(6))) == set()
    assert dc(table) == 25


def test_on_the_same_ground_nothing_is_decided_again(table: Given) -> None:
    """An enrolment amended to the very same leaves every sheet behind it as it was."""
    assert decided_again(table.when({"type": "amend", "turn": 3, "action": enrol("ada")})) == {3}
    assert dc(table) == 25


def test_nor_is_what_lies_on_the_same_ground_between_two_turns_revised(monkeypatch: pytest.MonkeyPatch) -> None:
    at = Given("osr")
    for value in (enrol("brog"), NOTE, NOTE, hit(9, "brog"), NOTE):
        at.when(value)
    monkeypatch.setattr(injuries, "BASE_DC", 90)
    assert decided_again(at.when(undo(3, 6))) == set()
    assert dc(at) == 25


def test_undo_of_an_undo_with_nothing_since_decides_nothing(table: Given) -> None:
    table.when(undo(4)).when(REDO)
    assert decided_again(table) == set()
    assert dc(table) == 25, "the older word shows again"


def test_an_undo_and_its_redo_lie_settled_for_what_comes_later(table: Given) -> None:
    table.when(undo(4)).when(REDO).when(NOTE).when(NOTE)
    assert decided_again(table.when(undo(9))) == set()
    assert dc(table) == 25


def test_turns_since_an_undo_are_decided_again_with_its_redo_and_those_before_it_are_not(table: Given) -> None:
    table.when(undo(4)).when(hit(20, "ada")).when(REDO)
    assert decided_again(table) == {8}
    assert dc(table) == 25


def test_what_a_standing_revision_reaches_across_is_not_settled(table: Given) -> None:
    """The undo of T4 is taken back under an amendment of T3: T4 and T5 never stood on this ground."""
    table.when(undo(4)).when({"type": "amend", "turn": 3, "action": {**enrol("ada"), "rolled": [6]}})
    assert decided_again(table) == {3}
    assert decided_again(table.when(undo(7))) == {4, 5}
    assert dc(table) == 95


def test_kept_turns_are_not_decided_again(table: Given) -> None:
    table.when({"type": "amend", "turn": 2, "action": enrol("ogre"), "conflicts": "keep"})
    assert decided_again(table) == {2, 5}
    assert dc(table) == 25
    assert decided_again(table.when(undo(3, conflicts="drop"))) == set()
    assert dc(table) == 25


def test_the_same_action_amended_is_decided_by_the_rules_of_today(table: Given) -> None:
    assert decided_again(table.when({"type": "amend", "turn": 5, "action": hit(9, "brog")})) == {5}
    assert dc(table) == 95


def test_an_earlier_point_still_says_what_it_said(table: Given) -> None:
    table.when(undo(4))
    fact = next(
        effective_turn.facts[0] for effective_turn in effective_turns(table.log, 6) if effective_turn.number == 5
    )
    assert isinstance(fact, Injured)
    assert fact.dc == 25


def test_a_turn_that_counts_again_although_it_is_not_legal_is_told_as_changed() -> None:
    at = Given("osr")
    for value in (enrol("brog"), hit(1, "brog"), undo(3), undo(2)):
        at.when(value)
    at.when({"type": "redo", "turn": 4, "conflicts": "keep"})
    assert at.outcome is not None
    assert {change.turn: (change.before, change.after) for change in at.outcome.changed} == {
        3: (None, at.log.turns[2].events)
    }
