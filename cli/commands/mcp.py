"""Let an assistant keep the log: the Model Context Protocol.

It speaks over standard input and output, as clients of the protocol start it; nothing is typed here. The assistant
previews and records actions, the rules decide, and everything can be undone. With --as it knows what one player may
know; with --readonly it records nothing. `campaign manual assistant` has the settings of two clients.

Examples:
  campaign mcp -c evening.campaign
  campaign mcp --as Mia --readonly
"""

import gc
from importlib.util import find_spec
from typing import Annotated

import typer

from cli.shell import options
from cli.shell.command_context import open_chosen, seen_by
from cli.terminal.screen import complain, typed_in

NOT_INSTALLED = (
    "The protocol's kit is not installed here; in your clone of this project, uv tool install '.[assistant]' installs"
    " it with the program."
)


def mcp(
    readonly: Annotated[bool, typer.Option("--readonly", help="Let it read, and record nothing.")] = False,
    as_: options.As = None,
    campaign: options.Campaign = None,
) -> None:
    if find_spec("mcp") is None:
        raise options.NotFound(NOT_INSTALLED)
    with open_chosen(campaign, write=not readonly) as (log, system):
        viewer = seen_by(log, system, as_)
        if typed_in():
            complain(
                "This speaks with an assistant, which starts it by itself: campaign manual assistant. Ctrl-C ends it."
            )
        # the kit makes thousands of classes; to look for garbage among them is a fifth of the start
        gc.disable()
        import anyio

        from cli.assistant.assistant import Assistant
        from cli.assistant.server import AssistantServer

        gc.freeze()
        gc.enable()
        anyio.run(AssistantServer(Assistant(log, system, viewer), readonly=readonly).run)
