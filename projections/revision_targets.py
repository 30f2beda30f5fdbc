"""The preview of an undo, redo or amendment for one player: the turns that it names, without their outcome.

Whether a later turn stays legal, and its outcome, may depend on another player's secrets.
"""

from typing import Any

from msgspec import Struct

from domain.common.revisions import Amend
from domain.log.command_handler import CommandHandler
from domain.turn import Action, Sentence
from projections.chronicle import chronicle, readable
from projections.secrecy import Onlooker


class RevisionTarget(Struct, frozen=True):
    """One earlier turn that the action names, as the player sees it: `how` is "undone", "stands again", "amended"."""

    turn: int
    how: str
    parts: Sentence
    events: tuple[dict[str, Any], ...]
    #: The new action of an amendment.
    action: dict[str, Any] | None = None


def revision_targets(handler: CommandHandler, action: Action, viewer: str) -> list[RevisionTarget]:
    """The turns that an action names. Raises Refusal or Invalid for turns that it cannot name."""
    system, named = handler.system, handler.asked_of(action)
    into: dict[int, dict[str, Any]] = {}
    if isinstance(action, Amend):
        whole = readable(system, action)
        visible = Onlooker(system, handler.state(), viewer).action(action, whole, (), None)
        into = {amendment["turn"]: amendment["action"] for amendment in (visible, *visible.get("also", ()))}
    return [
        RevisionTarget(entry.turn, named[entry.turn], entry.parts, entry.events, into.get(entry.turn))
        for entry in chronicle(system, handler.log, viewer=viewer)
        if entry.turn in named
    ]
