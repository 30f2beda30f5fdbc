"""Rulings: what the group decided about a rule, which options it sets, and what later rulings leave of it."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.common.revisions import Conflicts
from domain.naming import ended, listed
from domain.refusal import Invalid, Refusal, Unknown
from domain.system.decision import Deciding
from domain.system.options import checked_options
from domain.system.paragraphs import known_rule
from domain.system.state import Game, Options, RulingInForce
from domain.turn import Action, Event, Positive, Sentence, Text
from domain.values import assigned


class Ruling(Action, frozen=True, kw_only=True, tag="ruling"):
    """Record what the group decided about a rule."""

    rule: str
    text: Annotated[Text, Meta(extra={"remark": True})]
    why: Text | None = None
    trial: bool = False
    set: dict[str, Any] | None = None
    since: Annotated[str | None, Meta(extra={"turn": True})] = None
    conflicts: Conflicts | None = None

    def check(self) -> None:
        if not self.text.strip():
            raise Invalid("A ruling needs its words; they must not be blank.")
        if self.set is not None and not self.set:
            raise Invalid("A ruling with an empty set decides nothing; leave it out or name an option.")

    def decide(self, decision: Deciding) -> None:
        rule = known_rule(decision.system, self.rule)
        options = checked_options(decision.system, self.set or {}, rule)
        number = decision.chance.number("ruling")
        since = int(self.since.removeprefix("T")) if self.since is not None else None
        decision.tell(RulingMade(number, rule, self.text, self.why, self.trial, options, since))


class RulingMade(Event, frozen=True, gc=False, tag="ruling.made"):
    """The group decided; the options hold from this turn on, or from directly after turn `since`."""

    number: int
    rule: str
    text: str
    why: str | None = None
    trial: bool = False
    set: dict[str, Any] = {}
    since: int | None = None

    def told(self) -> Sentence:
        return (
            f"Ruling R{self.number} on {self.rule}{' (on trial)' if self.trial else ''}: {ended(self.text)}"
            f"{f' Why: {ended(self.why)}' if self.why else ''}"
            f"{f' [{assigned(self.set)}]' if self.set else ''}"
            f"{f' Counts from T{self.since} on.' if self.since else ''}",
        )

    def fold(self, state: Game) -> None:
        before = state.campaign.rulings
        made = RulingInForce(self.number, self.rule, self.set)
        state.campaign = replace(state.campaign, rulings=(*before, made))
        if any(each.number > self.number for each in before):
            state.options = options_in_force(state)
        elif self.set:
            # the latest of all: what it sets holds, and nothing else changes
            kind: type[Options] = type(state.options)
            state.options = msgspec.convert({**msgspec.to_builtins(state.options), **self.set}, kind)


class RulingEnd(Action, frozen=True, kw_only=True, tag="ruling.end"):
    """End a ruling: its options fall back to the ruling before it, or to the default."""

    ruling: Annotated[Positive, Meta(extra={"written": "R"})]
    why: Annotated[Text | None, Meta(extra={"remark": True})] = None

    def decide(self, decision: Deciding) -> None:
        rulings = {each.number: each for each in decision.state.campaign.rulings}
        if self.ruling not in rulings:
            known = listed(f"R{each}" for each in rulings) if rulings else "none so far"
            raise Unknown("ruling", self.ruling, f"There is no ruling R{self.ruling}", f"known: {known}.")
        if rulings[self.ruling].ended:
            raise Refusal(None, f"Ruling R{self.ruling} has ended already.")
        decision.tell(RulingEnded(self.ruling, self.why))


class RulingEnded(Event, frozen=True, gc=False, tag="ruling.ended"):
    """A ruling no longer holds."""

    ruling: int
    why: str | None = None

    def told(self) -> Sentence:
        return (f"Ruling R{self.ruling} ends{f': {ended(self.why)}' if self.why else '.'}",)

    def fold(self, state: Game) -> None:
        state.campaign = replace(
            state.campaign,
            rulings=tuple(
                replace(each, ended=True) if each.number == self.ruling else each for each in state.campaign.rulings
            ),
        )
        state.options = options_in_force(state)


class Holding(Struct, frozen=True):
    """What is left of one ruling at some place in the log.

    `options` are those that it sets and no later ruling does. Where none of its options is left, it is superseded
    by the latest ruling that took one; a ruling that sets no option is superseded by nothing.
    """

    options: Mapping[str, Any]
    superseded_by: int | None = None

    @property
    def in_force(self) -> bool:
        return self.superseded_by is None


def holdings(rulings: Iterable[RulingInForce]) -> dict[int, Holding]:
    """What is left of each of the rulings that stand at one place, by number; those that have ended are not in it."""
    latest: dict[str, int] = {}
    found: dict[int, Holding] = {}
    for ruling in sorted(rulings, key=lambda each: each.number, reverse=True):
        if ruling.ended:
            continue
        left = {name: value for name, value in ruling.options.items() if name not in latest}
        over = max(map(latest.__getitem__, ruling.options)) if ruling.options and not left else None
        found[ruling.number] = Holding(left, over)
        for name in left:
            latest[name] = ruling.number
    return found


def options_in_force(state: Game) -> Options:
    """What the campaign was started with, and above it what its rulings set: of several the highest number."""
    values = dict(state.campaign.options)
    for holding in holdings(state.campaign.rulings).values():
        values.update(holding.options)
    kind: type[Options] = type(state.options)
    return msgspec.convert(values, kind)
