"""What the words of a blow say: how many points, behind what, and who is struck."""

from typing import NamedTuple

from cli.line.errors import Ambiguous, Unclear
from cli.line.values import Context, behind_unit, number_of, people_at, somebody_meant, without_article
from cli.line.verbs import vital_units
from cli.line.vocabulary import AGAINST, ARTICLES, FOR, NUMBER_WORDS, STOPS
from cli.line.words import Line, next_of_several
from domain.turn import Action


class BlowPoints(NamedTuple):
    """The points of a blow, as a number and as they were typed, and the words around them: up to them, and behind."""

    points: int | None
    typed: str
    before: int
    behind: int


def points_at(line: Line, first: int, context: Context, harm: type[Action]) -> BlowPoints:
    """The points from a place on, with the places before `for` and behind what they count.

    A number behind `for`, before what it counts or behind whoever is struck is one; any other only where it is alone.
    Raises Ambiguous for several others.
    """
    units, others = vital_units(context.system, harm), list[BlowPoints]()
    at, place = first, first
    while at < len(line.words):
        if (beyond := _behind_a_name(line, at, context)) > at:
            at = place = beyond
            continue
        leads = at > first and line.words[at - 1].text.casefold() == FOR
        points = None if line.words[at].quoted else number_of(line.words[at].text)
        if leads and points is None and line.words[at].text.casefold() not in ARTICLES:
            points = NUMBER_WORDS.get(line.words[at].text.casefold().rstrip(STOPS))  # `guard 1 for three`
        if points is not None and points >= 0:
            blow = BlowPoints(points, str(points), at - leads, behind_unit(line.words, at + 1, units))
            if leads or at == place or blow.behind > at + 1:
                return blow
            others.append(blow)
        at += 1
    if len(others) > 1:
        numbers = " ".join(line.words[other.behind - 1].text for other in others)
        raise Ambiguous(
            f"Which of {numbers} are the points? Say them last, like for 3.", f"Which of {numbers} are the points?", []
        )
    return others[0] if others else BlowPoints(None, "", len(line.words), len(line.words))


def _behind_a_name(line: Line, at: int, context: Context) -> int:
    """The place behind somebody who is named at a place, with a number that is part of the name; else the same."""
    if not somebody_meant(line.words, at, context):
        return at
    try:
        people = people_at(line.words, at, context)
    except Unclear:
        return at
    return at if people is None else people[1]


def target_around(line: Line, first: int, blow: BlowPoints, context: Context) -> tuple[int, int] | None:
    """The places of those who are struck: before the points, or, where nothing stands there, behind them."""
    for at in (first, *((blow.behind,) if blow.before == first else ())):
        here = at + (at < len(line.words) and line.words[at].text.casefold() in AGAINST)
        here = without_article(line.words, here, tuple(context.state.characters))
        beyond = here
        place: int | None = here
        while somebody_meant(line.words, beyond if place is None else place, context):
            people = people_at(line.words, beyond if place is None else place, context)
            if people is None or place is None:
                break
            beyond = people[1]
            place = next_of_several(line.words, beyond)
        if beyond > here:
            return here, beyond
    return None


def target_at(line: Line, first: int, context: Context) -> tuple[int, int] | None:
    """The places of those who are named from a place on; None: nobody is."""
    return target_around(line, first, BlowPoints(None, "", len(line.words), len(line.words)), context)
