"""What the log learns: cards of higher levels, items and classes, at any time, and what contradicts it."""

from pathlib import Path
from typing import Any

import pytest

import data
from domain.common.revisions import Undo
from domain.gloomhaven.facts import PrintedCard, PrintedItem
from domain.gloomhaven.learning import CardsLearned, ClassLearned, ItemsLearned, Learn
from domain.gloomhaven.levels import LevelUp
from tests.gloomhaven.tables import brog, on_turn, playing, rush, tinker
from tests.kit.given import Given, unchanged
from tests.kit.shell import Shell

RUSH = {"class": "brute", "id": 901, "name": "Barrow Rush", "level": 2, "initiative": 40}
CARD = PrintedCard(id=901, name="Barrow Rush", level=2, initiative=40)
WRENCH = PrintedItem(id=901, name="Wrench", price=7, once_used="consumed", unrecoverable=True)


def learn(**fields: Any) -> dict[str, Any]:
    return {"type": "gloomhaven.learn", **fields}


def test_a_card_of_a_known_class_is_learned_at_any_time() -> None:
    for table in (Given("gloomhaven", brog(xp=45)), playing(), on_turn()):
        table.when(learn(cards=[RUSH])).then(CardsLearned("brute", (CARD,)))
        assert "".join(table.events[0].sentence()) == "1 more card of the Brute enters the log."


def test_a_built_in_class_comes_whole_with_the_first_card_learned_of_it() -> None:
    table = Given("gloomhaven").when(learn(cards=[RUSH]))
    assert [type(event) for event in table.events] == [ClassLearned, CardsLearned]
    table.and_given(brog(xp=45), LevelUp(character="brog", card=901)).has("brog", level=2)


def test_a_class_that_is_new_is_learned_whole_and_can_be_joined_with() -> None:
    table = Given("gloomhaven").when(learn(classes=[tinker()]))
    assert [type(event) for event in table.events] == [ClassLearned, ItemsLearned]
    assert table.when({"type": "gloomhaven.enrol", "character": "tim", "class": "tinkerer", "items": [901]}).events


def test_a_class_file_tells_the_items_that_come_with_it_and_changes_none_of_the_logs() -> None:
    enrol = {"type": "gloomhaven.enrol", "character": "tim", "class": "tinkerer", "class_data": tinker()}
    table = Given("gloomhaven").when(enrol)
    assert table.events[0].sentence() == ("A class with 5 cards and 1 item enters the log.",)
    learned = Given("gloomhaven", Learn(items=tuple(tinker()["items"])))
    assert learned.when(enrol).events
    otherwise = Given("gloomhaven", Learn(items=({**tinker()["items"][0], "price": 8},)))
    with unchanged(otherwise):
        otherwise.when(enrol).refused(None, 'that differs from {"id":901,"name":"Wrench"')


def test_items_are_learned() -> None:
    wrench = tinker()["items"][0]
    table = Given("gloomhaven").when(learn(items=[wrench])).then(ItemsLearned((WRENCH,)))
    assert table.events[0].sentence() == ("1 item enters the log.",)
    table.when(learn(items=[{**wrench, "id": 902, "name": "Awl"}, {**wrench, "id": 903, "name": "File"}]))
    assert table.events[0].sentence() == ("2 items enter the log.",)


HIDE = {"id": 3, "name": "Hide Armor", "price": 10, "once_used": "spent", "circles": 2, "shields": 1}


@pytest.mark.parametrize("fields", [{"cards": [RUSH]}, {"items": [HIDE]}])
def test_what_is_known_is_not_learned_again(fields: dict[str, Any]) -> None:
    table = Given("gloomhaven", brog(items=(3,)), rush())
    with unchanged(table):
        table.when(learn(**fields)).refused(None, "knows all of that")


@pytest.mark.parametrize(
    "fields",
    [
        {"cards": [{**RUSH, "initiative": 41}]},
        {"cards": [{**RUSH, "id": 904}]},
        {"cards": [{**RUSH, "id": 1}]},
        {"items": [{"id": 3, "name": "Hide Armor", "price": 11, "once_used": "spent"}]},
        {"classes": [{"class": "brute", "hand_size": 9, "cards": []}]},
    ],
)
def test_a_fact_that_differs_is_refused_with_both(fields: dict[str, Any]) -> None:
    table = Given("gloomhaven", brog(), rush())
    with unchanged(table):
        table.when(learn(**fields)).refused(None, "The log knows the")


CHAIN = {"id": 3, "name": "Chain Armor", "price": 30, "once_used": "spent", "edition": "jotl"}


