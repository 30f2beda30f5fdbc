"""Redoing: which undos can be taken back, and whether the latest is meant by a bare redo.

Right after an undo a redo takes back what was just done. Later, typed by habit, it would bring an old mistake
back; so then it has to be said which undo is meant.
"""

from msgspec import Struct

from domain.common.notes import Note
from domain.common.revisions import Redo, Undo
from domain.common.sheets import SheetCheck
from domain.log.port import Log
from domain.log.standing import judge
from domain.naming import listed
from domain.refusal import Refusal
from domain.system.registry import tag_of
from domain.turn import TurnUndone

#: What may come between an undo and the redo of it: it changes no sheet.
QUIET = (Undo, Redo, Note, SheetCheck)


class Took(Struct, frozen=True):
    """An undo that stands, and the turns that it took back."""

    turn: int
    turns: tuple[int, ...]


def standing_undos(log: Log) -> list[Took]:
    """The undos that a redo may take back, newest first."""
    judgement = judge(log)
    return [
        Took(turn.number, tuple(word.turn for word in turn.events if isinstance(word, TurnUndone)))
        for turn in reversed(list(log.read(topics=(tag_of(Undo),))))
        if judgement.stands(turn.number)
    ]


def check_nothing_came_since(log: Log) -> None:
    """Raise Refusal, listing the undos that stand, if more than undos, notes and checks came after the latest."""
    undos = standing_undos(log)
    if not undos:
        return
    latest = undos[0].turn
    if all(isinstance(turn.action, QUIET) for turn in log.read(after=latest)):
        return
    told = "; ".join(f"T{each.turn} took back {listed(f'T{turn}' for turn in each.turns)}" for each in undos)
    raise Refusal(None, f"More was done since the latest undo; say which one is to be redone. {told}.")
