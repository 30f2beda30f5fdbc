"""Attack modifier decks in the log: their cards, drawing, and the changes by bless, curse and perks.

A deck is stored as a count of each card, not as an order: a card is drawn at random from all that are left, and a card
reported from the table must be among them.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from domain.gloomhaven.exhaustion import must_take_part
from domain.gloomhaven.sheet import (
    MODIFIERS,
    Character,
    GloomhavenDecision,
    GloomhavenState,
    ModifierCard,
    ModifierDeck,
)
from domain.naming import called, capitalised, inside, listed, possessive
from domain.refusal import Invalid, Refusal, refuse_unless
from domain.system.citing import rule
from domain.turn import Action, Event, NonEmptyText, Sentence

#: The cards of a fresh deck and their numbers.
FRESH: Mapping[str, int] = MODIFIERS["deck"]
#: The cards that cause a shuffle in the cleanup.
SHUFFLING: Sequence[str] = MODIFIERS["shuffle"]
#: The number of bless and curse cards for the whole party.
IN_THE_PARTY: Mapping[str, int] = MODIFIERS["in_the_party"]
#: The prefix of a card after which another one is drawn, and both count.
ROLLING = "rolling "
_PLAIN = re.compile(r"[+-]\d+|null|2x|bless|curse")
DeckKeeper = Literal["table", "deck"]
KeptBy = Annotated[DeckKeeper, Meta(description="who keeps the deck: the table, or the log (deck)")]
Cards = Annotated[tuple[ModifierCard, ...], Meta(min_length=1)]
How = Literal["advantage", "disadvantage"]


# -- who keeps the deck ----------------------------------------------------------------------------------


class KeepModifiers(Action, frozen=True, kw_only=True, tag="gloomhaven.modifiers"):
    """Choose who keeps a modifier deck: the log or the table."""

    verb: ClassVar[str] = "modifiers"

    character: Character
    modifiers: KeptBy

    @rule("GH 16")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Switches between a deck in the log, fresh but with its perks, and one at the table."""
        in_log = deck_of(decision.state, self.character) is not None
        if in_log == (self.modifiers == "deck"):
            keeper = "log" if in_log else "table"
            raise Refusal(None, f"The {keeper} keeps {possessive(self.character)} modifier deck already.")
        decision.tell(ModifiersKept(self.character, self.modifiers))


class ModifiersKept(Event, frozen=True, tag="gloomhaven.modifiers_kept"):
    """From now on the log keeps the deck, or the table does."""

    character: str
    modifiers: DeckKeeper

    def sentence(self) -> Sentence:
        if self.modifiers == "table":
            return (f"The table keeps {possessive(self.character)} modifier deck from now on.",)
        return (f"The log keeps {possessive(self.character)} modifier deck from now on.",)

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is None:
            return
        before = sheet.modifier_deck
        if self.modifiers == "deck":
            deck = fresh_deck() if before is None else fresh(before)
            state.change(self.character, modifier_deck=replace(deck, kept=True))
        elif before is not None:
            state.change(self.character, modifier_deck=replace(before, kept=False))


def fresh_deck() -> ModifierDeck:
    """The deck that every class starts with."""
    return ModifierDeck(cards=dict(FRESH))


def fresh(deck: ModifierDeck) -> ModifierDeck:
    """The deck between scenarios: all its own cards, without bless and curse."""
    return replace(deck, drawn={}, added={}, shuffles=False)


def deck_of(state: GloomhavenState, name: str) -> ModifierDeck | None:
    """The character's deck if the log keeps it; else None."""
    deck = state.characters[name].modifier_deck
    return deck if deck is not None and deck.kept else None


def left_in(deck: ModifierDeck) -> dict[str, int]:
    """The cards left to draw and their numbers, worst first."""
    counts = {card: count - deck.drawn.get(card, 0) for card, count in deck.cards.items()}
    for card, count in deck.added.items():
        counts[card] = counts.get(card, 0) + count
    return in_order({card: count for card, count in counts.items() if count > 0})


