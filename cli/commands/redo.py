"""Let the turns of the latest undo stand again."""

from typing import Annotated

import typer

from cli.shell import options
from cli.shell.desk import perform
from cli.terminal.screen import Screen


def redo(
    last: Annotated[int | None, typer.Option("--last", "-n", help="The last N undos.", show_default=False)] = None,
    drop: options.Drop = False,
    keep: options.Keep = False,
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
    campaign: options.Campaign = None,
    by: options.By = None,
    when: options.When = None,
    json: options.Json = False,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    value = {"type": "redo", "last": last, "conflicts": options.settled(drop, keep)}
    perform(campaign, value, screen=Screen(color), as_json=json, by=by, when=when, dry_run=dry_run, yes=yes)
