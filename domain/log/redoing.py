"""Redoing: which undos can be taken back, and whether the latest is meant by a bare redo.

Right after an undo a redo takes back what was just done. Later, typed by habit, it would bring an old mistake
back; so then it has to be said which undo is meant.
"""

from collections.abc import Iterator
from itertools import islice

from msgspec import Struct

from domain.common.notes import Note
from domain.common.revisions import Redo, Undo
from domain.common.sheets import SheetCheck
from domain.log.effective_history import effective_history
from domain.log.port import Log
from domain.log.snapshots import EVERY
from domain.naming import listed
from domain.refusal import Refusal
from domain.registry import tag_of
from domain.turn import TurnUndone

#: What may come between an undo and the redo of it: it changes no sheet.
QUIET = (Undo, Redo, Note, SheetCheck)
#: So many undos are named to whoever named none.
MOST_TOLD = 8


class StandingUndo(Struct, frozen=True):
    """An undo that stands, and the turns that it took back."""

    turn: int
    turns: tuple[int, ...]


def standing_undos(log: Log) -> Iterator[StandingUndo]:
    """The undos that a redo may take back, newest first. The log is read backwards, as far as they are asked for."""
    end, width = log.last(), EVERY
    while end > 0:
        after = max(0, end - width)
        effective = effective_history(log, after=after)
        for turn in reversed(list(log.read(after, end, (tag_of(Undo),)))):
            if effective.stands(turn.number):
                yield StandingUndo(
                    turn.number, tuple(event.turn for event in turn.events if isinstance(event, TurnUndone))
                )
        end, width = after, 2 * width


def check_nothing_came_since(log: Log) -> None:
    """Raise Refusal, listing the latest undos that stand, if more than undos, notes and checks came after the last."""
    undos = list(islice(standing_undos(log), MOST_TOLD + 1))
    if not undos or all(isinstance(turn.action, QUIET) for turn in log.read(after=undos[0].turn)):
        return
    known = [f"T{each.turn} undid {listed(f'T{turn}' for turn in each.turns)}" for each in undos[:MOST_TOLD]]
    if len(undos) > MOST_TOLD:
        known.append("and there are earlier ones")
    raise Refusal(None, f"There are turns after the latest undo; say which undo to restore. {'; '.join(known)}.")
