"""Restore what an undo took back.

Once something else was done after it, say which undo is meant.

Examples:
  campaign redo
"""

from typing import Annotated

from cli.shell import options
from cli.shell.command_context import opened
from cli.shell.declaration import ArgumentSpec, OptionSpec
from cli.shell.recording import NOT_BACKDATED, RecordOptions, perform, with_record_options
from domain.log.points import turn_at
from domain.log.redoing import check_nothing_came_since


@with_record_options(without=NOT_BACKDATED)
def redo(
    manner: RecordOptions,
    turn: Annotated[
        str | None,
        ArgumentSpec(
            help="The undo, like T4 (default: the latest).", autocompletion=options.complete_turns, show_default=False
        ),
    ] = None,
    last: Annotated[int | None, OptionSpec("--last", "-n", help="The last N undos.", show_default=False)] = None,
) -> None:
    with opened(manner.campaign) as (log, _):
        if turn is None and last is None:
            check_nothing_came_since(log)
        number = None if turn is None else turn_at(turn, log)
    perform(manner, {"type": "redo", "last": last, "turn": number})
