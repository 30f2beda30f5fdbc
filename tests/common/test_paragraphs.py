"""Paragraphs of the group's own, those of the rules revised and withdrawn, and trials that are kept."""

from datetime import date
from typing import Any

import pytest
from msgspec.structs import replace

from domain.common.notes import Noted
from domain.common.paragraphs import ParagraphAdded, ParagraphRevised, ParagraphWithdrawn
from domain.common.rulings import RulingEnded, RulingKept, RulingMade, trials_due
from domain.log.port import MemoryLog
from domain.log.verifying import decide_all_again
from domain.registry import action_from
from tests.kit.given import unchanged
from tests.osr.asked import table

ADD = {"type": "paragraph.add", "rule": "H1", "title": "Bloodied", "text": "Below half one is bloodied."}
WHY = "it came up"


def revise(rule: str = "H1", **more: Any) -> dict[str, Any]:
    return {"type": "paragraph.revise", "rule": rule, "text": "At half or below.", "why": WHY, **more}


def withdraw(rule: str = "H1", **more: Any) -> dict[str, Any]:
    return {"type": "paragraph.withdraw", "rule": rule, "why": WHY, **more}


def ruling(rule: str = "6.4", **more: Any) -> dict[str, Any]:
    return {"type": "ruling", "rule": rule, "text": "So.", **more}


def test_a_title_that_says_it_all_is_said_once() -> None:
    at = table()
    at.when({**ADD, "title": "Ropes break", "text": "ropes break."}).then_some()
    assert at.chronicle()[-1] == "New paragraph H1: ropes break."


# -- added -------------------------------------------------------------------------------------------------


def test_a_paragraph_is_added_and_played_by_like_any_other() -> None:
    at = table().when({**ADD, "why": WHY, "because": [1]})
    at.then(ParagraphAdded("H1", "Bloodied", "Below half one is bloodied.", WHY, (1,)))
    at.when(ruling("OSR H1")).then(RulingMade(1, "H1", "So."))
    at.when({"type": "note", "text": "Half of what?", "rule": "h1"}).then(Noted("Half of what?", rule="H1"))
    at.when({"type": "note", "text": "Played so.", "cites": ["H1", "6.4"]})
    assert at.log.turns[-1].cites == ("OSR H1", "OSR 6.4")


@pytest.mark.parametrize("rule", ["H1", "6.13", "HOUSE", "ß.1", "OSR 6.13"])
def test_a_number_is_letters_digits_and_full_stops(rule: str) -> None:
    assert table().when({**ADD, "rule": rule}).events[0].rule == rule.removeprefix("OSR ")  # type: ignore[attr-defined]


@pytest.mark.parametrize("rule", ["", " ", "H 1", "6..1", ".6", "6.", "H-1", "H\n1", "a" * 21, "H\u202e1"])
def test_anything_else_is_no_number(rule: str) -> None:
    at = table()
    with unchanged(at):
        at.when({**ADD, "rule": rule}).invalid("letters, digits and full stops")


def test_a_number_that_is_taken_is_refused_whatever_its_case() -> None:
    at = table(ADD)
    with unchanged(at):
        at.when({**ADD, "rule": "h1"}).refused(None, "OSR h1 is there already")
        at.when({**ADD, "rule": "6.4"}).refused(None, "OSR 6.4 is there already")


@pytest.mark.parametrize("field", ["title", "text"])
def test_a_paragraph_has_a_title_and_words(field: str) -> None:
    table().when({**ADD, field: " "}).invalid("must not be blank")


def test_what_gave_rise_to_it_was_logged_before_it() -> None:
    at = table()
    with unchanged(at):
        at.when({**ADD, "because": [2]}).refused(None, "There is no turn T2 yet")
    at.when({**ADD, "because": [0]}).invalid()


def test_before_it_was_added_nobody_can_speak_of_it() -> None:
    at = table()
    for value in (revise(), withdraw(), ruling("H1"), {"type": "note", "text": "x", "rule": "H1"}):
        with unchanged(at):
            at.when(value).refused(None, "There is no rule 'H1'")
    at.when({"type": "note", "text": "x", "cites": ["H1"]}).refused(None, "There is no rule 'H1'")


