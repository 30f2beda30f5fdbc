"""Damage, what shields and bonuses take off it, the choice that is left, healing, conditions."""

from typing import Any

import pytest

from domain.common.revisions import Undo
from domain.common.sheets import SheetCheck
from domain.gloomhaven.bonuses import TokenMoved
from domain.gloomhaven.conditions import ConditionGained, ConditionLost, SetCondition
from domain.gloomhaven.damage import Damage, Damaged, Retaliated, Shielded, Shielding
from domain.gloomhaven.facts import Named
from domain.gloomhaven.healing import Heal, Healed
from domain.gloomhaven.items import ItemUsed, UseItem
from domain.gloomhaven.joining import Enrol
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.piles import CardsLost
from domain.gloomhaven.rounds import Reveal, Select
from projections.chronicle import cited_by
from tests.gloomhaven.tables import brog, cleaned_up, on_turn, piles, playing, resting, selecting, sheet, spell, tinker
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


def test_2_damage_lowers_the_hit_points() -> None:
    table = playing().when(damage(3, source="a trap", attack=False))
    table.then(Damaged("brog", 3, 3, None, 7, "a trap", False)).has("brog", hp=7)


def test_damage_is_possible_in_any_phase() -> None:
    for table in (Given("gloomhaven", brog()), playing(), selecting(), on_turn(), cleaned_up()):
        table.and_given(Damage(character="brog", amount=1)).has("brog", hp=9)


def test_2_hit_points_do_not_fall_below_0() -> None:
    table = playing().and_given(Damage(character="brog", amount=99))
    table.has("brog", hp=0, exhausted=True)


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


def test_1_cards_are_not_lost_for_nothing() -> None:
    playing().when(damage(0, lose_hand=2)).refused("GH 1")
    warded().when(damage(1, lose_hand=2)).refused("GH 1", "no damage left")
    frosted().when(damage(4, "spell", lose_hand=62)).refused("GH 1")


def test_5_effects_take_hold_though_the_damage_is_negated() -> None:
    table = playing().when(damage(3, effects=["wound", "poison"], lose_hand=2))
    table.then_some(ConditionGained("brog", "wound"), ConditionGained("brog", "poison"))
    table.has("brog", hp=10, conditions=["poison", "wound"])
    table = frosted().and_given(Damage(character="spell", amount=3, effects=("stun",)))
    table.has("spell", hp=6, conditions=["stun"])
    warded().and_given(Damage(character="brog", amount=1, effects=("muddle",))).has("brog", conditions=["muddle"])


# -- shields -----------------------------------------------------------------------------------------------


def test_31_a_shield_takes_its_value_off_an_attack() -> None:
    warded().and_given(Damage(character="brog", amount=3)).has("brog", hp=8)
    warded().and_given(Damage(character="brog", amount=1)).has("brog", hp=10)


def test_32_shields_add_up_with_those_of_items() -> None:
    hand = (13, 7, 2, 3, 4, 5, 6, 8, 9, 10)
    table = on_turn(13, 7, brog(hand=hand))
    table.and_given(Perform(character="brog", card=13, half="top"), Perform(character="brog", card=7, half="bottom"))
    table.and_given(Damage(character="brog", amount=6, item_shield=1)).has("brog", hp=8)


def test_33_shields_count_against_attacks_only() -> None:
    table = warded().and_given(Damage(character="brog", amount=2, attack=False, item_shield=5)).has("brog", hp=8)
    assert table.sheet("brog")["active"][0]["token"] == 0


def test_23_attacked_moves_the_token_even_when_nothing_is_left() -> None:
    table = warded().when(damage(0))
    table.then(TokenMoved("brog", Named(7, "Warding Strength"), 1, 0, 0), Damaged("brog", 0, 0, None, 10, None, True))


def test_24_66_the_token_gives_experience_off_its_slots_and_the_card_is_lost_after_the_last() -> None:
    table, seen = warded(), []
    for _ in range(6):
        table.and_given(Damage(character="brog", amount=1))
        active = table.sheet("brog")["active"]
        seen.append((active[0]["token"] if active else None, table.sheet("brog")["xp"]))
    assert seen == [(1, 0), (2, 1), (3, 1), (4, 2), (5, 2), (None, 3)]
    table.has("brog", lost=[7], hp=10).and_given(Damage(character="brog", amount=1)).has("brog", hp=9)