def in_order(cards: Mapping[str, int]) -> dict[str, int]:
    """The cards sorted by `worth`, worst first; equal ones alphabetically."""
    return {card: cards[card] for card in sorted(cards, key=lambda card: (worth(card), card))}


def worth(card: str) -> float:
    """The worth of a card by its number, for advantage and disadvantage; other effects are not compared."""
    plain = card.removeprefix(ROLLING)
    if plain in MODIFIERS["worst"]:
        return -100.0
    if plain in MODIFIERS["best"]:
        return 100.0
    number = plain.split()[0].replace("−", "-") if plain.split() else ""
    try:
        return float(int(number))
    except ValueError:
        return 0.0


def modifier_called(word: str) -> str:
    """The canonical name of a card: "1" becomes "+1", "x2" becomes "2x"."""
    text = " ".join(word.casefold().replace("−", "-").split())
    rolling = ROLLING if text.startswith(ROLLING) else ""
    text = text.removeprefix(ROLLING)
    head, _, tail = text.partition(" ")
    if head.isdecimal():
        head = f"+{int(head)}"
    if head == "-0":
        head = "+0"
    head = {"x2": "2x", "×2": "2x", "2×": "2x", "miss": "null", "crit": "2x"}.get(head, head)
    return rolling + " ".join(part for part in (head, tail) if part)


def cards_in(words: str) -> list[str]:
    """The cards in a typed text: "+1", "+1, +0", "+1 +0", "rolling +1, +0"."""
    if "," not in words and all(_PLAIN.fullmatch(modifier_called(word)) for word in words.split()):
        return words.split()
    return [card.strip() for card in words.split(",") if card.strip()]


def in_words(cards: Mapping[str, int]) -> str:
    """The cards as a list for people: "5 -1, 6 +0 and 1 null"."""
    return listed(f"{count} {card}" for card, count in cards.items()) or "none"


# -- drawing ---------------------------------------------------------------------------------------------


class DrawnModifiers(Struct, frozen=True):
    """The cards drawn from a deck in the log, in order; `counts` are the indexes of those that count."""

    cards: tuple[str, ...]
    counts: tuple[int, ...]
    #: The index before which the deck was shuffled because it was empty; None without a shuffle.
    shuffled: int | None
    #: Whether the log drew any of them.
    dealt: bool


class _Drawing:
    """A draw of several cards from one deck, at random or as reported."""

    def __init__(
        self, decision: GloomhavenDecision, name: str, deck: ModifierDeck, reported_words: Sequence[str]
    ) -> None:
        self._decision, self._name, self._deck = decision, name, deck
        self._reported_words = list(reported_words)
        self._all_reported = bool(reported_words)
        self._cards_left = left_in(deck)
        self.cards: list[str] = []
        self.shuffled: int | None = None
        self.dealt = False

    def draw(self) -> str:
        """Draw the next card. Raises Refusal if the reported one is not in the deck or one is missing."""
        if not any(self._cards_left.values()):
            in_hand = list(self.cards)
            fresh = {card: count - in_hand.count(card) for card, count in self._deck.cards.items()}
            self._cards_left = {card: count for card, count in fresh.items() if count > 0}
            self.shuffled = len(self.cards)
        among = [card for card, count in self._cards_left.items() for _ in range(count)]
        reported_word = self._next_of_report()
        key = f"{self._name}/modifier{'' if not self.cards else f' {len(self.cards) + 1}'}"
        if reported_word is not None and reported_word not in among and not self._decision.chance.lenient:
            raise Refusal(
                "GH 16",
                f"{possessive(self._name)} modifier deck has no {reported_word} left,"
                f" but {in_words(self._cards_left)}.",
            )
        (card,) = self._decision.chance.cards(
            key, among, 1, None if reported_word is None else (reported_word,), rule="GH 16"
        )
        self.dealt = self.dealt or not self._decision.chance.record_of(key).reported
        self._cards_left = {**self._cards_left, card: self._cards_left[card] - 1}
        self.cards.append(card)
        return card

    def _next_of_report(self) -> str | None:
        if self._reported_words:
            return self._reported_words.pop(0)
        if self._all_reported and not self._decision.chance.lenient:
            last = f"{self.cards[-1]} was drawn" if self.cards else "a card is drawn"
            raise Refusal("GH 16", f"{capitalised(last)}, so one card more is needed: report it too.")
        return None

    def finish(self) -> None:
        """Raise Refusal if more cards were reported than drawn."""
        if self._reported_words and not self._decision.chance.lenient:
            raise Refusal("GH 16", f"No card is drawn after {self.cards[-1]}; leave {self._reported_words[0]} out.")


