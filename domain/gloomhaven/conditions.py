"""Conditions: they come and go by the table's word, and with the attacks that bring them."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from msgspec import Meta

from domain.gloomhaven.exhaustion import able
from domain.gloomhaven.facts import Condition
from domain.gloomhaven.sheet import Character, GloomhavenDecision, GloomhavenState
from domain.naming import called
from domain.system.citing import rule
from domain.turn import Action, Event, Sentence


class SetCondition(Action, frozen=True, kw_only=True, tag="gloomhaven.condition"):
    """Gain or lose a condition."""

    character: Character
    condition: Annotated[Condition, Meta(description="the condition")]
    gained: Annotated[bool, Meta(description="false: it is gone")] = True

    def decide(self, decision: GloomhavenDecision) -> None:
        """Conditions come and go by the table's word; nothing expires by itself."""
        able(decision, self.character)
        kind = ConditionGained if self.gained else ConditionLost
        decision.tell(kind(self.character, self.condition))


@rule("GH 5")
def gain(decision: GloomhavenDecision, name: str, conditions: Sequence[str]) -> None:
    """Conditions take hold whether or not the damage was negated; twice is once."""
    for condition in conditions:
        if condition not in decision.sheet(name).conditions:
            decision.tell(ConditionGained(name, condition))


class ConditionGained(Event, frozen=True, gc=False, tag="gloomhaven.condition_gained"):
    """A condition holds; gained twice it holds once."""

    cites: ClassVar[tuple[str, ...]] = ("GH 5",)
    character: str
    condition: str

    def told(self) -> Sentence:
        return (f"{called(self.character)} gains {self.condition}.",)

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None:
            state.change(self.character, conditions=tuple(sorted({*sheet.conditions, self.condition})))


class ConditionLost(Event, frozen=True, gc=False, tag="gloomhaven.condition_lost"):
    """A condition is gone."""

    character: str
    condition: str

    def told(self) -> Sentence:
        return (f"{called(self.character)} loses {self.condition}.",)

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None:
            left = tuple(each for each in sheet.conditions if each != self.condition)
            state.change(self.character, conditions=left)
