"""The rulings of a state: which of them stand, and which are in force.

In force is what has not ended, was not superseded by name, and of its options, if it sets any, at least one is set by
no later ruling. Later is who has the higher number.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cached_property
from operator import attrgetter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace


class RulingInForce(Struct, frozen=True, array_like=True):
    """A ruling as far as the rules must know it: which options it sets, and whether it still does."""

    number: int
    rule: str
    options: Mapping[str, Any]
    ended: bool = False
    trial: bool = False
    #: When a trial is to be looked at again: a session by its number, or a day (ISO).
    review: int | str | None = None
    #: The ruling in the place of which it stands.
    supersedes: int | None = None


class Holding(Struct, frozen=True):
    """What is left of one ruling at some place in the log.

    `options` are those that it sets and no later ruling does. Where none of its options is left, it is superseded
    by the latest ruling that took one; a ruling that sets no option is superseded by the one that says so alone,
    which takes the options of any other too.
    """

    options: Mapping[str, Any]
    superseded_by: int | None = None

    @property
    def in_force(self) -> bool:
        return self.superseded_by is None


def holdings(rulings: Iterable[RulingInForce]) -> dict[int, Holding]:
    """What is left of each of the rulings that stand at one place, by number; those that have ended are not in it."""
    return dict(held(sorted(rulings, key=attrgetter("number"), reverse=True)))


def held(newest_first: Iterable[RulingInForce]) -> Iterator[tuple[int, Holding]]:
    """The same of rulings that come with the highest number first, as they come."""
    latest: dict[str, int] = {}
    taken: dict[int, int] = {}
    for ruling in newest_first:
        if ruling.ended:
            continue
        by = taken.get(ruling.number)
        if ruling.supersedes is not None:
            taken.setdefault(ruling.supersedes, ruling.number)
        if by is not None:
            yield ruling.number, Holding({}, by)
            continue
        left = {name: value for name, value in ruling.options.items() if name not in latest}
        over = max(map(latest.__getitem__, ruling.options)) if ruling.options and not left else None
        yield ruling.number, Holding(left, over)
        for name in left:
            latest[name] = ruling.number


class Rulings(Struct, frozen=True, dict=True):
    """The rulings that stand, by their numbers, which rise. Never changed, only replaced."""

    made: dict[int, RulingInForce] = {}

    def __iter__(self) -> Iterator[RulingInForce]:
        return iter(self.made.values())

    def newest_first(self) -> Iterator[RulingInForce]:
        """The rulings, the highest number first."""
        return reversed(self.made.values())

    def get(self, number: int) -> RulingInForce | None:
        """The ruling of this number; None: none that stands has it."""
        return self.made.get(number)

    # -- what is in force --------------------------------------------------------------------------------

    @cached_property
    def _held(self) -> dict[int, Holding]:
        return dict(held(self.newest_first()))

    @property
    def options(self) -> dict[str, Any]:
        """What the rulings in force set."""
        return {name: value for holding in self._held.values() for name, value in holding.options.items()}

    @property
    def in_force(self) -> Set[int]:
        """The numbers of the rulings in force."""
        return {number for number, holding in self._held.items() if holding.in_force}

    def superseded_by(self, number: int) -> int | None:
        """The ruling by which one that has not ended is superseded; None: it is in force."""
        holding = self._held.get(number)
        return None if holding is None else holding.superseded_by

    # -- what becomes of them ----------------------------------------------------------------------------

    def with_made(self, ruling: RulingInForce) -> "Rulings":
        """With one more, which takes the place of any that has its number."""
        made = {**self.made, ruling.number: ruling}
        return Rulings(made if next(reversed(made)) == max(made) else dict(sorted(made.items())))

    def with_ended(self, number: int) -> "Rulings":
        """With one of them ended; what it took the place of may be in force again."""
        return self._with(number, ended=True)

    def with_kept(self, number: int) -> "Rulings":
        """With one that was on trial, and is not any more."""
        return self._with(number, trial=False, review=None)

    def _with(self, number: int, **changes: Any) -> "Rulings":
        before = self.made.get(number)
        return self if before is None else Rulings({**self.made, number: replace(before, **changes)})
