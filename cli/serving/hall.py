"""Every campaign of a database behind one address: which table a request means, and which tables are open here.

A request names its table by host: `the-mill.club.example`. A process keeps nothing that another would miss (turns,
seats, what makes a tap that is sent twice the same one, and draws that are pending are in the database), so any number
of them may serve the same tables, and one may end at any time. A table belongs to one of a few writer threads, each
with one connection to the database; what reads much runs in as many reading threads.
"""

import asyncio
import logging
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from typing import Any, TypeVar
from urllib.parse import urlsplit

import psycopg
from msgspec import Struct
from msgspec.structs import replace

from cli.serving.addresses import slug_in, table_address
from cli.serving.app import ROUTES as TABLE_ROUTES
from cli.serving.app import application
from cli.serving.club_seats import ClubInvitations
from cli.serving.http_guard import App, RateLimit, Receive, Send, answer
from cli.serving.keepers_page import ROUTES, KeepersPage
from cli.serving.reading_room import ReadingRoom
from cli.serving.table_server import NO_TABLE, UNREADABLE, TableServer, explanation_of
from cli.shell.command_context import handler_for
from cli.store.failures import MadeByOlder, Unopenable
from cli.store.server.address import ServerAddress
from cli.store.server.connection import SharedConnection, checked_format
from cli.store.server.log import SEATS, ServerLog
from cli.store.server.tables import CHANNEL, FORMAT, OPEN_TABLES
from cli.store.stored_log import StoredLog
from domain.log.port import DamagedLog
from domain.registry import system_of

T = TypeVar("T")
#: Threads that write, and threads that read, each with a connection.
WRITERS, READERS = 2, 2
#: Seconds after which a table that nobody asks for is closed; and between two looks at all open tables.
IDLE, LOOKS = 600.0, 1.0
#: Taps and previews of one seat, and of a whole table, in one process: so many at once, then one in so many seconds.
OF_A_SEAT, OF_A_TABLE = (40, 0.25), (160, 0.05)
#: Seconds until a listener that lost its connection tries again.
AGAIN = 5.0
#: A line for each request, with the kind of page alone: an address may hold a link.
ACCESS = logging.getLogger("campaign.access")


class Table(Struct):
    """A table that is open in this process."""

    server: TableServer
    app: App
    campaign_id: str
    stream: str
    asked: float


