"""The tables in a browser: Datasette in this very process, for whoever knows the token, and for no longer than we live.

Any page that a browser has open can send it to this machine's ports, so nothing is answered but what asks for this
server by its own name and shows the token, once in the address and then as a cookie. What is asked runs under the
limits of `campaign query`.
"""

import asyncio
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs, urlencode

from projections.views import asking, sandbox

HOST = "127.0.0.1"
USUAL_PORT = 8001
MOST_ROWS = 1000
SETTINGS = {
    "sql_time_limit_ms": int(asking.SECONDS * 1000),
    "facet_time_limit_ms": 500,
    "max_returned_rows": MOST_ROWS,
    "allow_download": False,
    # each thread brings memory of its own, and one person looks
    "num_sql_threads": 1,
}
#: Datasette's own function besides; none that works for seconds without being asked whether it may go on, as there is
#: no process here that could be killed.
FUNCTIONS = (sandbox.FUNCTIONS | {"escape_fts"}) - {"printf", "format"}
#: What Datasette itself asks about the tables.
PRAGMAS = (
    "table_info", "table_xinfo", "foreign_key_list", "index_list", "index_info", "index_xinfo", "schema_version",
    "database_list",
)  # fmt: skip
#: Seconds between two looks whether whoever started us is still there.
LOOKS = 1.0

Send = Callable[[Any], Awaitable[None]]
App = Callable[[Any, Any, Send], Awaitable[None]]


def listening(port: int | None, *, host: str = HOST, usual: int = USUAL_PORT) -> socket.socket:
    """A socket on this port, else on the usual one or any that is free. Raises OSError."""
    for wanted in (port,) if port is not None else (usual, 0):
        # with its protocol, for else asyncio lets the second piece of an answer wait until the first was acknowledged
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((host, wanted))
        except OSError:
            found.close()
            if wanted != usual or port is not None:
                raise
        else:
            return found
    raise AssertionError("the last of them is any port")


class Guarded:
    """An application that answers only its own name, and only whoever shows the token."""

    def __init__(self, app: App, port: int, token: str) -> None:
        self._app, self._token = app, token
        self._names = {f"{name}:{port}".encode() for name in (HOST, "localhost")}
        # cookies know no ports: another server on this machine must not be told ours, nor write over it
        self._cookie = f"campaign-{port}"

    async def __call__(self, scope: Any, receive: Any, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = dict(scope.get("headers", ()))
        if scope["type"] != "http" or headers.get(b"host") not in self._names:
            await _answer(send, 421, "This server answers only to its own address.")
        elif self._same(self._cookie_in(headers)):
            await self._app(scope, receive, send)
        elif self._same(self._said_in(scope)):
            told = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
            told.pop("token")
            path = scope.get("raw_path", b"").decode("latin-1").partition("?")[0]
            where = f"/{path.lstrip('/')}" + (f"?{urlencode(told, doseq=True)}" if told else "")
            cookie = f"{self._cookie}={self._token}; Path=/; HttpOnly; SameSite=Strict"
            await _answer(send, 303, "", {"location": where, "set-cookie": cookie})
        else:
            await _answer(send, 403, "Open the address that `campaign explore` printed: it carries a token.")

    def _same(self, shown: str) -> bool:
        return secrets.compare_digest(shown.encode(), self._token.encode())

    def _cookie_in(self, headers: Mapping[bytes, bytes]) -> str:
        with suppress(CookieError):
            found = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1")).get(self._cookie)
            return str(found.value) if found is not None else ""
        return ""

    def _said_in(self, scope: Any) -> str:
        return str(parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0])


async def _answer(send: Send, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
    told = {"content-type": "text/plain; charset=utf-8", "cache-control": "no-store", **(headers or {})}
    lines = [(name.encode(), value.encode("latin-1")) for name, value in told.items()]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": text.encode()})


def serve(view: Path, told: Mapping[str, Any], listener: socket.socket, token: str, ready: Callable[[], None]) -> None:
    """Serve a view with its metadata `told` until stopped, or until whoever started us is gone.

    `ready` is called once a browser would be answered. Raises KeyboardInterrupt where that is how it was stopped.
    """
    # what else this user has installed for Datasette has no business with the log
    os.environ["DATASETTE_LOAD_PLUGINS"] = ""
    import uvicorn
    from datasette import handle_exception  # type: ignore[import-untyped]
    from datasette.app import Datasette  # type: ignore[import-untyped]
    from datasette.plugins import pm  # type: ignore[import-untyped]

    # it would print each refused question on our stdout as a traceback of some hundred lines
    handle_exception.rich = None
    pm.register(_limits(view.stem), "campaign")
    datasette = Datasette([str(view)], metadata=told, settings=SETTINGS)
    app = Guarded(datasette.app(), listener.getsockname()[1], token)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))

    async def run() -> None:
        watching = asyncio.create_task(_watch(server, ready))
        try:
            await server.serve(sockets=[listener])
        finally:
            watching.cancel()

    asyncio.run(run())


def _limits(limited: str) -> ModuleType:
    """What Datasette is plugged with: every connection to the view has the limits of a question."""
    from datasette import hookimpl

    def prepare_connection(conn: Any, database: str) -> None:
        if database == limited:
            conn.execute(f"PRAGMA hard_heap_limit={asking.MEMORY}").fetchall()
            sandbox.limit(conn, FUNCTIONS, PRAGMAS, counts=True)

    plugin = ModuleType("campaign_limits")
    plugin.prepare_connection = hookimpl(prepare_connection)  # type: ignore[attr-defined]
    return plugin


async def _watch(server: Any, ready: Callable[[], None]) -> None:
    """Bound the memory once everything is there; stop the server when our parent is no longer who it was."""
    parent = os.getppid()
    while not server.started:
        await asyncio.sleep(0.01)
    sandbox.confine_to(asking.MEMORY)
    ready()
    while os.getppid() == parent:
        await asyncio.sleep(LOOKS)
    server.should_exit = True
