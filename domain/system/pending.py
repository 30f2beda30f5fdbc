"""What the table waits for, and the actions that settle it."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from domain.turn import Action


class Choice(Struct, frozen=True):
    """One action that settles a matter: what of it is known already, and the fields that somebody has to fill in."""

    action: type[Action]
    fields: Mapping[str, Any] = {}
    asks: tuple[str, ...] = ()
    #: What choosing it means, in a few words, where its line alone does not say it.
    says: str = ""


class PendingDecision(Struct, frozen=True):
    """Something that the table waits for: why, as a sentence (none where the ways say it), and what settles it."""

    choices: tuple[Choice, ...]
    why: str = ""
    #: What it means to leave it at that, where that is an answer too ("stays down").
    leave: str = ""
    #: The same as `why` for a page, which has no line beside it that says it.
    prompt: str = ""


def besides(told: Iterable[PendingDecision], more: Iterable[PendingDecision]) -> list[PendingDecision]:
    """The matters of `more` that those told already do not settle: none of them asks for all of the same actions."""
    known = {choice.action for pending in told for choice in pending.choices}
    return [
        pending
        for pending in more
        if not pending.choices or not all(choice.action in known for choice in pending.choices)
    ]
