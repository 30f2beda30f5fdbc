"""The last line that one seat recorded and that still stands: the turns that a player may undo."""

from collections.abc import Sequence

from domain.common.revisions import REVISIONS
from domain.log.effective_history import effective_history
from domain.log.port import Log
from domain.registry import tag_of
from domain.turn import Turn

#: How many turns back that line is looked for.
LOOKED_AT = 200
_REVISING = frozenset(tag_of(kind) for kind in REVISIONS)


class OwnLine:
    """The last line recorded by `by`; each turn of the log is read once for it."""

    def __init__(self, log: Log, by: str | None) -> None:
        self._log, self._by = log, by
        #: what `by` recorded among the last turns, up to the one that was read last
        self._turns: list[Turn] = []
        self._read_upto = 0

    def numbers(self) -> tuple[int, ...]:
        """The numbers of its turns that stand; none where there is no such line."""
        last = self._log.last()
        if last < self._read_upto:  # another line of play
            self._turns, self._read_upto = [], 0
        for turn in self._log.read(after=max(self._read_upto, last - LOOKED_AT), upto=last):
            if turn.by == self._by and tag_of(type(turn.action)) not in _REVISING:
                self._turns.append(turn)
        self._turns, self._read_upto = [turn for turn in self._turns if turn.number > last - LOOKED_AT], last
        effective = effective_history(self._log, last) if self._turns else None
        standing = [turn for turn in self._turns if effective is not None and effective.stands(turn.number)]
        line = standing[-1].together or standing[-1].number if standing else None
        return tuple(turn.number for turn in standing if line in (turn.number, turn.together))


def turns_in_words(numbers: Sequence[int]) -> str:
    """The turns of one line: T5, T5 and T6, or T5 to T8."""
    first, last = f"T{numbers[0]}", f"T{numbers[-1]}"
    return first if len(numbers) == 1 else f"{first} {'and' if len(numbers) == 2 else 'to'} {last}"
