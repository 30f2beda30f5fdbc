"""Look at the tables in a browser, with Datasette.

Only this machine can see it. Stop it with Ctrl-C.
"""

import socket
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.shell import options
from cli.shell.desk import opened, point_in
from cli.shell.viewing import viewing
from cli.terminal.screen import Screen

if TYPE_CHECKING:
    from projections.views.view import View

HOST = "127.0.0.1"
USUAL_PORT = 8001
NOT_INSTALLED = (
    "Datasette is not installed here; install campaign-log[explore],"
    " or open the file that `campaign views path` names with any tool for SQLite."
)


def explore(
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="The port (default: 8001, or a free one).", show_default=False),
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the browser.")] = False,
    at: options.At = None,
    as_: options.RefusedAs = None,
    campaign: options.Campaign = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    from importlib.util import find_spec

    from projections.views.view import passing_view

    options.keep_no_secrets(as_, "explore")
    if find_spec("datasette") is None:
        raise options.NotFound(NOT_INSTALLED)
    screen = Screen(color)
    with opened(campaign) as (log, system):
        upto = options.found(lambda: point_in(log, at))
        with viewing(log, system) if upto == log.last() else passing_view(log, system, upto) as view:
            assert view.path is not None
            told = write_metadata(view, view.path, system.key)
            chosen = port or free_port()
            screen.line(f"http://{HOST}:{chosen}/{view.path.stem}  (stop with Ctrl-C)")
            screen.flush()
            try:
                code = serve(view.path, told, chosen, open_)
            finally:
                if upto != log.last():
                    told.unlink()
    if code:
        raise options.NotFound(f"Datasette could not serve on port {chosen}; try another with --port.")


def write_metadata(view: "View", path: Path, rules: str) -> Path:
    """Write what Datasette is told beside the view, readable by its owner only."""
    import msgspec

    from projections.views.metadata import metadata

    target = path.with_suffix(".metadata.json")
    target.touch(mode=0o600)
    target.write_bytes(msgspec.json.format(msgspec.json.encode(metadata(view, path.stem, rules)), indent=2))
    return target


def free_port() -> int:
    """The usual port, or any that is free."""
    for port in (USUAL_PORT, 0):
        with suppress(OSError), closing(socket.socket()) as probe:
            probe.bind((HOST, port))
            return int(probe.getsockname()[1])
    raise options.NotFound("No port is free to serve on.")


def serve(path: Path, told: Path, port: int, open_: bool) -> int:
    """Run Datasette until it is stopped; its exit code."""
    settings = {
        "sql_time_limit_ms": 2000,
        "allow_download": "off",
        "max_returned_rows": 1000,
        "facet_time_limit_ms": 500,
    }
    command = [sys.executable, "-m", "datasette", "serve", str(path), "--metadata", str(told)]
    command += ["--host", HOST, "--port", str(port), *(["--open"] if open_ else [])]
    command += [word for name, value in settings.items() for word in ("--setting", name, str(value))]
    # Datasette tells each request on stderr; what goes wrong is told there, too
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            process.terminate()
            return 0
