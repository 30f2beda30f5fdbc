"""OSR 6.4 and 6.5: short rests, fatigue, a night's sleep.

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from typing import Any

import pytest
from msgspec.structs import replace

from domain.common.revisions import Amend
from domain.common.sheets import Override
from domain.log.port import MemoryLog
from domain.osr.hit_points import Enrol
from domain.osr.injuries import Damage, InjurySaves
from domain.osr.rests import (
    FatigueGained,
    NightRest,
    ShortRest,
    WoundSleptOff,
)
from domain.turn import Struck
from tests.kit.given import Given
from tests.kit.soundness import findings
from tests.kit.tables import second_handler

BROG = Enrol(character="brog", level=2, rolled=(5, 6))
ADA = Enrol(character="ada", level=1, rolled=(6,))
OGRE = Enrol(character="ogre", hit_dice=4, rolled=(1, 1, 1, 1))


def given(*more: Any, **options: Any) -> Given:
    return Given("osr", BROG, ADA, *more, options=options)


def rest(*names: str, **fields: Any) -> ShortRest:
    return ShortRest(characters=names, **fields)


def rested(*dice: int) -> ShortRest:
    return rest("brog", rolled={"brog": dice})


def dead(name: str) -> Override:
    return Override(character=name, set={"condition": "dead"}, why="drowned")


# -- 6.4 -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("minutes", [10, 60])
def test_6_4_ten_minutes_or_more_are_enough(minutes: int) -> None:
    given().when(rest("brog", minutes=minutes)).then_some(FatigueGained("brog", 1))


@pytest.mark.parametrize("name", ["brog", "ogre"])
def test_6_4_nobody_rests_where_it_is_not_safe(name: str) -> None:
    given(OGRE).when(rest(name, safe=False)).refused("OSR 6.4", "safe")


@pytest.mark.parametrize(
    "action",
    [
        rest("brog", "ada", rerolls=("ada",), rolled={"brog": (3, 4)}),
        rest("brog", rolled={"ada": (3,)}),
        NightRest(characters=("brog",), rolled={"ada": (3,)}),
    ],
)
def test_6_1_dice_for_somebody_who_does_not_reroll_are_refused(action: ShortRest | NightRest) -> None:
    given().when(action).refused("OSR 6.1", "does not re-roll")


@pytest.mark.parametrize("kind", ["osr.short_rest", "osr.night_rest"])
def test_a_rest_of_nobody_or_of_one_twice_is_invalid(kind: str) -> None:
    given().when({"type": kind, "characters": []}).invalid()
    given().when({"type": kind, "characters": ["brog", "Brog"]}).invalid("twice")
    given().when({"type": kind}).invalid()
    given().when({"type": kind, "characters": ["brog"], "rolled": {"brog": [1, 1], "BROG": [1, 1]}}).invalid("twice")
    given().when({"type": kind, "characters": ["gorb"]}).refused(None)


@pytest.mark.parametrize("field", ["rerolls", "exempt", "keep"])
def test_nobody_is_named_twice_in_any_list_of_a_rest(field: str) -> None:
    given().when({"type": "osr.short_rest", "characters": ["brog"], field: ["brog", "BROG"]}).invalid("twice")


def test_a_night_has_no_choice_of_rerolls() -> None:
    given().when({"type": "osr.night_rest", "characters": ["brog"], "rerolls": []}).invalid("no field")


# -- 6.4: short_rest_together ----------------------------------------------------------------------------


def test_6_4_together_nobody_else_stays_out() -> None:
    table = given(short_rest_together=True)
    table.when(rest("ada", "brog", rerolls=("ada",))).refused("OSR 6.4", "Brog has to re-roll")
    table.when(rest("ada", "brog", rerolls=("ada", "brog"), exempt=("brog",))).refused("OSR 6.4", "exempt")
    table.when(rest("ada", rerolls=("ada",), exempt=("brog",))).has("ada", fatigue=1).has("brog", fatigue=0)


# -- 6.5 -------------------------------------------------------------------------------------------------


def wounded(until: str) -> Given:
    """T4 Brog injured, T5 with a minor wound that lasts so long."""
    saves = InjurySaves(character="brog", strength=30, will=30, wound="sprain", until=until)
    return given(Damage(character="brog", amount=12), saves)


@pytest.mark.parametrize(
    "until",
    [
        "the next long rest",
        "Next Long Rest",
        "until the next long rest",
        "a long rest.",
        "the next good night's sleep",
        "a night’s rest",
    ],
)
def test_6_9_a_night_ends_a_wound_however_the_long_rest_is_called(until: str) -> None:
    table = wounded(until).when(rest("brog", rolled={"brog": (1, 1)})).quiet_about(WoundSleptOff)
    table.when(NightRest(characters=("brog",), rolled={"brog": (1, 1)})).then_some(WoundSleptOff("brog", 1, "sprain"))
    table.has("brog", wounds=[])


def test_a_night_that_version_3_decided_leaves_the_wound_and_the_next_one_ends_it() -> None:
    """Version 3 knew a long rest by these two words alone; what it decided stays as it was told."""
    table = wounded("the next long rest").and_given(NightRest(characters=("brog",), rolled={"brog": (1, 1)}))
    first, *turns, night = table.log.turns
    started = replace(first.events[0], version=3)
    told = tuple(event for event in night.events if not isinstance(event, WoundSleptOff))
    table.log = MemoryLog("osr", turns=[replace(first, events=(started,)), *turns, replace(night, events=told)])
    table.handler = second_handler(table)
    assert {finding.kind for finding in findings("osr", table.log.turns)} == {"older"}
    (wound,) = table.sheet("brog")["wounds"]
    assert table.system.in_words(table.handler.state(), "brog", "wounds", [wound]) == [
        "minor, sprain · until the next long rest · not treated, may worsen"
    ]
    table.when(NightRest(characters=("brog",), rolled={"brog": (1, 1)})).then_some(WoundSleptOff("brog", 1, "sprain"))
    assert table.log.turns[-1].rules_version == table.system.version


def test_until_is_written_once() -> None:
    (_, taken, *_) = wounded("until the next long rest").log.turns[-1].events
    assert taken.sentence() == ("Brog takes a minor wound: sprain, until the next long rest.",)


# -- as sentences ----------------------------------------------------------------------------------------


def test_a_reroll_is_told_with_what_does_not_count_struck() -> None:
    sentence = given(rested(3, 4)).when(rested(6, 1, 6)).events[0].sentence()
    assert "".join(sentence) == "Brog rolls 6 1 6 and has 7 hit points."
    assert [part for part in sentence if isinstance(part, Struck)] == ["6"], "the other of two equal dice counts"


# -- decided again ---------------------------------------------------------------------------------------


def test_an_amended_rest_can_add_dice_to_later_ones() -> None:
    table = given(rest("brog", rerolls=()), rested(3, 4))
    table.when(Amend(turn=4, action={"type": "osr.short_rest", "characters": ["brog"], "rolled": {"brog": [1, 1]}}))
    table.has("brog", fatigue=2)
    assert "(drawn) " in "".join(table.chronicle())
