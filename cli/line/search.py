"""The reader of the words behind a verb: a beam search for the reading of least cost.

The result holds the best complete reading with its rivals of the same cost, or else the reading that came nearest.
What is wrong with that one is found by `cli.line.diagnosis.unread_line`.
"""

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from msgspec import Struct

from cli.line.clause import FREE, Clause, Readings
from cli.line.errors import Misread
from cli.line.grammar import Grammar
from cli.line.named_values import as_flag, as_option, by_its_name
from cli.line.people import beginnings, further_people
from cli.line.reading import Reading
from cli.line.remarks import as_remark
from cli.line.unnamed_values import dice_of_each, filler, in_its_place, number_before_its_name
from cli.line.values import Context, sheet_as_meant
from cli.line.verbs import Verb
from cli.line.words import Line

#: A row of the search: the readings that go on from a place of a line.
Row = Callable[[Clause, Reading, int], Readings]
#: Readings that are kept at each place of a line; real lines need two or three.
BEAM_WIDTH = 24
_COST = attrgetter("cost")


class Result(Struct, frozen=True):
    """The best reading of a line, whether it is complete, and complete rivals of the same cost."""

    clause: Clause
    best: Reading
    whole: bool
    rivals: tuple[Reading, ...] = ()

    @property
    def manner(self) -> Mapping[str, str]:
        """The options of the line itself: by whom, when, after or before which turn."""
        return self.best.manner

    def actions(self) -> list[dict[str, Any]]:
        """The actions of a complete reading as JSON. Raises Unclear."""
        context = self.clause.context
        return [dict(sheet_as_meant(context.system, context.state, value)) for value in self.best.actions()]

    @property
    def without(self) -> tuple[str, ...]:
        """The characters that `all` leaves out although they are still shown: the collapsed, but not the dead."""
        if not self.best.is_everybody:
            return ()
        system, state = self.clause.context.system, self.clause.context.state
        names = set(self.best.names)
        absentees = [name for name in state.characters if system.fallen(state, name) is not None and name not in names]
        return tuple(name for name in absentees if system.brief(state, name, system.sheet_view(state, name)))


def read(context: Context, verb: Verb, line: Line, at: int) -> Result:
    """Read the words of a line from `at` on as those of one verb."""
    clause = Clause(Grammar(context, verb), line, at)
    readings, failures = search(clause)
    whole = sorted((reading for reading in readings if not reading.missing()), key=_COST)
    if whole:
        best = whole[0]
        rivals = [other for other in whole[1:] if other.cost == best.cost and other.comes_to() != best.comes_to()]
        return Result(clause, best, whole=True, rivals=tuple(rivals))
    return Result(clause, min((*readings, *failures), key=lambda reading: _badness(reading, clause)), whole=False)


def read_from_verb(context: Context, verb: Verb, line: Line) -> Result:
    """Read a line that begins with the name of its verb."""
    return read(context, verb, line, len(verb.name.split()))


def read_so_far(context: Context, verb: Verb, line: Line, at: int) -> Reading | None:
    """The best reading of an unfinished line; None if no continuation can make it valid."""
    readings, _ = search(Clause(Grammar(context, verb), line, at))
    return min(readings, key=_COST, default=None)


def search(clause: Clause) -> tuple[list[Reading], list[Reading]]:
    """The readings that reach the end of the line, and those that cannot go on."""
    readings: list[Reading] = []
    failures: list[Reading] = []
    waiting: dict[int, list[Reading]] = {}
    for reading in beginnings(clause):
        waiting.setdefault(reading.place, []).append(reading)
    while waiting:
        here = min(waiting)
        for reading in sorted(waiting.pop(here), key=_COST)[:BEAM_WIDTH]:
            if reading.fault is not None:
                failures.append(reading)
            elif here >= len(clause.words):
                readings.append(reading)
            else:
                ways = continuations(clause, reading, here)
                failures += [reading] if not ways else [way for way in ways if way.fault is not None]
                for way in ways:
                    if way.fault is None:
                        waiting.setdefault(way.place, []).append(way)
    return readings, failures


def _badness(reading: Reading, clause: Clause) -> tuple[float, int]:
    """The badness of an incomplete reading: its cost with the words and fields that are left."""
    at = reading.fault.at if reading.fault is not None else None
    place = reading.place if at is None else max(reading.place, at)
    return reading.cost + 3 * (len(clause.words) - place) + 2 * len(reading.missing()), -place


def continuations(clause: Clause, reading: Reading, here: int) -> list[Reading]:
    """Every way to read on from a place. An option, which has one meaning only, excludes all others."""
    if sure := _tried(clause, as_option, reading, here):
        return sure
    if clause.grammar.words_alone:
        return _tried(clause, as_remark, reading, here)
    readings: list[Reading] = []
    if not clause.words[here].text.isdecimal():  # no field is called by a number
        readings += _tried(clause, as_flag, reading, here)
        readings += _tried(clause, by_its_name, reading, here)
    readings += _tried(clause, in_its_place, reading, here)
    readings += _tried(clause, number_before_its_name, reading, here)
    if not any(way.fault is None and way.cost < reading.cost + FREE for way in readings):
        readings += _tried(clause, dice_of_each, reading, here)
    if all(way.unlisted is not reading.unlisted for way in readings):
        # a name that is on no list admits no other way
        readings += _tried(clause, further_people, reading, here)
        readings += _tried(clause, filler, reading, here)
        if all(way.fault is None for way in readings):
            readings += _tried(clause, as_remark, reading, here)
    return readings


def _tried(clause: Clause, row: Row, reading: Reading, here: int) -> list[Reading]:
    """The readings of one row; a Misread that it raises becomes the fault of a reading."""
    readings: list[Reading] = []
    try:
        readings += row(clause, reading, here)
    except Misread as error:
        readings.append(clause.failed(reading, error))
    return readings
