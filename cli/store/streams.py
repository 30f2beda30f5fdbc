"""A log as it is stored, in rows: the streams that it is made of, and its turns and links read from them.

What differs between a file and a server is how a question is put (`ask`) and how turns are written.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from copy import copy
from functools import cached_property
from math import inf
from operator import attrgetter
from types import TracebackType
from typing import Any, Self

import msgspec

from cli.store import layout
from cli.store.failures import NewerVersion, Unopenable
from cli.store.layout import MAIN, WITHOUT_END
from cli.store.snapshots import SnapshotFile, snapshots_of
from domain.log.effective_history import REVISING
from domain.log.hash_chain import Seal, Stored, beginning, linked, linker
from domain.log.port import DamagedLog
from domain.log.snapshots import record_shapes
from domain.registry import system_of
from domain.registry.newer import holds_unknown, recorded_later
from domain.registry.uninstalled import decoder_of
from domain.system.installed import is_installed
from domain.turn import Turn

#: What decoding raises where something else is stored than a turn.
NO_TURN = (msgspec.MsgspecError, TypeError, ValueError, RecursionError)
#: The tag of a turn's action.
TAG = attrgetter("action.__struct_config__.tag")


class Branch(msgspec.Struct, frozen=True):
    """A stream of its own that begins after turn `fork` of another."""

    name: str
    stream: str
    base: str
    fork: int


class Signature(msgspec.Struct, frozen=True):
    """A signature that is kept of a seal: of which turn of which stream, the seal, and OpenSSH's armour of it."""

    stream: str
    turn: int
    seal: str
    armour: str


def told_late(turns: Sequence[Turn]) -> list[int]:
    """The numbers of those turns that fold elsewhere than at their number."""
    return [turn.number for turn in turns if turn.place is not None]


class _Identified(msgspec.Struct, gc=False):
    """As much of a stored turn as says which it is."""

    id: str


#: A statement of `cli.store.layout`, and its values.
Statement = tuple[str, tuple[str | int, ...]]


class Tail(msgspec.Struct, frozen=True):
    """Turns at the end of a branch, as another copy of the campaign stores them."""

    branch: Branch
    turns: Sequence[Turn]
    stored: Sequence[Stored]
    #: Whether the branch is made with them, or was there already.
    is_new: bool = True


