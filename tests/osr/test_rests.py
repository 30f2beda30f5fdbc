"""OSR 6.4 and 6.5: short rests, fatigue, a night's sleep."""

from typing import Any

import pytest
from msgspec.structs import replace

from domain.common.revisions import Amend, Undo
from domain.common.rulings import Ruling
from domain.common.sheets import Override
from domain.log.port import MemoryLog
from domain.osr.hit_points import Enrol
from domain.osr.injuries import Damage, InjurySaves
from domain.osr.rests import (
    FatigueGained,
    FatigueSleptOff,
    HitPointsKept,
    HitPointsRerolled,
    MorningHitPointsRolled,
    NightRest,
    RestedWithoutReroll,
    ShortRest,
    WoundSleptOff,
)
from domain.turn import Struck
from tests.kit.given import Given, unchanged
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


def test_6_4_a_short_rest_rerolls_and_then_tires() -> None:
    given().when(rested(3, 4)).then(HitPointsRerolled("brog", (3, 4), (), 7), FatigueGained("brog", 1)).has(
        "brog", hp=7, fatigue=1
    )


def test_6_4_the_new_total_counts_even_if_it_is_lower() -> None:
    given().when(rested(1, 1)).has("brog", hp=2)


def test_6_4_what_nobody_reports_is_drawn() -> None:
    event = given().when(rest("brog")).events[0]
    assert isinstance(event, HitPointsRerolled)
    assert event.drawn
    assert len(event.dice) == 2


def test_6_4_some_dice_are_reported_and_others_drawn_in_one_rest() -> None:
    table = given().when(rest("brog", "ada", rolled={"ada": (2,)}))
    drawn = {event.character: event.drawn for event in table.events if isinstance(event, HitPointsRerolled)}
    assert drawn == {"brog": True, "ada": False}


@pytest.mark.parametrize("minutes", [0, 9])
def test_6_4_player_characters_need_ten_minutes(minutes: int) -> None:
    table = given()
    with unchanged(table):
        table.when(rest("brog", minutes=minutes)).refused("OSR 6.4", "10 minutes")


@pytest.mark.parametrize("minutes", [10, 60])
def test_6_4_ten_minutes_or_more_are_enough(minutes: int) -> None:
    given().when(rest("brog", minutes=minutes)).then_some(FatigueGained("brog", 1))


def test_6_4_how_long_others_need_is_the_referees() -> None:
    given(OGRE).when(rest("ogre", minutes=1, rolled={"ogre": (1, 2, 3, 4)})).has("ogre", hp=10, fatigue=1)


def test_6_4_one_player_character_among_others_still_needs_ten_minutes() -> None:
    given(OGRE).when(rest("ogre", "brog", minutes=1)).refused("OSR 6.4", "Brog needs at least 10 minutes")


@pytest.mark.parametrize("name", ["brog", "ogre"])
def test_6_4_nobody_rests_where_it_is_not_safe(name: str) -> None:
    given(OGRE).when(rest(name, safe=False)).refused("OSR 6.4", "safe")


def test_6_4_a_rest_without_a_reroll_must_be_a_rest_all_the_same() -> None:
    given().when(rest("brog", rerolls=(), minutes=5)).refused("OSR 6.4")


def test_6_4_each_decides_alone() -> None:
    given().when(rest("brog", "ada", rerolls=("ada",), rolled={"ada": (2,)})).then(
        RestedWithoutReroll("brog"), HitPointsRerolled("ada", (2,), (), 2), FatigueGained("ada", 1)
    ).has("brog", hp=11, fatigue=0)


def test_6_4_nobody_has_to_reroll() -> None:
    given().when(rest("brog", rerolls=())).then(RestedWithoutReroll("brog"))


def test_6_4_who_does_not_rest_cannot_reroll() -> None:
    given().when(rest("brog", rerolls=("ada",))).refused("OSR 6.4", "Ada does not rest")


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


def test_6_4_the_collapsed_and_the_wounded_may_rest() -> None:
    table = given(
        Damage(character="brog", amount=12),
        InjurySaves(character="brog", strength=30, fail_will=True),
    )
    table.when(rested(3, 4)).has("brog", hp=7, fatigue=1, condition="collapsed")
    assert len(table.sheet("brog")["wounds"]) == 1


@pytest.mark.parametrize("action", [rest("ada", "brog"), NightRest(characters=("ada", "brog"))])
def test_6_6_nobody_rests_with_an_open_injury(action: ShortRest | NightRest) -> None:
    table = given(Damage(character="brog", amount=12))
    with unchanged(table):
        table.when(action).refused("OSR 6.6", "open injury")
    table.when(rest("ada")).then_some(FatigueGained("ada", 1))


