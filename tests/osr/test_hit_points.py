"""OSR 6.1 and 6.2: hit dice, the first hit points, and gaining a level."""

from typing import Any

import pytest

from domain.common.revisions import Amend, Undo
from domain.common.sheets import Override
from domain.osr.hit_points import Enrol, Enrolled, LevelGained, LevelUp
from domain.osr.injuries import Damage
from domain.osr.rests import NightRest
from domain.osr.sheet import OsrSheet
from domain.refusal import Refusal
from domain.turn import Struck
from tests.kit.given import Given, unchanged
from tests.osr.tables import override


def given(*more: Any, **options: Any) -> Given:
    return Given("osr", Enrol(character="brog", level=2, rolled=(5, 6)), *more, options=options)


def test_6_1_hit_points_are_the_sum_of_the_hit_dice() -> None:
    Given("osr").when(Enrol(character="brog", player="Ann", level=2, rolled=(5, 6))).then(
        Enrolled("brog", "Ann", 2, 2, False, (5, 6), 11)
    ).has("brog", player="Ann", level=2, hit_dice=2, hp=11)


def test_6_1_a_new_sheet_has_every_field_of_the_contract_and_no_other() -> None:
    table = given()
    assert table.sheet("brog") == {
        "player": None,
        "level": 2,
        "hit_dice": 2,
        "hp": 11,
        "fatigue": 0,
        "marks": 0,
        "condition": "up",
        "injury": None,
        "wounds": [],
        "ability_loss": {},
        "recovery_marks": 0,
        "side": None,
        "tracked": {},
        "away": None,
    }
    assert table.system.table_view(table.handler.state()) == {"tracked": {}}


def test_6_1_dice_that_nobody_reports_are_drawn_and_told_apart() -> None:
    table = Given("osr").when(Enrol(character="brog", level=3))
    (event,) = table.events
    assert isinstance(event, Enrolled)
    assert event.drawn
    assert len(event.dice) == 3
    assert all(1 <= die <= 6 for die in event.dice)
    assert event.hp == sum(event.dice)
    assert "(drawn) " in event.sentence()
    table.when(Enrol(character="ada", rolled=(4,)))
    assert "(drawn) " not in table.events[0].sentence()


@pytest.mark.parametrize("rolled", [(), (5,), (5, 6, 1)])
def test_6_1_another_number_of_dice_is_refused(rolled: tuple[int, ...]) -> None:
    Given("osr").when(Enrol(character="brog", level=2, rolled=rolled)).refused("OSR 6.1", "2 hit dice")


@pytest.mark.parametrize("die", [0, 7, -1])
def test_6_1_a_face_that_no_die_has_is_refused(die: int) -> None:
    Given("osr").when(Enrol(character="brog", rolled=(die,))).refused("OSR 6.1", f"cannot show {die}")


def test_6_2_a_player_character_has_a_hit_die_for_each_level() -> None:
    Given("osr").when(Enrol(character="brog", level=4, rolled=(1, 1, 1, 1))).has("brog", level=4, hit_dice=4)


def test_6_2_somebody_with_hit_dice_of_their_own_is_a_non_player() -> None:
    table = Given("osr").when(Enrol(character="ogre", hit_dice=4, rolled=(1, 2, 3, 4)))
    table.has("ogre", player=None, level=1, hit_dice=4, hp=10)
    sheet = table.handler.state().characters["ogre"]
    assert isinstance(sheet, OsrSheet)
    assert sheet.non_player


@pytest.mark.parametrize("field", ["level", "hit_dice"])
@pytest.mark.parametrize("value", [0, -1, 101, 2**60, 1.5, "two", True])
def test_6_2_levels_and_hit_dice_go_from_1_to_100(field: str, value: object) -> None:
    Given("osr").when({"type": "osr.enrol", "character": "brog", field: value}).invalid()


def test_6_2_the_highest_level_has_a_hundred_dice() -> None:
    Given("osr").when({"type": "osr.enrol", "character": "brog", "level": 100, "rolled": [6] * 100}).has("brog", hp=600)


def test_a_name_is_enrolled_once() -> None:
    given().when(Enrol(character="BROG")).refused(None, "enrolled already")


def test_6_2_a_level_brings_a_hit_die_and_leaves_the_hit_points() -> None:
    given().when(LevelUp(character="brog")).then(LevelGained("brog", 3, 3)).has("brog", level=3, hit_dice=3, hp=11)


def test_6_2_a_level_raises_the_hit_dice_of_a_non_player_as_well() -> None:
    table = Given("osr", Enrol(character="ogre", level=2, hit_dice=4))
    table.when(LevelUp(character="ogre")).has("ogre", level=3, hit_dice=5)


def test_6_2_the_next_roll_after_a_level_has_a_die_more() -> None:
    given(LevelUp(character="brog")).when(NightRest(characters=("brog",), rolled={"brog": (1, 2, 3)})).has("brog", hp=6)


def test_6_2_there_is_no_level_beyond_100() -> None:
    table = Given("osr", Enrol(character="brog", level=100))
    with unchanged(table):
        table.when(LevelUp(character="brog")).refused("OSR 6.2", "highest level")
    table = Given("osr", Enrol(character="ogre", hit_dice=100))
    table.when(LevelUp(character="ogre")).refused("OSR 6.2", "hit dice")


