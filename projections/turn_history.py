"""The history of one turn: how it was recorded, and every later turn that revised it."""

from datetime import datetime

from msgspec import Struct

from domain.common.revisions import Amend
from domain.log.effective_history import effective_history, revising_turns
from domain.log.port import Log
from domain.turn import Event, TurnRedecided, TurnUndone


class TurnEvent(Struct, frozen=True):
    """One revision of a turn, or its recording: `events` are its outcome from then on, None if it was undone.

    `undone_by` is the turn that undid this revision, if one did.
    """

    turn: int
    at: datetime
    by: str | None
    what: str
    why: str | None = None
    events: tuple[Event, ...] | None = None
    undone_by: int | None = None


def history_of_turn(log: Log, number: int, upto: int | None = None) -> list[TurnEvent]:
    """Everything that happened to one turn, in the order of the log. The turn must exist."""
    effective = effective_history(log, upto)
    turn = next(log.read(after=number - 1, upto=number))
    found = [TurnEvent(number, turn.moment, turn.by, "logged", events=turn.facts)]
    undoers = {number}
    for revising in revising_turns(log, number, upto):
        undone_by = effective.undone.get(revising.number)
        why = getattr(revising.action, "why", None)
        for event in revising.events:
            about = getattr(event, "turn", None)
            if isinstance(event, TurnUndone) and about in undoers:
                what = "undone" if about == number else f"T{about} undone"
                undoers.add(revising.number)
            elif isinstance(event, TurnRedecided) and about == number:
                amended = isinstance(revising.action, Amend) and number in revising.action.amended
                what = "kept as it was" if event.kept else "amended" if amended else "decided again"
                if isinstance(revising.action, Amend) and revising.action.turn == number and revising.place is not None:
                    what = f"{what}, moved after T{revising.place}"
                undoers.add(revising.number)
            else:
                continue
            events = event.events if isinstance(event, TurnRedecided) else None
            found.append(TurnEvent(revising.number, revising.moment, revising.by, what, why, events, undone_by))
    return found
