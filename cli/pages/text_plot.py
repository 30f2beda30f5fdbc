"""Curves of a session as rows of block characters."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from cli.terminal.screen import pad, width
from domain.naming import called
from projections.marks import marks_of, places_of
from projections.recap_document import Curve, Recap

BLOCKS = "▁▂▃▄▅▆▇█"
MOST_COLUMNS = 60


def text_plot(recap: Recap) -> Iterator[str]:
    """One row of blocks for each character, all to one scale, with the first and the last value.

    The signs of its marks follow below each row, and their meanings below all rows.
    """
    places = places_of(recap)
    turns = sorted({turn for curve in recap.curves for turn, _ in curve.points}, key=places.__getitem__)
    most = max((value for curve in recap.curves for _, value in curve.points), default=0)
    if not turns or most <= 0:
        return
    label_width = max(width(called(curve.character)) for curve in recap.curves)
    digits = len(str(most))
    marks = marks_of(recap, places)
    worst = max if recap.higher_is_worse else min
    for curve in recap.curves:
        values = _fit(_at_each(curve, turns), worst)
        blocks = "".join(" " if value is None else _block(value, most) for value in values)
        first, last = curve.points[0][1], curve.points[-1][1]
        start = f"{pad(called(curve.character), label_width)}  {first:>{digits}} "
        yield f"{start}{blocks} {last}"
        own = {
            _column(bisect_right(turns, places[mark.turn], key=places.__getitem__) - 1, len(turns)): mark.sign
            for mark in marks
            if mark.character == curve.character
        }
        if own:
            yield " " * width(start) + "".join(own.get(column, " ") for column in range(len(values))).rstrip()
    if marks:
        yield ""
        yield from (f"{mark.sign}  {mark.meaning}" for mark in marks)


def _column(place: int, turns: int) -> int:
    """The column that shows the turn at index `place` among so many turns."""
    if turns <= MOST_COLUMNS:
        return place
    return next(column for column in range(MOST_COLUMNS) if place < (column + 1) * turns // MOST_COLUMNS)


def _block(value: int, most: int) -> str:
    """The block of a value; the full one is that of the highest value alone, so that every loss shows."""
    if value <= 0:
        return "_"
    return BLOCKS[-1] if value == most else BLOCKS[min((value * len(BLOCKS) - 1) // most, len(BLOCKS) - 2)]


def _at_each(curve: Curve, turns: Sequence[int]) -> list[int | None]:
    """The value of the curve at each of these turns; None before its first."""
    values: list[int | None] = []
    values_by_turn = dict(curve.points)
    for turn in turns:
        values.append(values_by_turn.get(turn, values[-1] if values else None))
    return values


def _fit(values: list[int | None], worst: Callable[[Iterable[int]], int]) -> list[int | None]:
    """At most `MOST_COLUMNS` values: where several turns share a column, the worst value."""
    if len(values) <= MOST_COLUMNS:
        return values
    fit: list[int | None] = []
    for column in range(MOST_COLUMNS):
        share = values[column * len(values) // MOST_COLUMNS : (column + 1) * len(values) // MOST_COLUMNS]
        known_values = [value for value in share if value is not None]
        fit.append(worst(known_values) if known_values else None)
    return fit
