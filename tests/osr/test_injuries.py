"""OSR 6.6, 6.7, 6.8 and 6.12: harm beyond hit points, the two saves, death or a major wound."""

from typing import Any

import msgspec
import pytest

from domain.common.revisions import Amend, Undo
from domain.osr.hit_points import Enrol, LevelUp
from domain.osr.injuries import (
    BypassingHit,
    ChooseFate,
    Damage,
    Damaged,
    DeathChosen,
    DiedOutright,
    HitPointsBypassed,
    HitPointsSacrificed,
    Injured,
    InjurySaves,
    Rallied,
    Rally,
    StrengthSaveFailed,
    StrengthSavePassed,
    WillSaveFailed,
    WillSavePassed,
)
from domain.osr.rests import NightRest, ShortRest
from domain.osr.wounds import DieOfWounds, MajorWoundTaken, MinorWoundTaken, RecoverWound, RecoveryRoll, Treat, Worsen
from domain.turn import LARGEST, Action, Drawn, StoredDrawn
from tests.kit.given import Given, unchanged
from tests.osr.tables import given, override


def hit(amount: int, source: str | None = None) -> Damage:
    return Damage(character="brog", amount=amount, source=source)


def saves(strength: int = 25, will: int | None = 25, **more: Any) -> InjurySaves:
    return InjurySaves(character="brog", strength=strength, will=will, **more)


def bypassed(dc: int = 22, **more: Any) -> BypassingHit:
    return BypassingHit(character="brog", dc=dc, **more)


def fate(which: Any, **more: Any) -> ChooseFate:
    return ChooseFate(character="brog", fate=which, **more)


# -- 6.6: damage -----------------------------------------------------------------------------------------


def test_6_6_hit_points_take_damage() -> None:
    given().when(hit(3, "an ogre")).then(Damaged("brog", 3, 1, "an ogre")).has("brog", hp=1, injury=None)


def test_6_6_damage_of_nothing_changes_nothing() -> None:
    given().when(hit(0)).then(Damaged("brog", 0, 4)).has("brog", hp=4, injury=None)


def test_6_6_what_is_no_regular_attack_has_a_dc_of_its_own() -> None:
    fall = Damage(character="brog", amount=9, source="a fall", dc=17)
    given().when(fall).then(Injured("brog", 9, 4, 5, 17, "a fall")).has(
        "brog", injury={"dc": 17, "source": "a fall", "stage": "saves"}
    )
    given().when(Damage(character="brog", amount=3, dc=17)).then(Damaged("brog", 3, 1)).has("brog", injury=None)


def test_6_3_the_player_describes_the_loss_and_the_log_keeps_the_words() -> None:
    table = given(Damage(character="brog", amount=3, source="a ghoul", how="a torn sleeve."))
    table.and_given(Damage(character="brog", amount=3, how="out of luck"))
    assert table.chronicle()[-2:] == [
        "Brog is hit for 3 by a ghoul (a torn sleeve) and has 1 hit point left.",
        "Brog is hit for 3 (out of luck) and loses the last hit point: strength and will saves against DC 22.",
    ]


def test_a_loss_that_nobody_describes_is_stored_as_it_ever_was() -> None:
    assert "how" not in msgspec.to_builtins(given().when(hit(3)).events[0])


def test_6_6_damage_beyond_the_hit_points_injures() -> None:
    given().when(hit(9, "an ogre")).then(Injured("brog", 9, 4, 5, 25, "an ogre")).has(
        "brog", hp=0, injury={"dc": 25, "source": "an ogre", "stage": "saves"}, condition="up"
    )


def test_6_6_damage_at_no_hit_points_overflows_whole() -> None:
    given(hit(4)).when(hit(3)).has("brog", hp=0, injury={"dc": 23, "source": None, "stage": "saves"})


