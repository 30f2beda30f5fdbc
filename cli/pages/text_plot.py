"""Curves of a session as rows of block characters, and the choice of the moments that every picture marks."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate

from msgspec import Struct

from cli.terminal.screen import pad, width
from domain.naming import called
from domain.system.story import SERIOUS
from projections.recap_document import Blow, Curve, Recap

BLOCKS = "▁▂▃▄▅▆▇█"
MOST_COLUMNS = 60
#: The signs of the marks, in the order of the session; there are at most this many.
SIGNS = "abcdefgh"
#: A blow counts as heavy from the highest value of all curves divided by this.
SCRATCH = 8
#: The step from a turn to one that was entered late directly after it; so many of them stay before the next turn.
LATE = 1e-3


class Mark(Struct, frozen=True):
    """An event marked on a character's curve: where it is, the sign drawn there, and the meaning of the sign."""

    character: str
    turn: int
    value: int
    sign: str
    meaning: str


def places_of(recap: Recap) -> dict[int, float]:
    """Where the turns that were entered late lie among the numbers of the others: just behind the turn before them."""
    places: dict[int, float] = {}
    numbers = [line.turn for line in recap.chronicle]
    place = float(recap.first)
    for number, least in zip(numbers, [*accumulate(reversed(numbers), min)][::-1], strict=True):
        is_late = number > least
        place = place + LATE if is_late else number
        places |= {number: place} if is_late else {}
    return places


def marks_of(recap: Recap) -> list[Mark]:
    """The marks on the curves in the order of the session: grave turning points first of all, then the heaviest blows.

    A turning point between two changes of a curve shares the mark of the earlier one.
    """
    curves = {curve.character: dict(curve.points) for curve in recap.curves}
    late = places_of(recap)

    def place(turn: int) -> float:
        return late.get(turn, turn)

    most = max((value for points in curves.values() for value in points.values()), default=0)
    #: (the turn at which a curve changed, whose curve) -> weight, turn and meaning of each event there
    drops: dict[tuple[int, str], list[tuple[float, int, str]]] = {}
    for blow in recap.blows:
        if blow.character in curves:
            weight = blow.harm / max(most, 1)
            drops.setdefault((blow.turn, blow.character), []).append(
                (weight, blow.turn, _in_words(blow, recap.measure))
            )
    for point in recap.turning_points:
        turns = sorted(curves.get(point.who, ()), key=place)
        at = bisect_right(turns, place(point.turn), key=place)
        if point.gravity >= SERIOUS and at:
            mark = (float(point.gravity), point.turn, f"T{point.turn}: {point.what}")
            drops.setdefault((turns[at - 1], point.who), []).append(mark)
    weights = {drop: max(weight for weight, _, _ in marks) for drop, marks in drops.items()}
    heavy = [drop for drop, weight in weights.items() if weight * SCRATCH >= 1]
    heaviest = sorted(heavy, key=lambda drop: -weights[drop])[: len(SIGNS)]
    heaviest.sort(key=lambda drop: place(drops[drop][0][1]))
    return [
        Mark(
            character,
            drops[turn, character][0][1],
            curves[character][turn],
            sign,
            "; ".join(cause for _, _, cause in drops[turn, character]),
        )
        for sign, (turn, character) in zip(SIGNS, heaviest, strict=False)
    ]


def _in_words(blow: Blow, measure: str) -> str:
    """A blow as text: "T32: Brog loses 10 hit points to a marble saint"."""
    does, cause = ("loses", f" to {blow.by}") if blow.after < blow.before else ("takes", f" from {blow.by}")
    unit = measure.removesuffix("s") if blow.harm == 1 else measure
    return f"T{blow.turn}: {called(blow.character)} {does} {blow.harm} {unit}{cause if blow.by else ''}"


def text_plot(recap: Recap) -> Iterator[str]:
    """One row of blocks for each character, all to one scale, with the first and the last value.

    The signs of its marks follow below each row, and their meanings below all rows.
    """
    late = places_of(recap)

    def place(turn: int) -> float:
        return late.get(turn, turn)

    turns = sorted({turn for curve in recap.curves for turn, _ in curve.points}, key=place)
    most = max((value for curve in recap.curves for _, value in curve.points), default=0)
    if not turns or most <= 0:
        return
    label_width = max(width(called(curve.character)) for curve in recap.curves)
    digits = len(str(most))
    marks = marks_of(recap)
    worst = max if recap.higher_is_worse else min
    for curve in recap.curves:
        values = _fit(_at_each(curve, turns), worst)
        blocks = "".join(" " if value is None else _block(value, most) for value in values)
        first, last = curve.points[0][1], curve.points[-1][1]
        start = f"{pad(called(curve.character), label_width)}  {first:>{digits}} "
        yield f"{start}{blocks} {last}"
        own = {
            _column(bisect_right(turns, place(mark.turn), key=place) - 1, len(turns)): mark.sign
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
