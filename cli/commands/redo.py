"""Let the turns of the latest undo stand again.

Once something else was done after it, say which undo is meant.

Examples:
  campaign redo
"""

from typing import Annotated

import typer

from cli.shell import options
from cli.shell.desk import opened, perform
from cli.terminal.screen import Screen
from domain.log.points import turn_at
from domain.log.redoing import check_nothing_came_since


def redo(
    turn: Annotated[
        str | None, typer.Argument(help="The undo, like T4 (default: the latest).", show_default=False)
    ] = None,
    last: Annotated[int | None, typer.Option("--last", "-n", help="The last N undos.", show_default=False)] = None,
    drop: options.Drop = False,
    keep: options.Keep = False,
    dry_run: options.DryRun = False,
    as_: options.As = None,
    yes: options.Yes = False,
    campaign: options.Campaign = None,
    by: options.By = None,
    when: options.When = None,
    json: options.Json = False,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    with opened(campaign) as (log, _):
        if turn is None and last is None:
            check_nothing_came_since(log)
        number = None if turn is None else turn_at(turn, log)
    value = {"type": "redo", "last": last, "turn": number, "conflicts": options.settled(drop, keep)}
    perform(campaign, value, screen=Screen(color), as_json=json, by=by, when=when, dry_run=dry_run, yes=yes, as_=as_)