def test_6_6_damage_of_nothing_at_no_hit_points_is_no_injury() -> None:
    given(hit(4)).when(hit(0)).has("brog", injury=None)
    given(hit(4), override(hp=0), zero_is_injury=False).when(hit(0)).quiet_about(Injured)


def test_6_6_exactly_no_hit_points_left_is_no_injury() -> None:
    given().when(hit(4)).then(Damaged("brog", 4, 0)).has("brog", hp=0, injury=None)


def test_6_6_zero_is_injury_calls_for_saves_without_overflow() -> None:
    given(zero_is_injury=True).when(hit(4)).then(Injured("brog", 4, 4, 0, 20)).has(
        "brog", hp=0, injury={"dc": 20, "source": None, "stage": "saves"}
    )


def test_6_6_zero_is_injury_needs_damage() -> None:
    given(override(hp=0), zero_is_injury=True).when(hit(0)).has("brog", injury=None)
    given(zero_is_injury=True).when(hit(3)).has("brog", hp=1, injury=None)


@pytest.mark.parametrize("amount", [-1, LARGEST, 2.5, "nine", None])
def test_6_6_damage_is_a_whole_number(amount: object) -> None:
    given().when({"type": "osr.damage", "character": "brog", "amount": amount}).invalid()


def test_6_6_the_greatest_damage_can_be_stored() -> None:
    given(hit(4)).when(hit(LARGEST - 20)).has("brog", injury={"dc": LARGEST, "source": None, "stage": "saves"})


# -- 6.6: nothing else until saves and fate are settled --------------------------------------------------

ANYTHING_ELSE = [
    hit(1),
    hit(0),
    bypassed(),
    bypassed(sacrifice=True, cost=0),
    ShortRest(characters=("brog",)),
    ShortRest(characters=("brog",), rerolls=()),
    NightRest(characters=("brog",)),
    Treat(character="brog", wound=1),
    Worsen(character="brog", wound=1, dc=20),
    DieOfWounds(character="brog"),
    RecoverWound(character="brog", wound=1),
    Rally(character="brog"),
    LevelUp(character="brog"),
    RecoveryRoll(character="brog", ability="wisdom", improved=True),
]


@pytest.mark.parametrize("action", ANYTHING_ELSE)
def test_6_6_the_saves_come_first(action: Action) -> None:
    table = given(hit(9))
    with unchanged(table):
        table.when(action).refused("OSR 6.6", "saves against DC 25 come first")


@pytest.mark.parametrize("action", [*ANYTHING_ELSE, saves()])
def test_6_6_the_choice_of_fate_comes_first(action: Action) -> None:
    table = given(hit(9), saves(strength=1))
    with unchanged(table):
        table.when(action).refused("OSR 6.6", "death or a major wound comes first")


@pytest.mark.parametrize("action", [*ANYTHING_ELSE, saves(), fate("death"), fate("major_wound")])
def test_6_7_nothing_more_happens_to_the_dead(action: Action) -> None:
    table = given(hit(9), saves(strength=1), fate("death"))
    with unchanged(table):
        table.when(action).refused("OSR 6.7", "Brog is dead")


def test_6_6_others_go_on_while_an_injury_is_open() -> None:
    table = given(Enrol(character="ada", rolled=(6,)), hit(9))
    table.when(Damage(character="ada", amount=1)).has("ada", hp=5)


def test_6_6_the_choice_waits_for_the_saves() -> None:
    given(hit(9)).when(fate("death")).refused("OSR 6.6", "saves")
    given(hit(9)).when(fate("major_wound")).refused("OSR 6.6", "saves")


# -- 6.6: the saves --------------------------------------------------------------------------------------


def test_6_6_both_saves_passed() -> None:
    given(hit(9)).when(saves(25, 26)).then(
        StrengthSavePassed("brog", 25, 25),
        MinorWoundTaken("brog", 1, "shallow cut", "-2 to heavy physical tasks", "long rest"),
        WillSavePassed("brog", 26, 25),
    ).has("brog", hp=0, injury=None, condition="up", marks=0)


