"""The log in a SQLite file: read by plain selects, written through `cli.store.recorder`.

An append ends as saved, not saved or not known; after an error the turn's id is looked up to decide which. Reading
does not import the event store library, which takes longer to import than a log takes to read.
"""

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.store import layout
from cli.store.connection import connect, uri_of
from cli.store.failures import (
    DEFECTS,
    GONE,
    HARMLESS,
    NEWER,
    SQLITE_FAILS,
    because,
    misread,
    primary_code,
    too_large_already,
    unreadable,
)
from cli.store.linking import link_all
from cli.store.lock import sole_writer
from cli.store.moved import Answered, Lost, is_at_its_path, must_hold_what_was_answered, where_it_is
from cli.store.names import take_first_name_away
from cli.store.opening import OpenFile, open_file
from cli.store.stored_log import Statement, StoredLog, Tail
from domain.log.port import DamagedLog, MaybeSaved, NotSaved, NumberTaken
from domain.registry import record_types
from domain.turn import Turn, packed

if TYPE_CHECKING:
    from cli.store.recorder import Writer


def open_campaign(
    path: str | os.PathLike[str], *, write: bool = False, branch: str | None = None, needs_rules: bool = True
) -> "CampaignFile":
    """Open a campaign file. Raises Unopenable; the file is unchanged then, without side files.

    If nothing can be written, a campaign that was closed properly is opened for reading and `notice` says so. If its
    rule system is not installed, it is opened only without `needs_rules`, and read as `domain.registry.uninstalled`
    does.
    """
    file = open_file(path, write=write, needs_rules=needs_rules)
    try:
        return CampaignFile(file, write=write, branch=branch)
    except BaseException:
        file.close()
        raise


class CampaignFile(StoredLog):
    """A log in one file."""

    def __init__(self, file: OpenFile, *, write: bool, branch: str | None) -> None:
        self._use(file)
        self.package, self.begun_version = file.beginning.package, file.beginning.version
        self._write = write
        self._writer: Writer | None = None
        self._is_closed = self._is_alone = False
        #: The turns that were appended through this object.
        self._answered: list[Answered] = []
        #: Why nothing is saved any more, after the file was lost.
        self._lost: str | None = None
        #: SQLite's data version at the end of the last `wait`.
        self._version: list[tuple[Any, ...]] = []
        super().__init__(file.beginning.campaign_id, file.beginning.rules, branch)

    def _use(self, file: OpenFile) -> None:
        self._file, self._reader, self.notice = file, file.connection, file.notice
        self.path, self.name, self.address = file.path, file.path.name, str(file.path)

    def on(self, branch: str) -> "CampaignFile":
        return open_campaign(self.path, branch=branch)

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        try:
            self._drop_writer()
            if (self._answered or self.saved_changes) and self._lost is None:
                must_hold_what_was_answered(self._file, self.campaign_id, self._answered)
                if not is_at_its_path(self._file):
                    where_it_is(self._file, self)  # which rescues it if it is nowhere
        finally:
            self._file.close()

    # -- reading

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

    def backup(self, target: str | os.PathLike[str]) -> None:
        # by SQLite's backup, as a copy that is made while somebody writes may be half old and half new
        from cli.store.making import making_whole, must_hold

        with making_whole(target) as new:
            turns = self.ask(layout.HOW_MANY_TURNS)[0][0]
            with closing(connect(uri_of(new))) as copy:
                self._reader.backup(copy)
            must_hold(new, turns)

    # -- writing

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the writer's lock. Raises NotSaved if nothing can be written."""
        if not self._write:
            raise NotSaved(f"{self.path.name} was opened for reading only; nothing was saved.")
        if self.notice:
            raise NotSaved(self.notice)
        with nullcontext() if self._is_alone else sole_writer(self.path):
            self._must_be_what_was_opened()
            if os.fstat(self._file.descriptor.fd).st_nlink > 1:
                take_first_name_away(self.path)
            if os.fstat(self._file.descriptor.fd).st_nlink > 1:
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

    def _must_be_what_was_opened(self) -> None:
        """Raise NotSaved if turns would be written into another file than the one that was opened.

        Where it was renamed in its folder, or replaced by what holds the same, that is open afterwards.
        """
        if self._lost is not None:
            raise NotSaved(self._lost)
        try:
            if not is_at_its_path(self._file):
                self._go_on_in(where_it_is(self._file, self))
            must_hold_what_was_answered(self._file, self.campaign_id, self._answered)
        except Lost as lost:
            self._lost = str(lost)
            raise

    def _go_on_in(self, path: Path | None) -> None:
        """Open the file where it is now. Raises NotSaved, which says so, unless its name is the same."""
        name = self.name
        if path is None:
            raise NotSaved(f"{name} was moved to another folder, with all its turns. Nothing was saved; open it there.")
        file = open_file(path, write=True)
        self._drop_writer()
        self._file.close()
        self._use(file)
        if self.name != name:
            raise NotSaved(f"{name} is called {self.name} now. Nothing was saved; send it again to go on there.")

    @contextmanager
    def exclusive_access(self) -> Iterator[None]:
        with self._writing():
            self.look_again()
            self._is_alone = True
            try:
                yield
            finally:
                self._is_alone = False

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

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """A new connection, in a transaction. Raises sqlite3.Error, and NotSaved if another file was opened by it."""
        with closing(connect(uri_of(self.path))) as connection:
            connection.execute("BEGIN IMMEDIATE")
            if not is_at_its_path(self._file):
                raise NotSaved(f"Nothing was saved: {GONE}.")
            yield connection

    def _statements_before_signatures(self) -> Sequence[Statement]:
        return [(layout.SIGNATURES_TABLE, ())]

    def relink(self) -> None:
        with self._writing():
            try:
                with self._transaction() as connection:
                    link_all(connection)
                    connection.execute("COMMIT")
            except sqlite3.Error as error:
                raise NotSaved(f"The links were not made anew: {because(error, self.path)}.") from error

    def _because(self, error: Exception) -> str:
        """The end of a sentence about why something was not written."""
        return because(error, self.path) if is_at_its_path(self._file) else GONE
