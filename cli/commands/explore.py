"""Browse the tables of the campaign with Datasette.

Only this machine can see it, at the address that it prints, which carries a token. Questions have the limits of
`campaign query`. Stop it with Ctrl-C; it also ends with its terminal.

Examples:
  campaign explore --at S1
"""

import asyncio
import os
import secrets
import signal
import socket
import sqlite3
import sys
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer

from cli.shell import options
from cli.shell.command_context import open_chosen, read_up_to
from cli.shell.ending import left_in_order
from cli.shell.listening import HOST, listening
from cli.shell.reading import ReadOptions, reads
from cli.shell.viewing import viewing_file
from cli.terminal.screen import Screen
from projections.views import sandbox, sql_questions
from projections.views.metadata import metadata

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

NOT_INSTALLED = (
    "Datasette is not installed here; in your clone of this project, uv tool install '.[explore]' installs it with the"
    " program. Or open the file that `campaign views path` names with any tool for SQLite."
)


@reads(without=("output", "json"), keeps_secrets=False)
def explore(
    request: ReadOptions,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="The port (default: 8001, or a free one).")] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the browser.")] = False,
) -> None:

    if find_spec("datasette") is None:
        raise options.NotFound(NOT_INSTALLED)
    screen = request.screen
    with (
        left_in_order(),
        open_chosen(request.campaign) as (log, system),
        viewing_file(log, system, read_up_to(log, request.at)) as view,
    ):
        assert view.path is not None
        _serve(view.path, metadata(view, view.path.stem, system.key), port, screen, open_=open_)


def _serve(view: Path, metadata: Mapping[str, Any], port: int | None, screen: Screen, *, open_: bool) -> None:
    """Serve a view until it is stopped. Raises NotFound where there is no port to serve on."""
    try:
        listener = listening(port)
    except OSError:
        raise options.NotFound(f"Port {port} is in use; try another with --port.") from None
    token = secrets.token_urlsafe(24)
    address = f"http://{HOST}:{listener.getsockname()[1]}{DOOR}?token={token}"

    def ready() -> None:
        screen.line(f"{address}  (stop with Ctrl-C)", indent=None)
        screen.flush()
        if open_:
            webbrowser.open(address)

    with listener, suppress(KeyboardInterrupt):
        _serve_until_stopped(view, metadata, listener, token, ready)


# -- the server --------------------------------------------------------------------------------------------
#
# Datasette in this process. Any page open in a browser can send requests to this machine's ports, so the log is shown
# only to who carries the token, at first in the address and then as a cookie, which a browser gives to no other host.
# Both that and the limits of queries are plugins of Datasette's own kind.


def _serve_until_stopped(
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