def test_6_6_without_an_injury_there_is_nothing_to_save_against() -> None:
    given().when(saves()).refused("OSR 6.6", "no injury")
    given(hit(9), saves()).when(saves()).refused("OSR 6.6", "no injury")


def test_6_6_one_save_alone_is_refused() -> None:
    given(hit(9)).when(InjurySaves(character="brog", strength=25)).refused("OSR 6.6", "both saves")
    given(hit(9)).when({"type": "osr.injury_saves", "character": "brog", "will": 25}).invalid()


@pytest.mark.parametrize(("total", "condition"), [(24, "collapsed"), (25, "up"), (26, "up")])
def test_6_6_a_total_equal_to_the_dc_passes(total: int, condition: str) -> None:
    given(hit(9)).when(saves(25, total)).has("brog", condition=condition)


@pytest.mark.parametrize(("total", "condition"), [(24, "collapsed"), (25, "collapsed"), (26, "up")])
def test_6_6_a_total_equal_to_the_dc_fails_if_so_ruled(total: int, condition: str) -> None:
    table = given(hit(9), save_meets_dc=False)
    table.when(saves(26, total)).has("brog", condition=condition)


def test_6_6_strength_equal_to_the_dc_fails_if_so_ruled() -> None:
    given(hit(9), save_meets_dc=False).when(saves(25, 30)).then(
        StrengthSaveFailed("brog", 25, 25), WillSavePassed("brog", 30, 25)
    )


@pytest.mark.parametrize("total", [-LARGEST, -3, 0, LARGEST])
def test_6_6_any_total_will_do(total: int) -> None:
    assert given(hit(9)).when(saves(total, total)).events


@pytest.mark.parametrize("total", [LARGEST + 1, 2.5, "25"])
def test_6_6_a_total_is_a_whole_number_that_can_be_stored(total: object) -> None:
    given(hit(9)).when({"type": "osr.injury_saves", "character": "brog", "strength": total, "will": 1}).invalid()


# -- 6.7 -------------------------------------------------------------------------------------------------


def test_6_7_a_failed_strength_save_opens_the_choice() -> None:
    given(hit(9, "an ogre")).when(saves(24)).then(
        StrengthSaveFailed("brog", 24, 25), WillSavePassed("brog", 25, 25)
    ).has("brog", injury={"dc": 25, "source": "an ogre", "stage": "fate"}, condition="up", wounds=[])


def test_6_7_the_player_may_choose_death() -> None:
    given(hit(9), saves(24)).when(fate("death")).then(DeathChosen("brog")).has(
        "brog", condition="dead", injury=None, wounds=[], marks=0
    )


def test_6_7_the_player_may_choose_a_major_wound() -> None:
    given(hit(9), saves(24)).when(fate("major_wound", wound="lost hand", effect="one hand")).then(
        MajorWoundTaken("brog", 1, "lost hand", "one hand", 1)
    ).has("brog", condition="up", injury=None, marks=1, hp=0)


def test_6_7_strength_cannot_be_failed_on_purpose() -> None:
    given(hit(9)).when(
        {"type": "osr.injury_saves", "character": "brog", "strength": 25, "will": 1, "fail_strength": True}
    ).invalid("no field")


def test_6_7_without_a_failed_save_there_is_no_fate_to_choose() -> None:
    given().when(fate("death")).refused("OSR 6.7", "failed strength save")
    given().when(fate("major_wound")).refused("OSR 6.7", "failed strength save")
    given(hit(9), saves(25)).when(fate("major_wound")).refused("OSR 6.7")
    given(hit(9), saves(24), fate("major_wound")).when(fate("death")).refused("OSR 6.7")


@pytest.mark.parametrize("more", [{"wound": "crushed"}, {"effect": "x"}, {"ability_loss": {"wisdom": 1}}])
def test_6_7_death_takes_no_wound_with_it(more: dict[str, Any]) -> None:
    given(hit(9), saves(24)).when(fate("death", **more)).invalid("leave them out")


