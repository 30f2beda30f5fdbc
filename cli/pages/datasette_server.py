"""`campaign explore` as a server: Datasette in this process, open to holders of its token while the command runs.

Any page open in a browser can send requests to this machine's ports, so a request is answered only if it names this
server as its host and carries the token, at first in the address and then as a cookie. Queries run under the limits
of `campaign query`.
"""

import asyncio
import os
import secrets
import socket
import sqlite3
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs, urlencode

from projections.views import sandbox, sql_questions

HOST = "127.0.0.1"
USUAL_PORT = 8001
MOST_ROWS = 1000
SETTINGS = {
    "sql_time_limit_ms": int(sql_questions.SECONDS * 1000),
    "facet_time_limit_ms": 500,
    "max_returned_rows": MOST_ROWS,
    "allow_download": False,
    # each thread takes memory of its own, and there is one user
    "num_sql_threads": 1,
}
#: SQL functions that are allowed: those of `campaign query` and one of Datasette, without those that run for seconds
#: between two checks of the time limit, as there is no process here that could be killed.
FUNCTIONS = (sandbox.FUNCTIONS | {"escape_fts"}) - {"printf", "format"}
#: The pragmas that Datasette itself reads.
PRAGMAS = (
    "table_info", "table_xinfo", "foreign_key_list", "index_list", "index_info", "index_xinfo", "schema_version",
    "database_list",
)  # fmt: skip
#: Seconds between two checks that the parent process is alive.
LOOKS = 1.0

Send = Callable[[Any], Awaitable[None]]
App = Callable[[Any, Any, Send], Awaitable[None]]


def listening(port: int | None, *, host: str = HOST, usual: int = USUAL_PORT) -> socket.socket:
    """A socket on this port, else on the usual one or any that is free. Raises OSError."""
    for number in (port,) if port is not None else (usual, 0):
        # with its protocol: otherwise asyncio leaves Nagle's algorithm on, and the second part of an answer waits
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if os.name == "posix":  # on Windows it would let two servers have the same port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
            # at once: until then another process can bind the same port, and one of the two fails later
            listener.listen()
        except OSError:
            listener.close()
            if number != usual or port is not None:
                raise
        else:
            return listener
    raise AssertionError("the last of them is any port")


class TokenGuard:
    """An ASGI application that passes on only requests with its own host name and the token."""

    def __init__(self, app: App, port: int, token: str) -> None:
        self._app, self._token = app, token
        self._names = {f"{name}:{port}".encode() for name in (HOST, "localhost")}
        # cookies do not tell ports apart: another server on this machine must neither get ours nor overwrite it
        self._cookie = f"campaign-{port}"

    async def __call__(self, scope: Any, receive: Any, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = dict(scope.get("headers", ()))
        if scope["type"] != "http" or headers.get(b"host") not in self._names:
            await _answer(send, 421, "This server answers only to its own address.")
        elif self._is_token(self._cookie_in(headers)):
            await self._app(scope, receive, send)
        elif self._is_token(self._token_in_address(scope)):
            parameters = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
            parameters.pop("token")
            path = scope.get("raw_path", b"").decode("latin-1").partition("?")[0]
            where = f"/{path.lstrip('/')}" + (f"?{urlencode(parameters, doseq=True)}" if parameters else "")
            cookie = f"{self._cookie}={self._token}; Path=/; HttpOnly; SameSite=Strict"
            await _answer(send, 303, "", {"location": where, "set-cookie": cookie})
        else:
            await _answer(send, 403, "Open the address that `campaign explore` printed: it carries a token.")

    def _is_token(self, token: str) -> bool:
        return secrets.compare_digest(token.encode(), self._token.encode())

    def _cookie_in(self, headers: Mapping[bytes, bytes]) -> str:
        with suppress(CookieError):
            morsel = SimpleCookie(headers.get(b"cookie", b"").decode("latin-1")).get(self._cookie)
            return str(morsel.value) if morsel is not None else ""
        return ""

    def _token_in_address(self, scope: Any) -> str:
        return str(parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0])


async def _answer(send: Send, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
    fields = {"content-type": "text/plain; charset=utf-8", "cache-control": "no-store", **(headers or {})}
    lines = [(name.encode(), value.encode("latin-1")) for name, value in fields.items()]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    await send({"type": "http.response.body", "body": text.encode()})


def serve(
    view: Path, metadata: Mapping[str, Any], listener: socket.socket, token: str, ready: Callable[[], None]
) -> None:
    """Serve a view with its Datasette `metadata` until stopped, or until the parent process is gone.

    `ready` is called once requests are answered. Raises KeyboardInterrupt when stopped by Ctrl-C.
    """
    # other plugins that the user has installed for Datasette must not see the log: Datasette 0.65 and 1.0 load none
    sys._called_from_test = True  # type: ignore[attr-defined]
    os.environ["DATASETTE_LOAD_PLUGINS"] = ""
    import uvicorn
    from datasette.app import Datasette  # type: ignore[import-untyped]
    from datasette.plugins import pm  # type: ignore[import-untyped]

    pm.register(_limits(view.stem), "campaign")
    datasette = Datasette([str(view)], metadata=metadata, settings=SETTINGS)
    app = TokenGuard(datasette.app(), listener.getsockname()[1], token)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))

    async def run() -> None:
        watching = asyncio.create_task(_watch(server, ready))
        try:
            await server.serve(sockets=[listener])
        finally:
            watching.cancel()

    asyncio.run(run())


def _limits(view_name: str) -> ModuleType:
    """A Datasette plugin that puts the limits of `campaign query` on every connection to the view.

    What they refuse is answered as other wrong SQL is, and nothing is printed.
    """
    # after `datasette.app`, which registers its hook
    from datasette import handle_exception as answering  # type: ignore[import-untyped]
    from datasette import hookimpl
    from datasette.views.base import DatasetteError  # type: ignore[import-untyped]

    answering.rich = None  # it would print each refused query on our stdout as a traceback of some hundred lines

    def prepare_connection(conn: Any, database: str) -> None:
        if database == view_name:
            conn.execute(f"PRAGMA hard_heap_limit={sql_questions.MEMORY}").fetchall()
            sandbox.limit(conn, FUNCTIONS, PRAGMAS, counts=True)

    def handle_exception(datasette: Any, request: Any, exception: Exception) -> Any:
        if not isinstance(exception, sqlite3.Error | MemoryError):
            return None
        refusal = DatasetteError(str(exception) or "This needs too much memory.", title="Invalid SQL", status=400)
        return answering.handle_exception(datasette=datasette, request=request, exception=refusal)

    plugin = ModuleType("campaign_limits")
    plugin.handle_exception = hookimpl(tryfirst=True)(handle_exception)  # type: ignore[attr-defined]
    plugin.prepare_connection = hookimpl(prepare_connection)  # type: ignore[attr-defined]
    return plugin


async def _watch(server: Any, ready: Callable[[], None]) -> None:
    """Limit the memory once the server has started; stop the server when the parent process has changed."""
    parent = os.getppid()
    while not server.started:
        await asyncio.sleep(0.01)
    sandbox.confine_to(sql_questions.MEMORY)
    ready()
    while os.getppid() == parent:
        await asyncio.sleep(LOOKS)
    server.should_exit = True
