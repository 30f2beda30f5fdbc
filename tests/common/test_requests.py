"""What any request may hold: known tags and fields, numbers within bounds, whole characters, bounded depth."""

from typing import Any

import pytest

from domain.refusal import Invalid
from domain.registry import action_from
from tests.kit.given import Given, unchanged

BOUND = 2**53


def table() -> Given:
    return Given("osr").when({"type": "osr.enrol", "character": "brog", "rolled": [4]})


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


# -- the tag -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [{}, {"text": "Rain."}, {"type": None}, {"type": 3}, {"type": []}, {"type": {}}])
def test_an_action_names_its_type(value: dict[str, Any]) -> None:
    table().when(value).invalid("names its type")


@pytest.mark.parametrize("tag", ["osr.dammage", "", "Note", "turn.undone", "noted", "gloomhaven.enrol", "domain.osr"])
def test_an_unknown_tag_is_invalid(tag: str) -> None:
    table().when({"type": tag, "text": "Rain."}).invalid("There is no action")


def test_an_unknown_tag_names_the_nearest() -> None:
    table().when({"type": "osr.dammage", "character": "brog", "amount": 1}).invalid("did you mean osr.damage?")


# -- the fields --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        {"type": "note", "text": "Rain.", "abuot": "brog"},
        {"type": "note", "text": "Rain.", "Text": "Rain."},
        {"type": "note", "text": "Rain.", "abuot": None},
        {"type": "session.close", "title": "The crypt"},
        {"type": "redo", "turns": [2]},
    ],
)
def test_an_unknown_field_is_invalid_and_never_ignored(value: dict[str, Any]) -> None:
    at = table()
    with unchanged(at):
        at.when(value).invalid("has no field")


@pytest.mark.parametrize(
    ("tag", "field"),
    [
        ("deckahedron.strain", "what"),
        ("deckahedron.effort", "what"),
        ("deckahedron.storyteller", "meaning"),
        ("deckahedron.foe", "foe"),
        ("deckahedron.attack", "foe"),
        ("gloomhaven.begin_scenario", "scenario"),
        ("gloomhaven.summon", "name"),
        ("gloomhaven.kill", "summon"),
    ],
)
def test_words_that_are_needed_say_something(tag: str, field: str) -> None:
    needed: Any = {
        "effort": {"hours": 1},
        "attack": {"attacker": "kit"},
        "summon": {"card": 71, "name": "Spirit", "hp": 2, "colour": "red"},
        "kill": {"monster": "a ghoul"},
    }.get(tag.split(".")[1], {})
    who: Any = {} if tag.endswith(("foe", "attack", "scenario")) else {"character": "kit"}
    action_from(tag.split(".")[0], {"type": tag, **who, **needed, field: "a gust"})
    with pytest.raises(Invalid, match=f"{field} must not be blank"):
        action_from(tag.split(".")[0], {"type": tag, **who, **needed, field: " "})


def test_null_for_an_optional_field_means_that_it_is_left_out() -> None:
    at = table().when({"type": "note", "text": "Rain.", "about": None, "rule": None, "turn": None})
    at.when({"type": "session.open", "title": None, "number": None, "date": None, "place": None})
    at.when({"type": "osr.enrol", "character": "ada", "level": None, "rolled": None}).has("ada", level=1)


@pytest.mark.parametrize(
    "value",
    [
        {"type": "note", "text": None},
        {"type": "note"},
        {"type": "osr.damage", "character": "brog", "amount": None},
        {"type": "ruling.end"},
        {"type": "override", "character": "brog", "set": {"hp": 3}},
        {"type": "sheet.check", "character": "brog"},
        {"type": "amend", "turn": 2},
    ],
)
def test_a_field_that_must_be_there(value: dict[str, Any]) -> None:
    table().when(value).invalid(" needs ")


@pytest.mark.parametrize(
    "value",
    [
        {"type": "note", "text": 3},
        {"type": "note", "text": ["Rain."]},
        {"type": "note", "text": "Rain.", "turn": "2"},
        {"type": "note", "text": "Rain.", "turn": 2.5},
        {"type": "note", "text": "Rain.", "turn": True},
        {"type": "ruling", "rule": "6.4", "text": "So.", "trial": "yes"},
        {"type": "ruling", "rule": "6.4", "text": "So.", "trial": 1},
        {"type": "ruling", "rule": 6.4, "text": "So."},
        {"type": "ruling", "rule": "6.4", "text": "So.", "set": [["keep_higher", True]]},
        {"type": "osr.damage", "character": "brog", "amount": "3"},
        {"type": "osr.damage", "character": "brog", "amount": 3.5},
        {"type": "override", "character": "brog", "set": 3, "why": "so"},
    ],
)
def test_a_value_of_another_type_is_invalid(value: dict[str, Any]) -> None:
    table().when(value).invalid(", not ")


