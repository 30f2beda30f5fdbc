"""Scenarios and what lies between them: beginning, ending, levels, the choice of a hand.

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from typing import Any

import pytest

from domain.gloomhaven.attacks import Kill
from domain.gloomhaven.conditions import SetCondition
from domain.gloomhaven.damage import Damage
from domain.gloomhaven.facts import Named
from domain.gloomhaven.healing import Heal
from domain.gloomhaven.items import UseItem
from domain.gloomhaven.levels import ChooseHand, LeveledUp, LevelUp
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.scenarios import BeginScenario, EndScenario
from tests.gloomhaven.tables import BRUTE, brog, on_turn, playing, rush, spell, tinker
from tests.kit.given import Given, unchanged

FRESH: dict[str, Any] = {
    "hand": list(BRUTE), "selected": [], "discard": [], "lost": [], "active": [], "hp": 10, "conditions": [],
    "summons": [], "exhausted": False, "resting": False, "acted": False, "initiative": None,
    "items": {"ready": [12], "spent": [], "consumed": [], "circles_used": {}},
}  # fmt: skip


def worn() -> Given:
    table = on_turn(7, 1, brog(items=(12,)))
    return table.and_given(
        Perform(character="brog", card=7, half="bottom"),
        Perform(character="brog", card=1, half="top"),
        Damage(character="brog", amount=4),
        UseItem(character="brog", item=12),
        SetCondition(character="brog", condition="stun"),
        Kill(character="brog", monster="Guard"),
    )


def test_a_scenario_needs_somebody_and_comes_alone() -> None:
    Given("gloomhaven").when(BeginScenario(scenario="1")).refused(None, "Nobody is enrolled")
    playing().when(BeginScenario(scenario="2")).refused(None, "Scenario 1 is being played")
    for fields in ({"scenario": " "}, {"scenario": "1", "level": 8}, {"scenario": "1", "level": -1}):
        Given("gloomhaven", brog()).when({"type": "gloomhaven.begin_scenario", **fields}).invalid()


@pytest.mark.parametrize("won", [True, False])
def test_the_end_gives_everything_back_and_keeps_what_was_won(won: bool) -> None:
    table = worn().and_given(EndScenario(won=won))
    table.has("brog", **FRESH, kills=1)
    table.table_has(outcome="won" if won else "lost", phase=None, order=[], scenario="1", round=1)
    table.and_given(BeginScenario(scenario="2")).has("brog", kills=0)
    table.table_has(outcome=None, scenario="2", round=0, phase=None)


# -- levels ------------------------------------------------------------------------------------------------


def test_68_a_level_takes_its_experience() -> None:
    Given("gloomhaven", brog(xp=44)).when(LevelUp(character="brog", card="skewer")).refused("GH 68", "takes 45")
    table = Given("gloomhaven", brog(xp=45), rush()).when(LevelUp(character="brog", card="barrow rush"))
    table.then(LeveledUp("brog", 2, 12, Named(901, "Barrow Rush"))).has("brog", level=2, hp=12, max_hp=12, xp=45)
    table.when(LevelUp(character="brog", card=12)).refused("GH 68", "Level 3 takes 95")


def test_x_cards_are_there_from_the_start_and_are_not_gained() -> None:
    table = Given("gloomhaven", brog(xp=45))
    with unchanged(table):
        table.when(LevelUp(character="brog", card="skewer")).refused(None, "Skewer is an X card")


def tim(**fields: Any) -> Given:
    table = Given("gloomhaven")
    action = {"type": "gloomhaven.enrol", "character": "tim", "class": "tinkerer", "class_data": tinker(), **fields}
    assert table.when(action).events
    return table


def test_the_card_gained_fits_the_new_level_and_is_new() -> None:
    tim(xp=45).when(LevelUp(character="tim", card=205)).refused(None, "of level 3; Tim reaches level 2")
    tim(xp=45).when(LevelUp(character="tim", card=201)).refused(None, "has Spark already")
    tim(xp=45).when(LevelUp(character="tim", card="lense")).refused(None, "did you mean 204 Lens?")
    table = tim(xp=95).and_given(LevelUp(character="tim", card=204))
    table.when(LevelUp(character="tim", card=204)).refused(None, "has Lens already")
    assert table.when(LevelUp(character="tim", card=205)).events


def test_nobody_rises_above_level_9_or_during_a_scenario() -> None:
    Given("gloomhaven", brog(level=9, xp=900)).when(LevelUp(character="brog", card=11)).refused(None, "the highest")
    playing(brog(xp=45)).when(LevelUp(character="brog", card=11)).refused(None, "between scenarios")


# -- the hand ----------------------------------------------------------------------------------------------


def test_a_gained_card_is_in_the_pool_from_then_on() -> None:
    table = tim(xp=45)
    table.when(ChooseHand(character="tim", hand=(201, 204))).refused(None, "has not gained Lens")
    table.and_given(LevelUp(character="tim", card=204), ChooseHand(character="tim", hand=(201, 204)))
    table.has("tim", hand=[201, 204]).and_given(ChooseHand(character="tim", hand=(203, 204)))


@pytest.mark.parametrize("hand", [[1, 2, 3], [1, 1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 4, 5, 6, 7, 8, 9, 61]])
def test_a_hand_is_exactly_the_hand_size_of_different_cards_of_the_class(hand: list[int]) -> None:
    table = Given("gloomhaven", brog())
    table.when({"type": "gloomhaven.choose_hand", "character": "brog", "hand": hand}).refused(None)


def test_a_hand_is_chosen_between_scenarios() -> None:
    playing().when(ChooseHand(character="brog", hand=BRUTE)).refused(None, "between scenarios")
    Given("gloomhaven", brog()).when({"type": "gloomhaven.choose_hand", "character": "brog", "hand": []}).invalid()


def test_every_action_needs_a_character_who_is_enrolled() -> None:
    Given("gloomhaven", brog(), spell()).when(Heal(character="brug", amount=1)).refused(None, "did you mean brog?")
