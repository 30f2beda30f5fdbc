"""Moving cards: whatever leaves the active area ends its bonus and takes its summon along."""

from collections.abc import Iterable

from domain.gloomhaven.classes import find_card
from domain.gloomhaven.events import CardsDiscarded, CardsLost, CardsReturned, Named, SummonGone
from domain.gloomhaven.facts import CardFacts, ClassFacts
from domain.gloomhaven.sheet import CountsAs, Deciding, GloomhavenState
from domain.system.citing import rule

UNKNOWN = ClassFacts(class_="unknown", hand_size=2, hp=(1,) * 9, cards=())


def facts_of(state: GloomhavenState, name: str) -> ClassFacts:
    """The class of a character, as the log learned it; a class that no standing turn tells has no cards."""
    return state.table.classes.get(state.characters[name].class_, UNKNOWN)


def card_meant(decision: Deciding, name: str, ref: int | str) -> CardFacts:
    """The card of this character's class. Raises Refusal, naming the nearest."""
    return find_card(facts_of(decision.state, name), ref)


def named(state: GloomhavenState, name: str, cards: Iterable[int]) -> tuple[Named, ...]:
    """Cards with their names, in the order given."""
    facts = facts_of(state, name)
    found = ((number, facts.card(number)) for number in cards)
    return tuple(Named(number, card.name if card else f"card {number}") for number, card in found)


@rule("GH 46")
def _summons_leave(decision: Deciding, name: str, cards: Iterable[int]) -> None:
    """A summon is gone when its card leaves the active area."""
    for summon in decision.sheet(name).summons:
        if summon.card in cards:
            decision.tell(SummonGone(name, summon.name))


def lose(decision: Deciding, name: str, *cards: int, why: str | None = None) -> None:
    if cards:
        _summons_leave(decision, name, cards)
        decision.tell(CardsLost(name, named(decision.state, name, cards), why))


def discard(decision: Deciding, name: str, *cards: int, why: str | None = None) -> None:
    if cards:
        _summons_leave(decision, name, cards)
        decision.tell(CardsDiscarded(name, named(decision.state, name, cards), why))


def take_back(decision: Deciding, name: str, *cards: int) -> None:
    if cards:
        _summons_leave(decision, name, cards)
        decision.tell(CardsReturned(name, named(decision.state, name, cards)))


@rule("GH 71", "GH 72", "GH 74")
def put(decision: Deciding, name: str, card: int, to: CountsAs, why: str | None = None) -> None:
    """An active card whose effect ends goes to its pile: lost with the symbol, else discarded."""
    (lose if to == "lost" else discard)(decision, name, card, why=why)
