"""Rulings that count from an earlier turn on: where they hold, what they change, ended, undone, moved."""

from typing import Any

import pytest

from domain.common.rulings import RulingEnded, RulingMade
from domain.log.effective_history import effective_turns
from domain.osr.injuries import Damaged, Injured
from domain.turn import TurnUndone
from tests.kit.given import Given, unchanged
from tests.kit.soundness import everything, is_sound
from tests.osr.asked import NOTE, amend, enrol, hit, retold, table, undo


def ruling(since: str | None = None, zero: bool = True, **more: Any) -> dict[str, Any]:
    return {"type": "ruling", "rule": "6.6", "text": "Zero.", "set": {"zero_is_injury": zero}, "since": since, **more}


def to_zero(*more: dict[str, Any]) -> Given:
    """T2 brog, T3 ada, T4 brog at 0, T5 ada at 0."""
    return table(enrol("brog", 4), enrol("ada", 5), hit(4), hit(5, "ada"), *more)


def zero_hurts(at: Given) -> list[str]:
    """Those for whom 0 hit points were an injury."""
    return [name for name, sheet in at.sheets().items() if sheet["injury"]]


# -- it counts from there on -------------------------------------------------------------------------------


def test_the_ruling_and_what_it_changes_are_one_turn() -> None:
    at = to_zero().when(ruling("T3"))
    assert at.events[0] == RulingMade(1, "6.6", "Zero.", set={"zero_is_injury": True}, since=3)
    assert retold(at) == {4: (Injured("brog", 4, 4, 0, 20),), 5: (Injured("ada", 5, 5, 0, 20),)}
    is_sound(at)


@pytest.mark.parametrize(
    ("since", "hurt"),
    [
        ("T1", ["brog", "ada"]),
        ("T3", ["brog", "ada"]),
        ("T4", ["ada"]),
        ("T5", []),
        ("@", []),
        ("@-2", ["brog", "ada"]),
    ],
)
def test_it_holds_from_directly_behind_that_turn(since: str, hurt: list[str]) -> None:
    at = to_zero().when(ruling(since))
    assert zero_hurts(at) == hurt
    is_sound(at)


def test_since_is_resolved_to_a_turn_before_it_is_recorded() -> None:
    at = table({"type": "session.open"}, {"type": "session.close"}, NOTE).when(ruling("S1"))
    assert at.outcome is not None
    assert at.outcome.turn.action.since == "T3"  # type: ignore[attr-defined]
    assert at.events == (RulingMade(1, "6.6", "Zero.", set={"zero_is_injury": True}, since=3),)


def test_what_came_before_it_stays() -> None:
    at = to_zero(enrol("ogre", 3), hit(3, "ogre"))
    before = everything(at, 4)["log"]
    at.when(ruling("T6"))
    assert everything(at, 4)["log"] == before
    assert zero_hurts(at) == ["ogre"]


def test_a_ruling_that_changes_nothing_so_far_says_nothing_of_other_turns() -> None:
    to_zero().when(ruling("T3", zero=False)).then(RulingMade(1, "6.6", "Zero.", set={"zero_is_injury": False}, since=3))


def test_a_ruling_without_options_can_count_from_earlier_on_too() -> None:
    at = to_zero().when({"type": "ruling", "rule": "6.4", "text": "We roll in the open.", "since": "T2"})
    at.then(RulingMade(1, "6.4", "We roll in the open.", since=2))


@pytest.mark.parametrize(("since", "says"), [("T6", "no turn T6"), ("S1", "No session"), ("T0", "no turn T0")])
def test_a_place_that_is_not_there_is_refused(since: str, says: str) -> None:
    at = to_zero()
    with unchanged(at):
        at.when(ruling(since)).refused(None, says)


def test_what_is_no_point_is_invalid() -> None:
    to_zero().when(ruling("lately")).invalid("Write a turn")


def test_an_unknown_option_is_refused_whatever_since_says() -> None:
    to_zero().when({**ruling("T2"), "set": {"zero": True}}).refused(None, "no option 'zero'")


# -- conflicts ---------------------------------------------------------------------------------------------


def test_turns_that_it_makes_illegal_are_conflicts() -> None:
    at = to_zero(hit(1))
    with unchanged(at):
        at.when(ruling("T3")).conflicts(6)
    assert at.error.turns[0].rule == "OSR 6.6"  # type: ignore[union-attr]
    at.when(ruling("T3", conflicts="drop")).then_some(TurnUndone(6))
    is_sound(at)
    at.when({"type": "undo"}).when(ruling("T3", conflicts="keep"))
    assert retold(at)[6] == (Injured("brog", 1, 0, 1, 21),)
    is_sound(at)


def test_undoing_the_ruling_gives_everything_back() -> None:
    at = to_zero(hit(1))
    before = everything(at, 6)
    for settle in ("drop", "keep"):
        at.when(ruling("T3", conflicts=settle)).when({"type": "undo"})
        assert everything(at, 6) == before


# -- several rulings ---------------------------------------------------------------------------------------


def test_the_highest_number_in_force_at_a_place_wins_wherever_it_was_made() -> None:
    at = to_zero(ruling("T2"), ruling("T4", zero=False))
    assert zero_hurts(at) == ["brog"]
    at = to_zero(ruling("T4", zero=False), ruling("T2"))
    assert zero_hurts(at) == ["brog", "ada"]


def test_ended_it_falls_back_to_the_one_before_and_then_to_the_default() -> None:
    at = to_zero(ruling("T2"), ruling("T4", zero=False))
    options = [at.handler.state().options.zero_is_injury]
    for number in (2, 1):
        at.when({"type": "ruling.end", "ruling": number}).then(RulingEnded(number))
        options.append(at.handler.state().options.zero_is_injury)
    assert options == [False, True, False]
    assert zero_hurts(at) == ["brog"], "an end holds from its own turn on"


