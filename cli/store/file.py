"""The campaign file: one log in one SQLite file, read by our own select and written through `cli.store.recorder`.

Appending has three outcomes: saved, not saved, not known. An error is settled by looking the turn's id up.
Reading imports neither the event store library nor the lock: together they take longer than the reading.
"""

import errno
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from cli.store import layout
from cli.store.connection import connect
from cli.store.failures import BROKEN, HARMLESS, SQLITE_FAILS, Unopenable, because, misread, primary_code, unreadable
from cli.store.header import Held, check_header, hold, let_go
from cli.store.linking import link_all
from cli.store.lock import resolved, sole_writer
from cli.store.opening import Opened, check_rules, opened_safely
from cli.store.streams import Signature, Statement, StoredLog, Tail
from domain.log.port import DamagedLog, MaybeSaved, NotSaved, NumberTaken
from domain.registry import record_types
from domain.system.installed import is_installed
from domain.turn import Turn

if TYPE_CHECKING:
    from cli.store.recorder import Writer


class CampaignFile(StoredLog):
    """A log in one file."""

    def __init__(self, path: Path, held: Held, opened: Opened, *, write: bool, branch: str | None) -> None:
        self.path, self.name, self.address = path, path.name, str(path)
        self.notice = opened.notice
        self.package, self.begun_version = opened.beginning.package, opened.beginning.version
        self._held = held
        self._reader = opened.connection
        self._write = write
        self._writer: Writer | None = None
        self._closed = self._is_alone = False
        #: How the file was when it was last waited for.
        self._version: list[tuple[Any, ...]] = []
        super().__init__(opened.beginning.campaign_id, opened.beginning.rules, branch)

    @property
    def known_schema(self) -> frozenset[tuple[str, str]]:
        return layout.KNOWN_SCHEMA if self.is_linked else layout.KNOWN_SCHEMA - {("table", "links")}

    def damaged_pages(self, most: int) -> list[str]:
        told = [str(row[0]) for row in self.ask(f"PRAGMA integrity_check({most})")]
        # the first begins with a headline of its own
        lines = [line for each in told for line in each.splitlines() if not line.startswith("***")]
        return [] if lines == ["ok"] else lines

    def wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while (version := self.ask("PRAGMA data_version")) == self._version and time.monotonic() < deadline:
            time.sleep(min(0.1, seconds))
        self._version = version

    def on(self, branch: str) -> "CampaignFile":
        return open_campaign(self.path, branch=branch)

    def close(self) -> None:
        # the last one to do so leaves nothing beside the file
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

    def ask(self, select: str, *parameters: int | str) -> list[tuple[Any, ...]]:
        self.before_asking()
        try:
            return self._reader.execute(select, parameters).fetchall()
        except SQLITE_FAILS as error:
            if primary_code(error) not in BROKEN:
                raise unreadable(error, self.path) from error
            raise self._found_anew(select, parameters) from error

    def _found_anew(self, select: str, parameters: Sequence[int | str]) -> Exception:
        """What to say of a select that met damage: what is damaged stays damaged when it is asked anew."""
        try:
            with closing(connect(self.path.as_uri() + "?mode=rw")) as connection:
                connection.execute(select, parameters).fetchall()
        except SQLITE_FAILS as error:
            # a disk that reads nothing any more looks like damage at first
            if primary_code(error) not in BROKEN:
                return unreadable(error, self.path)
            return DamagedLog(self._unreadable_turn() or f"{self.path.name} is damaged and cannot be read whole.")
        return misread(self.path)

    def _unreadable_turn(self) -> str | None:
        """The turn that keeps the rest from being read, where it can be told: text stands where its bytes did."""
        try:
            with closing(connect(self.path.as_uri() + "?mode=rw")) as connection:
                row = connection.execute(layout.NO_RECORD).fetchone()
        except SQLITE_FAILS:
            return None
        return None if row is None else f"Turn T{row[0]} is damaged: what is stored of it is no record of a turn."

    @property
    def is_linked(self) -> bool:
        return bool(self.ask("PRAGMA user_version")[0][0] > 1)

    def relink(self) -> None:
        with self._writing():
            try:
                with closing(connect(self.path.as_uri() + "?mode=rw")) as connection:
                    connection.execute("BEGIN IMMEDIATE")
                    link_all(connection)
                    connection.execute("COMMIT")
            except sqlite3.Error as error:
                raise NotSaved(f"The links were not made anew: {because(error, self.path)}.") from error

    # -- writing

    def _append_all(self, turns: Sequence[Turn]) -> None:
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
        with nullcontext() if self._is_alone else sole_writer(self.path):
            if not self._is_still_there():
                # what is appended to it would be lost with it
                raise NotSaved(f"{self.path.name} was moved, deleted or replaced while it was open; open it again.")
            yield

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._writing():
            self._is_alone = True
            try:
                yield
            finally:
                self._is_alone = False

    def change(self, statements: Sequence[Statement], *, there: Statement) -> None:
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
                    done = bool(self._reader.execute(*there).fetchone())
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

    def keep_signature(self, signature: Signature) -> None:
        if signature in self.signatures():
            return
        values = (signature.stream, signature.turn, signature.seal, signature.armour)
        self.change(
            [(layout.SIGNATURES_TABLE, ()), (layout.NEW_SIGNATURE, values)],
            there=(layout.SIGNATURE_IS_THERE, (signature.stream, signature.turn, signature.armour)),
        )

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

    def put_beside(self, tails: Sequence[Tail]) -> None:
        last = tails[-1]
        with self._writing():
            try:
                self._keep(
                    lambda writer: writer.put_beside(tails),
                    there=lambda: self._holds(last.turns[-1].id, last.branch.stream, last.stored[-1][2]),
                    unsaved="Nothing was saved",
                    unknown="It is not known whether that was saved, because the disk reports errors."
                    " Join it again: what is there already is not added twice.",
                )
            finally:
                self._drop_writer()

    def _put(self, turns: Sequence[Turn]) -> None:
        first, last = turns[0], turns[-1]
        self._keep(
            lambda writer: writer.put(turns),
            there=lambda: self._holds(last.id, self.stream, msgspec.msgpack.encode(last)),
            unsaved=f"Turn T{first.number} was not saved",
            unknown=f"It is not known whether turn T{first.number} was saved, because the disk reports errors."
            " Look whether it is in the log, or send it again under the same id.",
        )

    def _keep(self, put: Callable[["Writer"], None], *, there: Callable[[], bool], unsaved: str, unknown: str) -> None:
        """Write, and settle what went wrong by looking whether it is there: all of it is, or none."""
        from cli.store.recorder import Writer

        if self._writer is None:
            uri = self.path.as_uri() + "?mode=rw"
            kind = record_types(self.rules).turn
            self._writer = Writer(uri, self.stream, kind, after=self.fork, segments=self.segments)
        writer = self._writer
        try:
            put(writer)
        except NumberTaken:
            if self._found(there, unknown):
                return
            raise
        except sqlite3.Error as error:
            doubtful = writer.committing and primary_code(error) not in HARMLESS
            self._drop_writer()
            reason = because(error, self.path)
            if self._found(there, unknown):
                return
            if doubtful and not self._cleared():
                raise MaybeSaved(unknown) from error
            raise NotSaved(f"{unsaved}: {reason}.") from error

    def _found(self, there: Callable[[], bool], unknown: str) -> bool:
        """Whether it is there. Raises MaybeSaved if that cannot be found out."""
        try:
            return there()
        except sqlite3.Error as error:
            raise MaybeSaved(unknown) from error

    def _holds(self, turn_id: str, stream: str, state: bytes) -> bool:
        """Whether this turn, to the last byte, is in the log. Raises sqlite3.Error."""
        rows = self._reader.execute(layout.STORED_UNDER_THE_ID, (turn_id, stream)).fetchall()
        return bool(rows) and rows[0][0] == state

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
        # copying the file by hand while it is open can miss every turn that is still in the `-wal`
        from cli.store.making import made_whole, must_hold

        whole = resolved(target)
        if not whole.parent.is_dir():
            raise Unopenable(f"There is no folder {whole.parent} to make {whole.name} in.", 2)
        with made_whole(whole) as new:
            turns = self.ask(layout.HOW_MANY_TURNS)[0][0]
            with closing(connect(new.as_uri() + "?mode=rw")) as copy:
                self._reader.backup(copy)
            must_hold(new, turns)


