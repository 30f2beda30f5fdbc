"""A connection to a server, and what is said when there is none or something goes wrong on it."""

from typing import Any

import psycopg
from psycopg import errors

from cli.store.failures import Unopenable
from cli.store.server.address import ServerAddress
from cli.store.server.tables import FORMAT, SCHEMA

#: How long to wait for a server, or for whoever is writing, in seconds.
LONGEST_WAIT = 10
Connection = psycopg.Connection[tuple[Any, ...]]

_AT_THE_START = (
    f"SET search_path TO {SCHEMA}, pg_catalog",
    # without it, what was acknowledged is lost with the server's machine, or with its primary
    "SELECT set_config('synchronous_commit', 'on', false)"
    " WHERE current_setting('synchronous_commit') IN ('off', 'local')",
    f"SET lock_timeout = '{LONGEST_WAIT}s'",
)


def connect(address: ServerAddress, *, write: bool = False) -> Connection:
    """A connection to the database of this address. Raises Unopenable, and no password is ever in what it says."""
    url, keywords = address.for_the_driver()
    if write and "," in address.base and "target_session_attrs" not in dict(address.settings):
        # after a failover the first of these hosts may be a standby
        keywords["target_session_attrs"] = "read-write"
    try:
        connection = psycopg.connect(
            url,
            autocommit=True,
            application_name="campaign",
            connect_timeout=LONGEST_WAIT,
            **keywords,
        )
    except psycopg.Error as error:
        raise _no_connection(error, address) from None
    try:
        connection.execute("; ".join(_AT_THE_START))
    except psycopg.Error as error:
        connection.close()
        raise unreadable(error, address.database) from None
    return connection


#: What the server or the driver says in English, and what is said here. The server's words may be in another
#: language; then the last sentence is said.
_REASONS = (
    ("password authentication failed", "does not take this user with this password"),
    ("no password supplied", "asks for a password; put it into ~/.pgpass or $PGPASSWORD"),
    ("no pg_hba.conf entry", "does not let this user in from this machine"),
    ("role", "knows no such user"),
    ("database", "has no such database"),
    ("too many", "has no connection left; try again"),
    ("remaining connection slots", "has no connection left; try again"),
    ("starting up", "is just starting; try again"),
    ("shutting down", "is shutting down; try again"),
    ("refused", "cannot be reached: nothing answers there"),
    ("resolve", "cannot be reached: there is no machine of this name"),
    ("translate host name", "cannot be reached: there is no machine of this name"),
    ("timeout", "cannot be reached: it does not answer"),
    ("read-only", "only reads: it is a standby"),
    ("No such file", "cannot be reached: nothing answers there"),
    ("SSL", "cannot agree with this machine about SSL"),
    ("service", "is not described in the service file"),
)


def _no_connection(error: psycopg.Error, address: ServerAddress) -> Unopenable:
    said = str(error)
    if isinstance(error, psycopg.ProgrammingError):
        return Unopenable("That address cannot be read; one looks like postgresql://host/database?campaign=NAME.", 2)
    told = said.rpartition("FATAL:")[2] if "FATAL:" in said else said
    why = next((reason for words, reason in _REASONS if words in told), "cannot be reached, or does not let you in")
    return Unopenable(f"The server {address.database} {why}.", 6)


def is_lost(error: BaseException | None, connection: Connection) -> bool:
    """Whether the connection is gone, rather than that the server refused something."""
    return connection.closed or connection.broken or isinstance(error, errors.AdminShutdown | errors.CrashShutdown)


def because(error: psycopg.Error) -> str:
    """The end of a sentence: why something could not be read or written there, and what to do."""
    match error:
        case errors.ReadOnlySqlTransaction():
            return "the server only reads: it is a standby, or was made to"
        case errors.InsufficientPrivilege():
            return "this user may not do that there; ask whoever keeps the server"
        case errors.DiskFull() | errors.OutOfMemory():
            return "the server's disk or memory is full; try again when there is room"
        case errors.LockNotAvailable() | errors.DeadlockDetected() | errors.SerializationFailure():
            return "it is busy; try again"
        case errors.UndefinedTable() | errors.InvalidSchemaName() | errors.UndefinedColumn():
            return "the database is not set up for campaigns; see `campaign server init`"
        case errors.DataCorrupted() | errors.IndexCorrupted():
            return "the server says that its data are damaged; restore a backup elsewhere"
        case errors.QueryCanceled():
            return "the server took too long and gave up"
        case errors.AdminShutdown() | errors.CrashShutdown() | errors.CannotConnectNow():
            return "the connection to the server was lost"
        case errors.RestrictViolation():
            return "what was played is never changed"
    return "the connection to the server was lost" if error.sqlstate is None else "the server reports an error"


def unreadable(error: psycopg.Error, name: str) -> Unopenable:
    """What to say of something that could not be read."""
    damaged = isinstance(error, errors.DataCorrupted | errors.IndexCorrupted)
    return Unopenable(f"{name} cannot be read: {because(error)}.", 5 if damaged else 6)


def checked_format(connection: Connection, address: ServerAddress) -> int:
    """The layout of the tables there. Raises Unopenable if there are none, or newer ones."""
    try:
        rows = connection.execute("SELECT version FROM format").fetchall()
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        rows = []
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
        raise Unopenable(
            f"The tables in {address.database} were made by a newer version of campaign; update yours to open them.", 2
        )
    return version