def test_an_end_stands_where_it_was_though_the_ruling_moves() -> None:
    at = table(enrol("brog", 4), enrol("ada", 5), hit(4), ruling(), {"type": "ruling.end", "ruling": 1}, hit(5, "ada"))
    at.when(amend(5, ruling("T2")))
    assert zero_hurts(at) == ["brog"]
    is_sound(at)


def test_the_end_of_an_undone_ruling_is_in_the_way() -> None:
    at = to_zero(ruling("T3"), {"type": "ruling.end", "ruling": 1})
    at.when(undo(6)).conflicts(7)
    at.when(undo(6, conflicts="keep"))
    assert zero_hurts(at) == []
    at.when({"type": "redo"})
    assert zero_hurts(at) == ["brog", "ada"]
    assert not at.handler.state().options.zero_is_injury


def test_the_number_of_an_undone_ruling_is_not_given_out_again() -> None:
    at = to_zero(ruling("T3"), undo(6)).when(ruling("T4"))
    assert at.events[0].number == 2  # type: ignore[attr-defined]
    at.when({"type": "undo", "turns": [7]})
    assert [ruling.number for ruling in at.handler.state().campaign.rulings] == [1, 2]


# -- moved -------------------------------------------------------------------------------------------------


def test_amended_to_count_from_later_on() -> None:
    at = to_zero(ruling("T3")).when(amend(6, ruling("T4")))
    assert retold(at)[4] == (Damaged("brog", 4, 0),)
    assert zero_hurts(at) == ["ada"]
    is_sound(at)


def test_amended_to_count_from_earlier_on() -> None:
    at = to_zero(ruling("T4")).when(amend(6, ruling("T3")))
    assert zero_hurts(at) == ["brog", "ada"]
    is_sound(at)


def test_amended_to_count_from_its_own_turn_on() -> None:
    at = to_zero(ruling("T3")).when(amend(6, ruling()))
    assert zero_hurts(at) == []
    assert (
        next(effective_turn for effective_turn in effective_turns(at.log) if effective_turn.number == 6).place is None
    )
    is_sound(at)


def test_a_moved_ruling_is_one_change_and_not_two() -> None:
    at = to_zero(ruling("T3")).when(amend(6, ruling("T4")))
    assert at.outcome is not None
    changed = {change.turn: change for change in at.outcome.changed}
    assert sorted(changed) == [4, 6]
    assert len(at.outcome.changed) == 2
    assert changed[6].before is not None
    assert changed[6].after is not None


@pytest.mark.parametrize("since", ["T6", "@"])
def test_it_cannot_be_moved_to_its_own_turn_or_behind_it(since: str) -> None:
    to_zero(ruling("T3"), NOTE).when(amend(6, ruling(since))).refused(None, "only from a turn before its own")


def test_undoing_the_move_moves_it_back() -> None:
    at = to_zero(ruling("T3"))
    before = everything(at, 6)
    for since in ("T4", "T2", None):
        at.when(amend(6, ruling(since))).when({"type": "undo"})
        assert everything(at, 6) == before


def test_undoing_the_ruling_leaves_its_amendment_without_effect() -> None:
    at = to_zero(ruling("T3"), amend(6, ruling("T4")))
    at.when(undo(6))
    assert zero_hurts(at) == []
    is_sound(at)
    at.when({"type": "redo"})
    assert zero_hurts(at) == ["ada"]


def test_an_unrelated_undo_behind_the_place_of_a_ruling_reaches_all_that_it_names() -> None:
    """T4 leaves no trace when undone, and the ruling folds right behind it; T7 has to be reached all the same."""
    at = table(enrol("brog", 4), enrol("ada", 5), NOTE, hit(1), hit(1), hit(2), ruling("T4"))
    at.when(undo(4, 6))
    assert retold(at) == {7: (Damaged("brog", 2, 1),)}
    is_sound(at)


def test_the_turn_that_it_counts_from_may_be_undone_and_may_be_a_ruling() -> None:
    at = to_zero(ruling("T3"), undo(3, conflicts="drop"))
    assert zero_hurts(at) == ["brog"]
    at.when({"type": "redo"})
    at.when(ruling("T6", zero=False))
    assert next(effective_turn for effective_turn in effective_turns(at.log) if effective_turn.number == 9).place == 5
    assert zero_hurts(at) == ["brog", "ada"]
    is_sound(at)


def test_a_ruling_made_while_a_turn_was_undone_holds_for_that_turn_too() -> None:
    at = to_zero(undo(4), ruling("T3"), hit(4))
    at.when(undo(6)).conflicts(8)
    at.when(undo(6, conflicts="drop"))
    assert retold(at) == {4: (Injured("brog", 4, 4, 0, 20),)}
    is_sound(at)


def test_numbers_that_a_revision_brings_are_given_out_one_after_another() -> None:
    """Two saves that a ruling made fail: with the ruling undone, both bring a minor wound."""
    fails = {"type": "ruling", "rule": "6.6", "text": "More.", "set": {"save_meets_dc": False}}
    blow = {"type": "osr.bypassing_hit", "character": "brog", "dc": 20}
    saves = {"type": "osr.injury_saves", "character": "brog", "strength": 20, "will": 25}
    over = {"type": "override", "character": "brog", "set": {"injury": None}, "why": "It was a dream."}
    at = table(enrol("brog", 4), fails, blow, saves, over, blow, saves, over).has("brog", wounds=[])
    at.when(undo(3))
    assert [wound["id"] for wound in at.sheet("brog")["wounds"]] == [1, 2]
    is_sound(at)
