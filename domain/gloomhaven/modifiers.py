"""Attack modifier decks in the log: their cards, drawing, and the changes by bless, curse and perks.

A deck is stored as a count of each card, not as an order: a card is drawn at random from all that are left, and a card
reported from the table must be among them. Only of cards that somebody has looked at is it known where they lie.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from domain.choice import Choice
from domain.gloomhaven.exhaustion import must_take_part
from domain.gloomhaven.facts import Condition
from domain.gloomhaven.sheet import (
    MODIFIERS,
    Character,
    GloomhavenDecision,
    GloomhavenState,
    ModifierCard,
    ModifierDeck,
)
from domain.naming import called, capitalised, inside, listed, possessive, quantity
from domain.refusal import Invalid, Refusal, refuse_unless
from domain.system.citing import rule
from domain.system.story import left_out
from domain.turn import Action, Event, NonEmptyText, Positive, Sentence

#: The cards of a fresh deck and their numbers.
FRESH: Mapping[str, int] = MODIFIERS["deck"]
#: The cards that cause a shuffle in the cleanup.
SHUFFLING: Sequence[str] = MODIFIERS["shuffle"]
#: The number of bless and curse cards for the whole party.
IN_THE_PARTY: Mapping[str, int] = MODIFIERS["in_the_party"]
#: The prefix of a card after which another one is drawn, and both count.
ROLLING = "rolling "
#: What stands behind the number of a card that causes no shuffle, though its like does: "2x no shuffle".
WITHOUT_SHUFFLE = "no shuffle"
_PLAIN = re.compile(r"[+-]\d+|null|2x|bless|curse")
_CONDITIONS = "|".join(get_args(Condition))
_ELEMENTS = "fire|ice|air|wind|earth|leaf|light|sun|dark|night|any element"
_EFFECTS = (
    rf"{_CONDITIONS}|{_ELEMENTS}|(push|pull|pierce|heal|shield|retaliate|range|move|loot) \d+|add target|\+?1 target"
    r"|refresh( (an?|one|spent))? items?|no shuffle|without shuffle"
)


def _card(number: str) -> str:
    """What a card says: its value and its effects, or these alone on a rolling one."""
    return (
        rf"(?i:(rolling )?({number}|2x( no shuffle)?|x2|2×|×2|null|miss|crit|bless|curse)"
        rf"( ({_EFFECTS}))*|rolling ({_EFFECTS})( ({_EFFECTS}))*)"
    )


#: What is typed of a card: the numbers of the game's cards go from -2 to +4.
CARD = _card(r"\+?[0-4]|[−-][0-2]")
#: What a perk of an earlier log may have, whose numbers nobody checked.
ANY_CARD = _card(r"[+−-]?\d{1,2}")
#: What is typed of the cards that were drawn: one, or several one after another.
REPORT = rf"{CARD}(,? {CARD})*"
DeckKeeper = Literal["table", "deck"]
KeptBy = Annotated[DeckKeeper, Meta(description="who keeps the deck: the table, or the log (deck)")]
Cards = Annotated[tuple[Annotated[ModifierCard, Meta(extra={"written_as": CARD})], ...], Meta(min_length=1)]
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
    return replace(deck, drawn={}, added={}, out={}, top=(), bottom=(), shuffles=False)


def deck_of(state: GloomhavenState, name: str) -> ModifierDeck | None:
    """The character's deck if the log keeps it; else None."""
    deck = state.characters[name].modifier_deck
    return deck if deck is not None and deck.kept else None


def left_in(deck: ModifierDeck) -> dict[str, int]:
    """The cards left to draw and their numbers, worst first."""
    counts = {card: count - deck.drawn.get(card, 0) for card, count in in_scenario(deck).items()}
    for card, count in deck.added.items():
        counts[card] = counts.get(card, 0) + count
    return in_order({card: count for card, count in counts.items() if count > 0})


def in_scenario(deck: ModifierDeck) -> dict[str, int]:
    """The own cards of the deck, without those that are out until the scenario ends."""
    return {card: count - deck.out.get(card, 0) for card, count in deck.cards.items()}


def where_unknown(deck: ModifierDeck) -> list[str]:
    """The cards left to draw of which nobody knows where they lie, worst first."""
    seen = Counter((*deck.top, *deck.bottom))
    return [card for card, count in left_in(deck).items() for _ in range(count - seen[card])]


def in_order(cards: Mapping[str, int]) -> dict[str, int]:
    """The cards sorted by `worth`, worst first; equal ones alphabetically."""
    return {card: cards[card] for card in sorted(cards, key=lambda card: (worth(card), card))}


