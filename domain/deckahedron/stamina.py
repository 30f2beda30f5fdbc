"""Stamina and exhaustion (DH 4 to 8): the search for cards with the symbol, and its failure."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from msgspec import Meta

from domain.deckahedron.cards import FRESH_DECK, Flipped, ReshuffleFirst, Shuffled, is_wound, stamina_in
from domain.deckahedron.incapacitation import Incapacitated, must_be_able_to_act
from domain.deckahedron.sheet import FIGURES, Character, DeckahedronDecision, DeckahedronState
from domain.deckahedron.turning import Piled, Turning, row
from domain.naming import called, listed
from domain.system.citing import rule
from domain.system.drafts import Draft, as_it_stands, with_more
from domain.system.pending import PendingDecision
from domain.system.story import Share, left_out
from domain.turn import Action, Event, Positive, Sentence

COST_OF_A_WOUND_CARD: int = FIGURES["28"]["stamina"]


class LoseStamina(Action, frozen=True, kw_only=True, tag="deckahedron.lose_stamina"):
    """Lose Stamina: flip cards until enough bear the symbol."""

    shorts: ClassVar = {"ls": {}}
    number_sign: ClassVar = "-"
    synonyms: ClassVar = ("damage", "dmg", "d", "takes", "take", "suffers", "loses")
    meant_by: ClassVar = ("hit", "hurt", "harm")

    character: Character
    points: Annotated[Positive, Meta(description="how many Stamina are lost")]
    flipped: Flipped = None
    reshuffle_first: ReshuffleFirst = False
    shuffled: Shuffled = None

    def announcement(self) -> str:
        return f"{called(self.character)} loses {self.points} Stamina"

    @rule("DH 9")
    def open_decision(self, draft: Draft) -> PendingDecision | None:
        """Ask about more Stamina than a deck ever holds: a digit may be one too many."""
        sheet = draft.state.characters[self.character]
        if self.flipped is not None or sheet.incapacitated or self.points <= stamina_in(FRESH_DECK):
            return None
        left, digits = stamina_in(sheet.deck, sheet.discard), str(self.points)
        fewer = {int(digits[:place] + digits[place + 1 :]) for place in range(len(digits))}
        choices = (
            as_it_stands(self, f"lose all {left} and be incapacitated"),
            *(with_more(self, f"lose {points}", points=points) for points in sorted(fewer) if 0 < points <= left),
        )
        return PendingDecision(choices, f"{called(self.character)} has {left} Stamina left, not {self.points}.")

    def decide(self, decision: DeckahedronDecision) -> None:
        must_be_able_to_act(decision, self.character, to="lose Stamina")
        turning = Turning(
            decision, self.character, "search", self.flipped, self.shuffled, reshuffle_first=self.reshuffle_first
        )
        lose(decision, turning, self.points)
        turning.finish(rule="DH 4")


def lose(decision: DeckahedronDecision, turning: Turning, points: int) -> bool:
    """Lose Stamina, by an option more for Wound cards in the search. Returns whether all of it was paid."""
    character = turning.character
    is_paid, wound_cards = search(turning, points)
    fall_if_spent(decision, character, paid=is_paid)
    while wounds_bite_in_search(decision, character, wound_cards):
        more, wound_cards = search(turning, COST_OF_A_WOUND_CARD * len(wound_cards))
        fall_if_spent(decision, character, paid=more)
    return is_paid


@rule("DH 4", "DH 5")
def search(turning: Turning, points: int) -> tuple[bool, list[str]]:
    """Flip until `points` cards have the symbol; these go to the exhaustion pile, the others to the discard pile.

    Returns whether all were found, and the Wound cards turned over.
    """
    turning.begin_search()
    flips: list[str] = []
    losses: list[str] = []
    shuffles: list[int] = []
    searching_on = False
    if turning.reshuffle_first:
        may_reshuffle(turning)
        shuffles.append(0)
    while len(losses) < points:
        if not turning.deck:
            if searching_on or not turning.discard:
                break
            searching_on = True
            must_reshuffle(turning)
            shuffles.append(len(flips))
        card = turning.turn_over(rule="DH 4", short="DH 8" if searching_on else "DH 4")
        flips.append(card)
        if turning.put_down(card):
            losses.append(card)
    stamina_left = stamina_in(turning.deck, turning.discard)
    turning.decision.tell(
        StaminaLost(
            **turning.fields,
            points=points,
            flipped=tuple(flips),
            lost=tuple(losses),
            left=stamina_left,
            shuffles=tuple(shuffles),
        )
    )
    return len(losses) == points, [card for card in flips if is_wound(card)]


@rule("DH 7")
def may_reshuffle(turning: Turning) -> None:
    """Shuffle the discard pile into the deck by the player's choice, which is possible before the first search only."""
    turning.reshuffle_first = False
    turning.reshuffle(rule="DH 7")


