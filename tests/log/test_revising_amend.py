"""A turn's action replaced: what it comes to, what it changes later on, and what is refused."""

from typing import Any

import pytest

from domain.common.notes import Noted
from domain.common.sessions import SessionOpened
from domain.log.effective_history import effective_turns
from domain.osr.injuries import Damaged
from tests.kit.given import unchanged
from tests.kit.soundness import everything, in_force, is_sound
from tests.osr.asked import NOTE, amend, enrol, hit, retold, table, undo

# -- it happens --------------------------------------------------------------------------------------------


def test_the_turn_and_those_that_come_out_differently_are_told() -> None:
    at = table(enrol("brog", 6), hit(1), NOTE, hit(2), enrol("ada"), hit(1, "ada"))
    at.when(amend(3, hit(2)))
    assert retold(at) == {3: (Damaged("brog", 2, 4),), 5: (Damaged("brog", 2, 2),)}
    at.has("brog", hp=2)
    is_sound(at)


def test_the_amended_turn_is_told_even_if_it_comes_to_the_same() -> None:
    at = table(enrol("brog", 6), hit(1)).when(amend(3, hit(1)))
    assert retold(at) == {3: (Damaged("brog", 1, 5),)}
    assert at.outcome is not None
    assert not at.outcome.changed


def test_another_kind_of_action_takes_its_place() -> None:
    at = table(enrol("brog", 6), hit(1)).when(amend(3, NOTE))
    assert retold(at) == {3: (Noted("Rain."),)}
    at.has("brog", hp=6)
    assert in_force(at, 3) == NOTE


def test_undoing_the_amendment_gives_the_old_action_back() -> None:
    at = table(enrol("brog", 6), hit(1), hit(1))
    before = everything(at, 4)
    at.when(amend(3, NOTE)).when({"type": "undo", "last": 1})
    assert everything(at, 4) == before


def test_names_are_recorded_as_enrolled() -> None:
    at = table(enrol("brog", 6), NOTE).when(amend(3, hit(1, " ＢＲＯＧ ")))
    assert in_force(at, 3) == hit(1)
    assert at.outcome is not None
    assert at.outcome.turn.action.action == hit(1)  # type: ignore[attr-defined]


def test_null_and_defaults_are_left_out_of_the_recorded_action() -> None:
    at = table(enrol("brog", 6), NOTE).when(amend(3, hit(1, source=None)))
    assert at.outcome is not None
    assert at.outcome.turn.action.action == hit(1)  # type: ignore[attr-defined]


def test_an_amended_turn_is_later_decided_again_under_its_new_action() -> None:
    at = table(enrol("brog", 6), hit(1), hit(2)).when(amend(4, hit(3))).when(amend(3, hit(2)))
    assert retold(at) == {3: (Damaged("brog", 2, 4),), 4: (Damaged("brog", 3, 1),)}


def test_the_turn_keeps_its_number_its_speaker_and_its_time() -> None:
    at = table(enrol("brog", 6))
    at.handler.record(at.line(hit(1)), by="Ann")
    effective_turn = next(effective_turn for effective_turn in effective_turns(at.log) if effective_turn.number == 3)
    at.when(amend(3, hit(2)))
    now = next(effective_turn for effective_turn in effective_turns(at.log) if effective_turn.number == 3)
    assert now.turn == effective_turn.turn
    assert (now.action, now.redecided_by) == (at.line(hit(2)), 4)


def test_a_session_keeps_its_number_unless_another_is_asked_for() -> None:
    at = table({"type": "session.open", "number": 3})
    at.when(amend(2, {"type": "session.open", "title": "The crypt"}))
    assert retold(at) == {2: (SessionOpened(3, "The crypt"),)}
    at.when(amend(2, {"type": "session.open", "number": 5}))
    assert retold(at) == {2: (SessionOpened(5),)}


def test_a_session_can_be_given_the_number_back_that_it_had() -> None:
    at = table({"type": "session.open", "number": 3}, amend(2, {"type": "session.open", "number": 5}))
    at.when(amend(2, {"type": "session.open", "number": 3}))
    assert retold(at) == {2: (SessionOpened(3),)}
    at.when({"type": "session.close"}).when({"type": "session.open", "number": 5}).refused(None, "has been used")
    at.when({"type": "session.open"}).then(SessionOpened(6))


def test_an_override_can_be_amended_and_stays_pinned_afterwards() -> None:
    def ruled(hp: int) -> dict[str, Any]:
        return {"type": "override", "character": "brog", "set": {"hp": hp}, "why": "so be it"}

    at = table(enrol("brog", 6), hit(1), ruled(3), hit(1)).when(amend(4, ruled(6))).has("brog", hp=5)
    at.when(undo(3)).has("brog", hp=5)
    is_sound(at)


def test_an_override_amended_into_something_that_the_rules_decide_is_pinned_no_more() -> None:
    ruled = {"type": "override", "character": "brog", "set": {"hp": 3}, "why": "so be it"}
    at = table(enrol("brog", 6), hit(1), ruled).when(amend(4, hit(1))).has("brog", hp=4)
    at.when(undo(3)).has("brog", hp=5)


def test_a_kept_turn_can_be_amended_and_is_kept_no_more() -> None:
    at = table(enrol("brog", 6), enrol("ada", 5), hit(1), undo(2, conflicts="keep"))
    at.when(amend(4, hit(1, "ada"))).has("ada", hp=4)
    at.when(amend(3, enrol("ada", 3))).has("ada", hp=2)
    is_sound(at)


def test_an_enrolment_under_another_name() -> None:
    at = table(enrol("brog", 6), hit(1))
    at.when(amend(2, enrol("ada", 5))).conflicts(3)
    at.when(amend(2, enrol("ada", 5), conflicts="drop"))
    assert list(at.sheets()) == ["ada"]
    is_sound(at)


