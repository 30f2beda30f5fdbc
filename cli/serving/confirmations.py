"""Which taps are asked about before they are done: what nobody takes lightly, and what ends something for everybody."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec
from msgspec.structs import replace

from cli.recording.audience import Audience
from cli.serving.buttons import label_of
from cli.serving.tap import ConfirmationNeeded, Tap
from cli.serving.tap_handler import TapHandler
from domain.choice import Choice
from domain.naming import called, capitalised, listed
from domain.refusal import Invalid
from domain.registry import action_from, verb_name
from domain.system.drafts import about
from domain.turn import Action


def confirmation_of(taps: TapHandler, tap: Tap) -> ConfirmationNeeded | None:
    """What is asked before a tap that nobody takes lightly, or that ends something for everybody.

    The latter names who has not done yet what it ends.
    """
    audience = taps.audience
    if tap.sure or taps.permissions.only_reads:
        return None
    choice = _choice_of(audience, tap)
    if choice is None:
        return None
    kind, sure = choice.action, replace(tap, sure=True)
    if choice.is_grave:
        label = label_of(choice).capitalize()
        return ConfirmationNeeded((taps.outcome_of(choice) or label,), sure, why=f"{label}?", label=label)
    if not kind.ends_for_everybody:
        return None
    label = verb_name(kind).replace("-", " ")
    waiting = tuple(_still_waiting(audience, kind))
    if not waiting and kind.confirm_only_if_unready:
        return None
    label = capitalised(label)
    return ConfirmationNeeded((*waiting, kind.ends_for_everybody), sure, why=f"{label}?", label=label)


def _choice_of(audience: Audience, tap: Tap) -> Choice | None:
    """The choice that a tap makes, or its action as one; None of a line."""
    if tap.choice:
        return audience.choice_of(tap.choice)
    if tap.action:
        with suppress(msgspec.DecodeError, RecursionError, Invalid):
            fields = msgspec.json.decode(tap.action, type=dict[str, Any])
            kind = type(action_from(audience.log.rules, fields))
            return Choice(kind, {name: value for name, value in fields.items() if name != "type"})
    return None


def _still_waiting(audience: Audience, kind: type[Action]) -> Iterator[str]:
    """Who could still do something now, a sentence each."""
    for decision in audience.system.pending_now(audience.current()):
        others = dict.fromkeys(
            about(choice) for choice in decision.choices if choice.action is not kind and about(choice)
        )
        if others:
            yield (decision.why or decision.prompt or f"{listed(map(called, filter(None, others)))} can still choose.")
