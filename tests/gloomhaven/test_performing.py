"""Performing cards, experience, attacks and their modifiers.

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from collections.abc import Sequence
from typing import Any

import pytest

from domain.choice import Choice
from domain.gloomhaven.attacks import Attack, AttackOpened, DrawModifier, ModifierDrawn
from domain.gloomhaven.damage import Damage
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.rounds import EndTurn, Reveal, Select
from domain.refusal import Refusal
from tests.gloomhaven.tables import brog, cleaned_up, on_turn, playing, resting, selecting, spell
from tests.kit.given import Given

X_HAND = (1, 2, 3, 4, 5, 6, 7, 8, 9, 13)


def perform(card: Any, half: str, **fields: Any) -> dict[str, Any]:
    return {"type": "gloomhaven.perform", "character": "brog", "card": card, "half": half, **fields}


def spells_turn(lead: int, second: int) -> Given:
    table = selecting(spell())
    assert table.when({"type": "gloomhaven.select", "character": "spell", "lead": lead, "second": second}).events
    assert table.when({"type": "gloomhaven.reveal"}).events
    return table


# -- where cards go ----------------------------------------------------------------------------------------


def test_72_the_lost_symbol_loses_the_card() -> None:
    on_turn(1, 4).and_given(Perform(character="brog", card=1, half="bottom")).has("brog", lost=[1], xp=2)


def test_69_one_top_and_one_bottom_of_different_cards_in_either_order() -> None:
    table = on_turn(1, 4).and_given(Perform(character="brog", card=4, half="bottom"))
    table.when(perform(1, "bottom")).refused("GH 69", "one top and one bottom")
    table.when(perform(4, "top")).refused("GH 69", "has performed Provoking Roar already")
    table.and_given(Perform(character="brog", card=1, half="top"))
    table.when(perform(2, "top")).refused("GH 69")
    table.has("brog", selected=[], discard=[1])


def test_a_card_that_is_not_played_cannot_be_performed() -> None:
    on_turn(1, 4).when(perform(6, "top")).refused("GH 69", "Grab and Go is not one of the two cards")
    on_turn(1, 4).when(perform("Provoking Raor", "top")).refused(None, "did you mean 4 Provoking Roar?")


def test_performing_is_for_ones_own_turn() -> None:
    for table in (playing(), selecting(), cleaned_up(), on_turn().and_given(EndTurn(character="brog"))):
        for action in (
            perform(1, "top"),
            {"type": "gloomhaven.attack", "character": "brog"},
            {"type": "gloomhaven.end_turn", "character": "brog"},
        ):
            table.when(action).refused("GH 69")


def test_before_the_reveal_a_turn_says_what_comes_first() -> None:
    table = selecting(brog(), spell())
    assert [choice.action for choice in _first(table.when(perform(1, "top")))] == [Select]
    for name, lead, second in (("brog", 1, 4), ("spell", 61, 62)):
        assert table.when({"type": "gloomhaven.select", "character": name, "lead": lead, "second": second}).events
    assert [choice.action for choice in _first(table.when(perform(1, "top")))] == [Reveal]
    table.refused("GH 69", "all choose their cards first, then reveal")


def _first(table: Given) -> Sequence[Choice]:
    """What a refusal says can be done first."""
    assert isinstance(table.error, Refusal)
    return table.error.choices


def test_82_a_resting_character_performs_and_attacks_nothing() -> None:
    table = resting("2 3")
    table.when(perform(2, "top")).refused("GH 82")
    table.when({"type": "gloomhaven.attack", "character": "brog"}).refused("GH 82")
    table.when({"type": "gloomhaven.end_turn", "character": "brog"}).refused("GH 82", "ends with it")


def test_a_basic_action_is_always_discarded_and_gives_nothing() -> None:
    for half in ("top", "bottom"):
        table = on_turn(13, 4, brog(hand=X_HAND)).when(perform(13, half, basic=True, condition_met=True))
        assert table.events
        table.has("brog", discard=[13], xp=0, active=[], lost=[])
    table = on_turn(13, 4, brog(hand=X_HAND)).when(perform(13, "top", basic=True, abilities_used=0))
    assert table.events
    on_turn().when(perform(1, "top", basic=True, lost=True)).invalid("basic")


# -- experience --------------------------------------------------------------------------------------------


def test_65_conditional_experience_comes_with_its_condition_only() -> None:
    for met, xp in ((True, 1), (False, 0)):
        table = spells_turn(65, 61)
        table.and_given(Perform(character="spell", card=65, half="top", condition_met=met)).has("spell", xp=xp)
    table = spells_turn(65, 66)
    assert table.when({**perform(65, "top", abilities_used=0, condition_met=True), "character": "spell"}).events
    table.has("spell", xp=0, discard=[65])


# -- corrections -------------------------------------------------------------------------------------------


def test_a_bonus_that_negates_damage_can_be_told_of_a_card() -> None:
    facts = {"active": "persistent", "lost": True, "slots": [1, 1], "negates_damage": True, "advances_on": "damaged"}
    table = on_turn(1, 4).when(perform(1, "top", **facts))
    table.and_given(Damage(character="brog", amount=3)).has("brog", hp=10, xp=1)
    table.and_given(Damage(character="brog", amount=3, attack=False)).has("brog", hp=10, xp=2, lost=[1])
    table.and_given(Damage(character="brog", amount=3)).has("brog", hp=7)


def test_active_none_corrects_a_card_to_no_bonus() -> None:
    table = on_turn(7, 1).when(perform(7, "bottom", active="none"))
    assert table.events
    table.has("brog", active=[], lost=[7])
    table = on_turn(7, 1).when(perform(7, "bottom", active="none", lost=False))
    assert table.events
    table.has("brog", discard=[7])


@pytest.mark.parametrize(
    "fields",
    [
        {"shield": 1}, {"slots": [0]}, {"retaliate": 1}, {"beneficiaries": ["brog"]}, {"range": 2},
        {"negates_damage": True}, {"advances_on": "damaged"},
    ],
)  # fmt: skip
def test_21_what_belongs_to_a_bonus_needs_one(fields: dict[str, Any]) -> None:
    on_turn(1, 4).when(perform(1, "top", **fields)).refused("GH 21", "is not an active bonus")


@pytest.mark.parametrize(
    "fields",
    [{"half": "left"}, {"slots": []}, {"xp": -1}, {"active": "ever"}, {"beneficiaries": []}, {"abilities_used": -1}],
)
def test_invalid_performances(fields: dict[str, Any]) -> None:
    on_turn(1, 4).when({**perform(1, "top"), **fields}).invalid()


# -- attacks -----------------------------------------------------------------------------------------------


def test_16_an_attack_is_open_until_its_modifier_is_drawn() -> None:
    table = on_turn().when(Attack(character="brog", target="Guard", value=3)).then(AttackOpened("brog", "Guard", 3))
    for action in ({"type": "gloomhaven.attack", "character": "brog"}, perform(1, "top"),
                   {"type": "gloomhaven.end_turn", "character": "brog"}):  # fmt: skip
        table.when(action).refused("GH 16", "waits for its modifier")
    table.when(DrawModifier(character="brog", modifier=" +1 ")).then(ModifierDrawn("brog", "+1"))
    table.when(DrawModifier(character="brog", modifier="null")).refused("GH 16", "no attack open")
    assert table.when(Attack(character="brog")).events


def test_a_blank_modifier_is_invalid() -> None:
    on_turn().and_given(Attack(character="brog")).when(
        {"type": "gloomhaven.draw_modifier", "character": "brog", "modifier": " "}
    ).invalid("blank")
