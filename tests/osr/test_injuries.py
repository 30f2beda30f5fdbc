"""OSR 6.6, 6.7, 6.8 and 6.12: harm beyond hit points, the two saves, death or a major wound.

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from typing import Any

import msgspec
import pytest

from domain.common.revisions import Amend, Undo
from domain.osr.hit_points import LevelUp
from domain.osr.injuries import (
    BypassingHit,
    ChooseFate,
    Damage,
    HitPointsSacrificed,
    Injured,
    InjurySaves,
    Rallied,
    Rally,
)
from domain.osr.rests import NightRest, ShortRest
from domain.osr.wounds import DieOfWounds, RecoverWound, RecoveryRoll, Treat, Worsen
from domain.refusal import Refusal
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


def test_6_3_the_player_describes_the_loss_and_the_log_keeps_the_words() -> None:
    table = given(Damage(character="brog", amount=3, source="a ghoul", how="a torn sleeve."))
    table.and_given(Damage(character="brog", amount=3, how="out of luck"))
    assert table.chronicle()[-2:] == [
        "Brog is hit for 3 by a ghoul (a torn sleeve) and has 1 hit point left.",
        "Brog is hit for 3 (out of luck) and loses the last hit point: strength and will saves against DC 22.",
    ]


def test_a_loss_that_nobody_describes_is_stored_as_it_ever_was() -> None:
    assert "how" not in msgspec.to_builtins(given().when(hit(3)).events[0])


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


@pytest.mark.parametrize("action", [*ANYTHING_ELSE, saves(), fate("death"), fate("major_wound")])
def test_6_7_nothing_more_happens_to_the_dead(action: Action) -> None:
    table = given(hit(9), saves(strength=1), fate("death"))
    with unchanged(table):
        table.when(action).refused("OSR 6.7", "Brog is dead")


def test_6_6_the_choice_waits_for_the_saves() -> None:
    given(hit(9)).when(fate("death")).refused("OSR 6.6", "saves")
    given(hit(9)).when(fate("major_wound")).refused("OSR 6.6", "saves")


# -- 6.6: the saves --------------------------------------------------------------------------------------


def test_6_6_without_an_injury_there_is_nothing_to_save_against() -> None:
    given().when(saves()).refused("OSR 6.6", "no injury")
    given(hit(9), saves()).when(saves()).refused("OSR 6.6", "no injury")


def test_6_6_one_save_alone_is_refused() -> None:
    given(hit(9)).when(InjurySaves(character="brog", strength=25)).refused("OSR 6.6", "both saves")
    given(hit(9)).when({"type": "osr.injury_saves", "character": "brog", "will": 25}).invalid()


@pytest.mark.parametrize("total", [LARGEST + 1, 2.5, "25"])
def test_6_6_a_total_is_a_whole_number_that_can_be_stored(total: object) -> None:
    given(hit(9)).when({"type": "osr.injury_saves", "character": "brog", "strength": total, "will": 1}).invalid()


# -- 6.7 -------------------------------------------------------------------------------------------------


def test_6_7_what_is_told_of_a_minor_wound_needs_one() -> None:
    table = given(hit(9)).when(saves(3, 25, wound="a broken nose"))
    table.refused("OSR 6.7", "no minor wound to describe")
    assert isinstance(table.error, Refusal)
    assert [way.fields for way in table.error.choices] == [{"character": "brog", "strength": 3, "will": 25}]


def test_6_7_a_wound_that_was_told_stays_where_the_save_fails_afterwards() -> None:
    table = given(hit(9), saves(30, 30, wound="a broken nose"))
    harder = {"type": "osr.damage", "character": "brog", "amount": 40}
    table.when(Amend(turn=table.log.last() - 1, action=harder)).then_some()
    assert table.handler.state().characters["brog"].injury is not None


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


def test_6_8_the_collapsed_get_back_up() -> None:
    given(override(condition="collapsed")).when(Rally(character="brog")).then(Rallied("brog")).has(
        "brog", condition="up"
    )


def test_6_8_who_stands_has_no_need_to_rally() -> None:
    given().when(Rally(character="brog")).refused("OSR 6.8", "has not collapsed")


# -- 6.12 ------------------------------------------------------------------------------------------------


def test_6_12_the_dc_is_needed() -> None:
    given().when({"type": "osr.bypassing_hit", "character": "brog"}).invalid("dc")


def test_6_12_a_sacrifice_needs_no_dc_and_a_hit_does() -> None:
    paid = BypassingHit(character="brog", cost=3, sacrifice=True)
    given().when(paid).then(HitPointsSacrificed("brog", 3, 1)).has("brog", injury=None)
    given().when(BypassingHit(character="brog", attacker_level=2)).invalid("dc")


def test_6_12_a_sacrifice_needs_its_price() -> None:
    given().when(bypassed(sacrifice=True)).invalid("price")


@pytest.mark.parametrize("fields", [{"attacker_level": 0}, {"cost": -1}, {"attacker_level": LARGEST}])
def test_6_12_levels_and_prices_have_their_bounds(fields: dict[str, int]) -> None:
    given().when({"type": "osr.bypassing_hit", "character": "brog", "dc": 20, **fields}).invalid()


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
