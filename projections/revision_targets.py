"""The preview of an undo, redo or amendment for one player: the turns that it names, without their outcome.

Whether a later turn stays legal, and its outcome, may depend on another player's secrets.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from domain.common.revisions import Amend
from domain.log.command_handler import Command, CommandHandler
from domain.log.effective_history import effective_history
from domain.turn import Action, Sentence
from projections.chronicle_range import entries_between
from projections.revision_sentences import amendment_in_words
from projections.secrecy import Onlooker, readable


class RevisionTarget(Struct, frozen=True):
    """One earlier turn that the action names, as the player sees it: `how` is "undone", "restored", "amended"."""

    turn: int
    how: str
    parts: Sentence
    events: Sequence[dict[str, Any]]
    #: The new action of an amendment.
    action: dict[str, Any] | None = None
    #: What the amendment changes of it, in words; "" where it is not the player's to see.
    change: str = ""


def revision_targets(handler: CommandHandler, action: Action, viewer: str) -> list[RevisionTarget]:
    """The turns that an action names. Raises Refusal or Invalid for turns that it cannot name."""
    system, revision = handler.system, handler.revision_of(Command(action))
    revisions = revision.direct_changes() if revision is not None else {}
    into: dict[int, dict[str, Any]] = {}
    changes: dict[int, str] = {}
    if isinstance(action, Amend):
        whole = readable(system, action)
        sees = Onlooker(system, handler.state(), viewer)
        visible = sees.action(action, whole, (), None)
        into = {amendment["turn"]: amendment["action"] for amendment in (visible, *visible.get("also", ()))}
        history = effective_history(handler.log)
        before = {
            turn.number: readable(system, history.action(turn))
            for turn in handler.log.read(after=min(into) - 1, upto=max(into))
            if turn.number in into
        }
        changes = {
            turn: amendment_in_words(system, sees.amendment(before[turn]), new)
            for turn, new in into.items()
            if turn in before
        }
    if not revisions:
        return []
    log = handler.log
    entries = entries_between(system, log, log.last(), min(revisions), max(revisions), revisions, viewer=viewer)
    return [
        RevisionTarget(
            entry.turn,
            revisions[entry.turn],
            entry.parts,
            entry.events,
            into.get(entry.turn),
            changes.get(entry.turn, ""),
        )
        for entry in entries
    ]
