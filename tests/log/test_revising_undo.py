"""Turns taken back and given again, the latest and old ones, and what stands in the way."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from domain.common.revisions import Undo
from domain.common.sessions import SessionOpened
from domain.log.effective_history import effective_turns
from domain.osr.injuries import Damaged, Injured
from domain.turn import Turn, TurnRedecided, TurnUndone
from tests.kit.given import Given, unchanged
from tests.kit.soundness import everything, is_sound
from tests.osr.asked import NOTE, REDO, enrol, hit, retold, table, undo


def standing(at: Given) -> set[int]:
    return {effective_turn.number for effective_turn in effective_turns(at.log) if effective_turn.standing}


# -- which turns -------------------------------------------------------------------------------------------


def test_a_bare_undo_takes_the_latest() -> None:
    at = table(enrol(), hit(1), hit(2)).when({"type": "undo"}).then(TurnUndone(4))
    assert at.log.turns[-1].action.turns == (4,)  # type: ignore[attr-defined]


def test_undo_twice_takes_two_back() -> None:
    at = table(enrol(), hit(1), hit(2), {"type": "undo"}).when({"type": "undo"}).then(TurnUndone(3))
    assert standing(at) == {1, 2, 5, 6}


def test_the_latest_is_no_undo_and_no_redo_but_may_be_an_amendment() -> None:
    at = table(enrol(), hit(1), hit(2), {"type": "undo"}, REDO)
    at.when({"type": "undo"}).then(TurnUndone(4))
    at = table(enrol(), hit(1), {"type": "amend", "turn": 3, "action": hit(2)})
    at.when({"type": "undo"}).then(TurnUndone(4)).has("brog", hp=3)


def test_last_n() -> None:
    at = table(enrol(), hit(1), NOTE, {"type": "undo"}, NOTE).when({"type": "undo", "last": 2})
    at.then(TurnUndone(3), TurnUndone(6))


def test_to_a_point_takes_back_all_that_comes_after_it_except_undos_and_redos() -> None:
    at = table(enrol(), hit(1), NOTE, {"type": "undo"}, NOTE, {"type": "amend", "turn": 3, "action": hit(2)})
    at.when({"type": "undo", "to": "T2"}).then(TurnUndone(3), TurnUndone(6), TurnUndone(7))
    at.has("brog", hp=4)


def test_several_at_once_in_any_order() -> None:
    at = table(enrol(), hit(1), NOTE, hit(1)).when(undo(5, 3)).then(TurnUndone(3), TurnUndone(5))
    at.has("brog", hp=4)


def test_beyond_what_stands_is_refused() -> None:
    at = table(enrol(), hit(1))
    at.when({"type": "undo", "last": 3}).refused(None, "Only 2 turns are left to undo, not 3")
    at.when({"type": "undo", "last": 2})
    at.when({"type": "undo"}).refused(None, "There is nothing to undo")


@pytest.mark.parametrize("point", ["@", "T3"])
def test_to_a_point_with_nothing_after_it_is_refused(point: str) -> None:
    table(enrol(), hit(1)).when({"type": "undo", "to": point}).refused(None, "No turn after T3 is left")


def test_to_a_point_with_nothing_but_undos_after_it_is_refused() -> None:
    table(enrol(), hit(1), undo(3)).when({"type": "undo", "to": "T2"}).refused(None, "No turn after T2")


@pytest.mark.parametrize(
    ("turns", "says"),
    [
        ((), "at least one"),
        ((3, 3), "named twice"),
        ((99,), "no turn T99"),
        ((1,), "Turn 1 begins the log"),
        ((4,), "T4 is undone already, by T5"),
        ((3, 4), "T4 is undone already"),
        ((6,), "no turn T6"),
    ],
)
def test_turns_that_cannot_be_undone(turns: tuple[int, ...], says: str) -> None:
    at = table(enrol(), hit(1), hit(1), undo(4))
    with unchanged(at):
        at.when(undo(*turns)).refused(None, says)


def test_an_undo_that_was_itself_undone_is_refused() -> None:
    table(enrol(), hit(1), undo(3), undo(4)).when(undo(4)).refused(None, "T4 is undone already, by T5")


@pytest.mark.parametrize(
    "value",
    [
        {"turns": [3], "last": 1},
        {"turns": [3], "to": "T2"},
        {"last": 1, "to": "T2"},
        {"last": 0},
        {"last": -1},
        {"turns": [0]},
        {"turns": ["T3"]},
        {"turns": 3},
        {"to": "nowhere"},
        {"conflicts": "maybe"},
        {"turn": 3},
    ],
)
def test_what_is_no_undo(value: dict[str, Any]) -> None:
    table(enrol(), hit(1)).when({"type": "undo", **value}).invalid()


def test_null_is_left_out() -> None:
    value = {"type": "undo", "turns": None, "last": None, "to": "T2", "why": None, "conflicts": None}
    table(enrol(), hit(1)).when(value).then(TurnUndone(3))


# -- an old turn -------------------------------------------------------------------------------------------


def test_later_turns_are_decided_again_and_only_those_that_differ_are_told() -> None:
    at = table(enrol("brog", 6), enrol("ada", 5), hit(2), hit(1, "ada"), hit(3), NOTE)
    at.when(undo(4))
    assert retold(at) == {6: (Damaged("brog", 3, 3),)}
    at.has("brog", hp=3).has("ada", hp=4)
    is_sound(at)


def test_a_turn_that_comes_to_the_same_is_not_told_though_the_ground_is_another() -> None:
    at = table(
        enrol("brog", 6), hit(2), {"type": "osr.night_rest", "characters": ["brog"], "rolled": {"brog": [4]}}, hit(1)
    )
    at.when(undo(3)).then(TurnUndone(3))


def test_the_turn_number_of_nothing_changes() -> None:
    at = table(enrol("brog", 6), hit(2), hit(3)).when(undo(3))
    assert [turn.number for turn in at.log.read()] == [1, 2, 3, 4, 5]
    assert at.log.turns[3].events == (Damaged("brog", 3, 1),), "the record itself is never rewritten"


def test_undone_turns_are_not_decided_again() -> None:
    table(enrol("brog", 6), hit(2), hit(3), undo(4)).when(undo(3)).then(TurnUndone(3))


def test_overrides_and_agreeing_checks_stay_as_they_are() -> None:
    at = table(
        enrol("brog", 6),
        hit(2),
        {"type": "override", "character": "brog", "set": {"hp": 5}, "why": "so be it"},
        {"type": "sheet.check", "character": "brog", "expect": {"hp": 5}},
        hit(1),
    )
    at.when(undo(3)).then(TurnUndone(3)).has("brog", hp=4)
    at.when(undo(4))
    assert retold(at) == {6: (Damaged("brog", 1, 5),)}, "the check is remembered, not decided again"
    is_sound(at)


def test_an_old_undo_changes_nothing_before_it() -> None:
    at = table(enrol("brog", 6), hit(1), hit(2), hit(1))
    before = everything(at, 3)["log"]
    at.when(undo(4))
    assert everything(at, 3)["log"] == before


# -- redo --------------------------------------------------------------------------------------------------


def test_redo_without_an_undo_is_refused() -> None:
    table(enrol(), hit(1)).when(REDO).refused(None, "There is nothing to redo")


def test_redo_takes_the_latest_standing_undo() -> None:
    at = table(enrol(), hit(1), hit(1), undo(4), undo(3))
    at.when(REDO).then(TurnUndone(6)).has("brog", hp=3)
    at.when(REDO).then(TurnUndone(5)).has("brog", hp=2)
    at.when(REDO).refused(None, "There is nothing to redo")


def test_redo_several() -> None:
    at = table(enrol(), hit(1), hit(1), undo(4), undo(3))
    at.when({"type": "redo", "last": 3}).refused(None, "Only 2 undos")
    at.when({"type": "redo", "last": 2}).then(TurnUndone(5), TurnUndone(6)).has("brog", hp=2)


def test_redo_of_an_undo_that_undid_an_undo() -> None:
    """Undoing an undo is an undo: redoing it takes the turn back again."""
    at = table(enrol(), hit(1), undo(3), undo(4)).has("brog", hp=3)
    at.when(REDO).then(TurnUndone(5)).has("brog", hp=4)


def test_a_redo_can_be_undone() -> None:
    table(enrol(), hit(1), undo(3), REDO).when(undo(5)).then(TurnUndone(5)).has("brog", hp=4)


def test_redo_with_nothing_since_decides_nothing_again() -> None:
    table(enrol("brog", 6), hit(2), hit(3), undo(3)).when(REDO).then(TurnUndone(5)).has("brog", hp=1)


def test_redo_with_later_turns_decides_those_again() -> None:
    at = table(enrol("brog", 6), hit(2), hit(1), undo(3), hit(2))
    at.when(REDO).then_some(TurnUndone(5))
    assert retold(at) == {6: (Damaged("brog", 2, 1),)}
    at.has("brog", hp=1)
    is_sound(at)


def test_redo_that_takes_the_ground_from_under_later_turns_is_a_conflict() -> None:
    at = table(enrol("brog", 4), hit(9), undo(3), hit(1))
    at.when(REDO).conflicts(5)
    at.when({**REDO, "conflicts": "drop"}).then(TurnUndone(4), TurnUndone(5)).has("brog", hp=0)


# -- conflicts ---------------------------------------------------------------------------------------------


def adventurous() -> Given:
    """T2 brog, T3 ada, T4 brog hit, T5 both rest, T6 brog hit, T7 a note about brog, T8 ada hit."""
    both = {"type": "osr.short_rest", "characters": ["brog", "ada"], "rolled": {"brog": [3], "ada": [2]}}
    return table(enrol("brog", 6), enrol("ada", 5), hit(2), both, hit(1), {**NOTE, "about": "brog"}, hit(1, "ada"))


def test_every_later_turn_in_the_way_is_listed_with_its_rule_and_reason_and_nothing_appended() -> None:
    at = adventurous()
    with unchanged(at):
        at.when(undo(2)).conflicts(4, 5, 6, 7)
    assert {later.rule for later in at.error.turns} == {None}  # type: ignore[union-attr]
    assert all("no character 'brog'" in later.reason for later in at.error.turns)  # type: ignore[union-attr]


def test_why_a_turn_is_in_the_way_is_worked_out_only_for_who_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a hundred thousand turns that fall, nobody reads a hundred thousand reasons."""

    def read(name: str, *_: object, **__: object) -> str:
        pytest.fail(f"the nearest to {name} was looked for")

    at = adventurous()
    monkeypatch.setattr("domain.naming.did_you_mean", read)
    at.when(undo(2, conflicts="drop"))
    assert standing(at) == {1, 3, 8, 9}


