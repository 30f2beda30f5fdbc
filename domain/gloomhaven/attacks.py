"""Attacks and their modifiers, and what they kill."""

from typing import Annotated, ClassVar

from msgspec import Meta

from domain.gloomhaven.exhaustion import able
from domain.gloomhaven.order import in_turns, no_open_attack, not_resting, on_own_turn
from domain.gloomhaven.piles import find_summon
from domain.gloomhaven.sheet import (
    Character,
    GloomhavenDecision,
    GloomhavenState,
    OpenAttack,
    SummonOnBoard,
)
from domain.naming import called
from domain.refusal import refuse_unless
from domain.system.citing import rule
from domain.system.story import ELSEWHERE, Elsewhere, Share
from domain.turn import Action, Event, NonEmptyText, Sentence, Text, Whole


class Attack(Action, frozen=True, kw_only=True, tag="gloomhaven.attack"):
    """Open an attack; it stays open until its modifier is drawn."""

    shorts: ClassVar = {"a": {}}

    character: Character
    target: Annotated[Text | None, Meta(description="who is attacked", extra={"remark": True})] = None
    value: Annotated[Whole | None, Meta(description="the attack value", extra={"in_order": True})] = None

    @rule("GH 16")
    def decide(self, decision: GloomhavenDecision) -> None:
        """An attack is open until its modifier is drawn; items that affect it are used until then."""
        name = self.character
        able(decision, name)
        on_own_turn(decision, name)
        not_resting(decision, name)
        no_open_attack(decision, name)
        decision.tell(AttackOpened(name, self.target, self.value))


class AttackOpened(Event, frozen=True, tag="gloomhaven.attack_opened"):
    """An attack waits for its modifier."""

    character: str
    target: str | None
    value: int | None

    def told(self) -> Sentence:
        target = f" {self.target}" if self.target else ""
        value = f" for {self.value}" if self.value is not None else ""
        return (f"{called(self.character)} attacks{target}{value}.",)

    def in_story(self) -> Elsewhere:
        return ELSEWHERE

    def fold(self, state: GloomhavenState) -> None:
        state.change(self.character, attack=OpenAttack(self.target, self.value))


class DrawModifier(Action, frozen=True, kw_only=True, tag="gloomhaven.draw_modifier"):
    """Draw the attack modifier, which closes the open attack."""

    shorts: ClassVar = {"m": {}}
    also_called: ClassVar = ("flip",)

    character: Character
    modifier: Annotated[NonEmptyText, Meta(description='what the card says, like "+1" or "null"')]

    @rule("GH 16")
    def decide(self, decision: GloomhavenDecision) -> None:
        name = self.character
        able(decision, name)
        refuse_unless(
            decision.sheet(name).attack is not None,
            "GH 16",
            f"{called(name)} has no attack open to draw a modifier for.",
        )
        decision.tell(ModifierDrawn(name, self.modifier.strip()))


class ModifierDrawn(Event, frozen=True, tag="gloomhaven.modifier_drawn"):
    """The open attack is resolved."""

    character: str
    modifier: str

    def told(self) -> Sentence:
        return (f"{called(self.character)} draws {self.modifier}.",)

    def in_story(self) -> Elsewhere:
        return ELSEWHERE

    def fold(self, state: GloomhavenState) -> None:
        state.change(self.character, attack=None)


# -- kills ---------------------------------------------------------------------------------------------


class Kill(Action, frozen=True, kw_only=True, tag="gloomhaven.kill"):
    """Credit a kill to a character, or through a summon to its owner."""

    character: Character
    monster: Annotated[NonEmptyText, Meta(description="what was killed", extra={"remark": True})]
    summon: Annotated[NonEmptyText | None, Meta(description="the summon that struck")] = None

    @rule("GH 51", "GH 67")
    def decide(self, decision: GloomhavenDecision) -> None:
        """A summon's kill is its owner's; no kill gives experience."""
        name = self.character
        able(decision, name)
        in_turns(decision, name)
        struck = find_summon(decision, name, self.summon) if self.summon is not None else None
        if struck is not None:
            must_have_a_turn(struck, decision.table.round)
        by = struck.name if struck is not None else None
        decision.tell(Killed(name, self.monster.strip(), by, decision.sheet(name).kills + 1))


@rule("GH 50")
def must_have_a_turn(summon: SummonOnBoard, now: int) -> None:
    """A summon does nothing in the round in which it appeared."""
    refuse_unless(
        summon.since_round < now, "GH 50", f"{called(summon.name)} appeared this round and has no turn in it."
    )


class Killed(Event, frozen=True, tag="gloomhaven.killed"):
    """A monster is dead. `kills` is the owner's new count; there is no experience in it (GH 67)."""

    cites: ClassVar[tuple[str, ...]] = ("GH 67",)
    character: str
    monster: str
    summon: str | None
    kills: int

    def told(self) -> Sentence:
        who = f"{called(self.summon)}, for {called(self.character)}," if self.summon else called(self.character)
        return (f"{who} kills {self.monster}.",)

    def in_story(self) -> Share:
        return Share(self.summon or self.character, "kills", what=(self.monster,))

    def fold(self, state: GloomhavenState) -> None:
        state.change(self.character, kills=self.kills)
