"""Healing: up to the maximum, and what poison and wounds make of it."""

from typing import Annotated, ClassVar

from msgspec import Meta

from domain.gloomhaven.exhaustion import able
from domain.gloomhaven.piles import facts_of
from domain.gloomhaven.sheet import Character, GloomhavenDecision, GloomhavenState, Source, hit_points
from domain.naming import called, listed
from domain.system.citing import rule
from domain.turn import Action, Event, Positive, Sentence


class Heal(Action, frozen=True, kw_only=True, tag="gloomhaven.heal"):
    """Heal a character."""

    shorts: ClassVar = {"h": {}}

    character: Character
    amount: Annotated[Positive, Meta(description="hit points")]
    source: Source = None

    def decide(self, decision: GloomhavenDecision) -> None:
        able(decision, self.character)
        heal_by(decision, self.character, self.amount, self.source)


@rule("GH 7", "GH 8")
def heal_by(decision: GloomhavenDecision, name: str, amount: int, source: str | None) -> None:
    """Poison takes up the whole heal, a wound is healed along with it; hit points rise to the maximum at most."""
    sheet = decision.sheet(name)
    cured = tuple(each for each in ("poison", "wound") if each in sheet.conditions)
    hp = sheet.hp
    if "poison" not in cured:
        # somebody above the maximum (a ruling of the table) is not brought down by a heal
        hp = max(hp, min(facts_of(decision.state, name).max_hp(sheet.level), hp + amount))
    decision.tell(Healed(name, amount, hp, cured, source))


class Healed(Event, frozen=True, gc=False, tag="gloomhaven.healed"):
    """A heal. `hp` is the new total, `cured` the conditions that it took away."""

    cites: ClassVar[tuple[str, ...]] = ("GH 7", "GH 8")
    character: str
    amount: int
    hp: int
    cured: tuple[str, ...]
    source: str | None

    def told(self) -> Sentence:
        cured = f" and loses {listed(self.cured)}" if self.cured else ""
        source = f" ({self.source})" if self.source else ""
        if "poison" in self.cured:
            return (f"{called(self.character)} is healed{source}{cured}, nothing more.",)
        return (f"{called(self.character)} is healed for {self.amount}{source}{cured}: {hit_points(self.hp)}.",)

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None:
            left = tuple(each for each in sheet.conditions if each not in self.cured)
            state.change(self.character, hp=self.hp, conditions=left)
