"""Redoing: the undos that can be redone, and the check of a redo without a turn.

Directly after an undo a bare redo reverses it. Later, typed by habit, it could bring an old mistake back; so then the
undo must be named.
"""

from collections.abc import Iterator
from itertools import islice

from msgspec import Struct

from domain.choice import Choice
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

#: The actions that may be between an undo and a bare redo: they change no sheet.
QUIET = (Undo, Redo, Note, SheetCheck)
#: The maximum of undos that a refusal lists.
MOST_LISTED = 8
#: The maximum of them that are offered as lines.
MOST_OFFERED = 2


class StandingUndo(Struct, frozen=True):
    """A standing undo, and the turns that it undid."""

    turn: int
    turns: tuple[int, ...]


def standing_undos(log: Log) -> Iterator[StandingUndo]:
    """The undos that can be redone, newest first; the log is read backwards lazily."""
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
    """Raise Refusal, listing the latest standing undos, if any but `QUIET` actions followed the last one."""
    undos = list(islice(standing_undos(log), MOST_LISTED + 1))
    if not undos or all(isinstance(turn.action, QUIET) for turn in log.read(after=undos[0].turn)):
        return
    sentences = [f"T{undo.turn} undid {listed(f'T{turn}' for turn in undo.turns)}" for undo in undos[:MOST_LISTED]]
    if len(undos) > MOST_LISTED:
        sentences.append("and there are earlier ones")
    reason = f"There are turns after the latest undo; say which undo to restore. {'; '.join(sentences)}."
    raise Refusal(None, reason, [Choice(Redo, {"turn": undo.turn}) for undo in undos[:MOST_OFFERED]])