# -- revised and withdrawn -----------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["H1", "6.4"])
def test_own_paragraphs_and_those_of_the_rules_are_revised(rule: str) -> None:
    at = table(ADD).when(revise(rule, because=[2, 1, 2]))
    at.then(ParagraphRevised(rule, WHY, "At half or below.", because=(1, 2)))
    at.when({"type": "paragraph.revise", "rule": rule, "title": "Hurt", "why": WHY})
    at.then(ParagraphRevised(rule, WHY, title="Hurt"))


@pytest.mark.parametrize("more", [{"text": None}, {"text": " "}, {"title": ""}, {"why": " "}])
def test_a_revision_says_what_it_reads_now_and_why(more: dict[str, Any]) -> None:
    table(ADD).when(revise(**more)).invalid()


def test_a_revision_without_its_why_is_invalid() -> None:
    table(ADD).when({"type": "paragraph.revise", "rule": "H1", "text": "x"}).invalid("needs why")
    table(ADD).when(withdraw(why=" ")).invalid("why it is withdrawn")


@pytest.mark.parametrize("rule", ["H1", "6.4"])
def test_what_is_withdrawn_is_neither_revised_nor_ruled_on_and_still_noted_about(rule: str) -> None:
    at = table(ADD).when(withdraw(rule)).then(ParagraphWithdrawn(rule, WHY))
    with unchanged(at):
        at.when(revise(rule)).refused(None, "is withdrawn already")
        at.when(withdraw(rule)).refused(None, "is withdrawn already")
        at.when(ruling(rule)).refused(None, "is withdrawn")
        at.when({**ADD, "rule": rule}).refused(None, "is there already")
    at.when({"type": "note", "text": "x", "rule": rule}).then(Noted("x", rule=rule))
    at.when({"type": "undo", "turns": [3], "conflicts": "drop"})
    at.when(revise(rule)).then(ParagraphRevised(rule, WHY, "At half or below."))


# -- the past ------------------------------------------------------------------------------------------------


def test_without_the_addition_what_speaks_of_it_stands_in_the_way() -> None:
    at = table(ADD, revise(), ruling("H1"), withdraw())
    at.when({"type": "undo", "turns": [2]}).conflicts(3, 4, 5)
    at.when({"type": "undo", "turns": [2], "conflicts": "drop"})
    at.when(ADD).then(ParagraphAdded("H1", "Bloodied", "Below half one is bloodied."))
    at.when({"type": "undo", "last": 1}).when({"type": "undo", "turns": [6]})
    at.when(withdraw()).refused(None, "is withdrawn already")


def test_the_words_of_an_addition_are_amended() -> None:
    at = table(ADD, revise()).when({"type": "amend", "turn": 2, "action": {**ADD, "text": "Below a third."}})
    assert at.events[0].events == (ParagraphAdded("H1", "Bloodied", "Below a third."),)  # type: ignore[attr-defined]


def test_an_addition_told_late_is_known_from_there_on() -> None:
    at = table(ruling(), ruling()).when({**ADD, "after": "T2"})
    at.when({**ruling("H1"), "after": "T2"})
    at.when({**ruling("H1"), "after": "T1"}).refused(None, "There is no rule 'H1'")


# -- rulings -------------------------------------------------------------------------------------------------


def test_a_ruling_says_which_turns_gave_rise_to_it() -> None:
    table(ADD).when(ruling(because=[2, 1])).then(RulingMade(1, "6.4", "So.", because=(1, 2)))
    table().when(ruling(because=[9])).refused(None, "There is no turn T9 yet")


@pytest.mark.parametrize(
    ("time", "stored"), [(5, 5), ("S5", 5), ("5", 5), ("2026-03-01", "2026-03-01"), ("20260301", "2026-03-01")]
)
def test_a_trial_is_reviewed_in_a_session_or_on_a_day(time: Any, stored: Any) -> None:
    table().when(ruling(trial=True, review=time)).then(RulingMade(1, "6.4", "So.", trial=True, review=stored))


@pytest.mark.parametrize("time", [0, "S0", "soon", "", "2026-13-01", 1.5])
def test_anything_else_is_no_time_for_a_review(time: Any) -> None:
    table().when(ruling(trial=True, review=time)).invalid()


