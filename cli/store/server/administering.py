"""Administration of a server: creating the tables, granting rights to roles, and a report of its state."""

import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from cli.store import layout
from cli.store.failures import Unopenable
from cli.store.server import tables
from cli.store.server.address import ServerAddress
from cli.store.server.connection import (
    Connection,
    because,
    checked_format,
    connect,
    foreign_schema,
    is_lost,
    known_format,
    lock,
)
from cli.store.server.log import ServerLog, notify_of_seats
from cli.store.server.tables import LONGEST_WAIT
from domain.log.effective_history import REVISING_TAGS
from domain.log.port import MaybeSaved, NotSaved

#: The oldest version of PostgreSQL with CREATE OR REPLACE TRIGGER on partitioned tables.
OLDEST = 140000
#: How long a change of the tables waits for turns that are being written.
WAIT_FOR_PLAYERS = "2s"


def initialise(address: ServerAddress, *, readers: Sequence[str] = (), writers: Sequence[str] = ()) -> None:
    """Create or update the tables, and grant roles the right to read, or to read and write. Raises Unopenable.

    Concurrent calls wait for each other.
    """
    with closing(connect(address, write=True)) as connection:
        if connection.info.server_version < OLDEST:
            raise Unopenable(f"{address.database} is older than PostgreSQL 14; update it first.", 2)
        if connection.is_pooled:
            raise Unopenable(
                f"{address.database} is behind a pooler; give campaign server init the address of the server itself.", 2
            )
        try:
            _be_alone(connection, address)
            with connection.transaction():
                # from here on whoever plays waits behind us, so we do not wait long for them
                connection.execute("SELECT set_config('lock_timeout', %s, true)", (WAIT_FOR_PLAYERS,))
                _must_be_in_utf8(connection, address)
                tables_there = {str(row[0]) for row in connection.execute(tables.TABLES_THERE)}
                if tables_there and not tables_there >= {"format", "campaigns"}:
                    raise foreign_schema(address)
                if tables_there:
                    known_format(connection, address)
                triggers = {(str(name), str(table)) for name, table in connection.execute(tables.TRIGGERS_THERE)}
                for statement in tables.creation(_indexes(connection), triggers):
                    connection.execute(statement.encode())
                for role, write in [*((role, False) for role in readers), *((role, True) for role in writers)]:
                    _grant(connection, role, write=write)
            connection.execute("SELECT set_config('lock_timeout', %s, false)", (f"{LONGEST_WAIT}s",))
            for statement in tables.index_statements(REVISING_TAGS, _indexes(connection)):
                connection.execute(statement.encode())
        except psycopg.Error as error:
            raise Unopenable(f"{address.database} was not set up: {because(error)}.", 6) from None


def remove(address: ServerAddress, log: ServerLog, file: Path) -> int:
    """Take one campaign out of a database for good, with all of its branches, once the whole of it is in a file.

    Returns how many turns that was. For the owner of the tables alone: writers may not delete. Raises Unopenable,
    NotSaved, MaybeSaved.
    """
    with closing(connect(address, write=True)) as connection:
        checked_format(connection, address)
        committing = False
        try:
            with connection.transaction():
                # whoever tells a turn from here on waits, and is told that the campaign is gone
                lock(connection, log.campaign_id)
                for branch in log.branches(deleted=True):
                    lock(connection, branch.stream)
                turns = int(log.ask(layout.HOW_MANY_TURNS)[0][0])
                log.backup(file)
                for statement in tables.REMOVAL:
                    connection.execute(statement.encode(), {"campaign": log.campaign_id})
                notify_of_seats(connection, log.campaign_id)
                committing = True
        except psycopg.Error as error:
            if committing and is_lost(error, connection):
                raise MaybeSaved(
                    f"{log.name} may or may not be removed, because the connection was lost; see campaign list. The"
                    f" whole of it is in {file}."
                ) from None
            raise NotSaved(f"Nothing was removed: {because(error)}.") from None
    return turns


def _be_alone(connection: Connection, address: ServerAddress) -> None:
    """Wait until nobody else sets this database up, and keep others from it up to the end of the session.

    Raises Unopenable. Nobody waits inside a statement: an index that is made beside writers waits for all of those.
    """
    deadline = time.monotonic() + LONGEST_WAIT
    while connection.execute("SELECT pg_try_advisory_lock(%s)", (tables.INIT_LOCK,)).fetchone() != (True,):
        if time.monotonic() > deadline:
            raise Unopenable(f"{address.database} was not set up: it is busy; try again.", 6)
        time.sleep(0.05)


def _indexes(connection: Connection) -> set[str]:
    """The names of the valid indexes of campaigns."""
    return {str(row[0]) for row in connection.execute(tables.INDEXES_THERE)}


