"""Fairness of dice: the tail of the chi-square distribution, its verdict in words, and draws that were repeated."""

from math import erfc, exp, lgamma, log, sqrt

from domain.log.verifying import Redraws
from projections.views.view import View

#: The named query about fairness, which every campaign has.
FAIRNESS = "dice-fairness"
#: The minimum of expected rolls per face for a verdict.
FEWEST_OF_A_FACE = 5


def tail(chi_square: float, degrees: int) -> float:
    """The chance that fair dice come to this chi-square or more.

    For a whole number of degrees it is a finite sum: each further pair of degrees adds a term of the Poisson
    distribution, or of its like at halves, to the tail of two degrees, or of one.
    """
    x = chi_square / 2
    if x <= 0:
        return 1.0
    half, chance = (0.5, erfc(sqrt(x))) if degrees % 2 else (1.0, exp(-x))
    while 2 * half < degrees:
        chance += exp(half * log(x) - x - lgamma(half + 1))
        half += 1
    return min(chance, 1.0)


#: Why there is no verdict, by kind of draw.
NOT_WEIGHED = {
    "total": "Totals are counted, not weighed: each has its own bonus in it.",
    "card": "Cards are counted, not weighed: what is on the piles decides what can come.",
}


def verdict(rolls: int, chi_square: float, degrees: int) -> str:
    """The meaning of the figure, as one sentence."""
    sides = degrees + 1
    if rolls < FEWEST_OF_A_FACE * sides:
        return f"Too few rolls to tell: {rolls}, and {FEWEST_OF_A_FACE * sides} are needed."
    chance = tail(chi_square, degrees)
    if chance >= 0.05:
        return f"Nothing unusual: fair dice stray this far {chance:.0%} of the time."
    if chance >= 0.001:
        return f"Unusual: fair dice stray this far only {chance:.1%} of the time."
    return "Hardly fair: fair dice stray this far less than once in a thousand times."


def redrawn(view: View) -> list[str]:
    """A sentence for each draw that was undone and drawn again, which is legal but worth knowing."""
    rows = view.ask("SELECT turn, action, standing FROM turns WHERE drew ORDER BY turn")
    return [note.sentence for note in Redraws().notes(rows)]
