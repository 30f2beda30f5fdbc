"""OSR 6.1 and 6.2: hit dice, the first hit points, and gaining a level.

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from typing import Any

import pytest

from domain.common.revisions import Amend
from domain.osr.hit_points import Enrol, Enrolled, LevelUp
from domain.osr.injuries import Damage
from domain.refusal import Refusal
from domain.turn import Struck
from tests.kit.given import Given, unchanged
from tests.osr.tables import override


def given(*more: Any, **options: Any) -> Given:
    return Given("osr", Enrol(character="brog", level=2, rolled=(5, 6)), *more, options=options)


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


@pytest.mark.parametrize("field", ["level", "hit_dice"])
@pytest.mark.parametrize("value", [0, -1, 101, 2**60, 1.5, "two", True])
def test_6_2_levels_and_hit_dice_go_from_1_to_100(field: str, value: object) -> None:
    Given("osr").when({"type": "osr.enrol", "character": "brog", field: value}).invalid()


def test_6_2_there_is_no_level_beyond_100() -> None:
    table = Given("osr", Enrol(character="brog", level=100))
    with unchanged(table):
        table.when(LevelUp(character="brog")).refused("OSR 6.2", "highest level")
    table = Given("osr", Enrol(character="ogre", hit_dice=100))
    table.when(LevelUp(character="ogre")).refused("OSR 6.2", "hit dice")


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


@pytest.mark.parametrize(("player", "rank"), [(None, "hit_dice"), ("Mia", "level")])
def test_who_joins_with_several_dice_and_no_rank_is_offered_that_of_the_dice(player: str | None, rank: str) -> None:
    table = Given("osr").when(Enrol(character="orc", player=player, rolled=(2, 3, 4)))
    (choice,) = table.refused("OSR 6.1", "not 3").error.choices  # type: ignore[union-attr]
    assert choice.fields[rank] == 3 and tuple(choice.fields["rolled"]) == (2, 3, 4)
    assert not Given("osr").when(Enrol(character="orc", rolled=(2, 8))).error.choices  # type: ignore[union-attr]
