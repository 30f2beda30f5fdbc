"""Fairness of dice: the tail of the chi-square distribution, its verdict in words, and draws that were repeated."""

from math import exp, lgamma, log

from domain.log.verifying import Redraws
from projections.views.view import View

#: The named query about fairness, which every campaign has.
FAIRNESS = "dice-fairness"
#: The minimum of expected rolls per face for a verdict.
FEWEST_OF_A_FACE = 5


def tail(chi_square: float, degrees: int) -> float:
    """The chance that fair dice come to this chi-square or more (the regularised upper incomplete gamma function).

    A power series below the bend and a continued fraction above it, each to a relative error of 1e-12.
    """
    a, x = degrees / 2, chi_square / 2
    if x <= 0:
        return 1.0
    front = exp(a * log(x) - x - lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while term > total * 1e-13:
            n += 1
            term *= x / n
            total += term
        return max(0.0, 1 - front * total)
    tiny = 1e-300
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    fraction = d
    for i in range(1, 10_000):
        step = -i * (i - a)
        b += 2
        d = 1 / (_not_zero(step * d + b, tiny))
        c = _not_zero(b + step / c, tiny)
        fraction *= c * d
        if abs(c * d - 1) < 1e-13:
            break
    return min(1.0, front * fraction)


def _not_zero(value: float, tiny: float) -> float:
    return value if abs(value) > tiny else tiny


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
