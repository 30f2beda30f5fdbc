"""The hash chain of a campaign file: the links of new turns, or of all, and whether what goes with them agrees."""

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import tee

import msgspec

from cli.store import layout
from cli.store.segments import Segments, stream_at
from domain.log.hash_chain import StoredRow, beginning, links_of
from domain.log.port import NotSaved


class _Listed(msgspec.Struct):
    """What of a turn is listed outside its record as well."""

    id: str
    place: int | None = None


def campaign_of(stream: str) -> str:
    """The campaign id of a stream: the part before the slash in a branch's."""
    return stream.partition("/")[0]


def turns_of_stream(connection: sqlite3.Connection, stream: str) -> Iterator[StoredRow]:
    """The stored turns of one stream, in order."""
    last = 0
    while rows := connection.execute(layout.STORED, (stream, last)).fetchall():
        yield from rows
        last = rows[-1][0]


def link_before(connection: sqlite3.Connection, stream: str, number: int, segments: Segments) -> bytes:
    """The link of the turn before `number` on this stream. Raises NotSaved if it is missing."""
    if number == 1:
        return beginning(campaign_of(stream))
    row = connection.execute(layout.LINK, (stream_at(segments, number - 1), number - 1)).fetchone()
    if row is None:
        raise NotSaved(f"The link of T{number - 1} is missing, so nothing can be appended; see `campaign verify`.")
    return bytes(row[0])


def add_links(connection: sqlite3.Connection, stream: str, turns: Sequence[StoredRow], segments: Segments) -> None:
    """Write the links of new turns, in the transaction that wrote the turns."""
    if connection.execute("PRAGMA user_version").fetchone()[0] < layout.FORMAT:
        link_all(connection)
        return
    before = link_before(connection, stream, turns[0][0], segments)
    links = zip((turn[0] for turn in turns), links_of(before, stream, turns), strict=True)
    connection.executemany(layout.NEW_LINK, [(stream, number, link) for number, link in links])


def link_all(connection: sqlite3.Connection) -> None:
    """Write the links of all turns anew, in the open transaction. Raises NotSaved if something has no place."""
    connection.execute("DROP TABLE IF EXISTS links")
    connection.execute(layout.LINKS_TABLE)
    for name, base, fork in streams_of(connection):
        before = _link_before_stream(connection, name, base, fork)
        if connection.execute(layout.UNLINKABLE, (name,)).fetchone():
            raise NotSaved("No links were made: a turn has no number, or no record; see `campaign verify`.")
        rows, same_rows = tee(turns_of_stream(connection, name))
        links = zip((turn[0] for turn in rows), links_of(before, name, same_rows), strict=True)
        connection.executemany(layout.NEW_LINK, ((name, number, link) for number, link in links))
    connection.execute(f"PRAGMA user_version={layout.FORMAT}")


def _link_before_stream(connection: sqlite3.Connection, name: str, base: str, fork: int) -> bytes:
    """The link that the first turn of a stream goes on from. Raises NotSaved if it is missing."""
    if not fork:
        return beginning(campaign_of(name))
    row = connection.execute(layout.LINK, (base, fork)).fetchone()
    if row is None:
        raise NotSaved(f"A branch begins after T{fork}, which is not there; see `campaign verify`.")
    return bytes(row[0])


def tables_agree(connection: sqlite3.Connection) -> bool:
    """Whether each turn has its id, its link and, if it was entered late, its place, and nothing else has.

    That is so after each commit, and not where only some pages of one were written. Raises as `link_all` does, and
    msgspec.MsgspecError.
    """
    tables = {name for _, name in connection.execute(layout.SCHEMA)}
    turns = late = 0
    for name, base, fork in streams_of(connection):
        rows, same_rows = tee(turns_of_stream(connection, name))
        before = _link_before_stream(connection, name, base, fork) if "links" in tables else b""
        for (number, _, record), link in zip(rows, links_of(before, name, same_rows), strict=True):
            turn = msgspec.msgpack.decode(record, type=_Listed)
            if connection.execute(layout.WHERE_THE_ID_IS, (turn.id,)).fetchone() != (number, name):
                return False
            if "links" in tables and connection.execute(layout.LINK, (name, number)).fetchone() != (link,):
                return False
            turns, late = turns + 1, late + (turn.place is not None)
    expected = {"stored_events": turns, "turn_ids": turns, "links": turns, "placed": late}
    there = {table: connection.execute(layout.how_many(table)).fetchone()[0] for table in expected.keys() & tables}
    branches = {layout.MAIN, *(name for name, *_ in connection.execute(layout.ALL_BRANCHES))}
    current = connection.execute(layout.CURRENT_BRANCH).fetchone()
    return there.items() <= expected.items() and (current is None or current[0] in branches)


def streams_of(connection: sqlite3.Connection) -> list[tuple[str, str, int]]:
    """Every stream as (stream, base, fork): main's first, each base before its branches."""
    own = campaign_of(connection.execute(layout.WHOSE_TURNS).fetchone()[0])
    branches = connection.execute(layout.ALL_BRANCHES).fetchall()
    return [(own, own, 0), *((stream, base, fork) for _, stream, base, fork in branches)]
