"""Tracked values: what a table keeps beside the rules, as turns like any other."""

from typing import Any

import pytest

from domain.common.presence import Absence
from domain.common.revisions import Amend, Undo
from domain.common.sheets import Override, SheetCheck
from domain.common.tracking import Track, Tracked, TrackedPinned, ask_for_values_of_others
from domain.osr.hit_points import Enrol
from domain.system.rows import Phrase
from domain.turn import LARGEST, Action
from tests.kit.given import Given

ENROLLED = (Enrol(character="hob", player="Ann", rolled=(5,)), Enrol(character="ada", rolled=(4,)))


def given(*more: Action) -> Given:
    return Given("osr", *ENROLLED, *more)


def gold(**fields: Any) -> Track:
    return Track(**{"character": "hob", "name": "gold", **fields})


# -- it happens


def test_a_change_counts_from_nothing_and_then_from_what_is_there() -> None:
    given().when(gold(change=75, source="the chest")).then(Tracked("hob", "gold", 75, None, "the chest"))
    given(gold(change=75)).when(gold(change=-10)).then(Tracked("hob", "gold", 65, 75)).has("hob", tracked={"gold": 65})


def test_a_value_is_a_number_or_a_text() -> None:
    table = given(gold(value=12), Track(character="hob", name="armour", value=" chain, AC 5 "))
    table.has("hob", tracked={"gold": 12, "armour": "chain, AC 5"}).has("ada", tracked={})


def test_what_is_nobodys_belongs_to_the_table() -> None:
    table = given().when(Track(name="day", value=14)).then(Tracked(None, "day", 14, None))
    table.table_has(tracked={"day": 14}).has("hob", tracked={})


def test_what_is_dropped_is_gone() -> None:
    table = given(gold(value=3)).when(gold(drop=True)).then(Tracked("hob", "gold", None, 3))
    table.has("hob", tracked={})


def test_a_name_is_one_without_case_and_accents_and_is_each_sheets_own() -> None:
    table = given(Track(character="hob", name="Épées", value=2)).when(Track(character="hob", name="epees", change=1))
    table.then(Tracked("hob", "Épées", 3, 2))
    table.when(Track(character="ada", name="epees", change=1)).then(Tracked("ada", "epees", 1, None))


def test_below_zero_where_it_is_a_debt() -> None:
    given(gold(value=3)).when(gold(change=-5, debt=True)).has("hob", tracked={"gold": -2})
    given().when(gold(value=-5, debt=True)).has("hob", tracked={"gold": -5})


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        (gold(change=75, source="the chest."), "Hob's gold: 75 (the chest)."),
        (Track(character="hob", name="xp", change=40), "Hob's xp 165 → 205."),
        (Track(character="hob", name="xp", drop=True), "Hob's xp 165 → no longer tracked."),
        (Track(character="hob", name="armour", value="chain"), 'Hob\'s armour: "chain".'),
        (Track(name="day", value=14), "Day: 14."),
        (Track(name="xp", pin=True), "Xp is shown with the party."),
    ],
)
def test_it_is_told_in_a_sentence(action: Track, sentence: str) -> None:
    table = given(Track(character="hob", name="xp", value=165))
    table.when(action)
    assert table.chronicle()[-1] == sentence


def test_names_are_pinned_for_the_party() -> None:
    table = given(gold(value=3)).when(Track(name="GOLD", pin=True)).then(TrackedPinned("gold", True))
    assert table.handler.state().campaign.pinned == ("gold",)
    table.when(Track(name="gold", pin=False)).then(TrackedPinned("gold", False))
    assert table.handler.state().campaign.pinned == ()


def test_an_earlier_change_that_reads_otherwise_changes_the_later_ones() -> None:
    table = given(gold(change=75), gold(change=10))
    table.when(Amend(turn=4, action={"type": "track", "character": "hob", "name": "gold", "change": 50}))
    table.has("hob", tracked={"gold": 60})
    table.when(Undo(turns=(4,))).has("hob", tracked={"gold": 10})


def test_what_would_go_below_zero_then_is_a_conflict() -> None:
    table = given(gold(change=75), gold(change=-60))
    table.when(Undo(turns=(4,))).conflicts(5)


def test_the_dead_leave_something_behind() -> None:
    table = given(Override(character="hob", set={"condition": "dead"}, why="so it is"))
    table.when(gold(value=3)).has("hob", tracked={"gold": 3})


# -- it is refused


@pytest.mark.parametrize(
    ("action", "saying"),
    [
        (gold(change=-5), "below zero; add debt"),
        (gold(value=-5), "below zero; add debt"),
        (gold(drop=True), "nothing to drop"),
        (Track(character="hob", name="armour", change=1), "you cannot add to it, only set it"),
        (Track(character="hob", name="hp", change=3), "kept by the rules of osr; it changes with damage, short-rest"),
        (Track(character="hob", name="Hit-Dice", value=3), "changes with level-up"),
        (Track(character="hob", name="player", value="Bea"), "it changes with override"),
        (Track(character="hob", name="away", value="far"), "it changes with absent or retire"),
        (Track(character="hob", name="tracked", value=1), "it changes with track"),
        (Track(character="hob", name="torches", change=LARGEST), "more than can be kept"),
        (Track(name="gold", pin=True), "Nobody tracks gold"),
        (Track(name="torches", pin=False), "Not pinned: torches"),
    ],
)
def test_the_campaign_forbids_it(action: Track, saying: str) -> None:
    table = given(
        Track(character="hob", name="armour", value="chain"), Track(character="hob", name="torches", value=LARGEST)
    )
    table.when(action).refused(None, saying)


