"""Cards and classes: who joins, with which cards, and how a class that is not built in comes along."""

from typing import Any

import pytest

from domain.gloomhaven.joining import Enrolled
from domain.gloomhaven.learning import ClassLearned
from domain.refusal import Invalid
from domain.system.paragraphs import data_of
from tests.gloomhaven.tables import BRUTE, brog, tinker
from tests.kit.given import Given


def enrol(**fields: Any) -> dict[str, Any]:
    return {"type": "gloomhaven.enrol", "character": "brog", "class": "brute", **fields}


def test_a_brute_joins_with_the_level_1_cards() -> None:
    table = Given("gloomhaven").when(enrol(**{"class": " BRUTE "}, player="ann"))
    assert [type(event) for event in table.events] == [ClassLearned, Enrolled]
    assert table.sheet("brog") == {
        "player": "ann", "class": "brute", "level": 1, "hp": 10, "max_hp": 10, "xp": 0, "gold": 0,
        "hand": list(BRUTE), "selected": [], "discard": [], "lost": [], "active": [],
        "items": {"ready": [], "spent": [], "consumed": [], "circles_used": {}}, "summons": [], "conditions": [],
        "resting": False, "initiative": None, "acted": False, "exhausted": False, "kills": 0, "modifiers": None,
        "tracked": {}, "away": None,
    }  # fmt: skip


def test_cards_and_items_go_by_name_too() -> None:
    table = Given("gloomhaven").when(
        enrol(hand=["trample", 2, "3", "SKEWER", 5, 6, 7, 8, 9, 10], items=["hide ARMOR", 12], gold=5)
    )
    assert table.events
    table.has("brog", hand=[1, 2, 3, 5, 6, 7, 8, 9, 10, 11], gold=5)
    assert table.sheet("brog")["items"]["ready"] == [3, 12]


@pytest.mark.parametrize(
    ("fields", "saying"),
    [
        ({"class": "brut"}, "did you mean brute?"),
        ({"hand": [1, 2, 3]}, "exactly 10 cards"),
        ({"hand": [1, 1, 3, 4, 5, 6, 7, 8, 9, 10]}, "twice"),
        ({"hand": ["Trampel", 2, 3, 4, 5, 6, 7, 8, 9, 10]}, "did you mean 1 Trample?"),
        ({"hand": [61, 2, 3, 4, 5, 6, 7, 8, 9, 10]}, "There is no brute card 61"),
        ({"items": ["hide armour"]}, "did you mean 3 Hide Armor?"),
        ({"items": ["minor"]}, "mean 12 Minor Healing Potion, 13 Minor Stamina Potion or 14 Minor Power Potion?"),
        ({"items": [999]}, "There is no item 999; known: 3 Hide Armor"),
        ({"character": "BROG "}, "enrolled already"),
    ],
)
def test_enrolment_is_refused(fields: dict[str, Any], saying: str) -> None:
    Given("gloomhaven", brog(character="Brog", class_="spellweaver")).when(
        enrol(**{"character": "grob", **fields})
    ).refused(None, saying)


def test_an_item_named_twice_is_refused() -> None:
    Given("gloomhaven").when(enrol(items=[3, "Hide Armor"])).refused("GH 60", "Hide Armor")


@pytest.mark.parametrize(
    "fields",
    [{"level": 0}, {"level": 10}, {"gold": -1}, {"hand": []}, {"items": []}, {"xp": -1}, {"class": " "}, {"pets": 1}],
)
def test_enrolment_is_invalid(fields: dict[str, Any]) -> None:
    Given("gloomhaven").when(enrol(**fields)).invalid()


# -- a class that is not built in ---------------------------------------------------------------------------


def test_the_same_class_may_be_given_again_but_not_another_one_of_its_name() -> None:
    table = Given("gloomhaven").when(enrol(character="tim", **{"class": "tinkerer"}, class_data=tinker()))
    assert table.events
    table.when(enrol(character="tom", **{"class": "tinkerer"}, class_data=tinker())).quiet_about(ClassLearned)
    other = enrol(character="tam", **{"class": "tinkerer"}, class_data=tinker(hand_size=3))
    table.when(other).refused(None, "with other cards")