def test_only_a_trial_is_reviewed() -> None:
    table().when(ruling(review=5)).invalid("Only a ruling on trial")


def test_a_trial_is_kept_and_holds_without_being_one() -> None:
    at = table(ruling(trial=True, set={"keep_higher": True}))
    at.when({"type": "ruling.keep", "ruling": 1, "why": WHY}).then(RulingKept(1, WHY))
    assert at.handler.state().options.keep_higher
    with unchanged(at):
        at.when({"type": "ruling.keep", "ruling": 1}).refused(None, "R1 is not on trial")
    at.when({"type": "ruling.end", "ruling": 1}).then(RulingEnded(1))
    at.when({"type": "ruling.keep", "ruling": 1}).refused(None, "R1 has ended already")
    at.when({"type": "ruling.keep", "ruling": 2}).refused(None, "There is no ruling R2; known: R1")


def test_a_keeping_is_undone_and_the_ruling_is_on_trial_again() -> None:
    keep = {"type": "ruling.keep", "ruling": 1}
    table(ruling(trial=True), keep).when({"type": "undo"}).when(keep).then(RulingKept(1))


@pytest.mark.parametrize("by", [{"supersedes": 1}, {"set": {"keep_higher": False}}])
def test_a_superseded_trial_is_not_kept_until_it_is_in_force_again(by: dict[str, Any]) -> None:
    keep = {"type": "ruling.keep", "ruling": 1}
    at = table(ruling(trial=True, set={"keep_higher": True}), ruling(**by))
    with unchanged(at):
        at.when(keep).refused(None, "R1 is superseded by R2")
    at.when({"type": "ruling.end", "ruling": 2}).when(keep).then(RulingKept(1))


def test_a_superseded_trial_that_an_old_log_kept_is_left_alone() -> None:
    at = table(ruling(trial=True), {"type": "ruling.keep", "ruling": 1}, ruling("6.5"))
    start, tried, kept, other = at.log.turns
    taking = action_from("osr", ruling(supersedes=1))
    taken = replace(other, number=3, action=taking, events=(RulingMade(2, "6.4", "So.", supersedes=1),))
    old = MemoryLog("osr", turns=[start, tried, taken, replace(kept, number=4)])
    assert [finding for _, finding in decide_all_again(old)] == [None] * 4


def test_a_ruling_that_supersedes_takes_the_place_of_another() -> None:
    at = table(ruling(set={"keep_higher": True})).when(ruling(supersedes=1))
    at.then(RulingMade(2, "6.4", "So.", supersedes=1))
    assert not at.handler.state().options.keep_higher
    at.when({"type": "ruling.end", "ruling": 2})
    assert at.handler.state().options.keep_higher


def test_only_a_ruling_on_the_same_rule_is_superseded() -> None:
    at = table(ruling(), {"type": "ruling.end", "ruling": 1}, ruling("6.5"))
    with unchanged(at):
        at.when(ruling(supersedes=2)).refused(None, "R2 is about 6.5, not about 6.4")
        at.when(ruling(supersedes=1)).refused(None, "R1 has ended already")
        at.when(ruling(supersedes=3)).refused(None, "There is no ruling R3")


def test_a_trial_is_due_in_its_session_and_on_its_day() -> None:
    at = table(ruling(trial=True, review=2), ruling("6.5", trial=True, review="2026-03-01"), ruling(trial=True))
    state = at.handler.state()
    march, never = date(2026, 3, 1), date(2026, 2, 28)

    def due(session: int | None, day: date) -> list[int]:
        return [ruling.number for ruling in trials_due(state, session, day)]

    assert (due(1, never), due(2, never), due(None, march), due(3, march)) == ([], [1], [2], [1, 2])
    at.when({"type": "ruling.keep", "ruling": 1}).when({"type": "ruling.end", "ruling": 2})
    assert not list(trials_due(at.handler.state(), 9, march))


# -- notes ---------------------------------------------------------------------------------------------------


def test_a_note_says_that_a_rule_is_disputed() -> None:
    note = {"type": "note", "text": "Not so.", "disputed": True}
    table().when({**note, "rule": "6.4"}).then(Noted("Not so.", rule="6.4", disputed=True))
    table().when(note).invalid("names its rule")
