"""Read and play on another branch from now on.

Examples:
  campaign switch plan
"""

from typing import Annotated

import typer

from cli.shell import options
from cli.shell.command_context import open_chosen
from cli.store.branches import switch_to
from cli.terminal.screen import Screen


def switch(
    name: Annotated[
        str, typer.Argument(help="The branch; main is the campaign itself.", autocompletion=options.known("branches"))
    ],
    campaign: options.Campaign = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    screen = Screen(color)
    with open_chosen(campaign, write=True) as (log, _):
        switch_to(log, name)
        with log.on(name) as line:
            screen.line(f"You are on {name} now, at T{line.last()}.")
        screen.flush()
