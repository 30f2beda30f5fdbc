"""What an action leaves open before it is recorded: the question of its rules, and what the table has to report.

A command handler is asked as if the action were recorded, and nothing is.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from domain.log.backdating import NOW, Backdating
from domain.log.command_handler import CommandHandler
from domain.log.deciding import with_names
from domain.log.simulation import FaceDown, Simulation
from domain.refusal import Conflict, Invalid, Refusal, ReportedShort, Unreported
from domain.system.chance import draws
from domain.system.drafts import Draft
from domain.system.field_schema import fields_of
from domain.system.pending import PendingDecision
from domain.turn import Action, Event

#: The maximum of cards and dice in an example of what the table reports.
MOST_REPORTED = 60


def open_question(handler: CommandHandler, action: Action, backdating: Backdating = NOW) -> PendingDecision | None:
    """The question that the player must answer before an action is recorded; None if there is none."""
    return _pending(handler, action, backdating, lambda: _foreseen(handler, action, backdating))


def open_question_after_draws(handler: CommandHandler, action: Action) -> PendingDecision | None:
    """The question that the player must answer after the draws of an action, before it is recorded.

    The action is decided with its own draws, which stay pending as after a refusal: without an answer the next try
    draws the same.
    """
    decision = _pending(handler, action, NOW, lambda: handler.facts_with_own_draws(action))
    return None if decision is None else replace(decision, drawn=True)


def _pending(
    handler: CommandHandler, action: Action, backdating: Backdating, facts: Callable[[], Sequence[Event]]
) -> PendingDecision | None:
    try:
        state = handler.state_at_place(action, backdating)
        resolved_action = with_names(action, state)
    except (Refusal, Invalid):
        return None
    pending: PendingDecision | None = resolved_action.open_decision(Draft(handler.system, state, facts))
    return pending


def _foreseen(handler: CommandHandler, action: Action, backdating: Backdating) -> Sequence[Event]:
    """The facts of an action that are certain; empty if it is refused, or depends on draws."""
    try:
        simulating = handler.simulating(Simulation(1, FaceDown(handler.system)))
        outcome = simulating.record(action, dry_run=True, backdating=backdating)
    except (Refusal, Invalid, Conflict):
        return ()
    return () if draws(outcome.turn.chance) else outcome.turn.facts


def completed_by_report(
    handler: CommandHandler, action: Action, error: Unreported | ReportedShort
) -> tuple[Mapping[str, Any], Sequence[str]] | None:
    """An example of what the table must report with an action, by field, and the reasons.

    What cards call for that are yet to be turned over is not part of it. None if the action is refused for another
    reason too. Nothing is recorded; draws stay pending.
    """
    example, reasons = dict(error.example), [error.reason]
    is_certain = all(field.dice for field in fields_of(type(action)) if field.name in example)
    for _ in range(MOST_REPORTED):
        action = replace(action, **error.example)
        try:
            handler.record(action, dry_run=True)
            return example, reasons
        except (Unreported, ReportedShort) as further:
            error = further
        except (Refusal, Invalid, Conflict):
            return None
        if is_certain:
            is_told = any(f"{key}=…" in reason for key in error.example for reason in reasons)
            reasons += [] if is_told or error.example.keys() <= example.keys() else [error.reason]
            example |= error.example
    return None