class Hall:
    """The tables of one database that this process has open. Its coroutines are for one event loop."""

    def __init__(self, address: ServerAddress, public: str, *, by: str | None = None) -> None:
        """`public` is the address that people see; its tables are names before its host.

        Raises Unopenable. Tables of an older version are waited for: so nobody else has to wait for this process when
        they are brought up to date.
        """
        self.address, self._by = replace(address, campaign=None), by
        self._public, self.host = public, urlsplit(public).netloc
        self.tables: dict[str, Table] = {}
        self._opening: dict[str, asyncio.Task[Table]] = {}
        self._writers = [Worker(self.address, write=True) for _ in range(WRITERS)]
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="reading")
        self._of_reader = threading.local()
        self._reading: list[SharedConnection] = []
        self.counts: Counter[str] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.ends = False
        keeping = self._writers[0]
        keeper = KeepersPage(
            self.address, keeping.connection, keeping.executor, address=public, table_address=self.address_of
        )
        self._keeper = application(keeper, frozenset({self.host}), ROUTES)
        #: whether the tables of the database are those of this version, when that was last looked at
        self.is_current = False
        with suppress(MadeByOlder):
            self._writers[0].executor.submit(self._check_format).result()

    def _check_format(self) -> None:
        """Raise Unopenable for tables of another version; in the first writer's thread."""
        self.is_current = False
        checked_format(self._writers[0].connection().current, self.address)
        self.is_current = True

    # -- tables --------------------------------------------------------------------------------------------

    def address_of(self, slug: str) -> str:
        """Where a table is, as people type it."""
        return table_address(self._public, slug)

    async def table(self, slug: str) -> Table:
        """The table of this name, opened if it is not. Raises Unopenable, DamagedLog."""
        table = self.tables.get(slug)
        if table is None:
            if slug not in self._opening:
                opening = self._opening[slug] = asyncio.create_task(self._opened(slug))
                opening.add_done_callback(lambda _: self._opening.pop(slug))
            table = await asyncio.shield(self._opening[slug])  # others may wait for it too
        table.asked = time.monotonic()
        return table

    async def _opened(self, slug: str) -> Table:
        worker = await self._free_writer()
        table = self.tables[slug] = await worker.run(self._open, slug, worker)
        worker.tables += 1
        return table

    async def _free_writer(self) -> "Worker":
        """The writer with the fewest tables of those with a connection: the server may have none left for another."""
        *others, last = sorted(self._writers, key=lambda worker: worker.tables)
        for worker in others:
            with suppress(Unopenable):
                await worker.run(worker.connection)
                return worker
        return last

    def _open(self, slug: str, worker: "Worker") -> Table:
        where, shared = replace(self.address, campaign=slug), worker.connection()
        log = ServerLog(where, shared, write=True, closes=False)
        invitations = ClubInvitations(worker.connection, log.campaign_id)
        invitations.begin(anew=False, keep=True, address=self.address_of(slug))

        @contextmanager
        def reading() -> Iterator[StoredLog]:
            connection: SharedConnection | None = getattr(self._of_reader, "connection", None)
            if connection is None:
                connection = self._of_reader.connection = SharedConnection(self.address)
                self._reading.append(connection)
            yield ServerLog(where, connection, write=False, branch=log.branch, closes=False)

        server = TableServer(
            log,
            system_of(log.rules),
            handler_for(log),
            invitations,
            address=self.address_of(slug),
            by=self._by,
            writer=worker.executor,
            reading_room=ReadingRoom(reading, self._readers),
            counts=self.counts,
            taps=(RateLimit(*OF_A_SEAT), RateLimit(*OF_A_TABLE)),
        )
        app = application(server, frozenset({urlsplit(server.address).netloc}))
        return Table(server, app, log.campaign_id, log.stream, time.monotonic())

    def close_idle(self) -> None:
        """Close the tables that nobody looks at."""
        now = time.monotonic()
        for slug, table in list(self.tables.items()):
            if now - table.asked > IDLE and not len(table.server.streams):
                self._close(slug)

    def _close(self, slug: str) -> None:
        table = self.tables.pop(slug)
        for worker in self._writers:
            worker.tables -= worker.executor is table.server.writer
        table.server.close()

    def leave(self) -> None:
        """Let every page that is open follow at another process, and end."""
        self.ends = True
        self._move_pages()

    def _move_pages(self) -> None:
        """Let every page that is open follow at another process."""
        for table in self.tables.values():
            table.server.turns.end(moves=True)

    def close(self) -> None:
        """End all threads; what has begun is finished first."""
        self.leave()
        for worker in self._writers:
            worker.close()
        self._readers.shutdown()
        for connection in self._reading:
            connection.close()

    # -- what other processes do ---------------------------------------------------------------------------

    async def follow(self) -> None:
        """Look at the last turn and the seats of every open table, once a second in one question, until cancelled."""
        while True:
            await asyncio.sleep(LOOKS)
            with suppress(psycopg.Error, Unopenable):
                await self.look()
            self.close_idle()

    async def look(self, *ids: str) -> None:
        """Tell the tables of these campaigns, or all that are open, what came elsewhere. Raises psycopg.Error."""
        tables = {slug: table for slug, table in self.tables.items() if not ids or table.campaign_id in ids}
        if not tables:
            return
        worker = self._writers[0]
        streams = ([each.campaign_id for each in tables.values()], [each.stream for each in tables.values()])

        def ask() -> list[tuple[Any, ...]]:
            return worker.connection().ask(lambda asked: asked.execute(OPEN_TABLES, streams).fetchall())

        rows = await worker.run(ask)
        latest = {str(campaign): (last, mark) for _, campaign, last, mark in rows}
        if self.is_current and any(version > FORMAT for version, *_ in rows):
            self.is_current = False
            self._move_pages()
        for slug, table in tables.items():
            last, mark = latest.get(table.campaign_id, (None, None))
            server = table.server
            if mark != server.invitations.version:
                await server.in_writer(server.invitations.refresh)
                server.turns.look()
            if table.campaign_id not in latest and self.tables.get(slug) is table:
                self._close(slug)  # it was taken out of the database
            if last is not None:
                server.turns.came(max(int(last), server.turns.last))

    def listen(self, address: ServerAddress, loop: asyncio.AbstractEventLoop) -> None:
        """Hear of turns and seats as they come, on a connection of its own to the server itself, until this closes.

        For a thread of its own. It is only quicker than `follow`, and may fail.
        """
        while not self.ends:
            try:
                with closing(SharedConnection(replace(address, campaign=None))) as shared:
                    if shared.current.is_pooled:
                        return  # it passes nothing on, and whoever looks once a second is not far behind
                    shared.current.execute(f"LISTEN {CHANNEL}")
                    while not self.ends:
                        for told in shared.current.notifies(timeout=LOOKS):
                            campaign = told.payload.removeprefix(SEATS).partition("/")[0]
                            with suppress(RuntimeError):  # the loop is closed already
                                loop.call_soon_threadsafe(self._told, campaign)
            except (psycopg.Error, Unopenable):
                time.sleep(AGAIN)

    def _told(self, campaign: str) -> None:
        if any(table.campaign_id == campaign for table in self.tables.values()):
            task = asyncio.ensure_future(self._look_quietly(campaign))
            task.add_done_callback(lambda _: None)

    async def _look_quietly(self, campaign: str) -> None:
        with suppress(psycopg.Error, Unopenable):
            await self.look(campaign)

    # -- requests ------------------------------------------------------------------------------------------

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """One request: to a table by its host, or about this process."""
        if scope["type"] != "http":
            return
        began, status = time.monotonic(), 500

        async def noting(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])
            await send(message)

        host = next((value.decode("latin-1").lower() for name, value in scope["headers"] if name == b"host"), "")
        slug = slug_in(host.removesuffix(f".{self.host}")) if host.endswith(f".{self.host}") else ""
        try:
            if slug:
                await self._at_door(slug, scope, receive, noting)
            else:
                await self._about_itself(host, scope, receive, noting)
        finally:
            self._note(slug, scope, status, time.monotonic() - began)

    async def _at_door(self, slug: str, scope: Any, receive: Receive, send: Send) -> None:
        """At the table of this name, or at the keeper's page for none."""
        try:
            if not self.is_current:
                await self._writers[0].run(self._check_format)
            app = (await self.table(slug)).app if slug else self._keeper
        except (Unopenable, DamagedLog, psycopg.Error) as error:
            await answer(send, *(explanation_of(error) or (503, UNREADABLE)))
            return
        await app(scope, receive, send)

    async def _about_itself(self, host: str, scope: Any, receive: Receive, send: Send) -> None:
        path = scope["path"]
        if path == "/healthz":
            await answer(send, 200, "ok")
        elif path == "/readyz":
            await self._answer_if_ready(send)
        elif host == self.host:
            await self._at_door("", scope, receive, send)
        elif path == "/metrics" and not any(name == b"x-forwarded-for" for name, _ in scope["headers"]):
            await answer(send, 200, self.metrics())  # not to people: a proxy passes on whatever host they name
        else:
            await answer(send, 404, NO_TABLE)

    async def _answer_if_ready(self, send: Send) -> None:
        try:
            await self._writers[0].run(self._check_format)
        except (psycopg.Error, Unopenable) as error:
            await answer(send, 503, str(error) if isinstance(error, Unopenable) else UNREADABLE)
        else:
            await answer(send, 200, "ok")

    def _note(self, slug: str, scope: Any, status: int, seconds: float) -> None:
        """Count a request, and write a line about it that holds no token."""
        kind = _kind_of(str(scope["path"]))
        if kind != "live":
            self.seconds[kind] += seconds
        self.counts[f'requests_total{{kind="{kind}",status="{status}"}}'] += 1
        ACCESS.info("%s %s /%s %s %.0fms", slug or "-", scope["method"], kind, status, seconds * 1000)

    @property
    def statements(self) -> int:
        """How many statements this process sent to the database, but for those of the listener."""
        shared = [*(worker.shared for worker in self._writers if worker.shared), *self._reading]
        return sum(connection.statements for connection in shared)

    def metrics(self) -> str:
        """What this process did, in the text format that Prometheus reads."""
        streams = sum(len(table.server.streams) for table in self.tables.values())
        lines = [
            f"campaign_open_tables {len(self.tables)}",
            f"campaign_open_streams {streams}",
            f"campaign_statements_total {self.statements}",
        ]
        lines += [f"campaign_{name} {count}" for name, count in sorted(self.counts.items())]
        lines += [
            f'campaign_seconds_total{{kind="{kind}"}} {seconds:.3f}' for kind, seconds in sorted(self.seconds.items())
        ]
        return "\n".join(lines)


#: The kinds of pages, by which requests are counted: there are no more than these, whatever is asked for.
KINDS = frozenset(route.path.split("/")[1] for route in (*TABLE_ROUTES, *ROUTES)) | {"healthz", "readyz", "metrics"}


def _kind_of(path: str) -> str:
    first = path.split("/", 2)[1] if path.startswith("/") else path
    return (first or "table") if first in KINDS else "other"


class Worker:
    """A thread with a connection of its own, for the tables that belong to it."""

    def __init__(self, address: ServerAddress, *, write: bool) -> None:
        self.executor = ThreadPoolExecutor(1, thread_name_prefix="writer")
        self.tables = 0
        self._address, self._write = address, write
        self.shared: SharedConnection | None = None

    async def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Do something in its thread."""
        return await asyncio.get_running_loop().run_in_executor(self.executor, work, *arguments)

    def connection(self) -> SharedConnection:
        """Its connection; only in its thread. Raises Unopenable."""
        if self.shared is None:
            self.shared = SharedConnection(self._address, write=self._write)
        elif self.shared.current.closed:
            self.shared.renew()
        return self.shared

    def close(self) -> None:
        self.executor.shutdown()
        if self.shared is not None:
            self.shared.close()