def test_a_class_is_called_by_at_most_60_characters() -> None:
    for length in (60, 61):
        name = "t" * length
        table = Given("gloomhaven").when(
            {"type": "gloomhaven.enrol", "character": "tim", "class": name, "class_data": tinker(**{"class": name})}
        )
        assert (table.error is None) == (length == 60), table.error
        assert table.error is None or isinstance(table.error, Invalid)


def test_a_starting_class_may_leave_out_hand_size_and_hit_points() -> None:
    data = {key: value for key, value in tinker().items() if key not in ("hand_size", "hp")}
    table = Given("gloomhaven").when(enrol(character="tim", **{"class": "tinkerer"}, class_data=data))
    table.refused(None, "exactly 12 cards, not 2")


def test_the_built_in_files_are_class_files() -> None:
    for name in ("brute", "spellweaver"):
        data = data_of("gloomhaven", name)
        table = Given("gloomhaven").when(enrol(**{"class": name}, class_data=data))
        table.quiet_about()
        table.when(enrol(character="grob", **{"class": name})).quiet_about(ClassLearned)


def test_every_mistake_in_a_class_is_told() -> None:
    data = tinker(colour="red", hp=[1, 2])
    del data["hand_size"], data["class"]
    data["class"] = "Tinkmaster"
    data["cards"][0]["initative"] = 5
    data["cards"][1]["bottom"]["slots"] = ["a"]
    data["cards"][2] = {"id": 201, "name": "OIL", "level": 12, "initiative": 30, "top": {"slots": [1]}}
    data["cards"].append("a card")
    data["items"][0]["once_used"] = "thrown"
    table = Given("gloomhaven").when(enrol(character="tim", **{"class": "tinkmaster"}, class_data=data)).invalid()
    assert table.error
    message = str(table.error)
    for sentence in (
        "The class has no field \"colour\".", "The class: hp cannot be [1,2]", "The class lacks hand_size.",
        "cards 201 has no field \"initative\"; did you mean initiative?", "cards 202, bottom: slots cannot be [\"a\"]",
        "cards 201: level cannot be 12", "(number 6 in the list) must be a table with fields, not \"a card\".",
        "items 901: once_used cannot be \"thrown\"", "Two cards have the number \"201\".",
        "Two cards have the name \"oil\".", "The top of card 201 has slots",
    ):  # fmt: skip
        assert sentence in message


@pytest.mark.parametrize("data", [{}, {"class": "Tinkerer", "cards": []}, {"class": "Tinkerer", "cards": {"a": 1}}])
def test_an_empty_class_is_invalid(data: dict[str, Any]) -> None:
    Given("gloomhaven").when(enrol(character="tim", **{"class": "tinkerer"}, class_data=data)).invalid()


def test_class_data_must_be_of_the_class_named() -> None:
    Given("gloomhaven").when(enrol(class_data=tinker())).invalid("of the tinkerer, not of the brute")


def test_an_old_log_needs_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Given("gloomhaven", brog(items=(3,)))
    assert table.when(enrol(character="tim", **{"class": "tinkerer"}, class_data=tinker(), items=[901])).events
    sheets = table.sheets()

    def gone(*_: object) -> None:
        raise FileNotFoundError

    for name in ("built_in", "built_in_items", "levels", "data_of"):
        monkeypatch.setattr(f"domain.gloomhaven.classes.{name}", gone)
    assert table.sheets() == sheets
    state = table.handler.state()
    assert table.system.rows(state, "tim", sheets["tim"])
    assert table.sheets()["brog"]["max_hp"] == 10


def test_undoing_the_one_who_brought_a_class_file_stands_in_the_way_of_the_next() -> None:
    table = Given("gloomhaven")
    assert table.when(enrol(character="tim", **{"class": "tinkerer"}, class_data=tinker())).events
    assert table.when(enrol(character="tom", **{"class": "tinkerer"})).events
    table.when({"type": "undo", "turns": [2]}).conflicts(3)
    assert table.when({"type": "undo", "turns": [2], "conflicts": "keep"}).outcome
    assert table.sheets() == {}, "without its class nobody can be shown"
