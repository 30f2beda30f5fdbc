"""Creation of campaigns on a server, and copies between a server and a file, with all branches, bytes and links."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from typing import Any

import psycopg

from cli.store import connection as of_a_file
from cli.store import layout
from cli.store.failures import Unopenable
from cli.store.layout import WITHOUT_END
from cli.store.making import making_whole, must_hold
from cli.store.recorder import Writer
from cli.store.server.address import ServerAddress
from cli.store.server.connection import Connection, because, checked_format, connect, is_lost
from cli.store.server.recorder import ServerWriter
from cli.store.server.tables import BEGIN_WRITING, SCHEMA, SLUGS, by_number, translate
from cli.store.stored_log import StoredLog
from domain.log.hash_chain import beginning, linker
from domain.log.port import MaybeSaved, NotSaved
from domain.naming import numbered
from domain.registry import record_types
from domain.turn import Turn

NEW_CAMPAIGN = f"INSERT INTO {SCHEMA}.campaigns (campaign, slug, name) VALUES (%s, %s, %s)"
#: The lock under which a slug is chosen, so that concurrent campaigns get different ones.
NAMING = "SELECT pg_advisory_xact_lock(hashtextextended('campaign names', 0))"


def create_on_server(where: ServerAddress, campaign_id: str, name: str, slug: str, turn: Turn) -> str:
    """Create a campaign with its first turn, and return its slug there. Raises Unopenable, NotSaved, MaybeSaved."""
    types = record_types(turn.action.rules)  # type: ignore[attr-defined]  # turn 1 is campaign.start
    return _create(
        where, campaign_id, name, slug, lambda connection: ServerWriter(connection, campaign_id, types).put((turn,))
    )


def copy_to_server(log: StoredLog, where: ServerAddress, name: str, slug: str) -> str:
    """Copy the stored rows of a whole campaign to a server, and return its slug there.

    Raises Unopenable, NotSaved, MaybeSaved.
    """

    def fill(connection: Connection) -> None:
        for table, columns, rows in _rows(log):
            with connection.cursor() as cursor, cursor.copy(f"COPY {SCHEMA}.{table} ({columns}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)

    return _create(where, log.campaign_id, name, slug, fill)


def _rows(log: StoredLog) -> Iterator[tuple[str, str, Iterator[Sequence[Any]]]]:
    """All stored rows of a campaign, as (table, columns, rows)."""
    campaign, branches = log.campaign_id, log.branches(deleted=True)
    standing = {branch.stream for branch in log.branches()}
    streams = [campaign, *(branch.stream for branch in branches)]
    yield (
        "branches",
        "campaign, stream, name, base, fork, deleted",
        ((campaign, b.stream, b.name, b.base, b.fork, int(b.stream not in standing)) for b in branches),
    )
    yield (
        "settings",
        "campaign, name, value",
        ((campaign, "branch", str(row[0])) for row in log.ask(layout.CURRENT_BRANCH)),
    )
    forks = {campaign: 0} | {branch.stream: branch.fork for branch in branches}
    for stream in streams:
        yield (
            "turn_ids",
            "campaign, id, number, stream",
            ((campaign, turn_id, number, stream) for number, turn_id in log.ask(layout.IDS, stream)),
        )
        yield (
            "stored_events",
            "originator_id, originator_version, topic, state",
            ((stream, *row) for row in log.stored_rows(stream, forks[stream], WITHOUT_END)),
        )
        if log.ask(layout.HAS_PLACES):
            late_numbers = log.ask(layout.LATE_NUMBERS, stream, 0, WITHOUT_END)
            yield "placed", "stream, number", ((stream, row[0]) for row in late_numbers)
    yield "links", "stream, number, link", _stored_links(log, streams) if log.is_linked else _new_links(log)
    if signatures := log.signatures():
        rows = ((signature.stream, signature.turn, signature.seal, signature.armour) for signature in signatures)
        yield "signatures", "stream, number, seal, signature", rows


def _stored_links(log: StoredLog, streams: Sequence[str]) -> Iterator[tuple[str, int, bytes]]:
    for stream in streams:
        last = 0
        while rows := log.ask(layout.LINKS, stream, last):
            yield from ((stream, row[0], row[1]) for row in rows)
            last = rows[-1][0]


def _new_links(log: StoredLog) -> Iterator[tuple[str, int, bytes]]:
    """The links of a file of format 1, which has none. Raises NotSaved if a branch begins nowhere."""
    links = {(log.campaign_id, 0): beginning(log.campaign_id)}
    for stream, base, fork in log.streams():
        if (link := links.get((base, fork))) is None:
            raise NotSaved(f"A branch begins after T{fork}, which is not there; see `campaign verify`.")
        link_of = linker(stream)
        for number, topic, state in log.stored_rows(stream, fork):
            link = links[stream, number] = link_of(link, number, topic, state)
            yield stream, number, link


def _create(where: ServerAddress, campaign_id: str, name: str, slug: str, fill: Callable[[Connection], None]) -> str:
    connection = connect(where, write=True)
    try:
        checked_format(connection, where)
        committing = False
        try:
            with connection.transaction():
                connection.execute(BEGIN_WRITING)
                connection.execute(NAMING)
                slugs = {row[0] for row in connection.execute(translate(SLUGS), by_number((slug, slug), ""))}
                free_slug = next(candidate for candidate in numbered(slug) if candidate not in slugs)
                connection.execute(NEW_CAMPAIGN, (campaign_id, free_slug, name))
                fill(connection)
                committing = True
        except psycopg.errors.UniqueViolation:
            raise Unopenable(f"This campaign is in {where.database} already; see campaign list.", 2) from None
        except psycopg.Error as error:
            if committing and is_lost(error, connection):
                if _is_there(where, campaign_id):
                    return free_slug
                raise MaybeSaved(
                    "The campaign may or may not be made, because the connection was lost; see campaign list."
                ) from None
            raise NotSaved(f"{name} was not made: {because(error)}.") from None
        return free_slug
    finally:
        connection.close()


def _is_there(where: ServerAddress, campaign_id: str) -> bool:
    with suppress(Unopenable, psycopg.Error), closing(connect(where)) as connection:
        row = connection.execute(f"SELECT 1 FROM {SCHEMA}.campaigns WHERE campaign = %s", (campaign_id,)).fetchone()
        return row is not None
    return False


def copy_to_file(log: StoredLog, target: str | os.PathLike[str]) -> None:
    """Copy the stored rows of a whole campaign into a new file. Raises Unopenable, NotSaved."""
    with making_whole(target) as new:
        writer = Writer(of_a_file.uri_of(new), log.campaign_id, record_types(log.rules))
        try:
            writer.make_tables()
        finally:
            writer.close()
        with closing(of_a_file.connect(of_a_file.uri_of(new))) as file:
            file.execute("BEGIN IMMEDIATE")
            if log.signatures():
                file.execute(layout.SIGNATURES_TABLE)
            for table, columns, rows in _rows(log):
                own_columns = [column for column in columns.split(", ") if column != "campaign"]
                marks = ", ".join("?" for _ in own_columns)
                skip = columns.startswith("campaign, ")
                file.executemany(
                    f"INSERT INTO {table} ({', '.join(own_columns)}) VALUES ({marks})",
                    (row[skip:] for row in rows),
                )
            file.execute("COMMIT")
        must_hold(new, log.ask(layout.HOW_MANY_TURNS)[0][0])
