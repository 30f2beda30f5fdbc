"""Pending decisions: what the table waits for, and the actions that settle it."""

from collections.abc import Iterable

from msgspec import Struct

from domain.choice import Choice


class PendingDecision(Struct, frozen=True):
    """Something the table waits for: the reason as a sentence (empty if the choices say it), and what settles it."""

    choices: tuple[Choice, ...]
    why: str = ""
    #: What it means to choose nothing, if that is an answer too ("stays down").
    leave: str = ""
    #: The same as `why` for a page, which has no line beside it that says it.
    prompt: str = ""


def besides(shown: Iterable[PendingDecision], more: Iterable[PendingDecision]) -> list[PendingDecision]:
    """The decisions of `more` whose choices are not all offered by the decisions in `told` already."""
    offered = {choice.action for pending in shown for choice in pending.choices}
    return [
        pending
        for pending in more
        if not pending.choices or not all(choice.action in offered for choice in pending.choices)
    ]
