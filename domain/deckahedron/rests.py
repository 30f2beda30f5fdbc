"""Resting (DH 18 to 22), and the return of exhausted cards, which resting and healing share."""

from typing import Annotated, ClassVar

from msgspec import Meta

from domain.deckahedron.cards import Cards, Shuffled
from domain.deckahedron.days import DayNumber, Hours, must_have_hours, spend
from domain.deckahedron.incapacitation import must_be_able_to_act
from domain.deckahedron.sheet import Character, DeckahedronDecision, DeckahedronState
from domain.deckahedron.turning import Piled, Piles, must_be_reported
from domain.deckahedron.words import how_many
from domain.naming import called
from domain.refusal import refuse_unless
from domain.system.citing import rule
from domain.system.story import Share
from domain.turn import Action, Sentence

Staying = Annotated[
    Cards | None,
    Meta(description="the cards that stayed in the exhaustion pile at random", extra={"otherwise": "drawn here"}),
]


class Rest(Action, frozen=True, kw_only=True, tag="deckahedron.rest"):
    """Rest for several hours, not in combat or on the road."""

    character: Character
    hours: Hours
    day: DayNumber | None = None
    kept: Staying = None
    shuffled: Shuffled = None

    def announcement(self) -> str:
        return f"{called(self.character)} rests for {how_many(self.hours, 'hour')}"

    @rule("DH 18")
    def decide(self, decision: DeckahedronDecision) -> None:
        """Rests for several hours, neither in combat nor travelling: Harm and cards come off."""
        name = called(self.character)
        must_be_able_to_act(decision, self.character, to="rest")
        refuse_unless(decision.table.scene != "combat", "DH 18", f"{name} cannot rest in combat.")
        refuse_unless(decision.table.scene != "travel", "DH 18", f"{name} cannot rest while travelling.")
        enough = decision.options.rest_hours
        refuse_unless(
            self.hours >= enough,
            "DH 18",
            f"{name} cannot rest in {how_many(self.hours, 'hour')}; it takes {enough}.",
        )
        must_have_hours(decision, self.character, self.day, self.hours)
        harm = one_harm_off(decision.sheet(self.character).harm)
        staying = how_many_stay(harm, decision.sheet(self.character).wounds)
        piles = Piles(decision, self.character, self.shuffled)
        stay = which_stay(piles, staying, self.kept)
        returning = come_back(piles, stay)
        decision.tell(Rested(**piles.fields, hours=self.hours, harm=harm, kept=stay, freed=returning, day=self.day))
        piles.shuffles.finish(rule="DH 22")


@rule("DH 19")
def one_harm_off(harm: int) -> int:
    """The number of Harm tokens after one comes off."""
    return max(0, harm - 1)


@rule("DH 20")
def how_many_stay(harm: int, wounds: int) -> int:
    """The number of cards that stay exhausted: one per token left."""
    return harm + wounds


@rule("DH 21")
def which_stay(
    piles: Piles, staying: int, kept: tuple[str, ...] | None, *, rule: str = "DH 21", time: int = 1
) -> tuple[str, ...]:
    """The cards that stay, at random from the exhaustion pile or as reported; all of them if there are no more.

    `time` counts the days of one healing.
    """
    pile = piles.exhaustion
    key = f"{piles.character}/kept{'' if time == 1 else f' {time}'}"
    if 0 < staying < len(pile):
        reported_cards = piles.decision.chance.report_of(key, kept)
        must_be_reported(piles.decision, piles.character, "kept", reported_cards, lambda: tuple(pile[:staying]))
    cards = piles.decision.chance.cards(key, pile, min(staying, len(pile)), kept, rule=rule)
    return tuple(card for card in pile if card in cards)


@rule("DH 22")
def come_back(piles: Piles, staying: tuple[str, ...], *, rule: str = "DH 22") -> tuple[str, ...]:
    """Shuffle all other exhausted cards into the deck, or by an option discard them, and return them."""
    returning = tuple(card for card in piles.exhaustion if card not in staying)
    piles.exhaustion = list(staying)
    if piles.decision.options.rested_to == "discard":
        piles.discard += returning
    elif returning:
        piles.deck = list(piles.shuffles.order((*piles.deck, *returning), rule=rule))
    return returning


class Rested(Piled, frozen=True, kw_only=True, tag="deckahedron.rested"):
    """Several hours of rest: `harm` tokens now, the cards that stayed, the cards that are free again."""

    cites: ClassVar[tuple[str, ...]] = ("DH 18", "DH 19", "DH 20", "DH 21", "DH 22")

    hours: int
    harm: int
    kept: tuple[str, ...]
    freed: tuple[str, ...]
    day: int | None = None

    def sentence(self) -> Sentence:
        return (
            f"{called(self.character)} rests for {how_many(self.hours, 'hour')}: "
            f"{how_many(self.harm, 'Harm token')} left, "
            f"{how_many(len(self.freed), 'card')} back, {how_many(len(self.kept), 'card')} still exhausted.",
        )

    def in_story(self) -> Share:
        return Share(self.character, "rests for", self.hours, "hours")

    def fold(self, state: DeckahedronState) -> None:
        self.lay(state, harm=self.harm)
        spend(state, self.character, self.day, self.hours)
