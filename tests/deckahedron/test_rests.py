"""Resting and effort (DH 18 to 23)."""

from typing import Any

import pytest

from domain.deckahedron.days import EffortSpent
from domain.deckahedron.rests import Rested
from tests.deckahedron.tables import act, brog, deck_of, enrol, override, scene, table
from tests.kit.given import Given

EXHAUSTED = ["10", "12", "15", "16", "17"]


def weary(harm: int = 2, wounds: int = 1, **options: Any) -> Given:
    return brog((), override(exhaustion=EXHAUSTED, harm=harm, wounds=wounds), **options)


# -- when


@pytest.mark.parametrize("where", ["combat", "travel"])
def test_18_no_rest_in_combat_or_on_the_road(where: str) -> None:
    weary().when(scene(where)).when(act("rest", hours=8)).refused("DH 18")


@pytest.mark.parametrize("where", ["camp", "haven"])
def test_18_camp_and_haven_are_fit_for_it(where: str) -> None:
    weary().when(scene(where)).when(act("rest", hours=8)).has("brog", harm=1)


def test_18_several_hours_are_four() -> None:
    weary().when(act("rest", hours=3)).refused("DH 18")
    weary().when(act("rest", hours=4)).has("brog", harm=1)


def test_18_by_ruling_they_are_another_number() -> None:
    weary(rest_hours=6).when(act("rest", hours=5)).refused("DH 18")
    weary(rest_hours=0).when(act("rest", hours=1)).has("brog", harm=1)


@pytest.mark.parametrize("hours", [0, 25, 2.5])
def test_18_hours_are_1_to_24(hours: object) -> None:
    weary().when(act("rest", hours=hours)).invalid("hours")


# -- what comes back


def test_19_to_22_one_harm_off_as_many_cards_stay_as_tokens_and_the_others_come_back() -> None:
    given = weary().when(act("rest", hours=8, kept=["17", "12"]))
    given.has("brog", harm=1, wounds=1, exhaustion=["12", "17"], deck_count=18, stamina_left=8)
    (rested,) = given.events
    assert isinstance(rested, Rested)
    assert rested.freed == ("10", "15", "16")


def test_21_what_stays_is_random_otherwise() -> None:
    kept = {tuple(weary_with(seed).sheet("brog")["exhaustion"]) for seed in range(20)}
    assert len(kept) > 3


def weary_with(seed: int) -> Given:
    return table(enrol(), override(exhaustion=EXHAUSTED, harm=2, wounds=1), act("rest", hours=8), seed=seed)


@pytest.mark.parametrize("kept", [["10"], ["10", "12", "15"], ["10", "10"], ["10", "3"], ["10", "99"], []])
def test_21_choosing_another_number_or_other_cards_is_refused(kept: list[str]) -> None:
    weary().when(act("rest", hours=8, kept=kept)).refused("DH 21")


def test_21_all_cards_stay_if_there_are_fewer() -> None:
    given = brog((), override(exhaustion=["10"], harm=2, wounds=2), act("rest", hours=8))
    given.has("brog", exhaustion=["10"], harm=1, wounds=2, deck_count=19)


def test_22_the_others_are_shuffled_into_the_deck_alone() -> None:
    given = brog(("3",), act("flip", attribute="strength"), override(exhaustion=EXHAUSTED, harm=1))
    order = sorted((*deck_of(given), *EXHAUSTED))
    given.when(act("rest", hours=8, shuffled=order)).has("brog", discard=["3"], exhaustion=[], harm=0)
    assert deck_of(given) == tuple(order)


def test_22_an_order_that_is_not_the_new_deck_is_refused() -> None:
    given = weary(harm=1, wounds=0)
    given.when(act("rest", hours=8, shuffled=list(deck_of(given)))).refused("DH 22")


def test_22_by_ruling_they_go_to_the_discard_pile() -> None:
    given = weary(rested_to="discard")
    given.when(act("rest", hours=8, kept=["17", "12"], shuffled=["1"])).refused("DH 22")
    given.when(act("rest", hours=8, kept=["17", "12"])).has("brog", discard=["10", "15", "16"], deck_count=15)


def test_a_rest_with_nothing_to_remove_still_stands() -> None:
    given = brog().when(act("rest", hours=8)).has("brog", harm=0, exhaustion=[], deck_count=20)
    assert len(given.events) == 1


def test_19_wounds_stay_over_a_rest() -> None:
    weary(harm=0, wounds=2).when(act("rest", hours=8)).has("brog", wounds=2, harm=0)


# -- effort


def test_23_hours_go_into_effort() -> None:
    brog().when(act("effort", what="the old tongue", hours=5)).then(EffortSpent("brog", "the old tongue", 5))


def test_23_the_hours_of_one_day_are_24() -> None:
    given = brog((), act("rest", hours=8, day=3))
    given.when(act("effort", what="study", hours=17, day=3)).refused("DH 23")
    given.when(act("effort", what="study", hours=16, day=3)).when(act("effort", what="more", hours=1, day=3))
    given.refused("DH 23", "no hours left")
    given.when(act("rest", hours=4, day=3)).refused("DH 23")
    given.when(act("rest", hours=4, day=4)).has("brog", harm=0)


def test_23_hours_without_a_day_are_not_counted() -> None:
    given = brog((), act("rest", hours=24, day=3))
    given.when(act("effort", what="study", hours=24)).then(EffortSpent("brog", "study", 24))


def test_23_each_character_has_hours_of_their_own() -> None:
    given = table(enrol(), enrol("Orik"), act("rest", hours=24, day=1))
    given.when(act("effort", "Orik", what="study", hours=24, day=1)).then(EffortSpent("Orik", "study", 24, 1))


def test_23_an_undone_rest_gives_its_hours_back() -> None:
    given = brog((), act("rest", hours=20, day=1)).when({"type": "undo"})
    given.when(act("effort", what="study", hours=24, day=1)).then(EffortSpent("brog", "study", 24, 1))


@pytest.mark.parametrize("wrong", [{"hours": 0}, {"hours": 25}, {"day": -1}, {"day": "one"}, {"what": 3}])
def test_malformed_effort_is_invalid(wrong: dict[str, Any]) -> None:
    brog().when(act("effort", **{"what": "study", "hours": 2, **wrong})).invalid()