def test_an_item_of_another_edition_takes_the_number_of_one_that_is_only_built_in() -> None:
    table = (
        Given("gloomhaven")
        .when(learn(items=[CHAIN]))
        .then(ItemsLearned((PrintedItem(id=3, name="Chain Armor", price=30, once_used="spent", edition="jotl"),)))
    )
    table.and_given(brog(items=(3,)))
    table.when({"type": "gloomhaven.use_item", "character": "brog", "item": "hide armor"}).refused(None, "no item")
    table.when({"type": "gloomhaven.use_item", "character": "brog", "item": "chain armor"}).has(
        "brog", items={"ready": [], "spent": [3], "consumed": [], "circles_used": {}}
    )


def test_an_item_of_another_edition_leaves_one_of_the_log_its_number() -> None:
    table = Given("gloomhaven", brog(items=(3,)))
    with unchanged(table):
        table.when(learn(items=[CHAIN])).refused(None, "Give it an id of its own, and 3 as its number.")
    assert table.when(learn(items=[{**CHAIN, "id": 1003, "number": 3}])).events
    table.when(learn(items=[{**CHAIN, "id": 1003, "number": 4}])).refused(None, "The log knows the item")


def test_a_class_of_another_edition_takes_a_name_of_its_own() -> None:
    card = {"id": 901, "name": "Barrow Rush", "level": 1, "initiative": 40}
    other = {"edition": "gh2e", "hand_size": 2, "hp": [5] * 9, "cards": [card]}
    table = Given("gloomhaven", brog())
    with unchanged(table):
        table.when(learn(classes=[{**other, "class": "Brute"}])).refused(None, "and brute as its name")
    table.when(learn(classes=[{**other, "class": "Brute Anew", "name": "Brute"}]))
    assert table.handler.state().table.classes["brute anew"].printed == ("gh2e", "brute")
    table.when(learn(cards=[{**RUSH, "class": "brute anew", "id": 902, "name": "More"}]))
    assert len(table.handler.state().table.classes["brute anew"].cards) == 2


@pytest.mark.parametrize(
    ("fields", "saying"),
    [
        ({}, "nothing to learn"),
        ({"cards": [{"id": 1, "name": "Rush", "level": 2, "initiative": 4}]}, "say which, as class"),
        ({"cards": [{**RUSH, "initiatve": 40}]}, "did you mean initiative"),
        ({"items": [{"id": 901}]}, "lacks name"),
        ({"data": {"itmes": []}}, "no field 'itmes'"),
        ({"items": [CHAIN, {**CHAIN, "id": 4}]}, "Two items have the name"),
    ],
)
def test_what_is_no_card_and_no_item_is_told_field_by_field(fields: dict[str, Any], saying: str) -> None:
    Given("gloomhaven").when(learn(**fields)).invalid(saying)


def test_undone_the_log_knows_it_no_longer() -> None:
    table = Given("gloomhaven", brog(xp=45), rush(), Undo())
    table.when(LevelUp(character="brog", card="barrow rush")).refused(None, "There is no brute card")


def test_the_template_can_be_learned_and_played(shell: Shell) -> None:
    folder = Path(data.__path__[0]) / "gloomhaven"
    shell.run("new", "Test", "--rules", "gloomhaven").ok()
    shell.run("gloomhaven", "learn", "--file", str(folder / "template-class.toml")).ok()
    shell.run("gloomhaven", "learn", "--file", str(folder / "template-items.toml")).ok()
    shell.run("gloomhaven", "enrol", "tam", "lamplighter", "--items", "Storm Lantern").ok()
    for words in (
        ("begin-scenario", "1"), ("begin-round",), ("select", "tam", "Long Wick", "Cold Spark"), ("reveal",),
        ("perform", "tam", "Long Wick", "top"), ("damage", "tam", "3", "--items", "Storm Lantern"),
    ):  # fmt: skip
        shell.run("gloomhaven", *words).ok()
    sheet = shell.run("status", "--json").ok().json()["characters"]["tam"]
    assert (sheet["hp"], [bonus["card"] for bonus in sheet["active"]], sheet["items"]["spent"]) == (8, [1001], [1001])


def test_a_template_is_read_by_its_name_where_no_such_file_is(shell: Shell) -> None:
    shell.do("new Barrow --rules gloomhaven")
    shell.run("enrol", "Lew", "lamplighter", "class-file=template-class.toml").ok()
    (shell.folder / "template-class.toml").write_text('class = "Sunkeeper"', "utf-8")
    shell.run("enrol", "Mo", "lamplighter", "class-file=template-class.toml").is_(
        2, "The class lacks hand_size. The class lacks hp. The class lacks cards."
    )
