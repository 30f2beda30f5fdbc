"""Recovering cards into the hand."""

from typing import Annotated, Literal

from msgspec import Meta

from domain.gloomhaven.exhaustion import must_take_part
from domain.gloomhaven.piles import facts_of, find_own_card, take_back
from domain.gloomhaven.sheet import Character, GloomhavenDecision, Refs
from domain.naming import called, key_of, possessive, quantity
from domain.refusal import Refusal, refuse_unless
from domain.system.citing import rule
from domain.turn import Action, Positive

#: The word that stands for every card of the kind.
ALL = "all"


class Recover(Action, frozen=True, kw_only=True, tag="gloomhaven.recover"):
    """Recover discarded or lost cards into the hand."""

    character: Character
    cards: Annotated[Refs, Meta(description="the cards, or all of the kind", extra={"all": True})]
    kind: Annotated[Literal["discarded", "lost"], Meta(description="the kind that the ability names")]
    up_to: Annotated[
        Positive | None,
        Meta(description="how many the ability allows", extra={"otherwise": "as many as are named", "in_order": True}),
    ] = None

    @rule("GH 29", "GH 52", "GH 53", "GH 73")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Takes cards of the kind back, also active ones that count as such; no unrecoverable lost one."""
        name = self.character
        must_take_part(decision, name)
        sheet, facts = decision.sheet(name), facts_of(decision.state, name)
        pile = sheet.lost if self.kind == "lost" else sheet.discard
        kind = {*pile, *(bonus.card for bonus in sheet.active if bonus.counts_as == self.kind)}
        cards = self.cards
        if len(cards) == 1 and isinstance(cards[0], str) and key_of(cards[0]) == ALL:
            known_cards = [facts.card(number) for number in sorted(kind)]
            cards = tuple(card.id for card in known_cards if card and (self.kind != "lost" or not card.unrecoverable))
            refuse_unless(cards, "GH 52", f"{called(name)} has no {self.kind} card to recover.")
        if self.up_to is not None and len(cards) > self.up_to:
            raise Refusal("GH 52", f"This recovers at most {quantity(self.up_to, 'card')}, not {len(cards)}.")
        chosen_cards: list[int] = []
        for ref in cards:
            card = find_own_card(decision, name, ref)
            refuse_unless(card.id in kind, "GH 52", f"{card.name} is not among {possessive(name)} {self.kind} cards.")
            refuse_unless(
                self.kind != "lost" or not card.unrecoverable,
                "GH 53",
                f"{card.name} cannot be recovered once it is lost.",
            )
            refuse_unless(card.id not in chosen_cards, "GH 52", f"{card.name} is named twice.")
            chosen_cards.append(card.id)
        take_back(decision, name, *chosen_cards)