def test_6_7_there_is_no_third_fate() -> None:
    given(hit(9), saves(24)).when({"type": "osr.choose_fate", "character": "brog", "fate": "luck"}).invalid()


def test_6_7_after_death_from_the_strength_save_the_will_save_is_on_record_and_changes_nothing() -> None:
    given(override(marks=2), hit(9)).when(saves(24, 1)).then(
        StrengthSaveFailed("brog", 24, 25),
        DiedOutright("brog", 2),
        WillSaveFailed("brog", 1, 25, collapses=False, dead=True),
    ).has("brog", condition="dead", injury=None)


@pytest.mark.parametrize(("will", "fail_will"), [(1, False), (30, False), (None, True)])
def test_6_7_the_dead_roll_no_will_save_in_the_sentence(will: int | None, fail_will: bool) -> None:
    dead = given(override(marks=2), hit(9)).when(saves(24, will, fail_will=fail_will))
    assert len(dead.events) == 3, "the will save is on record"
    assert dead.chronicle()[-1] == (
        "Brog's strength save fails: 24 against DC 25.Brog dies outright: 2 marks and no major wound left to choose."
    )
    plain_failure = given(hit(9)).when(saves(24, will, fail_will=fail_will))
    assert "will save" in plain_failure.chronicle()[-1]


# -- 6.8 -------------------------------------------------------------------------------------------------


def test_6_8_a_failed_will_save_is_a_collapse() -> None:
    given(hit(9)).when(saves(25, 24)).then_some(WillSaveFailed("brog", 24, 25)).has("brog", condition="collapsed")


def test_6_8_the_will_save_may_be_failed_on_purpose() -> None:
    given(hit(9)).when(saves(25, None, fail_will=True)).then_some(
        WillSaveFailed("brog", None, 25, on_purpose=True)
    ).has("brog", condition="collapsed")


def test_6_8_failed_on_purpose_with_a_total_it_is_failed_and_the_total_on_record() -> None:
    given(hit(9)).when(saves(25, 30, fail_will=True)).then_some(WillSaveFailed("brog", 30, 25, on_purpose=True)).has(
        "brog", condition="collapsed"
    )


def test_6_8_a_passed_will_save_leaves_the_collapsed_where_they_are() -> None:
    given(override(condition="collapsed"), hit(9)).when(saves(25, 30)).has("brog", condition="collapsed")


def test_6_8_who_is_down_does_not_collapse_again() -> None:
    given(override(condition="collapsed"), hit(9)).when(saves(25, 1)).then_some(
        WillSaveFailed("brog", 1, 25, collapses=False)
    ).has("brog", condition="collapsed")


def test_6_8_both_saves_failed_leave_the_choice_to_somebody_collapsed() -> None:
    given(hit(9)).when(saves(1, 1)).has("brog", condition="collapsed")
    given(hit(9), saves(1, 1)).when(fate("major_wound")).has("brog", condition="collapsed", marks=1)


def test_6_8_the_collapsed_get_back_up() -> None:
    given(override(condition="collapsed")).when(Rally(character="brog")).then(Rallied("brog")).has(
        "brog", condition="up"
    )


def test_6_8_who_stands_has_no_need_to_rally() -> None:
    given().when(Rally(character="brog")).refused("OSR 6.8", "has not collapsed")


# -- 6.12 ------------------------------------------------------------------------------------------------


def test_6_12_a_bypassing_hit_leaves_the_hit_points() -> None:
    given().when(bypassed(22, source="poison")).then(HitPointsBypassed("brog", 22, "poison")).has(
        "brog", hp=4, injury={"dc": 22, "source": "poison", "stage": "saves"}
    )
    given(bypassed(22)).when(saves(22, 22)).has("brog", hp=4, injury=None)


