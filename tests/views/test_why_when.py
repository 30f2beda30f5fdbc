"""`campaign when`: the first and each later turn where something became true."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log.folding import state_at, steps
from domain.osr.hit_points import Enrol
from domain.refusal import Invalid, Refusal
from projections.views.conditions import example_of, parse, times, times_of
from projections.views.targets import Target, target_of
from tests.kit.given import Given
from tests.kit.tables import MODEST, chances, revised
from tests.kit.views import view_in_memory
from tests.osr.subject import SUBJECT
from tests.osr.tables import osr_table

LIKE = "brog.hp < 3"


def asked(table: Given, text: str) -> list[tuple[int, int | None]]:
    with view_in_memory(table.log, table.system) as view:
        condition = parse(text, lambda path: target_of(view, table.system, table.handler.state(), path), LIKE)
        return times(view, condition)


@pytest.fixture(scope="module")
def table() -> Given:
    table = osr_table()  # brog 11 hp at T2, Ada 4 hp at T3
    for action in (
        {"type": "osr.damage", "character": "brog", "amount": 9},  # 2 hp
        {"type": "osr.short_rest", "characters": ["brog"], "rolled": {"brog": [3, 4]}},  # 7 hp, fatigue 1
        {"type": "osr.damage", "character": "brog", "amount": 6},  # 1 hp
        {"type": "osr.damage", "character": "Ada", "amount": 9},
        {"type": "osr.injury_saves", "character": "Ada", "strength": 30, "will": 1},  # minor wound, collapsed
        {"type": "osr.damage", "character": "brog", "amount": 1},
        {"type": "undo"},
    ):
        assert table.when(action).error is None
    return table


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("brog.hp < 3", [(4, 5), (6, None)]),
        ("BROG.HP<=1", [(6, None)]),
        ("brog.hp = 0", []),
        ("brog.hp >= 7 or brog.fatigue = 1", [(2, 4), (5, None)]),
        ("not brog.hp < 3", [(2, 4), (5, 6)]),
        ("brog.hp < 3 and (brog.fatigue = 1 or brog.fatigue = 2)", [(6, None)]),
        ("ada.condition = collapsed", [(8, None)]),
        ("ada.condition != 'up'", [(8, None)]),
        ("ada.injury", [(7, 8)]),
        ("ada.injury = null", [(3, 7), (8, None)]),
        ("ada.injury.dc > 20", [(7, 8)]),
        ("5 < ada.injury.dc", [(7, 8)]),
        ("brog.hp < ada.injury.dc", [(7, 8)]),
        ("ada.wounds contains minor", [(8, None)]),
        ("ada.hp > brog.hp", [(4, 5), (6, 7)]),
        ("ada.wounds = minor", [(8, None)]),
        ("ada.wounds != minor", [(3, 8)]),
        ("ada.player contains nor", [(3, None)]),
        ('"Ada".hp > 3.5', [(3, 7)]),
        ("brog.hp > -1", [(2, None)]),
        ("3 > brog.hp", [(4, 5), (6, None)]),
    ],
)
def test_each_time_it_became_true(table: Given, text: str, found: list[tuple[int, int | None]]) -> None:
    assert asked(table, text) == found


@pytest.mark.parametrize(
    ("text", "like"),
    [("brog is dead", "brog.condition = dead"), ("brog is well", LIKE)],
)
def test_words_behind_a_name_are_looked_for_on_the_sheet(table: Given, text: str, like: str) -> None:
    with (
        view_in_memory(table.log, table.system) as view,
        pytest.raises(Invalid, match=f"Say which field of .*, like {like}."),
    ):
        times_of(view, table.system, text)


@pytest.mark.parametrize("name", ["O'Brien", "Sir Tom", "T'Gar ap'Rhys", 'the "Rat"', "Mr. X"])
def test_an_example_reads_as_a_condition(name: str) -> None:
    table = osr_table().and_given(Enrol(character=name, rolled=(2,)))
    assert asked(table, example_of([name], table.system)) == [(4, None)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "brog. < 3",
        "brog.hp <",
        "< 3",
        "brog.hp < 3 3",
        "(brog.hp < 3",
        "brog.hp < 3)",
        "brog.hp < up",
        "hp < 3",
        "brog.hp < 3; drop table turns",
        "__import__('os').system('id')",
        "(" * 500 + "brog.hp < 3" + ")" * 500,
        "not " * 200 + "brog.hp < 3",
        "brog.hp < 3 or " * 200 + "brog.hp < 3",
    ],
)
def test_what_cannot_be_read_is_one_sentence(table: Given, text: str) -> None:
    with pytest.raises(Invalid) as caught:
        asked(table, text)
    assert "\n" not in caught.value.reason


def test_an_unknown_name_or_field_names_the_nearest(table: Given) -> None:
    with pytest.raises(Refusal, match="mean brog"):
        asked(table, "brok.hp < 3")
    with pytest.raises(Refusal, match="mean hp"):
        asked(table, "brog.hps < 3")


@given(st.text(alphabet="brogAda.hp<>=!()'\" 0123andornt\\\0é", max_size=40))
def test_any_text_is_a_condition_or_a_plain_no(text: str) -> None:
    try:
        condition = parse(text, lambda _: Target("brog", "hp"), LIKE)
    except Invalid as error:
        assert "\n" not in error.reason
    else:
        assert condition.looks_at == {("brog", "hp")}


@MODEST
@given(chances, st.integers(0, 8))
def test_it_is_what_looking_at_the_sheet_after_every_turn_finds(chance: Random, bound: int) -> None:
    table = revised(chance, SUBJECT)
    found: list[tuple[int, int | None]] = []
    before = False
    for effective_turn, state in steps(table.system, table.log):
        holds = "brog" in state.characters and table.system.sheet_view(state, "brog")["hp"] < bound
        if holds and not before:
            found.append((effective_turn.number, None))
        elif before and not holds:
            found[-1] = (found[-1][0], effective_turn.number)
        before = holds
    if "brog" not in state_at(table.system, table.log).characters:
        return  # there is nobody left to ask about
    assert asked(table, f"brog.hp < {bound}") == found