@pytest.mark.parametrize("action", [rest("ada", "brog"), NightRest(characters=("ada", "brog"))])
def test_6_7_the_dead_do_not_rest(action: ShortRest | NightRest) -> None:
    given(dead("brog")).when(action).refused("OSR 6.7", "Brog is dead")


# -- 6.4: keep_higher ------------------------------------------------------------------------------------


def test_6_4_keeping_the_old_total_is_refused() -> None:
    given().when(rest("brog", keep=("brog",), rolled={"brog": (1, 1)})).refused("OSR 6.4", "even if it is lower")


def test_6_4_keep_higher_keeps_the_old_total_and_tires_all_the_same() -> None:
    given(keep_higher=True).when(rest("brog", keep=("brog",), rolled={"brog": (1, 2)})).then(
        HitPointsKept("brog", (1, 2), (), 11), FatigueGained("brog", 1)
    ).has("brog", hp=11, fatigue=1)


def test_6_4_keep_higher_leaves_those_alone_who_do_not_keep() -> None:
    given(keep_higher=True).when(rested(1, 2)).has("brog", hp=3)


def test_6_4_keep_higher_without_a_reroll_keeps_nothing() -> None:
    given(keep_higher=True).when(rest("brog", rerolls=(), keep=("brog",))).refused("OSR 6.4", "nothing to keep")
    given(keep_higher=True).when(rest("brog", keep=("ada",))).refused("OSR 6.4")


def test_6_4_an_empty_list_asks_for_nothing() -> None:
    given().when(rest("brog", keep=(), exempt=(), rolled={})).then_some(FatigueGained("brog", 1))


# -- 6.4: short_rest_together ----------------------------------------------------------------------------


def test_6_4_exempt_is_refused_where_each_decides_alone() -> None:
    given().when(rest("brog", exempt=("ada",))).refused("OSR 6.4", "exempt")


def test_6_4_together_everybody_living_rests_and_rerolls() -> None:
    table = given(OGRE, Enrol(character="cleo"), dead("cleo"), short_rest_together=True)
    table.when(rest("ada", rolled={"ada": (1,), "brog": (1, 2), "ogre": (1, 1, 1, 2)}))
    table.has("ada", hp=1, fatigue=1).has("brog", hp=3, fatigue=1).has("ogre", hp=5, fatigue=1)
    table.has("cleo", fatigue=0, condition="dead")


def test_6_4_together_the_exempt_do_not_reroll() -> None:
    table = given(short_rest_together=True)
    table.when(rest("ada", exempt=("brog",))).then_some(RestedWithoutReroll("brog", exempt=True))
    table.has("brog", hp=11, fatigue=0).has("ada", fatigue=1)


def test_6_4_together_who_asks_for_the_rest_may_be_exempt() -> None:
    given(short_rest_together=True).when(rest("brog", exempt=("brog",))).has("brog", hp=11).has("ada", fatigue=1)


def test_6_4_together_nobody_else_stays_out() -> None:
    table = given(short_rest_together=True)
    table.when(rest("ada", "brog", rerolls=("ada",))).refused("OSR 6.4", "Brog has to re-roll")
    table.when(rest("ada", "brog", rerolls=("ada", "brog"), exempt=("brog",))).refused("OSR 6.4", "exempt")
    table.when(rest("ada", rerolls=("ada",), exempt=("brog",))).has("ada", fatigue=1).has("brog", fatigue=0)


def test_6_4_together_dice_for_the_exempt_are_refused() -> None:
    given(short_rest_together=True).when(rest("ada", exempt=("brog",), rolled={"brog": (1, 1)})).refused("OSR 6.1")


def test_6_4_together_an_open_injury_comes_first() -> None:
    table = given(Damage(character="brog", amount=12), short_rest_together=True)
    table.when(rest("ada")).refused("OSR 6.6", "Brog has an open injury")


def test_6_4_together_the_dead_cannot_be_exempt() -> None:
    given(dead("brog"), short_rest_together=True).when(rest("ada", exempt=("brog",))).refused("OSR 6.7")


def test_6_4_together_is_about_short_rests_only() -> None:
    given(rested(1, 1), short_rest_together=True).when(NightRest(characters=("ada",))).has("brog", fatigue=1)


# -- 6.5 -------------------------------------------------------------------------------------------------


def test_6_5_third_short_rest_drops_the_two_highest() -> None:
    given(rested(3, 4), rested(6, 1, 5)).when(rested(2, 6, 6, 3)).then(
        HitPointsRerolled("brog", (2, 6, 6, 3), (6, 6), 5), FatigueGained("brog", 3)
    ).has("brog", hp=5, fatigue=3)


@pytest.mark.parametrize("dice", [(3, 3), (1, 2, 3, 4), ()])
def test_6_5_each_point_of_fatigue_takes_a_die_more(dice: tuple[int, ...]) -> None:
    given(rested(3, 4)).when(rested(*dice)).refused("OSR 6.5", "Brog rolls 3 dice (2 hit dice and 1 for fatigue)")