# -- numbers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("amount", [-1, BOUND + 1, 2**64, -(2**64), 10**400])
def test_a_number_out_of_bounds_is_invalid(amount: int) -> None:
    table().when({"type": "osr.damage", "character": "brog", "amount": amount}).invalid()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("where", ["amount", "set", "expect", "options"])
def test_no_number_is_not_a_number(number: float, where: str) -> None:
    values: dict[str, dict[str, Any]] = {
        "amount": {"type": "osr.damage", "character": "brog", "amount": number},
        "set": {"type": "override", "character": "brog", "set": {"hp": number}, "why": "so be it"},
        "expect": {"type": "sheet.check", "character": "brog", "expect": {"hp": [number]}},
        "options": {"type": "ruling", "rule": "6.4", "text": "So.", "set": {"keep_higher": {"deep": number}}},
    }
    table().when(values[where]).invalid("NaN or infinity")


@pytest.mark.parametrize("number", [BOUND + 1, -BOUND - 1])
def test_a_whole_number_that_does_not_survive_is_invalid_wherever_it_stands(number: int) -> None:
    at = table()
    at.when({"type": "sheet.check", "character": "brog", "expect": {"hp": number}}).invalid("beyond ±2^53")
    at.when({"type": "sheet.check", "character": "brog", "expect": {"hp": [{"a": number}]}}).invalid("beyond ±2^53")
    at.when({"type": "amend", "turn": 2, "action": {"type": "osr.enrol", "level": number}}).invalid("beyond ±2^53")


@pytest.mark.parametrize("turn", [0, -1, BOUND + 1])
def test_turns_count_from_1(turn: int) -> None:
    for value in ({"type": "undo", "turns": [turn]}, {"type": "amend", "turn": turn, "action": {"type": "redo"}}):
        table().when(value).invalid()


# -- text --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["\ud800", "Rain \udc00 and sun", "\udfff\ud800"])
def test_half_of_a_pair_is_invalid_wherever_it_stands(text: str) -> None:
    at = table()
    values: tuple[dict[str, Any], ...] = (
        {"type": "note", "text": text},
        {"type": "session.open", "title": text},
        {"type": text},
        {text: "note"},
        {"type": "sheet.check", "character": "brog", "expect": {text: 1}},
        {"type": "sheet.check", "character": "brog", "expect": {"hp": {"deep": [text]}}},
    )
    for value in values:
        with unchanged(at):
            at.when(value).invalid("broken character")


def test_a_whole_pair_is_a_character() -> None:
    assert Given("osr").when({"type": "note", "text": "🐉"}).events[0].text == "🐉"  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", ["note", "ruling"])
def test_text_has_at_most_10_000_characters(kind: str) -> None:
    rest = {} if kind == "note" else {"rule": "6.4"}
    at = table()
    at.when({"type": kind, "text": "ä" * 10_001, **rest}).invalid()
    at.when({"type": kind, "text": "ä" * 10_000, **rest})
    assert at.error is None


# -- depth -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 50, 5_000, 100_000])
def test_depth_is_bounded(depth: int) -> None:
    at = table()
    value = {"type": "sheet.check", "character": "brog", "expect": {"hp": nested(depth)}}
    with unchanged(at):
        at.when(value)
    if depth > 1000:
        at.invalid("nested too deeply")
    else:
        at.refused(None, "hp is 4 in the log")


def test_depth_in_an_amended_action_is_bounded_too() -> None:
    at = table()
    at.when({"type": "amend", "turn": 2, "action": {"type": "note", "text": nested(100_000)}}).invalid("too deeply")


# -- the start ---------------------------------------------------------------------------------------------


def test_a_campaign_starts_once() -> None:
    start = {"type": "campaign.start", "name": "Again", "rules": "osr"}
    at = table()
    with unchanged(at):
        at.when(start).refused(None, "This campaign has begun already")


def test_an_adoption_is_told_by_nobody() -> None:
    at = table()
    with unchanged(at):
        at.when({"type": "adopt", "branch": "plan", "turns": [2]}).refused(None, "A branch is adopted as a whole")


def test_the_start_is_turn_1_with_the_version_of_the_rules_and_the_options() -> None:
    at = Given("osr", options={"keep_higher": True})
    (started,) = at.log.turns[0].events
    assert (started.name, started.rules, started.options) == ("Test", "osr", {"keep_higher": True})  # type: ignore[attr-defined]
    assert started.version == at.system.version  # type: ignore[attr-defined]
    assert at.handler.state().options.keep_higher


@pytest.mark.parametrize("options", [{"keep_highest": True}, {"keep_higher": 1}, {"keep_higher": "true"}])
def test_a_campaign_does_not_start_with_unknown_options(options: dict[str, Any]) -> None:
    with pytest.raises(Exception, match="keep_higher"):
        Given("osr", options=options)


def test_an_unknown_rule_system_has_no_actions() -> None:
    with pytest.raises(Exception, match="There is no rule system 'dnd'"):
        action_from("dnd", {"type": "note", "text": "Rain."})