def test_who_revises_folds_no_turn_a_second_time_to_know_the_sheets(monkeypatch: pytest.MonkeyPatch) -> None:
    at = adventurous().when(undo(4))

    def read(*_: object, **__: object) -> None:
        pytest.fail("the log was read again")

    with monkeypatch.context() as patch:
        patch.setattr(at.log, "read", read)
        sheet = at.sheet("brog")
    assert sheet == at.sheets()["brog"]


def test_the_rule_in_the_way_is_named() -> None:
    at = table(enrol("brog", 2), hit(4), {"type": "osr.injury_saves", "character": "brog", "strength": 25, "will": 25})
    at.when(undo(3)).conflicts(4)
    assert at.error.turns[0].rule == "OSR 6.6"  # type: ignore[union-attr]


def test_drop_undoes_those_turns_too() -> None:
    at = adventurous().when(undo(2, conflicts="drop"))
    assert standing(at) == {1, 3, 8, 9}
    assert retold(at) == {8: (Damaged("ada", 1, 4),)}
    at.has("ada", hp=4, fatigue=0)
    is_sound(at)


def test_keep_keeps_their_events_as_they_were() -> None:
    at = adventurous()
    was = {number: at.log.turns[number - 1].events for number in (4, 5, 6, 7)}
    at.when(undo(2, conflicts="keep"))
    assert standing(at) == {1, 3, 4, 5, 6, 7, 8, 9}
    assert retold(at) == was
    assert all(event.kept for event in at.events if isinstance(event, TurnRedecided))
    assert list(at.sheets()) == ["ada"], "facts about somebody who is not there change nothing"
    at.has("ada", hp=1, fatigue=1)
    is_sound(at)