def test_6_1_without_fatigue_the_hit_dice_are_the_number() -> None:
    given().when(rested(3, 4, 5)).refused("OSR 6.1", "Brog rolls 2 hit dice, not 3")


def test_6_1_no_die_shows_a_seven_however_tired() -> None:
    given(rested(3, 4)).when(rested(3, 4, 7)).refused("OSR 6.1", "cannot show 7")


def test_6_5_a_rest_without_a_reroll_does_not_tire() -> None:
    given(rested(3, 4)).when(rest("brog", rerolls=())).quiet_about(FatigueGained).has("brog", fatigue=1, hp=7)


def test_6_5_a_night_takes_all_fatigue_and_rolls_plain_hit_dice() -> None:
    given(rested(3, 4), rested(6, 1, 5)).when(NightRest(characters=("brog",), rolled={"brog": (1, 1)})).then(
        FatigueSleptOff("brog", 2), MorningHitPointsRolled("brog", (1, 1), 2)
    ).has("brog", hp=2, fatigue=0)


def test_6_5_a_night_without_fatigue_is_quiet_about_it() -> None:
    given().when(NightRest(characters=("brog",), rolled={"brog": (6, 6)})).then(
        MorningHitPointsRolled("brog", (6, 6), 12)
    )


def test_6_5_the_roll_in_the_morning_is_drawn_when_nobody_reports_it() -> None:
    event = given().when(NightRest(characters=("brog",))).events[-1]
    assert isinstance(event, MorningHitPointsRolled)
    assert event.drawn


def test_6_5_the_roll_in_the_morning_cannot_be_left_out() -> None:
    given().when(NightRest(characters=("brog",), rolled={"brog": ()})).refused("OSR 6.5", "leave out")


def test_6_1_the_morning_takes_the_hit_dice_and_no_other_number() -> None:
    given(rested(3, 4)).when(NightRest(characters=("brog",), rolled={"brog": (1, 1, 1)})).refused("OSR 6.1")


def test_6_5_a_night_ends_what_lasts_until_the_next_long_rest() -> None:
    hurt = Damage(character="brog", amount=12)
    table = given(
        hurt,
        InjurySaves(character="brog", strength=30, will=30),
        Damage(character="brog", amount=1),
        InjurySaves(character="brog", strength=30, will=30, wound="burn", until="a week"),
    )
    table.when(NightRest(characters=("brog",), rolled={"brog": (1, 1)})).then_some(
        WoundSleptOff("brog", 1, "shallow cut")
    )
    assert [wound["id"] for wound in table.sheet("brog")["wounds"]] == [2]


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


@pytest.mark.parametrize(
    "until",
    ["a week", "two long rests", "the long rest at home", "the rest of her life", "the next short rest", "next long"],
)
def test_6_9_a_night_leaves_a_wound_that_lasts_until_something_else(until: str) -> None:
    table = wounded(until).when(NightRest(characters=("brog",), rolled={"brog": (1, 1)}))
    assert [(wound["id"], wound["until"]) for wound in table.quiet_about(WoundSleptOff).sheet("brog")["wounds"]] == [
        (1, until)
    ]


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


def test_a_kept_total_is_told_with_all_dice_struck() -> None:
    table = given(keep_higher=True).when(rest("brog", keep=("brog",), rolled={"brog": (1, 2)}))
    sentence = table.events[0].sentence()
    assert "".join(sentence) == "Brog rolls 1 2 but keeps 11 hit points."
    assert [part for part in sentence if isinstance(part, Struck)] == ["1", "2"]


# -- decided again ---------------------------------------------------------------------------------------


def test_an_undone_rest_gives_later_rests_a_die_less() -> None:
    table = given(rested(3, 4), rested(6, 1, 5)).when(Undo(turns=(4,)))
    table.has("brog", hp=7, fatigue=1)


def test_an_amended_rest_can_add_dice_to_later_ones() -> None:
    table = given(rest("brog", rerolls=()), rested(3, 4))
    table.when(Amend(turn=4, action={"type": "osr.short_rest", "characters": ["brog"], "rolled": {"brog": [1, 1]}}))
    table.has("brog", fatigue=2)
    assert "(drawn) " in "".join(table.chronicle())


def test_dice_of_those_who_no_longer_rest_stay_on_record() -> None:
    """The ruling that all rest together is undone: its rest stands, for those who asked for it."""
    together = Ruling(rule="6.4", text="One for all.", set={"short_rest_together": True})
    table = given(together, rest("ada", rolled={"ada": (1,), "brog": (1, 2)})).has("brog", hp=3)
    table.when(Undo(turns=(4,))).has("brog", hp=11, fatigue=0).has("ada", hp=1, fatigue=1)
