"""Foes: on the other side, without saves unless they were enrolled with them."""

from domain.common.revisions import Undo
from domain.osr.hit_points import Enrol
from domain.osr.injuries import BypassingHit, ChooseFate, Damage, Damaged, FoeSlain, Injured, InjurySaves
from domain.system.groups import able, party
from domain.turn import Action
from tests.kit.given import Given

WIGHT = Enrol(character="Wight", side="foe", hit_dice=3, rolled=(3, 5, 4))


def given(*more: Action, foe: Enrol = WIGHT, **options: object) -> Given:
    return Given("osr", Enrol(character="brog", player="Ann", rolled=(5,)), foe, *more, options=options)


def test_a_foe_is_on_the_other_side() -> None:
    table = given().has("Wight", side="foe", hp=12, hit_dice=3).has("brog", side=None)
    assert able(table.system, table.handler.state()) == party(table.system, table.handler.state()) == ("brog",)
    assert table.chronicle()[-1].startswith("Wight appears as a foe with 3 hit dice, rolls ")


def test_a_foe_dies_with_the_last_hit_point_and_the_sentence_says_so() -> None:
    table = given().when(Damage(character="Wight", amount=5)).then(Damaged("Wight", 5, 7))
    table.when(Damage(character="Wight", amount=7, source="Brog's axe")).then(FoeSlain("Wight", 7, 0, "Brog's axe"))
    table.has("Wight", hp=0, condition="dead", injury=None)
    assert table.chronicle()[-1] == "Wight is hit for 7 by Brog's axe and dies."
    assert not table.system.pending_for(table.handler.state(), "Wight")
    table.when(Damage(character="Wight", amount=1)).refused("OSR 6.7", "Wight is dead")
    table.when(Undo(turns=(5,))).has("Wight", hp=7, condition="up")


def test_6_12_what_bypasses_hit_points_kills_a_foe_that_makes_no_saves() -> None:
    table = given().when(BypassingHit(character="Wight", dc=25, source="a silver bolt"))
    table.then(FoeSlain("Wight", None, 12, "a silver bolt")).has("Wight", hp=12, condition="dead")
    assert table.chronicle()[-1] == "Wight is hit by a silver bolt and dies."
    pays = given().when(BypassingHit(character="Wight", sacrifice=True, cost=12)).then(FoeSlain("Wight", 12, 0))
    pays.has("Wight", hp=0, condition="dead")
    given().when(BypassingHit(character="Wight", sacrifice=True, cost=11)).has("Wight", hp=1, condition="up")


def test_a_foe_with_saves_makes_them() -> None:
    boss = Enrol(character="Wight", side="foe", saves=True, rolled=(5,))
    table = given(foe=boss).when(Damage(character="Wight", amount=9)).then(Injured("Wight", 9, 5, 4, 24))
    table.and_given(InjurySaves(character="Wight", strength=1, will=30)).when(
        ChooseFate(character="Wight", fate="death")
    )
    assert table.has("Wight", condition="dead").chronicle()[-1] == "Wight dies of the injury."


def test_a_character_dies_of_the_players_choice_as_ever() -> None:
    table = given(Damage(character="brog", amount=9), InjurySaves(character="brog", strength=1, will=30))
    table.when(ChooseFate(character="brog", fate="death"))
    assert table.chronicle()[-1] == "Brog dies of the injury: the player's choice."


def test_saves_are_a_foes_alone() -> None:
    given().when(Enrol(character="ada", saves=True)).invalid(
        "Only a foe needs saves: everybody else makes them anyway."
    )
