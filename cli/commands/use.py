"""Choose the current campaign."""

from pathlib import Path
from typing import Annotated

import typer

from cli.shell import options
from cli.shell.choose import remember
from cli.terminal.screen import Screen


def use(
    file: Annotated[
        Path, typer.Argument(help="The campaign file.", autocompletion=options.complete_campaigns, show_default=False)
    ],
    color: options.ColorWhen = options.Color.auto,
) -> None:
    from cli.store.file import open_campaign
    from domain.log.folding import state_at
    from domain.system.registry import system_of

    with open_campaign(file) as log:
        state = state_at(system_of(log.rules), log, 1)
        turns = log.last()
    remember(file)
    screen = Screen(color)
    screen.line(f"{state.campaign.name} is the current campaign now: {file}, T{turns}.")
    screen.flush()
