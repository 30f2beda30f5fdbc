"""Damage: shields, then the bonuses that must be used, then the choice; and healing and conditions.

On each source of damage: active shields and those of items take off what they can; a persistent bonus that
negates damage is used if anything is left; what is left then is suffered, or negated with cards.
"""

from collections.abc import Sequence
from typing import Literal

from domain.gloomhaven.actions import Damage, Heal, SetCondition
from domain.gloomhaven.bonuses import advance, advances_on, retaliation, serving, shields
from domain.gloomhaven.events import ConditionGained, ConditionLost, Damaged, Healed, Retaliated
from domain.gloomhaven.exhaustion import able, exhaust
from domain.gloomhaven.piles import card_meant, facts_of, lose
from domain.gloomhaven.sheet import Deciding
from domain.naming import called
from domain.refusal import Refusal
from domain.system.citing import rule
from domain.turn import refuse_unless


def damage(decision: Deciding, action: Damage) -> None:
    """One source of damage, with the conditions that come with it."""
    name = action.character
    able(decision, name)
    shielded = 0
    if action.attack:
        item_shields_are_used(decision, name, action.item_shield)
        shielded = shields(decision.state, name) + action.item_shield
    struck_back = retaliation(decision.state, name, action.distance) if action.attack else 0
    left = after_shields(action.amount, shielded)
    deal(
        decision,
        name,
        action.amount,
        left,
        source=action.source,
        attack=action.attack,
        lose_hand=action.lose_hand,
        lose_discard=action.lose_discard,
    )
    if not decision.sheet(name).exhausted:
        gain(decision, name, action.effects or ())
        if struck_back:
            retaliate(decision, name, struck_back, action.source)


@rule("GH 31", "GH 33")
def after_shields(amount: int, shielded: int) -> int:
    """What shields leave of an attack: never less than nothing."""
    return max(0, amount - shielded)


@rule("GH 34", "GH 36", "GH 37")
def retaliate(decision: Deciding, name: str, amount: int, source: str | None) -> None:
    """After the attack, and only by those whom it did not exhaust."""
    decision.tell(Retaliated(name, amount, source))


@rule("GH 20", "GH 25")
def item_shields_are_used(decision: Deciding, name: str, item_shield: int) -> None:
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


@rule("GH 1", "GH 2", "GH 9", "GH 27")
def deal(
    decision: Deciding,
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


def _moves(decision: Deciding, owner: str, card: int, on: str) -> bool:
    bonus = decision.sheet(owner).bonus(card)
    return bonus is not None and bonus.token is not None and advances_on(decision.state, owner, bonus) == on


@rule("GH 3", "GH 4", "GH 6")
def payment(
    decision: Deciding, name: str, lose_hand: int | str | None, lose_discard: Sequence[int | str] | None
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
            len(cards) == 2 and len({card.id for card in cards}) == 2,
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


@rule("GH 5")
def gain(decision: Deciding, name: str, conditions: Sequence[str]) -> None:
    """Conditions take hold whether or not the damage was negated; twice is once."""
    for condition in conditions:
        if condition not in decision.sheet(name).conditions:
            decision.tell(ConditionGained(name, condition))


def heal(decision: Deciding, action: Heal) -> None:
    able(decision, action.character)
    heal_by(decision, action.character, action.amount, action.source)


@rule("GH 7", "GH 8")
def heal_by(decision: Deciding, name: str, amount: int, source: str | None) -> None:
    """Poison takes up the whole heal, a wound is healed along with it; hit points rise to the maximum at most."""
    sheet = decision.sheet(name)
    cured = tuple(each for each in ("poison", "wound") if each in sheet.conditions)
    hp = sheet.hp
    if "poison" not in cured:
        # somebody above the maximum (a ruling of the table) is not brought down by a heal
        hp = max(hp, min(facts_of(decision.state, name).max_hp(sheet.level), hp + amount))
    decision.tell(Healed(name, amount, hp, cured, source))


def set_condition(decision: Deciding, action: SetCondition) -> None:
    """Conditions come and go by the table's word; nothing expires by itself."""
    able(decision, action.character)
    kind = ConditionGained if action.gained else ConditionLost
    decision.tell(kind(action.character, action.condition))
