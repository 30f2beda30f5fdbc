"""The piles of cards: moving cards between them, and the summons that leave with an active card.

A card is moved from whichever pile it is in, and a card in no pile is not moved. So each card stays in exactly one
pile, whatever events are folded in whatever order.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from msgspec import UNSET
from msgspec.structs import replace

from domain.gloomhaven.classes import find_card
from domain.gloomhaven.facts import Named, PrintedCard, PrintedClass
from domain.gloomhaven.order import whose_turn
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
from domain.naming import called, did_you_mean, key_of, listed, possessive
from domain.refusal import Unknown
from domain.system.citing import rule
from domain.system.story import Share, left_out
from domain.turn import Event, Sentence

# -- the cards of a class ------------------------------------------------------------------------------


UNKNOWN = PrintedClass(class_="unknown", hand_size=2, hp=(1,) * 9, cards=())


def facts_of(state: GloomhavenState, name: str) -> PrintedClass:
    """The class of a character; one without cards if the turn that stored the class is undone."""
    return state.table.classes.get(state.characters[name].class_, UNKNOWN)


def find_own_card(decision: GloomhavenDecision, name: str, ref: int | str) -> PrintedCard:
    """The card of this character's class. Raises Unknown, naming the ally whose card it is, or the nearest."""
    try:
        return find_card(facts_of(decision.state, name), ref)
    except Unknown as error:
        for owner in decision.state.characters:
            try:
                card = find_card(facts_of(decision.state, owner), ref)
            except Unknown:
                continue
            turn = whose_turn(decision.state) == name
            reason = f"It is {possessive(name)} turn, and {card.name} is" if turn else f"{card.name} is"
            raise Unknown("card", ref, f"{reason} {possessive(owner)} card") from None
        raise error from None


def named_cards(state: GloomhavenState, name: str, cards: Iterable[int]) -> tuple[Named, ...]:
    """The cards with their names, in the same order."""
    facts = facts_of(state, name)
    facts_by_number = ((number, facts.card(number)) for number in cards)
    return tuple(Named(number, card.name if card else f"card {number}") for number, card in facts_by_number)


def ids(cards: Iterable[Named]) -> tuple[int, ...]:
    """The numbers of the cards, in the same order."""
    return tuple(card.id for card in cards)


# -- which pile holds a card ---------------------------------------------------------------------------


def move(state: GloomhavenState, name: str, cards: Iterable[int], to: Pile, bonus: ActiveBonus | None = None) -> None:
    """Fold cards into a pile, from any other; cards in no pile are skipped. `bonus` is that of an active card."""
    sheet = state.characters.get(name)
    if sheet is None:
        return
    in_piles = sheet.cards
    moved_cards = tuple(dict.fromkeys(card for card in cards if card in in_piles))
    if moved_cards:
        state.change(name, **_piles_after(sheet, moved_cards, to, bonus))


def _piles_after(sheet: GloomhavenSheet, cards: tuple[int, ...], to: Pile, bonus: ActiveBonus | None) -> dict[str, Any]:
    piles: dict[str, Any] = {
        pile: tuple(card for card in getattr(sheet, pile) if card not in cards)
        for pile in ("hand", "selected", "discard", "lost")
    }
    active = tuple(bonus for bonus in sheet.active if bonus.card not in cards)
    if to == "active":
        assert bonus is not None
        active = tuple(sorted((*active, bonus), key=lambda active_bonus: active_bonus.card))
    elif to == "selected":
        piles[to] = cards
    else:
        piles[to] = tuple(sorted((*piles[to], *cards)))
    return {**piles, "active": active}


def taken_back(sheet: GloomhavenSheet) -> dict[str, Any]:
    """The fields that mark a face-down selection as never to be revealed, so that others never see it."""
    if sheet.selection is None:
        return {}
    return {"selection": None, "taken_back": (*sheet.taken_back, sheet.selection)}


def refreshing_allies(fold: Callable[[Any, GloomhavenState], None]) -> Callable[[Any, GloomhavenState], None]:
    """Decorate a fold so that the sheets of allies who are lent a bonus are replaced too.

    Sheets are compared by identity to find those that changed, and a lent bonus is part of the ally's view.
    """

    def fold_both(self: Any, state: GloomhavenState) -> None:
        allies = _characters_served(state, self.character)
        fold(self, state)
        for ally in allies | _characters_served(state, self.character):
            state.change(ally)

    return fold_both


def _characters_served(state: GloomhavenState, name: str) -> set[str]:
    """The allies whose sheets show a bonus that this character lends."""
    sheet = state.characters.get(name)
    return {ally for bonus in sheet.active for ally in bonus.beneficiaries} if sheet is not None else set()


def slots_drawn(bonus: Mapping[str, Any]) -> str:
    """The slots of an active card, as the sheet shows it: the one with the token is full."""
    return "".join("●" if number == bonus["token"] else "○" for number in range(len(bonus["slots"])))


# -- moving them ---------------------------------------------------------------------------------------


def lose(decision: GloomhavenDecision, name: str, *cards: int, why: str | None = None) -> None:
    """Move cards to the lost pile; the summons of active ones leave with them."""
    if cards:
        _summons_leave(decision, name, cards)
        decision.tell(CardsLost(name, named_cards(decision.state, name, cards), why))