def open_campaign(
    path: str | os.PathLike[str], *, write: bool = False, branch: str | None = None, ruled: bool = True
) -> "CampaignFile":
    """Open a campaign. Raises Unopenable, and then the file is as it was and nothing lies beside it.

    Where nothing can be written, a campaign that was closed properly is still read, and `notice` says so. Where
    its rule system is not installed, it is read only if it need not be `ruled`: as `domain.registry.uninstalled` says.
    """
    whole = resolved(path)
    try:
        held = hold(whole)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            raise Unopenable(f"There is no file {os.fspath(path)}.", 2) from None
        if error.errno in (errno.EACCES, errno.EPERM):
            raise Unopenable(f"{whole.name} may not be read by you; ask whoever owns it.", 2) from None
        code = 6 if error.errno == errno.EIO else 2
        raise Unopenable(f"{whole.name} cannot be opened: {because(error, whole)}.", code) from None
    try:
        check_header(whole, held)
        opened = opened_safely(whole)
    except OSError as error:
        let_go(held)
        raise Unopenable(f"{whole.name} cannot be read: {because(error, whole)}.", 6) from None
    except BaseException:
        let_go(held)
        raise
    try:
        if ruled or is_installed(opened.beginning.rules):
            check_rules(whole.name, opened.beginning)
        return CampaignFile(whole, held, opened, write=write, branch=branch)
    except BaseException:
        opened.connection.close()
        let_go(held)
        raise
