"""The port of the event store: the interface of a log, its errors, and in-memory implementations."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from itertools import chain, pairwise
from typing import Protocol

from msgspec import Struct

from domain.turn import Turn


class NumberTaken(Exception):
    """Another writer appended a turn of this number first: catch up and decide again."""


class IdTaken(NumberTaken):
    """A turn of this id is stored already: this very one, another, or one of another branch."""


class NotSaved(Exception):
    """Nothing was appended. `reason` is one plain sentence that says what to do."""


class MaybeSaved(Exception):
    """Unknown whether the turn was appended, because it could not be looked up. A retry with the same id is safe."""


class DamagedLog(Exception):
    """The stored data cannot be read as a log."""


class Snapshot(Struct, frozen=True):
    """The state after turn `turn`, packed (`domain.log.snapshots`). The turn's `link` binds it to this very history."""

    turn: int
    link: bytes
    #: The version of the rules that it was folded by.
    version: int
    state: bytes


class SnapshotStore(Protocol):
    """The store of one log's snapshots. It raises no errors: a failure only means fewer snapshots."""

    def upto(self, turn: int) -> Iterable[Snapshot]:
        """The snapshots of turns up to `turn`, newest first; perhaps some of another history."""

    def store(self, snapshot: Snapshot) -> None:
        """Store a snapshot."""


