"""Writing to a campaign file through the event store library; its own recorder can read the table of turns."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, cast

from eventsourcing.persistence import EventStore, PersistenceError, StoredEvent
from eventsourcing.sqlite import (
    SQLiteApplicationRecorder,
    SQLiteConnection,
    SQLiteConnectionPool,
    SQLiteCursor,
    SQLiteFactory,
)
from eventsourcing.utils import Environment

from cli.store.connection import IN_THE_MAKING, connect
from cli.store.layout import LAST_TURN, NEW_BRANCH, NEW_PLACE, PLACES, WITHOUT_END, tables
from cli.store.linking import add_links
from cli.store.mapping import NOTHING_STORED, TurnMapper, TurnTranscoder
from cli.store.streams import Tail, backdated_numbers
from domain.log.effective_history import REVISING_TAGS
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

    #: Whether everything is written and only the commit is left.
    committing = False

    def construct_create_table_statements(self) -> list[str]:
        return [*super().construct_create_table_statements(), *tables(REVISING_TAGS)]

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int] | None:
        self.committing = False
        return super().insert_events(stored_events, **kwargs)

    def insert_tails(self, tails: Sequence[Tail]) -> None:
        """Insert turns as another copy stores them, with the new branches that hold them: all or none."""
        self.committing = False
        with self.datastore.transaction(commit=True) as cursor:
            for tail in tails:
                self._insert_tail(cursor, tail)

    def _insert_tail(self, cursor: SQLiteCursor, tail: Tail) -> None:
        branch = tail.branch
        if tail.is_new:
            try:
                cursor.execute(NEW_BRANCH, (branch.stream, branch.name, branch.base, branch.fork))
            except sqlite3.IntegrityError:
                raise NumberTaken from None  # somebody else made a branch of this name meanwhile
        self._insert_events(
            cursor,
            [StoredEvent(branch.stream, number, topic, state) for number, topic, state in tail.rows],
            ids=[turn.id for turn in tail.turns],
            late_numbers=backdated_numbers(tail.turns),
            after=branch.fork,
            segments=[(branch.base, branch.fork), (branch.stream, WITHOUT_END)],
        )

    def _insert_events(
        self,
        c: SQLiteCursor,
        stored_events: Sequence[StoredEvent],
        *,
        ids: Sequence[str] = (),
        late_numbers: Sequence[int] = (),
        after: int = 0,
        segments: Sequence[tuple[str, int]] = (),
        **kwargs: Any,
    ) -> Sequence[int] | None:
        # `after` is the fork of the branch, 0 on main; `segments` are the streams of the log, each up to a turn
        # the first statement writes: a transaction that reads first fails if another writer comes between
        rows = [(i, e.originator_version, e.originator_id) for i, e in zip(ids, stored_events, strict=True)]
        try:
            c.executemany("INSERT INTO turn_ids (id, number, stream) VALUES (?, ?, ?)", rows)
        except sqlite3.IntegrityError:
            raise IdTaken from None
        first = stored_events[0]
        c.execute(LAST_TURN, (first.originator_id,))
        if first.originator_version != (c.fetchone()[0] or after) + 1:
            raise NumberTaken
        if late_numbers:
            c.execute(PLACES)
            c.executemany(NEW_PLACE, [(first.originator_id, number) for number in late_numbers])
        numbers = super()._insert_events(c, stored_events, **kwargs)
        records = [(e.originator_version, e.topic, e.state) for e in stored_events]
        add_links(c.sqlite_cursor.connection, str(first.originator_id), records, segments)
        self.committing = True
        return numbers


class CampaignFactory(SQLiteFactory):
    """The library's factory with the recorder and connections of this file."""

    application_recorder_class = CampaignRecorder

    def __init__(self, env: Environment, more_pragmas: tuple[str, ...]) -> None:
        super().__init__(env)
        self.datastore.pool = CampaignConnections(self.datastore.pool.db_name, more_pragmas)


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


class Writer:
    """Appends to one stream. Raises NumberTaken, NotSaved, and sqlite3.Error for what SQLite or the disk refuses."""

    def __init__(
        self,
        uri: str,
        stream: str,
        types: RecordTypes,
        *,
        after: int = 0,
        segments: Sequence[tuple[str, int]] = (),
        stored_bytes: Mapping[int, bytes] = NOTHING_STORED,
        in_the_making: bool = False,
    ) -> None:
        """`stored_bytes`: the bytes of turns that were stored elsewhere, by their numbers, to be stored as they are.

        `in_the_making`: whoever makes the file syncs it when it is complete.
        """
        # a mapping of its own, so that environment variables of the process have no effect
        environment = Environment(
            "campaign",
            {
                "PERSISTENCE_MODULE": "eventsourcing.sqlite",
                "SQLITE_DBNAME": uri,
                "ORIGINATOR_ID_TYPE": "text",
                "CREATE_TABLE": "no",
            },
        )
        self._factory = CampaignFactory(environment, IN_THE_MAKING if in_the_making else ())
        self._recorder = cast(CampaignRecorder, self._factory.application_recorder())
        self._after, self._segments = after, segments or [(stream, WITHOUT_END)]
        mapper = TurnMapper(stream, TurnTranscoder(types), stored_bytes)
        self._events: EventStore[str] = self._factory.event_store(mapper, self._recorder)

    @property
    def committing(self) -> bool:
        """Whether the last `put` reached the commit."""
        return self._recorder.committing

    def make_tables(self) -> None:
        """Create the tables of a campaign in an empty file."""
        with _errors_of_sqlite():
            self._recorder.create_table()

    def put(self, turns: Sequence[Turn]) -> None:
        """Write consecutive turns, all or none."""
        with _errors_of_sqlite():
            self._events.put(
                cast(Any, turns),
                ids=[turn.id for turn in turns],
                late_numbers=backdated_numbers(turns),
                after=self._after,
                segments=self._segments,
            )

    def put_beside(self, tails: Sequence[Tail]) -> None:
        """Write the turns and branches of another copy, all or none."""
        with _errors_of_sqlite():
            self._recorder.insert_tails(tails)

    def close(self) -> None:
        self._factory.close()
