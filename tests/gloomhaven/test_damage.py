"""Damage, what shields and bonuses take off it, the choice that is left, healing, conditions.

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from typing import Any

import pytest

from domain.common.sheets import SheetCheck
from domain.gloomhaven.damage import Damage, Damaged, Retaliated, Shielded, Shielding
from domain.gloomhaven.facts import Named
from domain.gloomhaven.healing import Heal
from domain.gloomhaven.items import UseItem
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.piles import CardsLost
from domain.gloomhaven.rounds import Reveal, Select
from domain.system.paragraphs import cited_by
from tests.gloomhaven.tables import brog, on_turn, piles, playing, resting, selecting, sheet, spell
from tests.kit.given import Given, unchanged


def damage(amount: int, character: str = "brog", **fields: Any) -> dict[str, Any]:
    return {"type": "gloomhaven.damage", "character": character, "amount": amount, **fields}


def warded(**options: Any) -> Given:
    """Warding Strength is active: Shield 1, six slots."""
    return on_turn(7, 1, **options).and_given(Perform(character="brog", card=7, half="bottom"))


def frosted(*more: Any) -> Given:
    """Frost Armor is active."""
    table = selecting(spell(), *more).and_given(Select(character="spell", lead=66, second=61))
    if more:
        table.and_given(Select(character="brog", lead=6, second=1))
    return table.and_given(Reveal(), Perform(character="spell", card=66, half="bottom"))


# -- the choice --------------------------------------------------------------------------------------------


def test_3_one_card_of_the_hand_negates() -> None:
    table = playing().when(damage(9, lose_hand="grab and go"))
    table.then(
        Damaged("brog", 9, 9, "cards", 10, None, True, "hand"),
        CardsLost("brog", (Named(6, "Grab and Go"),), "to negate it"),
    )
    table.has("brog", hp=10, lost=[6])


@pytest.mark.parametrize(
    ("pay", "rule"),
    [
        ({"lose_hand": 4}, "GH 3"),
        ({"lose_hand": 10}, "GH 3"),
        ({"lose_hand": 7}, "GH 3"),
        ({"lose_hand": 61}, None),
        ({"lose_discard": [4]}, "GH 4"),
        ({"lose_discard": [4, 4]}, "GH 4"),
        ({"lose_discard": [4, "provoking roar"]}, "GH 4"),
        ({"lose_discard": [1, 4, 9]}, "GH 4"),
        ({"lose_discard": [4, 2]}, "GH 4"),
        ({"lose_discard": [4, 7]}, "GH 4"),
        ({"lose_discard": [4, 10]}, "GH 4"),
        ({"lose_hand": 2, "lose_discard": [1, 4]}, "GH 4"),
        ({"lose_hand": 2, "lose_discard": [1]}, "GH 4"),
        ({"lose_hand": 5}, "GH 6"),
        ({"lose_discard": [5, 4]}, "GH 6"),
    ],
)
def test_3_4_6_nothing_else_negates(pay: dict[str, Any], rule: str | None) -> None:
    active = [{"card": 7, "half": "bottom", "kind": "persistent", "counts_as": "discarded"}]
    table = selecting().and_given(piles("2 3", "1 4 9", selected=[5, 6], active=active))
    with unchanged(table):
        table.when(damage(5, **pay)).refused(rule)


def test_an_active_card_says_how_it_could_pay() -> None:
    warded().when(damage(5, lose_hand=7)).refused("GH 3", "until it is put away")


@pytest.mark.parametrize("fields", [{"amount": -1}, {"lose_discard": []}, {"effects": []}, {"effects": ["fear"]},
                                    {"distance": 0}, {"item_shield": -1}, {"lose_hand": True}])  # fmt: skip
def test_invalid_damage(fields: dict[str, Any]) -> None:
    playing().when({**damage(1), **fields}).invalid()


# -- items that must be used -------------------------------------------------------------------------------


def test_20_hide_armor_must_be_used_while_a_circle_is_free() -> None:
    table = playing(brog(items=(3,)))
    table.when(damage(2)).refused("GH 20", "must use Hide Armor")
    table.and_given(Damage(character="brog", amount=2, attack=False)).has("brog", hp=8)
    table.and_given(UseItem(character="brog", item=3), Damage(character="brog", amount=2, item_shield=1))
    table.has("brog", hp=7).when(damage(2)).refused("GH 20")
    table.and_given(UseItem(character="brog", item=3), Damage(character="brog", amount=2, item_shield=1))
    table.has("brog", hp=6).and_given(Damage(character="brog", amount=2)).has("brog", hp=4)


# -- bonuses that negate -----------------------------------------------------------------------------------


def test_27_frost_armor_is_not_spent_on_an_attack_brought_to_0() -> None:
    table = frosted().and_given(Damage(character="spell", amount=1, item_shield=1))
    assert table.sheet("spell")["active"][0]["token"] == 0


def test_25_frost_armor_is_used_before_any_choice() -> None:
    table = frosted().when(damage(1, "spell", attack=False))
    table.then_some(Damaged("spell", 1, 1, "bonus", 6, None, False))


def test_a_check_finds_the_turn_that_moved_a_lent_bonus() -> None:
    table = on_turn(7, 1, brog(), spell())
    table.and_given(Perform(character="brog", card=7, half="bottom", beneficiaries=("spell",)))
    lent = table.sheet("spell")["active"]
    table.and_given(Damage(character="brog", amount=1))
    turn = table.log.last()
    table.when(SheetCheck(character="spell", expect={"active": lent})).refused(None, f"last changed at T{turn}")


# -- retaliate ---------------------------------------------------------------------------------------------


def retaliating() -> Given:
    return on_turn(2, 1).and_given(Perform(character="brog", card=2, half="top"))


def test_34_retaliate_strikes_adjacent_attackers_back() -> None:
    retaliating().when(damage(1, source="Guard")).then_some(Retaliated("brog", 2, "Guard"))
    retaliating().when(damage(1, distance=2)).quiet_about(Retaliated)
    retaliating().when(damage(1, attack=False)).quiet_about(Retaliated)


def test_35_a_range_reaches_farther() -> None:
    table = on_turn(2, 1).and_given(Perform(character="brog", card=2, half="top", range=3))
    table.when(damage(0, distance=3)).then_some(Retaliated("brog", 2, None))
    table.when(damage(0, distance=4)).quiet_about(Retaliated)


# -- healing and conditions --------------------------------------------------------------------------------


def heal(amount: int = 3) -> Heal:
    return Heal(character="brog", amount=amount)


@pytest.mark.parametrize(
    ("conditions", "hp", "left"),
    [(["poison"], 5, []), (["wound"], 8, []), (["poison", "wound"], 5, []), (["stun", "poison"], 5, ["stun"])],
)
def test_heals_and_poison_and_wounds(conditions: list[str], hp: int, left: list[str]) -> None:
    playing().and_given(sheet(hp=5, conditions=conditions), heal()).has("brog", hp=hp, conditions=left)


def test_invalid_heals_and_conditions() -> None:
    playing().when({"type": "gloomhaven.heal", "character": "brog", "amount": 0}).invalid()
    playing().when({"type": "gloomhaven.condition", "character": "brog", "condition": "fear"}).invalid()


# -- shields and items in the blow -------------------------------------------------------------------------


def cited(table: Given) -> set[str]:
    return {rule for event in table.events for rule in cited_by(table.system, event)}


def test_32_every_shield_is_told_with_what_gives_it() -> None:
    table = warded().when(damage(4, item_shield=1))
    table.then_some(Shielded("brog", (Shielding(1, "Warding Strength"), Shielding(1)), 4, 2))
    assert "".join(table.events[0].sentence()) == "Warding Strength (1) and an item (1) shield Brog: 4 becomes 2."
    assert {"GH 31", "GH 32"} <= cited(table)


def test_3_4_what_negates_says_by_which_rule() -> None:
    assert "GH 3" in cited(playing().when(damage(3, lose_hand=2)))
    table = playing().and_given(piles("2 3", "1 4 9")).when(damage(3, lose_discard=[1, 4]))
    assert "GH 4" in cited(table)
    assert "GH 3" not in cited(table)


def test_15_16_items_in_the_blow_keep_every_rule_of_their_use() -> None:
    table = playing(brog(items=(6, 8)))
    with unchanged(table):
        table.when(damage(4, items=[12])).refused("GH 15", "does not own")
        table.when(damage(4, attack=False, items=[6])).refused("GH 16", "this damage does not come from an attack")
        table.when(damage(4, items=[8, 8])).refused("GH 15")
    table = playing(brog(items=(3,)))
    with unchanged(table):
        table.when(damage(4, items=[3, 3])).refused("GH 19", "named twice")
        table.when(damage(4, attack=False, items=[3])).refused("GH 33", "against attacks only")
        table.when(damage(1, items=[3], lose_hand=1)).refused("GH 1")


def test_9_10_63_84_who_did_it_is_cited() -> None:
    assert "GH 9" in cited(playing().when(damage(99)))
    table = playing().and_given(piles("1", "2")).when({"type": "gloomhaven.begin_round"})
    assert "GH 10" in cited(table)
    assert "GH 9" not in cited(table)
    table = on_turn(9, 1).when(Perform(character="brog", card=9, half="top"))
    assert "GH 63" in cited(table)
    assert "GH 63" not in cited(on_turn(9, 1).when(Perform(character="brog", card=9, half="bottom")))
    table = resting().when({"type": "gloomhaven.long_rest", "character": "brog", "lose": 1})
    assert {"GH 84", "GH 85", "GH 86"} <= cited(table)


def test_a_heal_says_that_neither_condition_is_left() -> None:
    table = playing().and_given(Damage(character="brog", amount=1, effects=("poison", "wound")))
    (healed,) = table.when({"type": "gloomhaven.heal", "character": "brog", "amount": 2}).events
    assert healed.sentence() == ("Brog is healed and is no longer poisoned or wounded, nothing more.",)
