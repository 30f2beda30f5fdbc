"""The last line of one author that stands: found behind others' turns, whole, and not once it is undone."""

import pytest

from cli.serving.recent_turns import LOOKED_AT, OwnLine, RecentTurns
from domain.common.notes import Note
from domain.common.revisions import Redo, Undo
from domain.log.command_handler import Command
from tests.kit.given import Given


@pytest.fixture
def table() -> Given:
    return Given("osr")


def says(table: Given, by: str, *notes: str) -> None:
    table.handler.record_together([Command(Note(text=note), by=by) for note in notes])


def test_it_is_found_behind_what_others_recorded(table: Given) -> None:
    says(table, "Mia", "Rain")
    says(table, "Jo", "Fog")
    assert OwnLine(table.log, RecentTurns(), "Mia").numbers() == (2,)
    assert OwnLine(table.log, RecentTurns(), "Ruth").numbers() == ()


def test_a_line_of_several_turns_is_all_of_them(table: Given) -> None:
    says(table, "Mia", "Rain", "Fog")
    assert OwnLine(table.log, RecentTurns(), "Mia").numbers() == (2, 3)


def test_what_is_undone_is_not_the_last_line_until_it_is_restored(table: Given) -> None:
    own = OwnLine(table.log, RecentTurns(), "Mia")
    says(table, "Mia", "Rain")
    says(table, "Mia", "Fog")
    table.handler.record(Undo(turns=(3,)), by="Mia")
    assert own.numbers() == (2,)
    table.handler.record(Redo(), by="Mia")
    assert own.numbers() == (3,)


def test_it_is_looked_for_among_the_last_turns_only(table: Given) -> None:
    says(table, "Mia", "Rain")
    own = OwnLine(table.log, RecentTurns(), "Mia")
    says(table, "Jo", *["Fog"] * (LOOKED_AT - 1))
    assert own.numbers() == (2,)
    says(table, "Jo", "Fog")
    assert own.numbers() == ()


@pytest.mark.parametrize(
    ("numbers", "words"),
    [((5,), "T5"), ((5, 6), "T5 and T6"), ((5, 6, 7, 8), "T5 to T8"), ((5, 7, 9), "T5, T7 and T9")],
)
def test_what_was_undone_is_named_by_its_turns(table: Given, numbers: tuple[int, ...], words: str) -> None:
    says(table, "Mia", *["Rain"] * 8)
    table.handler.record(Undo(turns=numbers), by="Mia")
    assert OwnLine(table.log, RecentTurns(), "Mia").undone_in_words() == words
