"""Connections: how many may be open, how long one may keep silent, and when one that reads too slowly is dropped.

uvicorn's HTTP protocol is wrapped and not subclassed, and it is found by the name that its configuration documents. By
itself it waits for ever for the first line of a request. Which connection a request came on is known by its client's
address and port, which every ASGI request carries.
"""

import asyncio
import os
import socket
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvicorn

from cli.serving.http_guard import SLOWEST

#: Connections in all, from this machine, and from any other address: nobody takes all of them. Where the system allows
#: fewer open files, they are in proportion.
MOST, MOST_FROM_HERE, MOST_OF_ONE = 1_000, 800, 64
#: Files that are left for the log and its readings; and connections in all where the system leaves fewer than that.
SPARE, LEAST = 48, 10
#: Connections that are accepted before those beyond the limit are dropped, and those that the system holds till then.
AT_ONCE, QUEUE = 8, 1_024
#: Seconds that a connection stays open between two requests.
KEPT_ALIVE = 30
#: Bytes of the head of a request.
LONGEST_HEAD = 16_384


class Connections:
    """The open connections of one server, around its application."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self.most = _room()
        self._open: dict[tuple[str, int], Connection] = {}
        self._count: Counter[str] = Counter()
        #: those without a request, the one that has waited longest first
        self._idle: dict[Connection, None] = {}

    def __len__(self) -> int:
        return len(self._open)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Handle one request; its connection is not idle meanwhile."""
        connection = self._open.get(tuple(scope.get("client") or ("", 0)))
        if connection is None:
            await self._app(scope, receive, send)
            return
        self._idle.pop(connection, None)
        connection.begins()
        try:
            await self._app(scope, receive, send)
        finally:
            if connection.ends() and connection.client in self._open:
                self._idle[connection] = None

    def add(self, connection: "Connection") -> bool:
        """Whether there is room for one more. Where its address has too many, its oldest idle one makes room."""
        host = connection.client[0]
        from_here = host in ("127.0.0.1", "::1", "")
        most = self.most * MOST_FROM_HERE // MOST if from_here else min(MOST_OF_ONE, max(self.most // 4, 2))
        if self._count[host] >= most and not self._make_room(host):
            return False
        if len(self._open) >= self.most and not self._make_room(None):
            return False
        self._open[connection.client] = connection
        self._count[host] += 1
        self._idle[connection] = None
        return True

    def _make_room(self, host: str | None) -> bool:
        """Drop the connection that has been idle longest, of one address or of any."""
        oldest = next((connection for connection in self._idle if host in (None, connection.client[0])), None)
        if oldest is None:
            return False
        self.remove(oldest)
        oldest.drop()
        return True

    def drop_all(self) -> None:
        """Drop every connection, whatever is unread."""
        for connection in list(self._open.values()):
            connection.drop()

    def remove(self, connection: "Connection") -> None:
        """Forget a connection that is gone."""
        if self._open.get(connection.client) is not connection:
            return
        del self._open[connection.client]
        self._idle.pop(connection, None)
        self._count[connection.client[0]] -= 1
        if not self._count[connection.client[0]]:
            del self._count[connection.client[0]]


def _room() -> int:
    """The connections for which the system has files left, once it was asked for as many as it gives."""
    try:
        import resource
    except ImportError:  # as on Windows, which has no such limit
        return MOST
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST + 2 * SPARE
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return MOST
    with suppress(OSError, ValueError):
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    open_now = os.dup(0)  # the lowest number that is free
    os.close(open_now)
    return max(LEAST, min(MOST, soft - open_now - SPARE))


class Connection(asyncio.Protocol):
    """One connection: `inner` speaks HTTP on it, this one watches the clock."""

    def __init__(self, connections: Connections, inner: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._connections, self._inner, self.loop = connections, inner, loop
        self.client: tuple[str, int] = ("", 0)
        self._transport: Any = None
        self._is_open = False
        self._requests = 0
        #: whether some of a request has arrived, but not all
        self._arriving = True
        self._late: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    # -- requests ------------------------------------------------------------------------------------------

    def begins(self) -> None:
        """A request has arrived."""
        self._requests += 1
        self._arriving = False
        self._cancel_late()

    def ends(self) -> bool:
        """A request was answered; whether there is none left."""
        self._requests -= 1
        if self._requests or not self._is_open:
            return False
        # whatever of the last answer is unread by then is not waited for
        self._drop_after(KEPT_ALIVE + SLOWEST)
        return True

    def drop(self) -> None:
        """Close at once, whatever is unread."""
        self._transport.abort()

    def _drop_after(self, seconds: float) -> None:
        self._cancel_late()
        self._late = self.loop.call_later(seconds, self.drop)

    def _cancel_late(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    # -- the transport -------------------------------------------------------------------------------------

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        peer = transport.get_extra_info("peername")
        self.client = (str(peer[0]), int(peer[1])) if isinstance(peer, tuple) else ("", id(self))
        if not self._connections.add(self):
            transport.abort()
            return
        self._is_open = True
        self._drop_after(SLOWEST)
        self._inner.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.remove(self)
        self._cancel_late()
        self._cancel_unread()
        if self._is_open:
            self._is_open = False
            self._inner.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self._requests and not self._arriving:
            # from its first byte on; more bytes of the same request do not prolong it
            self._arriving = True
            self._drop_after(SLOWEST)
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        closes: bool | None = self._inner.eof_received()
        return closes

    def pause_writing(self) -> None:
        """The other side does not read. Closing would wait for it; if it stays so, the connection is dropped."""
        self._inner.pause_writing()
        self._unread = self._unread or self.loop.call_later(SLOWEST, self.drop)

    def resume_writing(self) -> None:
        self._inner.resume_writing()
        self._cancel_unread()

    def _cancel_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None


def uvicorn_config(app: Any, tls: tuple[Path, Path] | None = None) -> uvicorn.Config:
    """How uvicorn serves an application; `tls` is a certificate with its key."""
    certificate, key = tls or (None, None)
    connections = Connections(app)
    config = uvicorn.Config(
        connections,
        http="h11",
        ws="none",
        lifespan="off",
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        backlog=AT_ONCE,
        timeout_keep_alive=KEPT_ALIVE,
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=LONGEST_HEAD,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
    config.load()
    speaks_http: Any = config.http_protocol_class

    def connection(**settings: Any) -> Connection:
        return Connection(connections, speaks_http(**settings), asyncio.get_running_loop())

    config.http_protocol_class = connection  # type: ignore[assignment]
    return config


async def serve_connections(server: uvicorn.Server, listener: socket.socket) -> None:
    """Serve until the server is told to stop, and close what is still open then.

    uvicorn waits for a connection that comes while it stops, as a browser opens one in advance, but never closes it.
    """
    asyncio.get_running_loop().set_exception_handler(_tell_unless_accepting)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        while not (server.started or serving.done()):
            await asyncio.sleep(0.01)
        listener.listen(QUEUE)  # uvicorn has the system hold no more than it accepts at once
        await serving
    finally:
        connections = server.config.app
        assert isinstance(connections, Connections)
        connections.drop_all()
        await asyncio.sleep(0)  # a transport is closed in the next round of the loop


def _tell_unless_accepting(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A connection that cannot be accepted is tried again in a moment, and is nothing to print: there may be many."""
    if "accept" not in context["message"]:
        loop.default_exception_handler(context)
