"""Attacks (DH 35): opposed flips, or one flip against the unaware, and what they cost. The figures are in `data`."""

from typing import Literal

import msgspec
from msgspec import Struct

from domain.deckahedron.actions import Attack
from domain.deckahedron.attempts import attempted, wound_bites
from domain.deckahedron.cards import TYPED, Attribute, Result
from domain.deckahedron.events import Attacked, CardsFlipped
from domain.deckahedron.harm import be_strained, be_wounded
from domain.deckahedron.sheet import DeckahedronDecision
from domain.deckahedron.stamina import lose, must_be_able_to_act
from domain.deckahedron.turning import Turning
from domain.naming import called
from domain.refusal import Refusal
from domain.system.citing import rule
from domain.system.paragraphs import data_of
from domain.turn import refuse_unless

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


@rule("DH 35")
def attack(decision: DeckahedronDecision, action: Attack) -> None:
    """Both sides flip, the exchange costs Stamina, and only then do revealed Wound cards bite."""
    refuse_unless(action.attacker != action.defender, "DH 35", f"{called(action.attacker)} cannot attack themselves.")
    must_be_able_to_act(decision, action.attacker, to="attack")
    attribute = TABLE.attribute[action.style]
    if action.defender is not None:
        must_be_able_to_act(decision, action.defender, to="be attacked")
    turning = Turning(decision, action.attacker, "attempt", action.flipped)
    attempt = attempted(turning, attribute, attempt="an attack")
    sides = [(turning, attempt)]
    against = TYPED[action.foe_result] if action.foe_result else None
    if action.defender is not None:
        defending = Turning(decision, action.defender, "attempt", action.defender_flipped)
        defence = attempted(defending, attribute, attempt="defence")
        sides.append((defending, defence))
        against = defence.result
    told = comes_to(decision, action, attempt.result, against)
    decision.tell(told)
    pay(decision, told, sides)
    for side, flipped in sides:
        wound_bites(side, flipped)
    for side, _ in sides:
        side.finish(rule="DH 1")


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