def test_6_6_nobody_gains_a_level_with_an_open_injury() -> None:
    given(Damage(character="brog", amount=12)).when(LevelUp(character="brog")).refused("OSR 6.6", "open injury")


def test_6_7_the_dead_gain_no_level() -> None:
    table = given(Override(character="brog", set={"condition": "dead"}, why="drowned"))
    table.when(LevelUp(character="brog")).refused("OSR 6.7", "is dead")


def test_nobody_enrolled_nobody_gains() -> None:
    given().when(LevelUp(character="borg")).refused(None, "brog")


def test_an_undone_enrolment_takes_the_character_away() -> None:
    table = given().when(Undo(last=1))
    assert table.sheets() == {}
    table.when(Enrol(character="Brog", level=1, rolled=(3,))).has("Brog", level=1, hp=3)


def test_an_amended_enrolment_keeps_its_dice_and_draws_those_that_are_missing() -> None:
    table = given().when(Amend(turn=2, action={"type": "osr.enrol", "character": "brog", "level": 3}))
    assert table.error is None
    hp = table.sheet("brog")["hp"]
    assert 12 <= hp <= 17
    table.has("brog", level=3, hit_dice=3)
    given().when(Amend(turn=2, action={"type": "osr.enrol", "character": "brog", "level": 1})).has("brog", hp=5)


def test_an_amended_enrolment_with_dice_of_its_own_needs_the_right_number() -> None:
    amended = {"type": "osr.enrol", "character": "brog", "level": 3, "rolled": [1, 2]}
    given().when(Amend(turn=2, action=amended)).refused("OSR 6.1", "3 hit dice")


# -- override: what holds even against the rules ---------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"level": 0}, "OSR 6.2"),
        ({"level": 101}, "OSR 6.2"),
        ({"hit_dice": 0}, "OSR 6.1"),
        ({"hit_dice": 101}, "OSR 6.1"),
        ({"hp": 13}, "OSR 6.1"),
        ({"hp": -1}, "OSR 6.1"),
        ({"hit_dice": 1}, "OSR 6.1"),
        ({"condition": "dead", "injury": {"dc": 21}}, "OSR 6.7"),
    ],
)
def test_an_override_keeps_the_invariants_of_the_sheet(fields: dict[str, Any], rule: str) -> None:
    table = given()
    with unchanged(table):
        table.when(override(**fields)).refused(rule)


def test_an_override_cannot_kill_with_an_injury_left_open() -> None:
    table = given(Damage(character="brog", amount=12))
    table.when(override(condition="dead")).refused("OSR 6.7", "open injury")
    table.when(override(condition="dead", injury=None)).has("brog", condition="dead", injury=None)


@pytest.mark.parametrize(
    "fields",
    [
        {"hp": 12},
        {"hp": 0},
        {"hit_dice": 1, "hp": 6},
        {"level": 7},
        {"fatigue": 3},
        {"marks": 9},
        {"condition": "collapsed"},
        {"player": None},
        {"player": "Bo"},
        {"ability_loss": {"wisdom": 2}},
        {"recovery_marks": 1},
        {"injury": {"dc": 24, "source": "ogre", "stage": "fate"}},
    ],
)
def test_an_override_sets_any_field(fields: dict[str, Any]) -> None:
    given().when(override(**fields)).has("brog", **fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"hp": "many"},
        {"fatigue": -1},
        {"fatigue": 10**9},
        {"marks": -1},
        {"condition": "asleep"},
        {"ability_loss": {"l u c k": 1}},
        {"ability_loss": {"wisdom": 0}},
        {"non_player": True},
        {"max_hp": 3},
        {"injury": {"dc": 20, "why": "x"}},
        {"wounds": [{"id": 1, "severity": "minor", "what": "cut", "depth": 3}]},
        {"wounds": [{"id": 0, "severity": "minor", "what": "cut"}]},
    ],
)
def test_an_override_checks_fields_and_types(fields: dict[str, Any]) -> None:
    given().when(override(**fields)).invalid()


# -- as sentences ----------------------------------------------------------------------------------------


def test_an_enrolment_is_told_with_its_dice() -> None:
    sentence = given().when(Enrol(character="ada", player="Bo", rolled=(1,))).events[0].sentence()
    assert "".join(sentence) == "Ada, played by Bo, joins at level 1, rolls 1 and has 1 hit point."
    assert not any(isinstance(part, Struck) for part in sentence)


def test_6_1_a_number_that_no_die_shows_is_offered_as_the_hit_points_of_more_dice() -> None:
    table = Given("osr").when(Enrol(character="orc", side="foe", rolled=(8,))).refused("OSR 6.1", "cannot show 8")
    assert isinstance(table.error, Refusal)
    (choice,) = table.error.choices
    assert choice.fields == {"character": "orc", "hit_dice": 2, "side": "foe", "rolled": [4, 4]}
    table.when({"type": "osr.enrol", **choice.fields}).then_some().has("orc", hp=8)
    Given("osr").when(Enrol(character="orc", level=2, rolled=(8, 3))).refused("OSR 6.1", "cannot show 8")
    assert not Given("osr").when(Enrol(character="orc", level=2, rolled=(8, 3))).error.choices  # type: ignore[union-attr]
