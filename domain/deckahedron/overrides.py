"""What no override may break: every card of a character lies somewhere, once, and tokens are two at most."""

from collections.abc import Mapping
from typing import Any

from domain.deckahedron.cards import FRESH_DECK, WOUND_CARDS, is_wound
from domain.deckahedron.events import DeckShuffledAnew, Recovered
from domain.deckahedron.harm import MOST_TOKENS
from domain.deckahedron.sheet import DeckahedronDecision
from domain.deckahedron.turning import Shuffles
from domain.naming import called
from domain.system.citing import rule
from domain.turn import refuse_unless


def audit(decision: DeckahedronDecision, name: str, overridden: Mapping[str, Any]) -> None:
    fields = overridden
    sheet = decision.sheet(name)
    refuse_unless(
        sheet.harm <= MOST_TOKENS, "DH 17", f"{called(name)} cannot bear {sheet.harm} Harm tokens; two are the most."
    )
    refuse_unless(
        sheet.wounds <= MOST_TOKENS,
        "DH 24",
        f"{called(name)} cannot bear {sheet.wounds} Wound tokens; two are the most.",
    )
    refuse_unless(
        sheet.incapacitated or fields.get("incapacitated_means") is None,
        "DH 9",
        f"{called(name)} is not incapacitated, so there is nothing to say about what it means.",
    )
    if "incapacitated" in fields and not sheet.incapacitated and sheet.incapacitated_means is not None:
        # what was said of it is over, and is not to come back with the next time
        decision.tell(Recovered(name, decision.action.why))  # type: ignore[attr-defined]
    if not fields.keys().isdisjoint({"discard", "exhaustion", "wound_cards"}):
        lay_out_anew(decision, name)


@rule("DH 1")
def lay_out_anew(decision: DeckahedronDecision, name: str) -> None:
    """The twenty cards and the Wound cards: what lies neither discarded nor exhausted is shuffled into the deck."""
    sheet = decision.sheet(name)
    for card in sheet.wound_cards:
        refuse_unless(card in WOUND_CARDS, "DH 25", f"There is no Wound card {card!r}.")
    refuse_unless(len(set(sheet.wound_cards)) == len(sheet.wound_cards), "DH 1", "The same Wound card is named twice.")
    left = [*FRESH_DECK, *sorted(sheet.wound_cards)]
    for card in (*sheet.discard, *sheet.exhaustion):
        refuse_unless(
            card in left,
            "DH 1",
            f"Card {card} would lie in two places."
            if card in FRESH_DECK or card in sheet.wound_cards
            else f"{called(name)} has no card {card!r}.",
        )
        left.remove(card)
    for card in sheet.exhaustion:
        refuse_unless(not is_wound(card), "DH 25", f"Wound card {card} cycles between deck and discard pile only.")
    deck = Shuffles(decision, name, None).order(left, rule="DH 1")
    decision.tell(DeckShuffledAnew(character=name, deck=deck, discard=sheet.discard, exhaustion=sheet.exhaustion))
