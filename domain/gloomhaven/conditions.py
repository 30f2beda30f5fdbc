"""Conditions: gained and lost by their own action, and gained with damage."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, ClassVar

from msgspec import Meta

from domain.gloomhaven.exhaustion import must_take_part
from domain.gloomhaven.facts import Condition
from domain.gloomhaven.modifiers import IN_THE_PARTY, ModifierAdded, deck_of, put_in
from domain.gloomhaven.piles import change_summon, find_summon
from domain.gloomhaven.sheet import Character, GloomhavenDecision, GloomhavenState, OfSummon, SummonOnBoard
from domain.naming import called
from domain.system.citing import rule
from domain.system.story import ELSEWHERE, Elsewhere, Share
from domain.turn import Action, Event, Sentence

#: The adjective of each condition.
STATES: Mapping[str, str] = {
    "poison": "poisoned", "wound": "wounded", "immobilize": "immobilized", "disarm": "disarmed", "stun": "stunned",
    "muddle": "muddled", "invisible": "invisible", "strengthen": "strengthened", "curse": "cursed", "bless": "blessed",
}  # fmt: skip


class SetCondition(Action, frozen=True, kw_only=True, tag="gloomhaven.condition"):
    """Gain or lose a condition."""

    character: Character
    condition: Annotated[Condition, Meta(description="the condition", extra={"one_turn_each": True})]
    gained: Annotated[bool, Meta(description="it is gained; no if it is lost", extra={"in_order": True})] = True
    summon: OfSummon = None

    def decide(self, decision: GloomhavenDecision) -> None:
        """Sets or clears a condition; none expires by itself. Bless and curse change a deck in the log."""
        name = self.character
        must_take_part(decision, name)
        if self.summon is not None:
            ally = find_summon(decision, name, self.summon)
            _change(decision, name, self.condition, gained=self.gained, ally=ally)
            return
        deck = deck_of(decision.state, name) if self.condition in IN_THE_PARTY else None
        if deck is not None and self.gained:
            put_in(decision, name, self.condition)
            if self.condition in decision.sheet(name).conditions:
                return
        elif deck is not None and deck.added.get(self.condition):
            decision.tell(ModifierAdded(name, self.condition, removed=True))
            if deck.added[self.condition] > 1:
                return
        _change(decision, name, self.condition, gained=self.gained)


def _change(
    decision: GloomhavenDecision,
    name: str,
    condition: Condition,
    *,
    gained: bool,
    ally: SummonOnBoard | None = None,
) -> None:
    had_it = condition in (decision.sheet(name) if ally is None else ally).conditions
    kind = ConditionGained if gained else ConditionLost
    decision.tell(kind(name, condition, ally.name if ally is not None else None, no_change=had_it == gained))


@rule("GH 5")
def gain(
    decision: GloomhavenDecision, name: str, conditions: Sequence[str], summon: SummonOnBoard | None = None
) -> None:
    """Add conditions, also if the damage was negated. Only bless and curse add up, as cards of a deck in the log."""
    for condition in dict.fromkeys(conditions):
        if condition in IN_THE_PARTY and summon is None and deck_of(decision.state, name) is not None:
            put_in(decision, name, condition)
        if condition not in (decision.sheet(name) if summon is None else summon).conditions:
            decision.tell(ConditionGained(name, condition, summon.name if summon else None))


class ConditionGained(Event, frozen=True, omit_defaults=True, tag="gloomhaven.condition_gained"):
    """A condition holds; gained twice it holds once."""

    cites: ClassVar[tuple[str, ...]] = ("GH 5",)
    character: str
    condition: str
    summon: str | None = None
    #: It held already.
    no_change: bool = False

    def sentence(self) -> Sentence:
        already = " already" if self.no_change else ""
        return (f"{called(self.summon or self.character)} is {STATES[self.condition]}{already}.",)

    def in_story(self) -> Share | Elsewhere:
        return (
            ELSEWHERE if self.no_change else Share(self.summon or self.character, "is", what=(STATES[self.condition],))
        )

    def fold(self, state: GloomhavenState) -> None:
        _change_conditions(state, self.character, self.summon, lambda conditions: {*conditions, self.condition})


class ConditionLost(Event, frozen=True, omit_defaults=True, tag="gloomhaven.condition_lost"):
    """A condition is gone."""

    character: str
    condition: str
    summon: str | None = None
    #: It did not hold.
    no_change: bool = False

    def sentence(self) -> Sentence:
        no_longer = "not" if self.no_change else "no longer"
        return (f"{called(self.summon or self.character)} is {no_longer} {STATES[self.condition]}.",)

    def in_story(self) -> Share | Elsewhere:
        return ELSEWHERE if self.no_change else no_longer(self.summon or self.character, self.condition)

    def fold(self, state: GloomhavenState) -> None:
        _change_conditions(state, self.character, self.summon, lambda conditions: {*conditions} - {self.condition})


def no_longer(name: str, *conditions: str) -> Share:
    """What a recap tells of conditions that are gone."""
    return Share(name, "is no longer", what=tuple(STATES[condition] for condition in conditions))


def _change_conditions(
    state: GloomhavenState, name: str, summon: str | None, change: Callable[[tuple[str, ...]], set[str]]
) -> None:
    """Change the conditions of a character, or of the summon of that name."""
    sheet = state.characters.get(name)
    bearer = sheet.summon(summon) if sheet is not None and summon is not None else sheet
    if bearer is None:
        return
    conditions = tuple(sorted(change(bearer.conditions)))
    if summon is not None:
        change_summon(state, name, summon, conditions=conditions)
    else:
        state.change(name, conditions=conditions)
