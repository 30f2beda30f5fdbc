"""Tracked values in views: their own table, why, when, stats, and what all of them say once the past is mended."""

from random import Random
from typing import Any

import pytest
from hypothesis import given

from domain.common.revisions import Undo
from domain.common.tracking import Track, Tracked
from domain.log.effective_history import effective_turns
from domain.log.folding import state_at, steps
from domain.osr.hit_points import Enrol
from domain.refusal import Unknown
from projections.views.cells import as_cell
from projections.views.conditions import parse, times
from projections.views.named_queries import answer_to, named_queries
from projections.views.targets import Target, target_of
from projections.views.view import View
from projections.views.why import changes_of
from tests.every_system.test_whole_sheet import tracked_and_revised
from tests.kit.given import Given
from tests.kit.subjects import Subject
from tests.kit.subjects import pytest_generate_tests as pytest_generate_tests
from tests.kit.tables import MODEST, chances
from tests.kit.views import view_in_memory


def kept() -> Given:
    return Given(
        "osr",
        Enrol(character="hob", player="Ann", rolled=(5,)),
        Enrol(character="Day", rolled=(5,)),
        Track(character="hob", name="gold", change=75, source="the chest"),
        Track(character="hob", name="gold", change=90),
        Track(character="hob", name="armour", value="chain, AC 5"),
        Track(name="week", value=14),
        Track(name="week", change=1),
        Track(character="hob", name="gold", change=-5),
    )


def view_of(table: Given, upto: int | None = None) -> Any:
    return view_in_memory(table.log, table.system, upto)


def about(view: View, table: Given, text: str) -> Target:
    return target_of(view, table.system, table.handler.state(), text)


def test_each_change_is_a_row() -> None:
    with view_of(kept()) as view:
        assert view.ask("SELECT turn, character, name, old, new FROM tracked ORDER BY turn") == [
            (4, "hob", "gold", None, 75),
            (5, "hob", "gold", 75, 165),
            (6, "hob", "armour", None, "chain, AC 5"),
            (7, None, "week", None, 14),
            (8, None, "week", 14, 15),
            (9, "hob", "gold", 165, 160),
        ]


def test_what_is_undone_has_no_row_and_the_later_ones_read_otherwise() -> None:
    with view_of(kept().and_given(Undo(turns=(4,)))) as view:
        gold = "SELECT turn, old, new FROM tracked WHERE name = 'gold' ORDER BY turn"
        assert view.ask(gold) == [(5, None, 90), (9, 90, 85)]


@pytest.mark.parametrize(
    ("text", "whole"),
    [("hob.gold", "hob.gold"), ("HOB.Gold", "hob.gold"), ("hob.tracked.gold", "hob.gold"), ("week", "Week"),
     ("table.week", "Week")],
)  # fmt: skip
def test_why_knows_it_by_its_name(text: str, whole: str) -> None:
    table = kept()
    with view_of(table) as view:
        meant = about(view, table, text)
        assert str(meant) == whole
        turns = [link.turn for link in changes_of(view, table.system, meant)]
        assert turns == ([9, 5, 4] if "old" in text else [8, 7])


def test_why_says_what_is_not_tracked() -> None:
    table = kept()
    with view_of(table) as view:
        for text in ("hob.silver", "Day.gold"):
            with pytest.raises(Unknown):
                about(view, table, text)


def test_why_still_knows_what_was_dropped() -> None:
    table = kept().and_given(Track(character="hob", name="gold", drop=True))
    with view_of(table) as view:
        newest = changes_of(view, table.system, about(view, table, "hob.gold"))[0]
        assert (newest.turn, newest.old, newest.new) == (10, 160, None)


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("hob.gold > 100", [5]),
        ("hob.armour contains chain", [6]),
        ("table.week >= 15 and hob.gold < 165", [9]),
        ("week = 15", [8]),
    ],
)
def test_when_looks_at_it(text: str, turns: list[int]) -> None:
    table = kept()
    with view_of(table) as view:
        meant = parse(text, lambda name: target_of(view, table.system, None, name), "")
        assert [turn for turn, _ in times(view, meant)] == turns


def test_stats_count_what_came_and_went() -> None:
    table = kept()
    with view_of(table) as view:
        rows = answer_to(view, named_queries("osr")["tracked"])
    assert [tuple(row.values()) for row in rows] == [
        ("hob", "armour", "chain, AC 5", None, None, 1, 6),
        ("hob", "gold", 160, 165, 5, 3, 9),
        ("the table", "week", 15, 15, 0, 2, 8),
    ]


@MODEST
@given(chance=chances)
def test_the_table_is_what_the_turns_that_stand_say(chance: Random, subject: Subject) -> None:
    table = tracked_and_revised(chance, subject)
    for upto in {table.log.last(), max(1, table.log.last() // 2)}:
        cells = [
            (effective_turn.number, fact.character, fact.name, as_cell(fact.before), as_cell(fact.value))
            for effective_turn, _ in steps(table.system, table.log, upto)
            if effective_turn.standing
            for fact in effective_turn.facts
            if isinstance(fact, Tracked)
        ]
        state = state_at(table.system, table.log, upto)
        # what was kept against the rules may be told of somebody who is not there
        kept_so = any(effective_turn.kept for effective_turn in effective_turns(table.log))
        with view_of(table, upto) as view:
            assert sorted(view.ask("SELECT * FROM tracked"), key=repr) == sorted(cells, key=repr)
            for row in answer_to(view, named_queries(subject.key)["tracked"]):
                owner = state.table if row["whose"] == "the table" else state.characters.get(row["whose"])
                if row["gained"] is not None and owner is not None and not kept_so:
                    assert row["now"] == owner.tracked.get(row["name"], 0)