def test_what_is_pinned_is_not_pinned_again() -> None:
    pinned = given(gold(value=3), Track(name="gold", pin=True))
    pinned.when(Track(name="gold", pin=True)).refused(None, "pinned already")


def test_nobody_unknown_has_anything() -> None:
    given().when(gold(character="bog", value=3)).refused(None, "no character 'bog'")


@pytest.mark.parametrize(
    ("action", "saying"),
    [
        (gold(), "one thing"),
        (gold(change=1, value=2), "one thing"),
        (gold(change=1, drop=True), "one thing"),
        (gold(change=0), "changes nothing"),
        (gold(value="  "), "must not be blank"),
        (gold(value="x" * 201), "at most 200"),
        (gold(name="x" * 31, value=1), "at most 30"),
        (gold(name="  ", value=1), "must not be empty"),
        (gold(name="go\u200bld", value=1), "visible"),
        (gold(pin=True), "leave the character out"),
    ],
)
def test_no_such_request_is_understood(action: Track, saying: str) -> None:
    given().when(action).invalid(saying)


def test_an_override_says_what_to_type_instead() -> None:
    table = given(gold(value=3))
    table.when(Override(character="hob", set={"gold": 240}, why="so")).refused(None, "track hob gold 240")
    table.when(Override(character="hob", set={"tracked": {}}, why="so")).refused(None, "change it with track")
    table.when(Override(character="hob", set={"away": None}, why="so")).refused(None, "change it with absent or retire")


# -- the paper sheet beside it


def test_the_paper_sheet_is_held_against_what_is_tracked() -> None:
    table = given(gold(value=240)).when(SheetCheck(character="hob", expect={"Gold": 240, "hp": 5}))
    assert table.error is None
    table.when(SheetCheck(character="hob", expect={"gold": 230})).refused(
        None, "gold is 240 in the log, last changed at T4, 230 on paper"
    )
    table.when(SheetCheck(character="hob", expect={"silver": 3})).refused(None, "no sheet field 'silver'")


# -- to look at


def test_it_stands_on_the_sheet_and_with_the_party() -> None:
    table = given(gold(value=3), Track(character="hob", name="armour", value="chain"), Track(name="gold", pin=True))
    table.and_given(Track(name="day", value=14), Absence(character="hob"))
    system, state, sheet = table.system, table.handler.state(), table.sheet("hob")
    rows = dict(system.sheet_rows(state, "hob", sheet))
    assert rows["tracked"] == (Phrase("gold 3"), Phrase("armour chain"))
    assert rows["away"] == (Phrase("not here tonight", "faint"),)
    ((*_, pinned, absent),) = system.brief_rows(state, "hob", sheet)
    assert (pinned, absent) == (Phrase("gold 3"), Phrase("absent", "faint"))
    assert list(system.whole_table_rows(state)) == [("day", (Phrase("14"),))]
    ada = table.sheet("ada")
    assert not {"tracked", "away"} & dict(system.sheet_rows(state, "ada", ada)).keys()
    assert system.brief_rows(state, "ada", ada) == system.brief(state, "ada", ada)


def test_whoever_joins_in_mid_campaign_is_asked_for_what_all_the_others_keep() -> None:
    table = given(gold(value=3), Track(character="hob", name="armour", value="chain"), gold(name="xp", value=9))
    table.and_given(Enrol(character="zed", player="Cy", level=3, rolled=(1, 2, 3)))
    asked = ask_for_values_of_others(table.system, table.handler.state(), "zed")
    assert asked is not None and asked.why == "The others keep gold and xp; say what Zed has."
    assert [choice.fields for choice in asked.choices] == [
        {"character": "zed", "name": "gold", "value": 0},
        {"character": "zed", "name": "xp", "value": 0},
    ]
    table.and_given(gold(character="zed", value=1))
    asked = ask_for_values_of_others(table.system, table.handler.state(), "zed")
    assert asked is not None and [choice.fields["name"] for choice in asked.choices] == ["xp"]
    table.when({"type": "override", "character": "hob", "set": {"condition": "collapsed"}, "why": "a fall"}).then_some()
    assert ask_for_values_of_others(table.system, table.handler.state(), "zed") == asked
    # nobody asks a foe, nor the first of a party
    table.and_given(Enrol(character="wight", side="foe", rolled=(1,)))
    assert ask_for_values_of_others(table.system, table.handler.state(), "wight") is None
    assert ask_for_values_of_others(Given("osr", ENROLLED[0]).system, given().handler.state(), "hob") is None