@rule("GH 16")
def draw(
    decision: GloomhavenDecision, name: str, deck: ModifierDeck, reported_words: Sequence[str], how: How | None
) -> DrawnModifiers:
    """Draw from a deck in the log, at random or as reported. Raises Refusal.

    One card is drawn, and another after each rolling one; all count. With advantage or disadvantage two are drawn, and
    the better or the worse one counts, the first if they are equal. A rolling card is added with advantage and ignored
    with disadvantage; if both are rolling, cards are drawn until one is not.
    """
    drawing = _Drawing(decision, name, deck, [modifier_called(word) for word in reported_words])
    drawing.draw()
    if how is not None:
        drawing.draw()
    while all(card.startswith(ROLLING) for card in drawing.cards):
        drawing.draw()
    drawing.finish()
    cards = drawing.cards
    plain = [place for place, card in enumerate(cards) if not card.startswith(ROLLING)]
    if how is None or (how == "advantage" and len(plain) < len(cards)):
        counts = tuple(range(len(cards)))
    elif len(plain) < len(cards):
        counts = (plain[-1],)
    else:
        first, second = worth(cards[0]), worth(cards[1])
        better = 1 if second > first else 0
        worse = 1 if second < first else 0
        counts = (better if how == "advantage" else worse,)
    return DrawnModifiers(tuple(cards), counts, drawing.shuffled, drawing.dealt)


def after_drawing(deck: ModifierDeck, cards: Sequence[str], shuffled: int | None) -> ModifierDeck:
    """The deck after these cards were drawn; bless and curse cards leave it. `shuffled`: as in `DrawnModifiers`."""
    drawn_cards = {} if shuffled is not None else dict(deck.drawn)
    added_cards, shuffles = dict(deck.added), deck.shuffles
    for card in cards:
        if added_cards.get(card, 0) > 0:
            added_cards[card] -= 1
        elif drawn_cards.get(card, 0) < deck.cards.get(card, 0):
            drawn_cards[card] = drawn_cards.get(card, 0) + 1
        shuffles = shuffles or card in SHUFFLING
    return replace(
        deck, drawn=drawn_cards, added={card: count for card, count in added_cards.items() if count}, shuffles=shuffles
    )


def shuffle_in_cleanup(decision: GloomhavenDecision) -> None:
    """Shuffle the decks from which a null or a 2x was drawn this round."""
    for name in decision.state.characters:
        deck = deck_of(decision.state, name)
        if deck is not None and deck.shuffles:
            decision.tell(ModifiersShuffled(name))


class ModifiersShuffled(Event, frozen=True, tag="gloomhaven.modifiers_shuffled"):
    """The drawn modifiers are in the deck again."""

    character: str

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} shuffles the modifier deck.",)

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None and sheet.modifier_deck is not None:
            deck = replace(sheet.modifier_deck, drawn={}, shuffles=False)
            state.change(self.character, modifier_deck=deck)


# -- bless and curse -------------------------------------------------------------------------------------


def put_in(decision: GloomhavenDecision, name: str, card: str) -> None:
    """Put a bless or curse card into a deck in the log. Raises Refusal if the party has all of them."""
    most = IN_THE_PARTY[card]
    decks = (deck_of(decision.state, owner) for owner in decision.state.characters)
    there = sum(deck.added.get(card, 0) for deck in decks if deck is not None)
    refuse_unless(there < most, "GH 16", f"All {most} {card} cards are in the party's modifier decks already.")
    decision.tell(ModifierAdded(name, card))


