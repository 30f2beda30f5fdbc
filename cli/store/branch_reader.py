"""How branches, turns and links are read from the stored rows of a campaign: by selects, whatever runs them."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from datetime import datetime
from functools import cached_property
from typing import Any, Self

from cli.store import layout
from cli.store.decoding import TurnDecoder, id_in, times_in
from cli.store.failures import Unopenable
from cli.store.layout import MAIN, WITHOUT_END
from cli.store.segments import Branch, Segments, by_stream, fork_of, segments_of, stream_at
from cli.store.snapshots import SnapshotFile, cache_of
from domain.log.effective_history import REVISING_TAGS
from domain.log.hash_chain import Seal, StoredRow, beginning, linker, seal_of
from domain.log.port import DamagedLog
from domain.log.snapshots import record_shapes
from domain.naming import listed_first
from domain.turn import LARGEST, Turn


class BranchReader(ABC):
    """Reads one branch of a campaign, and its other branches beside it."""

    #: The name of the log in sentences: that of its file, or of the campaign on a server.
    name: str

    def __init__(self, campaign_id: str, rules: str, branch: str | None) -> None:
        self.campaign_id, self.rules = campaign_id, rules
        #: The branch that is read and appended to.
        self.branch = MAIN
        self.segments: Segments = [(campaign_id, WITHOUT_END)]
        self.decoder = TurnDecoder(rules)
        self._has_places = False
        #: In a log as of a moment, its streams, each with the last turn that is read; None: whatever is there.
        self._ends: dict[str, int | None] | None = None
        #: Under `looking_once`, the last turn of each stream that was looked at.
        self._ends_seen: dict[str, int] | None = None
        #: Under `looking_once`, the ids that were looked for and are not there.
        self._ids_missed: set[str] = set()
        self._choose_branch(branch)

    @abstractmethod
    def ask(self, select: str, *parameters: int | str) -> list[tuple[Any, ...]]:
        """All rows of a select of `cli.store.layout`. Raises DamagedLog, Unopenable."""

    @property
    @abstractmethod
    def is_linked(self) -> bool:
        """Whether every turn has a link; a file of format 1 gets them at its first write."""

    def is_there(self) -> bool:
        """Whether the campaign is where it was opened; the whole of it may be taken away."""
        return True

    # -- branches

    def _choose_branch(self, branch: str | None) -> None:
        """Read and append on this branch; None: the one that was switched to last. Raises Unopenable."""
        name = branch or next((row[0] for row in self.ask(layout.CURRENT_BRANCH)), MAIN)
        if name == MAIN:
            return
        if not isinstance(name, str):
            raise Unopenable(f"{self.name} is damaged: its current branch has no valid name.", 5)
        branches = {branch_there.name: branch_there for branch_there in self.branches()}
        if name not in branches:
            raise Unopenable(f"There is no branch {name!r}; known: {listed_first([MAIN, *branches])}.", 1)
        self.branch = name
        self.segments = self._segments_of(branches[name].stream)

    def _segments_of(self, stream: str) -> list[tuple[str, int]]:
        return segments_of(stream, self.campaign_id, by_stream(self.branches(deleted=True)), self.name)

    @property
    def stream(self) -> str:
        """The id of the current branch's stream; the campaign's id on main."""
        return self.segments[-1][0]

    @property
    def base(self) -> str:
        """The stream that the current branch begins on; main's own stream on main."""
        return self.segments[-2][0] if len(self.segments) > 1 else self.stream

    @property
    def fork(self) -> int:
        """The last turn that the current branch shares with its base; 0 on main."""
        return fork_of(self.segments)

    def stream_at(self, number: int) -> str:
        """The stream that holds a turn of this log."""
        return stream_at(self.segments, number)

    def branches(self, *, deleted: bool = False) -> list[Branch]:
        """The branches beside main, in the order in which they were made."""
        rows = self.ask(layout.ALL_BRANCHES if deleted else layout.BRANCHES)
        if any(list(map(type, row)) != [str, str, str, int] for row in rows):
            raise DamagedLog(f"The list of branches of {self.name} is damaged.")
        return [Branch(*row) for row in rows if self._ends is None or row[1] in self._ends]

    def streams(self) -> list[tuple[str, str, int]]:
        """Every stream as (stream, base, fork): main's first, each base before its branches."""
        own = (self.campaign_id, self.campaign_id, 0)
        return [own, *((branch.stream, branch.base, branch.fork) for branch in self.branches(deleted=True))]

    def branch_of(self, turn_id: str) -> str | None:
        """The name of the branch that holds the turn of this id; None if none does."""
        names = {self.campaign_id: MAIN, **{branch.stream: branch.name for branch in self.branches(deleted=True)}}
        return next((names.get(stream) for _, stream in self.ask(layout.WHERE_THE_ID_IS, turn_id)), None)

    def lines(self) -> "Iterator[tuple[str, Self | DamagedLog]]":
        """Each branch by its name, main first, as a log that reads there; or the error of a branch without a base.

        Deleted branches are included, as another branch may begin on one. All read through the connection of this log
        and are closed with it.
        """
        branches = by_stream(self.branches(deleted=True))
        standing = {branch.stream for branch in self.branches()}
        for branch in (Branch(MAIN, self.campaign_id, self.campaign_id, 0), *branches.values()):
            name = (
                branch.name if branch.stream in standing or branch.name == MAIN else f"{branch.name}, which was deleted"
            )
            line = copy(self)
            try:
                line.branch = branch.name
                line.segments = segments_of(branch.stream, self.campaign_id, branches, self.name)
            except DamagedLog as error:
                yield name, error
                continue
            line.snapshots = self.snapshots.read_on(line.link, line.bytes_of)
            yield name, line

    def as_of_now(self) -> Self:
        """This log without what others record from now on. It reads through the connection of this one.

        Not by a long transaction of the database, which would hold up the writers.
        """
        pinned = copy(self)
        try:
            streams = [stream for stream, _, _ in self.streams()]
        except DamagedLog:
            return self  # a damaged list of branches is found where the tables are checked
        if self._ends is None:
            pinned._ends = dict.fromkeys(streams)
            for _, line in self.lines():
                if not isinstance(line, DamagedLog):
                    with suppress(DamagedLog):  # which is found where the turns are read
                        pinned._ends[line.stream] = line.last()
        return pinned

    def end_of(self, stream: str) -> int:
        """The last turn that is read of a stream, in a log as of a moment; otherwise no turn has a greater number."""
        return (self._ends or {}).get(stream) or WITHOUT_END

    # -- turns

    def last(self) -> int:
        if (end := self.end_of(self.stream)) < WITHOUT_END:
            return end
        if self._ends_seen and self.stream in self._ends_seen:
            return self._ends_seen[self.stream]
        number = self.ask(layout.LAST_TURN, self.stream)[0][0]
        if number is None and not self.is_there():
            raise Unopenable(f"{self.name} is no longer there.", 2)
        if number is None and self.fork:
            number = self.fork
        if not (isinstance(number, int) and 0 < number <= LARGEST):
            raise DamagedLog(f"{self.name} is damaged: its last turn has no number.")
        self.note_end(number)
        return number

    def read(self, after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        """The turns after `after` up to `upto`, or up to the last one when the reading begins.

        Raises DamagedLog at the first turn that cannot be read, and Unopenable if the disk fails meanwhile.
        """
        upto = self.last() if upto is None else upto
        number = None if topics else after
        for rows in self._rows(layout.segment(topics, REVISING_TAGS), after, upto):
            yield from self.decoder.turns(rows, self.fits_its_link, number)
            number = None if topics else rows[-1][0]

    def read_back(self, after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        """The turns that `read` gives, newest first. Raises as it does, but does not notice missing turns."""
        upto = self.last() if upto is None else upto
        select = layout.segment(topics, REVISING_TAGS, back=True)
        starts = [0, *(end for _, end in self.segments)]
        for (stream, end), start in zip(reversed(self.segments), starts[-2::-1], strict=True):
            before, first = min(upto, end) + 1, max(after, start)
            while first < before - 1 and (rows := self.ask(select, stream, first, before - 1)):
                yield from self.decoder.turns(rows, self.fits_its_link)
                before = rows[-1][0] if len(rows) == layout.AT_ONCE else 0

    def _rows(self, select: str, after: int, upto: int) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of a select over the streams of this branch, in batches; their first column is the turn's number."""
        for stream, end in self.segments:
            last = min(upto, end)
            while after < last and (rows := self.ask(select, stream, after, last)):
                yield rows
                after = rows[-1][0] if len(rows) == layout.AT_ONCE else last
            after = max(after, end)

    def late_turns(self, after: int = 0, upto: int | None = None) -> Iterator[Turn]:
        """The turns in this range that fold at a place other than their number, in the order of their numbers."""
        self._has_places = self._has_places or bool(self.ask(layout.HAS_PLACES))
        if not self._has_places:
            return
        for rows in self._rows(layout.LATE_NUMBERS, after, self.last() if upto is None else upto):
            for (number,) in rows:
                yield from self.read(number - 1, number)

    def times(self, upto: int) -> Iterator[tuple[int, datetime]]:
        """The numbers and times of the turns up to one, except of late entries. Raises DamagedLog."""
        return times_in(state for _, _, state in self.rows(upto))

    def find(self, turn_id: str) -> Turn | None:
        """The turn of this id on this branch; None if there is none. Raises DamagedLog."""
        if turn_id in self._ids_missed:
            return None
        rows = self.ask(layout.WHERE_THE_ID_IS, turn_id)
        if not rows:
            if self._ends_seen is not None:
                self._ids_missed.add(turn_id)
            return None
        number, stream = rows[0]
        if isinstance(number, int) and stream != self.stream_at(number):
            return None  # a turn of another branch
        turn = next(self.read(after=number - 1, upto=number), None) if isinstance(number, int) else None
        if turn is None or turn.id != turn_id:
            raise DamagedLog(f"Turn T{number} is damaged: it does not have the id that it was listed under.")
        return turn

    @contextmanager
    def looking_once(self) -> Iterator[None]:
        """A context in which turns of other writers are looked for once.

        If another writer appends meanwhile, the number of the next turn is taken, and they are looked for again.
        """
        self._ends_seen = {}
        try:
            yield
        finally:
            self.look_again()
            self._ends_seen = None

    def note_end(self, number: int) -> None:
        """Note the last turn of this branch, where it is looked for once."""
        if self._ends_seen is not None:
            self._ends_seen[self.stream] = number

    def look_again(self) -> None:
        """Look for the turns of other writers at the next `last` or `find`."""
        self._ids_missed.clear()
        if self._ends_seen:
            self._ends_seen.clear()

    # -- records

    def record(self, stream: str, number: int) -> bytes | None:
        """The stored bytes of a turn; None if they are missing. Raises DamagedLog, Unopenable."""
        record = next((row[0] for row in self.ask(layout.STATE, stream, number)), None)
        return record if isinstance(record, bytes) else None

    def bytes_of(self, number: int) -> bytes:
        """The stored bytes of a turn; b"" if it is missing."""
        return self.record(self.stream_at(number), number) or b""

    def id_in(self, stream: str, number: int) -> str:
        """The id of a turn of any stream of this campaign; "" if its record has none."""
        return id_in(self.record(stream, number) or b"")

    def stored_rows(self, stream: str, after: int = 0, upto: int = WITHOUT_END) -> Iterator[StoredRow]:
        """The stored turns of one stream, in order."""
        last = after
        while last < upto and (rows := self.ask(layout.STORED, stream, last)):
            yield from (row for row in rows if row[0] <= upto)
            last = rows[-1][0]

    def rows(self, upto: int = WITHOUT_END) -> Iterator[StoredRow]:
        """The stored turns of this branch up to one, in order."""
        after = 0
        for stream, end in self.segments:
            yield from self.stored_rows(stream, after, min(end, upto))
            after = end

    @cached_property
    def snapshots(self) -> SnapshotFile:
        path = cache_of(self.campaign_id, "snapshots")
        return SnapshotFile(path, self.link, self.bytes_of, lambda: record_shapes(self.rules))

    # -- links

    def link(self, number: int) -> bytes:
        """The stored link of a turn, or a computed one in a file without links. Raises DamagedLog if it is missing."""
        if number == 0:
            return beginning(self.campaign_id)
        if not self.is_linked:
            return self._computed_link(number)
        rows = self.ask(layout.LINK, self.stream_at(number), number)
        if not rows or not isinstance(rows[0][0], bytes):
            raise DamagedLog(f"The link of T{number} is missing.")
        return rows[0][0]

    def link_in(self, stream: str, number: int) -> bytes | None:
        """The link of a turn of any stream of this campaign; None if the turn or its link is missing."""
        if not self.is_linked:
            on_line = number <= self.last() and self.stream_at(number) == stream
            return self._computed_link(number) if on_line else None
        rows = self.ask(layout.LINK, stream, number)
        return rows[0][0] if rows and isinstance(rows[0][0], bytes) else None

    def fits_its_link(self, number: int, topic: str, record: bytes) -> bool:
        """Whether the stored link of a turn is that of this record."""
        if not self.is_linked:
            return False
        try:
            before, link = self.link(number - 1), self.link(number)
        except DamagedLog:
            return False
        return linker(self.stream_at(number))(before, number, topic, record) == link

    def holds(self, seal: Seal, stream: str) -> bool:
        """Whether a seal is one of this stream: as its links are, or as they were in a copy where it was main.

        What is joined keeps its bytes; but its links are others, for they are over the name of the stream too.
        """
        link = self.link_in(stream, seal.turn)
        if link is None or seal.fits(link):
            return link is not None
        try:
            *_, (_, as_main) = self._computed_links(self._segments_of(stream), seal.turn, as_main=True)
            return seal.fits(as_main)
        except DamagedLog:  # a branch that leads nowhere is a finding of its own
            return False

    def find_seal(self, digits: str) -> Seal | None:
        """The seal with these digits, of a turn of this branch, as `holds` compares them; None if no turn has it.

        It is computed from all that is stored, as in `verify`.
        """
        for as_main in (False, True) if len(self.segments) > 1 else (False,):
            for number, link in self._computed_links(self.segments, as_main=as_main):
                if (seal := seal_of(number, link)).digits == digits:
                    return seal
        return None

    def _computed_link(self, number: int) -> bytes:
        link = beginning(self.campaign_id)
        for _, computed in self._computed_links(self.segments, number):
            link = computed
        return link

    def _computed_links(
        self, segments: Sequence[tuple[str, int]], number: int = WITHOUT_END, *, as_main: bool = False
    ) -> Iterator[tuple[int, bytes]]:
        """The number and the link of each turn of these streams up to one; with `as_main` as if all were of main's."""
        link, after = beginning(self.campaign_id), 0
        for stream, upto in segments:
            link_of = linker(self.campaign_id if as_main else stream)
            for row in self.stored_rows(stream, after, min(upto, number)):
                link = link_of(link, *row)
                yield row[0], link
            after = upto
