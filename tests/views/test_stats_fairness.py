"""The figure for dice: known values of the chi-square distribution, and what is said of them."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.commands.stats import picture
from cli.terminal.screen import Screen
from projections.recap_document import Curve
from projections.views.fairness import tail, verdict
from projections.views.named_queries import named_queries
from tests.kit.given import Given
from tests.kit.shell import Shell
from tests.kit.views import view_in_memory
from tests.osr.tables import osr_table


@pytest.mark.parametrize(
    ("chi_square", "degrees", "chance"),
    # from printed tables of the distribution
    [(3.841, 1, 0.05), (6.635, 1, 0.01), (7.815, 3, 0.05), (11.070, 5, 0.05), (15.086, 5, 0.01), (20.515, 5, 0.001),
     (1.145, 5, 0.95), (30.144, 19, 0.05), (124.342, 100, 0.05), (77.929, 100, 0.95)],
)  # fmt: skip
def test_the_tail_is_that_of_the_tables(chi_square: float, degrees: int, chance: float) -> None:
    assert tail(chi_square, degrees) == pytest.approx(chance, rel=2e-3)


@given(st.floats(0, 500), st.floats(0, 500), st.integers(1, 99))
def test_the_further_from_fair_the_rarer(one: float, other: float, degrees: int) -> None:
    low, high = sorted((one, other))
    assert 1 >= tail(low, degrees) >= tail(high, degrees) - 1e-12 >= -1e-12


def test_it_says_so_when_there_are_too_few_rolls() -> None:
    assert verdict(29, 90.0, 5) == "Too few rolls to tell: 29, and 30 are needed."
    assert verdict(60, 3.0, 5).startswith("Nothing unusual")
    assert verdict(60, 12.0, 5).startswith("Unusual")
    assert verdict(60, 60.0, 5).startswith("Hardly fair")


def answer(table: Given, name: str) -> list[dict[str, object]]:
    with view_in_memory(table.log, table.system) as view:
        columns, rows = view.table(named_queries("osr")[name].sql)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def test_the_question_counts_every_die_by_where_it_came_from() -> None:
    table = osr_table()  # reported: 5, 6 and 4
    random.seed(1)
    faces = [random.randint(1, 6) for _ in range(40)]
    for at in range(0, 40, 2):
        rest = {"type": "osr.night_rest", "characters": ["brog"], "rolled": {"brog": faces[at : at + 2]}}
        assert table.when(rest).error is None
    found = [5, 6, 4, *faces]
    expected = len(found) / 6
    counts = [found.count(face) for face in range(1, 7)]
    (row,) = answer(table, "dice-fairness")
    assert row["rolls"] == 43 and row["degrees"] == 5 and row["source"] == "reported"
    assert row["found_1_to_n"] == " ".join(map(str, counts))
    assert row["chi_square"] == pytest.approx(sum((n - expected) ** 2 / expected for n in counts), abs=0.01)


def test_totals_and_cards_are_counted_and_nothing_is_said_of_their_chance(shell: Shell) -> None:
    shell.do("new T --rules osr", "enrol brog level 2 56", "d brog 12", "saves brog 25 17")
    rows = shell.run("stats", "dice-fairness", "--json").json()
    assert [(row["die"], row["source"], row["found_1_to_n"], row["chance"]) for row in rows[1:]] == [
        ("strength save", "reported", "25 to 25, mean 25.0", None),
        ("will save", "reported", "17 to 17, mean 17.0", None),
    ]
    output = shell.run("stats", "dice-fairness").ok().out
    assert output.count("Totals are counted, not weighed: each has its own bonus in it.") == 1
    shell.do("new R --rules deckahedron", "enrol wren 2 3 3 cards table", "flip wren int 17")
    (row,) = shell.run("stats", "dice-fairness", "--json").json()
    assert (row["die"], row["source"], row["rolls"], row["found_1_to_n"]) == ("attempt", "reported", 1, "1 card")


def test_what_was_drawn_taken_back_and_drawn_again_is_told_below_the_dice(shell: Shell) -> None:
    shell.do("new T --rules osr", "enrol brog level 2 56", "rest brog", "undo", "rest brog 34", "undo", "rest brog")
    sentence = "T3 was undone, and T7 did the same again with a new draw. That is allowed, and the log keeps both."
    assert f"  {sentence}" in shell.run("stats", "dice-fairness").ok().out.splitlines()
    assert sentence in shell.run("verify").ok().out
    assert "a new draw" not in shell.run("stats", "dice-fairness", "--at", "T6").ok().out


def test_a_picture_has_whole_numbers_on_its_sides_and_a_step_where_it_changes() -> None:
    rows = picture(Screen(), "hp", [Curve("brog", ((3, 11), (4, 2), (9, 2)))])
    labels = [line.partition("|")[0].strip() for line in rows.splitlines()[1:-2]]
    assert labels == [str(n) for n in range(12, -1, -1)]
    assert "⣀" in rows
