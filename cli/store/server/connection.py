"""Connections to a server, and the words for why one is refused or fails."""

import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Self, TypeVar

import psycopg
from psycopg import errors

from cli.store.failures import NEWER, MadeByNewer, MadeByOlder, Unopenable
from cli.store.server import sqlstate
from cli.store.server.address import ServerAddress
from cli.store.server.tables import FORMAT, LONGEST_WAIT, SCHEMA, STREAM_LOCK, by_number, translate
from domain.log.port import NotSaved

T = TypeVar("T")
#: Seconds for each of several hosts when they are tried one by one.
SECOND_WAIT = 3


class Connection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that keeps nothing in its session, for behind a pooler the next transaction may be of another one:
    no prepared statement, no setting, no lock.
    """

    #: Whether a pooler stands between; it passes on no notifications.
    is_pooled = False
    #: How many statements it was sent, but for the beginnings and ends of transactions.
    statements = 0


class _CountingCursor(psycopg.Cursor[tuple[Any, ...]]):
    def execute(self, *arguments: Any, **options: Any) -> Self:
        assert isinstance(self.connection, Connection)
        self.connection.statements += 1
        return super().execute(*arguments, **options)


class SharedConnection:
    """The connection of one thread, for every log that the thread has open in one database. Raises Unopenable."""

    def __init__(self, address: ServerAddress, *, write: bool = False) -> None:
        self.address, self._write = address, write
        self.current = connect(address, write=write)
        self._statements_before = 0

    @property
    def statements(self) -> int:
        """How many statements it was sent, over each connection that it has had."""
        return self._statements_before + self.current.statements

    def renew(self) -> None:
        """Connect again, after the connection was lost. Raises Unopenable."""
        self.close()
        self._statements_before, self.current.statements = self.statements, 0
        self.current = connect(self.address, write=self._write)

    def ask(self, reading: Callable[[Connection], T]) -> T:
        """What a reading makes of the connection, or of a new one if that turns out to be lost.

        Raises psycopg.Error, Unopenable.
        """
        try:
            return reading(self.current)
        except psycopg.Error as error:
            if not is_lost(error, self.current):
                raise
        self.renew()
        return reading(self.current)

    def close(self) -> None:
        with suppress(psycopg.Error):
            self.current.close()


def connect(address: ServerAddress, *, write: bool = False) -> Connection:
    """Connect to the database of an address. Raises Unopenable, whose reason never holds the password."""
    hosts = address.each_host()
    # of several hosts the first may be a standby after a failover
    to_write = write and len(hosts) > 1 and "target_session_attrs" not in dict(address.settings)
    session_attributes = {"target_session_attrs": "read-write"} if to_write else {}
    try:
        return _connect_once(address, **session_attributes, connect_timeout=LONGEST_WAIT)
    except Unopenable:
        if len(hosts) == 1:
            raise
    # each host may fail for a reason of its own, and the driver reports only the last
    reasons = []
    for host in hosts:
        try:
            return _connect_once(host, **session_attributes, connect_timeout=SECOND_WAIT)
        except Unopenable as error:
            reasons.append(error.reason)
    raise Unopenable(" ".join(reasons), 6)


def _connect_once(address: ServerAddress, **attributes: Any) -> Connection:
    try:
        connection = _open(address, attributes)
    except psycopg.Error as error:
        raise _no_connection(error, address) from None
    connection.prepare_threshold = None
    connection.cursor_factory = _CountingCursor
    # turns of others are visible once the lock is free; a stricter level of the role would fail instead
    connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
    try:
        with _ending_a_silent(connection) as is_ended:
            row = connection.execute("SELECT pg_backend_pid()").fetchone()
    except psycopg.Error as error:
        connection.close()
        if is_ended.is_set():
            raise Unopenable(f"The server {address.database} {_REFUSALS['53300']}.", 6) from None
        raise unreadable(error, address.database) from None
    # a pooler invents the number that it gives its clients
    connection.is_pooled = row is not None and row[0] != connection.info.backend_pid
    return connection


@contextmanager
def _ending_a_silent(connection: Connection) -> Iterator[threading.Event]:
    """End a connection that nobody answers on: a pooler lets everybody in, and some wait there for ever."""
    is_ended = threading.Event()

    def end() -> None:
        is_ended.set()
        with suppress(OSError, psycopg.Error), socket.socket(fileno=connection.fileno()) as door:
            try:
                door.shutdown(socket.SHUT_RDWR)
            finally:
                door.detach()  # the driver closes it

    timer = threading.Timer(LONGEST_WAIT, end)
    timer.daemon = True
    timer.start()
    try:
        yield is_ended
    finally:
        timer.cancel()


def _open(address: ServerAddress, attributes: dict[str, Any]) -> Connection:
    # a function of its own, so that no frame in the traceback of a reported error holds the password
    url, password = address.for_the_driver()
    # UTF-8 whatever the role, the environment or the database is set to
    always: dict[str, Any] = {"application_name": "campaign", "client_encoding": "utf8"}
    return Connection.connect(url, autocommit=True, **always, **password, **attributes)


#: Parts of the driver's messages, which are always English, and the words for each.
_REASONS = (
    ("no password supplied", "asks for a password; put it into ~/.pgpass or $PGPASSWORD"),
    ("Connection refused", "cannot be reached: nothing answers there"),
    ("No such file", "cannot be reached: nothing answers there"),
    ("resolve", "cannot be reached: there is no machine of this name"),
    ("translate host name", "cannot be reached: there is no machine of this name"),
    ("timeout expired", "cannot be reached: it does not answer"),
    ("session is read-only", "only reads: it is a standby"),
    ("does not support SSL", "cannot agree with this machine about SSL"),
    ("definition of service", "is not described in the service file"),
)
#: Words for the SQLSTATE of a refused connection, or its first two characters; the server's message may be in any
#: language.
_REFUSALS = {
    "28000": "does not let this user in from this machine, or knows no such user",
    "28P01": "does not take this user with this password",
    "3D000": "has no such database",
    "42501": "does not let this user into that database",
    "53": "has no room left on its disk, or in its memory; try again when there is room",
    "53300": "has no connection left; try again",
    "57P03": "is just starting, or shutting down; try again",
    sqlstate.PASSWORD: "does not take this user with this password, or has no such database",
}


_IDENTIFIER = re.compile('"[^"]*"')


def _no_connection(error: psycopg.Error, address: ServerAddress) -> Unopenable:
    # without quoted names, as a database's name may look like one of the messages
    message = _IDENTIFIER.sub("", str(error))
    if isinstance(error, psycopg.ProgrammingError):
        return Unopenable("That address cannot be read; write it like postgresql://host/database?campaign=NAME.", 2)
    why = next((reason for words, reason in _REASONS if words in message), None)
    if why is None and error.pgconn is not None:
        state = sqlstate.state_of(error.pgconn) or ""
        why = _REFUSALS.get(state) or _REFUSALS.get(state[:2])
    return Unopenable(f"The server {address.database} {why or 'cannot be reached, or does not let you in'}.", 6)


def lock(connection: psycopg.Connection[Any] | psycopg.Cursor[Any], stream: str) -> None:
    """Wait for whoever writes a stream, and keep others from it to the end of the transaction.

    The lock of main's stream is that of the campaign's branches and signatures too. Raises psycopg.Error, NotSaved.
    """
    row = connection.execute(translate(STREAM_LOCK).encode(), by_number((stream,), "")).fetchone()
    if row is not None and row[0] > FORMAT:
        raise NotSaved(NEWER)


def is_lost(error: BaseException | None, connection: Connection) -> bool:
    """Whether the connection was lost, rather than a statement refused."""
    return connection.closed or connection.broken or isinstance(error, errors.AdminShutdown | errors.CrashShutdown)


#: Why a statement failed, and what to do, by SQLSTATE or its first two characters.
_WHY = {
    "22P05": "the database is not in UTF-8 and lacks a letter of it; move the campaign to one that is",
    "08": "the connection to the server was lost",
    "23001": "what was played is never changed",
    "23514": "a turn before it is missing",
    "25006": "the server only reads: it is a standby, or was made to",
    "3D": "there is no such database",
    "3F000": "the database is not set up for campaigns; see `campaign server init`",
    "25P03": "the connection to the server was lost",
    "40": "it is busy; try again",
    "42501": "this user may not do that there; ask whoever keeps the server",
    "42703": "the database is not set up for campaigns; see `campaign server init`",
    "42P01": "the database is not set up for campaigns; see `campaign server init`",
    "53": "the server's disk or memory is full; try again when there is room",
    "53300": "the server has no connection left; try again",
    "55": "it is busy; try again",
    "57014": "the server took too long and gave up",
    "57": "the connection to the server was lost",
    "58": "the server's disk reports an error",
    "XX001": "the server says that its data are damaged; restore a backup elsewhere",
    "XX002": "the server says that its data are damaged; restore a backup elsewhere",
}


def because(error: psycopg.Error) -> str:
    """The end of a sentence: why a statement failed, and what to do."""
    state = error.sqlstate
    if state is None:
        return "the connection to the server was lost"
    return _WHY.get(state) or _WHY.get(state[:2]) or f"the server reports an error that it calls {state}"


def unreadable(error: psycopg.Error, name: str) -> Unopenable:
    damaged = isinstance(error, errors.DataCorrupted | errors.IndexCorrupted)
    return Unopenable(f"{name} cannot be read: {because(error)}.", 5 if damaged else 6)


def checked_format(connection: Connection, address: ServerAddress) -> int:
    """The format of the tables. Raises Unopenable if there are none, or of another version."""
    version = known_format(connection, address)
    if version < FORMAT:
        raise MadeByOlder(
            f"The tables in {address.database} were made by an older version of campaign; campaign server init"
            f" {address.at(None)} brings them up to date."
        )
    return version


def known_format(connection: Connection, address: ServerAddress) -> int:
    """The format of the tables, which may be an older one. Raises Unopenable."""
    try:
        rows = connection.execute(f"SELECT version FROM {SCHEMA}.format").fetchall()
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        rows = []
        select = "SELECT has_schema_privilege(oid, 'USAGE') FROM pg_namespace WHERE nspname = %s"
        if connection.execute(select, (SCHEMA,)).fetchone() == (False,):
            raise _without_rights(connection, address) from None
    except psycopg.errors.InsufficientPrivilege:
        raise _without_rights(connection, address) from None
    except psycopg.errors.UndefinedColumn:
        raise foreign_schema(address) from None
    except psycopg.Error as error:
        raise unreadable(error, address.database) from None
    if not rows:
        raise Unopenable(
            f"The database {address.database} is not set up for campaigns; campaign server init"
            f" {address.at(None)} does it.",
            2,
        )
    version = int(rows[0][0])
    if version > FORMAT:
        raise MadeByNewer(
            f"The tables in {address.database} were made by a newer version of campaign; update yours to open them."
        )
    return version


def _without_rights(connection: Connection, address: ServerAddress) -> Unopenable:
    user = connection.info.user
    return Unopenable(
        f"{user} may not read the campaigns in {address.database}. Whoever keeps the server lets them in: campaign"
        f" server init URL --reader {user} (or --writer {user}).",
        2,
    )


def foreign_schema(address: ServerAddress) -> Unopenable:
    return Unopenable(
        f"In {address.database} there is a schema {SCHEMA} that something else made; give campaigns a database of their"
        " own.",
        2,
    )
