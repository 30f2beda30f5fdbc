"""The history of one turn: how it was recorded, and every later turn that revised it."""

from datetime import datetime

from msgspec import Struct

from domain.common.revisions import Amend
from domain.log.effective_history import effective_history, revising_turns
from domain.log.port import Log
from domain.turn import Event, TurnRedecided, TurnUndone


class TurnEvent(Struct, frozen=True):
    """The recording of a turn, or one revision of it: `events` are its outcome from then on; None if it was undone.

    `undone_by`: the turn that undid this revision, if any.
    """

    turn: int
    at: datetime
    by: str | None
    what: str
    why: str | None = None
    events: tuple[Event, ...] | None = None
    undone_by: int | None = None


def history_of_turn(log: Log, number: int) -> list[TurnEvent]:
    """The recording and all revisions of one turn, in the order of the log. The turn must exist."""
    effective = effective_history(log)
    turn = next(log.read(after=number - 1, upto=number))
    history = [TurnEvent(number, turn.moment, turn.by, "logged", events=turn.facts)]
    undoers = {number}
    for revising in revising_turns(log, number):
        undone_by = effective.undone_by.get(revising.number)
        why = getattr(revising.action, "why", None)
        for event in revising.events:
            about = getattr(event, "turn", None)
            if isinstance(event, TurnUndone) and about in undoers:
                label = "undone" if about == number else f"T{about} undone"
                undoers.add(revising.number)
            elif isinstance(event, TurnRedecided) and about == number:
                amended = isinstance(revising.action, Amend) and number in revising.action.new_actions
                label = "kept as it was" if event.kept else "amended" if amended else "decided again"
                if isinstance(revising.action, Amend) and revising.action.turn == number and revising.place is not None:
                    label = f"{label}, moved after T{revising.place}"
                undoers.add(revising.number)
            else:
                continue
            events = event.events if isinstance(event, TurnRedecided) else None
            history.append(TurnEvent(revising.number, revising.moment, revising.by, label, why, events, undone_by))
    return history