class _CardsGone(Event, frozen=True):
    """Cards go to a `pile`, from wherever they were; `does` is what the sentence calls it."""

    pile: ClassVar[Pile]
    does: ClassVar[str]

    character: str
    cards: tuple[Named, ...]
    why: str | None = None

    def sentence(self) -> Sentence:
        why = f" {self.why}" if self.why else ""
        return (f"{called(self.character)} {self.does} {listed(card.name for card in self.cards)}{why}.",)

    @refreshing_allies
    def fold(self, state: GloomhavenState) -> None:
        move(state, self.character, ids(self.cards), self.pile)


class CardsLost(_CardsGone, frozen=True, tag="gloomhaven.cards_lost"):
    """Cards go to the lost pile."""

    pile: ClassVar[Pile] = "lost"
    does: ClassVar[str] = "loses"

    def in_story(self) -> Share:
        return Share(self.character, self.does, what=tuple(card.name for card in self.cards))


def discard(decision: GloomhavenDecision, name: str, *cards: int, why: str | None = None) -> None:
    """Move cards to the discard pile; the summons of active ones leave with them."""
    if cards:
        _summons_leave(decision, name, cards)
        decision.tell(CardsDiscarded(name, named_cards(decision.state, name, cards), why))


class CardsDiscarded(_CardsGone, frozen=True, tag="gloomhaven.cards_discarded"):
    """Cards go to the discard pile."""

    pile: ClassVar[Pile] = "discard"
    does: ClassVar[str] = "discards"

    in_story = left_out


def take_back(decision: GloomhavenDecision, name: str, *cards: int) -> None:
    """Move cards into the hand; the summons of active ones leave with them."""
    if cards:
        _summons_leave(decision, name, cards)
        decision.tell(CardsReturned(name, named_cards(decision.state, name, cards)))


class CardsReturned(Event, frozen=True, tag="gloomhaven.cards_returned"):
    """Cards come back into the hand."""

    character: str
    cards: tuple[Named, ...]

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} takes {listed(card.name for card in self.cards)} back into hand.",)

    in_story = left_out

    @refreshing_allies
    def fold(self, state: GloomhavenState) -> None:
        move(state, self.character, ids(self.cards), "hand")


@rule("GH 71", "GH 72", "GH 74")
def put(decision: GloomhavenDecision, name: str, card: int, to: CountsAs, why: str | None = None) -> None:
    """Move an active card whose effect ends to its pile, `to`."""
    (lose if to == "lost" else discard)(decision, name, card, why=why)


@rule("GH 46")
def _summons_leave(decision: GloomhavenDecision, name: str, cards: Iterable[int]) -> None:
    """Remove the summons whose cards leave the active area."""
    for summon in decision.sheet(name).summons:
        if summon.card in cards:
            decision.tell(SummonGone(name, summon.name))


class SummonGone(Event, frozen=True, tag="gloomhaven.summon_gone"):
    """A summon leaves the board."""

    cites: ClassVar[tuple[str, ...]] = ("GH 46",)
    character: str
    summon: str

    def sentence(self) -> Sentence:
        return (f"{called(self.summon)} leaves the board.",)

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None:
            state.change(
                self.character, summons=tuple(summon for summon in sheet.summons if summon.name != self.summon)
            )
        _stop_serving(state, Place(self.character, self.summon))


def _stop_serving(state: GloomhavenState, vacant_place: Place) -> None:
    """Remove a summon from the bonuses that served it, so that they do not serve another of the same name."""
    for owner, sheet in state.characters.items():
        if any(vacant_place in bonus.served_summons for bonus in sheet.active):
            active = tuple(
                replace(
                    bonus, ally_summons=tuple(place for place in bonus.served_summons if place != vacant_place) or UNSET
                )
                for bonus in sheet.active
            )
            state.change(owner, active=active)


# -- summons on the sheet ------------------------------------------------------------------------------


def find_summon(decision: GloomhavenDecision, name: str, summon: str) -> SummonOnBoard:
    """The character's summon of this name. Raises Unknown, naming the nearest."""
    summons = decision.sheet(name).summons
    for summon_there in summons:
        if key_of(summon_there.name) == key_of(summon):
            return summon_there
    hint = did_you_mean(summon, [summon_there.name for summon_there in summons], otherwise="none is on the board.")
    raise Unknown("summon", summon, f"{called(name)} has no summon {summon.strip()!r}", hint)


def summons_on_board(state: GloomhavenState) -> list[SummonOnBoard]:
    """The summons of all characters."""
    return [summon for sheet in state.characters.values() for summon in sheet.summons]


def find_ally(decision: GloomhavenDecision, ref: str) -> Place:
    """The character or summon of this name; "OWNER/SUMMON" names one of several. Raises Unknown, naming the nearest."""
    if ref in decision.state.characters:
        return Place(ref)
    summons = [
        Place(name, summon.name) for name, sheet in decision.state.characters.items() for summon in sheet.summons
    ]
    for place in summons:
        if key_of(ref) in (key_of(str(place.summon)), key_of(f"{place.character}/{place.summon}")):
            return place
    allies = [*decision.state.characters, *(str(place.summon) for place in summons)]
    raise Unknown(
        "ally",
        ref,
        f"There is no ally {ref.strip()!r}",
        lambda: did_you_mean(ref, allies, otherwise="nobody is there."),
    )


def change_summon(state: GloomhavenState, name: str, summon: str, **changes: Any) -> None:
    """Replace fields of one summon; without effect if it is not on the board."""
    sheet = state.characters.get(name)
    if sheet is not None and sheet.summon(summon) is not None:
        summons = tuple(
            replace(candidate, **changes) if candidate.name == summon else candidate for candidate in sheet.summons
        )
        state.change(name, summons=summons)