def worth(card: str) -> float:
    """The worth of a card by its number, for advantage and disadvantage; other effects are not compared."""
    plain = card.removeprefix(ROLLING)
    first = plain.split()[0] if plain.split() else ""
    if first in MODIFIERS["worst"]:
        return -100.0
    if first in MODIFIERS["best"]:
        return 100.0
    number = first.replace("−", "-")
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
    if tail == "without shuffle":
        tail = WITHOUT_SHUFFLE
    return rolling + " ".join(part for part in (head, tail) if part)


def cards_in(words: str) -> list[str]:
    """The cards in a typed text: "+1", "+1, +0", "+1 +0", "rolling +1, +0"."""
    if "," not in words and all(_PLAIN.fullmatch(modifier_called(word)) for word in words.split()):
        return words.split()
    return [card.strip() for card in words.split(",") if card.strip()]


def must_be_cards(cards: Sequence[str]) -> None:
    """Raise Invalid for what no modifier card says."""
    for card in cards:
        if re.fullmatch(ANY_CARD, " ".join(card.split())) is None:
            raise Invalid(f"{card!r} is no modifier card; write its value and effects, like +1, rolling +1 or +2 stun.")


def cards_in_words(cards: Mapping[str, int]) -> str:
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
        self._top, self._bottom = list(deck.top), list(deck.bottom)
        self._unknown = where_unknown(deck)
        self.cards: list[str] = []
        self.shuffled: int | None = None
        self.dealt = False

    def draw(self) -> str:
        """Draw the next card. Raises Refusal if the reported one is not in the deck or one is missing."""
        if not (self._top or self._unknown or self._bottom):
            in_hand = list(self.cards)
            fresh = in_order(in_scenario(self._deck))
            self._unknown = [card for card, count in fresh.items() for _ in range(count - in_hand.count(card))]
            self.shuffled = len(self.cards)
        among = self._top[:1] or self._unknown or self._bottom[:1]
        reported_word = self._next_of_report()
        key = f"{self._name}/modifier{'' if not self.cards else f' {len(self.cards) + 1}'}"
        if reported_word is not None and reported_word not in among and not self._decision.chance.lenient:
            deck = f"{possessive(self._name)} modifier deck"
            there = cards_in_words(in_order(Counter(among)))
            raise Refusal(
                "GH 16",
                f"{deck} has no {reported_word} left, but {there}."
                if among == self._unknown
                else f"The next card of {deck} is known: {among[0]}, not {reported_word}.",
            )
        (card,) = self._decision.chance.cards(
            key, among, 1, None if reported_word is None else (reported_word,), rule="GH 16"
        )
        self.dealt = self.dealt or not self._decision.chance.record_of(key).reported
        for pile in (self._top, self._unknown, self._bottom):
            if pile:
                pile.remove(card)
                break
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
    if shuffled is not None:
        deck = replace(deck, top=(), bottom=())
    known_below = len(where_unknown(deck)) + len(deck.top)
    deck = replace(deck, top=deck.top[len(cards) :], bottom=deck.bottom[max(0, len(cards) - known_below) :])
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
    """The drawn modifiers are in the deck again; `undrawn`: they are not, and the others are shuffled."""

    character: str
    undrawn: bool | UnsetType = UNSET

    def sentence(self) -> Sentence:
        if self.undrawn:
            return (f"{called(self.character)} shuffles what is left of the modifier deck.",)
        return (f"{called(self.character)} shuffles the modifier deck.",)

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None and sheet.modifier_deck is not None:
            deck = replace(sheet.modifier_deck, top=(), bottom=())
            state.change(
                self.character, modifier_deck=deck if self.undrawn else replace(deck, drawn={}, shuffles=False)
            )


# -- by hand ---------------------------------------------------------------------------------------------


