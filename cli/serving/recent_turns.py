"""A cache of the entries of the last turns, shared by every seat that may know the same of them."""

from collections.abc import Sequence

from cli.recording.audience import Audience
from projections.chronicle import Entry


class RecentTurns:
    """The entries of the turns after one, up to the last; those of an earlier last turn are forgotten."""

    def __init__(self) -> None:
        #: up to which turn, and for whose eyes after which turn
        self._known: tuple[int, dict[tuple[str | None, int], Sequence[Entry]]] = (0, {})

    def after(self, audience: Audience, number: int, last: int) -> Sequence[Entry]:
        """The turns after this one up to `last`, which the state that the audience knows includes."""
        if last != self._known[0]:
            self._known = (last, {})
        entries, key = self._known[1], (audience.eyes, number)
        if key not in entries:
            entries[key] = tuple(audience.recent(number, last))
        return entries[key]

    def known(self, audience: Audience, number: int, last: int) -> Sequence[Entry] | None:
        """The same if it was worked out already; nothing of the log is asked."""
        upto, entries = self._known
        return entries.get((audience.eyes, number)) if upto == last else None
