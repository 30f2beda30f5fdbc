"""Writing to a server through the event store library.

The library's recorder locks its whole table for each append, so that readers of all streams by notification id see no
gap. Here streams are read by their own numbers, so only writers of one stream wait for each other. The library also
sends each event as an array of one composite, which takes the driver longer than the rest of the append.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import psycopg
from eventsourcing.persistence import EventStore, StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore

from cli.store import layout
from cli.store.driver_errors import driver_errors
from cli.store.failures import NEWER
from cli.store.layout import WITHOUT_END
from cli.store.linking import campaign_of
from cli.store.mapping import TurnMapper, TurnTranscoder
from cli.store.server.connection import Connection
from cli.store.server.tables import (
    FORMAT,
    LAST_LINK,
    NEW_TURNS,
    SCHEMA,
    STREAM_LOCK,
    by_number,
    new_turns,
    translate,
)
from cli.store.streams import Tail, backdated_numbers
from domain.log.hash_chain import beginning, links_of
from domain.log.port import IdTaken, NotSaved, NumberTaken
from domain.registry import RecordTypes
from domain.turn import Turn


class _OneConnection:
    """The connection that this process has already, in the shape of the library's pool, without its threads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def open(self, wait: bool = False, timeout: float = 0) -> None:
        """Nothing to do: the connection is open."""

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        yield self._connection

    def close(self) -> None:
        """Nothing to do: the owner of the connection closes it."""


class ServerDatastore(PostgresDatastore):
    """The library's datastore on an existing connection."""

    def __init__(self, connection: Connection) -> None:
        super().__init__("", "", "", "", "", schema=SCHEMA, originator_id_type="text")
        self.pool = cast(Any, _OneConnection(connection))

    def register_type_adapters(self) -> None:
        """Nothing to do: no composite type is used."""


class ServerRecorder(PostgresApplicationRecorder):
    """The library's recorder, extended by unique turn ids, numbers without gaps, places and links."""

    #: Whether everything is written and only the commit is left.
    committing = False

    # the library's method tries again after a lost connection, and may then collide with its own turn
    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int] | None:
        with self._transaction() as cursor:
            self._write(cursor, stored_events, **kwargs)
        return None

    def insert_tails(self, tails: Sequence[Tail]) -> None:
        """Insert turns as another copy stores them, with the new branches that hold them: all or none."""
        with self._transaction() as cursor:
            for tail in tails:
                branch = tail.branch
                if tail.is_new:
                    branch_rows = by_number(
                        (branch.stream, branch.name, branch.base, branch.fork), campaign_of(branch.stream)
                    )
                    try:
                        cursor.execute(translate(layout.NEW_BRANCH), branch_rows)
                    except psycopg.errors.UniqueViolation:
                        raise NumberTaken from None  # somebody else made a branch of this name meanwhile
                self._write(
                    cursor,
                    [StoredEvent(branch.stream, number, topic, state) for number, topic, state in tail.rows],
                    ids=[turn.id for turn in tail.turns],
                    late_numbers=backdated_numbers(tail.turns),
                    segments=[(branch.base, branch.fork), (branch.stream, WITHOUT_END)],
                )

    @contextmanager
    def _transaction(self) -> Iterator[psycopg.Cursor[Any]]:
        self.committing = False
        with self.datastore.get_connection() as connection, connection.transaction(), connection.cursor() as cursor:
            yield cursor
            self.committing = True

    def _write(
        self,
        cursor: psycopg.Cursor[Any],
        stored_events: Sequence[StoredEvent],
        *,
        ids: Sequence[str] = (),
        late_numbers: Sequence[int] = (),
        segments: Sequence[tuple[str, int]] = (),
    ) -> None:
        # `segments` are the streams of the log, each up to a turn
        stream = str(stored_events[0].originator_id)
        campaign = campaign_of(stream)
        numbers = [event.originator_version for event in stored_events]

        def ask(statement: str, *values: Any) -> Any:
            return cursor.execute(translate(statement), by_number(values, campaign))

        if ask(STREAM_LOCK, stream).fetchone()[0] > FORMAT:
            raise NotSaved(NEWER)
        fork = segments[-2][1] if len(segments) > 1 else 0
        last, before = ask(LAST_LINK, stream).fetchone() or (fork, beginning(campaign))
        if numbers[0] != last + 1:
            raise NumberTaken
        if last == fork != 0:
            base_link = ask(layout.LINK, next(base for base, upto in segments if last <= upto), last).fetchone()
            if base_link is None:
                raise NotSaved(f"The link of T{last} is missing, so nothing can be appended; see `campaign verify`.")
            before = base_link[0]
        for number in late_numbers:
            ask(layout.NEW_PLACE, stream, number)
        records = [(event.originator_version, event.topic, event.state) for event in stored_events]
        links = list(links_of(bytes(before), stream, records))
        try:
            ask(NEW_TURNS, *new_turns(stream, ids, records, links))
        except psycopg.errors.UniqueViolation as error:
            if (error.diag.table_name or "").startswith("turn_ids"):
                raise IdTaken from None
            raise


class ServerWriter:
    """Appends to one stream. Raises NumberTaken, NotSaved, and psycopg.Error for what the server refuses."""

    def __init__(
        self, connection: Connection, stream: str, types: RecordTypes, segments: Sequence[tuple[str, int]] = ()
    ) -> None:
        self.connection = connection
        with driver_errors(psycopg.Error, otherwise=psycopg.OperationalError):
            self._recorder = ServerRecorder(ServerDatastore(connection))
        self._segments = segments or [(stream, WITHOUT_END)]
        mapper = TurnMapper(stream, TurnTranscoder(types))
        self._events: EventStore[str] = EventStore(mapper, self._recorder)

    @property
    def committing(self) -> bool:
        """Whether the last `put` reached the commit."""
        return self._recorder.committing

    def put(self, turns: Sequence[Turn]) -> None:
        """Write consecutive turns, all or none."""
        with driver_errors(psycopg.Error, otherwise=psycopg.OperationalError):
            self._events.put(
                cast(Any, turns),
                ids=[turn.id for turn in turns],
                late_numbers=backdated_numbers(turns),
                segments=self._segments,
            )

    def put_beside(self, tails: Sequence[Tail]) -> None:
        """Write the turns and branches of another copy, all or none."""
        with driver_errors(psycopg.Error, otherwise=psycopg.OperationalError):
            self._recorder.insert_tails(tails)
