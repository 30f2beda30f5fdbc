"""A forgotten turn told late: where it folds, what it changes, where it may not be, moved, undone, told before."""

from typing import Any

import msgspec
import pytest

from domain.common.notes import Noted
from domain.log.effective_history import effective_turns, turns_as_folded
from domain.log.points import session_at, sessions_of
from domain.turn import TurnRedecided, TurnUndone
from tests.kit.given import EVENING, Given, unchanged
from tests.kit.soundness import is_sound
from tests.osr.asked import NOTE, hit, table


def enrol(name: str = "brog", *rolled: int) -> dict[str, Any]:
    return {"type": "osr.enrol", "character": name, "level": len(rolled) or 1, "rolled": rolled or [6]}


def order(at: Given) -> list[int]:
    return [effective_turn.number for effective_turn in turns_as_folded(at.log)]


def test_it_is_decided_where_it_happened_and_later_turns_are_decided_again() -> None:
    at = table(enrol("brog", 6, 6), hit(1), hit(2)).when(hit(4, after="T3"))
    assert order(at) == [1, 2, 3, 5, 4]
    assert at.log.turns[-1].place == 3
    assert [event.turn for event in at.events if isinstance(event, TurnRedecided)] == [4]
    at.has("brog", hp=5)
    is_sound(at)


def test_the_same_as_if_it_had_been_told_there() -> None:
    late = table(enrol(), hit(1), hit(2)).when(hit(3, after="T2"))
    assert late.sheets() == table(enrol(), hit(3), hit(1), hit(2)).sheets()


def test_several_at_one_place_fold_in_the_order_in_which_they_were_told() -> None:
    at = table(enrol(), NOTE, NOTE, {**NOTE, "after": "T2"}, {**NOTE, "after": "T2"}, {**NOTE, "after": "T5"})
    assert order(at) == [1, 2, 5, 7, 6, 3, 4]


def test_before_a_turn_is_behind_what_comes_before_it() -> None:
    at = table(enrol(), NOTE, NOTE, {**NOTE, "after": "T2"}, {**NOTE, "before": "T3"})
    assert order(at) == [1, 2, 5, 6, 3, 4]


def test_a_late_entry_is_a_place_but_what_comes_before_it_is_none() -> None:
    late = (enrol(), NOTE, NOTE, {**NOTE, "after": "T2"})
    assert order(table(*late).when({**NOTE, "after": "T5"})) == [1, 2, 5, 6, 3, 4], "though T5 is the last"
    table(*late).when({**NOTE, "before": "T5"}).refused(None, "T5 is itself placed directly after T2")
    assert order(table(*late, NOTE).when({**NOTE, "before": "T6"})) == [1, 2, 5, 3, 4, 7, 6]


def test_behind_an_undone_turn_is_a_place_too() -> None:
    at = table(enrol(), NOTE, NOTE, {"type": "undo", "turns": [3]}, {**NOTE, "after": "T3"})
    assert order(at) == [1, 2, 3, 6, 4, 5]


def test_it_is_of_the_time_of_its_place_unless_it_says_another() -> None:
    at = table(enrol(), NOTE, NOTE).when({**NOTE, "after": "T2"})
    times = {effective_turn.number: effective_turn.turn.at for effective_turn in effective_turns(at.log)}
    assert times[5] == times[2]
    at.when({**NOTE, "after": "T2", "at": EVENING.isoformat()})
    assert at.log.turns[-1].at == EVENING.isoformat()


def test_an_earlier_point_does_not_know_it() -> None:
    at = table(enrol(), hit(1), hit(2)).when(hit(3, after="T2"))
    assert [effective_turn.number for effective_turn in effective_turns(at.log, 4)] == [1, 2, 3, 4]


def test_what_is_no_longer_legal_is_a_conflict_until_it_is_settled() -> None:
    at = table(enrol("brog", 6), NOTE, hit(1))
    with unchanged(at):
        at.when(hit(20, after="T2")).conflicts(4)
    at.when(hit(20, after="T2", conflicts="drop"))
    assert TurnUndone(4) in at.events
    is_sound(at)


