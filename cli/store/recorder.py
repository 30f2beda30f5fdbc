"""Writing to a campaign file through the event store library; its own recorder can read the table of turns."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from eventsourcing.persistence import PersistenceError, StoredEvent
from eventsourcing.sqlite import (
    SQLiteApplicationRecorder,
    SQLiteConnection,
    SQLiteConnectionPool,
    SQLiteCursor,
    SQLiteDatastore,
)

from cli.store.connection import IN_THE_MAKING, connect
from cli.store.encoding import NOTHING_STORED, TurnEncoder
from cli.store.layout import LAST_TURN, NEW_BRANCH, NEW_PLACE, PLACES, WITHOUT_END, tables
from cli.store.linking import add_links
from cli.store.segments import Segments, fork_of
from cli.store.stored_log import Tail, backdated_numbers
from domain.log.effective_history import REVISING_TAGS
from domain.log.hash_chain import StoredRow
from domain.log.port import IdTaken, NumberTaken
from domain.registry import RecordTypes
from domain.turn import Turn


class CampaignConnections(SQLiteConnectionPool):
    """The library's pool with connections of `cli.store.connection`."""

    def __init__(self, name: str, more_pragmas: tuple[str, ...]) -> None:
        super().__init__(db_name=name, pool_size=1)
        self._more_pragmas = more_pragmas

    def _create_connection(self) -> SQLiteConnection:
        connection = connect(self.db_name, self._more_pragmas)
        connection.row_factory = sqlite3.Row
        return SQLiteConnection(connection, max_age=None)


class CampaignRecorder(SQLiteApplicationRecorder):
    """The library's recorder, extended by unique turn ids, numbers without gaps, places and links."""

    def insert_turns(
        self,
        cursor: SQLiteCursor,
        stream: str,
        turns: Sequence[Turn],
        rows: Sequence[StoredRow],
        segments: Segments,
    ) -> None:
        """Write turns, with their rows, at the end of a stream, whose log is made of these segments."""
        # the first statement writes: a transaction that reads first fails if another writer comes between
        ids = [(turn.id, turn.number, stream) for turn in turns]
        try:
            cursor.executemany("INSERT INTO turn_ids (id, number, stream) VALUES (?, ?, ?)", ids)
        except sqlite3.IntegrityError:
            raise IdTaken from None
        cursor.execute(LAST_TURN, (stream,))
        if rows[0][0] != (cursor.fetchone()[0] or fork_of(segments)) + 1:
            raise NumberTaken
        if late_numbers := backdated_numbers(turns):
            cursor.execute(PLACES)
            cursor.executemany(NEW_PLACE, [(stream, number) for number in late_numbers])
        self._insert_events(cursor, [StoredEvent(stream, *row) for row in rows])
        add_links(cursor.sqlite_cursor.connection, stream, rows, segments)


class Writer:
    """Appends to one stream. Raises NumberTaken, NotSaved, and sqlite3.Error for what SQLite or the disk refuses."""

    def __init__(
        self,
        uri: str,
        stream: str,
        types: RecordTypes,
        *,
        segments: Segments = (),
        stored_bytes: Mapping[int, bytes] = NOTHING_STORED,
        in_the_making: bool = False,
    ) -> None:
        """`segments` are the streams of the log, each up to a turn; without them the stream is main's.

        `stored_bytes`: the bytes of turns that were stored elsewhere, by their numbers, to be stored as they are.
        `in_the_making`: whoever makes the file syncs it when it is complete.
        """
        self._stream, self._segments = stream, segments or [(stream, WITHOUT_END)]
        self._encoder, self._stored_bytes = TurnEncoder(types), stored_bytes
        # not by the library's factory, on which environment variables of the process have an effect
        datastore = SQLiteDatastore(uri, originator_id_type="text")
        datastore.pool = CampaignConnections(uri, IN_THE_MAKING if in_the_making else ())
        self.recorder = CampaignRecorder(datastore)
        #: Whether everything of the last batch was written, and only the commit was left.
        self.committing = False

    def make_tables(self) -> None:
        """Create the tables of a campaign in an empty file."""
        with self._transaction() as cursor:
            for statement in (*self.recorder.create_table_statements, *tables(REVISING_TAGS)):
                cursor.execute(statement)

    def put(self, turns: Sequence[Turn]) -> None:
        """Write consecutive turns, all or none."""
        rows = self._encoder.rows(turns, self._stored_bytes)
        with self._transaction() as cursor:
            self.recorder.insert_turns(cursor, self._stream, turns, rows, self._segments)

    def put_beside(self, tails: Sequence[Tail]) -> None:
        """Write turns as another copy stores them, with the new branches that hold them: all or none."""
        with self._transaction() as cursor:
            for tail in tails:
                branch = tail.branch
                if tail.is_new:
                    try:
                        cursor.execute(NEW_BRANCH, (branch.stream, branch.name, branch.base, branch.fork))
                    except sqlite3.IntegrityError:
                        raise NumberTaken from None  # somebody else made a branch of this name meanwhile
                segments = [(branch.base, branch.fork), (branch.stream, WITHOUT_END)]
                self.recorder.insert_turns(cursor, branch.stream, tail.turns, tail.rows, segments)

    @contextmanager
    def _transaction(self) -> Iterator[SQLiteCursor]:
        self.committing = False
        with _errors_of_sqlite(), self.recorder.datastore.transaction(commit=True) as cursor:
            yield cursor
            self.committing = True

    def close(self) -> None:
        self.recorder.datastore.close()


@contextmanager
def _errors_of_sqlite() -> Iterator[None]:
    """Raise the error of SQLite that caused one of the library's, which wraps them in its own."""
    try:
        yield
    except PersistenceError as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, sqlite3.Error):
            cause = cause.__cause__ or cause.__context__
        raise cause or sqlite3.OperationalError(str(error)) from error
