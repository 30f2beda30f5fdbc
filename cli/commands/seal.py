"""A short text that fixes the log up to a point.

Write it on the edge of a paper sheet: whoever holds it can show later that nothing before it was changed, with
campaign verify --seal.

Examples:
  campaign seal
  campaign seal S1
"""

from typing import Annotated

from cli.shell import options
from cli.shell.command_context import opened, read_up_to
from cli.shell.declaration import ArgumentSpec
from cli.shell.reading import ReadOptions, reads
from domain.log.hash_chain import sealed


@reads(without=("at", "as_", "output"))
def seal(
    asked: ReadOptions,
    point: Annotated[
        str | None,
        ArgumentSpec(
            metavar="[POINT]",
            help="T4, S2, @-3, a date (default: now).",
            autocompletion=options.complete_points,
            show_default=False,
        ),
    ] = None,
) -> None:
    screen = asked.screen
    with opened(asked.campaign, ruled=False) as (log, _):
        turn = read_up_to(log, point)
        told = sealed(turn, log.link(turn))
    if asked.as_json:
        screen.json({"turn": turn, "seal": str(told)})
    else:
        screen.line(str(told))
    screen.flush()
