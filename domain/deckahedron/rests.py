"""Resting (DH 18 to 22), and what resting and healing have in common: cards that come back."""

from domain.deckahedron.actions import Rest
from domain.deckahedron.days import must_have_hours
from domain.deckahedron.events import Rested, counted
from domain.deckahedron.sheet import DeckahedronDecision
from domain.deckahedron.stamina import must_be_able_to_act
from domain.deckahedron.turning import Piles
from domain.naming import called
from domain.system.citing import rule
from domain.turn import refuse_unless


@rule("DH 18")
def rest(decision: DeckahedronDecision, action: Rest) -> None:
    """Out of combat, not travelling, for several hours."""
    name = called(action.character)
    must_be_able_to_act(decision, action.character, to="rest")
    refuse_unless(decision.table.scene != "combat", "DH 18", f"{name} cannot rest in combat.")
    refuse_unless(decision.table.scene != "travel", "DH 18", f"{name} cannot rest while travelling.")
    enough = decision.options.rest_hours
    refuse_unless(
        action.hours >= enough, "DH 18", f"{name} cannot rest in {counted(action.hours, 'hour')}; it takes {enough}."
    )
    must_have_hours(decision, action.character, action.day, action.hours)
    harm = one_harm_off(decision.sheet(action.character).harm)
    staying = how_many_stay(harm, decision.sheet(action.character).wounds)
    piles = Piles(decision, action.character, action.shuffled)
    kept = which_stay(piles, staying, action.kept)
    freed = come_back(piles, kept)
    decision.tell(Rested(**piles.fields, hours=action.hours, harm=harm, kept=kept, freed=freed, day=action.day))
    piles.shuffles.finish(rule="DH 22")


@rule("DH 19")
def one_harm_off(harm: int) -> int:
    """One Harm token comes off, if there is one."""
    return max(0, harm - 1)


@rule("DH 20")
def how_many_stay(harm: int, wounds: int) -> int:
    """As many cards stay exhausted as tokens are left on the pile."""
    return harm + wounds


@rule("DH 21")
def which_stay(
    piles: Piles, staying: int, kept: tuple[str, ...] | None, *, rule: str = "DH 21", time: int = 1
) -> tuple[str, ...]:
    """The cards that stay are drawn from the exhaustion pile at random; all of it stays if it holds no more.

    `time` counts the days of one healing.
    """
    pile = piles.exhaustion
    key = f"{piles.character}/kept{'' if time == 1 else f' {time}'}"
    drawn = piles.decision.chance.cards(key, pile, min(staying, len(pile)), kept, rule=rule)
    return tuple(card for card in pile if card in drawn)


@rule("DH 22")
def come_back(piles: Piles, kept: tuple[str, ...], *, rule: str = "DH 22") -> tuple[str, ...]:
    """All other exhausted cards are shuffled into the deck; by ruling, they go to the discard pile instead."""
    freed = tuple(card for card in piles.exhaustion if card not in kept)
    piles.exhaustion = list(kept)
    if piles.decision.options.rested_to == "discard":
        piles.discard += freed
    elif freed:
        piles.deck = list(piles.shuffles.order((*piles.deck, *freed), rule=rule))
    return freed
