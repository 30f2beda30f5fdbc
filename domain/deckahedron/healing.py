"""Healing (DH 29 to 33)."""

from domain.deckahedron.actions import Heal
from domain.deckahedron.days import HOURS_OF_A_DAY, must_have_hours
from domain.deckahedron.events import Healed
from domain.deckahedron.rests import come_back, which_stay
from domain.deckahedron.sheet import DeckahedronDecision
from domain.deckahedron.turning import Piles
from domain.naming import called
from domain.system.citing import rule
from domain.turn import refuse_unless


@rule("DH 29")
def heal(decision: DeckahedronDecision, action: Heal) -> None:
    """A day in a peaceful place with resources. The incapacitated can be healed too; it does not end that."""
    if action.by is not None:
        heal_at_once(decision, action)
        return
    refuse_unless(
        decision.table.scene == "haven",
        "DH 29",
        f"{called(action.character)} can heal only in a peaceful place with resources, or by magic or an item.",
    )
    days = [None if action.day is None else action.day + later for later in range(action.days)]
    for day in days:
        must_have_hours(decision, action.character, day, HOURS_OF_A_DAY, healing=True)
    piles = Piles(decision, action.character, action.shuffled)
    for time, day in enumerate(days, start=1):
        get_better(decision, piles, action, day=day, time=time)
    piles.shuffles.finish(rule="DH 33")


@rule("DH 30")
def heal_at_once(decision: DeckahedronDecision, action: Heal) -> None:
    """Magic or an item heals in any scene and takes no day."""
    piles = Piles(decision, action.character, action.shuffled)
    get_better(decision, piles, action, day=action.day, time=1)
    piles.shuffles.finish(rule="DH 33")


@rule("DH 32", "DH 33")
def get_better(decision: DeckahedronDecision, piles: Piles, action: Heal, *, day: int | None, time: int) -> None:
    """All Harm comes off; as many cards stay exhausted as Wound tokens are left, and the others come back."""
    piles.read()
    wounds, removed = one_wound_off(decision, piles)
    kept = which_stay(piles, wounds, action.kept if time == 1 else None, rule="DH 33", time=time)
    freed = come_back(piles, kept, rule="DH 33")
    decision.tell(
        Healed(
            **piles.fields,
            wounds=wounds,
            harm=0,
            kept=kept,
            freed=freed,
            removed=removed,
            by=action.by,
            how=action.how,
            day=day,
        )
    )


@rule("DH 31")
def one_wound_off(decision: DeckahedronDecision, piles: Piles) -> tuple[int, str | None]:
    """One Wound token comes off, and with it, unless ruled otherwise, the lowest Wound card, wherever it lies."""
    sheet = decision.sheet(piles.character)
    if not sheet.wounds:
        return 0, None
    removed = next(iter(sheet.wound_cards), None) if decision.options.wound_card_removed else None
    piles.deck = [card for card in piles.deck if card != removed]
    piles.discard = [card for card in piles.discard if card != removed]
    return sheet.wounds - 1, removed
