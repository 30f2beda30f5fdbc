"""How a turn is laid out in the chronicle: its number, a row for each character, and what marks it."""

from cli.table.chronicle import digits_of, entry_rows
from cli.table.layout import rows_of
from domain.common.notes import Note
from domain.common.revisions import Undo
from domain.log.backdating import Backdating
from domain.osr.hit_points import Enrol
from domain.osr.rests import ShortRest
from projections.chronicle_range import chronicle
from tests.kit.given import Given


def rows(table: Given, turn: int, columns: int = 80) -> list[str]:
    entry = next(entry for entry in chronicle(table.system, table.log) if entry.turn == turn)
    return str(rows_of(entry_rows(entry, digits_of(table.log.last()), columns))).splitlines()


def test_a_turn_stands_behind_its_number_with_its_author() -> None:
    table = Given("osr")
    table.handler.record(Note(text="The torch gutters."), by="Mia")
    assert rows(table, 2) == [" T2  Note: The torch gutters. (Mia)"]
    assert rows(table, 2, 21) == [" T2  Note: The torch", "     gutters. (Mia)"]


def test_each_character_has_a_row_and_the_author_stands_behind_the_last() -> None:
    table = Given("osr", Enrol(character="Brog"), Enrol(character="Ada"))
    table.handler.record(ShortRest(characters=("Brog", "Ada")), by="Mia")
    first, second = rows(table, 4)
    assert first.startswith(" T4  Brog") and second.startswith("     Ada") and second.endswith(" (Mia)")


def test_what_is_undone_and_what_came_late_is_marked() -> None:
    table = Given("osr", Note(text="Rain"), Note(text="Fog"), Undo(turns=(3,)))
    table.handler.record(Note(text="Frost"), backdating=Backdating(after="T2"))
    assert rows(table, 3) == [" T3  ✗ Note: Fog"]
    assert rows(table, 5) == [" T5, late entry, after T2  Note: Frost"]
