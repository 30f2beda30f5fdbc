"""Copy the campaign as it is now, whoever is writing.

A copy that is made by hand while a turn is saved may be half old and half new. This one gets its name only once every
turn is in it.

Examples:
  campaign backup copy-of-the-mill.db
"""

from pathlib import Path
from typing import Annotated

import typer

from cli.shell import options
from cli.shell.command_context import open_chosen
from cli.shell.last_seen_store import note_backup
from cli.shell.partial_failure import report_saved
from cli.terminal.screen import Screen
from domain.log.hash_chain import seal_of
from domain.naming import quantity
from domain.times import local_now


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to put the copy.")],
    campaign: options.Campaign = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    screen = Screen(color)
    with open_chosen(campaign, needs_rules=False) as (log, _):
        log.backup(file)
        with report_saved(lambda: f"{file} is made"):
            note_backup(log, file, local_now())
            turns = log.last()
            size = f"{quantity(turns, 'turn')}, now also in {file}."
            screen.line(f"{size} Seal: {seal_of(turns, log.link(turns))}")
            screen.flush()
