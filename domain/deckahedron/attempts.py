"""Attempts by flipping cards, and the effect of Wound cards in them (DH 1, 26 to 28)."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from domain.deckahedron.cards import Attribute, Flipped, ReshuffleFirst, Result, Shuffled, best_of, is_wound, read
from domain.deckahedron.incapacitation import must_be_able_to_act
from domain.deckahedron.sheet import Character, DeckahedronDecision
from domain.deckahedron.stamina import COST_OF_A_WOUND_CARD, WoundCardBit, lose
from domain.deckahedron.turning import Piled, Turning, row
from domain.naming import called, inside
from domain.refusal import refuse_unless
from domain.system.citing import rule
from domain.system.story import ELSEWHERE, Elsewhere, Share
from domain.turn import Action, Positive, Sentence, Text


class Flip(Action, frozen=True, kw_only=True, tag="deckahedron.flip"):
    """Flip cards for an attempt."""

    shorts: ClassVar = {"f": {}}
    synonyms: ClassVar = ("check", "test")

    character: Character
    attribute: Annotated[Attribute, Meta(description="the attribute at whose rank the cards are read")]
    cards: Annotated[Positive, Meta(description="how many cards to flip")] = 1
    keep: Annotated[
        Literal["best", "worst"],
        Meta(description="which of their results counts", extra={"of_several": ("cards", "flipped")}),
    ] = "best"
    attempt: Annotated[Text | None, Meta(description="what is attempted", extra={"remark": True})] = None
    flipped: Flipped = None
    reshuffle_first: ReshuffleFirst = False
    shuffled: Shuffled = None

    def announcement(self) -> str:
        return f"{called(self.character)} tries {self.attribute}{f' ({self.attempt})' if self.attempt else ''}"

    def decide(self, decision: DeckahedronDecision) -> None:
        must_be_able_to_act(decision, self.character, to="attempt anything")
        turning = Turning(
            decision, self.character, "attempt", self.flipped, self.shuffled, reshuffle_first=self.reshuffle_first
        )
        attempt = attempted(turning, self.attribute, cards=self.cards, keep=self.keep, attempt=self.attempt)
        wound_bites(turning, attempt)
        turning.finish(rule="DH 1")


class CardsFlipped(Piled, frozen=True, kw_only=True, tag="deckahedron.cards_flipped"):
    """The cards of one attempt, in the order turned, with what each shows.

    `counts` is the place of the one that counts; `shuffles` are the places before which the discard pile was
    shuffled into the empty deck.
    """

    attribute: Attribute
    cards: tuple[str, ...]
    results: tuple[Result, ...]
    counts: int
    attempt: str | None = None
    shuffles: tuple[int, ...] = ()

    @property
    def result(self) -> Result:
        return self.results[self.counts]

    def sentence(self) -> Sentence:
        attempt = f" ({inside(self.attempt)})" if self.attempt else ""
        texts = [f"{card} {result}" for card, result in zip(self.cards, self.results, strict=True)]
        return (
            f"{called(self.character)} flips for {self.attribute.capitalize()}{attempt}: ",
            *row(texts, [place == self.counts for place in range(len(texts))], self.shuffles),
            ".",
        )

    def in_story(self) -> Share | Elsewhere:
        # the attack or breather that the flip was for tells it itself
        if self.attempt in ("an attack", "defence", "a breather"):
            return ELSEWHERE
        attempt = f"“{inside(self.attempt)}”" if self.attempt else self.attribute.capitalize()
        return Share(self.character, "tries", what=(attempt,), how=self.result)


def attempted(
    turning: Turning,
    attribute: Attribute,
    *,
    cards: int = 1,
    keep: Literal["best", "worst"] = "best",
    attempt: str | None = None,
) -> CardsFlipped:
    """Flip the cards of one attempt and put them on the discard pile in order. Raises Refusal without cards.

    If the deck runs out, the discard pile is shuffled into it without the cards of this flip.
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
    event = CardsFlipped(
        **turning.fields,
        attribute=attribute,
        cards=tuple(in_hand),
        results=results,
        counts=best_of(results, keep=keep),
        attempt=attempt,
        shuffles=tuple(shuffles),
    )
    turning.decision.tell(event)
    return event


@rule("DH 27")
def stops_flipping(in_hand: list[str]) -> bool:
    """Whether the flip ends because its last card is a Wound card."""
    return bool(in_hand) and is_wound(in_hand[-1])


@rule("DH 26", "DH 28")
def wound_bites(turning: Turning, attempt: CardsFlipped) -> None:
    """Lose a Stamina, after the outcome, if the attempt revealed a Wound card.

    Cards reported after the Wound card belong to the search for this Stamina; any others are refused.
    """
    if is_wound(attempt.cards[-1]) and not turning.decision.sheet(turning.character).incapacitated:
        turning.ended_by = "DH 27"
        turning.decision.tell(WoundCardBit(turning.character, attempt.cards[-1:]))
        lose(turning.decision, turning, COST_OF_A_WOUND_CARD)
