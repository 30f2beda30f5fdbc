"""The invariants of a sheet, which an override must not break: each card in one pile, at most two tokens of a kind."""

from collections.abc import Mapping
from typing import Any

from domain.deckahedron.deck import lay_out_anew
from domain.deckahedron.harm import MOST_HARM, MOST_WOUNDS
from domain.deckahedron.incapacitation import Recovered
from domain.deckahedron.sheet import DeckahedronDecision
from domain.naming import called
from domain.refusal import refuse_unless


def audit(decision: DeckahedronDecision, name: str, overridden: Mapping[str, Any]) -> None:
    """Check a sheet after an override of these fields, and tell what follows from it.

    Raises Refusal if an invariant is broken.
    """
    sheet = decision.sheet(name)
    refuse_unless(
        sheet.harm <= MOST_HARM, "DH 17", f"{called(name)} cannot bear {sheet.harm} Harm tokens; two are the most."
    )
    refuse_unless(
        sheet.wounds <= MOST_WOUNDS,
        "DH 24",
        f"{called(name)} cannot bear {sheet.wounds} Wound tokens; two are the most.",
    )
    refuse_unless(
        sheet.incapacitated or overridden.get("incapacitated_means") is None,
        "DH 9",
        f"{called(name)} is not incapacitated, so there is nothing to say about what it means.",
    )
    if "incapacitated" in overridden and not sheet.incapacitated and sheet.incapacitated_means is not None:
        # clear the meaning, so that it does not reappear next time
        decision.tell(Recovered(name, decision.action.why))  # type: ignore[attr-defined]
    if not overridden.keys().isdisjoint({"discard", "exhaustion", "wound_cards"}):
        lay_out_anew(decision, name)
