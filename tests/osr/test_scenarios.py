"""Whole evenings of osr as lines of `campaign act`, with what the sheets say in between."""

from typing import Any

from tests.kit.given import Given


def played(*lines: dict[str, Any], **options: Any) -> Given:
    table = Given("osr", options=options)
    for line in lines:
        assert table.when(line).events
    return table


def enrol(name: str, level: int, *dice: int) -> dict[str, Any]:
    return {"type": "osr.enrol", "character": name, "level": level, "rolled": list(dice)}


def rest(*dice: int) -> dict[str, Any]:
    return {"type": "osr.short_rest", "characters": ["brog"], "rolled": {"brog": list(dice)}}


def damage(amount: int) -> dict[str, Any]:
    return {"type": "osr.damage", "character": "brog", "amount": amount}


def saves(strength: int, will: int) -> dict[str, Any]:
    return {"type": "osr.injury_saves", "character": "brog", "strength": strength, "will": will}


MAJOR_WOUND = {"type": "osr.choose_fate", "character": "brog", "fate": "major_wound"}


def test_fatigue() -> None:
    table = played(enrol("brog", 2, 5, 6)).has("brog", hp=11)
    table.when(damage(9)).has("brog", hp=2)
    table.when(rest(3, 4)).has("brog", hp=7, fatigue=1)
    table.when(rest(6, 1, 5)).has("brog", hp=6, fatigue=2)
    table.when(rest(2, 6, 6)).refused("OSR 6.5")
    table.when(rest(2, 6, 6, 3)).has("brog", hp=5, fatigue=3)
    table.when({"type": "osr.night_rest", "characters": ["brog"], "rolled": {"brog": [1, 1]}})
    table.has("brog", hp=2, fatigue=0)


def test_opting_out() -> None:
    table = played(
        enrol("A", 1, 6),
        enrol("B", 3, 1, 1, 1),
        {"type": "osr.short_rest", "characters": ["B"], "rolled": {"B": [1, 1, 1]}},
        {"type": "osr.damage", "character": "B", "amount": 1},
    )
    table.has("B", hp=2, fatigue=1)
    table.when(
        {"type": "osr.short_rest", "characters": ["A", "B"], "rerolls": ["B"], "rolled": {"B": [4, 4, 2, 5]}}
    )  # fmt: skip
    table.has("A", hp=6, fatigue=0).has("B", hp=10, fatigue=2)


def test_injury() -> None:
    table = played(enrol("brog", 1, 4), damage(9))
    table.has("brog", hp=0, injury={"dc": 25, "source": None, "stage": "saves"})
    table.when(saves(25, 24)).has("brog", condition="collapsed", injury=None)
    (wound,) = table.sheet("brog")["wounds"]
    assert (wound["severity"], wound["what"]) == ("minor", "shallow cut")
    table.when(damage(3)).has("brog", hp=0, injury={"dc": 23, "source": None, "stage": "saves"})


def test_marks() -> None:
    two = [damage(30), saves(0, 99), MAJOR_WOUND] * 2
    table = played(enrol("brog", 2, 3, 3), *two).has("brog", marks=2, condition="up")
    table.when(damage(1)).when(saves(0, 99)).has("brog", condition="dead", injury=None)
    table.when(MAJOR_WOUND).refused("OSR 6.11")


def test_marks_with_a_level_gained_before_the_third() -> None:
    two = [damage(30), saves(0, 99), MAJOR_WOUND] * 2
    table = played(enrol("brog", 2, 3, 3), *two, {"type": "osr.level_up", "character": "brog"}, damage(1), saves(0, 99))
    table.has("brog", injury={"dc": 21, "source": None, "stage": "fate"})
    table.when(MAJOR_WOUND).has("brog", marks=3, condition="up", injury=None)


def test_names_are_found_ignoring_case_and_width() -> None:
    table = played(enrol("Brog", 1, 4), {"type": "osr.damage", "character": " ＢＲＯＧ ", "amount": 1})
    table.has("Brog", hp=3)


def test_null_for_an_optional_field_is_the_field_left_out() -> None:
    line = {"type": "osr.enrol", "character": "brog", "player": None, "hit_dice": None, "rolled": None}
    assert played(line).sheet("brog")["hit_dice"] == 1


def test_a_table_that_rests_together_and_then_does_not() -> None:
    together = {"type": "ruling", "rule": "6.4", "text": "One for all.", "set": {"short_rest_together": True}}
    table = played(enrol("brog", 1, 4), enrol("ada", 1, 5), together, rest(3)).has("ada", fatigue=1)
    table.when({"type": "ruling.end", "ruling": 1, "why": "nobody liked it"})
    table.when(rest(3, 4)).has("ada", fatigue=1).has("brog", hp=3, fatigue=2)


def test_the_paper_sheet_is_checked_as_json() -> None:
    table = played(enrol("brog", 1, 4), damage(9), saves(99, 0))
    wound = {
        "id": 1,
        "severity": "minor",
        "what": "shallow cut",
        "effect": "-2 to heavy physical tasks",
        "until": "long rest",
        "treated": False,
    }
    check = {"type": "sheet.check", "character": "brog", "expect": {"hp": 0, "wounds": [wound], "ability_loss": {}}}
    assert table.when(check).events
    table.when({**check, "expect": {"hp": 4}}).refused(None, "hp is 0 in the log, last changed at T3")