class StoredLog(ABC):
    """One campaign's log (`domain.log.port.Log`), open. For one thread; close it, or use it in a `with`."""

    #: What it is called in a sentence: the name of its file, or of the campaign on a server.
    name: str
    #: What opens it again, on whatever branch is current then.
    address: str
    #: Something that whoever opened it should be told, as one sentence; None if all is well.
    notice: str | None
    #: What the package is called that brought the rules when the log began; None: nothing is said of one.
    package: str | None = None
    #: The version of the rules under which the log was begun.
    begun_version: int
    #: Seconds in which who keeps the log is asked again where the connection broke. A file has none.
    patience: float = inf
    #: Called before every question to the database. Whoever reads for somebody else raises there once nobody waits.
    before_asking: Callable[[], None] = staticmethod(lambda: None)

    def __init__(self, campaign_id: str, rules: str, branch: str | None) -> None:
        self.campaign_id, self.rules = campaign_id, rules
        #: The branch that is read and appended to.
        self.branch = MAIN
        #: The turns that were appended here, whatever went wrong after that.
        self.saved: list[int] = []
        #: Whether a turn that a newer version of the program recorded is passed on as no more than that.
        self.skips_newer = False
        self._has_places = False
        #: The first of those that were met.
        self.newer: NewerVersion | None = None
        #: What else was saved here, each as a sentence without its end.
        self.changed: list[str] = []
        #: The streams that the log is made of, each up to a turn, the own one last and without an end.
        self.segments: list[tuple[str, int]] = [(self.campaign_id, WITHOUT_END)]
        self._choose_branch(branch)

    @abstractmethod
    def ask(self, select: str, *parameters: int | str) -> list[tuple[Any, ...]]:
        """All rows of one of the selects of `cli.store.layout`. Raises DamagedLog, Unopenable."""

    @property
    @abstractmethod
    def is_linked(self) -> bool:
        """Whether every turn has its link: not in a file that nobody has written to since format 1."""

    @property
    @abstractmethod
    def known_schema(self) -> frozenset[tuple[str, str]]:
        """What a version of campaign makes: its tables and whatever else lies beside them, by its kind."""

    @abstractmethod
    def damaged_pages(self, most: int) -> list[str]:
        """What the database finds wrong with its own pages, so many things at most. Raises DamagedLog, Unopenable."""

    @abstractmethod
    def wait(self, seconds: float) -> None:
        """Return when a turn may have been appended here, or after so many seconds."""

    @abstractmethod
    def on(self, branch: str) -> "StoredLog":
        """The same campaign opened once more for reading, on one of its branches. Raises Unopenable."""

    @abstractmethod
    def _append_all(self, turns: Sequence[Turn]) -> None:
        """Keep several turns, all or none. Raises as `append` does."""

    @abstractmethod
    def alone(self) -> AbstractContextManager[None]:
        """Nobody else appends meanwhile: for deciding once more what others came before. Raises NotSaved."""

    @abstractmethod
    def put_beside(self, tails: Sequence["Tail"]) -> None:
        """Keep what was played in another copy as it is stored there, with the branches that hold it: all or none.

        Raises Taken if somebody else wrote there meanwhile, NotSaved or MaybeSaved.
        """

    @abstractmethod
    def change(self, statements: Sequence[Statement], *, there: Statement) -> None:
        """Change what is said beside the turns (the branches, which of them is current), all of it or nothing.

        `there`: a select that finds a row once it is done. Raises NotSaved or MaybeSaved.
        """

    @abstractmethod
    def relink(self) -> None:
        """Make every link anew from the turns as they are. Raises NotSaved."""

    @abstractmethod
    def backup(self, target: str | os.PathLike[str]) -> None:
        """Copy the campaign as it is now into a file, whoever is writing.

        Raises Unopenable if the name is taken, or NotSaved.
        """

    @abstractmethod
    def keep_signature(self, signature: Signature) -> None:
        """Keep a signature beside the log; one that is there already stays there once. Raises NotSaved, MaybeSaved."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it; nothing of it stays open."""

    def append(self, turn: Turn) -> None:
        """Keep one turn; returns when it is on the disk.

        Raises Taken if somebody else's turn has the number or another turn the id, NotSaved or MaybeSaved. The
        very same turn appended again is there already, and stays there once.
        """
        self.append_all((turn,))

    def append_all(self, turns: Sequence[Turn]) -> None:
        """Keep several turns, all or none. Raises as `append` does."""
        self._append_all(turns)
        self.saved += [turn.number for turn in turns]

    def _choose_branch(self, branch: str | None) -> None:
        """Raises Unopenable if there is no such branch. None: the one that was switched to last."""
        chosen = branch or next((row[0] for row in self.ask(layout.CURRENT_BRANCH)), MAIN)
        if chosen == MAIN:
            return
        found = {each.name: each for each in self.branches()}
        if chosen not in found:
            raise Unopenable(f"There is no branch {chosen!r}; known: {', '.join([MAIN, *found])}.", 1)
        self.branch = chosen
        self.segments = self._segments_of(found[chosen].stream, self._by_stream())

    def _by_stream(self) -> dict[str, Branch]:
        return {each.stream: each for each in self.branches(deleted=True)}

    def _segments_of(self, stream: str, by_stream: Mapping[str, Branch]) -> list[tuple[str, int]]:
        """The streams that a branch is made of, each up to a turn. Raises DamagedLog where they lead nowhere."""
        segments, upto = [(stream, WITHOUT_END)], WITHOUT_END
        while stream != self.campaign_id:
            branch = by_stream.get(stream)
            if branch is None or len(segments) > len(by_stream):
                raise DamagedLog(f"A branch of {self.name} begins at {stream!r}, which does not lead back to main.")
            upto, stream = min(upto, branch.fork), branch.base
            segments.append((stream, upto))
        return segments[::-1]

    def lines(self) -> "Iterator[tuple[str, Self | DamagedLog]]":
        """Each branch by its name, main first, with this log as it reads there; or with what is wrong with the branch.

        Those that were deleted are among them: a branch may begin on one. They read through the connection of this log
        and are closed with it.
        """
        by_stream = self._by_stream()
        standing = {each.stream for each in self.branches()}
        for each in (Branch(MAIN, self.campaign_id, self.campaign_id, 0), *by_stream.values()):
            name = each.name if each.stream in standing or each.name == MAIN else f"{each.name}, which was deleted"
            line = copy(self)
            try:
                line.branch, line.segments = each.name, self._segments_of(each.stream, by_stream)
            except DamagedLog as error:
                yield name, error
                continue
            line.snapshots = self.snapshots.read_on(line.link, line._bytes_of)
            yield name, line

    @property
    def stream(self) -> str:
        """The id of this line of turns: the campaign's, or the branch's own."""
        return self.segments[-1][0]

    @property
    def base(self) -> str:
        """The stream that a branch goes on from; main goes on from itself."""
        return self.segments[-2][0] if len(self.segments) > 1 else self.stream

    @property
    def fork(self) -> int:
        """The last turn that a branch shares with what it came from; 0 on main."""
        return self.segments[-2][1] if len(self.segments) > 1 else 0

    def branches(self, *, deleted: bool = False) -> list[Branch]:
        """The branches besides main, in the order in which they were made."""
        return [Branch(*row) for row in self.ask(layout.ALL_BRANCHES if deleted else layout.BRANCHES)]

    def streams(self) -> list[tuple[str, str, int]]:
        """Every stream, with what it goes on from: the campaign's own first, each base before its branches."""
        own = (self.campaign_id, self.campaign_id, 0)
        return [own, *((each.stream, each.base, each.fork) for each in self.branches(deleted=True))]

    def stream_at(self, number: int) -> str:
        """The stream that holds a turn of this log."""
        return next(stream for stream, upto in self.segments if number <= upto)

    @cached_property
    def snapshots(self) -> SnapshotFile:
        """Where snapshots of this campaign are kept."""
        path = snapshots_of(self.campaign_id)
        return SnapshotFile(path, self.link, self._bytes_of, lambda: record_shapes(self.rules))

    def _bytes_of(self, number: int) -> bytes:
        """A turn as it is stored; nothing if it is not there."""
        return self._bytes_in(self.stream_at(number), number)

    def _bytes_in(self, stream: str, number: int) -> bytes:
        rows = self.ask(layout.STATE, stream, number)
        return bytes(rows[0][0]) if rows and isinstance(rows[0][0], bytes) else b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- reading

    def last(self) -> int:
        """The number of the last turn."""
        number = self.ask(layout.LAST_TURN, self.stream)[0][0]
        if number is None and self.fork:
            return self.fork
        if not isinstance(number, int):
            raise DamagedLog(f"{self.name} is damaged: its last turn has no number.")
        return number

    def read(self, after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        """The turns after `after` up to `upto`, or up to the last one there is when the reading begins.

        Raises DamagedLog at the first turn that cannot be read, and Unopenable if the disk fails meanwhile.
        """
        upto = self.last() if upto is None else upto
        number = None if topics else after
        for rows in self._rows(layout.segment(topics, REVISING), after, upto):
            yield from self._checked(rows, number)
            number = None if topics else rows[-1][0]

    def read_back(self, after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        """The same turns, the newest first. Raises as `read` does, but that it misses none."""
        upto = self.last() if upto is None else upto
        select = layout.segment(topics, REVISING, back=True)
        starts = [0, *(end for _, end in self.segments)]
        for (stream, end), start in zip(reversed(self.segments), starts[-2::-1], strict=True):
            before, first = min(upto, end) + 1, max(after, start)
            while first < before - 1 and (rows := self.ask(select, stream, first, before - 1)):
                yield from self._checked(rows)
                before = rows[-1][0] if len(rows) == layout.AT_ONCE else 0

    @cached_property
    def _newest(self) -> float:
        """The newest version of the rules that this program knows; all of them for rules that are not installed."""
        return system_of(self.rules).version if is_installed(self.rules) else inf

    @cached_property
    def _decode(self) -> Callable[[bytes], Turn]:
        return decoder_of(self.rules)

    def _checked(self, rows: Sequence[tuple[Any, ...]], after: int | None = None) -> Iterator[Turn]:
        """The turns of these rows. Raises DamagedLog; if they go on from turn `after`, for one that is missing too.

        Raises NewerVersion for a turn that a newer version of the program recorded.
        """
        for found, topic, state in rows:
            if after is not None:
                if found != after + 1:
                    raise DamagedLog(f"Turn T{after + 1} is missing.")
                after = found
            try:
                turn = self._decode(state)
            except NO_TURN as error:
                if self._is_newer(found, topic, state):
                    yield self._skipped(found, state)
                    continue
                what = str(error) if isinstance(error, msgspec.ValidationError) else "its record cannot be read"
                raise DamagedLog(f"Turn T{found} is damaged: {what}.") from None
            if turn.number != found:
                raise DamagedLog(f"Turn T{found} is damaged: its record says that it is turn T{turn.number}.")
            if (tag := TAG(turn)) != topic:
                raise DamagedLog(f"Turn T{found} is damaged: it is listed as {topic!r}, its record says {tag!r}.")
            is_newer = turn.rules_version is not None and turn.rules_version > self._newest
            yield self._skipped(found, state) if is_newer else turn

    def _skipped(self, number: int, state: bytes) -> Turn:
        """What is passed on of a turn that a newer version recorded. Raises NewerVersion unless those are skipped."""
        newer = NewerVersion(number)
        if not self.skips_newer:
            raise newer
        self.newer = self.newer or newer
        return recorded_later(state)

    def _is_newer(self, number: int, topic: str, state: Any) -> bool:
        """Whether a stored turn that cannot be decoded fits its link and holds tags or fields that are not known here.

        Damage seldom fits its link.
        """
        if not (self.is_linked and isinstance(state, bytes) and holds_unknown(self.rules, topic, state)):
            return False
        try:
            before, link = self.link(number - 1), self.link(number)
        except DamagedLog:
            return False
        return linker(self.stream_at(number))(before, number, topic, state) == link

    def _rows(self, select: str, after: int, upto: int) -> Iterator[list[tuple[Any, ...]]]:
        """What a select finds in each of the streams, some rows at a time; a row begins with the number of its turn."""
        for stream, end in self.segments:
            last = min(upto, end)
            while after < last and (rows := self.ask(select, stream, after, last)):
                yield rows
                after = rows[-1][0] if len(rows) == layout.AT_ONCE else last
            after = max(after, end)

    def placed(self, after: int = 0, upto: int | None = None) -> Iterator[Turn]:
        """Those of these turns that name a place to fold at, in the order of their numbers."""
        self._has_places = self._has_places or bool(self.ask(layout.HAS_PLACES))
        if not self._has_places:
            return
        for rows in self._rows(layout.PLACED, after, self.last() if upto is None else upto):
            for (number,) in rows:
                yield from self.read(number - 1, number)

    def find(self, turn_id: str) -> Turn | None:
        """The turn of this id."""
        rows = self.ask(layout.WHERE_THE_ID_IS, turn_id)
        if not rows:
            return None
        number, stream = rows[0]
        if isinstance(number, int) and stream != self.stream_at(number):
            return None  # a turn of another branch
        turn = next(self.read(after=number - 1, upto=number), None) if isinstance(number, int) else None
        if turn is None or turn.id != turn_id:
            raise DamagedLog(f"Turn T{number} is damaged: it does not have the id that it was listed under.")
        return turn

    def id_of(self, number: int) -> str:
        """The id of a turn of this log; nothing where what is stored has none."""
        return self.id_in(self.stream_at(number), number)

    def id_in(self, stream: str, number: int) -> str:
        """The same of a turn of any stream of this campaign."""
        try:
            return msgspec.msgpack.decode(self._bytes_in(stream, number), type=_Identified).id
        except NO_TURN:
            return ""

    def branch_of(self, turn_id: str) -> str | None:
        """The branch that the turn of this id stands on."""
        names = {self.campaign_id: MAIN, **{each.stream: each.name for each in self.branches(deleted=True)}}
        return next((names.get(stream) for _, stream in self.ask(layout.WHERE_THE_ID_IS, turn_id)), None)

    # -- links

    def link(self, number: int) -> bytes:
        """The link of a turn of this log, as it was written; worked out where there are none yet. Raises DamagedLog."""
        if number == 0:
            return beginning(self.campaign_id)
        if not self.is_linked:
            return self._worked_out(number)
        rows = self.ask(layout.LINK, self.stream_at(number), number)
        if not rows or not isinstance(rows[0][0], bytes):
            raise DamagedLog(f"The link of T{number} is missing.")
        return rows[0][0]

    def link_in(self, stream: str, number: int) -> bytes | None:
        """The link of a turn of any stream of this campaign; None if there is no such turn, or no link."""
        if not self.is_linked:
            on_line = number <= self.last() and self.stream_at(number) == stream
            return self._worked_out(number) if on_line else None
        rows = self.ask(layout.LINK, stream, number)
        return rows[0][0] if rows and isinstance(rows[0][0], bytes) else None

    def holds(self, seal: Seal, stream: str) -> bool:
        """Whether a seal is one of this stream: as its links are, or as they were in a copy where it was main.

        What is joined keeps its bytes; but its links are others, for they are over the name of the stream too.
        """
        link = self.link_in(stream, seal.turn)
        return link is not None and (seal.fits(link) or seal.fits(self._link_as_main(stream, seal.turn)))

    def _link_as_main(self, stream: str, number: int) -> bytes:
        turns: list[Stored] = []
        after = 0
        for each, upto in self._segments_of(stream, self._by_stream()):
            turns += self.stored(each, after, min(upto, number))
            after = upto
        *_, link = linked(beginning(self.campaign_id), self.campaign_id, turns)
        return link

    def signatures(self) -> list[Signature]:
        """The signatures that are kept of this campaign, on every branch."""
        if not self.ask(layout.HAS_SIGNATURES):
            return []
        return [Signature(*row) for row in self.ask(layout.SIGNATURES)]

    def stored(self, stream: str, after: int = 0, upto: int = WITHOUT_END) -> Iterator[Stored]:
        """The turns of one stream as they are stored, in order."""
        last = after
        while last < upto and (rows := self.ask(layout.STORED, stream, last)):
            yield from (row for row in rows if row[0] <= upto)
            last = rows[-1][0]

    def states(self, upto: int) -> Iterator[bytes]:
        """The turns of this branch up to one, each as the bytes that are stored of it."""
        after = 0
        for stream, end in self.segments:
            for _, _, state in self.stored(stream, after, min(end, upto)):
                yield state
            after = end

    def _worked_out(self, number: int) -> bytes:
        link, after = beginning(self.campaign_id), 0
        for stream, upto in self.segments:
            for each in linked(link, stream, self.stored(stream, after, min(upto, number))):
                link = each
            after = upto
            if number <= upto:
                break
        return link
