"""The rows of the table: the ways to take the words at a place, and which of them are tried there."""

from collections.abc import Callable

from cli.line.errors import Misread
from cli.line.leftover import left_over
from cli.line.named import as_flag, as_option, by_its_name
from cli.line.people import others
from cli.line.positions import dice_of_each, filler, in_its_place, number_before_its_name
from cli.line.reading import Reading
from cli.line.table import FREE, Readings, Table

#: A row of the table: the readings that go on from a place of a line.
Row = Callable[[Table, Reading, int], Readings]


def ways_on(table: Table, reading: Reading, here: int) -> list[Reading]:
    """Every way to read on from a place. An option, which has one meaning only, excludes all others."""
    if sure := _tried(table, as_option, reading, here):
        return sure
    if table.grammar.words_alone:
        return _tried(table, left_over, reading, here)
    found = [
        *_tried(table, as_flag, reading, here),
        *_tried(table, by_its_name, reading, here),
        *_tried(table, in_its_place, reading, here),
        *_tried(table, number_before_its_name, reading, here),
    ]
    if not any(way.fault is None and way.cost < reading.cost + FREE for way in found):
        found += _tried(table, dice_of_each, reading, here)
    if all(way.unlisted is not reading.unlisted for way in found):
        # a name that is on no list admits no other way
        found += _tried(table, others, reading, here)
        found += _tried(table, filler, reading, here)
        if all(way.fault is None for way in found):
            found += _tried(table, left_over, reading, here)
    return found


def _tried(table: Table, row: Row, reading: Reading, here: int) -> list[Reading]:
    """The readings of one row; a Misread that it raises becomes the fault of a reading."""
    found: list[Reading] = []
    try:
        found += row(table, reading, here)
    except Misread as error:
        found.append(table.wrong(reading, error))
    return found
