"""Healing: up to the maximum, and its effect on poison and wounds."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from msgspec import Meta

from domain.gloomhaven.conditions import STATES, no_longer, settle_wound_of_summon
from domain.gloomhaven.exhaustion import must_take_part
from domain.gloomhaven.piles import change_summon, facts_of, find_summon
from domain.gloomhaven.sheet import Character, GloomhavenDecision, GloomhavenState, OfSummon, Source, hit_points
from domain.naming import called, listed
from domain.system.citing import rule
from domain.system.story import Share
from domain.turn import Action, Event, Positive, Sentence


class Heal(Action, frozen=True, kw_only=True, tag="gloomhaven.heal"):
    """Heal a character, or one of their summons."""

    shorts: ClassVar = {"h": {}}
    number_sign: ClassVar = "+"

    character: Character
    amount: Annotated[Positive, Meta(description="hit points")]
    source: Source = None
    summon: OfSummon = None

    @rule("GH 39")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Heals the character or one of the character's summons."""
        must_take_part(decision, self.character)
        if self.summon is None:
            heal_by(decision, self.character, self.amount, self.source)
            return
        ally = find_summon(decision, self.character, self.summon)
        hp, cures = heal(ally.hp, ally.most_hp, ally.conditions, self.amount)
        decision.tell(Healed(self.character, self.amount, hp, cures, self.source, hp - ally.hp, ally.name))


def heal_by(decision: GloomhavenDecision, name: str, amount: int, source: str | None) -> None:
    """Heal a character by this amount, up to the maximum of the level."""
    sheet = decision.sheet(name)
    most = facts_of(decision.state, name).max_hp(sheet.level)
    hp, cures = heal(sheet.hp, most, sheet.conditions, amount)
    decision.tell(Healed(name, amount, hp, cures, source, hp - sheet.hp))


@rule("GH 7", "GH 8")
def heal(hp: int, most: int, conditions: Sequence[str], amount: int) -> tuple[int, tuple[str, ...]]:
    """The hit points after a heal, and the conditions that it cures.

    Poison uses up the whole heal; a wound is cured as well. Hit points rise to the maximum at most.
    """
    cures = tuple(condition for condition in ("poison", "wound") if condition in conditions)
    if "poison" in cures:
        return hp, cures
    # hit points above the maximum, set by an override, are not lowered by a heal
    return max(hp, min(most, hp + amount)), cures


class Healed(Event, frozen=True, omit_defaults=True, tag="gloomhaven.healed"):
    """A heal. `hp` is the new total, `cured` the conditions that it took away.

    `healed`: by how much hit points rose (None in earlier logs, which tell what was asked). `summon`: whose they
    are, if not the character's own.
    """

    cites: ClassVar[tuple[str, ...]] = ("GH 7", "GH 8")
    character: str
    amount: int
    hp: int
    cured: tuple[str, ...]
    source: str | None
    healed: int | None = None
    summon: str | None = None

    def sentence(self) -> Sentence:
        losses = f" and is {self._cures()}" if self.cured else ""
        source = f" ({self.source})" if self.source else ""
        name = called(self.summon or self.character)
        if "poison" in self.cured:
            return (f"{name} is healed{source}{losses}, nothing more.",)
        amount = self.amount if self.healed is None else self.healed
        if not amount and not self.cured:
            return (f"{name} has {hit_points(self.hp)}, which is all; a heal of {self.amount}{source} adds nothing.",)
        attempt = f" of {self.amount}" if amount != self.amount else ""
        return (f"{name} is healed for {amount}{attempt}{source}{losses}: {hit_points(self.hp)}.",)

    def in_story(self) -> Share:
        name, amount = self.summon or self.character, self.amount if self.healed is None else self.healed
        if self.cured and ("poison" in self.cured or not amount):
            return no_longer(name, *self.cured)
        return Share(name, "regains", amount, "hit points", remark=self._cures() if self.cured else "")

    def _cures(self) -> str:
        return f"no longer {listed((STATES[condition] for condition in self.cured), 'or')}"

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        bearer = sheet.summon(self.summon) if sheet is not None and self.summon is not None else sheet
        if bearer is None:
            return
        conditions = tuple(condition for condition in bearer.conditions if condition not in self.cured)
        if self.summon is not None:
            change_summon(state, self.character, self.summon, hp=self.hp, conditions=conditions)
            if "wound" in self.cured:
                settle_wound_of_summon(state, self.character, self.summon)
        else:
            settles = {"wound_settled": True} if "wound" in self.cured else {}
            state.change(self.character, hp=self.hp, conditions=conditions, **settles)
