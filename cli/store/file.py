"""The log in a SQLite file: read by plain selects, written through `cli.store.recorder`.

An append ends as saved, not saved or not known; after an error the turn's id is looked up to decide which. Reading
does not import the event store library, which takes longer to import than a log takes to read.
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
from cli.store.connection import connect, uri_of
from cli.store.failures import (
    DEFECTS,
    GONE,
    HARMLESS,
    NEWER,
    SQLITE_FAILS,
    Unopenable,
    because,
    misread,
    primary_code,
    too_large_already,
    unreadable,
)
from cli.store.header import OpenDescriptor, check_header, hold, let_go
from cli.store.linking import link_all
from cli.store.lock import resolve, sole_writer, take_first_name_away
from cli.store.opening import OpenedFile, check_rules, open_safely
from cli.store.streams import Signature, Statement, StoredLog, Tail
from domain.log.port import DamagedLog, MaybeSaved, NotSaved, NumberTaken
from domain.naming import numbered
from domain.registry import record_types
from domain.system.installed import is_installed
from domain.turn import Turn, packed

if TYPE_CHECKING:
    from cli.store.recorder import Writer


class CampaignFile(StoredLog):
    """A log in one file."""

    def __init__(
        self, path: Path, descriptor: OpenDescriptor, database: OpenedFile, *, write: bool, branch: str | None
    ) -> None:
        self.path, self.name, self.address = path, path.name, str(path)
        self.notice = database.notice
        self.package, self.begun_version = database.beginning.package, database.beginning.version
        self._descriptor = descriptor
        self._reader = database.connection
        self._write = write
        self._writer: Writer | None = None
        self._is_closed = self._is_alone = False
        #: The turns that were appended through this object, and the streams that hold them.
        self._answered: list[tuple[str, Turn]] = []
        #: Why nothing is saved any more, after the file was lost.
        self._lost: str | None = None
        #: SQLite's data version at the end of the last `wait`.
        self._version: list[tuple[Any, ...]] = []
        super().__init__(database.beginning.campaign_id, database.beginning.rules, branch)

    @property
    def known_schema(self) -> frozenset[tuple[str, str]]:
        return layout.KNOWN_SCHEMA if self.is_linked else layout.KNOWN_SCHEMA - {("table", "links")}

    def tables_of_other_types(self) -> list[str]:
        there = {name for kind, name in self.ask(layout.SCHEMA) if kind == "table"}
        return [name for name in layout.COLUMN_TYPES if name in there and self.ask(layout.row_of_another_type(name))]

    def damaged_pages(self, most: int) -> list[str]:
        reports = [str(row[0]) for row in self.ask(f"PRAGMA integrity_check({most})")]
        # the first report begins with a headline
        lines = [line for report in reports for line in report.splitlines() if not line.startswith("***")]
        return [] if lines == ["ok"] else lines

    def wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while (version := self.ask("PRAGMA data_version")) == self._version and time.monotonic() < deadline:
            time.sleep(min(0.1, seconds))
        self._version = version

    def on(self, branch: str) -> "CampaignFile":
        return open_campaign(self.path, branch=branch)

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        try:
            self._drop_writer()
            if (self._answered or self.saved_changes) and self._lost is None:
                self._must_not_be_overwritten()
                if not self._is_still_there():
                    self._find_again(to_go_on=False)
        finally:
            with suppress(sqlite3.Error):
                self._reader.close()
            let_go(self._descriptor)

    def ask(self, select: str, *parameters: int | str) -> list[tuple[Any, ...]]:
        self.before_asking()
        try:
            return self._reader.execute(select, parameters).fetchall()
        except SQLITE_FAILS as error:
            if primary_code(error) not in DEFECTS:
                raise unreadable(error, self.path) from error
            raise self._diagnose(select, parameters) from error

    def _diagnose(self, select: str, parameters: Sequence[int | str]) -> Exception:
        """The error for a select that met damage; only damage that a new connection finds too is reported as such."""
        try:
            with closing(connect(uri_of(self.path))) as connection:
                connection.execute(select, parameters).fetchall()
        except SQLITE_FAILS as error:
            # a disk that cannot be read looks like damage at first
            if primary_code(error) not in DEFECTS:
                return unreadable(error, self.path)
            return DamagedLog(self._unreadable_turn() or f"{self.path.name} is damaged and cannot be read whole.")
        return misread(self.path)

    def _unreadable_turn(self) -> str | None:
        """A sentence about the first turn whose record is text instead of bytes; None if there is none."""
        try:
            with closing(connect(uri_of(self.path))) as connection:
                row = connection.execute(layout.NO_RECORD).fetchone()
        except SQLITE_FAILS:
            return None
        return None if row is None else f"Turn T{row[0]} is damaged: what is stored is not a turn."

    @property
    def is_linked(self) -> bool:
        return bool(self.ask("PRAGMA user_version")[0][0] > 1)

    def relink(self) -> None:
        with self._writing():
            try:
                with self._transaction() as connection:
                    link_all(connection)
                    connection.execute("COMMIT")
            except sqlite3.Error as error:
                raise NotSaved(f"The links were not made anew: {because(error, self.path)}.") from error

    # -- writing

    def _append_all(self, turns: Sequence[Turn]) -> None:
        first, last = turns[0], turns[-1]
        with self._writing():
            try:
                self._write_and_settle(
                    lambda writer: writer.put(turns),
                    there=lambda: self._holds(last.id, self.stream, packed(last)),
                    failure=f"Turn T{first.number} was not saved",
                    doubt=f"Turn T{first.number} may or may not be saved",
                    advice="Check whether it is in the log, or send it again under the same id.",
                )
            except BaseException:
                # closing the connection rolls back an open transaction
                self._drop_writer()
                raise
        self._answered += [(self.stream, turn) for turn in turns]

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the writer's lock. Raises NotSaved if nothing can be written."""
        if not self._write:
            raise NotSaved(f"{self.path.name} was opened for reading only; nothing was saved.")
        if self.notice:
            raise NotSaved(self.notice)
        with nullcontext() if self._is_alone else sole_writer(self.path):
            if self._lost is not None:
                raise NotSaved(self._lost)
            if not self._is_still_there():
                # turns would be appended to a file that this name no longer leads to
                self._find_again(to_go_on=True)
            self._must_not_be_overwritten()
            if os.fstat(self._descriptor.fd).st_nlink > 1:
                take_first_name_away(self.path)
            if os.fstat(self._descriptor.fd).st_nlink > 1:
                raise NotSaved(
                    f"{self.path.name} has a second name (a hard link), under which it would be changed as well; copy"
                    " it with `campaign backup` and go on in the copy. Nothing was saved."
                )
            if self.ask("PRAGMA user_version")[0][0] > layout.FORMAT:
                raise NotSaved(NEWER)
            if (limit := too_large_already(self.path)) is not None:  # a journal could not be played back either
                raise NotSaved(f"Nothing was saved: {limit}.")
            try:
                yield
            finally:
                with suppress(sqlite3.Error):  # without effect but in WAL mode; waits for nobody
                    self._reader.execute("PRAGMA wal_checkpoint").fetchall()

    @contextmanager
    def exclusive_access(self) -> Iterator[None]:
        with self._writing():
            self.look_again()
            self._is_alone = True
            try:
                yield
            finally:
                self._is_alone = False

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """A new connection, in a transaction. Raises sqlite3.Error, and NotSaved if another file was opened by it."""
        with closing(connect(uri_of(self.path))) as connection:
            connection.execute("BEGIN IMMEDIATE")
            if not self._is_still_there():
                raise NotSaved(f"Nothing was saved: {GONE}.")
            yield connection

    def change(self, statements: Sequence[Statement], *, there: Statement) -> None:
        committing = False
        with self._writing():
            try:
                with self._transaction() as connection:
                    for statement, values in statements:
                        connection.execute(statement, values)
                    committing = True
                    connection.execute("COMMIT")
            except sqlite3.Error as error:
                reason, doubt = self._because(error), "That may or may not be saved"
                advice = "Look at `campaign branch`, and do it again if it is not there."
                try:
                    if self._reader.execute(*there).fetchone():
                        return
                except sqlite3.Error:  # as while a journal waits that cannot be played back
                    if committing:
                        raise MaybeSaved(f"{doubt}: {reason}. {advice}") from error
                if committing and primary_code(error) not in HARMLESS and not self._clear_wal():
                    raise MaybeSaved(f"{doubt}: {reason}. {advice}") from error
                raise NotSaved(f"Nothing was saved: {reason}.") from error

    def keep_signature(self, signature: Signature) -> None:
        if signature in self.signatures():
            return
        values = (signature.stream, signature.turn, signature.seal, signature.armour)
        self.change(
            [(layout.SIGNATURES_TABLE, ()), (layout.NEW_SIGNATURE, values)],
            there=(layout.SIGNATURE_IS_THERE, (signature.stream, signature.turn, signature.armour)),
        )

    def _because(self, error: Exception) -> str:
        """The end of a sentence about why something was not written."""
        return because(error, self.path) if self._is_still_there() else GONE

    def _is_still_there(self) -> bool:
        """Whether the path still leads to the file that was opened."""
        try:
            status = self.path.stat()
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == self._descriptor.inode

    def _find_again(self, *, to_go_on: bool) -> None:
        """Find the file that is no longer at its path: renamed in its folder, or replaced by one that holds the same.

        With `to_go_on` it is opened there, and NotSaved says so unless the path is the same. A file that is nowhere any
        more is copied to a new name; NotSaved says where.
        """
        name = self.path.name
        with suppress(OSError), os.scandir(self.path.parent) as beside:
            new_names = [each for each in beside if each.inode() == self._descriptor.inode[1] and not each.is_symlink()]
            for each in new_names:
                if to_go_on:
                    self._open_at(Path(each.path))
                    raise NotSaved(
                        f"{name} is called {each.name} now. Nothing was saved; send it again to go on there."
                    )
                return
        if os.fstat(self._descriptor.fd).st_nlink:
            if to_go_on:
                raise NotSaved(
                    f"{name} was moved to another folder, with all its turns. Nothing was saved; open it there."
                )
            return
        if self._is_held_by_its_successor():
            if to_go_on:
                self._open_at(self.path)
            return
        raise NotSaved(self._lose(self._rescue()))

    def _open_at(self, path: Path) -> None:
        successor = open_campaign(path, write=True, branch=self.branch)
        self._drop_writer()
        with suppress(sqlite3.Error):
            self._reader.close()
        let_go(self._descriptor)
        successor._is_closed = True  # what it opened is held by this object now
        self._reader, self._descriptor, self.notice = successor._reader, successor._descriptor, successor.notice
        self.path, self.name, self.address = path, path.name, str(path)

    def _is_held_by_its_successor(self) -> bool:
        """Whether the file at the path now is this campaign, with its branches and the last turn of this one."""
        try:
            with open_campaign(self.path, branch=self.branch) as other:
                if other.campaign_id != self.campaign_id or other.branches() != self.branches():
                    return False
                last = self.last()
                return other.link(last) == self.link(last)
        except (DamagedLog, Unopenable, OSError):
            return False

    def _must_not_be_overwritten(self) -> None:
        """Raise NotSaved if something else was written into the file: what was answered last is no longer stored."""
        try:
            # SQLite keeps pages as long as a counter in the file stays the same, which another file may have as well
            self._reader.execute("PRAGMA shrink_memory")
            if self._is_stored_by(self._reader):
                return
            with closing(connect(uri_of(self.path))) as connection:  # one failed read looks like damage
                if self._is_stored_by(connection):
                    return
        except SQLITE_FAILS as error:
            if primary_code(error) not in DEFECTS:
                return
        if self._answered:
            raise NotSaved(self._lose(self._rescue_answers()))
        self._lost = f"{self.path.name} was overwritten while it was open; nothing more is saved."
        raise NotSaved(self._lost)

    def _is_stored_by(self, connection: sqlite3.Connection) -> bool:
        """Whether the file holds what was answered last, or this campaign; True where it cannot be read now."""
        try:
            # on a page that no turn changes; of a file that was emptied in the middle of a commit those are gone
            connection.execute(layout.CURRENT_BRANCH).fetchone()
            if not self._answered:
                return bool(connection.execute(layout.WHOSE_TURNS).fetchone()[0] == self.campaign_id)
            stream, turn = self._answered[-1]
            row = connection.execute(layout.STORED_UNDER_THE_ID, (turn.id, stream)).fetchone()
            return bool(row == (packed(turn),))
        except SQLITE_FAILS as error:
            return primary_code(error) not in DEFECTS

    def _lose(self, rescued: Path | None) -> str:
        where = f"What it held is in {rescued.name} now" if rescued else "What it held could not be written beside it"
        self._lost = f"{self.path.name} was deleted or overwritten while it was open. {where}; nothing more is saved."
        return self._lost

    def _rescue(self) -> Path | None:
        """A copy of the file that has no name any more, beside where it was; None if there is no room for one."""
        try:
            rescued = self._free_name(".campaign")
            self.backup(rescued)
        except (Unopenable, DamagedLog, NotSaved, sqlite3.Error, OSError):
            return None
        return rescued

    def _rescue_answers(self) -> Path | None:
        """The turns that were answered here as lines of an export; all that is left of a file that was overwritten."""
        try:
            rescued = self._free_name(".ndjson")
            with open(os.open(rescued, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # noqa: PTH123
                file.writelines(msgspec.json.encode(turn) + b"\n" for _, turn in self._answered)
                os.fsync(file.fileno())
        except OSError:
            return None
        return rescued

    def _free_name(self, suffix: str) -> Path:
        """A name beside the file that nothing has, for what is rescued of it."""
        names = numbered(f"{self.path.stem}-rescued")
        return next(path for name in names if not os.path.lexists(path := self.path.with_name(f"{name}{suffix}")))

    def put_beside(self, tails: Sequence[Tail]) -> None:
        last = tails[-1]
        with self._writing():
            try:
                self._write_and_settle(
                    lambda writer: writer.put_beside(tails),
                    there=lambda: self._holds(last.turns[-1].id, last.branch.stream, last.rows[-1][2]),
                    failure="Nothing was saved",
                    doubt="That may or may not be saved",
                    advice="Join it again: what is there already is not added twice.",
                )
            finally:
                self._drop_writer()

    def _write_and_settle(
        self, put: Callable[["Writer"], None], *, there: Callable[[], bool], failure: str, doubt: str, advice: str
    ) -> None:
        """Write a batch; after an error find out whether it was saved, as all of it was or none.

        `there` looks for it in the file; with `failure` begins the sentence of NotSaved, with `doubt` that of
        MaybeSaved, which `advice` follows. Raises these, and NumberTaken.
        """
        from cli.store.recorder import Writer

        if self._writer is None:
            uri = uri_of(self.path)
            types = record_types(self.rules)
            self._writer = Writer(uri, self.stream, types, segments=self.segments)
        writer = self._writer
        try:
            put(writer)
        except NumberTaken:
            if self._is_saved(there, doubt, advice):
                return
            raise
        except sqlite3.Error as error:
            doubtful = writer.committing and primary_code(error) not in HARMLESS
            self._drop_writer()
            reason = self._because(error)
            if self._is_saved(there, doubt, advice):
                return
            if doubtful and not self._clear_wal():
                raise MaybeSaved(f"{doubt}: {reason}. {advice}") from error
            raise NotSaved(f"{failure}: {reason}.") from error

    def _is_saved(self, there: Callable[[], bool], doubt: str, advice: str) -> bool:
        """The result of `there`. Raises MaybeSaved if the file cannot be read."""
        try:
            return there()
        except sqlite3.Error as error:
            raise MaybeSaved(f"{doubt}: {self._because(error)}. {advice}") from error

    def _holds(self, turn_id: str, stream: str, state: bytes) -> bool:
        """Whether the log holds this turn with exactly these bytes. Raises sqlite3.Error."""
        rows = self._reader.execute(layout.STORED_UNDER_THE_ID, (turn_id, stream)).fetchall()
        return bool(rows) and rows[0][0] == state

    def _clear_wal(self) -> bool:
        """Put everything that a `-wal` holds into the file; False if that failed. Without effect but in WAL mode.

        In WAL mode, in which others may keep a file of an older version, a commit that fails while syncing may have
        written all its frames: readers ignore them now, but the recovery after a crash would not.
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
        # by SQLite's backup, as a copy that is made while somebody writes may be half old and half new
        from cli.store.making import making_whole, must_hold

        with making_whole(target) as new:
            turns = self.ask(layout.HOW_MANY_TURNS)[0][0]
            with closing(connect(uri_of(new))) as copy:
                self._reader.backup(copy)
            must_hold(new, turns)


def open_campaign(
    path: str | os.PathLike[str], *, write: bool = False, branch: str | None = None, needs_rules: bool = True
) -> "CampaignFile":
    """Open a campaign file. Raises Unopenable; the file is unchanged then, without side files.

    If nothing can be written, a campaign that was closed properly is opened for reading and `notice` says so. If its
    rule system is not installed, it is opened only without `needs_rules`, and read as `domain.registry.uninstalled`
    does.
    """
    whole = resolve(path)
    try:
        descriptor = hold(whole)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            raise Unopenable(f"There is no file {os.fspath(path)}.", 2) from None
        if error.errno in (errno.EACCES, errno.EPERM):
            raise Unopenable(f"{whole.name} is not yours to read; ask whoever owns it.", 2) from None
        code = 6 if error.errno == errno.EIO else 2
        raise Unopenable(f"{whole.name} cannot be opened: {because(error, whole)}.", code) from None
    try:
        database = open_safely(whole, write=write, in_wal_mode=check_header(whole, descriptor))
    except OSError as error:
        let_go(descriptor)
        raise Unopenable(f"{whole.name} cannot be read: {because(error, whole)}.", 6) from None
    except BaseException:
        let_go(descriptor)
        raise
    try:
        if needs_rules or is_installed(database.beginning.rules):
            check_rules(whole.name, database.beginning)
        return CampaignFile(whole, descriptor, database, write=write, branch=branch)
    except BaseException:
        database.connection.close()
        let_go(descriptor)
        raise