@pytest.mark.parametrize("dc", [-5, 0, 20, LARGEST])
def test_6_12_the_dc_is_the_referees(dc: int) -> None:
    given().when(bypassed(dc)).has("brog", injury={"dc": dc, "source": None, "stage": "saves"})


def test_6_12_the_dc_is_needed() -> None:
    given().when({"type": "osr.bypassing_hit", "character": "brog"}).invalid("dc")


def test_6_12_hit_points_buy_it_off_at_ten_for_each_level() -> None:
    table = Given("osr", Enrol(character="brog", level=4, rolled=(6, 6, 6, 4)))
    table.when(bypassed(attacker_level=2, sacrifice=True)).then(HitPointsSacrificed("brog", 20, 2))
    table.has("brog", hp=2, injury=None)


def test_6_12_the_referee_may_name_another_price() -> None:
    given().when(bypassed(attacker_level=2, cost=3, sacrifice=True)).has("brog", hp=1)
    given().when(bypassed(cost=3, sacrifice=True)).has("brog", hp=1)


@pytest.mark.parametrize("options", [{}, {"zero_is_injury": True}])
def test_6_12_paying_the_last_hit_point_is_no_injury(options: dict[str, Any]) -> None:
    given(**options).when(bypassed(cost=4, sacrifice=True)).has("brog", hp=0, injury=None)


def test_6_12_less_than_the_whole_price_buys_nothing() -> None:
    table = given()
    with unchanged(table):
        table.when(bypassed(attacker_level=1, sacrifice=True)).refused("OSR 6.12", "with 4 hit points: it costs 10")
        table.when(bypassed(cost=5, sacrifice=True)).refused("OSR 6.12")


def test_6_12_a_price_nobody_pays_changes_nothing() -> None:
    given().when(bypassed(20, attacker_level=1, cost=1)).has("brog", hp=4).then(HitPointsBypassed("brog", 20))


def test_6_12_a_sacrifice_needs_no_dc_and_a_hit_does() -> None:
    paid = BypassingHit(character="brog", cost=3, sacrifice=True)
    given().when(paid).then(HitPointsSacrificed("brog", 3, 1)).has("brog", injury=None)
    given().when(BypassingHit(character="brog", attacker_level=2)).invalid("dc")


def test_6_12_a_sacrifice_needs_its_price() -> None:
    given().when(bypassed(sacrifice=True)).invalid("price")


@pytest.mark.parametrize("fields", [{"attacker_level": 0}, {"cost": -1}, {"attacker_level": LARGEST}])
def test_6_12_levels_and_prices_have_their_bounds(fields: dict[str, int]) -> None:
    given().when({"type": "osr.bypassing_hit", "character": "brog", "dc": 20, **fields}).invalid()


# -- decided again ---------------------------------------------------------------------------------------


def test_a_harder_hit_can_turn_a_passed_save_into_an_open_fate() -> None:
    table = given(hit(9), saves(25))
    table.when(Amend(turn=3, action={"type": "osr.damage", "character": "brog", "amount": 10}))
    table.has("brog", injury={"dc": 26, "source": None, "stage": "fate"}, wounds=[], condition="collapsed")


def test_without_the_hit_its_saves_are_in_the_way() -> None:
    given(hit(9), saves(25)).when(Undo(turns=(3,))).conflicts(4)