def test_a_kept_turn_is_never_decided_again() -> None:
    at = adventurous().when(undo(2, conflicts="keep"))
    at.when(undo(3, conflicts="drop"))
    assert {5} <= standing(at)
    assert 8 not in standing(at)
    is_sound(at)


def test_undoing_that_gives_dropped_and_kept_turns_back() -> None:
    at = adventurous()
    before = everything(at, 8)
    for settle in ("drop", "keep"):
        at.when(undo(2, conflicts=settle)).when(REDO)
        assert everything(at, 8) == before


def test_a_dropped_turn_comes_back_by_undoing_the_turn_that_dropped_it() -> None:
    at = adventurous().when(undo(2, conflicts="drop"))
    at.when(undo(4)).refused(None, "T4 is undone already, by T9")
    at.when(undo(9))
    assert standing(at) == {*range(1, 9), 10}


def test_a_later_conflict_counts_from_what_the_earlier_one_leaves() -> None:
    """The blow goes, so the saves after it go, and the fate after those."""
    at = table(
        enrol("brog", 2),
        hit(4),
        {"type": "osr.injury_saves", "character": "brog", "strength": 1, "will": 25},
        {"type": "osr.choose_fate", "character": "brog", "fate": "major_wound"},
        hit(1),
    )
    at.when(undo(3)).conflicts(4, 5)
    at.when(undo(3, conflicts="drop"))
    assert retold(at) == {6: (Damaged("brog", 1, 1),)}


