"""Damage: shields, then the bonuses that must be used, then the choice.

On each source of damage: active shields and those of items take off what they can; a persistent bonus that
negates damage is used if anything is left; what is left then is suffered, or negated with cards.
"""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from domain.gloomhaven.bonuses import advance, advances_on, retaliation, serving, shields
from domain.gloomhaven.conditions import gain
from domain.gloomhaven.exhaustion import able, exhaust
from domain.gloomhaven.facts import Condition
from domain.gloomhaven.piles import card_meant, lose
from domain.gloomhaven.sheet import (
    FIGURES,
    Character,
    GloomhavenDecision,
    GloomhavenState,
    LoseDiscard,
    LoseHand,
    Source,
    hit_points,
)
from domain.naming import called
from domain.refusal import Refusal
from domain.system.citing import rule
from domain.turn import Action, Event, Positive, Sentence, Whole, refuse_unless


class Damage(Action, frozen=True, kw_only=True, tag="gloomhaven.damage"):
    """Deal damage to a character, who suffers it or loses cards to negate it."""

    shorts: ClassVar = {"d": {}}

    character: Character
    amount: Annotated[Whole, Meta(description="the damage before shields")]
    source: Source = None
    attack: Annotated[bool, Meta(description="whether it comes from an attack")] = True
    distance: Annotated[Positive, Meta(description="how many hexes away the attacker is; 1: adjacent")] = 1
    item_shield: Annotated[Whole, Meta(description="Shield from items against this attack")] = 0
    effects: Annotated[
        Annotated[tuple[Condition, ...], Meta(min_length=1)] | None, Meta(description="conditions that come with it")
    ] = None
    lose_hand: LoseHand = None
    lose_discard: LoseDiscard = None

    def decide(self, decision: GloomhavenDecision) -> None:
        """One source of damage, with the conditions that come with it."""
        name = self.character
        able(decision, name)
        shielded = 0
        if self.attack:
            item_shields_are_used(decision, name, self.item_shield)
            shielded = shields(decision.state, name) + self.item_shield
        struck_back = retaliation(decision.state, name, self.distance) if self.attack else 0
        left = after_shields(self.amount, shielded)
        deal(
            decision,
            name,
            self.amount,
            left,
            source=self.source,
            attack=self.attack,
            lose_hand=self.lose_hand,
            lose_discard=self.lose_discard,
        )
        if not decision.sheet(name).exhausted:
            gain(decision, name, self.effects or ())
            if struck_back:
                retaliate(decision, name, struck_back, self.source)


@rule("GH 31", "GH 33")
def after_shields(amount: int, shielded: int) -> int:
    """What shields leave of an attack: never less than nothing."""
    return max(0, amount - shielded)


@rule("GH 20", "GH 25")
def item_shields_are_used(decision: GloomhavenDecision, name: str, item_shield: int) -> None:
    """An item of use circles that shields must be used against an attack while one of its circles is free."""
    items = decision.sheet(name).items
    for number in items.ready:
        facts = decision.table.items.get(number)
        if item_shield or facts is None or not facts.shields:
            continue
        refuse_unless(
            facts.circles <= items.circles_used.get(str(number), 0),
            "GH 20",
            f"{called(name)} must use {facts.name} against an attack; use it and give its shield with --item-shield.",
        )


# -- suffering or negating it --------------------------------------------------------------------------


@rule("GH 1", "GH 2", "GH 9", "GH 27")
def deal(
    decision: GloomhavenDecision,
    name: str,
    amount: int,
    left: int,
    *,
    source: str | None,
    attack: bool,
    lose_hand: int | str | None,
    lose_discard: Sequence[int | str] | None,
) -> None:
    """Suffer or negate what shields leave of one source of damage. Hit points below 1 exhaust at once."""
    serve = list(serving(decision.state, name))
    moved = [(owner, bonus) for owner, bonus in serve if attack and _moves(decision, owner, bonus.card, "attacked")]
    negating = next(((owner, bonus) for owner, bonus in serve if left and bonus.negates_damage), None)
    paying = lose_hand is not None or lose_discard is not None
    refuse_unless(
        not paying or (left and negating is None),
        "GH 1",
        f"There is no damage left to negate; {called(name)} keeps the cards.",
    )
    if left:
        moved += [
            (owner, bonus)
            for owner, bonus in serve
            if _moves(decision, owner, bonus.card, "damaged")
            and (negating == (owner, bonus) or (negating is None and not bonus.negates_damage))
        ]
    cards = payment(decision, name, lose_hand, lose_discard) if paying else ()
    for owner, bonus in moved:
        advance(decision, owner, bonus.card)
    hp = decision.sheet(name).hp
    if cards or negating or not left:
        by: Literal["cards", "bonus"] | None = "cards" if cards else "bonus" if negating else None
        decision.tell(Damaged(name, amount, left, by, hp, source, attack))
        lose(decision, name, *cards, why="to negate it")
        return
    hp = max(0, hp - left)
    decision.tell(Damaged(name, amount, left, None, hp, source, attack))
    if hp < 1:
        exhaust(decision, name, "hit points")


