"""Which rulings hold is told alike by the rules themselves, `rules`, `query` and `why`."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.common.rulings import RulingEnded, RulingMade
from domain.log.effective_history import effective_turns
from domain.log.folding import steps
from domain.system.options import options_of
from domain.system.rulings_in_force import Holding, RulingInForce, holdings
from projections.rule_history import remarks
from projections.views.turn_context import rulings_then
from tests.kit.given import Given
from tests.kit.views import view_in_memory


def ruling(**options: bool) -> dict[str, Any]:
    return {"type": "ruling", "rule": "6.6", "text": "So be it.", **({"set": options} if options else {})}


def table(*actions: dict[str, Any]) -> Given:
    made = Given("osr")
    for action in actions:
        assert made.when(action).error is None, made.error
    return made


def asked(at: Given) -> list[tuple[int, int | None, bool]]:
    """(ruling, superseded by, in force) as SQL finds it."""
    with view_in_memory(at.log, at.system) as view:
        rows = view.ask("SELECT ruling, superseded_by, in_force FROM rulings ORDER BY ruling")
    return [(number, over, bool(holds)) for number, over, holds in rows]


def had_a_say(at: Given) -> dict[int, list[int]]:
    """The rulings in force where each turn but the first was played, as `why` names them."""
    turns = [(number, ("OSR 6.6",)) for number in range(2, at.log.last() + 1)]
    with view_in_memory(at.log, at.system) as view:
        named = rulings_then(view, at.system, turns)
    return {number: sorted(ruling.ruling for ruling in rulings) for (number, _), rulings in named.items()}


def ends_of(at: Given) -> list[tuple[int | None, str | None]]:
    """(ruling, why it holds no longer) as `rules` tells it."""
    return [(remark.ruling, remark.no_longer) for remark in remarks(at.log, "6.6") if remark.ruling]


BOTH = ruling(zero_is_injury=True, save_meets_dc=False)


def test_a_later_ruling_on_another_option_of_the_paragraph_supersedes_nothing() -> None:
    at = table(ruling(zero_is_injury=True), ruling(save_meets_dc=False))
    assert ends_of(at) == [(1, None), (2, None)]
    assert asked(at) == [(1, None, True), (2, None, True)]


def test_what_superseded_a_ruling_is_the_one_that_sets_its_option_not_the_last_of_all() -> None:
    at = table(ruling(zero_is_injury=True), ruling(zero_is_injury=False), ruling(save_meets_dc=False))
    assert ends_of(at) == [(1, "superseded by R2"), (2, None), (3, None)]
    assert asked(at) == [(1, 2, False), (2, None, True), (3, None, True)]


def test_a_ruling_holds_for_the_options_that_no_later_one_sets() -> None:
    at = table(BOTH, ruling(save_meets_dc=True))
    assert ends_of(at) == [(1, None), (2, None)]
    assert asked(at) == [(1, None, True), (2, None, True)]
    assert [remark.in_force for remark in remarks(at.log)] == [{"zero_is_injury": True}, {"save_meets_dc": True}]
    now = (at.when({"type": "note", "text": "Then."}).log.last(), ("OSR 6.6",))
    with view_in_memory(at.log, at.system) as view:
        (had_a_say,) = rulings_then(view, at.system, [now]).values()
    assert [(ruling.ruling, ruling.options) for ruling in had_a_say] == [
        (2, {"save_meets_dc": True}),
        (1, {"zero_is_injury": True}),
    ]


def test_a_ruling_taken_apart_by_two_others_is_superseded_by_the_later_of_them() -> None:
    at = table(BOTH, ruling(zero_is_injury=False), ruling(save_meets_dc=True))
    assert ends_of(at)[0] == (1, "superseded by R3")
    assert asked(at)[0] == (1, 3, False)


def test_a_ruling_is_in_force_again_when_the_later_one_ends_or_is_undone() -> None:
    over = (ruling(zero_is_injury=True), ruling(zero_is_injury=False))
    ended = table(*over, {"type": "ruling.end", "ruling": 2, "why": "no fun"})
    assert ends_of(ended) == [(1, None), (2, "ended at T4: no fun")]
    assert asked(ended) == [(1, None, True), (2, None, False)]
    undone = table(*over, {"type": "undo"})
    assert ends_of(undone) == [(1, None), (2, "undone by T4")]
    assert asked(undone) == [(1, None, True), (2, None, False)]


def test_a_ruling_that_sets_nothing_is_superseded_by_nothing() -> None:
    at = table(ruling(), ruling(), BOTH)
    assert asked(at) == [(1, None, True), (2, None, True), (3, None, True)]


def test_the_number_decides_also_where_a_later_ruling_counts_from_earlier_on() -> None:
    at = table({"type": "note", "text": "One."}, ruling(zero_is_injury=True))
    assert at.when({**ruling(zero_is_injury=False), "since": "T2"}).error is None
    assert ends_of(at) == [(1, "superseded by R2"), (2, None)]
    assert asked(at) == [(1, 2, False), (2, None, True)]


def test_where_a_turn_is_told_behind_one_that_was_told_late_itself_a_ruling_in_between_had_no_say() -> None:
    at = table({"type": "note", "text": "One."}, ruling(zero_is_injury=True))
    assert at.when({"type": "note", "text": "Two.", "after": "T2"}).error is None
    assert at.when({"type": "note", "text": "Three.", "after": "T4"}).error is None
    assert had_a_say(at) == {2: [], 3: [], 4: [], 5: []}


def test_a_ruling_that_is_told_late_had_a_say_from_its_place_on_as_had_its_end() -> None:
    at = table({"type": "note", "text": "One."}, {"type": "note", "text": "Two."})
    assert at.when({**ruling(zero_is_injury=True), "after": "T2"}).error is None
    assert had_a_say(at) == {2: [], 3: [1], 4: []}
    assert at.when({"type": "ruling.end", "ruling": 1, "after": "T4"}).error is None
    assert had_a_say(at) == {2: [], 3: [], 4: [], 5: [1]}


@pytest.mark.parametrize("upto", [3, 4])
def test_at_an_earlier_point_nothing_later_supersedes(upto: int) -> None:
    at = table({"type": "note", "text": "One."}, ruling(zero_is_injury=True), ruling(zero_is_injury=False))
    assert remarks(at.log, upto=upto)[0].no_longer == (None if upto == 3 else "superseded by R2")


def test_no_ruling_holds_of_those_that_have_ended() -> None:
    rulings = [RulingInForce(1, "6.6", {"a": 1}), RulingInForce(2, "6.6", {"a": 2}, ended=True)]
    assert holdings(rulings) == {1: Holding({"a": 1})}
    assert holdings(reversed(rulings)) == {1: Holding({"a": 1})}


options = st.dictionaries(st.sampled_from(["zero_is_injury", "save_meets_dc"]), st.booleans(), max_size=2)
actions = st.one_of(
    options.map(lambda fields: ruling(**fields)),
    options.map(lambda fields: ruling(**fields)),
    st.integers(1, 8).flatmap(lambda place: options.map(lambda fields: {**ruling(**fields), "since": f"T{place}"})),
    st.fixed_dictionaries({"type": st.just("ruling.end"), "ruling": st.integers(1, 5)}),
    st.fixed_dictionaries({"type": st.just("undo"), "last": st.integers(1, 2)}),
    st.just({"type": "note", "text": "Meanwhile.", "rule": "6.6"}),
    st.integers(1, 8).map(lambda place: {"type": "note", "text": "Late.", "after": f"T{place}"}),
    st.integers(1, 8).flatmap(lambda place: options.map(lambda fields: {**ruling(**fields), "after": f"T{place}"})),
    st.fixed_dictionaries(
        {"type": st.just("ruling.end"), "ruling": st.integers(1, 5), "after": st.sampled_from(["T2", "T4"])}
    ),
)


@given(st.lists(actions, min_size=3, max_size=12))
def test_all_tell_the_same_and_the_options_are_what_the_holding_rulings_set(lines: list[dict[str, Any]]) -> None:
    at = Given("osr")
    for line in lines:
        settled = line["type"] in ("undo", "ruling") or "after" in line
        at.when({**line, **({"conflicts": "drop"} if settled else {})})
    state = at.handler.state()
    made = {
        fact.number: effective_turn
        for effective_turn in effective_turns(at.log)
        for fact in effective_turn.facts
        if isinstance(fact, RulingMade)
    }
    holding = {remark.ruling: remark for remark in remarks(at.log) if remark.ruling is not None}
    assert set(holding) == set(made)
    assert asked(at) == [
        (number, _number(holding[number].no_longer), holding[number].no_longer is None) for number in sorted(made)
    ]
    values = {name: known.default for name, known in options_of(at.system.options).items()}
    for number in sorted(holding):
        values |= holding[number].in_force
    assert values == {name: getattr(state.options, name) for name in values}
    ended = {
        fact.ruling
        for effective_turn in effective_turns(at.log)
        if effective_turn.standing
        for fact in effective_turn.facts
        if isinstance(fact, RulingEnded)
    }
    for number, remark in holding.items():
        later = {
            name
            for other in holding.values()
            if other.ruling is not None
            and other.ruling > number
            and made[other.ruling].standing
            and other.ruling not in ended
            for name in other.set
        }
        stands = made[number].standing and number not in ended
        assert set(remark.in_force) == (set(remark.set) - later if stands else set())
    then: dict[int, list[int]] = {}
    before: dict[int, Holding] = {}
    for effective_turn, after in steps(at.system, at.log):
        then[effective_turn.number] = sorted(number for number, holding in before.items() if holding.in_force)
        before = holdings(after.campaign.rulings)
    assert had_a_say(at) == {number: named for number, named in then.items() if number > 1}


def _number(no_longer: str | None) -> int | None:
    return int(no_longer.removeprefix("superseded by R")) if no_longer and no_longer.startswith("superseded") else None
