"""The campaign file: one log in one SQLite file, read by our own select and written through `cli.store.recorder`.

Appending has three outcomes: saved, not saved, not known. An error is settled by looking the turn's id up.
Reading imports neither the event store library nor the lock: together they take longer than the reading.
"""

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import msgspec

from cli.store import layout
from cli.store.connection import connect
from cli.store.failures import BROKEN, HARMLESS, Unopenable, because, primary_code, unreadable
from cli.store.header import Held, check_header, hold, let_go
from cli.store.layout import MAIN, WITHOUT_END
from cli.store.linking import link_all, stored
from cli.store.lock import resolved, sole_writer
from cli.store.opening import Opened, opened_safely
from domain.log.links import beginning, linked
from domain.log.port import Damaged, MaybeSaved, NotSaved, Taken
from domain.system.registry import record_types
from domain.turn import Turn

if TYPE_CHECKING:
    from cli.store.kept import StatesOnDisk
    from cli.store.recorder import Writer


class Branch(msgspec.Struct, frozen=True):
    """A stream of its own that begins after turn `fork` of another."""

    name: str
    stream: str
    base: str
    fork: int


class CampaignFile:
    """One campaign's log (`domain.log.port.Log`), open. For one thread; close it, or use it in a `with`."""

    def __init__(self, path: Path, held: Held, opened: Opened, *, write: bool, branch: str | None) -> None:
        self.path = path
        #: Something that whoever opened it should be told, as one sentence; None if all is well.
        self.notice = opened.notice
        self.campaign_id, self.rules = opened.beginning.campaign_id, opened.beginning.rules
        self._held = held
        self._reader = opened.connection
        self._write = write
        self._writer: Writer | None = None
        self._closed = False
        kind = record_types(self.rules).turn
        self._decode: Callable[[bytes], Turn] = msgspec.msgpack.Decoder(kind).decode
        #: The branch that is read and appended to.
        self.branch = MAIN
        #: The streams that the log is made of, each up to a turn, the own one last and without an end.
        self._stretches: list[tuple[str, int]] = [(self.campaign_id, WITHOUT_END)]
        self._choose_branch(branch)

    def _choose_branch(self, branch: str | None) -> None:
        """Raises Unopenable if there is no such branch. None: the one that was switched to last."""
        chosen = branch or next((row[0] for row in self.ask(layout.CURRENT_BRANCH)), MAIN)
        if chosen == MAIN:
            return
        found = {each.name: each for each in self.branches()}
        if chosen not in found:
            raise Unopenable(f"There is no branch {chosen!r}; known: {', '.join([MAIN, *found])}.", 1)
        self.branch = chosen
        by_stream = {each.stream: each for each in self.branches(deleted=True)}
        stretches, stream, upto = [], found[chosen].stream, WITHOUT_END
        while True:
            stretches.append((stream, upto))
            if stream not in by_stream:
                break
            upto = min(upto, by_stream[stream].fork)
            stream = by_stream[stream].base
        self._stretches = stretches[::-1]

    @property
    def stream(self) -> str:
        """The id of this line of turns: the campaign's, or the branch's own."""
        return self._stretches[-1][0]

    @property
    def fork(self) -> int:
        """The last turn that a branch shares with what it came from; 0 on main."""
        return self._stretches[-2][1] if len(self._stretches) > 1 else 0

    def branches(self, *, deleted: bool = False) -> list[Branch]:
        """The branches besides main, in the order in which they were made."""
        return [Branch(*row) for row in self.ask(layout.ALL_BRANCHES if deleted else layout.BRANCHES)]

    def stream_at(self, number: int) -> str:
        """The stream that holds a turn of this log."""
        return next(stream for stream, upto in self._stretches if number <= upto)

    @cached_property
    def kept(self) -> "StatesOnDisk":
        """Where states of this log are kept."""
        from cli.store.kept import StatesOnDisk
        from domain.log.shapes import state_shapes

        return StatesOnDisk(self.stream, self._bytes_of, lambda: state_shapes(self.rules))

    def _bytes_of(self, number: int) -> bytes:
        """A turn as it is stored; nothing if it is not there."""
        rows = self.ask(layout.STATE, self.stream_at(number), number)
        return bytes(rows[0][0]) if rows and isinstance(rows[0][0], bytes) else b""

    def __enter__(self) -> "CampaignFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file. The last one to do so leaves nothing beside it."""
        if self._closed:
            return
        self._closed = True
        try:
            self._drop_writer()
            self._bring_home()
            with suppress(sqlite3.Error):
                self._reader.close()
        finally:
            let_go(self._held)

    # -- reading

    def last(self) -> int:
        """The number of the last turn."""
        number = self.ask(layout.LAST_TURN, self.stream)[0][0]
        if number is None and self.fork:
            return self.fork
        if not isinstance(number, int):
            raise Damaged(f"{self.path.name} is damaged: its last turn has no number.")
        return number

    def read(self, after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        """The turns after `after` up to `upto`, or up to the last one there is when the reading begins.

        Raises Damaged at the first turn that cannot be read, and Unopenable if the disk fails meanwhile.
        """
        upto = self.last() if upto is None else upto
        for stream, end in self._stretches:
            if after < min(upto, end):
                yield from self._read_stretch(stream, after, min(upto, end), topics)
                after = end

    def _read_stretch(self, stream: str, after: int, upto: int, topics: Sequence[str]) -> Iterator[Turn]:
        select = layout.stretch(topics)
        decode, number = self._decode, after
        while rows := self.ask(select, stream, number, upto):
            for found, topic, state in rows:
                if not topics and found != number + 1:
                    raise Damaged(f"Turn T{number + 1} is missing.")
                try:
                    turn = decode(state)
                except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
                    what = str(error) if isinstance(error, msgspec.ValidationError) else "its record cannot be read"
                    raise Damaged(f"Turn T{found} is damaged: {what}.") from None
                if turn.number != found:
                    raise Damaged(f"Turn T{found} is damaged: its record says that it is turn T{turn.number}.")
                tag = turn.action.__struct_config__.tag
                if tag != topic:
                    raise Damaged(f"Turn T{found} is damaged: it is listed as {topic!r}, its record says {tag!r}.")
                number = found
                yield turn
            if len(rows) < layout.AT_ONCE:
                return

    def placed(self, after: int = 0, upto: int | None = None) -> Iterator[Turn]:
        """Those of these turns that name a place to fold at, in the order of their numbers."""
        if not self.ask(layout.HAS_PLACES):
            return
        upto = self.last() if upto is None else upto
        for stream, end in self._stretches:
            if after < min(upto, end):
                for (number,) in self.ask(layout.PLACED, stream, after, min(upto, end)):
                    yield from self._read_stretch(stream, number - 1, number, ())
                after = end

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
            raise Damaged(f"Turn T{number} is damaged: it does not have the id that it was listed under.")
        return turn

    def ask(self, select: str, *parameters: int | str) -> list[tuple[Any, ...]]:
        """All rows of one of the selects of `cli.store.layout`. Raises Damaged, Unopenable."""
        try:
            return self._reader.execute(select, parameters).fetchall()
        except sqlite3.Error as error:
            if primary_code(error) in BROKEN:
                raise Damaged(f"{self.path.name} is damaged and cannot be read whole.") from error
            raise unreadable(error, self.path) from error

    # -- links

    @property
    def is_linked(self) -> bool:
        """Whether every turn has its link in the file: not in one that nobody has written to since format 1."""
        return bool(self.ask("PRAGMA user_version")[0][0] > 1)

    def link(self, number: int) -> bytes:
        """The link of a turn of this log, as it was written; worked out where there are none yet. Raises Damaged."""
        if number == 0:
            return beginning(self.campaign_id)
        if not self.is_linked:
            return self._worked_out(number)
        rows = self.ask(layout.LINK, self.stream_at(number), number)
        if not rows or not isinstance(rows[0][0], bytes):
            raise Damaged(f"The link of T{number} is missing.")
        return rows[0][0]

    def relink(self) -> None:
        """Make every link anew from the turns as they are. Raises NotSaved."""
        with self._writing():
            try:
                with closing(connect(self.path.as_uri() + "?mode=rw")) as connection:
                    connection.execute("BEGIN IMMEDIATE")
                    link_all(connection)
                    connection.execute("COMMIT")
            except sqlite3.Error as error:
                raise NotSaved(f"The links were not made anew: {because(error, self.path)}.") from error

    def _worked_out(self, number: int) -> bytes:
        link, after = beginning(self.campaign_id), 0
        for stream, upto in self._stretches:
            for each in linked(link, stream, stored(self._reader, stream, after, min(upto, number))):
                link = each
            after = upto
            if number <= upto:
                break
        return link

    # -- writing

    def append(self, turn: Turn) -> None:
        """Keep one turn; returns when it is on the disk.

        Raises Taken if somebody else's turn has the number or another turn the id, NotSaved or MaybeSaved. The
        very same turn appended again is there already, and stays there once.
        """
        self.append_all((turn,))

    def append_all(self, turns: Sequence[Turn]) -> None:
        """Keep several turns, all or none. Raises as `append` does."""
        with self._writing():
            try:
                self._put(turns)
            except BaseException:
                # whatever is left of the transaction goes with the connection
                self._drop_writer()
                raise

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Nobody else writes meanwhile. Raises NotSaved where nothing can be written."""
        if not self._write:
            raise NotSaved(f"{self.path.name} was opened for reading only; nothing was saved.")
        if self.notice:
            raise NotSaved(self.notice)
        with sole_writer(self.path):
            if not self._is_still_there():
                # what is appended to it would be lost with it
                raise NotSaved(f"{self.path.name} was moved, deleted or replaced while it was open; open it again.")
            yield

    def change(self, statements: Sequence[tuple[str, tuple[str | int, ...]]], *, there: str) -> None:
        """Change what is said beside the turns (the branches, which of them is current), all of it or nothing.

        `there`: a select that finds a row once it is done. Raises NotSaved or MaybeSaved.
        """
        committing = False
        with self._writing():
            try:
                with closing(connect(self.path.as_uri() + "?mode=rw")) as connection:
                    connection.execute("BEGIN IMMEDIATE")
                    for statement, values in statements:
                        connection.execute(statement, values)
                    committing = True
                    connection.execute("COMMIT")
            except sqlite3.Error as error:
                reason = because(error, self.path)
                try:
                    done = bool(self._reader.execute(there).fetchone())
                except sqlite3.Error:
                    done, committing = False, True
                if done:
                    return
                if committing and primary_code(error) not in HARMLESS and not self._cleared():
                    raise MaybeSaved(
                        "It is not known whether that was saved, because the disk reports errors."
                        " Look at `campaign branch`, and do it again if it is not there."
                    ) from error
                raise NotSaved(f"Nothing was saved: {reason}.") from error

    def _is_still_there(self) -> bool:
        """Whether this name still leads to the file that was opened."""
        try:
            found = self.path.stat()
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == self._held.inode

    def _bring_home(self) -> None:
        """Bring into the file what is in the `-wal` if the file has another name by now: SQLite would leave it.

        Under its new name nobody looks for the `-wal` of the old one.
        """
        if self._is_still_there() or not self._cleared() or self.path.exists():
            return
        with suppress(sqlite3.Error):
            self._reader.close()
        for side in layout.SIDE_FILES:
            with suppress(OSError):
                Path(f"{self.path}{side}").unlink()

    def _put(self, turns: Sequence[Turn]) -> None:
        from cli.store.recorder import Writer

        if self._writer is None:
            uri = self.path.as_uri() + "?mode=rw"
            kind = record_types(self.rules).turn
            self._writer = Writer(uri, self.stream, kind, after=self.fork, stretches=self._stretches)
        try:
            self._writer.put(turns)
        except Taken:
            if self._holds(turns):
                return
            raise
        except sqlite3.Error as error:
            doubtful = self._writer.committing and primary_code(error) not in HARMLESS
            self._drop_writer()
            reason = because(error, self.path)
            if self._holds(turns):
                return
            if doubtful and not self._cleared():
                raise self._unknown(turns[0]) from error
            raise NotSaved(f"Turn T{turns[0].number} was not saved: {reason}.") from error

    def _holds(self, turns: Sequence[Turn]) -> bool:
        """Whether these turns, to the last byte, are in the log: all are or none, so the last one tells.

        Raises MaybeSaved if that cannot be found out.
        """
        turn = turns[-1]
        try:
            rows = self._reader.execute(layout.STORED_UNDER_THE_ID, (turn.id, self.stream)).fetchall()
        except sqlite3.Error as error:
            raise self._unknown(turn) from error
        return bool(rows) and rows[0][0] == msgspec.msgpack.encode(turn)

    def _unknown(self, turn: Turn) -> MaybeSaved:
        return MaybeSaved(
            f"It is not known whether turn T{turn.number} was saved, because the disk reports errors."
            " Look whether it is in the log, or send it again under the same id."
        )

    def _cleared(self) -> bool:
        """Clear the `-wal`, so that a turn which did not make it cannot come back from there after a crash.

        A commit that fails while syncing may have written all its bytes; they are passed over now, and would
        be found by the recovery after a crash.
        """
        try:
            row = self._reader.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error:
            return False
        return bool(row) and row[0] == 0

    def _drop_writer(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            with suppress(sqlite3.Error):
                writer.close()

    def backup(self, target: str | os.PathLike[str]) -> None:
        """Copy the campaign as it is now, whoever is writing. Raises Unopenable if the name is taken, or NotSaved.

        Copying the file by hand while it is open can miss every turn that is still in the `-wal`.
        """
        from cli.store.making import made_whole, must_hold

        whole = resolved(target)
        if not whole.parent.is_dir():
            raise Unopenable(f"There is no folder {whole.parent} to make {whole.name} in.", 2)
        with made_whole(whole) as new:
            turns = self.ask(layout.HOW_MANY_TURNS)[0][0]
            with closing(connect(new.as_uri() + "?mode=rw")) as copy:
                self._reader.backup(copy)
            must_hold(new, turns)


def open_campaign(path: str | os.PathLike[str], *, write: bool = False, branch: str | None = None) -> "CampaignFile":
    """Open a campaign. Raises Unopenable, and then the file is as it was and nothing lies beside it.

    Where nothing can be written, a campaign that was closed properly is still read, and `notice` says so.
    """
    whole = resolved(path)
    try:
        held = hold(whole)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            raise Unopenable(f"There is no file {os.fspath(path)}.", 2) from None
        if error.errno in (errno.EACCES, errno.EPERM):
            raise Unopenable(f"{whole.name} may not be read by you; ask whoever owns it.", 2) from None
        raise Unopenable(f"{whole.name} cannot be opened: {because(error, whole)}.", 2) from None
    try:
        check_header(whole, held)
        opened = opened_safely(whole)
    except BaseException:
        let_go(held)
        raise
    try:
        return CampaignFile(whole, held, opened, write=write, branch=branch)
    except BaseException:
        opened.connection.close()
        let_go(held)
        raise
