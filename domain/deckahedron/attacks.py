"""Attacks (DH 35): opposed flips, or one flip against the unaware, and their costs. The figures are in `data`."""

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.deckahedron.attempts import CardsFlipped, attempted, wound_bites
from domain.deckahedron.cards import RESULT_OF, Attribute, Cards, ReshuffleFirst, Result, Shuffled
from domain.deckahedron.harm import strain, wound
from domain.deckahedron.incapacitation import must_be_able_to_act
from domain.deckahedron.sheet import (
    DeckahedronDecision,
    DeckahedronState,
    FoeName,
    foe_called,
    foe_loses,
    must_not_be_a_character,
)
from domain.deckahedron.stamina import lose
from domain.deckahedron.turning import Turning
from domain.deckahedron.words import attack_by
from domain.naming import as_noun, called, capitalised, genitive, listed
from domain.refusal import Invalid, Refusal, Unreported, refuse_unless
from domain.system.citing import rule
from domain.system.drafts import Draft, as_it_stands, with_more
from domain.system.paragraphs import figures_of
from domain.system.pending import PendingDecision
from domain.system.story import Share
from domain.turn import Action, Event, Name, Sentence

Style = Annotated[
    Literal["melee", "ranged"] | None,
    Meta(
        description="melee (Strength) or ranged (Dexterity)",
        extra={"otherwise": "melee", "in_order": True},
    ),
]
FoeResult = Annotated[
    Literal["✔✔", "✔", "✗", "✗✗", "vv", "v", "x", "xx"],
    Meta(
        extra={
            "also_written": ("✔✔", "✔", "✗", "✗✗"),
            "read_as": {"vv": "✔✔ two checks", "v": "✔ one check", "x": "✗ one cross", "xx": "✗✗ two crosses"},
        }
    ),
]
ChosenLoss = Annotated[
    Literal["wound", "harm", "stamina", "gear"] | None,
    Meta(description="what is chosen where the result offers a choice", extra={"otherwise": "stamina"}),
]
Cost = Literal["0", "1", "1d4", "1d4+1"]
Side = Literal["defender", "attacker"]


class Exchange(Struct, frozen=True, forbid_unknown_fields=True):
    """The costs of one pair of results: Stamina of each side, the alternative to choose, and further effects."""

    defender: Cost
    attacker: Cost
    instead: Literal["wound", "harm", "gear"] | None = None
    outcome: str | None = None


class Attacks(Struct, frozen=True, forbid_unknown_fields=True):
    """The table of attacks (DH 35); opposed results are keyed "attacker:defender". The source has headings only."""

    #: The attribute that both sides flip, by style.
    attribute: dict[Literal["melee", "ranged"], Attribute]
    melee: dict[str, Exchange]
    #: The same at range: the defender dodges and cannot strike back, so the attacker loses nothing. Decided for this
    #: program; the published table has melee only.
    ranged: dict[str, Exchange]
    #: Against an unaware foe, which flips nothing.
    unopposed: dict[Result, Exchange]


TABLE = msgspec.convert(figures_of("deckahedron", "attacks"), Attacks)


