"""Attacks (DH 35): opposed, against a foe, and against the unaware.

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from itertools import product
from typing import Any

import pytest

from domain.deckahedron.attacks import TABLE, Attacked
from domain.deckahedron.cards import RESULTS
from domain.deckahedron.harm import HarmTaken, WoundTaken
from domain.deckahedron.stamina import StaminaLost
from tests.deckahedron.tables import act, attack, enrol, override, table
from tests.kit.given import Given

#: At rank 2 these cards show each result.
SHOWING = {"✔✔": "3", "✔": "5", "✗": "4", "✗✗": "0"}
#: (attacker, defender) -> (the defender's loss, the attacker's loss), in Stamina, where the d4s show 3 and 2.
LOSSES = {
    ("✔✔", "✔✔"): (3, 2),
    ("✔✔", "✔"): (3, 1),
    ("✔✔", "✗"): (3, 0),
    ("✔✔", "✗✗"): (4, 0),
    ("✔", "✔✔"): (1, 2),
    ("✔", "✔"): (1, 1),
    ("✔", "✗"): (3, 0),
    ("✔", "✗✗"): (3, 0),
    ("✗", "✔✔"): (0, 2),
    ("✗", "✔"): (0, 1),
    ("✗", "✗"): (0, 0),
    ("✗", "✗✗"): (0, 0),
    ("✗✗", "✔✔"): (0, 2),
    ("✗✗", "✔"): (0, 2),
    ("✗✗", "✗"): (0, 0),
    ("✗✗", "✗✗"): (0, 0),
}


def two(**options: Any) -> Given:
    """Brog and Orik, both of Strength 2 and Dexterity 3."""
    return table(enrol(top=()), enrol("Orik", top=()), options=options)


def against(mine: str, theirs: str, **fields: Any) -> dict[str, Any]:
    """Brog attacks Orik and the two flip these results."""
    return attack(defender="Orik", flipped=[SHOWING[mine]], defender_flipped=[SHOWING[theirs]], **fields)


def dice_for(mine: str, theirs: str) -> list[int]:
    """A 3 for the defender's d4, a 2 for the attacker's, where the table calls for them."""
    exchange = TABLE.melee[f"{mine}:{theirs}"]
    return [3] * exchange.defender.startswith("1d4") + [2] * exchange.attacker.startswith("1d4")


def attacked(given: Given) -> Attacked:
    (found,) = [event for event in given.events if isinstance(event, Attacked)]
    return found


# -- the table of melee


@pytest.mark.parametrize(("mine", "theirs"), list(product(RESULTS, RESULTS)))
def test_35_each_pair_of_results_in_melee(mine: str, theirs: str) -> None:
    given = two().when(against(mine, theirs, rolled=dice_for(mine, theirs)))
    found = attacked(given)
    assert (found.result, found.against) == (mine, theirs)
    assert (found.defender_loses, found.attacker_loses) == LOSSES[mine, theirs]
    given.has("Orik", stamina_left=10 - LOSSES[mine, theirs][0]).has("brog", stamina_left=10 - LOSSES[mine, theirs][1])


@pytest.mark.parametrize("rolled", [[], [3], [3, 2, 1], [5, 2], [3, 0]])
def test_35_the_d4s_reported_are_those_called_for(rolled: list[int]) -> None:
    two().when(against("✔✔", "✔✔", rolled=rolled)).refused("DH 35")


def test_35_one_card_each_and_it_must_be_there() -> None:
    two().when(against("✗", "✗") | {"flipped": ["99"]}).refused("DH 1")
    two().when(against("✗", "✗") | {"defender_flipped": ["4", "0"]}).refused("DH 1")
    two().when(against("✗", "✗") | {"defender_flipped": []}).refused("DH 1")


# -- choices


def test_35_on_two_ticks_against_two_crosses_a_wound_may_be_chosen() -> None:
    given = two().when(against("✔✔", "✗✗", choice="wound")).has("Orik", wounds=1, wound_cards=["w1"], stamina_left=9)
    assert attacked(given).inflicts == "wound"
    given.then_some().quiet_about(HarmTaken)
    assert any(isinstance(event, WoundTaken) for event in given.events)


def test_35_on_one_tick_against_two_crosses_a_harm_may_be_chosen_and_is_a_strain() -> None:
    two().when(against("✔", "✗✗", choice="harm")).has("Orik", harm=1, stamina_left=9)
    given = two().when(override(name="Orik", harm=2)).when(against("✔", "✗✗", choice="harm"))
    given.has("Orik", harm=2, wounds=1)


@pytest.mark.parametrize(("mine", "theirs"), [("✗", "✔✔"), ("✗✗", "✔")])
def test_35_gear_may_be_dropped_instead(mine: str, theirs: str) -> None:
    given = two().when(against(mine, theirs, choice="gear")).has("brog", stamina_left=10)
    assert attacked(given).drops_gear
    assert "drops gear" in given.sentences


@pytest.mark.parametrize(
    ("mine", "theirs", "choice"),
    [("✔✔", "✗✗", "harm"), ("✔✔", "✗✗", "gear"), ("✔", "✗✗", "wound"), ("✔✔", "✔", "wound"), ("✗", "✔", "gear")],
)
def test_35_a_choice_that_the_table_does_not_offer_is_refused(mine: str, theirs: str, choice: str) -> None:
    two().when(against(mine, theirs, choice=choice)).refused("DH 35", choice)


# -- foes and the unaware


@pytest.mark.parametrize("written", ["✗", "x"])
def test_35_a_foe_has_a_result_and_no_cards(written: str) -> None:
    given = two().when(attack(foe="the wolf", foe_result=written, flipped=["3"], rolled=[2]))
    found = attacked(given)
    assert (found.against, found.defender_loses, found.foe) == ("✗", 2, "the wolf")
    given.has("brog", stamina_left=10).quiet_about(StaminaLost)
    assert "costs the wolf 2 Stamina" in given.sentences


@pytest.mark.parametrize(("style", "card"), [("melee", "3"), ("melee", "5"), ("ranged", "6"), ("ranged", "10")])
def test_35_an_unaware_foe_takes_a_d4_on_a_tick(style: str, card: str) -> None:
    # at melee's Strength 2: 3 ✔✔, 5 ✔; at range's Dexterity 3: 10 ✔✔; 6 shows ✗
    given = two().when(attack(style=style, foe="the guard", flipped=[card]))
    found = attacked(given)
    hit = found.result in ("✔", "✔✔")
    assert (found.against, bool(found.dice), found.defender_loses > 0) == (None, hit, hit)
    given.has("brog", stamina_left=10)


def test_35_the_unaware_are_missed_on_a_cross() -> None:
    two().when(attack(foe="the guard", flipped=["0"], rolled=[2])).refused("DH 35")
    assert attacked(two().when(attack(foe="the guard", flipped=["0"]))).defender_loses == 0


def test_35_no_choice_against_the_unaware() -> None:
    two().when(attack(foe="the guard", flipped=["3"], choice="wound")).refused("DH 35")


# -- at range


@pytest.mark.parametrize(("mine", "theirs"), list(product(RESULTS, RESULTS)))
def test_35_at_range_the_defender_loses_as_in_melee_and_the_attacker_nothing(mine: str, theirs: str) -> None:
    showing = {"✔✔": "1", "✔": "3", "✗": "7", "✗✗": "0"}  # at Dexterity 3
    shot = attack(style="ranged", defender="Orik", flipped=[showing[mine]], defender_flipped=[showing[theirs]])
    found = attacked(two().when(shot))
    assert (found.result, found.against, found.attacker_loses) == (mine, theirs, 0)
    assert (found.defender_loses > 0) == (LOSSES[mine, theirs][0] > 0)


# -- Wound cards, and who may not


def wounded_attacker() -> Given:
    return table(enrol(top=("10",)), enrol("Orik", top=()), act("wound", what="a cut"), override(discard=[]))


def test_26_a_wound_card_ends_that_sides_flip_and_bites_after_the_outcome() -> None:
    given = wounded_attacker().when(attack(defender="Orik", flipped=["w1"], defender_flipped=["5"]))  # ✗ against ✔
    given.has("brog", stamina_left=7).has("Orik", stamina_left=10)
    assert [type(event).__name__ for event in given.events] == [
        "CardsFlipped",
        "CardsFlipped",
        "Attacked",
        "StaminaLost",
        "WoundCardBit",
        "StaminaLost",
    ]
    given = wounded_attacker().when(
        attack(attacker="Orik", defender="brog", flipped=["0"], defender_flipped=["w1", "0", "12"])
    )
    given.has("brog", discard=["w1", "0"], exhaustion=["10", "12"])


def test_35_a_target_is_either_a_character_or_a_foe() -> None:
    two().when(attack(defender="Orik", foe="the wolf")).invalid()
    two().when(attack(defender="Orik", foe_result="v")).invalid()
    two().when(attack(foe="the wolf", foe_result="v", defender_flipped=["3"])).invalid()


@pytest.mark.parametrize("wrong", [{"style": "magic"}, {"foe_result": "o"}, {"choice": "life"}, {"rolled": ["3"]}])
def test_a_malformed_attack_is_invalid(wrong: dict[str, Any]) -> None:
    two().when(attack(**wrong)).invalid()
