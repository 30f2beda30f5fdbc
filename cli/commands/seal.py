"""A short text that fixes the log up to a point.

Write it on the edge of a paper sheet: whoever holds it can show later that nothing before it was changed, with
campaign verify --seal.

Examples:
  campaign seal
  campaign seal S1
"""

from typing import Annotated

import typer

from cli.shell import options
from cli.shell.desk import opened, read_up_to
from cli.terminal.screen import Screen
from domain.log.links import sealed


def seal(
    point: Annotated[
        str | None,
        typer.Argument(
            metavar="[POINT]",
            help="T4, S2, @-3, a date (default: now).",
            autocompletion=options.complete_points,
            show_default=False,
        ),
    ] = None,
    json: options.Json = False,
    campaign: options.Campaign = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    screen = Screen(color)
    with opened(campaign, ruled=False) as (log, _):
        turn = read_up_to(log, point)
        told = sealed(turn, log.link(turn))
    if json:
        screen.json({"turn": turn, "seal": str(told)})
    else:
        screen.line(str(told))
    screen.flush()
