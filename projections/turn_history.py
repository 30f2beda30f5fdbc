"""The whole life of one turn: how it was logged, and every later turn that spoke of it."""

from datetime import datetime

from msgspec import Struct

from domain.common.revisions import Amend
from domain.log.effective_history import effective_history, revising_turns
from domain.log.port import Log
from domain.turn import Event, TurnRedecided, TurnUndone


class TurnEvent(Struct, frozen=True):
    """Something that was said of a turn: `events` are what it then came to, None if it was taken back.

    `undone_by` names the turn that took this word back, if one did.
    """

    turn: int
    at: datetime
    by: str | None
    what: str
    why: str | None = None
    events: tuple[Event, ...] | None = None
    undone_by: int | None = None


def history_of_turn(log: Log, number: int, upto: int | None = None) -> list[TurnEvent]:
    """The chapters of one turn in the order of the log. The turn must be there."""
    effective = effective_history(log, upto)
    turn = next(log.read(after=number - 1, upto=number))
    chapters = [TurnEvent(number, turn.moment, turn.by, "logged", events=turn.facts)]
    undoers = {number}
    for speaker in revising_turns(log, number, upto):
        undone_by = effective.undone.get(speaker.number)
        why = getattr(speaker.action, "why", None)
        for word in speaker.events:
            about = getattr(word, "turn", None)
            if isinstance(word, TurnUndone) and about in undoers:
                what = "taken back" if about == number else f"T{about} taken back"
                undoers.add(speaker.number)
            elif isinstance(word, TurnRedecided) and about == number:
                amended = isinstance(speaker.action, Amend) and number in speaker.action.amended
                what = "kept as it was" if word.kept else "amended" if amended else "decided again"
                if isinstance(speaker.action, Amend) and speaker.action.turn == number and speaker.place is not None:
                    what = f"{what}, moved after T{speaker.place}"
                undoers.add(speaker.number)
            else:
                continue
            events = word.events if isinstance(word, TurnRedecided) else None
            chapters.append(TurnEvent(speaker.number, speaker.moment, speaker.by, what, why, events, undone_by))
    return chapters
