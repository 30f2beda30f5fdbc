"""Where cards lie: moving them, and what leaves with a card that leaves the active area.

A card is moved by taking it out of whichever pile holds it; a card that no pile of the character holds is
left alone. So each card stays in exactly one pile, whatever facts come in whatever order.
"""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from msgspec import UNSET
from msgspec.structs import replace

from domain.gloomhaven.classes import find_card
from domain.gloomhaven.order import whose_turn
from domain.gloomhaven.printed import Named, PrintedCard, PrintedClass
from domain.gloomhaven.sheet import (
    ActiveBonus,
    CountsAs,
    GloomhavenDecision,
    GloomhavenSheet,
    GloomhavenState,
    Pile,
    Place,
    SummonOnBoard,
)
from domain.naming import called, did_you_mean, key_of, listed
from domain.refusal import Unknown
from domain.system.citing import rule
from domain.system.story import ELSEWHERE, Elsewhere, Share
from domain.turn import Event, Sentence

# -- the cards of a class ------------------------------------------------------------------------------


UNKNOWN = PrintedClass(class_="unknown", hand_size=2, hp=(1,) * 9, cards=())


def facts_of(state: GloomhavenState, name: str) -> PrintedClass:
    """The class of a character, as the log learned it; a class that no standing turn tells has no cards."""
    return state.table.classes.get(state.characters[name].class_, UNKNOWN)


def card_meant(decision: GloomhavenDecision, name: str, ref: int | str) -> PrintedCard:
    """The card of this character's class. Raises Unknown, which says whose card it is, or names the nearest."""
    try:
        return find_card(facts_of(decision.state, name), ref)
    except Unknown as error:
        for other in decision.state.characters:
            try:
                card = find_card(facts_of(decision.state, other), ref)
            except Unknown:
                continue
            turn = whose_turn(decision.state) == name
            told = f"It is {called(name)}'s turn, and {card.name} is" if turn else f"{card.name} is"
            raise Unknown("card", ref, f"{told} {called(other)}'s card") from None
        raise error from None


def named(state: GloomhavenState, name: str, cards: Iterable[int]) -> tuple[Named, ...]:
    """Cards with their names, in the order given."""
    facts = facts_of(state, name)
    found = ((number, facts.card(number)) for number in cards)
    return tuple(Named(number, card.name if card else f"card {number}") for number, card in found)


def ids(cards: Iterable[Named]) -> tuple[int, ...]:
    return tuple(card.id for card in cards)


# -- which pile holds a card ---------------------------------------------------------------------------


def move(state: GloomhavenState, name: str, cards: Iterable[int], to: Pile, bonus: ActiveBonus | None = None) -> None:
    sheet = state.characters.get(name)
    if sheet is None:
        return
    held = sheet.cards
    moved = tuple(dict.fromkeys(card for card in cards if card in held))
    if moved:
        state.change(name, **_moved(sheet, moved, to, bonus))


def _moved(sheet: GloomhavenSheet, moved: tuple[int, ...], to: Pile, bonus: ActiveBonus | None) -> dict[str, Any]:
    piles: dict[str, Any] = {
        pile: tuple(card for card in getattr(sheet, pile) if card not in moved)
        for pile in ("hand", "selected", "discard", "lost")
    }
    active = tuple(each for each in sheet.active if each.card not in moved)
    if to == "active":
        assert bonus is not None
        active = tuple(sorted((*active, bonus), key=lambda each: each.card))
    elif to == "selected":
        piles[to] = moved
    else:
        piles[to] = tuple(sorted((*piles[to], *moved)))
    return {**piles, "active": active}


def taken_back(sheet: GloomhavenSheet) -> dict[str, Any]:
    """What lies face down is never revealed any more, so others never see what it was."""
    if sheet.selection is None:
        return {}
    return {"selection": None, "taken_back": (*sheet.taken_back, sheet.selection)}


def seen_by_allies(fold: Callable[[Any, GloomhavenState], None]) -> Callable[[Any, GloomhavenState], None]:
    """Sheets are compared by identity to find what changed: one that shows a lent bonus is replaced with it."""

    def both(self: Any, state: GloomhavenState) -> None:
        allies = _served(state, self.character)
        fold(self, state)
        for ally in allies | _served(state, self.character):
            state.change(ally)

    return both


def _served(state: GloomhavenState, name: str) -> set[str]:
    """The allies whose sheets show a bonus that this character lends."""
    sheet = state.characters.get(name)
    return {ally for bonus in sheet.active for ally in bonus.beneficiaries} if sheet is not None else set()


# -- moving them ---------------------------------------------------------------------------------------


def lose(decision: GloomhavenDecision, name: str, *cards: int, why: str | None = None) -> None:
    if cards:
        _summons_leave(decision, name, cards)
        decision.tell(CardsLost(name, named(decision.state, name, cards), why))


