"""Taking a breather (DH 10 to 15)."""

from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta, Struct

from domain.deckahedron.attempts import attempted, wound_bites
from domain.deckahedron.cards import Attribute, Cards, Flipped, ReshuffleFirst, Result, Shuffled
from domain.deckahedron.incapacitation import must_be_able_to_act
from domain.deckahedron.sheet import FIGURES, Character, DeckahedronDecision, DeckahedronState
from domain.deckahedron.turning import Piled, Turning, must_be_reported
from domain.naming import called, inside, listed
from domain.refusal import Refusal, refuse_unless
from domain.system.citing import rule
from domain.system.drafts import Draft, as_it_stands, with_more
from domain.system.pending import PendingDecision
from domain.system.story import Share
from domain.turn import Action, Sentence, Text

#: The attributes for a breather (DH 11).
TAKEN_BY: tuple[Attribute, ...] = ("dexterity", "intelligence")


class Breather(Action, frozen=True, kw_only=True, tag="deckahedron.breather"):
    """Take a breather in combat and regain Stamina."""

    shorts: ClassVar = {"br": {}}

    character: Character
    attribute: Annotated[Attribute, Meta(description="intelligence or dexterity")]
    how: Annotated[Text | None, Meta(description="the tactic, or the way to safety", extra={"remark": True})] = None
    flipped: Flipped = None
    rolled: Annotated[
        int | None, Meta(description="the d4, if the result calls for one", extra={"filled": True, "reported": True})
    ] = None
    regained: Annotated[
        Cards | None, Meta(description="the cards that came back at random", extra={"otherwise": "drawn here"})
    ] = None
    reshuffle_first: ReshuffleFirst = False
    shuffled: Shuffled = None

    def announcement(self) -> str:
        return f"{called(self.character)} takes a breather"

    @rule("DH 10")
    def open_decision(self, draft: Draft) -> PendingDecision | None:
        """Ask the player to describe how the breather is taken."""
        if self.how is not None or draft.state.table.scene != "combat":
            return None
        choices = (with_more(self, "say how", "how"), as_it_stands(self, "leave it unsaid"))
        return PendingDecision(choices, f"How does {called(self.character)} take the breather?")

    @rule("DH 10", "DH 11")
    def decide(self, decision: DeckahedronDecision) -> None:
        """Flips one card by Intelligence or Dexterity, in combat, and regains Stamina by its result."""
        name = called(self.character)
        must_be_able_to_act(decision, self.character, to="take a breather")
        refuse_unless(
            decision.table.scene == "combat",
            "DH 10",
            f"{name} can take a breather only in combat; this is {_here(decision)}.",
        )
        refuse_unless(
            self.attribute in TAKEN_BY,
            "DH 11",
            f"{name} takes a breather by Intelligence or Dexterity, not by Strength.",
        )
        turning = Turning(
            decision, self.character, "attempt", self.flipped, self.shuffled, reshuffle_first=self.reshuffle_first
        )
        attempt = attempted(turning, self.attribute, attempt="a breather")
        relief = RELIEF[attempt.result]
        die = roll_relief(decision, self, relief)
        cards = comes_back(decision, self, relief, die)
        turning.exhaustion = [card for card in turning.exhaustion if card not in cards]
        if cards and decision.options.regained_to == "deck":
            turning.deck = list(turning.shuffles.order((*turning.deck, *cards), rule=relief.rule))
        else:
            turning.discard += cards
        decision.tell(
            BreatherTaken(
                **turning.fields,
                rule=relief.rule,
                attribute=self.attribute,
                result=attempt.result,
                die=die,
                regained=cards,
                foe_moved=relief.foe_moves,
                how=self.how,
            )
        )
        wound_bites(turning, attempt)
        turning.finish(rule="DH 1")


def _here(decision: DeckahedronDecision) -> str:
    return {"travel": "a journey", "camp": "a camp", "haven": "a haven", "combat": "a fight"}[decision.table.scene]


class Relief(Struct, frozen=True, forbid_unknown_fields=True):
    """The effect of one result: the Stamina regained, and whether the foe gains a superior position."""

    rule: Literal["DH 12", "DH 13", "DH 14", "DH 15"]
    result: Result
    stamina: Literal["0", "1", "1d4"]
    foe_moves: bool


#: Each result has a paragraph of its own.
RELIEF: dict[Result, Relief] = {
    relief.result: relief
    for relief in (
        msgspec.convert({"rule": f"DH {number}", **FIGURES[number]}, Relief) for number in ("12", "13", "14", "15")
    )
}


@rule("DH 12", "DH 13")
def roll_relief(decision: DeckahedronDecision, action: Breather, relief: Relief) -> int | None:
    """The d4 of a success; None for a failure. Raises Refusal, Invalid."""
    if relief.stamina == "1d4":
        reported_roll = None if action.rolled is None else (action.rolled,)
        key = f"{action.character}/breather"
        must_be_reported(decision, action.character, "rolled", decision.chance.report_of(key, reported_roll), lambda: 2)
        return decision.chance.dice(key, 1, 4, reported_roll, rule=relief.rule)[0]
    if action.rolled is not None and not decision.chance.lenient:
        raise Refusal(relief.rule, f"No d4 is rolled on {relief.result}.")
    return None


@rule("DH 14", "DH 15")
def comes_back(decision: DeckahedronDecision, action: Breather, relief: Relief, die: int | None) -> tuple[str, ...]:
    """The cards that come back, at random: as many as the d4 or the paragraph says, at most all exhausted ones."""
    pile = decision.sheet(action.character).exhaustion
    points = min(int(relief.stamina) if die is None else die, len(pile))
    key = f"{action.character}/regained"
    if 0 < points < len(pile):
        reported_card = decision.chance.report_of(key, action.regained)
        must_be_reported(decision, action.character, "regained", reported_card, lambda: pile[:points])
    return decision.chance.cards(key, pile, points, action.regained, rule=relief.rule)


class BreatherTaken(Piled, frozen=True, kw_only=True, tag="deckahedron.breather_taken"):
    """What a breather brought: the cards `regained`, and whether the foe moved to a superior position."""

    cites: ClassVar[tuple[str, ...]] = ("DH 10", "DH 11")

    rule: Literal["DH 12", "DH 13", "DH 14", "DH 15"]
    attribute: Attribute
    result: Result
    die: int | None
    regained: tuple[str, ...]
    foe_moved: bool
    how: str | None = None

    def sentence(self) -> Sentence:
        tactic = f" ({inside(self.how)})" if self.how else ""
        foe = "; the foe moves to a superior position" if self.foe_moved else ""
        return (f"{called(self.character)} takes a breather{tactic}{self._gain()}{foe}.",)

    def _gain(self) -> str:
        """ " and regains 1 Stamina: 12", ", rolls 4 and regains 1, all that was lost: 12"."""
        count, cards = len(self.regained), f": {listed(self.regained)}" if self.regained else ""
        if self.die is None:
            return f" and regains {count or 'no'} Stamina{cards}"
        if count < self.die:
            gain = f"{count}, all that was lost" if count else "nothing: nothing was lost"
            return f", rolls {self.die} and regains {gain}{cards}"
        return f", rolls {self.die} and regains {count} Stamina{cards}"

    def in_story(self) -> Share:
        return Share(self.character, "regains", len(self.regained), "Stamina")

    def fold(self, state: DeckahedronState) -> None:
        self.lay(state)
        if self.foe_moved:
            state.change_table(foe_superior=True)
