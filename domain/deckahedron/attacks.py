"""Attacks (DH 35): opposed flips, or one flip against the unaware, and what they cost. The figures are in `data`."""

from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta, Struct

from domain.deckahedron.attempts import CardsFlipped, attempted, wound_bites
from domain.deckahedron.cards import TYPED, Attribute, Cards, Result
from domain.deckahedron.harm import be_strained, be_wounded
from domain.deckahedron.incapacitation import must_be_able_to_act
from domain.deckahedron.sheet import DeckahedronDecision, DeckahedronState
from domain.deckahedron.stamina import lose
from domain.deckahedron.turning import Turning
from domain.naming import called, listed
from domain.refusal import Invalid, Refusal
from domain.system.citing import rule
from domain.system.paragraphs import data_of
from domain.turn import Action, Event, Name, Sentence, refuse_unless

FoeName = Annotated[str, Meta(min_length=1, max_length=200)]
Cost = Literal["0", "1", "1d4", "1d4+1"]


class Exchange(Struct, frozen=True, forbid_unknown_fields=True):
    """What one pair of results costs each side in Stamina, what may be chosen instead, and what else comes of it."""

    defender: Cost
    attacker: Cost
    instead: Literal["wound", "harm", "gear"] | None = None
    outcome: str | None = None


class Attacks(Struct, frozen=True, forbid_unknown_fields=True):
    """The table of attacks; opposed results are keyed "attacker:defender"."""

    attribute: dict[Literal["melee", "ranged"], Attribute]
    melee: dict[str, Exchange]
    ranged: dict[str, Exchange]
    unopposed: dict[Result, Exchange]


TABLE = msgspec.convert(data_of("deckahedron", "attacks"), Attacks)


class Attack(Action, frozen=True, kw_only=True, tag="deckahedron.attack"):
    """Attack: both sides flip, or only the attacker if the foe is unaware."""

    shorts: ClassVar = {"at": {}}

    attacker: Annotated[Name, Meta(description="who attacks")]
    defender: Annotated[Name | None, Meta(description="the character who is attacked", extra={"in_order": True})] = None
    foe: Annotated[
        FoeName | None, Meta(description="the foe who is attacked, if no character", extra={"remark": True})
    ] = None
    foe_result: Annotated[
        Literal["✔✔", "✔", "✗", "✗✗", "vv", "v", "x", "xx"] | None,
        Meta(
            description="what the foe flipped: vv, v, x or xx; left out: the foe is unaware", extra={"in_order": True}
        ),
    ] = None
    style: Annotated[Literal["melee", "ranged"], Meta(description="hand to hand (Strength) or at range (Dexterity)")]
    flipped: Annotated[
        Cards | None,
        Meta(
            description="the attacker's cards in order; left out: from the recorded deck",
            extra={"in_order": True, "keyed_by": "attacker"},
        ),
    ] = None
    defender_flipped: Annotated[
        Cards | None,
        Meta(
            description="the defender's cards in order; left out: from the recorded deck",
            extra={"in_order": True, "keyed_by": "defender"},
        ),
    ] = None
    rolled: Annotated[
        tuple[int, ...] | None,
        Meta(description="the d4s that the result calls for, the defender's loss first", extra={"dice": True}),
    ] = None
    choice: Annotated[
        Literal["wound", "harm", "stamina", "gear"] | None,
        Meta(description="what is chosen where the result offers a choice; left out: stamina"),
    ] = None

    def check(self) -> None:
        if self.defender is not None and (self.foe is not None or self.foe_result is not None):
            raise Invalid("An attack has one target: name a defender or a foe.")
        if self.defender is None and self.defender_flipped is not None:
            raise Invalid("Only a defender who is a character has cards to flip; name the defender.")

    @rule("DH 35")
    def decide(self, decision: DeckahedronDecision) -> None:
        """Both sides flip, the exchange costs Stamina, and only then do revealed Wound cards bite."""
        refuse_unless(self.attacker != self.defender, "DH 35", f"{called(self.attacker)} cannot attack themselves.")
        must_be_able_to_act(decision, self.attacker, to="attack")
        attribute = TABLE.attribute[self.style]
        if self.defender is not None:
            must_be_able_to_act(decision, self.defender, to="be attacked")
        turning = Turning(decision, self.attacker, "attempt", self.flipped)
        attempt = attempted(turning, attribute, attempt="an attack")
        sides = [(turning, attempt)]
        against = TYPED[self.foe_result] if self.foe_result else None
        if self.defender is not None:
            defending = Turning(decision, self.defender, "attempt", self.defender_flipped)
            defence = attempted(defending, attribute, attempt="defence")
            sides.append((defending, defence))
            against = defence.result
        told = comes_to(decision, self, attempt.result, against)
        decision.tell(told)
        pay(decision, told, sides)
        for side, flipped in sides:
            wound_bites(side, flipped)
        for side, _ in sides:
            side.finish(rule="DH 1")


