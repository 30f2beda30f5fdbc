"""Items and money: using, refreshing, looting, buying, selling.

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from typing import Any, Literal

import msgspec
import pytest

from domain.common.revisions import Undo
from domain.gloomhaven.attacks import Attack, DrawModifier
from domain.gloomhaven.facts import Named, PrintedItem
from domain.gloomhaven.items import ItemsRefreshed, ItemUsed, Refresh, UseItem
from domain.gloomhaven.learning import ItemsLearned, Learn
from domain.gloomhaven.money import BuyItem, ItemGained, ItemSold, Loot, Looted, Reward, Rewarded, SellItem
from domain.gloomhaven.rounds import EndTurn
from tests.gloomhaven.tables import brog, on_turn, playing, spell, tinker
from tests.kit.given import Given

HIDE, GOGGLES, SHIELD, POTION = (
    Named(3, "Hide Armor"),
    Named(6, "Eagle-Eye Goggles"),
    Named(8, "Heater Shield"),
    Named(12, "Minor Healing Potion"),
)


def owner(*items: int, **fields: Any) -> Given:
    return on_turn(1, 4, brog(items=items or None, **fields))


def items(table: Given) -> dict[str, Any]:
    shown: dict[str, Any] = table.sheet("brog")["items"]
    return shown


# -- using -------------------------------------------------------------------------------------------------


def test_15_only_ready_items_of_ones_own() -> None:
    table = owner(12)
    table.when(UseItem(character="brog", item=8)).refused("GH 15", "does not own Heater Shield")
    table.when(UseItem(character="brog", item="heeling potion")).refused(None, "did you mean 12 Minor Healing")
    table.and_given(UseItem(character="brog", item=12))
    table.when(UseItem(character="brog", item=12)).refused("GH 15", "is consumed")
    table.when(UseItem(character="brog", item=12, declined=True)).refused("GH 15")


def test_19_each_use_takes_a_circle_and_the_last_one_spends_the_item() -> None:
    table = owner(3).when(UseItem(character="brog", item=3)).then(ItemUsed("brog", HIDE, "ready", 1))
    assert items(table)["circles_used"] == {"3": 1}
    table.when(UseItem(character="brog", item=3)).then(ItemUsed("brog", HIDE, "spent", 0))
    assert items(table) == {"ready": [], "spent": [3], "consumed": [], "circles_used": {}}


def test_16_what_affects_an_attack_needs_an_open_one() -> None:
    table = owner(6).when(UseItem(character="brog", item=6)).refused("GH 16", "before its modifier")
    table.and_given(Attack(character="brog")).when(UseItem(character="brog", item=6))
    table.then(ItemUsed("brog", GOGGLES, "spent", 0))
    table = owner(6).and_given(Attack(character="brog"), DrawModifier(character="brog", modifier="+1"))
    table.when(UseItem(character="brog", item=6)).refused("GH 16")
    assert owner(6).when(UseItem(character="brog", item=6, declined=True)).events


DAGGER = {"id": 1009, "number": 9, "name": "Poison Dagger", "price": 15, "once_used": "consumed", "edition": "jotl"}


def test_15_of_two_items_of_one_name_the_owned_one_is_meant() -> None:
    table = Given("gloomhaven", Learn(items=(DAGGER,)), brog(items=(1009,)), spell(items=(11,)))
    table.when(UseItem(character="brog", item="poison dagger")).then(
        ItemUsed("brog", Named(1009, "Poison Dagger"), "consumed", 0)
    )
    table.when(UseItem(character="spell", item="poison dagger")).refused("GH 16")


def test_60_of_two_items_of_one_name_the_edition_says_which() -> None:
    table = Given("gloomhaven", Learn(items=(DAGGER,)), brog(gold=50))
    table.when(BuyItem(character="brog", item="poison dagger")).refused(
        None, "Several items are called Poison Dagger; did you mean 11 Poison Dagger or 1009 Poison Dagger (jotl)?"
    )
    table.and_given(BuyItem(character="brog", item="poison dagger (jotl)"), BuyItem(character="brog", item=11))
    assert items(table)["ready"] == [11, 1009]
    table.when(SellItem(character="brog", item="poison dagger")).refused(None, "Several items")


# -- refreshing --------------------------------------------------------------------------------------------


def test_54_55_items_of_the_named_kind_are_ready_again() -> None:
    table = owner(8, 12).and_given(UseItem(character="brog", item=8), UseItem(character="brog", item=12))
    table.when(Refresh(character="brog", items=(8,), kind="consumed")).refused("GH 55", "no consumed Heater Shield")
    table.when(Refresh(character="brog", items=(8, 12), kind="spent")).refused("GH 55")
    table.when(Refresh(character="brog", items=(8, "Heater Shield"), kind="spent")).refused("GH 55", "twice")
    table.when(Refresh(character="brog", items=(8,), kind="spent")).then(ItemsRefreshed("brog", (SHIELD,)))
    table.and_given(Refresh(character="brog", items=(12,), kind="consumed"))
    assert items(table)["ready"] == [8, 12]


@pytest.mark.parametrize("kind", ["spent", "consumed"])
def test_53_an_unrecoverable_item_never_comes_back_once_consumed(kind: Literal["spent", "consumed"]) -> None:
    whole = tinker()
    whole["items"][0]["once_used"] = kind
    wrench = {
        "type": "gloomhaven.enrol",
        "character": "tim",
        "class": "tinkerer",
        "class_data": whole,
        "items": [901],
    }
    table = Given("gloomhaven")
    assert table.when(wrench).events
    table.and_given(UseItem(character="tim", item=901)).when(Refresh(character="tim", items=(901,), kind=kind))
    if kind == "consumed":
        table.refused("GH 53", "Wrench")
    else:
        assert table.events


# -- looting -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("level", "worth"), list(enumerate([2, 2, 3, 3, 4, 4, 5, 6])))
def test_58_a_token_is_worth_what_the_scenario_level_says(level: int, worth: int) -> None:
    table = playing(level=level)
    for action in ("begin_round", "select", "reveal"):
        fields = {"character": "brog", "lead": 1, "second": 4} if action == "select" else {}
        assert table.when({"type": f"gloomhaven.{action}", **fields}).events
    table.when(Loot(character="brog", tokens=3)).then(Looted("brog", 3, 3 * worth, ()))


def test_58_without_a_level_a_token_is_1_gold() -> None:
    on_turn(1, 4, brog(gold=5)).and_given(EndTurn(character="brog", tokens=2, treasures=(7,))).has("brog", gold=7)


def test_60_an_item_found_is_owned_a_second_copy_sold_at_once() -> None:
    table = on_turn().when(Loot(character="brog", item="heater shield"))
    assert [type(event) for event in table.events] == [ItemsLearned, ItemGained]
    assert items(table)["ready"] == [8]
    table.when(Loot(character="brog", item=8)).then(ItemSold("brog", SHIELD, 10, 10, True))
    table.has("brog", gold=10)
    assert items(table)["ready"] == [8]


@pytest.mark.parametrize("fields", [{"tokens": -1}, {"treasures": []}, {"treasures": [0]}])
def test_invalid_loot(fields: dict[str, Any]) -> None:
    on_turn().when({"type": "gloomhaven.loot", "character": "brog", **fields}).invalid()


# -- buying and selling ------------------------------------------------------------------------------------


def test_an_item_is_bought_between_scenarios() -> None:
    table = Given("gloomhaven", brog(gold=25)).when(BuyItem(character="brog", item=8))
    table.then_some(ItemGained("brog", SHIELD, 20, 5)).has("brog", gold=5)
    table.when(BuyItem(character="brog", item=8)).refused("GH 60", "owns Heater Shield already")
    table.when(BuyItem(character="brog", item=12)).refused("GH 58", "costs 10 gold; Brog has 5")
    table.when(BuyItem(character="brog", item=99)).refused(None, "There is no item 99")


def test_an_item_is_sold_for_half_rounded_down() -> None:
    table = Given("gloomhaven", brog(items=(8,))).when(SellItem(character="brog", item=8))
    table.then(ItemSold("brog", SHIELD, 10, 10, False)).has("brog", gold=10)
    table.when(SellItem(character="brog", item=8)).refused("GH 60", "does not own")
    wrench = {
        "type": "gloomhaven.enrol",
        "character": "tim",
        "class": "tinkerer",
        "class_data": tinker(),
        "items": [901],
    }
    assert table.when(wrench).events
    table.and_given(SellItem(character="tim", item=901)).has("tim", gold=3)


# -- rewards, and whose turn it is -------------------------------------------------------------------------


def test_a_reward_of_experience_gold_and_items() -> None:
    table = Given("gloomhaven", brog(gold=3, xp=1, items=(12,)))
    table.when(Reward(character="brog", xp=10, gold=5, items=(8, 12), why="Scenario 1"))
    table.then(
        Rewarded("brog", 10, 11, 5, 8, "Scenario 1"),
        ItemsLearned((PrintedItem(id=8, name="Heater Shield", price=20, once_used="spent", shields=1),)),
        ItemGained("brog", Named(8, "Heater Shield"), None, 8),
        ItemSold("brog", Named(12, "Minor Healing Potion"), 5, 13, copy=True),
    )
    assert "".join(table.events[0].sentence()) == "Brog is rewarded with 10 experience and 5 gold: Scenario 1."
    table.has("brog", xp=11, gold=13)
    table.and_given(Undo()).has("brog", xp=1, gold=3)


def test_a_reward_needs_no_reason() -> None:
    table = playing().when(Reward(character="brog", xp=5, gold=1)).then(Rewarded("brog", 5, 5, 1, 1))
    assert table.sentences == "Brog gains 5 experience and 1 gold."
    assert b"why" not in msgspec.json.encode(table.events[0])
    assert playing().when(Reward(character="brog", xp=5)).sentences == "Brog gains 5 experience."


def test_a_reward_of_items_alone_is_told_by_the_items_unless_it_has_a_reason() -> None:
    table = Given("gloomhaven", brog()).when(Reward(character="brog", items=(8,))).quiet_about(Rewarded)
    assert table.sentences.endswith("Brog finds Heater Shield.")
    table = Given("gloomhaven", brog()).when(Reward(character="brog", items=(8,), why="Scenario 1"))
    assert table.sentences.startswith("Brog is rewarded: Scenario 1.")


def test_a_reward_of_version_2_reads_as_it_did() -> None:
    stored = (
        b'{"type":"gloomhaven.rewarded","character":"brog","gained_xp":5,"xp":5,"gained_gold":0,"gold":0,"why":"A"}'
    )
    rewarded = msgspec.json.decode(stored, type=Rewarded)
    assert rewarded.sentence() == ("Brog is rewarded with 5 experience: A.",)
    assert msgspec.json.encode(rewarded) == stored


def test_a_reward_is_of_something_and_its_reason_is_not_blank() -> None:
    Given("gloomhaven", brog()).when(Reward(character="brog")).invalid("xp 10, gold 5 or items 12")
    Given("gloomhaven", brog()).when(Reward(character="brog", why="nothing")).invalid("xp 10, gold 5 or items 12")
    Given("gloomhaven", brog()).when(Reward(character="brog", gold=1, why=" ")).invalid("blank")


def test_56_loot_is_taken_on_ones_own_turn() -> None:
    table = on_turn(1, 4, brog(), spell())
    table.when(Loot(character="spell", tokens=1)).refused("GH 56", "it is Brog's")
    assert table.when(Loot(character="brog", tokens=1)).events
