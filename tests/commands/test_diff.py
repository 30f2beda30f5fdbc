"""What differs between two places in the log: of any JSON, and as `campaign diff` tells it."""

import csv
import io
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.terminal.screen import width
from domain.gloomhaven.rounds import Select
from domain.log.folding import state_at
from domain.log.port import AsOf
from domain.registry import system_of
from domain.turn import same
from domain.values import in_words
from projections.difference import Difference, compare, differences, field_title
from tests.gloomhaven.tables import brog, selecting, spell
from tests.kit.beginnings import TWO_EVENINGS
from tests.kit.shell import Shell, shell_after


def fields(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    return [field.field for field in differences(old, new)]


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ("osr", {"wounds": "wound", "ability_loss": "ability loss"}),
        ("deckahedron", {"wound_cards": "wound card", "days": "day", "foes": "foe"}),
        ("gloomhaven", {"summons": "summon", "conditions": "condition", "halves": "half", "classes": "class"}),
    ],
)
def test_one_of_several_is_named_as_one(rules: str, words: dict[str, str]) -> None:
    assert {field: field_title(system_of(rules), f"{field}.x") for field in words} == {
        field: f"{one} x" for field, one in words.items()
    }


# -- any two sheets ----------------------------------------------------------------------------------------


def test_a_nested_field_is_told_by_its_path() -> None:
    assert list(differences({"injury": {"dc": 20, "stage": "saves"}}, {"injury": {"dc": 20, "stage": "fate"}})) == [
        Difference("injury.stage", "changed", "saves", "fate")
    ]


def test_members_of_a_list_are_told_by_what_tells_them_apart() -> None:
    one, other = {"id": 1, "treated": False}, {"id": 2, "treated": False}
    assert list(differences({"wounds": [one, other]}, {"wounds": [{**other, "treated": True}]})) == [
        Difference("wounds.2.treated", "changed", False, True),
        Difference("wounds.1", "gone", one, None),
    ]


def test_members_that_only_change_places_differ_as_a_list() -> None:
    one, other = {"id": 1}, {"id": 2}
    (only,) = differences({"wounds": [one, other]}, {"wounds": [other, one]})
    assert (only.field, only.new) == ("wounds", [other, one])


def test_a_list_of_numbers_differs_as_a_whole() -> None:
    assert fields({"hand": [1, 2]}, {"hand": [2]}) == ["hand"]


def test_true_is_not_one() -> None:
    assert fields({"hp": 1, "up": True}, {"hp": 1.0, "up": 1}) == ["hp", "up"]
    assert same({"a": 1}, {"a": 1})


def test_a_field_that_comes_or_goes_is_not_one_that_is_null() -> None:
    assert list(differences({"a": None}, {"b": None})) == [
        Difference("b", "new", None, None),
        Difference("a", "gone", None, None),
    ]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "none"),
        ([], "none"),
        (0, "0"),
        (False, "false"),
        ([1, 4], "1, 4"),
        ({"dc": 23, "source": None, "open": False}, "dc 23"),
        ([{"id": 1, "what": "cut"}, {"id": 2, "what": "bite"}], "id 1, what cut; id 2, what bite"),
    ],
)
def test_values_are_told_in_words(value: Any, words: str) -> None:
    assert in_words(value) == words


values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from("ab"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "hp", "x"]), inner, max_size=3),
    max_leaves=8,
)
sheets = st.dictionaries(st.sampled_from(["hp", "wounds", "injury"]), values, max_size=3)


@given(old=sheets, new=sheets)
def test_nothing_differs_exactly_where_all_is_the_same(old: dict[str, Any], new: dict[str, Any]) -> None:
    found = list(differences(old, new))
    assert (not found) == same(old, new)
    assert len({field.field for field in found}) == len(found) or any("." in key for key in (*old, *new))
    assert not [field for field in found if field.change == "changed" and same(field.old, field.new)]


@given(old=sheets, new=sheets)
def test_the_other_way_round_the_same_fields_differ(old: dict[str, Any], new: dict[str, Any]) -> None:
    there = {(field.field, repr(field.old), repr(field.new)) for field in differences(old, new)}
    back = {(field.field, repr(field.new), repr(field.old)) for field in differences(new, old)}
    assert there == back


# -- as typed ----------------------------------------------------------------------------------------------


shell = shell_after(*TWO_EVENINGS)


def test_sheets_stand_side_by_side(shell: Shell) -> None:
    assert shell.run("diff", "T4..T10").ok().out == (
        "Brog\n"
        "               T4     T10\n"
        "  hp           11     7\n"
        "  fatigue      0      1\n"
        "\n"
        "Ada\n"
        "  hp           6      0\n"
        "  condition    up     collapsed\n"
        "  wound 1      –      minor, shallow cut: -2 to heavy physical tasks · until a long rest"
        " · not treated, may worsen\n"
        "\n"
        "Options\n"
        "  keep higher  false  true\n"
    )


def test_one_character_alone(shell: Shell) -> None:
    assert shell.run("diff", "T4..T5", "BROG").ok().out == "Brog\n      T4  T5\n  hp  11  2\n"


def test_one_point_alone_is_from_there_to_now(shell: Shell) -> None:
    assert shell.run("diff", "S1").ok().out == shell.run("diff", "S1..@").ok().out
    assert shell.run("diff", "S1").ok().out == "Brog\n      T14  T16\n  hp  9    2\n"