class Attacked(Event, frozen=True, gc=False, tag="deckahedron.attacked"):
    """An attack and what it comes to. `defender_loses` and `attacker_loses` are Stamina; a foe's are told only.

    `dice` are the d4s behind them, the defender's first. `inflicts` stands in the place of points.
    """

    cites: ClassVar[tuple[str, ...]] = ("DH 35",)

    attacker: str
    style: Literal["melee", "ranged"]
    result: Result
    against: Result | None
    defender: str | None = None
    foe: str | None = None
    dice: tuple[int, ...] = ()
    defender_loses: int = 0
    attacker_loses: int = 0
    inflicts: Literal["wound", "harm"] | None = None
    drops_gear: bool = False
    outcome: str | None = None

    def told(self) -> Sentence:
        attacker = called(self.attacker)
        target = called(self.defender) if self.defender else self.foe or "the foe"
        against = f"{self.result} against {self.against}" if self.against else f"{self.result}, unopposed"
        costs = [
            f"{who} {points} Stamina"
            for who, points in ((target, self.defender_loses), (attacker, self.attacker_loses))
            if points
        ]
        if self.inflicts:
            so = f", which gives {target} a {self.inflicts.capitalize()}."
        elif self.drops_gear:
            so = f", so {attacker} drops gear."
        elif costs:
            so = f", which costs {listed(costs)}."
        else:
            so = "." if self.outcome else "; nobody is hurt."
        outcome = f" {self.outcome}" if self.outcome else ""
        where = "in melee" if self.style == "melee" else "from afar"
        return (f"{attacker} attacks {target} {where}: {against}{so}{outcome}",)

    def fold(self, state: DeckahedronState) -> None:
        """Told for the table; what it costs is told by the events that follow."""


@rule("DH 35")
def comes_to(decision: DeckahedronDecision, action: Attack, result: Result, against: Result | None) -> Attacked:
    """What this pair of results costs, with the choice made where there is one."""
    exchange = exchange_of(action.style, result, against)
    choice = action.choice or "stamina"
    refuse_unless(
        choice in ("stamina", exchange.instead),
        "DH 35",
        f"{result} against {against} offers no choice of {choice}."
        if against
        else f"{result} offers no choice of {choice}.",
    )
    chosen = exchange.instead if choice == exchange.instead else None
    costs: dict[str, Cost] = {
        "defender": "0" if chosen in ("wound", "harm") else exchange.defender,
        "attacker": "0" if chosen == "gear" else exchange.attacker,
    }
    dice = roll(decision, action, costs)
    loses = {side: int(cost) if cost in ("0", "1") else dice[side] + (cost == "1d4+1") for side, cost in costs.items()}
    return Attacked(
        attacker=action.attacker,
        style=action.style,
        result=result,
        against=against,
        defender=action.defender,
        foe=action.foe,
        dice=tuple(dice.values()),
        defender_loses=loses["defender"],
        attacker_loses=loses["attacker"],
        inflicts=chosen if chosen in ("wound", "harm") else None,
        drops_gear=chosen == "gear",
        outcome=exchange.outcome,
    )


def exchange_of(style: Literal["melee", "ranged"], result: Result, against: Result | None) -> Exchange:
    """The entry of the table: opposed by style, or unopposed."""
    if against is None:
        return TABLE.unopposed[result]
    return (TABLE.melee if style == "melee" else TABLE.ranged)[f"{result}:{against}"]


def roll(decision: DeckahedronDecision, action: Attack, costs: dict[str, Cost]) -> dict[str, int]:
    """The d4 of each side whose loss calls for one; the defender's is reported first."""
    called_for = [side for side, cost in costs.items() if cost.startswith("1d4")]
    reported = None if decision.chance.lenient else action.rolled
    if reported is not None and len(reported) != len(called_for):
        raise Refusal("DH 35", f"This attack calls for {len(called_for) or 'no'} d4, not {len(reported)}.")
    dice = {}
    for place, side in enumerate(called_for):
        told = None if reported is None else reported[place : place + 1]
        dice[side] = decision.chance.dice(f"{action.attacker}/attack, {side} loses", 1, 4, told, rule="DH 35")[0]
    return dice


def pay(decision: DeckahedronDecision, told: Attacked, sides: list[tuple[Turning, CardsFlipped]]) -> None:
    """Characters lose what the exchange costs them, the defender first; what a foe loses is told only."""
    attacking, *defending = (turning for turning, _ in sides)
    for turning in defending:
        what = f"an attack by {called(told.attacker)}"
        if told.inflicts == "wound":
            be_wounded(decision, turning, what)
        elif told.inflicts == "harm":
            be_strained(decision, turning, what)
        elif told.defender_loses:
            lose(decision, turning, told.defender_loses)
    if told.attacker_loses:
        lose(decision, attacking, told.attacker_loses)