def _moves(decision: GloomhavenDecision, owner: str, card: int, on: str) -> bool:
    bonus = decision.sheet(owner).bonus(card)
    return bonus is not None and bonus.token is not None and advances_on(decision.state, owner, bonus) == on


@rule("GH 3", "GH 4", "GH 6")
def payment(
    decision: GloomhavenDecision, name: str, lose_hand: int | str | None, lose_discard: Sequence[int | str] | None
) -> tuple[int, ...]:
    """The cards that negate damage: exactly one of the hand, or exactly two of the discard pile."""
    who = called(name)
    if lose_hand is not None and lose_discard is not None:
        raise Refusal("GH 4", "Damage is negated with one card of the hand or two discarded ones, not with both.")
    refs = (lose_hand,) if lose_hand is not None else tuple(lose_discard or ())
    cards = tuple(card_meant(decision, name, ref) for ref in refs)
    citation, pile = ("GH 3", "hand") if lose_hand is not None else ("GH 4", "discard")
    if lose_hand is None:
        refuse_unless(
            len(cards) == len({card.id for card in cards}) == FIGURES["4"]["discarded_cards"],
            "GH 4",
            f"Negating with discarded cards takes exactly two different ones, not {len({card.id for card in cards})}.",
        )
    sheet = decision.sheet(name)
    for card in cards:
        refuse_unless(
            card.id not in sheet.selected,
            "GH 6",
            f"{card.name} is selected for this round: it is neither in hand nor discarded, and cannot pay.",
        )
        refuse_unless(
            sheet.bonus(card.id) is None,
            citation,
            f"{card.name} is active; it can pay for nothing until it is put away.",
        )
        where = "in hand" if pile == "hand" else "in the discard pile"
        refuse_unless(card.id in getattr(sheet, pile), citation, f"{who} does not have {card.name} {where}.")
    return tuple(card.id for card in cards)


class Damaged(Event, frozen=True, gc=False, tag="gloomhaven.damaged"):
    """One source of damage. `left` is what shields leave of `amount`, `hp` the hit points after it."""

    cites: ClassVar[tuple[str, ...]] = ("GH 1", "GH 2")
    character: str
    amount: int
    left: int
    negated: Literal["cards", "bonus"] | None
    hp: int
    source: str | None
    attack: bool

    def told(self) -> Sentence:
        who, source = called(self.character), f" ({self.source})" if self.source else ""
        what = f"{'an attack' if self.attack else 'damage'} of {self.amount}{source}"
        if not self.left:
            return (f"{who} takes no harm from {what}.",)
        if self.negated:
            return (f"{who} negates {what}.",)
        if self.left != self.amount:
            return (f"{who} suffers {self.left} of {what} and has {hit_points(self.hp)}.",)
        return (f"{who} suffers {self.left} damage{source} and has {hit_points(self.hp)}.",)

    def fold(self, state: GloomhavenState) -> None:
        state.change(self.character, hp=self.hp)


# -- retaliating ---------------------------------------------------------------------------------------


@rule("GH 34", "GH 36", "GH 37")
def retaliate(decision: GloomhavenDecision, name: str, amount: int, source: str | None) -> None:
    """After the attack, and only by those whom it did not exhaust."""
    decision.tell(Retaliated(name, amount, source))


class Retaliated(Event, frozen=True, gc=False, tag="gloomhaven.retaliated"):
    """The attacker takes this much."""

    cites: ClassVar[tuple[str, ...]] = ("GH 34", "GH 36")
    character: str
    amount: int
    source: str | None

    def told(self) -> Sentence:
        return (f"{called(self.character)} retaliates: {self.amount} damage to {self.source or 'the attacker'}.",)

    def fold(self, state: GloomhavenState) -> None:
        """The attacker's hit points are the table's; the fact is on record."""