def test_66_slot_experience_counts_even_when_the_same_damage_exhausts() -> None:
    table = warded().and_given(Damage(character="brog", amount=1), sheet(hp=1))
    table.and_given(Damage(character="brog", amount=2)).has("brog", xp=1, exhausted=True)


# -- items that must be used -------------------------------------------------------------------------------


def test_20_hide_armor_must_be_used_while_a_circle_is_free() -> None:
    table = playing(brog(items=(3,)))
    table.when(damage(2)).refused("GH 20", "must use Hide Armor")
    table.and_given(Damage(character="brog", amount=2, attack=False)).has("brog", hp=8)
    table.and_given(UseItem(character="brog", item=3), Damage(character="brog", amount=2, item_shield=1))
    table.has("brog", hp=7).when(damage(2)).refused("GH 20")
    table.and_given(UseItem(character="brog", item=3), Damage(character="brog", amount=2, item_shield=1))
    table.has("brog", hp=6).and_given(Damage(character="brog", amount=2)).has("brog", hp=4)


def test_25_hide_armor_is_asked_for_when_shields_leave_nothing() -> None:
    table = on_turn(7, 1, brog(items=(3,))).and_given(Perform(character="brog", card=7, half="bottom"))
    table.when(damage(1)).refused("GH 20")
    assert table.when(damage(1, item_shield=1)).events


# -- bonuses that negate -----------------------------------------------------------------------------------


def test_27_frost_armor_is_not_spent_on_an_attack_brought_to_0() -> None:
    table = frosted().and_given(Damage(character="spell", amount=1, item_shield=1))
    assert table.sheet("spell")["active"][0]["token"] == 0


def test_25_frost_armor_is_used_before_any_choice() -> None:
    table = frosted().when(damage(1, "spell", attack=False))
    table.then_some(Damaged("spell", 1, 1, "bonus", 6, None, False))


def test_25_a_bonus_that_damage_moves_is_not_moved_by_what_another_negates() -> None:
    facts = tinker()
    facts["cards"][0]["top"] = {"active": "persistent", "slots": [0, 0, 0], "advances_on": "damaged"}
    negates = {"active": "persistent", "lost": True, "slots": [0], "advances_on": "damaged", "negates_damage": True}
    facts["cards"][1]["bottom"] = negates
    ada = Enrol(character="ada", class_="tinkerer", class_data=facts, hand=(201, 202))
    table = selecting(ada).and_given(Select(character="ada", lead=201, second=202), Reveal())
    table.and_given(Perform(character="ada", card=201, half="top"), Perform(character="ada", card=202, half="bottom"))
    table.and_given(Damage(character="ada", amount=3)).has("ada", hp=8, lost=[202])
    assert [(bonus["card"], bonus["token"]) for bonus in table.sheet("ada")["active"]] == [(201, 0)]
    table.and_given(Damage(character="ada", amount=3)).has("ada", hp=5)
    assert [(bonus["card"], bonus["token"]) for bonus in table.sheet("ada")["active"]] == [(201, 1)]


def test_frost_armor_lent_to_an_ally_serves_both() -> None:
    table = selecting(spell(), brog()).and_given(Select(character="spell", lead=66, second=61))
    table.and_given(Select(character="brog", lead=6, second=1), Reveal())
    table.and_given(Perform(character="spell", card=66, half="bottom", beneficiaries=("BROG",)))
    lent = table.sheet("brog")["active"]
    assert [(bonus["card"], bonus["lent_by"]) for bonus in lent] == [(66, "spell")]
    assert "beneficiaries" not in table.sheet("spell")["active"][0]
    table.and_given(Damage(character="brog", amount=5)).has("brog", hp=10).has("spell", xp=1)
    table.and_given(Damage(character="spell", amount=5)).has("spell", hp=6, xp=2, lost=[66])
    table.has("brog", active=[])


def test_a_shield_lent_to_an_ally_ends_with_its_card() -> None:
    table = on_turn(8, 1, brog(), spell())
    table.and_given(Perform(character="brog", card=8, half="bottom", beneficiaries=("spell",)))
    table.and_given(Damage(character="spell", amount=2)).has("spell", hp=5)
    assert table.when({"type": "gloomhaven.put_away", "character": "brog", "card": 8}).events
    table.has("spell", active=[]).and_given(Damage(character="spell", amount=2)).has("spell", hp=3)


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


def test_34_also_when_the_damage_was_negated() -> None:
    retaliating().when(damage(1, lose_hand=6)).then_some(Retaliated("brog", 2, None))


def test_36_retaliate_comes_after_the_attack() -> None:
    assert isinstance(retaliating().when(damage(1)).events[-1], Retaliated)


