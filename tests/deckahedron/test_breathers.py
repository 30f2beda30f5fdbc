"""Taking a breather (DH 10 to 15).

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from typing import Any

import pytest

from domain.deckahedron.breathers import BreatherTaken
from domain.deckahedron.stamina import WoundCardBit
from tests.deckahedron.tables import act, deck_of, enrol, override, scene, table
from tests.kit.given import Given

EXHAUSTED = ["10", "12", "15", "16", "17"]


def in_combat(exhausted: list[str] = EXHAUSTED, **options: Any) -> Given:
    """Brog (Dexterity and Intelligence 3) in a fight, with these cards in the exhaustion pile."""
    return table(enrol(), override(exhaustion=exhausted), scene("combat"), options=options)


def breather(**fields: Any) -> dict[str, Any]:
    return act("breather", **{"attribute": "intelligence", **fields})


# -- when and how


@pytest.mark.parametrize("where", ["camp", "travel", "haven"])
def test_10_out_of_combat_there_is_no_breather(where: str) -> None:
    in_combat().when(scene(where)).when(breather()).refused("DH 10")


def test_an_unknown_attribute_is_invalid() -> None:
    in_combat().when(breather(attribute="luck")).invalid()


@pytest.mark.parametrize("flipped", [[], ["3", "0"], ["10"], ["99"]])
def test_one_card_is_flipped(flipped: list[str]) -> None:
    in_combat().when(breather(flipped=flipped)).refused("DH 1")


# -- the four outcomes


def test_12_two_ticks_bring_back_a_d4_and_the_foe_stays() -> None:
    given = in_combat().when(breather(flipped=["1"], rolled=3, regained=["12", "17", "10"]))  # 1 at rank 3 shows ✔✔
    given.has("brog", exhaustion=["15", "16"], discard=["1", "12", "17", "10"]).table_has(foe_superior=False)
    assert given.sentences.endswith("Brog takes a breather, rolls 3 and regains 3 Stamina: 12, 17 and 10.")


def test_13_one_tick_brings_back_a_d4_and_the_foe_moves() -> None:
    given = in_combat().when(breather(flipped=["3"], rolled=2, regained=["12", "17"]))
    given.has("brog", exhaustion=["10", "15", "16"], discard=["3", "12", "17"]).table_has(foe_superior=True)
    assert "superior position" in given.sentences


def test_14_a_cross_brings_back_exactly_one_and_the_foe_moves() -> None:
    given = in_combat().when(breather(flipped=["7"], regained=["16"]))  # 7 at rank 3 shows ✗
    given.has("brog", exhaustion=["10", "12", "15", "17"], discard=["7", "16"]).table_has(foe_superior=True)


def test_15_two_crosses_bring_back_nothing_and_the_foe_moves() -> None:
    given = in_combat().when(breather(flipped=["0"]))
    given.has("brog", exhaustion=EXHAUSTED, discard=["0"]).table_has(foe_superior=True)
    assert given.sentences.endswith("regains no Stamina; the foe moves to a superior position.")


# -- what may not be reported


@pytest.mark.parametrize("die", [0, 5, -1])
def test_12_a_d4_shows_1_to_4(die: int) -> None:
    in_combat().when(breather(flipped=["1"], rolled=die)).refused("DH 12")


# -- by ruling, and with a Wound card


def test_12_by_ruling_the_cards_regained_are_shuffled_into_the_deck() -> None:
    given = in_combat(regained_to="deck")
    order = [card for card in reversed(deck_of(given)) if card != "1"]
    given.when(breather(flipped=["1"], rolled=1, regained=["12"], shuffled=["12", *order]))
    given.has("brog", discard=["1"], exhaustion=["10", "15", "16", "17"], deck_count=15)
    assert deck_of(given) == ("12", *order)
    given.when(breather(flipped=["7"], regained=["10"], shuffled=order)).refused("DH 14")


def test_26_a_wound_card_bites_after_the_outcome_of_the_breather() -> None:
    given = table(enrol(top=("10",)), act("wound", what="a cut"), override(discard=[]), scene("combat"))
    given.when(breather(flipped=["w1", "0", "12"], regained=["10"]))  # w1 at rank 3 shows ✗
    kinds = [type(event) for event in given.events]
    assert kinds.index(BreatherTaken) < kinds.index(WoundCardBit)
    given.has("brog", exhaustion=["12"], discard=["w1", "10", "0"]).table_has(foe_superior=True)
