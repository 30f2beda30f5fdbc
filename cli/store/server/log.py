"""The log on a PostgreSQL server.

An append ends as saved, not saved or not known. After a lost connection the turn's id is looked up once the lock of
its stream is free, as the interrupted transaction has then committed or rolled back.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import psycopg

from cli.store import layout
from cli.store.beginning import beginning_of, check_rules
from cli.store.decoding import time_in
from cli.store.failures import Unopenable
from cli.store.server.address import ServerAddress, server_address
from cli.store.server.connection import (
    Connection,
    SharedConnection,
    because,
    checked_format,
    connect,
    is_lost,
    lock,
    unreadable,
)
from cli.store.server.tables import (
    CAMPAIGN,
    CAMPAIGN_IS_THERE,
    CAMPAIGNS,
    CAMPAIGNS_WITH_LAST,
    CHANNEL,
    HAS_KEPT,
    KEEP,
    KEPT,
    KNOWN_SCHEMA,
    LAST_THERE,
    LATER_SCHEMA,
    by_number,
    translate,
)
from cli.store.stored_log import Statement, StoredLog, Tail
from domain.log.port import DamagedLog, MaybeSaved, NotSaved, NumberTaken
from domain.registry import record_types
from domain.system.installed import is_installed
from domain.turn import Turn, packed

if TYPE_CHECKING:
    from cli.store.server.recorder import ServerWriter

T = TypeVar("T")
#: Errors of concurrent writers after which certainly nothing was saved.
DECIDE_AGAIN = (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected)
#: Seconds for which a lost connection is tried again, as another server may take over.
FAILOVER = 30.0
#: Seconds between two looks of a follower at a standby, which sends no notifications.
POLL_SECONDS = 1.0


def campaigns_there(address: ServerAddress) -> list[tuple[str, str, str]]:
    """The campaigns of a database as (slug, name, id). Raises Unopenable."""
    with closing(connect(address)) as connection:
        checked_format(connection, address)
        try:
            return [(str(slug), str(name), str(campaign)) for slug, name, campaign in connection.execute(CAMPAIGNS)]
        except psycopg.Error as error:
            raise unreadable(error, address.database) from None


#: Before the id of a campaign, in what followers are told: not a turn came, but its seats changed.
SEATS = "seats "


def notify_of_seats(connection: Connection, campaign_id: str) -> None:
    """Tell every process that serves a campaign to look at its seats. Raises psycopg.Error."""
    connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, f"{SEATS}{campaign_id}"))


class TableThere(msgspec.Struct, frozen=True):
    """A campaign of a database, with the last turn of its main branch and when that was recorded, if that is known."""

    slug: str
    name: str
    campaign: str
    last: int
    at: datetime | None


def tables_there(connection: Connection, slug: str, most: int, *, only: bool = False) -> list[TableThere]:
    """Some campaigns of a database by their slugs, after this one; or the only one of it. Raises psycopg.Error."""
    rows = connection.execute(CAMPAIGNS_WITH_LAST, {"slug": slug, "only": only, "most": most})
    return [
        TableThere(str(slug), str(name), str(campaign), last or 0, time_in(state or b""))
        for slug, name, campaign, last, state in rows
    ]


class ServerLog(StoredLog):
    """A log in a PostgreSQL database."""

    def __init__(
        self,
        where: ServerAddress,
        shared: SharedConnection,
        *,
        write: bool,
        branch: str | None = None,
        needs_rules: bool = True,
        closes: bool = True,
    ) -> None:
        """`closes`: the connection is this log's alone, and is closed with it."""
        self._where, self._shared, self._write, self._closes = where, shared, write, closes
        self._waits = True
        self._writer: ServerWriter | None = None
        self._is_exclusive = False
        #: the id, stream and bytes of the last turn of each batch that was written under `exclusive_access`
        self._uncommitted: list[tuple[str, str, bytes]] = []
        slug, campaign = self._find_campaign(where)
        self.name, self.address, self.notice = slug, where.at(slug), None
        self.campaign_id = campaign
        rows = self.ask(layout.FIRST_TURN, campaign)
        beginning = beginning_of(slug, campaign, rows[0] if rows else None)
        self.package, self.begun_version = beginning.package, beginning.version
        if needs_rules or is_installed(beginning.rules):
            check_rules(slug, beginning)
        super().__init__(campaign, beginning.rules, branch)
        there, last = self.ask(LAST_THERE, self.stream)[0][0], self.last()
        if there is not None and there > last:
            self.notice = f"T{there} stands behind a gap and is not read; see `campaign verify`."

    def _find_campaign(self, where: ServerAddress) -> tuple[str, str]:
        """The slug and the id of the campaign at an address. Raises Unopenable."""
        if where.campaign is not None:
            values = by_number((where.campaign,), "")
            rows = self._shared.ask(lambda known: known.execute(translate(CAMPAIGN), values).fetchall())
            if rows:
                return where.campaign, str(rows[0][0])
        there = [
            (str(row[0]), str(row[2])) for row in self._shared.ask(lambda known: known.execute(CAMPAIGNS).fetchall())
        ]
        if where.campaign is None and len(there) == 1:
            return there[0]
        slugs_there = ", ".join(slug for slug, _ in there[:20]) or "none yet"
        if where.campaign is None:
            raise Unopenable(f"Say which campaign of {where.database}: ?campaign=NAME. There: {slugs_there}.", 2)
        raise Unopenable(f"There is no campaign {where.campaign!r} in {where.database}; there: {slugs_there}.", 2)

    def on(self, branch: str) -> "ServerLog":
        where = msgspec.structs.replace(self._where, campaign=self.name)
        log = open_on_server(where, branch=branch, needs_rules=False)
        log.patience = self.patience
        return log

    @property
    def _connection(self) -> Connection:
        return self._shared.current

    def close(self) -> None:
        if self._closes:
            self._shared.close()

    def ask(self, select: str, *parameters: int | str) -> list[tuple[Any, ...]]:
        self.before_asking()
        values = by_number(parameters, self.campaign_id)
        try:
            return self._retrying(lambda: self._connection.execute(translate(select), values, binary=True).fetchall())
        except psycopg.Error as error:
            if isinstance(error, psycopg.errors.DataCorrupted | psycopg.errors.IndexCorrupted):
                raise DamagedLog(f"{self.name} is damaged and cannot be read whole: {because(error)}.") from None
            raise unreadable(error, self.name) from None

    def is_there(self) -> bool:
        return bool(self.ask(CAMPAIGN_IS_THERE))

    def _retrying(self, do: Callable[[], T]) -> T:
        """The result of `do`, called again after a lost connection. Raises psycopg.Error, Unopenable."""
        deadline = time.monotonic() + min(self.patience, FAILOVER)
        while True:
            try:
                return do()
            except psycopg.Error as error:
                if not is_lost(error, self._connection) or time.monotonic() > deadline:
                    raise
            self._connect_again()

    def _connect_again(self) -> None:
        """Open a new connection. Raises Unopenable after a time; the next call then tries only once."""
        self._shared.close()
        deadline = time.monotonic() + (min(self.patience, FAILOVER) if self._waits else 0.0)
        while True:
            try:
                self._shared.renew()
                self._waits = True
                return
            except Unopenable:
                if time.monotonic() > deadline:
                    self._waits = False
                    raise
                time.sleep(0.2)

    @property
    def is_linked(self) -> bool:
        return True

    @property
    def known_schema(self) -> frozenset[tuple[str, str]]:
        there = {(str(kind), str(name)) for kind, name in self.ask(layout.SCHEMA)}
        return KNOWN_SCHEMA - (LATER_SCHEMA - there)

    def tables_of_other_types(self) -> list[str]:
        return []  # the server sees to it

    def damaged_pages(self, most: int) -> list[str]:  # noqa: ARG002
        # pages are the server's own to check (data checksums, pg_amcheck)
        return []

    def relink(self) -> None:
        raise NotSaved("Links on a server are never made anew; import the campaign into another one.")

    def backup(self, target: str | os.PathLike[str]) -> None:
        from cli.store.server.moving import copy_to_file

        with self.snapshot():
            copy_to_file(self, target)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Run all selects in the block on one snapshot of the database."""
        with self._connection.transaction():
            self._connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield

    def wait(self, seconds: float) -> None:
        """Return when a turn may have been appended here, or after so many seconds."""
        if self._connection.is_pooled:
            time.sleep(min(seconds, POLL_SECONDS))
            return
        try:
            self._connection.execute(f"LISTEN {CHANNEL}")
            for notification in self._connection.notifies(timeout=seconds):
                if notification.payload == self.stream:
                    return
        except psycopg.errors.ReadOnlySqlTransaction:
            # a standby sends no notifications
            time.sleep(min(seconds, POLL_SECONDS))
        except psycopg.Error as error:
            if not is_lost(error, self._connection):
                raise unreadable(error, self.name) from None
            self._connect_again()

    # -- writing

    @contextmanager
    def exclusive_access(self) -> Iterator[None]:
        self._must_write()
        self._is_exclusive = True
        self._uncommitted.clear()
        try:
            # the lock is the transaction's, for behind a pooler a session's lock is left to whoever comes next
            with self._connection.transaction():
                lock(self._connection, self.stream)
                self.look_again()
                yield
        except psycopg.Error as error:
            if not self._uncommitted or not is_lost(error, self._connection):
                raise NotSaved(f"Nothing was saved: {because(error)}.") from None
            doubt = "The turn may or may not be saved, because the connection to the server was lost."
            self._reach_again("Nothing was saved", doubt)
            if not self._is_saved_there(self._uncommitted[-1], doubt):
                raise NotSaved("Nothing was saved: the connection to the server was lost; try again.") from None
        finally:
            self._is_exclusive = False
        if self._uncommitted:
            self._notify(self._uncommitted[-1][1])

    def _append_all(self, turns: Sequence[Turn]) -> None:
        first, last = turns[0], turns[-1]
        self._write_and_settle(
            lambda writer: writer.put(turns),
            (last.id, self.stream, packed(last)),
            failure=f"Turn T{first.number} was not saved",
            doubt=f"Turn T{first.number} may or may not be saved, because the connection to the server was"
            " lost. Check whether it is in the log, or send it again under the same id.",
        )

    def put_beside(self, tails: Sequence[Tail]) -> None:
        last = tails[-1]
        self._write_and_settle(
            lambda writer: writer.put_beside(tails),
            (last.turns[-1].id, last.branch.stream, last.rows[-1][2]),
            failure="Nothing was saved",
            doubt="That may or may not be saved, because the connection to the server was lost."
            " Join it again: what is there already is not added twice.",
        )

    def _write_and_settle(
        self, put: "Callable[[ServerWriter], None]", last: tuple[str, str, bytes], *, failure: str, doubt: str
    ) -> None:
        """Write a batch; after an error look for its `last` turn, as all of it was saved or none.

        `last` is the turn's id, stream and bytes; `failure` and `doubt` are the sentences of NotSaved and
        MaybeSaved. Raises these, and NumberTaken.
        """
        self._must_write()
        # a second attempt over a new connection, once it is certain that the first saved nothing
        for _ in range(2):
            try:
                put(self._own_writer())
                break
            except (NumberTaken, psycopg.errors.UniqueViolation) as error:
                if self._holds(last, doubt):
                    return
                raise error if isinstance(error, NumberTaken) else NumberTaken() from error
            except psycopg.Error as error:
                if isinstance(error, DECIDE_AGAIN):
                    raise NumberTaken from None
                doubtful = self._writer is not None and self._writer.committing
                if self._is_exclusive or not is_lost(error, self._connection):
                    raise NotSaved(f"{failure}: {because(error)}.") from None
            self._reach_again(failure, doubt if doubtful else None)
            if self._is_saved_there(last, doubt):
                break
        else:
            raise NotSaved(f"{failure}: the connection to the server was lost; try again.")
        if self._is_exclusive:
            self._uncommitted.append(last)
        else:
            self._notify(last[1])

    def _must_write(self) -> None:
        if not self._write:
            raise NotSaved(f"{self.name} was opened for reading only; nothing was saved.")

    def _notify(self, stream: str) -> None:
        """Notify followers. Not in the transaction of the append, as transactions that notify commit one by one."""
        with suppress(psycopg.Error):
            self._connection.execute("SELECT pg_notify(%s, %s)", (CHANNEL, stream))

    def _own_writer(self) -> "ServerWriter":
        if self._writer is None or self._writer.connection is not self._connection:
            from cli.store.server.recorder import ServerWriter

            types = record_types(self.rules)
            self._writer = ServerWriter(self._connection, self.stream, types, self.segments)
        return self._writer

    def _reach_again(self, failure: str, doubt: str | None) -> None:
        """Connect again. Raises MaybeSaved if that fails, or NotSaved without `doubt`: nothing was sent then."""
        try:
            self._connect_again()
        except Unopenable as error:
            if doubt is not None:
                raise MaybeSaved(doubt) from None
            raise NotSaved(f"{failure}. {error.reason}") from None

    def _is_saved_there(self, last: tuple[str, str, bytes], doubt: str) -> bool:
        """Whether a batch sent over a lost connection was saved. Raises MaybeSaved."""
        self._wait_for_the_end(last[1], doubt)
        return self._holds(last, doubt)

    def _wait_for_the_end(self, stream: str, doubt: str) -> None:
        """Wait until the transaction that a lost connection left in a stream has ended. Raises MaybeSaved."""
        try:
            with self._connection.transaction():
                lock(self._connection, stream)
        except (psycopg.Error, NotSaved):
            raise MaybeSaved(doubt) from None

    def _holds(self, last: tuple[str, str, bytes], doubt: str) -> bool:
        """Whether the log holds this turn with exactly these bytes. Raises MaybeSaved if that cannot be read."""
        turn_id, stream, state = last
        try:
            rows = self.ask(layout.STORED_UNDER_THE_ID, turn_id, stream)
        except (DamagedLog, Unopenable):
            raise MaybeSaved(doubt) from None
        return bool(rows) and bool(rows[0][0] == state)

    def change(self, statements: Sequence[Statement], *, there: Statement) -> None:
        self._must_write()
        committing = False
        try:
            with self._connection.transaction():
                lock(self._connection, self.campaign_id)
                known = by_number((), self.campaign_id)
                if self._connection.execute(translate(CAMPAIGN_IS_THERE), known).fetchone() is None:
                    raise NotSaved(f"Nothing was saved: {self.name} is no longer there.")
                for statement, values in statements:
                    self._connection.execute(translate(statement), by_number(values, self.campaign_id))
                committing = True
        except psycopg.Error as error:
            if is_lost(error, self._connection):
                doubt = (
                    "That may or may not be saved, because the connection to the server was lost."
                    " Look at `campaign branch`, and do it again if it is not there."
                )
                self._reach_again("Nothing was saved", doubt if committing else None)
                self._wait_for_the_end(self.campaign_id, doubt)
                try:
                    if self.ask(there[0], *there[1]):
                        return
                except (DamagedLog, Unopenable):
                    raise MaybeSaved(doubt) from None
            raise NotSaved(f"Nothing was saved: {because(error)}.") from None

    def kept(self, name: str) -> str | None:
        return next((str(row[0]) for row in self.ask(KEPT, name)), "") if self._keeps else None

    def keep(self, name: str, value: str) -> bool:
        if not (self._keeps and self._write):
            return False
        try:
            self._connection.execute(translate(KEEP), by_number((name, value), self.campaign_id))
        except psycopg.Error:
            return False
        return True

    @cached_property
    def _keeps(self) -> bool:
        """False where an earlier version made the tables."""
        return bool(self.ask(HAS_KEPT)[0][0])

    def _statements_before_signatures(self) -> Sequence[Statement]:
        if not self.ask(layout.HAS_SIGNATURES):
            raise NotSaved(
                "The signature was not kept: the tables there were made by an older version of campaign; campaign"
                f" server init {self._where.at(None)} brings them up to date."
            )
        return ()


def open_on_server(
    where: str | ServerAddress, *, write: bool = False, branch: str | None = None, needs_rules: bool = True
) -> ServerLog:
    """Open a campaign on a server. Raises Unopenable."""
    address = server_address(where) if isinstance(where, str) else where
    shared = SharedConnection(address, write=write)
    try:
        checked_format(shared.current, address)
        return ServerLog(address, shared, write=write, branch=branch, needs_rules=needs_rules)
    except psycopg.Error as error:
        shared.close()
        raise unreadable(error, address.database) from None
    except BaseException:
        shared.close()
        raise