def test_what_it_said_of_others_falls_with_it() -> None:
    """T5 drops T4; once brog is gone T5 is not legal either, and what it said of T4 counts no more."""
    at = table(enrol("brog", 6), enrol("wen", 6), hit(1), hit(20, after="T2", conflicts="drop"))
    at.when({"type": "undo", "turns": [2], "conflicts": "drop"})
    assert {event.turn for event in at.events if isinstance(event, TurnUndone)} == {2, 4, 5}
    is_sound(at)


def test_an_undone_one_leaves_no_trace() -> None:
    at = table(enrol(), hit(1), hit(2))
    before = at.sheets()
    at.when(hit(3, after="T2")).when({"type": "undo", "turns": [5]})
    assert at.sheets() == before
    is_sound(at)


def test_an_amendment_keeps_the_place_or_names_another() -> None:
    at = table(enrol(), hit(1), hit(2), {**NOTE, "after": "T2"})
    at.when({"type": "amend", "turn": 5, "action": hit(1)})
    assert order(at)[:3] == [1, 2, 5]
    at.when({"type": "amend", "turn": 5, "action": hit(1), "after": "T3"})
    assert order(at)[:4] == [1, 2, 3, 5]
    at.when({"type": "undo"})
    assert order(at)[:3] == [1, 2, 5]
    is_sound(at)


def test_a_turn_told_in_the_wrong_order_is_moved() -> None:
    at = table(enrol("brog", 6, 6), {"type": "osr.level_up", "character": "brog"}, hit(2))
    at.when({"type": "amend", "turn": 4, "action": hit(2), "after": "T2"})
    assert order(at)[:4] == [1, 2, 4, 3]
    is_sound(at)


def test_what_folds_behind_a_moved_turn_moves_along_and_is_no_change() -> None:
    """T6, told late after T4, was listed as gone from behind T4 and as new there."""
    at = table(enrol(), NOTE, hit(1), NOTE, hit(2, after="T4"))
    at.when({"type": "amend", "turn": 4, "action": hit(1), "after": "T2"})
    assert order(at)[:6] == [1, 2, 4, 6, 3, 5]
    assert at.outcome is not None
    assert list(at.outcome.changed) == []


@pytest.mark.parametrize(("place", "moved"), [("T1", False), ("T2", True), ("T3", False)])
def test_a_turn_that_folds_there_already_is_not_moved(place: str, moved: bool) -> None:
    """T3, T4 hit, T5 told after T2 and moved; the others are amended to stay where they are."""
    at = table(enrol(), hit(1), hit(2))
    at.when({**NOTE, "after": "T2"})
    number = int(place[1:]) + 1
    asked = {"type": "amend", "turn": number, "action": at.log.turns[number - 1].action}
    at.when({**msgspec.to_builtins(asked), "after": place})
    # behind T2 folds T5 already, so T3 moves in front of it
    assert at.log.turns[-1].place == (int(place[1:]) if moved else None)
    assert order(at)[:5] == ([1, 2, 3, 5, 4] if moved else [1, 2, 5, 3, 4])
    is_sound(at)


def test_a_turn_that_is_not_there_is_not_moved() -> None:
    at = table(enrol(), hit(1))
    at.when({"type": "amend", "turn": 2**53, "action": hit(1), "after": "T1"}).refused(None, "There is no turn")


def test_a_turn_moves_behind_earlier_ones_alone() -> None:
    at = table(enrol(), hit(1), hit(2))
    at.when({"type": "amend", "turn": 3, "action": hit(1), "after": "T4"}).refused(None, "Move T4 instead")
    at.when({"type": "amend", "turn": 3, "action": hit(1), "after": "T3"}).refused(None, "cannot be moved after it")


