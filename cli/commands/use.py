"""Choose the current campaign.

Examples:
  campaign use mill.campaign
"""

from typing import Annotated

import typer

from cli.shell import options
from cli.shell.choose import remember
from cli.store.server.address import is_server
from cli.terminal.screen import Screen


def use(
    file: Annotated[
        str,
        typer.Argument(
            help="The campaign file, or its address on a server.",
            autocompletion=options.complete_campaigns,
            show_default=False,
        ),
    ],
    color: options.ColorWhen = options.Color.auto,
) -> None:
    from cli.store.anywhere import open_log
    from domain.log.folding import state_at
    from domain.system.registry import system_of

    with open_log(file) as log:
        state = state_at(system_of(log.rules), log, 1)
        turns, where = log.last(), log.address if is_server(file) else file
    remember(where)
    screen = Screen(color)
    screen.line(f"{state.campaign.name} is the current campaign now: {where}, T{turns}.")
    screen.flush()
