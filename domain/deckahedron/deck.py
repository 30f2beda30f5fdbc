"""The deck of a character: twenty cards, ten of them with Stamina (DH 1)."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from domain.deckahedron.cards import FRESH_DECK, WOUND_CARDS, Cards, is_wound
from domain.deckahedron.sheet import (
    Attributes,
    Character,
    Dealer,
    DeckahedronDecision,
    DeckahedronSheet,
    DeckahedronState,
    Rank,
    foe_called,
)
from domain.deckahedron.turning import Piled, Piles, Shuffles
from domain.deckahedron.words import how_many
from domain.naming import called, heard_alike, possessive
from domain.refusal import Invalid, Refusal, refuse_unless
from domain.system.citing import rule
from domain.system.story import Share, left_out
from domain.turn import Action, Event, NewName, Sentence, Text


class Enrol(Action, frozen=True, kw_only=True, tag="deckahedron.enrol"):
    """Enrol a character with three attributes and a fresh deck."""

    shorts: ClassVar = {"enroll": {}}

    character: Annotated[NewName, Meta(description="the new character")]
    player: Annotated[Text | None, Meta(description="who plays the character", extra={"wanted": True})] = None
    strength: Annotated[Rank, Meta(description="rank of Strength, 1 to 4")]
    dexterity: Annotated[Rank, Meta(description="rank of Dexterity, 1 to 4")]
    intelligence: Annotated[Rank, Meta(description="rank of Intelligence, 1 to 4")]
    deck: Annotated[
        Cards | None,
        Meta(description="the shuffled deck as it lies on the table, top first", extra={"otherwise": "shuffled here"}),
    ] = None
    cards: Annotated[Dealer, Meta(description="who deals: the log, or the table, and then you report every card")] = (
        "log"
    )

    def announcement(self) -> str:
        return f"{called(self.character)} joins"

    @rule("DH 1")
    def decide(self, decision: DeckahedronDecision) -> None:
        """Enrols a character with a shuffled fresh deck of twenty cards, ten of them with Stamina."""
        alike = None if decision.chance.lenient else heard_alike(self.character, decision.table.foes)
        foe = alike or foe_called(decision.state, self.character)
        if foe in decision.table.foes:
            raise Refusal(None, f"{called(foe)} is a foe at the table; choose another name.")
        deck = decision.chance.shuffle(f"{self.character}/deck", FRESH_DECK, self.deck, rule="DH 1")
        ranks = (self.strength, self.dexterity, self.intelligence)
        decision.tell(Enrolled(self.character, self.player, *ranks, deck, UNSET if self.cards == "log" else self.cards))


class Enrolled(Event, frozen=True, tag="deckahedron.enrolled"):
    """A character joins with a fresh deck."""

    cites: ClassVar[tuple[str, ...]] = ("DH 1",)

    character: str
    player: str | None
    strength: int
    dexterity: int
    intelligence: int
    deck: tuple[str, ...]
    #: Left out where the log deals.
    cards: Literal["table"] | UnsetType = UNSET

    def sentence(self) -> Sentence:
        player = f", played by {self.player}," if self.player else ""
        place = " on the table" if self.cards else ""
        return (
            f"{called(self.character)}{player} joins with Strength {self.strength}, Dexterity {self.dexterity}, "
            f"Intelligence {self.intelligence} and a deck of {how_many(len(self.deck), 'card')}{place}.",
        )

    def in_story(self) -> Share:
        return Share(self.character, "joins")

    def fold(self, state: DeckahedronState) -> None:
        attributes = Attributes(self.strength, self.dexterity, self.intelligence)
        state.characters[self.character] = DeckahedronSheet(
            self.player, attributes, self.deck, cards=self.cards or "log"
        )


class KeepCards(Action, frozen=True, kw_only=True, tag="deckahedron.cards"):
    """Choose who deals the cards: the log or the table."""

    character: Character
    cards: Annotated[Dealer, Meta(description="who deals: the log, or the table, and then you report every card")]
    deck: Annotated[
        Cards | None,
        Meta(description="the face-down cards, top first, when the log takes over", extra={"otherwise": "shuffled"}),
    ] = None

    def announcement(self) -> str:
        return f"The {self.cards} deals {possessive(self.character)} cards"

    def check(self) -> None:
        if self.cards == "table" and self.deck is not None:
            raise Invalid("The table deals its own deck; leave the order out.")

    @rule("DH 1")
    def decide(self, decision: DeckahedronDecision) -> None:
        """Changes who deals; the piles stay, and the deck is shuffled if the log takes over."""
        if decision.sheet(self.character).cards == self.cards:
            raise Refusal(None, f"{possessive(self.character)} cards are dealt by the {self.cards} already.")
        piles = Piles(decision, self.character, self.deck)
        if self.cards == "log":
            piles.deck = list(piles.shuffles.order(piles.deck, rule="DH 1"))
        decision.tell(DealerChanged(**piles.fields, cards=self.cards))


class DealerChanged(Piled, frozen=True, kw_only=True, tag="deckahedron.dealer_changed"):
    """From now on the log deals, or the table."""

    cites: ClassVar[tuple[str, ...]] = ("DH 1",)

    cards: Dealer

    def sentence(self) -> Sentence:
        name, count = called(self.character), how_many(len(self.deck), "card")
        if self.cards == "log":
            return (f"The log deals {possessive(name)} cards from now on: {count} in the deck.",)
        return (f"{possessive(name)} cards lie on the table from now on: {count} in the deck.",)

    in_story = left_out

    def fold(self, state: DeckahedronState) -> None:
        self.lay(state, cards=self.cards)


@rule("DH 1")
def lay_out_anew(decision: DeckahedronDecision, name: str) -> None:
    """Shuffle all cards that are neither discarded nor exhausted into the deck, after an override. Raises Refusal."""
    sheet = decision.sheet(name)
    for card in sheet.wound_cards:
        refuse_unless(card in WOUND_CARDS, "DH 25", f"There is no Wound card {card!r}.")
    refuse_unless(len(set(sheet.wound_cards)) == len(sheet.wound_cards), "DH 1", "The same Wound card is named twice.")
    remaining = [*FRESH_DECK, *sorted(sheet.wound_cards)]
    for card in (*sheet.discard, *sheet.exhaustion):
        refuse_unless(
            card in remaining,
            "DH 1",
            f"Card {card} would lie in two places."
            if card in FRESH_DECK or card in sheet.wound_cards
            else f"{called(name)} has no card {card!r}.",
        )
        remaining.remove(card)
    for card in sheet.exhaustion:
        refuse_unless(not is_wound(card), "DH 25", f"Wound card {card} cycles between deck and discard pile only.")
    deck = Shuffles(decision, name, None).order(remaining, rule="DH 1")
    decision.tell(DeckShuffledAnew(character=name, deck=deck, discard=sheet.discard, exhaustion=sheet.exhaustion))


class DeckShuffledAnew(Piled, frozen=True, kw_only=True, tag="deckahedron.deck_shuffled_anew"):
    """After an override moved cards: whatever lies on no other pile is shuffled into the deck."""

    def sentence(self) -> Sentence:
        return (f"{possessive(self.character)} deck is shuffled anew: {how_many(len(self.deck), 'card')}.",)

    in_story = left_out
