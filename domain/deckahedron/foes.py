"""Foes (DH 35), played by the Storyteller: they have no cards, only a count of the Stamina they lost."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Annotated, ClassVar, Literal

from msgspec import Meta
from msgspec.structs import replace

from domain.choice import Choice
from domain.deckahedron.attacks import (
    TABLE,
    ChosenLoss,
    Costs,
    FoeResult,
    Style,
    attack_in_words,
    comes_to,
    how_it_went,
    pending_choice,
    results_of,
    suffer,
    tell_if_down,
)
from domain.deckahedron.attempts import attempted, wound_bites
from domain.deckahedron.cards import RESULT_OF, Flipped, ReshuffleFirst, Result, Shuffled
from domain.deckahedron.incapacitation import must_be_able_to_act
from domain.deckahedron.sheet import (
    DeckahedronDecision,
    DeckahedronState,
    Foe,
    FoeName,
    foe_called,
    foe_loses,
    must_not_be_a_character,
)
from domain.deckahedron.turning import Turning
from domain.deckahedron.words import attack_by
from domain.naming import as_noun, called, capitalised, did_you_mean, fitting, heard_alike, refuse_other_meaning
from domain.refusal import Invalid, Refusal, Unknown
from domain.system.citing import rule
from domain.system.drafts import Draft
from domain.system.pending import PendingDecision
from domain.system.story import Share, left_out
from domain.turn import Action, Event, Name, Positive, Sentence


class EnterFoe(Action, frozen=True, kw_only=True, tag="deckahedron.foe"):
    """Bring a foe to the table, or take one away.

    A foe that comes has lost nothing yet. Of a foe that is there already it tells the Stamina, if nobody has told it.
    """

    foe: Annotated[FoeName, Meta(description='its name, like wolf or "guard 2"')]
    stamina: Annotated[
        Positive | None, Meta(description="how much Stamina it has, if the table knows", extra={"in_order": True})
    ] = None
    gone: Annotated[bool, Meta(description="it is no longer there")] = False

    def check(self) -> None:
        if self.gone and self.stamina is not None:
            raise Invalid("A foe that is gone has no Stamina; leave it out.")

    @rule("DH 35")
    def decide(self, decision: DeckahedronDecision) -> None:
        """Adds or removes a foe, or tells the Stamina of one that is there; a name that is taken stays as it is."""
        foe, foes = foe_called(decision.state, self.foe), decision.table.foes
        if self.gone and len(matches := fitting(self.foe, foes)) == 1:
            foe = matches[0]  # a foe that leaves is at the table, so a part of its name is enough
        if self.gone and foe not in foes:
            hint = did_you_mean(foe, foes, otherwise="no foe is at the table.")
            raise Unknown("foe", foe, f"There is no foe {foe!r}", hint)
        if self.gone:
            decision.tell(FoeGone(foe))
        elif foe not in foes:
            must_not_be_a_character(decision.state, foe)
            if not decision.chance.lenient:  # older logs may have such names
                refuse_other_meaning(foe)
                if (other := heard_alike(foe, decision.state.characters)) is not None:
                    raise _is_heard_alike(called(other))
                if (other := heard_alike(foe, foes)) is not None:
                    raise _is_heard_alike(capitalised(as_noun(other)))
            decision.tell(FoeEntered(foe, self.stamina))
        elif self.stamina is not None and foes[foe].stamina is None:
            decision.tell(FoeStaminaTold(foe, self.stamina))
            tell_if_down(decision, foe, foes[foe].lost)
        else:
            raise Refusal(
                None, f"{capitalised(as_noun(foe))} is a foe already; choose another name.", self._instead(foe, foes)
            )

    def _instead(self, foe: str, foes: Mapping[str, Foe]) -> Sequence[Choice]:
        """Another of its kind, with the next number; in the place of one that is down, that one goes first.

        A number that was told and may be the next one of its name is not told again as its Stamina.
        """
        if foes[foe].is_down:
            return (Choice(EnterFoe, {"foe": foe, "gone": True}),)
        kind, _, own = foe.rpartition(" ")
        first, kind = (int(own) + 1, kind) if kind and own.isdecimal() else (2, foe)
        another = next(number for number in count(first) if heard_alike(f"{kind} {number}", foes) is None)
        stamina = {"stamina": self.stamina} if self.stamina not in (None, another) else {}
        return (Choice(EnterFoe, {"foe": f"{kind} {another}", **stamina}),)


def _is_heard_alike(who: str) -> Refusal:
    return Refusal(None, f"{who} is there already, and is heard alike; choose another name.")


class FoeEntered(Event, frozen=True, tag="deckahedron.foe_entered"):
    """A foe is there, unhurt."""

    cites: ClassVar[tuple[str, ...]] = ("DH 35",)

    foe: str
    stamina: int | None = None

    def sentence(self) -> Sentence:
        stamina = f", with {self.stamina} Stamina" if self.stamina else ""
        return (f"{capitalised(as_noun(self.foe))} is a foe{stamina}.",)

    def in_story(self) -> Share:
        return Share(as_noun(self.foe), "comes in as a foe")

    def fold(self, state: DeckahedronState) -> None:
        state.change_table(foes={**state.table.foes, self.foe: Foe(0, self.stamina)})


class FoeStaminaTold(Event, frozen=True, tag="deckahedron.foe_stamina_told"):
    """How much Stamina a foe has in all; what it has lost stays lost."""

    cites: ClassVar[tuple[str, ...]] = ("DH 35",)

    foe: str
    stamina: int

    def sentence(self) -> Sentence:
        return (f"{capitalised(as_noun(self.foe))} has {self.stamina} Stamina in all.",)

    in_story = left_out

    def fold(self, state: DeckahedronState) -> None:
        foe = state.table.foes.get(self.foe)
        if foe is not None:
            state.change_table(foes={**state.table.foes, self.foe: replace(foe, stamina=self.stamina)})


class FoeGone(Event, frozen=True, tag="deckahedron.foe_gone"):
    """A foe is no longer there, whatever became of it."""

    cites: ClassVar[tuple[str, ...]] = ("DH 35",)

    foe: str

    def sentence(self) -> Sentence:
        return (f"{capitalised(as_noun(self.foe))} is gone.",)

    def fold(self, state: DeckahedronState) -> None:
        state.change_table(foes={name: foe for name, foe in state.table.foes.items() if name != self.foe})


class FoeAttack(Action, frozen=True, kw_only=True, tag="deckahedron.foe_attack"):
    """Let a foe attack a character.

    The foe's result stands against the character's flip.
    """

    shorts: ClassVar = {"fa": {}}

    foe: Annotated[FoeName, Meta(description="the foe who attacks", extra={"added_by": "deckahedron.foe"})]
    foe_result: Annotated[FoeResult, Meta(description="what the foe flipped: vv, v, x or xx")]
    target: Annotated[Name, Meta(description="the character who is attacked")]
    style: Style = None
    flipped: Flipped = None
    rolled: Annotated[
        tuple[int, ...] | None,
        Meta(description="the d4s that the result calls for, the target's loss first", extra={"dice": True}),
    ] = None
    choice: ChosenLoss = None
    reshuffle_first: ReshuffleFirst = False
    shuffled: Shuffled = None

    def announcement(self) -> str:
        return f"{capitalised(as_noun(self.foe))} attacks {called(self.target)}"

    @rule("DH 35")
    def open_decision(self, draft: Draft) -> PendingDecision | None:
        """Ask for the choice that the results offer, after the target's flip and before any die."""
        against = results_of(draft.events).get(self.target)
        if against is None:
            return None
        sides = capitalised(as_noun(foe_called(draft.state, self.foe))), called(self.target)
        return pending_choice(self, sides, self.style or "melee", RESULT_OF[self.foe_result], against, self.choice)

    @rule("DH 35")
    def decide(self, decision: DeckahedronDecision) -> None:
        """Resolves an attack by a foe with the same table: the target flips and takes the costs."""
        must_be_able_to_act(decision, self.target, to="be attacked")
        must_not_be_a_character(decision.state, self.foe)
        turning = Turning(
            decision, self.target, "attempt", self.flipped, self.shuffled, reshuffle_first=self.reshuffle_first
        )
        style = self.style or "melee"
        defence = attempted(turning, TABLE.attribute[style], attempt="defence")
        foe, result = foe_called(decision.state, self.foe), RESULT_OF[self.foe_result]
        costs = comes_to(
            decision,
            style,
            result,
            defence.result,
            self.choice,
            self.rolled,
            {"defender": (turning, defence)},
            key=f"{self.target}/attack",
        )
        decision.tell(
            FoeAttacked(
                foe=foe,
                target=self.target,
                style=style,
                result=result,
                against=defence.result,
                dice=costs.dice,
                target_loses=costs.defender,
                foe_loses=costs.attacker,
                inflicts=costs.inflicts,
                drops_gear=costs.drops_gear,
                outcome=costs.outcome,
            )
        )
        tell_if_down(decision, foe, costs.attacker)
        suffer(decision, turning, costs, attack_by(foe))
        wound_bites(turning, defence)
        turning.finish(rule="DH 1")


class FoeAttacked(Event, frozen=True, kw_only=True, tag="deckahedron.foe_attacked"):
    """An attack by a foe and what it comes to, as in `Attacked`. What the target loses is told next."""

    cites: ClassVar[tuple[str, ...]] = ("DH 35",)

    foe: str
    target: str
    style: Literal["melee", "ranged"]
    result: Result
    against: Result
    dice: tuple[int, ...] = ()
    target_loses: int = 0
    foe_loses: int = 0
    inflicts: Literal["wound", "harm"] | None = None
    drops_gear: bool = False
    outcome: str | None = None

    def sentence(self) -> Sentence:
        costs = Costs(self.dice, self.target_loses, self.foe_loses, self.inflicts, self.drops_gear, self.outcome)
        return (attack_in_words(as_noun(self.foe), called(self.target), self.style, self.result, self.against, costs),)

    def in_story(self) -> Share:
        own_loss = f" and loses {self.foe_loses} itself" if self.foe_loses else ""
        how = f"{how_it_went(self.result, self.inflicts)}{own_loss}"
        return Share(self.target, "is attacked by", what=(as_noun(self.foe),), how=how)

    def fold(self, state: DeckahedronState) -> None:
        foe_loses(state, self.foe, self.foe_loses)