class Attack(Action, frozen=True, kw_only=True, tag="deckahedron.attack"):
    """Attack somebody: flip, and let the defender flip.

    A foe that is unaware of the attack does not flip.
    """

    shorts: ClassVar = {"at": {}}
    meant_by: ClassVar = ("hit",)

    attacker: Annotated[Name, Meta(description="who attacks")]
    defender: Annotated[Name | None, Meta(description="the character who is attacked", extra={"in_order": True})] = None
    foe: Annotated[
        FoeName | None,
        Meta(
            description="the foe who is attacked, if no character",
            extra={
                "added_by": "deckahedron.foe",
                "unless": ("defender",),
                "acts_with": "deckahedron.foe_attack",
            },
        ),
    ] = None
    foe_result: Annotated[
        FoeResult | None,
        Meta(
            description="what the foe flipped: vv, v, x or xx",
            extra={"otherwise": "none, and the foe is unaware", "in_order": True},
        ),
    ] = None
    style: Style = None
    flipped: Annotated[
        Cards | None,
        Meta(
            description="the attacker's cards in order",
            extra={"otherwise": "from the recorded deck", "in_order": True, "keyed_by": "attacker", "reported": True},
        ),
    ] = None
    defender_flipped: Annotated[
        Cards | None,
        Meta(
            description="the defender's cards in order",
            extra={"otherwise": "from the recorded deck", "in_order": True, "keyed_by": "defender", "reported": True},
        ),
    ] = None
    rolled: Annotated[
        tuple[int, ...] | None,
        Meta(description="the d4s that the result calls for, the defender's loss first", extra={"dice": True}),
    ] = None
    choice: ChosenLoss = None
    reshuffle_first: ReshuffleFirst = False
    shuffled: Shuffled = None
    defender_reshuffle_first: Annotated[
        ReshuffleFirst, Meta(description="shuffle the defender's discard pile into the deck before their search starts")
    ] = False
    defender_shuffled: Annotated[
        Shuffled,
        Meta(description="the defender's whole new deck as shuffled, top first", extra={"otherwise": "shuffled here"}),
    ] = None

    def check(self) -> None:
        if self.defender is not None and self.foe is not None:
            raise Invalid("An attack has one target: name a defender or a foe.")
        if self.defender is not None and self.foe_result is not None:
            raise Invalid(
                f"{called(self.defender)} is a character and flips cards; only of a foe is said what it flipped."
            )
        of_defender = self.defender_flipped, self.defender_shuffled, self.defender_reshuffle_first or None
        if self.defender is None and any(value is not None for value in of_defender):
            raise Invalid("Only a defender who is a character has cards; name the defender.")

    def announcement(self) -> str:
        target = called(self.defender) if self.defender else as_noun(self.foe) if self.foe else "an unaware foe"
        unaware = ", which is unaware (no result of its flip is given)" if self.foe and not self.foe_result else ""
        return f"{called(self.attacker)} attacks {target}{unaware}"

    @rule("DH 35")
    def open_decision(self, draft: Draft) -> PendingDecision | None:
        """Ask for the choice that the results offer, after both flips and before any die."""
        results = results_of(draft.events)
        against = (
            results.get(self.defender) if self.defender else RESULT_OF[self.foe_result] if self.foe_result else None
        )
        if self.attacker not in results or (self.defender and against is None):
            return None
        sides = called(self.attacker), called(self.defender) if self.defender else as_noun(self.foe or "")
        return pending_choice(self, sides, self.style or "melee", results[self.attacker], against, self.choice)

    @rule("DH 35")
    def decide(self, decision: DeckahedronDecision) -> None:
        """Flips for both sides, then applies the costs, then the Wound cards that were revealed."""
        refuse_unless(self.attacker != self.defender, "DH 35", f"{called(self.attacker)} cannot attack themselves.")
        must_be_able_to_act(decision, self.attacker, to="attack")
        style = self.style or "melee"
        attribute = TABLE.attribute[style]
        if self.defender is not None:
            must_be_able_to_act(decision, self.defender, to="be attacked")
        if self.foe is not None:
            must_not_be_a_character(decision.state, self.foe)
        turning = Turning(
            decision, self.attacker, "attempt", self.flipped, self.shuffled, reshuffle_first=self.reshuffle_first
        )
        attempt = attempted(turning, attribute, attempt="an attack")
        loser: dict[Side, tuple[Turning, CardsFlipped]] = {"attacker": (turning, attempt)}
        against = RESULT_OF[self.foe_result] if self.foe_result else None
        if self.defender is not None:
            defending = Turning(
                decision,
                self.defender,
                "attempt",
                self.defender_flipped,
                self.defender_shuffled,
                field="defender_flipped",
                reshuffle_first=self.defender_reshuffle_first,
            )
            defence = attempted(defending, attribute, attempt="defence")
            loser["defender"] = (defending, defence)
            against = defence.result
        costs = comes_to(
            decision, style, attempt.result, against, self.choice, self.rolled, loser, key=f"{self.attacker}/attack"
        )
        decision.tell(
            Attacked(
                attacker=self.attacker,
                style=style,
                result=attempt.result,
                against=against,
                defender=self.defender,
                foe=None if self.foe is None else foe_called(decision.state, self.foe),
                dice=costs.dice,
                defender_loses=costs.defender,
                attacker_loses=costs.attacker,
                inflicts=costs.inflicts,
                drops_gear=costs.drops_gear,
                outcome=costs.outcome,
            )
        )
        if self.foe is not None:
            tell_if_down(decision, foe_called(decision.state, self.foe), costs.defender)
        if "defender" in loser:
            suffer(decision, loser["defender"][0], costs, attack_by(self.attacker))
        if costs.attacker:
            lose(decision, turning, costs.attacker)
        for side, flip in loser.values():
            wound_bites(side, flip)
        for side, _ in loser.values():
            side.finish(rule="DH 1")