# -- as sentences, and what is open ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "action", "sentences"),
    [
        ([], hit(3), ["Brog is hit for 3 and has 1 hit point left."]),
        ([], hit(9), ["Brog is hit for 9 and loses the last 4 hit points: strength and will saves against DC 25."]),
        (
            [hit(9)],
            saves(25, 24),
            [
                "Brog's strength save passes: 25 against DC 25.",
                "Brog takes a minor wound: shallow cut, -2 to heavy physical tasks, until a long rest.",
                "Brog's will save fails: 24 against DC 25, and Brog collapses.",
            ],
        ),
        (
            [hit(9)],
            saves(2, None, fail_will=True),
            [
                "Brog's strength save fails: 2 against DC 25.",
                "Brog fails the will save on purpose and collapses.",
            ],
        ),
        (
            [],
            bypassed(cost=1, sacrifice=True, source="a trap"),
            ["Brog pays 1 hit point to stop a trap and has 3 left."],
        ),
        ([], bypassed(), ["A hit bypasses Brog's hit points: strength and will saves against DC 22."]),
        (
            [],
            bypassed(source="the wight"),
            ["The wight's hit bypasses Brog's hit points: strength and will saves against DC 22."],
        ),
        (
            [],
            bypassed(source="from a trap"),
            ["A hit from a trap bypasses Brog's hit points: strength and will saves against DC 22."],
        ),
    ],
)
def test_what_happens_is_told_in_plain_sentences(before: list[Action], action: Action, sentences: list[str]) -> None:
    assert ["".join(event.sentence()) for event in given(*before).when(action).events] == sentences


def test_an_open_injury_names_the_command_that_settles_it() -> None:
    assert given().hints() == []
    assert given(hit(9)).hints() == ["Next: campaign osr injury-saves brog STRENGTH --will …"]
    assert given(hit(9), saves(1)).hints() == [
        "Next: campaign osr choose-fate brog death",
        "or:   campaign osr choose-fate brog major_wound",
    ]
    assert given(hit(9), saves(1), override(marks=2)).hints() == ["Next: campaign osr choose-fate brog death"]
    assert given(hit(9), saves(25)).hints() == []


def test_a_name_of_two_words_is_quoted_for_the_shell() -> None:
    table = Given("osr", Enrol(character="old brog", rolled=(1,)), Damage(character="old brog", amount=2))
    assert table.hints("old brog") == ["Next: campaign osr injury-saves 'old brog' STRENGTH --will …"]


# -- back up, and the totals on record -------------------------------------------------------------------


COLLAPSED = (hit(9), saves(will=3))
REST = ShortRest(characters=("brog",), rerolls=())


def waits_for(table: Given) -> list[str]:
    state = table.handler.state()
    return [way.action.__name__ for matter in table.system.pending_for(state, "brog") for way in matter.choices]


def test_6_9_after_a_short_rest_whoever_lies_collapsed_is_asked_about() -> None:
    assert waits_for(given(*COLLAPSED)) == []
    table = given(*COLLAPSED, REST)
    assert waits_for(table) == ["Rally"]
    assert waits_for(table.and_given(Undo(turns=(5,)))) == []


def test_6_9_whoever_stands_is_not_asked_about() -> None:
    assert waits_for(given(hit(9), saves(), REST)) == []
    assert waits_for(given(REST, *COLLAPSED)) == []
    assert waits_for(given(*COLLAPSED, REST, Rally(character="brog"))) == []


def test_6_9_a_new_collapse_waits_for_a_rest_of_its_own() -> None:
    again = (Rally(character="brog"), hit(9), saves(99, 3))
    assert waits_for(given(*COLLAPSED, REST, *again)) == []


def test_6_6_the_totals_of_both_saves_are_on_record_as_reported() -> None:
    def record(action: InjurySaves) -> dict[str, StoredDrawn]:
        outcome = given(hit(9)).when(action).outcome
        assert outcome is not None
        return {key: drawn for key, drawn in outcome.turn.chance.items() if key.endswith("save")}

    strength: dict[str, StoredDrawn] = {"brog/strength save": Drawn((25,), 1, "brog", "strength save")}
    assert record(saves()) == {**strength, "brog/will save": Drawn((25,), 1, "brog", "will save")}
    assert record(saves(will=None, fail_will=True)) == strength


def test_a_hit_on_somebody_without_hit_points_says_so_of_them_and_not_of_the_attacker() -> None:
    assert Injured("Wen", 1, 0, 1, 21, "a rat").sentence() == (
        "Wen has no hit points left and is hit for 1 by a rat: strength and will saves against DC 21.",
    )
