"""Lasting harm: strains and Wounds (DH 16, 17, 24, 25)."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from domain.deckahedron.cards import WOUND_CARDS, Flipped, ReshuffleFirst, Shuffled
from domain.deckahedron.incapacitation import Incapacitated, must_be_able_to_act
from domain.deckahedron.sheet import FIGURES, Character, DeckahedronDecision, DeckahedronState
from domain.deckahedron.stamina import lose
from domain.deckahedron.turning import Piled, Turning
from domain.deckahedron.words import cause_in, how_many
from domain.naming import called, inside, listed
from domain.refusal import Refusal
from domain.system.citing import rule
from domain.system.story import SERIOUS, Own, left_out
from domain.turn import Action, Event, Sentence, Text

COST_OF_A_STRAIN: int = FIGURES["16"]["stamina"]
COST_OF_A_WOUND: int = FIGURES["25"]["stamina"]
#: The maximum of tokens of each kind on the exhaustion pile.
MOST_HARM: int = FIGURES["17"]["harm_tokens"]
MOST_WOUNDS: int = FIGURES["24"]["wound_tokens"]


# -- strains -------------------------------------------------------------------------------------------


class Strain(Action, frozen=True, kw_only=True, tag="deckahedron.strain"):
    """Take a strain, a sprain or a bruise."""

    character: Character
    what: Annotated[Text, Meta(description="what happened, in the Storyteller's words", extra={"remark": True})]
    flipped: Flipped = None
    reshuffle_first: ReshuffleFirst = False
    shuffled: Shuffled = None

    def announcement(self) -> str:
        return f"{called(self.character)} is strained ({self.what})"

    def decide(self, decision: DeckahedronDecision) -> None:
        must_be_able_to_act(decision, self.character, to="take a strain")
        turning = Turning(
            decision, self.character, "search", self.flipped, self.shuffled, reshuffle_first=self.reshuffle_first
        )
        strain(decision, turning, self.what)
        turning.finish(rule=_ends_by(decision, self.character))


@rule("DH 16")
def strain(decision: DeckahedronDecision, turning: Turning, what: str) -> None:
    """Lose a Stamina and place a Harm token, also if the Stamina cannot be paid."""
    harm = decision.sheet(turning.character).harm
    if harm >= MOST_HARM:
        third_strain(decision, turning, what)
        return
    lose(decision, turning, COST_OF_A_STRAIN)
    decision.tell(HarmTaken(turning.character, what, harm + 1))


class HarmTaken(Event, frozen=True, tag="deckahedron.harm_taken"):
    """A strain, sprain or bruise; `harm` is the number of Harm tokens now."""

    cites: ClassVar[tuple[str, ...]] = ("DH 16",)

    character: str
    what: str
    harm: int

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} is strained: {inside(self.what)}. {how_many(self.harm, 'Harm token')}.",)

    def in_story(self) -> Own:
        return Own(
            f"{called(self.character)} is strained: {inside(self.what)}.", who=self.character, by=cause_in(self.what)
        )

    def fold(self, state: DeckahedronState) -> None:
        state.change(self.character, harm=self.harm)


@rule("DH 17")
def third_strain(decision: DeckahedronDecision, turning: Turning, what: str) -> None:
    """With two Harm tokens already, take a Wound instead; by an option the strain costs its own Stamina too."""
    if decision.options.third_strain == "both" and not lose(decision, turning, COST_OF_A_STRAIN):
        return
    decision.tell(StrainBecameWound(turning.character, what))
    wound(decision, turning, what)


class StrainBecameWound(Event, frozen=True, tag="deckahedron.strain_became_wound"):
    """Two Harm tokens lie there already: what would be the third is a Wound, told next."""

    cites: ClassVar[tuple[str, ...]] = ("DH 17",)
    foretold = True

    character: str
    what: str

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} has two Harm tokens already: {inside(self.what)} becomes a Wound.",)

    in_story = left_out

    def fold(self, state: DeckahedronState) -> None:
        """No change: separate events have the costs."""


# -- Wounds --------------------------------------------------------------------------------------------


class TakeWound(Action, frozen=True, kw_only=True, tag="deckahedron.wound"):
    """Take a Wound."""

    character: Character
    what: Annotated[Text, Meta(description="what happened, in the Storyteller's words", extra={"remark": True})]
    flipped: Flipped = None
    reshuffle_first: ReshuffleFirst = False
    shuffled: Shuffled = None
    card: Annotated[
        Literal["w1", "w2", "w3", "w4"] | None,
        Meta(description="which Wound card goes into the discard pile", extra={"otherwise": "the lowest free one"}),
    ] = None

    def announcement(self) -> str:
        return f"{called(self.character)} is wounded ({self.what})"

    def decide(self, decision: DeckahedronDecision) -> None:
        must_be_able_to_act(decision, self.character, to="take a Wound")
        turning = Turning(
            decision, self.character, "search", self.flipped, self.shuffled, reshuffle_first=self.reshuffle_first
        )
        wound(decision, turning, self.what, self.card)
        turning.finish(rule=_ends_by(decision, self.character))


@rule("DH 24", "DH 25")
def wound(decision: DeckahedronDecision, turning: Turning, what: str, card: str | None = None) -> None:
    """Lose a Stamina, place a token and put a Wound card on the discard pile; a third Wound incapacitates instead."""
    character = turning.character
    sheet = decision.sheet(character)
    if sheet.wounds >= MOST_WOUNDS:
        decision.tell(Incapacitated(character, "DH 24", what))
        return
    wound_there = wound_card(decision, character, card)
    if not sheet.incapacitated:
        lose(decision, turning, COST_OF_A_WOUND)
    turning.read()
    turning.discard += [wound_there] if wound_there else []
    decision.tell(WoundTaken(**turning.fields, what=what, wounds=sheet.wounds + 1, card=wound_there))


@rule("DH 25")
def wound_card(decision: DeckahedronDecision, character: str, named_card: str | None) -> str | None:
    """The named Wound card, else the lowest free one; None if there is none. Raises Refusal."""
    borne = decision.sheet(character).wound_cards
    free = [card for card in WOUND_CARDS if card not in borne]
    if named_card is not None and named_card not in free:
        raise Refusal(
            "DH 25",
            f"{called(character)} bears Wound card {named_card} already; free: {listed(free) if free else 'none'}.",
        )
    return named_card or next(iter(free), None)


class WoundTaken(Piled, frozen=True, kw_only=True, tag="deckahedron.wound_taken"):
    """A Wound: `wounds` tokens now, and a Wound card in the discard pile if one was free."""

    cites: ClassVar[tuple[str, ...]] = ("DH 25",)

    what: str
    wounds: int
    card: str | None

    def sentence(self) -> Sentence:
        card = f"Wound card {self.card} goes into the discard pile" if self.card else "no Wound card is free"
        return (
            f"{called(self.character)} is wounded: {inside(self.what)}. "
            f"{how_many(self.wounds, 'Wound token')}; {card}.",
        )

    def in_story(self) -> Own:
        text = f"{called(self.character)} is wounded: {inside(self.what)}."
        return Own(text, SERIOUS, self.character, cause_in(self.what))

    def fold(self, state: DeckahedronState) -> None:
        self.lay(state, wounds=self.wounds)


def _ends_by(decision: DeckahedronDecision, character: str) -> str:
    """The paragraph that ends the flipping: DH 24 for an incapacitating Wound, which needs no search."""
    by_wound = any(isinstance(event, Incapacitated) and event.rule == "DH 24" for event in decision.events)
    return "DH 24" if by_wound and decision.sheet(character).incapacitated else "DH 4"
