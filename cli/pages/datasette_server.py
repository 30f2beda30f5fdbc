"""`campaign explore` as a server: Datasette in this process, open to holders of its token while the command runs.

Any page open in a browser can send requests to this machine's ports, so the log is shown only to who carries the token,
at first in the address and then as a cookie, which a browser gives to no other host. Queries run under the limits of
`campaign query`. Both are a plugin of Datasette's own kind.
"""

import asyncio
import os
import secrets
import signal
import socket
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

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

#: Where whoever has the token opens the door.
DOOR = "/-/in"


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
    pm.register(_door(view.stem, listener.getsockname()[1], token), "campaign_door")
    datasette = Datasette([str(view)], metadata={**metadata, "allow": {"has": "token"}}, settings=SETTINGS)
    server = uvicorn.Server(uvicorn.Config(datasette.app(), log_level="error", lifespan="on"))

    async def run() -> None:
        watching = asyncio.create_task(_watch(server, ready))
        try:
            await server.serve(sockets=[listener])
        finally:
            watching.cancel()

    with _stopped_when_hung_up(server):
        asyncio.run(run())


@contextmanager
def _stopped_when_hung_up(server: Any) -> Iterator[None]:
    """Stop the server when its terminal closes, and only then do what the program does about that.

    It may raise, and whatever is raised while a request is answered ends that request alone.
    """
    number = getattr(signal, "SIGHUP", None)  # Windows has none
    before = signal.getsignal(number) if number is not None else signal.SIG_IGN
    if number is None or before is signal.SIG_IGN:
        yield
        return
    told = []

    def stop(number: int, _: Any) -> None:
        told.append(number)
        server.should_exit = True

    signal.signal(number, stop)
    try:
        yield
    finally:
        signal.signal(number, before)
    if told:
        signal.raise_signal(number)


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


def _door(view_name: str, port: int, token: str) -> ModuleType:
    """A Datasette plugin that knows who has the token, and changes one in the address for a cookie."""
    from datasette import Forbidden, Response, hookimpl

    # cookies do not tell ports apart: another server on this machine must not overwrite ours
    cookie = f"campaign-{port}"

    def actor_from_request(request: Any) -> dict[str, str] | None:
        return {"has": "token"} if _is_token(request.cookies.get(cookie, "")) else None

    def register_routes() -> list[tuple[str, Any]]:
        return [(f"{DOOR}$", open_door)]

    async def open_door(request: Any) -> Any:
        if not _is_token(request.args.get("token") or ""):
            raise Forbidden("")
        response = Response.redirect(f"/{view_name}")
        response.set_cookie(cookie, token, httponly=True, samesite="strict")
        return response

    def forbidden() -> Any:
        sentence = "Open the address that `campaign explore` printed: it carries a token."
        return Response.text(sentence, status=403, headers={"cache-control": "no-store"})

    def _is_token(given: str) -> bool:
        return secrets.compare_digest(given.encode(), token.encode())

    plugin = ModuleType("campaign_door")
    for hook in actor_from_request, register_routes, forbidden:
        setattr(plugin, hook.__name__, hookimpl(hook))
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
