"""Correct an earlier turn: set fields of its action.

Without a turn it is the latest, and a number alone is its first number: campaign amend 2. An empty value leaves a
field out; behind = stands a whole line instead: campaign amend T4 = damage brog 2. Several turns of one mistake are
amended as one: campaign amend T3 character=Ada T4 character=Ada. With --after or --before the (first) turn is moved.

Examples:
  campaign amend 2
  campaign amend T4 amount=2 --why "it was three"
  campaign amend T4 = damage brog 3 a wolf
  campaign amend T6 --after T4
"""

from typing import TYPE_CHECKING, Annotated, Any

from msgspec import to_builtins

from cli.line.understanding import amending
from cli.line.values import Context
from cli.line.words import given
from cli.shell import options
from cli.shell.command_context import handler_for, opened
from cli.shell.declaration import ArgumentSpec, OptionSpec
from cli.shell.recording import RecordOptions, record, with_record_options
from cli.shell.viewing import seen_by
from cli.shell.words import turn_number
from domain.log.effective_history import effective_history
from domain.log.points import turn_at
from domain.log.port import Log
from domain.registry import action_from
from projections.secrecy import as_known_to, keeps_turn

if TYPE_CHECKING:
    from cli.line.values import Context


@with_record_options(without=())
def amend(
    manner: RecordOptions,
    words: Annotated[
        list[str] | None,
        ArgumentSpec(
            metavar="[T4] FIELD=VALUE...",
            help="The turn, and what it should be.",
            autocompletion=options.complete_amendment,
            show_default=False,
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        OptionSpec(
            "--set",
            metavar="FIELD=VALUE",
            help="A field of its action.",
            autocompletion=options.complete_amendment,
            show_default=False,
        ),
    ] = None,
    why: options.Why = None,
) -> None:
    parts = list(words or ())
    if parts and not parts[0].startswith("@") and (set_ or (len(parts) > 1 and parts[0].isdecimal())):
        parts[0] = f"T{turn_number(parts[0])}"  # beside a field a number can only be a turn
    with opened(manner.campaign, write=True) as (log, _):
        handler = handler_for(log)
        if manner.backdating and len(parts) == 1 and not set_:
            value = moving(log, turn_at(parts[0], log))
        else:
            value = amending(given([*parts, *(set_ or ())]), 0, _context_for(handler, manner.as_))
        beside = {} if why is None else {"why": why}
        record(handler, action_from(log.rules, {**value, **beside}), manner)


def moving(log: Log, number: int) -> dict[str, Any]:
    """The amendment that leaves a turn as it is, to give it another place."""
    turn = next(log.read(number - 1, number))
    return {"type": "amend", "turn": number, "action": to_builtins(effective_history(log).action(turn))}


def _context_for(handler: Any, as_: str | None) -> "Context":
    """What the words are understood against: no more than the player whom --as names may know."""
    system, log, viewer = handler.system, handler.log, seen_by(handler.log, handler.system, as_)
    if viewer is None or not system.keeps_secrets:
        return Context(system, handler.state(), log)
    known = as_known_to(system, handler.state(), viewer)
    return Context(system, known, log, keeps=lambda turn: keeps_turn(system, log, turn, viewer), veiled=True)
