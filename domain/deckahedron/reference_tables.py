"""Reference tables for paragraphs: the cards (DH 1), the Wound cards (DH 25), the attacks (DH 35)."""

from collections.abc import Iterable, Sequence

from domain.deckahedron.attacks import TABLE, Exchange
from domain.deckahedron.cards import CARDS, FRESH_DECK, RESULTS, WOUND_CARDS, bears_stamina, read

RANKS = (1, 2, 3, 4)


def reference_table(number: str) -> Sequence[Sequence[str]]:
    """The reference table of a paragraph as rows, header first; empty if it has none."""
    match number:
        case "1":
            return _cards(FRESH_DECK)
        case "25":
            return _cards(WOUND_CARDS)
        case "35":
            exchanges = [("in melee", key, exchange) for key, exchange in TABLE.melee.items()]
            exchanges += [("at range", key, exchange) for key, exchange in TABLE.ranged.items()]
            alone = [("unopposed", key, exchange) for key, exchange in TABLE.unopposed.items()]
            head = ("attack", "attacker", "defender", "defender loses", "attacker loses", "or", "and")
            return (head, *(_attack(*entry) for entry in (*exchanges, *alone)))
    return ()


def _cards(cards: Iterable[str]) -> Sequence[Sequence[str]]:
    """The cards with their results by rank, their d4 and Stamina."""
    return (
        ("card", *(f"rank {rank}" for rank in RANKS), "d4", "Stamina"),
        *(
            (card, *(read(card, rank) for rank in RANKS), str(CARDS[card].pips or "-"), "yes" * bears_stamina(card))
            for card in cards
        ),
    )


def _attack(how: str, key: str, exchange: Exchange) -> Sequence[str]:
    attacker_result, _, defender_result = key.partition(":")
    assert attacker_result in RESULTS
    instead = {"wound": "a Wound", "harm": "a Harm", "gear": "the attacker drops gear", None: ""}[exchange.instead]
    return (
        how,
        attacker_result,
        defender_result or "-",
        exchange.defender,
        exchange.attacker,
        instead,
        exchange.outcome or "",
    )
