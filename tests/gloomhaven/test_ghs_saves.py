"""`import-save`: a save in the shape in which GloomhavenSecretariat writes it, written here, begins a log."""

import copy
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.gloomhaven.classes import built_in
from domain.gloomhaven.ghs_saves import READER, SEEN_IN_A_SAVE
from domain.gloomhaven.learning import Learn
from domain.refusal import Invalid
from domain.system.extensions import ReadResult
from tests.gloomhaven.tables import brog, playing, rush, tinker
from tests.kit.given import Given
from tests.kit.shell import Shell

SAVE = Path(__file__).with_name("ghs_save.json")


def save(**changes: Any) -> dict[str, Any]:
    return {**json.loads(SAVE.read_text("utf-8")), **changes}


def brann(**changes: Any) -> dict[str, Any]:
    """A save with Brann alone, in whom something differs."""
    character = copy.deepcopy(save()["characters"][0])
    return save(characters=[{**character, **changes}])


def reading(value: Any, table: Given | None = None) -> ReadResult:
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return READER.read({"save.json": content}, (table or Given("gloomhaven")).handler.state())


def imported(value: Any) -> Given:
    """A table at which all of it was done."""
    table = Given("gloomhaven")
    for action in reading(value, table).actions:
        table.when(dict(action))
        assert table.error is None, table.error
    return table


def of_type(read: ReadResult, tag: str) -> list[Any]:
    return [action for action in read.actions if action["type"] == tag]


# -- what it comes to ----------------------------------------------------------------------------------


def test_characters_are_enrolled_with_what_the_save_knows_of_them() -> None:
    table = imported(save())
    table.has("Brann", **{"class": "brute"}, level=3, xp=106, gold=34)
    table.has("Spellweaver", level=1, xp=22, gold=10)
    table.table_has(scenario="14", round=0, phase=None)


def test_what_the_save_shows_is_an_observation_and_marked_as_one() -> None:
    (seen, _) = of_type(reading(save()), "override")
    assert seen["why"] == SEEN_IN_A_SAVE
    imported(save()).has(
        "Brann", hp=9, conditions=["wound"], items={"ready": [], "spent": [3], "consumed": [12], "circles_used": {}}
    )


def test_an_exhausted_character_has_lost_every_card() -> None:
    imported(save()).has("Spellweaver", exhausted=True, hp=0, hand=[], lost=list(range(61, 69)))


def test_between_scenarios_hit_points_and_conditions_are_no_matter() -> None:
    read = reading(save(round=0))
    assert not of_type(read, "override") and not of_type(read, "gloomhaven.begin_scenario")
    imported(save(round=0)).has("Brann", hp=14, conditions=[])


def test_a_note_says_where_it_comes_from_and_how_many_snapshots_are_not_read() -> None:
    dump = {"game": save(), "settings": {"zoom": 100}, "undo": [save(), save()], "undo-infos": [["x"], ["y"]]}
    (note,) = of_type(reading(dump), "note")
    for what in ("Barrow Lanterns", "revision 214", "round 4 of scenario 14", "2 snapshots"):
        assert what in note["text"]


@pytest.mark.parametrize("prefix", ["", "ghs-"])
def test_a_dump_of_everything_is_read_like_its_game(prefix: str) -> None:
    assert reading({f"{prefix}game": save(), f"{prefix}settings": {}}).actions == reading(save()).actions


# -- what stays open -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "saying"),
    [
        (save(), "Who plays whom"),
        (save(), "Sly: the log does not know the class three-spears"),
        (save(), "Brann owns the item 45 (gh)"),
        (save(), "Brann has brittle"),
        (save(), "Brann: the cards in hand are those of level 1 until an override says otherwise"),
        (save(round=0), "Brann: the cards in hand are those of level 1 until choose-hand says otherwise"),
        (save(), "gained above level 1"),
        (save(), "Brann: which cards are discarded, lost or active"),
        (save(), "Brann: 3 money tokens"),
        (save(), "Spellweaver: the summons on the board"),
        (save(), "the save is in round 4"),
        (brann(health=99), "Brann's hit points: the save has 99 of 14"),
        (brann(progress={"items": [{"name": "x" * 61, "edition": "gh"}]}), f"Brann owns the item {'x' * 60} (gh)"),
    ],
)
def test_what_the_save_does_not_hold_is_left_open(value: Any, saying: str) -> None:
    assert any(saying in sentence for sentence in reading(value).left_open)


def test_a_class_that_is_known_in_part_lets_nobody_in() -> None:
    table = Given("gloomhaven", Learn(classes=(tinker(hand_size=3),)))
    read = reading(save(characters=[save()["characters"][0], {"name": "tinkerer", "title": "Tim", "level": 1}]), table)
    assert [enrolment["character"] for enrolment in of_type(read, "gloomhaven.enrol")] == ["Brann"]
    assert "Tim: the log does not know all level-1 cards of the tinkerer; enrol them by hand." in read.left_open


def test_of_two_who_are_called_the_same_the_first_is_taken() -> None:
    one, other = brann(level=3)["characters"][0], brann(level=4)["characters"][0]
    read = reading(save(characters=[one, other]))
    assert [enrolment["level"] for enrolment in of_type(read, "gloomhaven.enrol")] == [3]
    assert "Two characters of the save are called Brann; the first of them is taken." in read.left_open


def test_a_condition_that_is_over_is_none() -> None:
    assert "muddle" not in " ".join(reading(save()).left_open)


def test_items_of_another_edition_are_other_items() -> None:
    progress = {"experience": 1, "items": [{"name": "3", "edition": "fh"}]}
    read = reading(brann(progress=progress))
    assert "items" not in of_type(read, "gloomhaven.enrol")[0]
    assert any("the item 3 (fh)" in sentence for sentence in read.left_open)


