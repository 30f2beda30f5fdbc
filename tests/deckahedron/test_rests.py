"""Resting and effort (DH 18 to 23).

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from typing import Any

import pytest

from tests.deckahedron.tables import act, brog, deck_of, override, scene
from tests.kit.given import Given

EXHAUSTED = ["10", "12", "15", "16", "17"]


def weary(harm: int = 2, wounds: int = 1, **options: Any) -> Given:
    return brog((), override(exhaustion=EXHAUSTED, harm=harm, wounds=wounds), **options)


# -- when


@pytest.mark.parametrize("where", ["combat", "travel"])
def test_18_no_rest_in_combat_or_on_the_road(where: str) -> None:
    weary().when(scene(where)).when(act("rest", hours=8)).refused("DH 18")


def test_18_several_hours_are_four() -> None:
    weary().when(act("rest", hours=3)).refused("DH 18")
    weary().when(act("rest", hours=4)).has("brog", harm=1)


@pytest.mark.parametrize("hours", [0, 25, 2.5])
def test_18_hours_are_1_to_24(hours: object) -> None:
    weary().when(act("rest", hours=hours)).invalid("hours")


# -- what comes back


@pytest.mark.parametrize("kept", [["10"], ["10", "12", "15"], ["10", "10"], ["10", "3"], ["10", "99"], []])
def test_21_choosing_another_number_or_other_cards_is_refused(kept: list[str]) -> None:
    weary().when(act("rest", hours=8, kept=kept)).refused("DH 21")


def test_22_an_order_that_is_not_the_new_deck_is_refused() -> None:
    given = weary(harm=1, wounds=0)
    given.when(act("rest", hours=8, shuffled=list(deck_of(given)))).refused("DH 22")


# -- effort


def test_23_the_hours_of_one_day_are_24() -> None:
    given = brog((), act("rest", hours=8, day=3))
    given.when(act("effort", what="study", hours=17, day=3)).refused("DH 23")
    given.when(act("effort", what="study", hours=16, day=3)).when(act("effort", what="more", hours=1, day=3))
    given.refused("DH 23", "no hours left")
    given.when(act("rest", hours=4, day=3)).refused("DH 23")
    given.when(act("rest", hours=4, day=4)).has("brog", harm=0)


@pytest.mark.parametrize("wrong", [{"hours": 0}, {"hours": 25}, {"day": -1}, {"day": "one"}, {"what": 3}])
def test_malformed_effort_is_invalid(wrong: dict[str, Any]) -> None:
    brog().when(act("effort", **{"what": "study", "hours": 2, **wrong})).invalid()
