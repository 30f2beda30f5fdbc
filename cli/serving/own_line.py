"""The last line that one seat recorded and that still stands: what a player may undo, and the turns to amend."""

from collections.abc import Sequence

from cli.serving.recent_turns import RecentTurns
from domain.common.revisions import Adopt, Amend, Redo, Undo
from domain.common.sessions import SessionOpen
from domain.log.port import Log
from domain.turn import Action, Turn


class OwnLine:
    """The last line recorded by `by`, among the last turns of the log."""

    def __init__(self, log: Log, recent: RecentTurns, by: str | None) -> None:
        self._log, self._recent, self._by = log, recent, by

    def numbers(self) -> tuple[int, ...]:
        """The numbers of its turns that stand, an amendment among them; none where there is no such line."""
        return self._last_line(Undo)

    def in_words(self) -> str:
        """The same as it is read: "T5 to T8", "T9, the amendment of T5"."""
        numbers = self.numbers()
        if not numbers:
            return ""
        action = next(turn.action for turn in self._standing() if turn.number == numbers[-1])
        amended = (
            f", the amendment of {turns_in_words(sorted(action.new_actions))}" if isinstance(action, Amend) else ""
        )
        return f"{turns_in_words(numbers)}{amended}"

    def amendable(self) -> tuple[int, ...]:
        """The turns of the last line that is no amendment itself."""
        return self._last_line(Undo, Amend)

    def _last_line(self, *others: type[Action]) -> tuple[int, ...]:
        standing = [turn for turn in self._standing() if not isinstance(turn.action, others)]
        line = standing[-1].together or standing[-1].number if standing else None
        return tuple(turn.number for turn in standing if line in (turn.number, turn.together))

    def undo(self) -> int | None:
        """The number of the undo with which `by` took a line back, if that is the last of what `by` did."""
        standing = self._standing()
        return standing[-1].number if standing and isinstance(standing[-1].action, Undo) else None

    def opened(self) -> int:
        """The turn that opened this evening; 0 where none did of late."""
        standing = self._recent.standing(self._log)
        return max((turn.number for turn in standing if isinstance(turn.action, SessionOpen)), default=0)

    def undone_in_words(self) -> str:
        """The turns that this undo took back, as they are read; "" where it does not name them."""
        number = self.undo()
        action = next((turn.action for turn in self._standing() if turn.number == number), None)
        return turns_in_words(sorted(action.turns)) if isinstance(action, Undo) and action.turns else ""

    def _standing(self) -> Sequence[Turn]:
        standing = self._recent.standing(self._log)
        return [turn for turn in standing if turn.by == self._by and not isinstance(turn.action, Redo | Adopt)]


def turns_in_words(numbers: Sequence[int]) -> str:
    """The turns of one line: T5, T5 and T6, or T5 to T8."""
    first, last = f"T{numbers[0]}", f"T{numbers[-1]}"
    return first if len(numbers) == 1 else f"{first} {'and' if len(numbers) == 2 else 'to'} {last}"