def test_without_a_range_it_is_what_the_last_turn_changed(shell: Shell) -> None:
    assert shell.run("diff").ok().out == "Brog\n      T15  T16\n  hp  9    2\n"


def test_an_undo_shows_as_the_difference_that_it_made(shell: Shell) -> None:
    value = shell.run("diff", "T11..T12", "--json").json()
    assert value["characters"]["brog"]["fields"] == [{"field": "fatigue", "change": "changed", "old": 1, "new": 0}]


def test_with_everything_known_since_the_undone_turn_changes_nothing(shell: Shell) -> None:
    assert shell.run("diff", "T5..T6", "--as-now", "--exit-code").ok().out == "Nothing differs between T5 and T6.\n"


def test_the_exit_code_says_whether_anything_differs(shell: Shell) -> None:
    assert shell.run("diff", "T4..T5", "--exit-code").code == 1
    assert shell.run("diff", "T6..T7", "--exit-code").code == 0
    assert shell.run("diff", "T4..T5").code == 0


def test_points_are_those_of_the_log_as_it_stood(shell: Shell) -> None:
    assert shell.run("diff", "@-1..@", "--at", "T5").ok().out == shell.run("diff", "T4..T5").ok().out
    shell.run("diff", "T4..T9", "--at", "T5").is_(1, "There is no turn T9; the log goes from T1 to T5.")


def test_a_new_character_is_told_whole(shell: Shell) -> None:
    value = shell.run("diff", "T2..T3", "--json").json()
    assert (value["from"], value["to"], value["same"]) == (2, 3, False)
    person = value["characters"]["brog"]
    assert person["change"] == "new"
    assert {"field": "hp", "change": "new", "old": None, "new": 11} in person["fields"]
    assert "joined in between" in shell.run("diff", "T2..T3").ok().out


def test_rows_hold_one_field_each(shell: Shell) -> None:
    rows = list(csv.DictReader(io.StringIO(shell.run("diff", "T4..T6", "-O", "csv").ok().out)))
    assert rows[0] == {
        "part": "sheet", "character": "brog", "field": "hp", "change": "changed", "old": "11", "new": "7",
    }  # fmt: skip
    lines = shell.run("diff", "T4..T6", "-O", "ndjson").ok().rows()
    assert [row["field"] for row in lines] == ["hp", "fatigue"]
    assert "| sheet | brog | hp | changed | 11 | 7 |" in shell.run("diff", "T4..T6", "-O", "md").ok().out


def test_what_is_not_there_is_said_in_one_sentence(shell: Shell) -> None:
    shell.run("diff", "T9..T4").is_(1, "T9..T4 is empty: T9 comes after T4; try T4..T9.")
    shell.run("diff", "T4..T9", "zoe").is_(1, "There is no character 'zoe'; known: brog and ada.")
    shell.run("diff", "T4..T99").is_(1, "There is no turn T99; the log goes from T1 to T16.")
    shell.run("diff", "soon..T9").is_(
        2,
        "'soon' is not a place in the log. Write a turn (T4), a session (S2), @ for now, @-3 for three turns"
        " ago, a date or a date and time.",
    )


# -- secrets -----------------------------------------------------------------------------------------------


def test_others_see_of_a_hand_how_many_cards_it_lost() -> None:
    table = selecting(brog(), spell()).and_given(Select(character="brog", lead=1, second=4))
    last = table.log.last()
    states = state_at(table.system, table.log, last - 1), state_at(table.system, table.log, last)
    seen = compare(table.system, *states, last - 1, last, viewer="ben")
    assert [(field.field, field.old, field.new) for field in seen.characters["brog"].fields] == [
        ("hand", 10, 8),
        ("selected", 0, 2),
    ]
    own = compare(table.system, *states, last - 1, last, viewer="ann")
    assert own.characters["brog"].fields[1].new == [1, 4]


def test_a_log_as_of_a_point_reads_as_it_stood() -> None:
    table = selecting(brog(), spell()).and_given(Select(character="brog", lead=1, second=4))
    before = AsOf(table.log, table.log.last() - 1)
    assert state_at(table.system, before) == state_at(table.system, table.log, table.log.last() - 1)
    assert before.find(next(table.log.read(after=before.last())).id) is None


def test_a_value_reads_the_same_wherever_it_is_printed(shell: Shell) -> None:
    shell.do("osr damage brog 30 --source trap")
    dc = shell.run("status", "--json").json()["characters"]["brog"]["injury"]["dc"]
    words = f"strength and will saves against DC {dc} (trap)"
    assert words in shell.run("diff").ok().out
    assert f"injury {words}" in shell.run("show").ok().out
    assert f"injury has been {words} since" in shell.run("why", "brog.injury").ok().out


def test_a_narrow_terminal_breaks_what_differs_and_keeps_its_columns(shell: Shell) -> None:
    shell.do("new Cave --rules gloomhaven", "enrol Ysa spellweaver", "enrol Brann brute")
    with shell.seated("diff", "T1", columns=46, env={"NO_COLOR": "1"}) as seat:
        assert seat.end() == 0
        rows = seat.output.decode().replace("\r\n", "\n").splitlines()
    assert all(width(row) <= 46 for row in rows), rows
    hand = [row for row in rows if row.strip().endswith(("Fire Orbs,", "Fire Orbs, Mana", "Mana Bolt,"))]
    assert hand
    assert not any(row.split()[:1] == ["resting"] for row in rows), "what holds nothing is left out of a new sheet"
