"""Browse the tables of the campaign with Datasette.

Only this machine can see it, at the address that it prints, which carries a token. Questions have the limits of
`campaign query`. Stop it with Ctrl-C; it also ends with its terminal.

Examples:
  campaign explore --at S1
"""

import secrets
import webbrowser
from collections.abc import Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.pages.datasette_server import DOOR, HOST, listening, serve
from cli.shell import options
from cli.shell.command_context import open_chosen, read_up_to
from cli.shell.ending import left_in_order
from cli.shell.reading import ReadOptions, reads
from cli.shell.viewing import viewing_file
from cli.terminal.screen import Screen
from projections.views.metadata import metadata

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
        serve(view, metadata, listener, token, ready)
