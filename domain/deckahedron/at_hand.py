"""What a table needs at hand beside a paragraph: the cards (DH 1), the Wound cards (DH 25), the attacks (DH 35)."""

from collections.abc import Iterable, Sequence

from domain.deckahedron.attacks import TABLE, Exchange
from domain.deckahedron.cards import CARDS, FRESH_DECK, RESULTS, WOUND_CARDS, bears_stamina, read

RANKS = (1, 2, 3, 4)


def at_hand(number: str) -> Sequence[Sequence[str]]:
    """Facts to have at hand for a paragraph, as rows with the head first; none if its words are enough."""
    match number:
        case "1":
            return _cards(FRESH_DECK)
        case "25":
            return _cards(WOUND_CARDS)
        case "35":
            opposed = [("in melee", key, each) for key, each in TABLE.melee.items()]
            opposed += [("at range", key, each) for key, each in TABLE.ranged.items()]
            alone = [("unopposed", key, each) for key, each in TABLE.unopposed.items()]
            head = ("attack", "attacker", "defender", "defender loses", "attacker loses", "or", "and")
            return (head, *(_attack(*each) for each in (*opposed, *alone)))
    return ()


def _cards(cards: Iterable[str]) -> Sequence[Sequence[str]]:
    """Each card with its results by rank and the d4 that it shows."""
    return (
        ("card", *(f"rank {rank}" for rank in RANKS), "d4", "Stamina"),
        *(
            (card, *(read(card, rank) for rank in RANKS), str(CARDS[card].pips or "-"), "yes" * bears_stamina(card))
            for card in cards
        ),
    )


def _attack(how: str, key: str, exchange: Exchange) -> Sequence[str]:
    mine, _, theirs = key.partition(":")
    assert mine in RESULTS
    instead = {"wound": "a Wound", "harm": "a Harm", "gear": "the attacker drops gear", None: ""}[exchange.instead]
    return (how, mine, theirs or "-", exchange.defender, exchange.attacker, instead, exchange.outcome or "")
