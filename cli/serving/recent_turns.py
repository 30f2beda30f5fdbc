"""The last turns, read once for all seats, and their entries, shared by every seat that may know the same of them."""

from collections.abc import Sequence

from cli.recording.audience import Audience
from domain.log.effective_history import EffectiveTurn, effective_history, effective_turns
from domain.log.port import Log
from domain.turn import Turn
from projections.chronicle import Entry

#: How many turns back a seat's own last line is looked for.
LOOKED_AT = 200


class RecentTurns:
    """The entries of the turns after one, up to the last; those of an earlier last turn are forgotten."""

    def __init__(self) -> None:
        #: up to which turn, and for whose eyes after which turn
        self._cache: tuple[int, dict[tuple[str | None, int], Sequence[Entry]]] = (0, {})
        #: the same turns before anybody looks at them, after which turn
        self._effective: dict[int, Sequence[EffectiveTurn]] = {}
        #: the last turns as they were recorded; those of them that stand; up to which turn both are known
        self._turns: list[Turn] = []
        self._standing: Sequence[Turn] = ()
        self._read_upto = 0

    def after(self, audience: Audience, number: int, last: int) -> Sequence[Entry]:
        """The turns after this one up to `last`, which the state that the audience knows includes."""
        if last != self._cache[0]:
            self._cache, self._effective = (last, {}), {}
        entries, key = self._cache[1], (audience.eyes, number)
        if key not in entries:
            if number not in self._effective:
                self._effective[number] = tuple(effective_turns(audience.log, last, after=number))
            entries[key] = tuple(audience.entries(self._effective[number]))
        return entries[key]

    def if_cached(self, audience: Audience, number: int, last: int) -> Sequence[Entry] | None:
        """The same if it was worked out already; nothing of the log is asked."""
        upto, entries = self._cache
        return entries.get((audience.eyes, number)) if upto == last else None

    def standing(self, log: Log) -> Sequence[Turn]:
        """Those of the last `LOOKED_AT` turns of a log that stand; each is read once."""
        last = log.last()
        if last < self._read_upto:  # another line of play
            self._turns, self._read_upto = [], 0
        if last > self._read_upto:
            self._turns += log.read(after=max(self._read_upto, last - LOOKED_AT), upto=last)
            self._turns, self._read_upto = self._turns[-LOOKED_AT:], last
            effective = effective_history(log, last, after=self._turns[0].number - 1)
            self._standing = [turn for turn in self._turns if effective.stands(turn.number)]
        return self._standing
