"""The rulings of a state: which of them stand, and which are in force.

A ruling is in force if it has not ended, was not superseded by name, and, if it sets options, at least one of them is
not set by a later ruling. Later means a higher number.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from functools import cached_property
from operator import attrgetter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace


class RulingInForce(Struct, frozen=True, array_like=True):
    """The part of a ruling that decisions need: the options it sets, and whether it has ended."""

    number: int
    rule: str
    options: Mapping[str, Any]
    ended: bool = False
    trial: bool = False
    #: When a trial is due for review: the number of a session, or a day (ISO).
    review: int | str | None = None
    #: The ruling that it replaces.
    supersedes: int | None = None


class Holding(Struct, frozen=True):
    """The effect of one ruling at some place in the log.

    `options` are those that it sets and no later ruling does. If none is left, it is superseded by the latest ruling
    that set one of them. A ruling without options is superseded only by the one that names it, which also supersedes
    one with options.
    """

    options: Mapping[str, Any]
    superseded_by: int | None = None

    @property
    def in_force(self) -> bool:
        return self.superseded_by is None


def holdings(rulings: Iterable[RulingInForce]) -> dict[int, Holding]:
    """The effect of each of the rulings that stand at one place, by number, without those that have ended."""
    return dict(holdings_of(sorted(rulings, key=attrgetter("number"), reverse=True)))


def holdings_of(newest_first: Iterable[RulingInForce]) -> Iterator[tuple[int, Holding]]:
    """The effect of rulings that are given with the highest number first, lazily and in this order."""
    #: option -> the latest ruling that sets it
    latest: dict[str, int] = {}
    #: ruling that is still to come -> the one that replaces it by name
    replacements: dict[int, int] = {}
    for ruling in newest_first:
        successor = replacements.pop(ruling.number, None)
        if ruling.ended:
            continue
        if ruling.supersedes is not None:
            replacements.setdefault(ruling.supersedes, ruling.number)
        if successor is not None:
            yield ruling.number, Holding({}, successor)
            continue
        remaining = {name: value for name, value in ruling.options.items() if name not in latest}
        over = max(map(latest.__getitem__, ruling.options)) if ruling.options and not remaining else None
        latest |= dict.fromkeys(remaining, ruling.number)
        yield ruling.number, Holding(remaining, over)


class Rulings(Struct, frozen=True, dict=True):
    """The standing rulings by number, in ascending order; immutable."""

    made: dict[int, RulingInForce] = {}

    def __iter__(self) -> Iterator[RulingInForce]:
        return iter(self.made.values())

    def newest_first(self) -> Iterator[RulingInForce]:
        """The rulings, the highest number first."""
        return reversed(self.made.values())

    def get(self, number: int) -> RulingInForce | None:
        """The standing ruling of this number; None if there is none."""
        return self.made.get(number)

    @property
    def highest(self) -> int:
        """The highest number of a ruling; 0 if there is none."""
        return next(reversed(self.made), 0)

    # -- what is in force --------------------------------------------------------------------------------

    def overridden(self, options: Collection[str]) -> dict[str, Any]:
        """The values of these options that rulings in force set; no earlier ruling is looked at than needed."""
        values: dict[str, Any] = {}
        for _, holding in holdings_of(self.newest_first()):
            values |= holding.options
            if len(values) == len(options):
                break
        return values

    @cached_property
    def in_force(self) -> Set[int]:
        """The numbers of the rulings in force."""
        return {number for number, holding in holdings_of(self.newest_first()) if holding.in_force}

    def holding(self, number: int) -> Holding | None:
        """The effect of one ruling; None if it has ended. Only those made later are looked at."""
        return next((holding for ruling, holding in holdings_of(self.newest_first()) if ruling == number), None)

    def superseded_by(self, number: int) -> int | None:
        """The ruling that supersedes this one; None if it is in force or has ended."""
        holding = self.holding(number)
        return None if holding is None else holding.superseded_by

    # -- changed copies ----------------------------------------------------------------------------------

    def with_made(self, ruling: RulingInForce) -> "Rulings":
        """A copy with one more ruling, which replaces any of the same number."""
        rulings = {**self.made, ruling.number: ruling}
        return Rulings(rulings if ruling.number >= self.highest else dict(sorted(rulings.items())))

    def with_ended(self, number: int) -> "Rulings":
        """A copy with a ruling ended; those that it superseded may be in force again."""
        return self._with(number, ended=True)

    def with_kept(self, number: int) -> "Rulings":
        """A copy with a ruling that is not on trial any more."""
        return self._with(number, trial=False, review=None)

    def _with(self, number: int, **changes: Any) -> "Rulings":
        before = self.made.get(number)
        return self if before is None else Rulings({**self.made, number: replace(before, **changes)})