class Shuffle(Action, frozen=True, kw_only=True, tag="gloomhaven.shuffle"):
    """Shuffle a modifier deck by hand."""

    character: Character
    undrawn: Annotated[bool, Meta(description="only what is left to draw; drawn cards stay out")] = False

    @rule("GH 16")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Shuffles a deck in the log, so that nobody knows any more where its cards lie."""
        deck_in_log(decision, self.character)
        decision.tell(ModifiersShuffled(self.character, self.undrawn or UNSET))


class Look(Action, frozen=True, kw_only=True, tag="gloomhaven.look"):
    """Look at the top cards of a modifier deck.

    They stay on top in this order, until they are put back in another.
    """

    character: Character
    count: Annotated[Positive, Meta(description="how many cards", extra={"in_order": True})] = 1
    cards: Annotated[
        Cards | None,
        Meta(description="what they are at the table, top first", extra={"otherwise": "drawn from the recorded deck"}),
    ] = None

    def announcement(self) -> str:
        return f"{called(self.character)} looks at the modifier deck"

    @rule("GH 16")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Sees cards that are known to lie on top, then any of the others, at random or as reported."""
        name = self.character
        deck = deck_in_log(decision, name)
        unknown = where_unknown(deck)
        most = len(deck.top) + len(unknown) + len(deck.bottom)
        refuse_unless(
            self.count <= most, "GH 16", f"{possessive(name)} modifier deck has {quantity(most, 'card')} left."
        )
        told = None if self.cards is None else tuple(map(modifier_called, self.cards))
        lenient = decision.chance.lenient
        if told is not None and not lenient:
            refuse_unless(len(told) == self.count, "GH 16", f"Report {quantity(self.count, 'card')}, top first.")
        known, new = deck.top[: self.count], min(len(unknown), max(0, self.count - len(deck.top)))
        last = deck.bottom[: self.count - len(known) - new]
        if told is not None and not lenient:
            for seen, said in ((known, told[: len(known)]), (last, told[len(known) + new :])):
                refuse_unless(
                    seen == said, "GH 16", f"It is known that {listed(seen)} comes there, not {listed(said)}."
                )
            missing = Counter(told[len(known) :][:new]) - Counter(unknown)
            refuse_unless(
                not missing, "GH 16", f"{possessive(name)} modifier deck has no {listed(missing)} left there."
            )
        drawn: list[str] = []
        for number in range(new):
            key = f"{name}/look{f' {number + 1}' if number else ''}"
            reported = None if told is None else told[len(known) + number :][:1]
            (card,) = decision.chance.cards(key, unknown, 1, reported, rule="GH 16")
            unknown.remove(card)
            drawn.append(card)
        decision.tell(ModifiersSeen(name, (*known, *drawn, *last)))


class ModifiersSeen(Event, frozen=True, tag="gloomhaven.modifiers_seen"):
    """The top cards of a modifier deck are known, in order."""

    character: str
    cards: tuple[str, ...]

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} looks at the top of the modifier deck: {listed(self.cards)}.",)

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is None or sheet.modifier_deck is None:
            return
        deck = sheet.modifier_deck
        from_bottom = max(0, len(self.cards) - len(deck.top) - len(where_unknown(deck)))
        top = (*self.cards, *deck.top[len(self.cards) :])
        deck = replace(deck, top=top, bottom=deck.bottom[from_bottom:])
        state.change(self.character, modifier_deck=_only_what_is_left(deck))


class PutBack(Action, frozen=True, kw_only=True, tag="gloomhaven.put_back"):
    """Put back the cards that were looked at.

    They go on top of the deck in the order that you choose, or under it.
    """

    character: Character
    cards: Annotated[
        Cards | None,
        Meta(
            description="those that go on top, in their new order, top first",
            extra={"in_order": True, "unless": ("bottom",)},
        ),
    ] = None
    bottom: Annotated[Cards | None, Meta(description="those that go under the deck, in order")] = None

    def check(self) -> None:
        if not (self.cards or self.bottom):
            raise Invalid("Say which cards go back on top, or which go to the bottom.")

    @rule("GH 16")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Puts back exactly the cards that are known to lie on top, or the first of them."""
        name = self.character
        top = deck_in_log(decision, name).top
        cards, bottom = (tuple(map(modifier_called, words or ())) for words in (self.cards, self.bottom))
        count = len(cards) + len(bottom)
        if not top:
            raise Refusal(
                "GH 16",
                f"Nobody has looked at the top of {possessive(name)} modifier deck.",
                (Choice(Look, {"character": name}),),
            )
        seen = listed(top)
        refuse_unless(
            Counter((*cards, *bottom)) == Counter(top[:count]),
            "GH 16",
            f"On top of {possessive(name)} modifier deck {'lies' if len(top) == 1 else 'lie'} {seen}; put back these.",
        )
        decision.tell(ModifiersPutBack(name, cards, bottom))


class ModifiersPutBack(Event, frozen=True, tag="gloomhaven.modifiers_put_back"):
    """Cards that were looked at lie on top in this order, or under the deck."""

    character: str
    cards: tuple[str, ...]
    bottom: tuple[str, ...]

    def sentence(self) -> Sentence:
        on_top = [f"{listed(self.cards, 'then')} on top of the modifier deck"] if self.cards else []
        under = (
            [f"{listed(self.bottom, 'then')} under {'it' if on_top else 'the modifier deck'}"] if self.bottom else []
        )
        return (f"{called(self.character)} puts back {listed((*on_top, *under))}.",)

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is None or sheet.modifier_deck is None:
            return
        deck = sheet.modifier_deck
        top = (*self.cards, *deck.top[len(self.cards) + len(self.bottom) :])
        deck = replace(deck, top=top, bottom=(*deck.bottom, *self.bottom))
        state.change(self.character, modifier_deck=_only_what_is_left(deck))


class TakeOut(Action, frozen=True, kw_only=True, tag="gloomhaven.take_out"):
    """Take cards out of a modifier deck until the scenario ends.

    A perk takes them out for good.
    """

    character: Character
    cards: Annotated[Cards, Meta(description="the cards")]
    why: Annotated[NonEmptyText | None, Meta(description="what takes them out", extra={"remark": True})] = None

    @rule("GH 16")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Takes cards out of a deck in the log, those that are drawn last; what is left is shuffled."""
        name = self.character
        deck = deck_in_log(decision, name)
        cards = tuple(map(modifier_called, self.cards))
        there = Counter(in_scenario(deck)) + Counter(deck.added)
        missing = Counter(cards) - there
        refuse_unless(
            not missing,
            "GH 16",
            f"{possessive(name)} modifier deck has no {listed(missing)}, but {cards_in_words(there)}.",
        )
        refuse_unless(len(cards) < there.total(), "GH 16", f"{possessive(name)} modifier deck cannot be empty.")
        decision.tell(ModifiersTakenOut(name, cards, self.why))