def test_a_name_enrolled_again_stands_in_the_way_of_the_first_enrolment() -> None:
    at = table(enrol("brog", 6), hit(1), undo(2, conflicts="drop"), enrol("BROG", 2), hit(1, "BROG"))
    at.when(REDO).conflicts(5)
    at.when({**REDO, "conflicts": "drop"})
    # decided again, the later blow finds the one who is there
    at.has("brog", hp=4)
    is_sound(at)


def test_wound_numbers_are_not_used_again() -> None:
    saves = {"type": "osr.injury_saves", "character": "brog", "strength": 30, "will": 30}
    at = table(enrol("brog", 2), hit(4), saves)
    assert [wound["id"] for wound in at.sheet("brog")["wounds"]] == [1]
    at.when(undo(4)).when(saves)
    assert [wound["id"] for wound in at.sheet("brog")["wounds"]] == [2]
    at.when(undo(3)).conflicts(6)
    at.when(undo(3, conflicts="drop")).when(REDO)
    assert [wound["id"] for wound in at.sheet("brog")["wounds"]] == [2], "decided again it keeps its number"


# -- sessions ----------------------------------------------------------------------------------------------


def test_a_session_undone_under_its_closing() -> None:
    at = table({"type": "session.open"}, NOTE, {"type": "session.close"}, {"type": "session.open"})
    at.when(undo(2)).conflicts(4)
    at.when(undo(2, conflicts="keep"))
    assert [effective_turn.session for effective_turn in effective_turns(at.log)] == [0, 1, 0, 0, 2, 2]
    at.when({"type": "session.close"}).when({"type": "session.open"}).then_some(SessionOpened(3))
    is_sound(at)