def _must_be_in_utf8(connection: Connection, address: ServerAddress) -> None:
    """Raise Unopenable for any other encoding, which may not be able to store a name."""
    row = connection.execute("SHOW server_encoding").fetchone()
    if row is None or row[0] != "UTF8":
        raise Unopenable(
            f"{address.database} is in {row[0] if row else 'an unknown encoding'}; campaigns need a database in UTF-8:"
            " createdb -E UTF8 -T template0 NAME makes one.",
            2,
        )


def _grant(connection: Connection, role: str, *, write: bool) -> None:
    """Grant a role its rights. Raises Unopenable if there is no such role."""
    name = sql.Identifier(role).as_string(connection)
    try:
        for statement in tables.grants(name, write=write):
            connection.execute(statement.encode())
    except psycopg.errors.UndefinedObject:
        raise Unopenable(f"There is no role {role!r} on that server; CREATE ROLE {name} LOGIN makes it.", 2) from None


def server_facts(address: ServerAddress) -> dict[str, Any]:
    """The facts of a server by their names. Raises Unopenable."""
    with closing(connect(address)) as connection:
        ask = connection.execute

        def one(select: str) -> Any:
            row = ask(select.encode()).fetchone()
            return row[0] if row else None

        try:
            facts: dict[str, Any] = {
                "server": f"PostgreSQL {one('SHOW server_version')}",
                "database": address.database,
                "user": one("SELECT current_user"),
                "role of the server": _role(connection),
                "pooler": _pooler(connection, address),
                "synchronous commit": one("SHOW synchronous_commit"),
                "data checksums": one("SHOW data_checksums"),
                "tables": f"format {checked_format(connection, address)}",
                "campaigns": one(f"SELECT count(*) FROM {tables.SCHEMA}.campaigns"),
                "turns, about": one(
                    "SELECT coalesce(sum(greatest(reltuples, 0)), 0)::bigint FROM pg_class"
                    " WHERE relname ~ '^stored_events_[0-9]+$' AND relkind = 'r'"
                ),
                "partitions": one(
                    "SELECT count(*) FROM pg_inherits WHERE inhparent = 'campaign.stored_events'::regclass"
                ),
                "size": one("SELECT pg_size_pretty(pg_database_size(current_database()))"),
                "turns are only added to": (
                    "yes"
                    if one(
                        "SELECT count(*) FROM pg_trigger WHERE tgname IN ('only_added_to', 'never_emptied')"
                        " AND tgenabled = 'D'"
                    )
                    == 0
                    and one("SELECT count(*) FROM pg_trigger WHERE tgname = 'only_added_to' AND tgparentid = 0")
                    == len(tables.ONLY_ADDED_TO)
                    else "the triggers that keep it so are gone or off; campaign server init makes them anew"
                ),
                "this user may": _rights(connection),
            }
            # the lag in bytes, as a standby that has stopped replaying reports no time
            standbys = ask(
                "SELECT application_name, sync_state, pg_size_pretty(pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery()"
                " THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, replay_lsn))"
                " FROM pg_stat_replication ORDER BY application_name"
            ).fetchall()
            facts["standbys"] = (
                "; ".join(
                    f"{name}: {sync}, {size} behind" if size else f"{name}: only a role of pg_monitor may look at it"
                    for name, sync, size in standbys
                )
                or "none connected"
            )
        except psycopg.Error as error:
            raise Unopenable(f"{address.database} cannot be looked at: {because(error)}.", 6) from None
    return facts


def _pooler(connection: Connection, address: ServerAddress) -> str:
    """What stands between: two open connections that a pooler serves with one of the server share it by transaction."""
    if not connection.is_pooled:
        return "none"
    with closing(connect(address)) as other:
        backends = {other_or_own.execute("SELECT pg_backend_pid()").fetchone() for other_or_own in (connection, other)}
    shared = "transaction; turns of others are looked for once a second" if len(backends) == 1 else "session"
    return f"one that shares connections by {shared}"


def _role(connection: psycopg.Connection[Any]) -> str:
    rows = connection.execute(
        "SELECT pg_is_in_recovery(), EXISTS (SELECT FROM pg_stat_wal_receiver),"
        " pg_size_pretty(pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()))"
    ).fetchone()
    is_standby, follows, unread = rows or (False, False, None)
    if not is_standby:
        return "primary"
    if not follows:
        return "standby, which only reads, and hears nothing of its primary"
    return f"standby, which only reads, {unread} behind what it has of its primary"


def _rights(connection: psycopg.Connection[Any]) -> str:
    rows = connection.execute(
        "SELECT has_table_privilege(turns, 'SELECT'), has_table_privilege(turns, 'INSERT'),"
        " has_table_privilege(turns, 'UPDATE') OR has_table_privilege(turns, 'DELETE')"
        " FROM (SELECT 'campaign.stored_events'::regclass::oid) AS t (turns)"
    ).fetchone()
    may_read, may_write, may_change = rows or (False, False, False)
    if may_change:
        return "do everything: it owns the tables; let people play as a role that may only add turns"
    return "read and add turns" if may_write else "read" if may_read else "nothing"