def test_35_a_range_reaches_farther() -> None:
    table = on_turn(2, 1).and_given(Perform(character="brog", card=2, half="top", range=3))
    table.when(damage(0, distance=3)).then_some(Retaliated("brog", 2, None))
    table.when(damage(0, distance=4)).quiet_about(Retaliated)


def test_38_retaliation_adds_up() -> None:
    table = on_turn(13, 2, brog(hand=(13, 2, 1, 3, 4, 5, 6, 7, 8, 9)))
    table.and_given(Perform(character="brog", card=13, half="top"))
    table.and_given(Perform(character="brog", card=2, half="bottom", active="round", retaliate=1))
    table.when(damage(0)).then_some(Retaliated("brog", 3, None))


def test_37_the_exhausted_do_not_retaliate() -> None:
    retaliating().when(damage(10)).quiet_about(Retaliated)


# -- healing and conditions --------------------------------------------------------------------------------


def heal(amount: int = 3) -> Heal:
    return Heal(character="brog", amount=amount)


def test_7_8_a_heal_stops_at_the_maximum() -> None:
    playing().and_given(sheet(hp=5)).when(heal()).then(Healed("brog", 3, 8, (), None, 3))
    playing().and_given(sheet(hp=9), heal()).has("brog", hp=10)


@pytest.mark.parametrize(
    ("conditions", "hp", "left"),
    [(["poison"], 5, []), (["wound"], 8, []), (["poison", "wound"], 5, []), (["stun", "poison"], 5, ["stun"])],
)
def test_heals_and_poison_and_wounds(conditions: list[str], hp: int, left: list[str]) -> None:
    playing().and_given(sheet(hp=5, conditions=conditions), heal()).has("brog", hp=hp, conditions=left)


def test_a_condition_gained_twice_is_one() -> None:
    table = playing().and_given(SetCondition(character="brog", condition="stun"))
    table.and_given(SetCondition(character="brog", condition="stun")).has("brog", conditions=["stun"])
    table.when(SetCondition(character="brog", condition="stun", gained=False)).then(ConditionLost("brog", "stun"))
    table.has("brog", conditions=[])
    table.and_given(SetCondition(character="brog", condition="stun", gained=False)).has("brog", conditions=[])


def test_conditions_are_shown_in_alphabetical_order() -> None:
    table = playing()
    for condition in ("strengthen", "bless", "curse", "poison"):
        assert table.when({"type": "gloomhaven.condition", "character": "brog", "condition": condition}).events
    table.has("brog", conditions=["bless", "curse", "poison", "strengthen"])


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


def test_31_without_a_shield_nothing_is_said_of_one() -> None:
    table = playing().when(damage(4))
    table.quiet_about(Shielded)
    assert not {"GH 3", "GH 4", "GH 31"} & cited(table)
    warded().when(damage(4, attack=False)).quiet_about(Shielded)


def test_3_4_what_negates_says_by_which_rule() -> None:
    assert "GH 3" in cited(playing().when(damage(3, lose_hand=2)))
    table = playing().and_given(piles("2 3", "1 4 9")).when(damage(3, lose_discard=[1, 4]))
    assert "GH 4" in cited(table)
    assert "GH 3" not in cited(table)


def test_19_an_item_is_used_in_the_blow_by_its_own_data() -> None:
    table = playing(brog(items=(3,))).when(damage(4, items=["hide armor"]))
    table.then(
        ItemUsed("brog", Named(3, "Hide Armor"), "ready", 1),
        Shielded("brog", (Shielding(1, "Hide Armor"),), 4, 3),
        Damaged("brog", 4, 3, None, 7, None, True),
    )
    table.and_given(Damage(character="brog", amount=1, items=(3,)))
    table.has("brog", hp=7, items={"ready": [], "spent": [3], "consumed": [], "circles_used": {}})
    table.when(damage(4, items=[3])).refused("GH 15", "is spent")


def test_20_an_item_of_circles_is_not_asked_for_where_it_is_named() -> None:
    table = playing(brog(items=(3,)))
    table.when(damage(4)).refused("GH 20", "must use Hide Armor")
    assert table.when(damage(4, items=[3])).events


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


def test_a_use_in_the_blow_is_one_turn_to_undo() -> None:
    table = playing(brog(items=(3,)))
    before = table.sheet("brog")
    table.and_given(Damage(character="brog", amount=4, items=(3,)), Undo())
    assert table.sheet("brog") == before


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
