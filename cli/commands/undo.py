"""Undo turns without erasing them.

Later turns are decided again with the dice and cards they had. Undo the undo to have it all back.

Examples:
  campaign undo
  campaign undo T10 --why "it hit the wall" --drop
  campaign undo --last 2
"""

from typing import Annotated, Any

from cli.shell import options
from cli.shell.declaration import ArgumentSpec, OptionSpec
from cli.shell.recording import NOT_BACKDATED, records
from cli.shell.words import turn_number
from domain.refusal import Invalid


@records(without=NOT_BACKDATED)
def undo(
    turns: Annotated[
        list[str] | None,
        ArgumentSpec(
            help="The turns (default: the latest).",
            metavar="[T4]...",
            autocompletion=options.complete_turns,
            show_default=False,
        ),
    ] = None,
    last: Annotated[int | None, OptionSpec("--last", "-n", help="The last N turns.", show_default=False)] = None,
    to: Annotated[
        str | None, OptionSpec(metavar="POINT", help="Everything after this point.", show_default=False)
    ] = None,
    why: options.Why = None,
) -> dict[str, Any]:
    if turns and turns[0].casefold() == "last" and last is None and "".join(turns[1:] or "1").isdecimal():
        last, turns = int("".join(turns[1:] or "1")[:15]), None  # as a line says it
    numbers = [_turn_number(part) for turn in turns for part in turn.split(",")] if turns else None
    return {"type": "undo", "turns": numbers, "last": last, "to": to, "why": why}


def _turn_number(text: str) -> int | str:
    """A turn as T9 or @-1. Raises Invalid, also for a bare number, which could mean so many turns."""
    if text.isdecimal():
        number = text[:15]
        raise Invalid(f"{number} is unclear: T{number}, or the last {number}? Write T{number} or --last {number}.")
    return turn_number(text)