def test_the_very_same_action_is_decided_as_it_was_with_dice_that_it_no_longer_needs() -> None:
    """All rested together; with that ruling undone, ada's dice stay on record, and in the action."""
    together = {"type": "ruling", "rule": "6.4", "text": "All.", "set": {"short_rest_together": True}}
    rest = {"type": "osr.short_rest", "characters": ["brog"], "rolled": {"brog": [3], "ada": [2]}}
    at = table(enrol("brog", 6), enrol("ada", 5), together, rest, undo(4)).has("ada", hp=5, fatigue=0)
    before = retold(at)
    at.when(amend(5, in_force(at, 5)))
    assert retold(at) == before
    is_sound(at)


# -- it is refused -----------------------------------------------------------------------------------------


def test_an_action_that_is_itself_illegal_is_a_refusal_and_no_conflict() -> None:
    at = table(enrol("brog", 2), hit(9), {"type": "osr.injury_saves", "character": "brog", "strength": 40, "will": 40})
    saves = {"type": "osr.injury_saves", "character": "brog", "strength": 40, "will": 40}
    with unchanged(at):
        at.when(amend(3, saves)).refused("OSR 6.6")
        at.when(amend(3, saves, conflicts="drop")).refused("OSR 6.6")
        at.when(amend(3, saves, conflicts="keep")).refused("OSR 6.6")
        at.when(amend(3, hit(1, "ada"))).refused(None, "no character 'ada'")


@pytest.mark.parametrize(
    ("turn", "says"),
    [
        (1, "Turn 1 begins the log"),
        (99, "There is no turn T99; the last one is T8"),
        (9, "There is no turn T9; the last one is T8"),
        (4, "T4 is undone already, by T7"),
        (6, "T6 revises other turns"),
        (7, "T7 revises other turns"),
        (8, "T8 revises other turns"),
        (5, "T5 is undone already, by T8"),
    ],
)
def test_turns_that_cannot_be_amended(turn: int, says: str) -> None:
    at = table(enrol("brog", 6), hit(1), undo(3), hit(2), amend(5, hit(1)), {"type": "redo"}, undo(5))
    with unchanged(at):
        at.when(amend(turn, NOTE)).refused(None, says)


@pytest.mark.parametrize("action", [undo(2), {"type": "redo"}, amend(2, NOTE)])
def test_no_turn_becomes_an_undo_redo_or_amendment(action: dict[str, Any]) -> None:
    table(enrol("brog", 6), hit(1)).when(amend(3, action)).refused(None, "cannot be amended into")


def test_no_turn_becomes_the_start_of_the_campaign() -> None:
    start = {"type": "campaign.start", "name": "Again", "rules": "osr"}
    table(enrol("brog", 6), hit(1)).when(amend(3, start)).refused(None, "has begun already")


@pytest.mark.parametrize(
    "action",
    [
        {},
        {"type": None},
        {"type": []},
        {"type": {}},
        {"type": 3},
        {"type": "osr.dammage"},
        {"type": "osr.damage"},
        {"type": "osr.damage", "character": "brog", "amount": -1},
        {"type": "osr.damage", "character": "brog", "amount": 1, "amuont": 2},
        {"type": "osr.damage", "character": "brog", "amount": 2**53 + 1},
        {"type": "osr.damage", "character": "brog", "amount": float("nan")},
        {"type": "note", "text": " "},
        {"type": "note", "text": "\ud800"},
        {"type": "override", "character": "brog", "set": {"level": "three"}, "why": "so be it"},
    ],
)
def test_what_is_no_action_is_invalid(action: dict[str, Any]) -> None:
    at = table(enrol("brog", 6), hit(1))
    with unchanged(at):
        at.when(amend(3, action)).invalid()


@pytest.mark.parametrize(
    "value", [{"turn": 3}, {"action": NOTE}, {"turn": 0, "action": NOTE}, {"turn": 3, "action": []}]
)
def test_what_is_no_amendment(value: dict[str, Any]) -> None:
    table(enrol("brog", 6), hit(1)).when({"type": "amend", **value}).invalid()


def test_a_check_that_would_not_have_agreed_names_the_turn_before_it_that_changed_the_field() -> None:
    at = table(enrol("brog", 6), hit(1), NOTE, hit(2))
    check = {"type": "sheet.check", "character": "brog", "expect": {"hp": 3}}
    at.when(amend(4, check)).refused(None, "hp is 5 in the log, last changed at T3, 3 on paper")


def test_a_note_cannot_be_made_to_speak_of_a_turn_that_came_after_it() -> None:
    at = table(NOTE, NOTE, NOTE)
    at.when(amend(3, {**NOTE, "turn": 4})).refused(None, "no turn T4 yet")
    at.when(amend(3, {**NOTE, "turn": 2}))
    assert retold(at) == {3: (Noted("Rain.", turn=2),)}


# -- conflicts ---------------------------------------------------------------------------------------------


def test_an_amendment_that_takes_the_ground_from_under_later_turns() -> None:
    rest = {"type": "osr.short_rest", "characters": ["brog"], "rolled": {"brog": [3]}}
    at = table(enrol("brog", 4), hit(1), rest, NOTE)
    at.when(amend(3, hit(9))).conflicts(4)
    at.when(amend(3, hit(9), conflicts="drop"))
    assert [effective_turn.number for effective_turn in effective_turns(at.log) if not effective_turn.standing] == [4]
    at.when({"type": "undo"}).has("brog", hp=3, fatigue=1)
    at.when(amend(3, hit(9), conflicts="keep")).has("brog", hp=3, fatigue=1)
    assert at.sheet("brog")["injury"] is not None
    is_sound(at)
