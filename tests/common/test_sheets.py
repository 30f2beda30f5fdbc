"""The referee's word against the rules (`override`), and the paper sheet against the log (`sheet.check`)."""

from typing import Any

import msgspec
import pytest

from domain.common.sheets import SheetChecked, SheetOverridden
from tests.kit.given import Given, unchanged
from tests.osr.asked import hit


def override(why: str = "The referee says so.", /, **fields: Any) -> dict[str, Any]:
    return {"type": "override", "character": "brog", "set": fields, "why": why}


def check(name: str = "brog", **fields: Any) -> dict[str, Any]:
    return {"type": "sheet.check", "character": name, "expect": fields}


def table(*values: dict[str, Any]) -> Given:
    """T2 enrols brog of level 2 with 5 + 6 hit points."""
    at = Given("osr").when({"type": "osr.enrol", "character": "brog", "level": 2, "rolled": [5, 6]})
    for value in values:
        at.when(value)
        assert at.error is None, at.error
    return at


# -- override ----------------------------------------------------------------------------------------------


def test_fields_are_set_and_those_not_named_stay() -> None:
    at = table(hit(1))
    before = at.sheet("brog")
    at.when(override(hp=3, fatigue=2)).then(SheetOverridden("brog", {"hp": 3, "fatigue": 2}, "The referee says so."))
    assert at.sheet("brog") == {**before, "hp": 3, "fatigue": 2}


def test_whole_values_are_set_and_null_is_a_value() -> None:
    wound = {"id": 4, "severity": "minor", "what": "a bite", "effect": None, "until": None, "treated": True}
    at = table(override(wounds=[wound], injury={"dc": 20})).has("brog", wounds=[wound])
    at.when(override(injury=None)).has("brog", injury=None)


def test_the_rules_that_forbid_it_do_not_count() -> None:
    """Hit points given back in the middle of an open injury, and to the dead."""
    at = table(hit(20)).when(override(hp=5)).has("brog", hp=5)
    at.when(override(condition="dead", injury=None)).when(override(hp=1)).has("brog", hp=1, condition="dead")


def test_no_rule_fires() -> None:
    table().when(override(hp=0)).then(SheetOverridden("brog", {"hp": 0}, "The referee says so.")).has(
        "brog", injury=None
    )


def test_play_goes_on_from_what_was_set() -> None:
    table(override(hp=3), hit(2)).has("brog", hp=1)


@pytest.mark.parametrize("why", ["", " ", "\n"])
def test_an_override_needs_its_reason(why: str) -> None:
    table().when(override(why, hp=3)).invalid("needs a reason")
    table().when({"type": "override", "character": "brog", "set": {"hp": 3}}).invalid()
    table().when({**override(hp=3), "why": None}).invalid()


def test_an_override_with_nothing_set_is_invalid() -> None:
    table().when(override()).invalid("at least one")
    table().when({**override(), "set": None}).invalid()


@pytest.mark.parametrize("field", ["hitpoints", "HP", "max_hp", "name", "non_player", "", "__class__"])
def test_only_stored_fields_of_the_sheet_can_be_set(field: str) -> None:
    at = table()
    with unchanged(at):
        at.when(override(**{field: 3})).invalid("is not a sheet field")


def test_a_wrong_field_names_the_nearest() -> None:
    table().when(override(fatgiue=1)).invalid("did you mean fatigue?")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("hp", "3"),
        ("hp", None),
        ("hp", 2.5),
        ("hp", True),
        ("fatigue", -1),
        ("condition", "asleep"),
        ("wounds", {}),
        ("wounds", [{"id": 1}]),
        ("injury", {"dc": 20, "what": "?"}),
        ("ability_loss", {"l u c k": 1}),
        ("ability_loss", {"strength": 0}),
        ("player", 7),
    ],
)
def test_types_are_checked(field: str, value: Any) -> None:
    at = table()
    with unchanged(at):
        at.when(override(**{field: value})).invalid(f"The sheet field {field} takes ")


def test_a_broken_invariant_is_refused_by_its_rule() -> None:
    at = table()
    with unchanged(at):
        at.when(override(hp=13)).refused("OSR 6.1", "from 0 to 12")


def test_invariants_are_held_after_all_is_set() -> None:
    table().when(override(hp=13, hit_dice=3)).has("brog", hp=13, hit_dice=3)
    table().when(override(hit_dice=1)).refused("OSR 6.1")


def test_an_override_of_nobody_is_refused() -> None:
    table().when({**override(hp=3), "character": "borg"}).refused(None, "did you mean brog?")


def test_an_override_can_be_undone() -> None:
    table(override(hp=3)).when({"type": "undo"}).has("brog", hp=11)


# -- the paper sheet ---------------------------------------------------------------------------------------


def test_a_sheet_that_agrees_is_recorded_and_changes_nothing() -> None:
    at = table(hit(1))
    sheet = at.sheet("brog")
    at.when(check(hp=10, fatigue=0, condition="up", wounds=[], injury=None)).then(
        SheetChecked("brog", {"hp": 10, "fatigue": 0, "condition": "up", "wounds": [], "injury": None})
    )
    assert at.sheet("brog") == sheet


def test_each_difference_is_told_with_the_turn_that_last_changed_that_field() -> None:
    at = table(hit(1), {"type": "note", "text": "Rain."}, {"type": "osr.level_up", "character": "brog"})
    with unchanged(at):
        at.when(check(hp=9, level=2, fatigue=0, marks=1))
    at.refused(None, "hp is 10 in the log, last changed at T3, 9 on paper")
    at.refused(None, "level is 3 in the log, last changed at T5, 2 on paper")
    at.refused(None, "marks is 0 in the log, last changed at T2, 1 on paper")
    assert "fatigue" not in at.error.reason  # type: ignore[union-attr]


@pytest.mark.parametrize("value", [True, "11", 11.5, [11], None])
def test_what_looks_alike_does_not_agree(value: Any) -> None:
    table().when(check(hp=value)).refused(None, "hp is 11 in the log")


def test_derived_fields_can_be_checked_as_shown() -> None:
    """Whatever the sheet shows: every field of every system agrees with itself."""
    at = table()
    shown = msgspec.json.decode(msgspec.json.encode(at.sheet("brog")))
    at.when(check(**shown))
    assert at.error is None, at.error


def test_an_unknown_field_is_refused_with_the_nearest() -> None:
    table().when(check(fatgiue=1)).refused(None, "did you mean fatigue?")


def test_a_check_of_nobody_is_refused() -> None:
    table().when(check("borg", hp=1)).refused(None, "did you mean brog?")


def test_a_check_that_expects_nothing_is_invalid() -> None:
    table().when(check()).invalid("at least one")
