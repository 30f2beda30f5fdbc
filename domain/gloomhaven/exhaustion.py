"""Exhaustion: when a character is out of the scenario, and what that forbids; when the scenario is lost."""

from typing import ClassVar, Literal

from domain.gloomhaven.piles import SummonGone, refreshing_allies, taken_back
from domain.gloomhaven.sheet import FIGURES, GloomhavenDecision, GloomhavenState
from domain.naming import called
from domain.refusal import refuse_unless
from domain.system.citing import rule
from domain.system.story import SEVERE, Own
from domain.turn import Event, Sentence

# -- who is out ----------------------------------------------------------------------------------------


@rule("GH 12", "GH 13", "GH 14")
def must_take_part(decision: GloomhavenDecision, name: str) -> None:
    """Raise Refusal if the character is exhausted or the scenario is lost."""
    refuse_unless(
        not decision.sheet(name).exhausted,
        "GH 13",
        f"{called(name)} is exhausted and takes no further part in this scenario.",
    )
    must_not_be_lost(decision)


@rule("GH 14")
def must_not_be_lost(decision: GloomhavenDecision) -> None:
    """Raise Refusal if the scenario is lost, so that only ending it is left."""
    refuse_unless(
        not (decision.table.playing and decision.table.outcome == "lost"),
        "GH 14",
        "The scenario is lost; all that is left is to end it.",
    )


# -- being exhausted -----------------------------------------------------------------------------------


@rule("GH 9", "GH 10", "GH 12", "GH 46")
def exhaust(decision: GloomhavenDecision, name: str, why: Literal["hit points", "cards"]) -> None:
    """Exhaust a character: the summons leave, every card is lost; hit points, gold and experience stay."""
    for summon in decision.sheet(name).summons:
        decision.tell(SummonGone(name, summon.name))
    decision.tell(Exhausted(name, why))
    _lost_with_the_last(decision)


@rule("GH 14")
def _lost_with_the_last(decision: GloomhavenDecision) -> None:
    """Lose the scenario if everyone who takes part is exhausted; the retired do not take part."""
    taking_part = [sheet for sheet in decision.state.characters.values() if sheet.joined and sheet.away != "retired"]
    open_still = decision.table.playing and decision.table.outcome is None
    if open_still and taking_part and all(sheet.exhausted for sheet in taking_part):
        decision.tell(ScenarioLost())


class Exhausted(Event, frozen=True, tag="gloomhaven.exhausted"):
    """A character is out of the scenario: every card lost, nothing active. Hit points, gold and experience stay."""

    cites: ClassVar[tuple[str, ...]] = ("GH 12",)
    character: str
    why: Literal["hit points", "cards"]

    @property
    def rule(self) -> str:
        """The paragraph by which they are out."""
        return "GH 9" if self.why == "hit points" else "GH 10"

    def sentence(self) -> Sentence:
        reason = "has no hit points left" if self.why == "hit points" else "can neither play two cards nor rest"
        return (f"{called(self.character)} {reason} and is exhausted.",)

    def in_story(self) -> Own:
        return Own(gravity=SEVERE, who=self.character)

    @refreshing_allies
    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None:
            state.change(
                self.character, exhausted=True, hand=(), selected=(), discard=(), lost=tuple(sorted(set(sheet.cards))),
                active=(), summons=(), conditions=(), resting=False, initiative=None, halves=(), performed=(),
                attack=None, second_thought=None,
                **taken_back(sheet),
            )  # fmt: skip


class ScenarioLost(Event, frozen=True, tag="gloomhaven.scenario_lost"):
    """Everyone is exhausted."""

    cites: ClassVar[tuple[str, ...]] = ("GH 14",)

    def sentence(self) -> Sentence:
        return ("Everyone is exhausted: the scenario is lost.",)

    def in_story(self) -> Own:
        return Own(gravity=SEVERE)

    def fold(self, state: GloomhavenState) -> None:
        state.change_table(outcome="lost")


# -- rests and cards that are left ---------------------------------------------------------------------


@rule("GH 29", "GH 78")
def cards_for_rest(state: GloomhavenState, name: str) -> int:
    """The number of cards that count towards the two discarded ones that a rest needs."""
    sheet = state.characters[name]
    discarded_bonuses = [bonus for bonus in sheet.active if bonus.counts_as == "discarded"]
    return len(sheet.discard) + (len(discarded_bonuses) if state.options.active_counts_for_rest else 0)


def can_rest(state: GloomhavenState, name: str) -> bool:
    """Whether enough cards count towards a rest."""
    enough: int = FIGURES["78"]["discarded_cards"]
    return cards_for_rest(state, name) >= enough


@rule("GH 10", "GH 11", "GH 77")
def out_of_cards(state: GloomhavenState, name: str) -> bool:
    """Whether the character can neither play two cards nor rest."""
    sheet = state.characters[name]
    return len(sheet.hand) + len(sheet.selected) < FIGURES["75"]["cards"] and not can_rest(state, name)