class CardsLost(Event, frozen=True, tag="gloomhaven.cards_lost"):
    """Cards go to the lost pile, from wherever they were."""

    character: str
    cards: tuple[Named, ...]
    why: str | None = None

    def told(self) -> Sentence:
        why = f" {self.why}" if self.why else ""
        return (f"{called(self.character)} loses {listed(card.name for card in self.cards)}{why}.",)

    def in_story(self) -> Share:
        return Share(self.character, "loses", what=tuple(card.name for card in self.cards))

    @seen_by_allies
    def fold(self, state: GloomhavenState) -> None:
        move(state, self.character, ids(self.cards), "lost")


def discard(decision: GloomhavenDecision, name: str, *cards: int, why: str | None = None) -> None:
    if cards:
        _summons_leave(decision, name, cards)
        decision.tell(CardsDiscarded(name, named(decision.state, name, cards), why))


class CardsDiscarded(Event, frozen=True, tag="gloomhaven.cards_discarded"):
    """Cards go to the discard pile, from wherever they were."""

    character: str
    cards: tuple[Named, ...]
    why: str | None = None

    def told(self) -> Sentence:
        why = f" {self.why}" if self.why else ""
        return (f"{called(self.character)} discards {listed(card.name for card in self.cards)}{why}.",)

    def in_story(self) -> Elsewhere:
        return ELSEWHERE

    @seen_by_allies
    def fold(self, state: GloomhavenState) -> None:
        move(state, self.character, ids(self.cards), "discard")


def take_back(decision: GloomhavenDecision, name: str, *cards: int) -> None:
    if cards:
        _summons_leave(decision, name, cards)
        decision.tell(CardsReturned(name, named(decision.state, name, cards)))


class CardsReturned(Event, frozen=True, tag="gloomhaven.cards_returned"):
    """Cards come back into the hand."""

    character: str
    cards: tuple[Named, ...]

    def told(self) -> Sentence:
        return (f"{called(self.character)} takes {listed(card.name for card in self.cards)} back into hand.",)

    def in_story(self) -> Elsewhere:
        return ELSEWHERE

    @seen_by_allies
    def fold(self, state: GloomhavenState) -> None:
        move(state, self.character, ids(self.cards), "hand")


@rule("GH 71", "GH 72", "GH 74")
def put(decision: GloomhavenDecision, name: str, card: int, to: CountsAs, why: str | None = None) -> None:
    """An active card whose effect ends goes to its pile: lost with the symbol, else discarded."""
    (lose if to == "lost" else discard)(decision, name, card, why=why)


@rule("GH 46")
def _summons_leave(decision: GloomhavenDecision, name: str, cards: Iterable[int]) -> None:
    """A summon is gone when its card leaves the active area."""
    for summon in decision.sheet(name).summons:
        if summon.card in cards:
            decision.tell(SummonGone(name, summon.name))


class SummonGone(Event, frozen=True, tag="gloomhaven.summon_gone"):
    """A summon leaves the board."""

    cites: ClassVar[tuple[str, ...]] = ("GH 46",)
    character: str
    summon: str

    def told(self) -> Sentence:
        return (f"{called(self.summon)} leaves the board.",)

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None:
            state.change(self.character, summons=tuple(each for each in sheet.summons if each.name != self.summon))
        _serve_no_more(state, Place(self.character, self.summon))


def _serve_no_more(state: GloomhavenState, gone: Place) -> None:
    """Bonuses that served a summon do not serve another of its name."""
    for owner, sheet in state.characters.items():
        if any(gone in bonus.served_summons for bonus in sheet.active):
            active = tuple(
                replace(bonus, ally_summons=tuple(each for each in bonus.served_summons if each != gone) or UNSET)
                for bonus in sheet.active
            )
            state.change(owner, active=active)


# -- summons on the sheet ------------------------------------------------------------------------------


def find_summon(decision: GloomhavenDecision, name: str, summon: str) -> SummonOnBoard:
    """The character's summon of this name. Raises Unknown, naming the nearest."""
    summons = decision.sheet(name).summons
    for each in summons:
        if key_of(each.name) == key_of(summon):
            return each
    hint = did_you_mean(summon, [each.name for each in summons], otherwise="none is on the board.")
    raise Unknown("summon", summon, f"{called(name)} has no summon {summon.strip()!r}", hint)


def ally_meant(decision: GloomhavenDecision, ref: str) -> Place:
    """A character, or the summon of this name; "owner/summon" says whose. Raises Refusal, naming the nearest."""
    if ref in decision.state.characters:
        return Place(ref)
    summons = [Place(name, each.name) for name, sheet in decision.state.characters.items() for each in sheet.summons]
    for place in summons:
        if key_of(ref) in (key_of(str(place.summon)), key_of(f"{place.character}/{place.summon}")):
            return place
    known = [*decision.state.characters, *(str(place.summon) for place in summons)]
    raise Unknown(
        "ally", ref, f"There is no ally {ref.strip()!r}", lambda: did_you_mean(ref, known, otherwise="nobody is there.")
    )


def change_summon(state: GloomhavenState, name: str, summon: str, **changes: Any) -> None:
    """Replace fields of one summon; if it is not there, nothing changes."""
    sheet = state.characters.get(name)
    if sheet is not None and sheet.summon(summon) is not None:
        summons = tuple(replace(each, **changes) if each.name == summon else each for each in sheet.summons)
        state.change(name, summons=summons)
