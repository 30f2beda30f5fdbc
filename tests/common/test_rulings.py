"""Rulings, their options, and their end."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.terminal.spelling import command_line_of
from domain.common.rulings import RulingEnded, RulingKept, RulingMade, options_in_force
from domain.common.start import CampaignStarted
from domain.naming import listed
from domain.refusal import Refusal
from domain.registry import system_of
from domain.system.options import options_of
from domain.turn import Event
from tests.kit.given import Given, unchanged
from tests.osr.asked import table


def ruling(rule: str = "6.4", **more: Any) -> dict[str, Any]:
    return {"type": "ruling", "rule": rule, "text": "Keep the better.", **more}


def end(number: int, **more: Any) -> dict[str, Any]:
    return {"type": "ruling.end", "ruling": number, **more}


HIGHER = ruling(set={"keep_higher": True})


def option(at: Given, name: str = "keep_higher") -> Any:
    return getattr(at.handler.state().options, name)


# -- made --------------------------------------------------------------------------------------------------


def test_a_ruling_is_numbered_and_holds_from_its_turn_on() -> None:
    at = table()
    assert not option(at)
    at.when({**HIGHER, "why": "It is more fun."}).then(
        RulingMade(1, "6.4", "Keep the better.", "It is more fun.", set={"keep_higher": True})
    )
    assert option(at)
    at.when(ruling()).then(RulingMade(2, "6.4", "Keep the better."))


def test_a_ruling_on_trial() -> None:
    table().when(ruling(trial=True)).then(RulingMade(1, "6.4", "Keep the better.", trial=True))


def test_a_ruling_without_options_changes_none() -> None:
    at = table(HIGHER, ruling())
    assert option(at)


@pytest.mark.parametrize("rule", ["6.4", "OSR 6.4", "osr  6.4"])
def test_the_rule_may_be_cited_in_two_ways(rule: str) -> None:
    table().when(ruling(rule, set={"keep_higher": True})).then(
        RulingMade(1, "6.4", "Keep the better.", set={"keep_higher": True})
    )


def test_the_latest_ruling_on_an_option_counts_and_others_stay() -> None:
    at = table(HIGHER, ruling(set={"short_rest_together": True}), ruling(set={"keep_higher": False}))
    assert (option(at), option(at, "short_rest_together")) == (False, True)


def test_several_options_of_one_paragraph_at_once() -> None:
    at = table(ruling("6.6", set={"zero_is_injury": True, "save_meets_dc": False}))
    assert (option(at, "zero_is_injury"), option(at, "save_meets_dc")) == (True, False)


# -- refused -----------------------------------------------------------------------------------------------


def test_an_unknown_rule_is_refused_and_the_known_ones_are_named() -> None:
    at = table()
    with unchanged(at):
        at.when(ruling("6.13")).refused(None, "There is no rule '6.13' in osr")
        at.refused(None, "6.1, 6.2, 6.3, 6.4, 6.5, 6.6, 6.7, 6.8 and 4 more")


def test_a_ruling_about_no_paragraph_may_be_one_of_the_groups_own() -> None:
    at = table().when(ruling("Arrows", text="break on a 1.")).refused(None, "There is no rule 'Arrows' in osr")
    assert isinstance(at.error, Refusal)
    (instead,) = map(command_line_of, at.error.choices)
    assert instead == "campaign paragraph add H1 'House rule' 'Arrows break on a 1.'"
    at.when(ruling("6.13")).refused(None, "There is no rule '6.13' in osr")
    assert not at.error.choices, "a number is a slip in one"


def test_an_unknown_option_is_refused_and_the_known_ones_are_named() -> None:
    at = table().when(ruling(set={"keep_hihger": True})).refused(None, "did you mean keep_higher?")
    at.refused(None, listed(options_of(system_of("osr").options)))


@pytest.mark.parametrize("value", [1, "true", None, [True], "yes", 0])
def test_an_unknown_value_is_refused_and_the_known_ones_are_named(value: Any) -> None:
    table().when(ruling(set={"keep_higher": value})).refused(None, "it takes true or false")


def test_the_known_values_of_a_choice_are_named() -> None:
    table().when(ruling("6.9", set={"minor_injuries": "none"})).refused(None, "it takes referee or recovery_marks")


def test_an_option_of_another_paragraph_is_refused() -> None:
    table().when(ruling("6.5", set={"keep_higher": True})).refused(None, "keep_higher belongs to 6.4, not to 6.5")


def test_one_wrong_option_refuses_the_whole() -> None:
    at = table().when(ruling(set={"keep_higher": True, "zero_is_injury": True}))
    at.refused(None, "zero_is_injury belongs to 6.6")
    assert not option(at)


def test_an_empty_set_is_invalid() -> None:
    table().when(ruling(set={})).invalid("sets no option")


def test_null_for_set_is_a_ruling_without_options() -> None:
    table().when(ruling(set=None, since=None, why=None)).then(RulingMade(1, "6.4", "Keep the better."))


@pytest.mark.parametrize("text", ["", "  "])
def test_a_ruling_needs_its_words(text: str) -> None:
    table().when({**HIGHER, "text": text}).invalid("Say what was decided; a ruling cannot be blank.")


# -- ended -------------------------------------------------------------------------------------------------


def test_the_option_falls_back_to_the_ruling_before_it() -> None:
    at = table(HIGHER, ruling(set={"keep_higher": False})).when(end(2, why="We liked it better before."))
    at.then(RulingEnded(2, "We liked it better before."))
    assert option(at)


def test_or_to_the_default() -> None:
    at = table(HIGHER, end(1))
    assert not option(at)


def test_or_to_what_the_campaign_was_started_with() -> None:
    at = table(ruling(set={"keep_higher": False}), options={"keep_higher": True})
    assert not option(at)
    at.when(end(1))
    assert option(at)


def test_ending_an_earlier_ruling_leaves_the_later_in_force() -> None:
    at = table(ruling(set={"keep_higher": False}), HIGHER, end(1))
    assert option(at)


def test_a_ruling_without_options_can_be_ended() -> None:
    table(ruling()).when(end(1)).then(RulingEnded(1))


def test_ending_an_ended_ruling_is_refused() -> None:
    table(HIGHER, end(1)).when(end(1)).refused(None, "Ruling R1 has ended already")


def test_an_unknown_ruling_is_refused_and_the_known_ones_are_named() -> None:
    table(HIGHER, ruling()).when(end(3)).refused(None, "There is no ruling R3; known: R1 and R2")
    table().when(end(1)).refused(None, "nobody has made a ruling yet")


def test_an_undone_ruling_cannot_be_ended() -> None:
    table(HIGHER, {"type": "undo"}).when(end(1)).refused(None, "There is no ruling R1")


@pytest.mark.parametrize("number", [0, -1, "R1", 1.5])
def test_what_is_no_number_of_a_ruling(number: Any) -> None:
    table(HIGHER).when(end(number)).invalid()


def test_an_end_can_be_undone() -> None:
    at = table(HIGHER, end(1)).when({"type": "undo"})
    assert option(at)
    at.when(end(1)).then(RulingEnded(1))


def test_a_ruling_can_be_undone_and_its_number_is_not_used_again() -> None:
    at = table(HIGHER).when({"type": "undo"})
    assert not option(at)
    at.when(HIGHER)
    assert at.events[0].number == 2  # type: ignore[attr-defined]


def test_an_option_among_the_words_sets_nothing_and_is_asked_about() -> None:
    asked = {"type": "ruling", "rule": "6.4", "text": "We play keep-higher=true now"}
    table = Given("osr").when(asked).refused(None, "keep-higher=true is only words here")
    assert isinstance(table.error, Refusal)
    (way,) = table.error.choices
    assert way.fields == {"rule": "6.4", "text": "We play now", "set": {"keep_higher": "true"}}
    assert command_line_of(way) == "campaign ruling 6.4 'We play now' --set keep_higher=true"
    table.when({**asked, "text": "a x=y of ours"}).then_some()
    table.when({**asked, "set": {"keep_higher": True}}).then_some()


# -- folded ------------------------------------------------------------------------------------------------

SET = st.dictionaries(
    st.sampled_from(["keep_higher", "zero_is_injury", "short_rest_together"]), st.booleans(), max_size=2
)
NUMBERS = st.integers(1, 6)
MADE = st.builds(
    lambda number, options, supersedes: RulingMade(number, "6.4", "So.", set=options, supersedes=supersedes or 0),
    NUMBERS,
    SET,
    st.none() | NUMBERS,
)
ABOUT_RULINGS: st.SearchStrategy[Event] = st.one_of(
    MADE,
    MADE,
    st.builds(RulingEnded, NUMBERS),
    st.builds(RulingKept, NUMBERS),
    st.builds(lambda options: CampaignStarted("Lost", "osr", 1, options), SET),
)


@given(st.lists(ABOUT_RULINGS, max_size=12))
def test_the_options_are_those_of_all_rulings_in_whatever_order_they_are_folded(events: list[Event]) -> None:
    state = system_of("osr").opening()
    for event in events:
        event.fold(state)
        assert state.options == options_in_force(state)


#: After one ruling of each number up to this one: one more, and the end of the one before the last.
FURTHER: list[Callable[[int], Event]] = [
    lambda last: RulingMade(last + 1, "6.4", "So.", set={"keep_higher": False}),
    lambda last: RulingEnded(last - 1),
]


@pytest.mark.parametrize("further", FURTHER)
def test_a_ruling_folds_in_as_many_steps_after_many_others_as_after_a_few(further: Callable[[int], Event]) -> None:
    def steps(last: int) -> int:
        state, count = system_of("osr").opening(), 0
        for number in range(1, last + 1):
            RulingMade(number, "6.4", "So.", set={"keep_higher": True}).fold(state)

        def note(_frame: FrameType, what: str, _of: object) -> None:
            nonlocal count
            count += what == "call"

        sys.setprofile(note)
        try:
            further(last).fold(state)
        finally:
            sys.setprofile(None)
        return count

    steps(10)  # what is made once is made here
    assert steps(10) == steps(400)