class Attacked(Event, frozen=True, tag="deckahedron.attacked"):
    """An attack and what it comes to. `defender_loses` and `attacker_loses` are Stamina; a foe's are counted apart.

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

    def sentence(self) -> Sentence:
        costs = Costs(self.dice, self.defender_loses, self.attacker_loses, self.inflicts, self.drops_gear, self.outcome)
        return (attack_in_words(called(self.attacker), self._target(), self.style, self.result, self.against, costs),)

    def _target(self) -> str:
        return called(self.defender) if self.defender else as_noun(self.foe) if self.foe else "the foe"

    def in_story(self) -> Share:
        # what a character loses is told by itself
        loss = f" for {self.defender_loses}" if self.defender is None and self.defender_loses else ""
        how = f"{how_it_went(self.result, self.inflicts)}{loss}"
        return Share(self.attacker, "attacks", what=(self._target(),), how=how)

    def fold(self, state: DeckahedronState) -> None:
        """Count the loss of a foe; separate events have the losses of characters."""
        if self.foe is not None:
            foe_loses(state, self.foe, self.defender_loses, self.inflicts)


def how_it_went(result: Result, inflicts: Literal["wound", "harm"] | None) -> str:
    """A result, with the Wound or Harm that it gives: "✔✔ and a Wound"."""
    return f"{result} and a {inflicts.capitalize()}" if inflicts else result


def results_of(events: Sequence[Event]) -> dict[str, Result]:
    """The results flipped so far, by character."""
    return {event.character: event.result for event in events if isinstance(event, CardsFlipped)}


class FoeDown(Event, frozen=True, tag="deckahedron.foe_down"):
    """A foe has lost all its Stamina. What it has lost is on the table already."""

    cites: ClassVar[tuple[str, ...]] = ("DH 35",)

    foe: str

    def sentence(self) -> Sentence:
        return (f"{capitalised(as_noun(self.foe))} has no Stamina left and is down.",)

    def fold(self, state: DeckahedronState) -> None:
        """No change: that the foe is down follows from its losses."""


@rule("DH 35")
def tell_if_down(decision: DeckahedronDecision, foe: str, stamina_lost: int) -> None:
    """Emit `FoeDown` if the loss was the last of the foe's Stamina."""
    now = decision.table.foes.get(foe)
    if stamina_lost and now is not None and now.is_down and not replace(now, lost=now.lost - stamina_lost).is_down:
        decision.tell(FoeDown(foe))


class Costs(Struct, frozen=True):
    """The costs of an attack: Stamina of both sides, the d4s behind it, and a Wound, Harm or gear instead."""

    dice: tuple[int, ...]
    defender: int
    attacker: int
    inflicts: Literal["wound", "harm"] | None
    drops_gear: bool
    outcome: str | None


def attack_in_words(
    attacker: str, target: str, style: Literal["melee", "ranged"], result: Result, against: Result | None, costs: Costs
) -> str:
    """An attack as a sentence; the names are those of characters, and the nouns of foes."""
    with_defence = f"{result} against {against}" if against else f"{result}, unopposed"
    losses = [
        f"{name} {points} Stamina" for name, points in ((target, costs.defender), (attacker, costs.attacker)) if points
    ]
    if costs.inflicts:
        so = f", which gives {target} a {costs.inflicts.capitalize()}."
    elif costs.drops_gear:
        so = f", so {attacker} drops gear."
    elif losses:
        so = f", which costs {listed(losses)}."
    else:
        so = "." if costs.outcome else "; nobody is hurt."
    outcome = f" {costs.outcome}" if costs.outcome else ""
    style_words = "in melee" if style == "melee" else "from afar"
    return f"{capitalised(attacker)} attacks {target} {style_words}: {with_defence}{so}{outcome}"


@rule("DH 35")
def comes_to(
    decision: DeckahedronDecision,
    style: Literal["melee", "ranged"],
    result: Result,
    against: Result | None,
    choice: Literal["wound", "harm", "stamina", "gear"] | None,
    rolled: tuple[int, ...] | None,
    loser: Mapping[Side, tuple[Turning, CardsFlipped]],
    *,
    key: str,
) -> Costs:
    """The costs of this pair of results with the choice made, default Stamina. Raises Refusal, Invalid.

    The dice are recorded under `key` and the losing side. `loser` has the cards of the sides that are characters.
    """
    exchange = exchange_of(style, result, against)
    choice = choice or "stamina"
    refuse_unless(
        choice in ("stamina", exchange.instead),
        "DH 35",
        f"{result} against {against} offers no choice of {choice}."
        if against
        else f"{result} offers no choice of {choice}.",
    )
    alternative = exchange.instead if choice == exchange.instead else None
    costs: dict[Side, Cost] = {
        "defender": "0" if alternative in ("wound", "harm") else exchange.defender,
        "attacker": "0" if alternative == "gear" else exchange.attacker,
    }
    dice = roll(decision, costs, rolled, loser, key=key)
    loses = {side: int(cost) if cost in ("0", "1") else dice[side] + (cost == "1d4+1") for side, cost in costs.items()}
    inflicts = alternative if alternative in ("wound", "harm") else None
    return Costs(
        tuple(dice.values()), loses["defender"], loses["attacker"], inflicts, alternative == "gear", exchange.outcome
    )


