"""The moments of an evening that every picture of its curves marks, and where the turns lie on it."""

from bisect import bisect_right
from itertools import accumulate

from msgspec import Struct

from domain.naming import called, put_down_to, quantity, singular
from domain.system.story import SERIOUS
from projections.recap_document import Blow, Recap

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


class Places(dict[int, float]):
    """Where turns lie on a picture: each at its number, but for those that are entered here."""

    def __missing__(self, turn: int) -> float:
        return turn


def places_of(recap: Recap) -> Places:
    """Where the turns that were entered late lie among the numbers of the others: just behind the turn before them."""
    places = Places()
    numbers = [line.turn for line in recap.chronicle]
    place = float(recap.first)
    for number, least in zip(numbers, [*accumulate(reversed(numbers), min)][::-1], strict=True):
        is_late = number > least
        place = place + LATE if is_late else number
        if is_late:
            places[number] = place
    return places


def marks_of(recap: Recap, places: Places) -> list[Mark]:
    """The marks on the curves in the order of the session: grave turning points first of all, then the heaviest blows.

    A turning point between two changes of a curve shares the mark of the earlier one.
    """
    curves = {curve.character: dict(curve.points) for curve in recap.curves}
    most = max((value for points in curves.values() for value in points.values()), default=0)
    #: (the turn at which a curve changed, whose curve) -> weight, turn and meaning of each event there
    drops: dict[tuple[int, str], list[tuple[float, int, str]]] = {}
    for blow in recap.blows:
        if blow.character in curves:
            weight = blow.harm / max(most, 1)
            drops.setdefault((blow.turn, blow.character), []).append(
                (weight, blow.turn, _blow_in_words(blow, recap.measure))
            )
    for point in recap.turning_points:
        turns = sorted(curves.get(point.who, ()), key=places.__getitem__)
        at = bisect_right(turns, places[point.turn], key=places.__getitem__)
        if point.gravity >= SERIOUS and at:
            mark = (float(point.gravity), point.turn, f"T{point.turn}: {point.what}")
            drops.setdefault((turns[at - 1], point.who), []).append(mark)
    weights = {drop: max(weight for weight, _, _ in marks) for drop, marks in drops.items()}
    heavy = [drop for drop, weight in weights.items() if weight * SCRATCH >= 1]
    heaviest = sorted(heavy, key=lambda drop: -weights[drop])[: len(SIGNS)]
    heaviest.sort(key=lambda drop: places[drops[drop][0][1]])
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


def _blow_in_words(blow: Blow, measure: str) -> str:
    """A blow as text: "T32: Brog loses 10 hit points to a marble saint"."""
    does, preposition = ("loses", "to") if blow.after < blow.before else ("takes", "from")
    amount = quantity(blow.harm, singular(measure), measure)
    cause = put_down_to(blow.by, preposition) if blow.by else ""
    return f"T{blow.turn}: {called(blow.character)} {does} {amount}{cause}"
