"""Writing to a server, into the tables of the event store library, which can read them.

The library's own recorder locks its whole table for each append, so that readers of all streams by notification id see
no gap. Here streams are read by their own numbers, so only writers of one stream wait for each other. The library also
sends each event as an array of one composite, which takes the driver longer than the rest of the append, and tries
again after a lost connection, where it may collide with its own turn.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg

from cli.store import layout
from cli.store.encoding import TurnEncoder
from cli.store.layout import WITHOUT_END
from cli.store.linking import campaign_of
from cli.store.segments import Segments, fork_of, stream_at
from cli.store.server.connection import Connection, lock
from cli.store.server.tables import (
    CAMPAIGN_IS_THERE,
    LAST_LINK,
    NEW_TURNS,
    by_number,
    new_turns,
    translate,
)
from cli.store.stored_log import Tail, backdated_numbers
from domain.log.hash_chain import StoredRow, beginning, links_of
from domain.log.port import IdTaken, NotSaved, NumberTaken
from domain.registry import RecordTypes
from domain.turn import Turn


class ServerWriter:
    """Appends to one stream. Raises NumberTaken, NotSaved, and psycopg.Error for what the server refuses."""

    def __init__(self, connection: Connection, stream: str, types: RecordTypes, segments: Segments = ()) -> None:
        """`segments` are the streams of the log, each up to a turn; without them the stream is main's."""
        self.connection, self._stream = connection, stream
        self._segments = segments or [(stream, WITHOUT_END)]
        self._encoder = TurnEncoder(types)
        #: Whether everything of the last batch was written, and only the commit was left.
        self.committing = False

    def put(self, turns: Sequence[Turn]) -> None:
        """Write consecutive turns, all or none."""
        rows = self._encoder.rows(turns)
        with self._transaction() as cursor:
            _write(cursor, self._stream, turns, rows, self._segments)

    def put_beside(self, tails: Sequence[Tail]) -> None:
        """Write turns as another copy stores them, with the new branches that hold them: all or none."""
        with self._transaction() as cursor:
            lock(cursor, campaign_of(tails[0].branch.stream))
            for tail in tails:
                branch = tail.branch
                if tail.is_new:
                    values = (branch.stream, branch.name, branch.base, branch.fork)
                    try:
                        cursor.execute(translate(layout.NEW_BRANCH), by_number(values, campaign_of(branch.stream)))
                    except psycopg.errors.UniqueViolation:
                        raise NumberTaken from None  # somebody else made a branch of this name meanwhile
                segments = [(branch.base, branch.fork), (branch.stream, WITHOUT_END)]
                _write(cursor, branch.stream, tail.turns, tail.rows, segments)

    @contextmanager
    def _transaction(self) -> Iterator[psycopg.Cursor[Any]]:
        self.committing = False
        with self.connection.transaction(), self.connection.cursor() as cursor:
            yield cursor
            self.committing = True


def _write(
    cursor: psycopg.Cursor[Any],
    stream: str,
    turns: Sequence[Turn],
    rows: Sequence[StoredRow],
    segments: Segments,
) -> None:
    """Write turns, with their rows, at the end of a stream, whose log is made of these segments."""
    campaign = campaign_of(stream)

    def ask(statement: str, *values: Any) -> Any:
        return cursor.execute(translate(statement), by_number(values, campaign))

    lock(cursor, stream)
    fork = fork_of(segments)
    last, before = ask(LAST_LINK, stream).fetchone() or (fork, beginning(campaign))
    if rows[0][0] != last + 1:
        raise NumberTaken
    if last == fork != 0:
        base_link = ask(layout.LINK, stream_at(segments, last), last).fetchone()
        if base_link is None:
            if ask(CAMPAIGN_IS_THERE).fetchone() is None:
                raise NumberTaken  # whoever decides it again is told that the campaign is gone
            raise NotSaved(f"The link of T{last} is missing, so nothing can be appended; see `campaign verify`.")
        before = base_link[0]
    for number in backdated_numbers(turns):
        ask(layout.NEW_PLACE, stream, number)
    links = list(links_of(bytes(before), stream, rows))
    try:
        ask(NEW_TURNS, *new_turns(stream, [turn.id for turn in turns], rows, links))
    except psycopg.errors.UniqueViolation as error:
        if (error.diag.table_name or "").startswith("turn_ids"):
            raise IdTaken from None
        raise
