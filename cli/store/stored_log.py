"""What every store does with an open log, beside reading it: where files and servers differ; and what was saved."""

import os
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from math import inf
from types import TracebackType
from typing import Self

import msgspec

from cli.store import layout
from cli.store.branch_reader import BranchReader
from cli.store.segments import Branch
from domain.log.hash_chain import StoredRow
from domain.turn import Turn


class Signature(msgspec.Struct, frozen=True):
    """A stored signature of the seal of a turn: the stream, the turn, the seal, and OpenSSH's armoured signature."""

    stream: str
    turn: int
    seal: str
    armour: str


def backdated_numbers(turns: Sequence[Turn]) -> list[int]:
    """The numbers of the turns that fold at a place other than their number."""
    return [turn.number for turn in turns if turn.place is not None]


#: A statement of `cli.store.layout` with its values.
Statement = tuple[str, tuple[str | int, ...]]


class Tail(msgspec.Struct, frozen=True):
    """New turns for the end of a branch, decoded and as another copy of the campaign stores them."""

    branch: Branch
    turns: Sequence[Turn]
    rows: Sequence[StoredRow]
    #: Whether the branch is created with them.
    is_new: bool = True


class StoredLog(BranchReader):
    """An open log (`domain.log.port.Log`) with all its branches. For one thread; to be closed, or used in a `with`."""

    #: The address that opens it again, on the branch that is current then.
    address: str
    #: A sentence for whoever opened it, as that nothing can be saved; None if all is well.
    notice: str | None
    #: The name of the package that brought the rules when the log began; None for built-in rules.
    package: str | None = None
    #: The version of the rules when the log was begun.
    begun_version: int
    #: Seconds for which a lost connection to a server is tried again. Without effect on a file.
    patience: float = inf
    #: Called before every select; it may raise to cancel a long reading.
    before_asking: Callable[[], None] = staticmethod(lambda: None)

    def __init__(self, campaign_id: str, rules: str, branch: str | None) -> None:
        super().__init__(campaign_id, rules, branch)
        #: The numbers of the turns that were appended through this object, whatever failed after that.
        self.saved_numbers: list[int] = []
        #: What else was saved through this object, each as a sentence without its full stop.
        self.saved_changes: list[str] = []
        #: Called once, when something was saved through this object for the first time.
        self.on_first_save: Callable[[], None] = lambda: None

    @abstractmethod
    def on(self, branch: str) -> "StoredLog":
        """Open the campaign once more for reading, on one of its branches. Raises Unopenable."""

    @abstractmethod
    def close(self) -> None:
        """Close the log and everything it holds open."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @abstractmethod
    def wait(self, seconds: float) -> None:
        """Return when a turn may have been appended, at the latest after so many seconds."""

    # -- writing

    def append(self, turn: Turn) -> None:
        """Save one turn; returns when it is on the disk. Idempotent for the very same turn.

        Raises NumberTaken if another turn has its number, IdTaken if another has its id, NotSaved or MaybeSaved.
        """
        self.append_all((turn,))

    def append_all(self, turns: Sequence[Turn]) -> None:
        """Save several turns, all or none. Raises as `append` does."""
        self.look_again()
        self._append_all(turns)
        self.note_end(turns[-1].number)
        self.note_saved(turns)

    @abstractmethod
    def _append_all(self, turns: Sequence[Turn]) -> None:
        """Save several turns, all or none. Raises as `append` does."""

    @abstractmethod
    def exclusive_access(self) -> AbstractContextManager[None]:
        """Lock out other writers, to decide a turn again after others were faster. Raises NotSaved."""

    @abstractmethod
    def put_beside(self, tails: Sequence["Tail"]) -> None:
        """Save turns as another copy stores them, with the branches that hold them: all or none.

        Raises NumberTaken if somebody else wrote there meanwhile, NotSaved or MaybeSaved.
        """

    @abstractmethod
    def change(self, statements: Sequence[Statement], *, there: Statement) -> None:
        """Run statements on the tables beside the turns (branches, settings, signatures), all or none.

        `there` is a select that finds a row once they are committed. Raises NotSaved or MaybeSaved.
        """

    @abstractmethod
    def relink(self) -> None:
        """Compute and write every link anew from the stored turns. Raises NotSaved."""

    @abstractmethod
    def backup(self, target: str | os.PathLike[str]) -> None:
        """Copy the campaign as it is now into a new file, while others may be writing.

        Raises Unopenable if the name is taken, or NotSaved.
        """

    def signatures(self) -> list[Signature]:
        """The stored signatures of this campaign, of all branches."""
        if not self.ask(layout.HAS_SIGNATURES):
            return []
        rows = self.ask(layout.SIGNATURES)
        # what somebody put there in another type is no signature; `verify` reports the table
        return [Signature(*row) for row in rows if list(map(type, row)) == [str, int, str, str]]

    def keep_signature(self, signature: Signature) -> None:
        """Save a signature of a seal; idempotent. Raises NotSaved, MaybeSaved."""
        if signature in self.signatures():
            return
        values = (signature.stream, signature.turn, signature.seal, signature.armour)
        self.change(
            [*self._statements_before_signatures(), (layout.NEW_SIGNATURE, values)],
            there=(layout.SIGNATURE_IS_THERE, (signature.stream, signature.turn, signature.armour)),
        )

    @abstractmethod
    def _statements_before_signatures(self) -> Sequence[Statement]:
        """The statements that make the table of signatures where it is missing. Raises NotSaved if it cannot be."""

    def kept(self, name: str) -> str | None:  # noqa: ARG002
        """What was kept beside the turns under a name, "" if nothing was. None: this log keeps nothing beside them."""
        return None

    def keep(self, name: str, value: str) -> bool:  # noqa: ARG002
        """Keep something beside the turns, for every program that opens the log; False: it was not kept."""
        return False

    def note_saved(self, turns: Sequence[Turn] = (), change: str | None = None) -> None:
        """Note what was saved through this object: turns, or a change, as a sentence without its full stop."""
        is_first = not (self.saved_numbers or self.saved_changes)
        self.saved_numbers += [turn.number for turn in turns]
        self.saved_changes += [] if change is None else [change]
        if is_first:
            self.on_first_save()

    # -- what `verify` asks

    @property
    @abstractmethod
    def known_schema(self) -> frozenset[tuple[str, str]]:
        """The tables, indexes and triggers that versions of the program make, as (kind, name)."""

    @abstractmethod
    def tables_of_other_types(self) -> list[str]:
        """The tables beside the turns that hold values of other types than this program writes."""

    @abstractmethod
    def damaged_pages(self, most: int) -> list[str]:
        """The errors of the database's own integrity check, at most so many. Raises DamagedLog, Unopenable."""
