"""The words behind a verb, read: one pass over the table of what each could be, which keeps the likeliest readings.

What comes out is a result, whether the line can be understood or not: the likeliest whole reading and those that are
as likely, or the one that came nearest. What is wrong with it is said elsewhere (`cli.line.diagnosis`).
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from cli.line.grammar import Grammar
from cli.line.people import beginnings
from cli.line.reading import Reading
from cli.line.rows import ways_on
from cli.line.table import Table
from cli.line.values import Context, sheet_as_meant
from cli.line.verbs import Verb
from cli.line.words import Line

#: So many readings are kept at each place of a line; a line of the table needs two or three.
KEPT = 24


class Result(Struct, frozen=True):
    """What became of a line: the likeliest reading, whether it is whole, and others that are whole and as likely."""

    table: Table
    best: Reading
    whole: bool
    rivals: tuple[Reading, ...] = ()

    @property
    def manner(self) -> Mapping[str, str]:
        """How it is told: by whom, when, after which turn."""
        return self.best.manner

    def actions(self) -> list[dict[str, Any]]:
        """The actions as JSON has them, of a reading that is whole. Raises Unclear."""
        context = self.table.context
        return [dict(sheet_as_meant(context.system, context.state, value)) for value in self.best.actions()]

    @property
    def without(self) -> tuple[str, ...]:
        """Who is left out where everybody was named, and is in sight all the same: the collapsed, but not the dead."""
        if not self.best.all_named:
            return ()
        system, state = self.table.context.system, self.table.context.state
        named = set(self.best.names)
        fallen = [name for name in state.characters if system.fallen(state, name) is not None and name not in named]
        return tuple(name for name in fallen if system.brief(state, name, system.sheet_view(state, name)))


def read(context: Context, verb: Verb, line: Line, at: int) -> Result:
    """Read the words of a line from a place on as those of one verb."""
    table = Table(Grammar(context, verb), line, at)
    ended, failed = passed_over(table)
    whole = sorted((reading for reading in ended if not reading.missing()), key=_likely)
    if whole:
        best = whole[0]
        rivals = [other for other in whole[1:] if other.cost == best.cost and other.comes_to() != best.comes_to()]
        return Result(table, best, whole=True, rivals=tuple(rivals))
    return Result(table, min((*ended, *failed), key=lambda reading: _failing(reading, table)), whole=False)


def read_so_far(context: Context, verb: Verb, line: Line, at: int) -> Reading | None:
    """The likeliest reading of a line that goes on; None: nothing that could follow makes it right."""
    ended, _ = passed_over(Table(Grammar(context, verb), line, at))
    return min(ended, key=_likely, default=None)


def passed_over(table: Table) -> tuple[list[Reading], list[Reading]]:
    """The readings that came to the end of the line, and those that could not go on."""
    ended: list[Reading] = []
    failed: list[Reading] = []
    waiting: dict[int, list[Reading]] = {}
    for reading in beginnings(table):
        waiting.setdefault(reading.place, []).append(reading)
    while waiting:
        here = min(waiting)
        for reading in sorted(waiting.pop(here), key=_likely)[:KEPT]:
            if reading.fault is not None:
                failed.append(reading)
            elif here >= len(table.words):
                ended.append(reading)
            else:
                ways = ways_on(table, reading, here)
                failed += [reading] if not ways else [way for way in ways if way.fault is not None]
                for way in ways:
                    if way.fault is None:
                        waiting.setdefault(way.place, []).append(way)
    return ended, failed


def _likely(reading: Reading) -> float:
    return reading.cost


def _failing(reading: Reading, table: Table) -> tuple[float, int]:
    """How far a reading that is not whole is from being meant."""
    known = reading.fault.at if reading.fault is not None else None
    place = reading.place if known is None else max(reading.place, known)
    return reading.cost + 3 * (len(table.words) - place) + 2 * len(reading.missing()), -place
