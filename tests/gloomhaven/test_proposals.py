"""What the command line proposes is legal now: cards that are there, items that are owned or for sale."""

from random import Random
from typing import Any

import pytest
from hypothesis import given

from domain.gloomhaven.attacks import Attack, Kill
from domain.gloomhaven.bonuses import PutAway, Trigger
from domain.gloomhaven.damage import Damage
from domain.gloomhaven.items import UseItem
from domain.gloomhaven.joining import Enrol
from domain.gloomhaven.levels import ChooseHand, LevelUp
from domain.gloomhaven.money import BuyItem, SellItem
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.proposals import CARDS
from domain.gloomhaven.recovering import Recover
from domain.gloomhaven.rests import LongRest, ShortRest
from domain.gloomhaven.rounds import Select
from domain.gloomhaven.summons import Summon
from tests.gloomhaven.subject import SUBJECT
from tests.gloomhaven.tables import BRUTE, brog, cleaned_up, on_turn, piles, playing, selecting, spell
from tests.kit.given import Given
from tests.kit.tables import MODEST, chances, fresh


@MODEST
@given(chance=chances)
def test_proposed_cards_are_never_unknown_or_out_of_place(chance: Random) -> None:
    at = fresh(chance, SUBJECT)
    state = at.handler.state()
    for name in state.characters:
        for kind, field in CARDS:
            proposed = at.system.proposals(state, kind, field, name)
            assert proposed is not None
            assert len(set(proposed)) == len(proposed)
        for card in at.system.proposals(state, PutAway, "card", name) or ():
            at.when({"type": "gloomhaven.put_away", "character": name, "card": card})
            assert at.error is None or at.handler.state().table.outcome == "lost"


def proposed(at: Given, kind: type[Any], field: str, name: str = "brog") -> list[str]:
    return list(at.system.proposals(at.handler.state(), kind, field, name) or ())


def test_what_is_proposed_is_what_is_legal_now() -> None:
    at = playing(brog(items=(3, 6), gold=10), spell())
    assert proposed(at, Select, "lead") == []
    at = selecting(brog(items=(3, 6), gold=10), spell()).and_given(piles("2 3", "1 4"))
    assert proposed(at, Select, "second") == ["Eye for an Eye", "Sweeping Blow"]
    assert proposed(at, Damage, "lose_hand") == ["Eye for an Eye", "Sweeping Blow"]
    assert proposed(at, Damage, "lose_discard") == ["Trample", "Provoking Roar"]
    assert proposed(at, LongRest, "lose") == []
    assert proposed(at, UseItem, "item") == ["Hide Armor"]
    assert proposed(at, SellItem, "item") == ["Hide Armor", "Eagle-Eye Goggles"]
    assert "Minor Healing Potion" in proposed(at, BuyItem, "item")
    assert "Heater Shield" not in proposed(at, BuyItem, "item")
    assert "Overwhelming Assault" in proposed(at, Recover, "cards")
    assert proposed(at, LevelUp, "card") == []
    assert "Wall of Doom" in proposed(at, ChooseHand, "hand")
    assert proposed(at, Enrol, "class") == ["brute", "spellweaver"]
    assert at.system.proposals(at.handler.state(), Select, "lead", None) is None
    assert at.system.proposals(at.handler.state(), Kill, "monster", "brog") is None


def test_what_a_turn_and_a_cleanup_offer() -> None:
    at = on_turn(7, 1).and_given(Perform(character="brog", card=7, half="bottom"))
    assert proposed(at, Perform, "card") == ["Trample"]
    assert proposed(at, Summon, "card") == proposed(at, Trigger, "card") == ["Warding Strength"]
    at.and_given(Summon(character="brog", card=7, name="Bat", hp=2, colour="red"), Attack(character="brog"))
    assert proposed(at, Perform, "card") == proposed(at, Summon, "card") == []
    assert proposed(at, Kill, "summon") == ["Bat"]
    at = cleaned_up()
    assert proposed(at, ShortRest, "drawn") == ["Trample", "Provoking Roar"]
    at.and_given(piles("2 3", "1"))
    assert proposed(at, ShortRest, "drawn") == proposed(at, Damage, "lose_discard") == []


def test_unrecoverable_cards_are_not_proposed() -> None:
    at = playing(spell()).and_given(piles("61 62", "64", "spell"))
    assert "Reviving Ether" not in proposed(at, Recover, "cards", "spell")
    assert "Freezing Nova" in proposed(at, Recover, "cards", "spell")


@pytest.mark.parametrize("name", ["nobody", "brog"])
def test_nothing_is_proposed_for_the_exhausted_or_unknown(name: str) -> None:
    at = playing().and_given(Damage(character="brog", amount=10))
    assert proposed(at, Damage, "lose_hand", name) == []
    at.has("brog", lost=list(BRUTE))
