"""Conditions: they come and go by the table's word, and with the attacks that bring them."""

from collections.abc import Callable, Sequence
from typing import Annotated, ClassVar

from msgspec import Meta

from domain.gloomhaven.exhaustion import able
from domain.gloomhaven.piles import change_summon, find_summon
from domain.gloomhaven.printed import Condition
from domain.gloomhaven.sheet import Character, GloomhavenDecision, GloomhavenState, OfSummon, SummonOnBoard
from domain.naming import called
from domain.system.citing import rule
from domain.system.story import ELSEWHERE, Elsewhere, Share
from domain.turn import Action, Event, Sentence


class SetCondition(Action, frozen=True, kw_only=True, tag="gloomhaven.condition"):
    """Gain or lose a condition, oneself or a summon of one's own."""

    character: Character
    condition: Annotated[Condition, Meta(description="the condition")]
    gained: Annotated[bool, Meta(description="false: it is gone")] = True
    summon: OfSummon = None

    def decide(self, decision: GloomhavenDecision) -> None:
        """Conditions come and go by the table's word; nothing expires by itself."""
        able(decision, self.character)
        kind = ConditionGained if self.gained else ConditionLost
        ally = find_summon(decision, self.character, self.summon).name if self.summon is not None else None
        decision.tell(kind(self.character, self.condition, ally))


@rule("GH 5")
def gain(
    decision: GloomhavenDecision, name: str, conditions: Sequence[str], summon: SummonOnBoard | None = None
) -> None:
    """Conditions take hold whether or not the damage was negated; twice is once."""
    for condition in dict.fromkeys(conditions):
        if condition not in (decision.sheet(name) if summon is None else summon).conditions:
            decision.tell(ConditionGained(name, condition, summon.name if summon else None))


class ConditionGained(Event, frozen=True, omit_defaults=True, tag="gloomhaven.condition_gained"):
    """A condition holds; gained twice it holds once."""

    cites: ClassVar[tuple[str, ...]] = ("GH 5",)
    character: str
    condition: str
    summon: str | None = None

    def told(self) -> Sentence:
        return (f"{called(self.summon or self.character)} gains {self.condition}.",)

    def in_story(self) -> Share:
        return Share(self.summon or self.character, "gains", what=(self.condition,))

    def fold(self, state: GloomhavenState) -> None:
        _change_conditions(state, self.character, self.summon, lambda held: {*held, self.condition})


class ConditionLost(Event, frozen=True, omit_defaults=True, tag="gloomhaven.condition_lost"):
    """A condition is gone."""

    character: str
    condition: str
    summon: str | None = None

    def told(self) -> Sentence:
        return (f"{called(self.summon or self.character)} loses {self.condition}.",)

    def in_story(self) -> Elsewhere:
        return ELSEWHERE

    def fold(self, state: GloomhavenState) -> None:
        _change_conditions(state, self.character, self.summon, lambda held: {*held} - {self.condition})


def _change_conditions(
    state: GloomhavenState, name: str, summon: str | None, change: Callable[[tuple[str, ...]], set[str]]
) -> None:
    """What the character, or the summon of that name, has of them afterwards."""
    sheet = state.characters.get(name)
    who = sheet.summon(summon) if sheet is not None and summon is not None else sheet
    if who is None:
        return
    conditions = tuple(sorted(change(who.conditions)))
    if summon is not None:
        change_summon(state, name, summon, conditions=conditions)
    else:
        state.change(name, conditions=conditions)