@rule("DH 8")
def must_reshuffle(turning: Turning) -> None:
    """Shuffle the discard pile in because the deck ran out; the search continues with the cards found so far."""
    turning.reshuffle(rule="DH 8")


class StaminaLost(Piled, frozen=True, kw_only=True, tag="deckahedron.stamina_lost"):
    """A search for `points` Stamina: the cards in `lost` were found and paid; `left` Stamina remain."""

    cites: ClassVar[tuple[str, ...]] = ("DH 4", "DH 5")

    points: int
    flipped: tuple[str, ...]
    lost: tuple[str, ...]
    left: int
    shuffles: tuple[int, ...] = ()

    def sentence(self) -> Sentence:
        name = called(self.character)
        short = f" of {self.points}" if len(self.lost) < self.points else ""
        cards = row(self.flipped, [card in self.lost for card in self.flipped], self.shuffles)
        return (
            f"{name} loses {len(self.lost)}{short} Stamina",
            ": " if cards else "",
            *cards,
            f"; {self.left} left.",
        )

    def in_story(self) -> Share:
        return Share(self.character, "loses", len(self.lost), "Stamina")


@rule("DH 9")
def fall_if_spent(decision: DeckahedronDecision, character: str, *, paid: bool) -> None:
    """Incapacitate a character who could not pay, or by an option one with no Stamina left."""
    sheet = decision.sheet(character)
    if sheet.incapacitated:
        return
    none_left = decision.options.incapacitated_when == "none_left" and not stamina_in(sheet.deck, sheet.discard)
    if not paid or none_left:
        decision.tell(Incapacitated(character, "DH 9"))


@rule("DH 26")
def wounds_bite_in_search(decision: DeckahedronDecision, character: str, wound_cards: Sequence[str]) -> bool:
    """Whether Wound cards in a search cost more Stamina, by an option; emits `WoundCardBit` if so."""
    bites = (
        bool(wound_cards)
        and decision.options.wound_card_in_search == "as_flip"
        and not decision.sheet(character).incapacitated
    )
    if bites:
        decision.tell(WoundCardBit(character, tuple(wound_cards), searching=True))
    return bites


class WoundCardBit(Event, frozen=True, tag="deckahedron.wound_card_bit"):
    """Revealed Wound cards cost a Stamina each, lost in the next event. `searching`: met in a search for Stamina."""

    cites: ClassVar[tuple[str, ...]] = ("DH 26", "DH 27", "DH 28")

    character: str
    cards: tuple[str, ...]
    searching: bool = False

    def sentence(self) -> Sentence:
        name, cards = called(self.character), f"Wound card{'' if len(self.cards) == 1 else 's'} {listed(self.cards)}"
        if self.searching:
            return (f"{name} groans: {cards} turned up in the search.",)
        return (f"{name} groans: {cards} ends the flip.",)

    in_story = left_out

    def fold(self, state: DeckahedronState) -> None:
        """No change: separate events have the costs."""
