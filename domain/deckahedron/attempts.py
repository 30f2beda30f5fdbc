"""The deck, attempts, and the Wound cards that turn up in them (DH 1, 26 to 28)."""

from typing import Literal

from domain.deckahedron.actions import BeginScene, Enrol, Flip
from domain.deckahedron.cards import FRESH_DECK, Attribute, Result, best_of, is_wound, read
from domain.deckahedron.events import CardsFlipped, Enrolled, SceneBegan, WoundCardBit
from domain.deckahedron.sheet import DeckahedronDecision
from domain.deckahedron.stamina import lose, must_be_able_to_act
from domain.deckahedron.turning import Turning
from domain.naming import called
from domain.system.citing import rule
from domain.turn import refuse_unless


@rule("DH 1")
def enrol(decision: DeckahedronDecision, action: Enrol) -> None:
    """A fresh deck has twenty cards, ten of them with Stamina."""
    deck = decision.chance.shuffle(f"{action.character}/deck", FRESH_DECK, action.deck, rule="DH 1")
    ranks = (action.strength, action.dexterity, action.intelligence)
    decision.tell(Enrolled(action.character, action.player, *ranks, deck))


def begin_scene(decision: DeckahedronDecision, action: BeginScene) -> None:
    decision.tell(SceneBegan(action.scene))


def flip(decision: DeckahedronDecision, action: Flip) -> None:
    must_be_able_to_act(decision, action.character, to="attempt anything")
    turning = Turning(decision, action.character, "attempt", action.flipped, action.shuffled)
    attempt = attempted(turning, action.attribute, cards=action.cards, keep=action.keep, attempt=action.attempt)
    wound_bites(turning, attempt)
    turning.finish(rule="DH 1")


def attempted(
    turning: Turning,
    attribute: Attribute,
    *,
    cards: int = 1,
    keep: Literal["best", "worst"] = "best",
    attempt: str | None = None,
) -> CardsFlipped:
    """Flip the cards of one attempt; they go to the discard pile in the order flipped.

    When the deck runs out, the discard pile is shuffled into it without the cards of this flip.
    """
    rank = getattr(turning.decision.sheet(turning.character).attributes, attribute)
    in_hand: list[str] = []
    shuffles: list[int] = []
    while len(in_hand) < cards and not stops_flipping(in_hand):
        if not turning.deck:
            refuse_unless(
                turning.discard,
                "DH 1",
                f"{called(turning.character)} has no card left to flip in deck or discard pile.",
            )
            turning.reshuffle(rule="DH 1")
            shuffles.append(len(in_hand))
        in_hand.append(turning.turn_over(rule="DH 1", short="DH 1"))
    turning.discard += in_hand
    results: tuple[Result, ...] = tuple(read(card, rank) for card in in_hand)
    flipped = CardsFlipped(
        **turning.fields,
        attribute=attribute,
        cards=tuple(in_hand),
        results=results,
        counts=best_of(results, keep=keep),
        attempt=attempt,
        shuffles=tuple(shuffles),
    )
    turning.decision.tell(flipped)
    return flipped


@rule("DH 27")
def stops_flipping(in_hand: list[str]) -> bool:
    """A Wound card is the last card of its flip."""
    return bool(in_hand) and is_wound(in_hand[-1])


@rule("DH 26", "DH 28")
def wound_bites(turning: Turning, attempt: CardsFlipped) -> None:
    """A Wound card revealed by an attempt: the character groans and loses a Stamina, after the attempt's outcome.

    What is reported after that card is the search for this Stamina, or else it is flipping on.
    """
    if is_wound(attempt.cards[-1]) and not turning.decision.sheet(turning.character).incapacitated:
        turning.ended_by = "DH 27"
        turning.decision.tell(WoundCardBit(turning.character, attempt.cards[-1:]))
        lose(turning.decision, turning, 1)