@rule("DH 35")
def pending_choice(
    action: Action,
    sides: tuple[str, str],
    style: Literal["melee", "ranged"],
    result: Result,
    against: Result | None,
    choice: str | None,
) -> PendingDecision | None:
    """The choice that a pair of results offers; None if there is none or it is made already.

    `sides`: the names of attacker and defender for the prompt; the latter is empty if nobody is named.
    """
    exchange = exchange_of(style, result, against)
    if choice is not None or exchange.instead is None:
        return None
    gear = exchange.instead == "gear"
    loser, cost = ("attacker", exchange.attacker) if gear else ("defender", exchange.defender)
    instead = "gear is dropped" if gear else f"a {exchange.instead.capitalize()}"
    choices = (
        as_it_stands(action, f"the {loser} loses {cost} Stamina"),
        # without a loss of points no die is needed
        with_more(action, instead, choice=exchange.instead, rolled=None),
    )
    attacker, defender = sides
    target = f"{genitive(defender)} {against}" if defender and against else against or defender
    return PendingDecision(
        choices, f"{genitive(attacker)} {result}{f' against {target}' if target else ''} offers a choice."
    )


def exchange_of(style: Literal["melee", "ranged"], result: Result, against: Result | None) -> Exchange:
    """The entry of the table: opposed by style, or unopposed."""
    if against is None:
        return TABLE.unopposed[result]
    return (TABLE.melee if style == "melee" else TABLE.ranged)[f"{result}:{against}"]


def roll(
    decision: DeckahedronDecision,
    costs: dict[Side, Cost],
    rolled: tuple[int, ...] | None,
    loser: Mapping[Side, tuple[Turning, CardsFlipped]],
    *,
    key: str,
) -> dict[Side, int]:
    """Roll the d4 of each side whose loss needs one; the defender's is reported first. Raises Refusal, Invalid."""
    called_for = [side for side, cost in costs.items() if cost.startswith("1d4")]
    reported_dice = None if decision.chance.lenient else rolled
    if reported_dice is not None and len(reported_dice) != len(called_for):
        messages = {0: "No d4 is rolled here.", 1: f"One d4 is rolled here, not {len(reported_dice)}."}
        raise Refusal("DH 35", messages.get(len(called_for), f"Two d4s are rolled here, not {len(reported_dice)}."))
    dice = {}
    owner = key.rpartition("/")[0]
    for place, side in enumerate(called_for):
        reported_die = None if reported_dice is None else reported_dice[place : place + 1]
        if decision.chance.report_of(f"{key}, {side} loses", reported_die) is None:
            example = (*(rolled or ()), *(2 for _ in called_for))[: len(called_for)]
            must_be_rolled_at_the_table(decision, owner, costs[side], loser.get(side), example)
        dice[side] = decision.chance.dice(f"{key}, {side} loses", 1, 4, reported_die, rule="DH 35")[0]
    return dice


def must_be_rolled_at_the_table(
    decision: DeckahedronDecision,
    owner: str,
    cost: Cost,
    loser: tuple[Turning, CardsFlipped] | None,
    example: tuple[int, ...],
) -> None:
    """Raise Unreported if the table deals the character's cards, since its d4 must be reported then too.

    The message names everything missing: the d4, and the cards of the search if the table deals the loser's too.
    `example` are d4s that can be reported.
    """
    if decision.sheet(owner).cards != "table" or decision.chance.lenient:
        return
    missing = spoken = "is missing"
    if loser is not None and decision.sheet(loser[0].character).cards == "table" and not loser[0].shuffles.known:
        cards = f"and the cards turned over behind {' '.join(loser[1].cards)}"
        missing, spoken = f"{cards} ({loser[0].field}=…) are missing", f"{cards} are missing"
    name = called(loser[0].character) if loser is not None else "The foe"
    reason = f"{name} loses {cost} Stamina: the d4"
    raise Unreported(f"{reason} (rolled=…) {missing}.", {"rolled": example}, f"{reason} {spoken}.")


def suffer(decision: DeckahedronDecision, turning: Turning, costs: Costs, what: str) -> None:
    """Apply the costs to an attacked character: a Wound, Harm, or loss of Stamina."""
    if costs.inflicts == "wound":
        wound(decision, turning, what)
    elif costs.inflicts == "harm":
        strain(decision, turning, what)
    elif costs.defender:
        lose(decision, turning, costs.defender)
