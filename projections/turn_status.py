"""What became of a turn since it was recorded: amended, decided again, kept, entered late or moved; and its history."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from msgspec import Struct

from domain.common.revisions import Amend
from domain.common.sheets import SheetCheck
from domain.log.effective_history import EffectiveHistory, effective_history, revising_turns
from domain.log.port import Log, turn_in
from domain.registry import tag_of
from domain.turn import Event, TurnRedecided, TurnUndone


class TurnStatus(Struct, frozen=True):
    """The revisions of one standing turn; None where there was none."""

    amended_by: int | None = None
    redecided_by: int | None = None
    kept: bool = False
    #: the turn directly after which it folds
    place: int | None = None
    #: whether an amendment gave it that place
    moved: bool = False

    def __str__(self) -> str:
        parts = [f"amended by T{self.amended_by}"] if self.amended_by is not None else []
        if self.redecided_by is not None and self.redecided_by != self.amended_by:
            parts.append(f"{'kept as it was' if self.kept else 'decided again'} by T{self.redecided_by}")
        if self.place is not None:
            parts.append(f"{'moved' if self.moved else 'late entry'}, after T{self.place}")
        return "; ".join(parts)

    def as_json(self) -> dict[str, Any]:
        """The additional JSON keys of a revised turn."""
        keys = {"amended_by": self.amended_by, "redecided_by": self.redecided_by, "place": self.place}
        return {name: value for name, value in keys.items() if value is not None}


#: The tag of the action that compares a paper sheet with the log and records that they agree.
SHEET_CHECK = tag_of(SheetCheck)
#: The remark on such a turn if a later revision may have changed the sheet.
AGREED_THEN = "agreed with the sheet at that time"


def may_be_outdated(effective: EffectiveHistory, turn: int) -> bool:
    """Whether a later standing turn revises a turn at or before the place of this one.

    If so, the sheets on which this turn was decided may have changed since.
    """
    place = effective.trunk(turn)
    return any(first <= place and turn < revising for revising, first in effective.reach.items())


def statuses_of(effective: EffectiveHistory, turns: Iterable[int]) -> dict[int, TurnStatus]:
    """The status of each of these turns that was revised."""
    statuses = {}
    for turn in turns:
        status = TurnStatus(
            effective.amendments[turn][0] if turn in effective.amendments else None,
            effective.redecided_by.get(turn),
            effective.kept(turn),
            effective.place.get(turn),
            turn in effective.new_place,
        )
        if status != TurnStatus():
            statuses[turn] = status
    return statuses


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
    turn = turn_in(log, number)
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