def test_a_closing_undone_under_the_next_session() -> None:
    at = table({"type": "session.open"}, {"type": "session.close"}, {"type": "session.open"}, {"type": "session.close"})
    at.when(undo(3)).conflicts(4)
    at.when(undo(3, conflicts="drop"))
    assert [effective_turn.session for effective_turn in effective_turns(at.log)] == [0, 1, 1, 2, 1, 0]
    assert retold(at)[5][0].number == 1  # type: ignore[attr-defined]
    is_sound(at)


def test_a_session_number_is_never_used_again() -> None:
    at = table({"type": "session.open"}, undo(2)).when({"type": "session.open"}).then(SessionOpened(2))
    at.when({"type": "undo"}).when({"type": "session.open", "number": 1}).refused(None, "has been used")
    at.when(undo(3, conflicts="drop"))
    assert at.handler.state().campaign.session == 1


# -- revisions of revisions --------------------------------------------------------------------------------


def test_undo_of_an_amendment_after_an_undo_that_reached_across() -> None:
    at = table(enrol("brog", 6), hit(1), hit(2), {"type": "amend", "turn": 4, "action": hit(3)}).has("brog", hp=2)
    at.when(undo(3)).has("brog", hp=3)
    at.when(undo(5))
    assert retold(at) == {4: (Damaged("brog", 2, 4),)}
    at.has("brog", hp=4)
    is_sound(at)
    at.when(undo(6))
    at.has("brog", hp=3)
    is_sound(at)


def test_an_undo_reaching_across_another_is_undone_alone() -> None:
    at = table(enrol("brog", 6), hit(1), hit(1), hit(2), undo(4), undo(3)).has("brog", hp=4)
    at.when(undo(6)).has("brog", hp=3)
    assert retold(at) == {4: (Damaged("brog", 1, 5),), 5: (Damaged("brog", 2, 3),)}
    at.when(undo(7)).has("brog", hp=2)
    is_sound(at)


def test_a_drop_undone_after_the_ground_was_changed_once_more() -> None:
    saves = {"type": "osr.injury_saves", "character": "brog", "strength": 30, "will": 30}
    at = table(enrol("brog", 2), hit(4), saves, NOTE)
    at.when(undo(3, conflicts="drop"))
    at.when({"type": "amend", "turn": 2, "action": enrol("brog", 3)})
    at.when(undo(6))
    assert retold(at) == {3: (Injured("brog", 4, 3, 1, 21),), 4: at.outcome.changed[1].after}  # type: ignore[union-attr]
    is_sound(at)


# -- what a dry run shows ----------------------------------------------------------------------------------


def test_a_dry_run_lists_what_changes_and_what_is_no_longer_legal() -> None:
    at = adventurous()
    with unchanged(at):
        outcome = at.handler.record(at.line(undo(2)), dry_run=True)
    assert [later.turn for later in outcome.conflicts] == [4, 5, 6, 7]
    assert [(change.turn, change.after is None) for change in outcome.changed] == [
        (2, True),
        (4, True),
        (5, True),
        (6, True),
        (7, True),
        (8, False),
    ]
    assert outcome.changed[-1].before == (Damaged("ada", 1, 1),)
    assert outcome.changed[-1].after == (Damaged("ada", 1, 4),)


def test_the_correction_that_is_undone_is_read_once_with_the_undo_and_once_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A correction of the first turn may have an event for every later one."""
    at = table(enrol("brog", 4), *[NOTE] * 30, {"type": "amend", "turn": 2, "action": enrol("brog", 5)})
    handler = at.handler.for_log(at.log)  # it has no recent states
    correction, readings, read_back = handler.last(), list[int](), at.log.read_back

    def counted(after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        for turn in read_back(after, upto, topics):
            readings.append(turn.number)
            yield turn

    monkeypatch.setattr(at.log, "read_back", counted)
    handler.record(Undo(), dry_run=True)
    assert readings.count(correction) == 2