def test_a_forgotten_opening_of_a_session_holds_what_follows_it() -> None:
    at = table(enrol(), NOTE, NOTE, NOTE)
    at.when({"type": "session.open", "after": "T2"})
    assert {effective_turn.number: effective_turn.session for effective_turn in effective_turns(at.log)} == {
        1: 0,
        2: 0,
        3: 1,
        4: 1,
        5: 1,
        6: 1,
    }
    assert sessions_of(at.log) == {1: (3, 6)}


def test_a_session_opened_before_what_is_read_is_not_opened_again_at_its_number() -> None:
    """T8 opens and T9 closes a session before the one that T5 opens; what follows T6 is still of that one."""
    late = {"conflicts": "keep"}
    given = table(NOTE, NOTE, NOTE, {"type": "session.open"}, NOTE, NOTE)
    given.when({"type": "session.open", "after": "T2", **late}).when({"type": "session.close", "after": "T3", **late})
    given.when(NOTE)
    sessions = {turn.number: turn.session for turn in turns_as_folded(given.log) if turn.place is None}
    rest = {turn.number: turn.session for turn in turns_as_folded(given.log, after=7, session=sessions[7])}
    assert {number: session for number, session in rest.items() if number in sessions} == {10: sessions[7]}


def test_a_closing_that_was_kept_behind_another_closes_nothing() -> None:
    """T5 closes the session, is undone and comes back; T7, which closed it in between, is kept."""
    given = table(NOTE, {"type": "session.open"}, NOTE, {"type": "session.close"})
    given.when({"type": "undo", "turns": [5]}).when({"type": "session.close"})
    given.when({"type": "undo", "turns": [6], "conflicts": "keep"})
    assert sessions_of(given.log) == {1: (3, 5)}
    assert session_at(given.log, given.log.last(), 1) == (1, (3, 5))


@pytest.mark.parametrize(
    "value",
    [{"type": "undo"}, {"type": "redo"}, {"type": "campaign.start", "name": "x", "rules": "osr"}],
    ids=lambda value: value["type"],
)
def test_what_speaks_of_the_log_as_it_is_cannot_be_told_late(value: dict[str, Any]) -> None:
    at = table(enrol(), NOTE, NOTE)
    with unchanged(at):
        at.when({**value, "after": "T2"}).refused(None, "cannot be a late entry")


def test_a_ruling_is_placed_in_one_way() -> None:
    at = table(enrol(), NOTE)
    at.when({"type": "ruling", "rule": "6.4", "text": "So.", "since": "T2", "after": "T2"}).invalid("only one of these")
    at.when({**NOTE, "after": "T2", "before": "T3"}).invalid("not both")


def test_a_place_that_is_not_there_is_refused() -> None:
    for late in ("T3", "T9"):
        table(enrol()).when({**NOTE, "after": late}).refused(None, f"no turn {late}")


def test_behind_the_last_turn_it_is_told_now() -> None:
    at = table(enrol()).when({**NOTE, "after": "T2"})
    assert at.error is None
    assert (at.log.turns[-1].place, at.log.turns[-1].at > at.log.turns[-2].at) == (None, True)


def test_a_note_told_late_speaks_of_no_other_turn() -> None:
    table(enrol(), hit(1)).when({**NOTE, "after": "T2"}).then(Noted("Rain."))


def test_a_turn_says_under_which_paragraphs_it_was_played() -> None:
    at = table(enrol()).when({**NOTE, "cites": ["6.4", "OSR 6.4", "6.5"]})
    assert at.log.turns[-1].cites == ("OSR 6.4", "OSR 6.5")
    at.when({**NOTE, "cites": ["66.6"]}).refused(None, "no rule '66.6'")


def test_a_hit_forgotten_before_one_that_others_come_out_differently_by() -> None:
    at = table(enrol("brog", 3), hit(2)).when(hit(1, after="T2"))
    assert [event.turn for event in at.events if isinstance(event, TurnRedecided)] == [3]
