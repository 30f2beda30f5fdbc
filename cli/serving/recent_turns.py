"""The last turns, read once for all seats: their entries, and what each seat may undo, restore or amend of them."""

from collections.abc import Sequence

from cli.recording.audience import Audience
from domain.common.revisions import Adopt, Amend, Redo, Undo
from domain.common.sessions import SessionOpen
from domain.log.effective_history import EffectiveTurn, effective_history, effective_turns
from domain.log.port import Log
from domain.turn import Action, Turn
from projections.chronicle import Entry
from projections.sentences import turns_in_words

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
        """The turns after this one up to `last` if they were worked out already; nothing of the log is asked."""
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


class OwnLine:
    """The last line recorded by `by`, among the last turns of the log."""

    def __init__(self, log: Log, recent: RecentTurns, by: str | None, *, only_reads: bool = False) -> None:
        self._log, self._recent, self._by, self._only_reads = log, recent, by, only_reads

    def numbers(self) -> tuple[int, ...]:
        """The numbers of its turns that stand, an amendment among them; none where there is no such line."""
        return self._last_line(Undo)

    def numbers_in_words(self) -> str:
        """Its turns as they are read: "T5 to T8", "T9, the amendment of T5"."""
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

    def offered_to_undo(self) -> tuple[int, ...]:
        """What of it a button undoes: what an earlier evening was is corrected in the log."""
        return tuple(filter(self._is_offered, self.numbers()))

    def offered_to_redo(self) -> int | None:
        """The undo that a button takes back."""
        undo = self.undo()
        return undo if undo is not None and self._is_offered(undo) else None

    def _is_offered(self, number: int) -> bool:
        """Whether a turn is of this evening, for a seat that does more than read."""
        standing = self._recent.standing(self._log)
        opened = max((turn.number for turn in standing if isinstance(turn.action, SessionOpen)), default=0)
        return number >= opened and not self._only_reads

    def undone_in_words(self) -> str:
        """The turns that this undo took back, as they are read; "" where it does not name them."""
        number = self.undo()
        action = next((turn.action for turn in self._standing() if turn.number == number), None)
        return turns_in_words(sorted(action.turns)) if isinstance(action, Undo) and action.turns else ""

    def _standing(self) -> Sequence[Turn]:
        standing = self._recent.standing(self._log)
        return [turn for turn in standing if turn.by == self._by and not isinstance(turn.action, Redo | Adopt)]