def test_items_of_another_edition_are_found_by_the_numbers_on_their_cards() -> None:
    chain = {"id": 1003, "number": 3, "name": "Chain Armor", "price": 30, "once_used": "spent", "edition": "fh"}
    table = Given("gloomhaven", Learn(items=(chain,)))
    read = reading(brann(progress={"items": [{"name": "3", "edition": "fh"}, {"name": 3, "edition": "gh"}]}), table)
    assert of_type(read, "gloomhaven.enrol")[0]["items"] == [1003, 3]


def test_a_class_of_another_edition_is_another_class() -> None:
    with pytest.raises(Invalid, match="does not know the class brute of gh2e; let it learn that first"):
        reading(brann(edition="gh2e"), Given("gloomhaven", brog()))
    anew = {**msgspec.to_builtins(built_in("brute")), "class": "brute (gh2e)", "name": "brute", "edition": "gh2e"}
    read = reading(brann(edition="gh2e"), Given("gloomhaven", Learn(classes=(anew,))))
    assert of_type(read, "gloomhaven.enrol")[0]["class"] == "brute (gh2e)"


def test_a_class_whose_edition_was_not_kept_is_taken_for_that_of_its_name() -> None:
    known = {**msgspec.to_builtins(built_in("brute")), "class": "hatchet"}
    read = reading(brann(name="hatchet", edition="jotl"), Given("gloomhaven", Learn(classes=(known,))))
    assert of_type(read, "gloomhaven.enrol")[0]["class"] == "hatchet"
    assert any(
        "of which edition its hatchet is; it is taken for that of jotl" in sentence for sentence in read.left_open
    )


def test_items_that_the_log_does_not_know_are_said_in_one_sentence() -> None:
    progress = {"items": [{"name": number, "edition": "jotl"} for number in ("10", 11, "14")]}
    assert (
        "Brann owns the items 10, 11 and 14 (jotl), which the log does not know."
        in reading(brann(progress=progress)).left_open
    )


def test_who_is_there_already_stays_as_the_log_has_them() -> None:
    table = Given("gloomhaven", brog(character="brann"))
    read = reading(save(), table)
    assert [enrolment["character"] for enrolment in of_type(read, "gloomhaven.enrol")] == ["Spellweaver"]
    assert any("Brann is enrolled already" in sentence for sentence in read.left_open)


def test_into_a_scenario_nobody_is_thrown() -> None:
    table = playing()
    read = reading(save(), table)
    assert not of_type(read, "gloomhaven.begin_scenario") and not of_type(read, "override")


def test_cards_gained_are_told_by_amending_the_enrolment() -> None:
    table = Given("gloomhaven", brog())
    enrol = {"type": "gloomhaven.enrol", "character": "ann", "class": "tinkerer", "level": 3}
    table.when({**enrol, "class_data": tinker(), "gained": ["Lens", 205]})
    assert table.error is None, table.error
    table.when({"type": "gloomhaven.choose_hand", "character": "ann", "hand": [204, 205]}).has("ann", hand=[204, 205])


@pytest.mark.parametrize(
    ("level", "gained", "saying"),
    [
        (3, [203], "of level X"),
        (2, [205], "of level 3, Ann of level 2"),
        (2, [204, 205], "of level 3"),
        (1, [204], "of level 2"),
    ],
)
def test_cards_that_cannot_have_been_gained_are_refused(level: int, gained: list[int], saying: str) -> None:
    enrol = {"type": "gloomhaven.enrol", "character": "ann", "class": "tinkerer", "level": level}
    Given("gloomhaven").when({**enrol, "class_data": tinker(), "gained": gained}).refused(None, saying)


@pytest.mark.parametrize(("level", "most"), [(2, "1 card"), (3, "2 cards")])
def test_one_card_is_gained_with_each_level(level: int, most: str) -> None:
    table, gained = Given("gloomhaven", rush()), (901, 902, 903)[:level]
    table.when(brog(level=level, gained=gained)).refused(None, f"gained {most} above level 1, not {level}.")
    table.when(brog(level=level, gained=gained[1:])).has("brog", level=level)


# -- what is no save -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "saying"),
    [
        (b"", "is not a save"),
        (b"[1]", "is not a save"),
        (b"{}", "there is no game in it"),
        (b'{"characters": 3}', "is not a save"),
        (b'{"characters": []}', "Nobody is in the save"),
        (b'{"game": {"characters": [{"name": "brute", "level": "x"}]}}', "is not a save"),
        (b'{"characters": ' + b"[" * 50_000, "is not a save"),
        (save(characters=[save()["characters"][2]]), "let it learn that first"),
        (brann(title="\u202e"), "Nobody|name"),
    ],
)
def test_what_is_no_save_is_told_in_a_sentence(value: Any, saying: str) -> None:
    with pytest.raises(Invalid, match=saying):
        reading(value)


# -- on the shell --------------------------------------------------------------------------------------


def test_a_save_is_imported_in_one_command_and_taken_back_by_one(shell: Shell, tmp_path: Path) -> None:
    shell.do("new Barrow --rules gloomhaven --file gh.campaign")
    assert "Nothing was recorded." in shell.run("import-save", str(SAVE), "--dry-run").ok().out
    output = shell.run("gloomhaven", "import-save", str(SAVE)).ok().out
    assert "Override: Brann's hp = 9" in output and "The files leave open:" in output
    assert output.count("Next:") == 1
    shell.run("undo", "--yes").ok()
    assert shell.run("status", "--json").json()["characters"] == {}
    assert shell.run("import-save", str(tmp_path)).code == 2
