"""A cache of the entries of the last turns, shared by every seat that may know the same of them."""

from collections.abc import Sequence

from cli.recording.audience import Audience
from projections.chronicle import Entry


class RecentTurns:
    """The entries of the turns after one, up to the last; those of an earlier last turn are forgotten."""

    def __init__(self) -> None:
        #: up to which turn, and for whose eyes after which turn
        self._cache: tuple[int, dict[tuple[str | None, int], Sequence[Entry]]] = (0, {})

    def after(self, audience: Audience, number: int, last: int) -> Sequence[Entry]:
        """The turns after this one up to `last`, which the state that the audience knows includes."""
        if last != self._cache[0]:
            self._cache = (last, {})
        entries, key = self._cache[1], (audience.eyes, number)
        if key not in entries:
            entries[key] = tuple(audience.recent(number, last))
        return entries[key]

    def if_cached(self, audience: Audience, number: int, last: int) -> Sequence[Entry] | None:
        """The same if it was worked out already; nothing of the log is asked."""
        upto, entries = self._cache
        return entries.get((audience.eyes, number)) if upto == last else None