class Log(Protocol):
    """One append-only log of turns, numbered 1, 2, 3 … without gaps."""

    @property
    def rules(self) -> str:
        """The key of the rule system, from turn 1."""

    @property
    def snapshots(self) -> SnapshotStore:
        """The store of this log's snapshots."""

    @property
    def campaign_id(self) -> str:
        """The campaign's id, fixed for ever."""

    def last(self) -> int:
        """The number of the last turn; 0 if there is none."""

    def read(self, after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        """The turns after `after` up to and including `upto`, of these action tags only if any are given."""

    def read_back(self, after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        """The same turns, the newest first."""

    def late_turns(self, after: int = 0, upto: int | None = None) -> Iterator[Turn]:
        """Those of these turns that have a place, by number."""

    def times(self, upto: int) -> Iterator[tuple[int, datetime]]:
        """The numbers and times of the turns up to one, but of late entries, whose time is that of their place."""

    def link(self, number: int) -> bytes:
        """The link of a turn in the hash chain. Raises DamagedLog if it is missing."""

    def find(self, turn_id: str) -> Turn | None:
        """The turn of this id; None if there is none."""

    def branch_of(self, turn_id: str) -> str | None:
        """The branch of the turn of this id; None if there is none, or this log has no branches."""

    def append(self, turn: Turn) -> None:
        """Append one turn. Raises NumberTaken, NotSaved or MaybeSaved."""

    def append_all(self, turns: Sequence[Turn]) -> None:
        """Append several consecutive turns, all or none. Raises as `append` does."""

    def exclusive_access(self) -> AbstractContextManager[None]:
        """A context with a lock against other writers, to decide again after losing a race. Raises NotSaved."""


def turn_in(log: Log, number: int) -> Turn:
    """The turn of a number that the log has. Raises DamagedLog if it is gone, as when the file was overwritten."""
    turn = next(log.read(after=number - 1, upto=number), None)
    if turn is None:
        raise DamagedLog(f"Turn T{number} is missing.")
    return turn


class NoSnapshots:
    """A snapshot store that stores nothing."""

    def upto(self, turn: int) -> Iterable[Snapshot]:  # noqa: ARG002
        return ()

    def store(self, snapshot: Snapshot) -> None:
        """Do nothing: snapshots are disposable."""


#: A store keeps every snapshot of the last `DENSE` turns, and of earlier turns the last of every `SPARSE`.
DENSE, SPARSE = 10_000, 2_000


class MemorySnapshots:
    """Snapshots in memory."""

    def __init__(self) -> None:
        self._snapshots: list[Snapshot] = []

    def upto(self, turn: int) -> Iterable[Snapshot]:
        return (snapshot for snapshot in reversed(self._snapshots) if snapshot.turn <= turn)

    def store(self, snapshot: Snapshot) -> None:
        lasting = [
            earlier
            for earlier, later in pairwise((*self._snapshots, snapshot))
            if earlier.turn >= snapshot.turn - DENSE or earlier.turn // SPARSE != later.turn // SPARSE
        ]
        self._snapshots = [*lasting, snapshot]


class ReadOnlySnapshots:
    """The snapshots of a log up to a turn, read-only."""

    def __init__(self, snapshots: SnapshotStore, last: int) -> None:
        self._snapshots, self._last = snapshots, last

    def upto(self, turn: int) -> Iterable[Snapshot]:
        return self._snapshots.upto(min(turn, self._last))

    def store(self, snapshot: Snapshot) -> None:
        """Do nothing: the turns after that one are not committed yet."""


class MemoryLog:
    """A log in memory: for uncommitted turns, and for tests."""

    def __init__(self, rules: str, campaign_id: str = "memory", turns: Sequence[Turn] = ()) -> None:
        self.rules = rules
        self.campaign_id = campaign_id
        self.turns = list(turns)
        self.snapshots: SnapshotStore = NoSnapshots()

    def link(self, number: int) -> bytes:
        """The id, in place of a hash: it is random and in no other history."""
        return self.turns[number - 1].id.encode()

    def last(self) -> int:
        return len(self.turns)

    def read(self, after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        for turn in self.turns[after:upto]:
            if not topics or turn.action.__struct_config__.tag in topics:
                yield turn

    def read_back(self, after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        return reversed(list(self.read(after, upto, topics)))

    def late_turns(self, after: int = 0, upto: int | None = None) -> Iterator[Turn]:
        return (turn for turn in self.turns[after:upto] if turn.place is not None)

    def times(self, upto: int) -> Iterator[tuple[int, datetime]]:
        return ((turn.number, turn.moment) for turn in self.turns[:upto] if turn.place is None)

    def find(self, turn_id: str) -> Turn | None:
        return next((turn for turn in self.turns if turn.id == turn_id), None)

    def branch_of(self, turn_id: str) -> str | None:
        return "main" if self.find(turn_id) is not None else None

    def append(self, turn: Turn) -> None:
        self.append_all((turn,))

    def append_all(self, turns: Sequence[Turn]) -> None:
        if turns[0].number != len(self.turns) + 1:
            raise NumberTaken
        self.turns.extend(turns)

    def exclusive_access(self) -> AbstractContextManager[None]:
        return nullcontext()


class AsOf:
    """A log as of turn `number`: later turns are left out."""

    def __init__(self, log: Log, number: int) -> None:
        #: The log with the later turns.
        self.whole = log
        self._number = number
        self.rules, self.campaign_id = log.rules, log.campaign_id
        self.snapshots: SnapshotStore = log.snapshots

    def last(self) -> int:
        return self._number

    def read(self, after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        return self.whole.read(after, self._upto(upto), topics)

    def read_back(self, after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        return self.whole.read_back(after, self._upto(upto), topics)

    def late_turns(self, after: int = 0, upto: int | None = None) -> Iterator[Turn]:
        return self.whole.late_turns(after, self._upto(upto))

    def times(self, upto: int) -> Iterator[tuple[int, datetime]]:
        return self.whole.times(self._upto(upto))

    def _upto(self, upto: int | None) -> int:
        return self._number if upto is None else min(upto, self._number)

    def link(self, number: int) -> bytes:
        return self.whole.link(number)

    def find(self, turn_id: str) -> Turn | None:
        turn = self.whole.find(turn_id)
        return turn if turn is not None and turn.number <= self._number else None

    def branch_of(self, turn_id: str) -> str | None:
        return self.whole.branch_of(turn_id)

    def append(self, turn: Turn) -> None:
        raise NotSaved(f"T{turn.number} cannot be kept in the past of a log; append it to the log itself.")

    def append_all(self, turns: Sequence[Turn]) -> None:
        self.append(turns[0])

    def exclusive_access(self) -> AbstractContextManager[None]:
        return nullcontext()


class UncommittedLog:
    """A log with uncommitted turns after its end."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._own = MemoryLog(log.rules, log.campaign_id)
        self._base = log.last()
        self.rules, self.campaign_id = log.rules, log.campaign_id
        self.snapshots = ReadOnlySnapshots(log.snapshots, self._base)

    @property
    def new_turns(self) -> list[Turn]:
        """The turns after the end of the log."""
        return self._own.turns

    def last(self) -> int:
        return self._base + len(self.new_turns)

    def read(self, after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        end = self.last() if upto is None else upto
        own = self._own.read(max(0, after - self._base), max(0, end - self._base), topics)
        return chain(self._log.read(after, min(end, self._base), topics), own)

    def read_back(self, after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        end = self.last() if upto is None else upto
        own = self._own.read_back(max(0, after - self._base), max(0, end - self._base), topics)
        return chain(own, self._log.read_back(after, min(end, self._base), topics))

    def late_turns(self, after: int = 0, upto: int | None = None) -> Iterator[Turn]:
        end = self.last() if upto is None else upto
        own = self._own.late_turns(max(0, after - self._base), max(0, end - self._base))
        return chain(self._log.late_turns(after, min(end, self._base)), own)

    def times(self, upto: int) -> Iterator[tuple[int, datetime]]:
        return chain(self._log.times(min(upto, self._base)), self._own.times(max(0, upto - self._base)))

    def link(self, number: int) -> bytes:
        return self._log.link(number) if number <= self._base else self._own.link(number - self._base)

    def find(self, turn_id: str) -> Turn | None:
        return self._own.find(turn_id) or self._log.find(turn_id)

    def branch_of(self, turn_id: str) -> str | None:
        return self._log.branch_of(turn_id)

    def append(self, turn: Turn) -> None:
        self.new_turns.append(turn)

    def append_all(self, turns: Sequence[Turn]) -> None:
        self.new_turns.extend(turns)

    def exclusive_access(self) -> AbstractContextManager[None]:
        return nullcontext()
