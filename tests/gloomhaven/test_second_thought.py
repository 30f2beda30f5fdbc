"""The second thought at a short rest: see the lost card, then keep it for 1 damage and lose another (GH 81).

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from itertools import product
from typing import Any

import pytest

from domain.gloomhaven.damage import Damaged
from domain.gloomhaven.facts import Named
from domain.gloomhaven.piles import CardsLost, CardsReturned
from domain.gloomhaven.recovering import Recover
from domain.gloomhaven.rests import RerollRest, ShortRest, ShortRestReconsidered, ShortRestRedrawn
from domain.gloomhaven.rounds import BeginRound
from projections.secrecy import sheet_for
from tests.gloomhaven.tables import cleaned_up, piles
from tests.kit.given import Given

ROAR, CLEAVE, TRAMPLE = Named(4, "Provoking Roar"), Named(9, "Leaping Cleave"), Named(1, "Trample")


def again(**fields: Any) -> dict[str, Any]:
    return {"type": "gloomhaven.reroll_rest", "character": "brog", **fields}


def rested(hand: str = "2 3", discard: str = "1 4 9", drawn: int = 4, **fields: Any) -> Given:
    return cleaned_up().and_given(piles(hand, discard, **fields), ShortRest(character="brog", drawn=drawn))


def test_81_the_lost_card_is_kept_for_1_damage_and_another_lost() -> None:
    table = rested().when(again(redrawn=9))
    table.then(
        ShortRestReconsidered("brog", ROAR, (1, 4, 9)), Damaged("brog", 1, 1, None, 9, "the re-roll", False),
        ShortRestRedrawn("brog", CLEAVE), CardsLost("brog", (CLEAVE,)), CardsReturned("brog", (TRAMPLE, ROAR)),
    )  # fmt: skip
    table.has("brog", hp=9, hand=[1, 2, 3, 4], discard=[])
    assert "".join(table.events[0].sentence()) == "Brog thinks again and keeps Provoking Roar for 1 damage."


WAYS: tuple[dict[str, Any], ...] = ({}, {"lose_hand": 2}, {"lose_discard": (1, 5)})


@pytest.mark.parametrize(("hp", "way"), tuple(product((10, 1), WAYS)))
def test_81_it_comes_to_what_the_rest_with_a_re_roll_comes_to(hp: int, way: dict[str, Any]) -> None:
    fields = {"redrawn": 9, **way}
    at_once = cleaned_up().and_given(
        piles("2 3", "1 4 5 9", hp=hp), ShortRest(character="brog", drawn=4, reroll=True, **fields)
    )
    after = rested("2 3", "1 4 5 9", hp=hp).and_given(RerollRest(character="brog", **fields))
    assert after.sheet("brog") == at_once.sheet("brog")


def test_81_once_for_each_rest() -> None:
    rested().and_given(RerollRest(character="brog", redrawn=9)).when(again()).refused("GH 81", "already")
    table = cleaned_up().and_given(piles("2 3", "1 4 9"), ShortRest(character="brog", drawn=4, reroll=True))
    table.when(again()).refused("GH 81", "already")


def test_81_in_the_cleanup_of_a_rest_only() -> None:
    cleaned_up().when(again()).refused("GH 81", "no short rest in this cleanup")
    rested().and_given(BeginRound()).when(again()).refused("GH 81", "in the cleanup")


def test_81_not_for_a_card_that_is_back_already() -> None:
    table = rested().and_given(Recover(character="brog", cards=(4,), kind="lost", up_to=1))
    table.when(again()).refused("GH 81", "not lost any more")


def test_81_the_card_that_was_kept_pays_for_nothing() -> None:
    rested().when(again(lose_hand=4)).refused("GH 81", "pays for nothing")
    rested().when(again(redrawn=4)).refused("GH 81")


def test_a_short_rest_says_that_it_is_open_until_it_is_settled() -> None:
    table = rested()
    (matter,) = table.system.pending_for(table.handler.state(), "brog")
    assert matter.why == "Brog may still keep Provoking Roar for 1 damage."
    assert [way.action for way in matter.choices] == [RerollRest]
    table.and_given(RerollRest(character="brog"))
    assert not table.system.pending_for(table.handler.state(), "brog")


def test_the_others_see_what_a_rest_shows_anyway() -> None:
    table = rested().and_given(RerollRest(character="brog", redrawn=9))
    state = table.handler.state()
    sheet = sheet_for(table.system, state, "brog", "ben")
    assert (sheet["hand"], sheet["lost"]) == (4, [5, 6, 7, 8, 9, 10])
