"""What a player may know beforehand of an undo, redo or amendment: what it asks for, and nothing of what comes of it.

Whether a later turn is still legal, and what it comes to, may rest on what another player holds.
"""

from typing import Any

from msgspec import Struct

from domain.common.revisions import Amend
from domain.log.command_handler import CommandHandler
from domain.turn import Action, Sentence
from projections.chronicle import chronicle, readable
from projections.secrecy import Onlooker


class RevisionTarget(Struct, frozen=True):
    """One earlier turn that is asked about, as the player sees it: `how` is "undone", "stands again", "amended"."""

    turn: int
    how: str
    parts: Sentence
    events: tuple[dict[str, Any], ...]
    #: What it would be amended into.
    action: dict[str, Any] | None = None


def revision_targets(handler: CommandHandler, action: Action, viewer: str) -> list[RevisionTarget]:
    """The turns that an action asks about. Raises Refusal or Invalid for turns that it cannot name."""
    system, asked = handler.system, handler.asked_of(action)
    into: dict[int, dict[str, Any]] = {}
    if isinstance(action, Amend):
        told = readable(system, action)
        seen = Onlooker(system, handler.state(), viewer).action(action, told, (), None)
        into = {each["turn"]: each["action"] for each in (seen, *seen.get("also", ()))}
    return [
        RevisionTarget(entry.turn, asked[entry.turn], entry.parts, entry.events, into.get(entry.turn))
        for entry in chronicle(system, handler.log, viewer=viewer)
        if entry.turn in asked
    ]
