"""Performing the played cards: where each goes, what experience it gives; attacks and their modifiers."""

from typing import Literal

from domain.gloomhaven.actions import Attack, DrawModifier, Perform
from domain.gloomhaven.events import AttackOpened, ModifierDrawn, Performed, named_one
from domain.gloomhaven.exhaustion import able
from domain.gloomhaven.facts import CardFacts, HalfFacts
from domain.gloomhaven.order import no_open_attack, not_resting, on_own_turn
from domain.gloomhaven.piles import card_meant
from domain.gloomhaven.sheet import ActiveBonus, Deciding
from domain.naming import called
from domain.refusal import Refusal
from domain.system.citing import rule
from domain.turn import refuse_unless


def perform(decision: Deciding, action: Perform) -> None:
    """One half of a played card is done and the card placed; a turn is one top and one bottom half."""
    name = action.character
    able(decision, name)
    for ally in action.beneficiaries or ():
        able(decision, ally)
    on_own_turn(decision, name)
    not_resting(decision, name)
    no_open_attack(decision, name)
    sheet, card = decision.sheet(name), card_meant(decision, name, action.card)
    refuse_unless(
        card.id in sheet.selected, "GH 69", f"{card.name} is not one of the two cards that {called(name)} plays."
    )
    refuse_unless(
        action.half not in sheet.halves,
        "GH 69",
        f"{called(name)} has performed a {action.half} half already; a turn is one top and one bottom.",
    )
    half = corrected(card, action)
    gained = 0 if action.basic else experience(half, action)
    bonus = None if action.basic or not action.abilities_used else becomes_active(card, half, action)
    lost = half.lost and not action.basic and action.abilities_used
    to: Literal["active", "lost", "discard"] = "active" if bonus else "lost" if lost else "discard"
    decision.tell(Performed(name, named_one(card), action.half, action.basic, to, bonus, gained, sheet.xp + gained))


def corrected(card: CardFacts, action: Perform) -> HalfFacts:
    """The half as its data says, with what the table corrects; corrected slots are advanced by hand."""
    half = card.half(action.half)
    active = half.active if action.active is None else None if action.active == "none" else action.active

    def told(correction: int | None, value: int) -> int:
        return value if correction is None else correction

    return HalfFacts(
        lost=half.lost if action.lost is None else action.lost,
        active=active,
        slots=half.slots if action.slots is None else action.slots,
        advances_on=half.advances_on if action.slots is None else "manual",
        xp=told(action.xp, half.xp),
        conditional_xp=half.conditional_xp,
        unrecoverable=half.unrecoverable,
        shield=told(action.shield, half.shield),
        retaliate=told(action.retaliate, half.retaliate),
        range=told(action.range, half.range),
        negates_damage=half.negates_damage,
    )


@rule("GH 63", "GH 64", "GH 65", "GH 68")
def experience(half: HalfFacts, action: Perform) -> int:
    """Experience comes when the action is taken, for using at least one ability; more if its condition is met."""
    if not action.abilities_used:
        refuse_unless(
            not half.xp, "GH 64", "A card is not played for its experience alone: use at least one of its abilities."
        )
        return 0
    return half.xp + (half.conditional_xp if action.condition_met else 0)


@rule("GH 21", "GH 23", "GH 28", "GH 29", "GH 69")
def becomes_active(card: CardFacts, half: HalfFacts, action: Perform) -> ActiveBonus | None:
    """The card in the active area, its token on the first slot; None if the half has no lasting effect."""
    if half.active is None:
        for field in ("slots", "shield", "retaliate", "range", "beneficiaries"):
            if getattr(action, field):
                raise Refusal(
                    "GH 21",
                    f"The {action.half} of {card.name} is no active bonus, so it has no {field}; "
                    "say active too if it is one.",
                )
        return None
    allies = tuple(ally for ally in action.beneficiaries or () if ally != action.character)
    return ActiveBonus(
        card=card.id,
        half=action.half,
        kind=half.active,
        counts_as="lost" if half.lost else "discarded",
        slots=half.slots,
        token=0 if half.slots else None,
        shield=half.shield,
        retaliate=half.retaliate,
        range=half.range,
        negates_damage=half.negates_damage,
        advances_on=half.advances_on if half.slots else None,
        beneficiaries=allies,
    )


@rule("GH 16")
def attack(decision: Deciding, action: Attack) -> None:
    """An attack is open until its modifier is drawn; items that affect it are used until then."""
    name = action.character
    able(decision, name)
    on_own_turn(decision, name)
    not_resting(decision, name)
    no_open_attack(decision, name)
    decision.tell(AttackOpened(name, action.target, action.value))


@rule("GH 16")
def draw_modifier(decision: Deciding, action: DrawModifier) -> None:
    name = action.character
    able(decision, name)
    refuse_unless(
        decision.sheet(name).attack is not None, "GH 16", f"{called(name)} has no attack open to draw a modifier for."
    )
    decision.tell(ModifierDrawn(name, action.modifier.strip()))
