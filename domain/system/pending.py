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
    #: The reason for a page, which shows no other line with it; otherwise as `why`.
    prompt: str = ""
    #: Whether cards or dice were drawn before it was asked: without an answer the next try draws the same.
    drawn: bool = False


def choices_in(decisions: Iterable[PendingDecision]) -> list[Choice]:
    """The choices of all these decisions."""
    return [choice for decision in decisions for choice in decision.choices]


def besides(first: Iterable[PendingDecision], more: Iterable[PendingDecision]) -> list[PendingDecision]:
    """The decisions of `more` whose choices are not all offered by the decisions of `first`."""
    actions = {choice.action for choice in choices_in(first)}
    return [
        pending
        for pending in more
        if not pending.choices or not all(choice.action in actions for choice in pending.choices)
    ]
