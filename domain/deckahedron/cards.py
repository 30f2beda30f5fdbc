"""The cards of a Deckahedron and their results (DH 1).

A card is named by its id ("12", "w1"). It has a result for each attribute rank from 1 to 4; ten of the twenty cards
have a Stamina symbol; Wound cards are not in a fresh deck and have none.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from domain.system.paragraphs import figures_of

Attribute = Literal["strength", "dexterity", "intelligence"]
#: The results of a card, worst first.
Result = Literal["✗✗", "✗", "✔", "✔✔"]
RESULTS: tuple[Result, ...] = ("✗✗", "✗", "✔", "✔✔")
#: The results by what people type for them.
RESULT_OF: dict[str, Result] = {"xx": "✗✗", "x": "✗", "v": "✔", "vv": "✔✔", **{sign: sign for sign in RESULTS}}


class Card(Struct, frozen=True, forbid_unknown_fields=True):
    """One card: its results by rank (1 is ✗✗ to 4 is ✔✔), its d4 pips (0: none, flip again), and its Stamina symbol.

    Wound cards have neither pips nor symbol; they join the deck one by one (DH 25).
    """

    results: str
    pips: int
    stamina: bool
    wound: bool = False


#: Numbers from the game's public card list (CC BY 3.0).
CARDS: dict[str, Card] = msgspec.convert(figures_of("deckahedron", "deck"), dict[str, Card])
#: The twenty cards of a fresh deck, in the order of their ids.
FRESH_DECK: tuple[str, ...] = tuple(card for card in CARDS if not CARDS[card].wound)
WOUND_CARDS: tuple[str, ...] = tuple(card for card in CARDS if CARDS[card].wound)

#: The id of a card; the rules, not the type, check that it is in a pile.
CardId = Annotated[str, Meta(max_length=20, extra={"values": tuple(CARDS)})]
Cards = tuple[CardId, ...]
Flipped = Annotated[
    Cards | None,
    Meta(
        description="the cards turned over at the table, in order, to the last one",
        extra={"otherwise": "from the recorded deck", "in_order": True, "reported": True},
    ),
]
Shuffled = Annotated[
    Cards | None,
    Meta(
        description="the whole new deck as it was shuffled at the table, top first",
        extra={"otherwise": "shuffled here", "reported": True},
    ),
]
ReshuffleFirst = Annotated[
    bool, Meta(description="shuffle the discard pile into the deck before the search for Stamina starts")
]


def read(card: str, rank: int) -> Result:
    """The result of a card at this attribute rank."""
    return RESULTS[int(CARDS[card].results[rank - 1]) - 1]


def bears_stamina(card: str) -> bool:
    """Whether the card has the Stamina symbol."""
    return card in CARDS and CARDS[card].stamina


def is_wound(card: str) -> bool:
    """Whether it is a Wound card, shuffled into the deck by harm."""
    return card in WOUND_CARDS


def stamina_in(*piles: Iterable[str]) -> int:
    """The number of cards with the Stamina symbol in these piles."""
    return sum(bears_stamina(card) for pile in piles for card in pile)


def wounds_in(*piles: Iterable[str]) -> tuple[str, ...]:
    """The Wound cards in these piles, lowest id first."""
    return tuple(sorted([card for pile in piles for card in pile if card in WOUND_CARDS]))


def best_of(results: Sequence[Result], *, keep: Literal["best", "worst"]) -> int:
    """The index of the result that counts; the first of equal ones."""
    ranks = [RESULTS.index(result) for result in results]
    return ranks.index(max(ranks) if keep == "best" else min(ranks))