class ModifierAdded(Event, frozen=True, tag="gloomhaven.modifier_added"):
    """A bless or curse card goes into the deck until it is drawn or the scenario ends; `removed`: it comes out."""

    character: str
    card: str
    removed: bool | UnsetType = UNSET

    def sentence(self) -> Sentence:
        name = called(self.character)
        if self.removed:
            return (f"A {self.card} card comes out of {possessive(name)} modifier deck.",)
        return (f"A {self.card} card goes into {possessive(name)} modifier deck.",)

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is None or sheet.modifier_deck is None:
            return
        deck = sheet.modifier_deck
        count = max(0, deck.added.get(self.card, 0) + (-1 if self.removed else 1))
        added_cards = {**deck.added, self.card: count}
        deck = replace(deck, added={card: number for card, number in added_cards.items() if number})
        state.change(self.character, modifier_deck=deck)


# -- perks -----------------------------------------------------------------------------------------------


class Perk(Action, frozen=True, kw_only=True, tag="gloomhaven.perk"):
    """Change a modifier deck for good, as a perk does."""

    character: Character
    add: Annotated[Cards | None, Meta(description="cards to add, like +1 or rolling +1")] = None
    remove: Annotated[Cards | None, Meta(description="cards to take out")] = None
    why: Annotated[NonEmptyText | None, Meta(description="which perk", extra={"remark": True})] = None

    def check(self) -> None:
        if not (self.add or self.remove):
            raise Invalid("A perk adds cards or takes some out; give add or remove.")

    @rule("GH 16")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Removes cards from the deck permanently and adds others."""
        name = self.character
        must_take_part(decision, name)
        deck = deck_of(decision.state, name)
        if deck is None:
            raise Refusal(None, f"The log does not keep {possessive(name)} modifier deck.")
        cards = dict(deck.cards)
        removed_cards = tuple(map(modifier_called, self.remove or ()))
        added_cards = tuple(map(modifier_called, self.add or ()))
        for card in (*removed_cards, *added_cards):
            refuse_unless(card not in IN_THE_PARTY, "GH 16", f"A {card} card cannot stay in a deck for good.")
        for card in removed_cards:
            there = cards.get(card, 0)
            refuse_unless(
                there, "GH 16", f"{possessive(name)} modifier deck has no {card}, but {in_words(in_order(cards))}."
            )
            cards[card] = there - 1
        for card in added_cards:
            cards[card] = cards.get(card, 0) + 1
        refuse_unless(any(cards.values()), "GH 16", f"{possessive(name)} modifier deck cannot be empty.")
        decision.tell(PerkTaken(name, added_cards, removed_cards, self.why))


class PerkTaken(Event, frozen=True, tag="gloomhaven.perk_taken"):
    """The deck is another one from now on."""

    character: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    why: str | None = None

    def sentence(self) -> Sentence:
        parts = [
            *([f"without {listed(self.removed)}"] if self.removed else []),
            *([f"with {listed(self.added)} more"] if self.added else []),
        ]
        why = f" ({inside(self.why)})" if self.why else ""
        return (f"{called(self.character)} takes a perk{why}: a modifier deck {listed(parts)}.",)

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is None or sheet.modifier_deck is None:
            return
        deck = sheet.modifier_deck
        cards, drawn_cards = dict(deck.cards), dict(deck.drawn)
        for card in self.removed:
            cards[card] = max(0, cards.get(card, 0) - 1)
            # a card can be removed from the drawn ones
            drawn_cards[card] = min(drawn_cards.get(card, 0), cards[card])
        for card in self.added:
            cards[card] = cards.get(card, 0) + 1
        state.change(
            self.character,
            modifier_deck=replace(
                deck,
                cards={card: count for card, count in cards.items() if count},
                drawn={card: count for card, count in drawn_cards.items() if count},
            ),
        )