class ModifiersTakenOut(Event, frozen=True, tag="gloomhaven.modifiers_taken_out"):
    """Cards are out of the deck until the scenario ends."""

    character: str
    cards: tuple[str, ...]
    why: str | None = None

    def sentence(self) -> Sentence:
        why = f" ({inside(self.why)})" if self.why else ""
        return (f"{called(self.character)} takes {listed(self.cards)} out of the modifier deck{why}.",)

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is None or sheet.modifier_deck is None:
            return
        deck = replace(sheet.modifier_deck, top=(), bottom=())
        added, out, drawn = Counter(deck.added), Counter(deck.out), Counter(deck.drawn)
        for card in self.cards:
            if added[card]:
                added[card] -= 1
            elif out[card] < deck.cards.get(card, 0):
                out[card] += 1
                # one that is drawn already is taken only where none is left to draw
                drawn[card] = min(drawn[card], deck.cards[card] - out[card])
        conditions = tuple(
            condition for condition in sheet.conditions if condition not in deck.added or added[condition]
        )
        deck = replace(deck, added=dict(+added), out=dict(+out), drawn=dict(+drawn))
        state.change(self.character, modifier_deck=deck, conditions=conditions)


def deck_in_log(decision: GloomhavenDecision, name: str) -> ModifierDeck:
    """The deck of a character who can act. Raises Refusal if the table keeps it."""
    must_take_part(decision, name)
    deck = deck_of(decision.state, name)
    if deck is None:
        raise Refusal(
            None,
            f"The log does not keep {possessive(name)} modifier deck.",
            (Choice(KeepModifiers, {"character": name, "modifiers": "deck"}),),
        )
    return deck


def _only_what_is_left(deck: ModifierDeck) -> ModifierDeck:
    """The deck with no more cards known to lie somewhere than there are left."""
    left = Counter(left_in(deck))
    places: dict[str, tuple[str, ...]] = {"top": (), "bottom": ()}
    for place in places:
        for card in getattr(deck, place):
            if left[card]:
                left[card] -= 1
                places[place] += (card,)
    return replace(deck, **places)


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
        # the card is shuffled in
        deck = replace(deck, top=(), bottom=(), added={card: number for card, number in added_cards.items() if number})
        state.change(self.character, modifier_deck=deck)


# -- perks -----------------------------------------------------------------------------------------------


class Perk(Action, frozen=True, kw_only=True, tag="gloomhaven.perk"):
    """Change a modifier deck for good, as a perk does."""

    character: Character
    add: Annotated[
        Cards | None, Meta(description="cards to add, like +1 or rolling +1", extra={"unless": ("remove",)})
    ] = None
    remove: Annotated[Cards | None, Meta(description="cards to take out")] = None
    why: Annotated[NonEmptyText | None, Meta(description="which perk", extra={"remark": True})] = None

    def check(self) -> None:
        if not (self.add or self.remove):
            raise Invalid("A perk adds cards or takes some out; give add or remove.")
        must_be_cards((*(self.add or ()), *(self.remove or ())))

    @rule("GH 16")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Removes cards from the deck permanently and adds others."""
        name = self.character
        deck = deck_in_log(decision, name)
        cards = dict(deck.cards)
        removed_cards = tuple(map(modifier_called, self.remove or ()))
        added_cards = tuple(map(modifier_called, self.add or ()))
        for card in (*removed_cards, *added_cards):
            refuse_unless(card not in IN_THE_PARTY, "GH 16", f"A {card} card cannot stay in a deck for good.")
        for card in removed_cards:
            there = cards.get(card, 0)
            refuse_unless(
                there,
                "GH 16",
                f"{possessive(name)} modifier deck has no {card}, but {cards_in_words(in_order(cards))}.",
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
                top=(),
                bottom=(),
            ),
        )
