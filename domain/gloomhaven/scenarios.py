"""Scenarios: beginning, ending, and what is done between them only."""

from typing import Annotated, Any, ClassVar

from msgspec import Meta

from domain.gloomhaven.classes import levels
from domain.gloomhaven.exhaustion import able, not_lost
from domain.gloomhaven.piles import facts_of, taken_back
from domain.gloomhaven.sheet import GloomhavenDecision, GloomhavenSheet, GloomhavenState, Items
from domain.naming import called, listed
from domain.refusal import Refusal, refuse_unless
from domain.system.citing import rule
from domain.system.story import SEVERE, Begins, Own
from domain.turn import Action, Event, NonEmptyText, Sentence


class BeginScenario(Action, frozen=True, kw_only=True, tag="gloomhaven.begin_scenario"):
    """Begin a scenario with everyone who is here, fresh and ready."""

    scenario: Annotated[NonEmptyText, Meta(description="its number or name")]
    level: Annotated[
        Annotated[int, Meta(ge=0, le=7)] | None, Meta(description="the scenario level: what a money token is worth")
    ] = None

    def decide(self, decision: GloomhavenDecision) -> None:
        """Everyone who is here takes part, with all cards in hand, full hit points and every item ready."""
        not_lost(decision)
        if decision.table.playing:
            raise Refusal(None, f"Scenario {decision.table.scenario} is being played; end it first.")
        if not decision.state.characters:
            raise Refusal(None, "Nobody is enrolled; enrol a character first.")
        here = {name: hp for name, hp in _full_hit_points(decision.state).items() if decision.sheet(name).away is None}
        if not here:
            raise Refusal(None, "Nobody is here to play: all are absent or have retired.")
        worth = 1 if self.level is None else levels()["token_worth"][self.level]
        decision.tell(ScenarioBegun(self.scenario.strip(), self.level, worth, here))


class ScenarioBegun(Event, frozen=True, tag="gloomhaven.scenario_begun"):
    """A scenario begins. `hp`: everyone who takes part, with full hit points."""

    scenario: str
    level: int | None
    token_worth: int
    hp: dict[str, int]

    def told(self) -> Sentence:
        level = f" at level {self.level}" if self.level is not None else ""
        return (f"Scenario {self.scenario} begins{level} for {listed(map(called, self.hp))}.",)

    def in_story(self) -> Begins:
        return Begins("scene")

    def fold(self, state: GloomhavenState) -> None:
        for name, hp in self.hp.items():
            if name in state.characters:
                state.change(name, **_fresh(state.characters[name], hp), joined=True, kills=0)
        state.change_table(
            scenario=self.scenario,
            level=self.level,
            round=0,
            phase=None,
            order=(),
            outcome=None,
            playing=True,
            token_worth=self.token_worth,
        )


class EndScenario(Action, frozen=True, kw_only=True, tag="gloomhaven.end_scenario"):
    """End the scenario; cards, items and hit points come back."""

    ends: ClassVar = "The scenario ends for everybody."

    won: Annotated[
        bool,
        Meta(
            description="whether the goal was reached",
            extra={"also_said": {"won": "yes", "win": "yes", "lost": "no", "lose": "no"}},
        ),
    ]

    @rule("GH 14")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Won or lost; a scenario that everyone is exhausted in is lost."""
        if not decision.table.playing:
            raise Refusal(None, "No scenario is being played.")
        refuse_unless(
            not (self.won and decision.table.outcome == "lost"),
            "GH 14",
            "Everyone is exhausted: the scenario is lost and cannot be won.",
        )
        decision.tell(ScenarioEnded(self.won, _full_hit_points(decision.state)))


class ScenarioEnded(Event, frozen=True, tag="gloomhaven.scenario_ended"):
    """The scenario is over; everyone is as fresh as before it. Undoing it goes back into the scenario."""

    won: bool
    hp: dict[str, int]

    def told(self) -> Sentence:
        return (f"The scenario is {'won' if self.won else 'lost'}.",)

    def in_story(self) -> Own:
        return Own(gravity=SEVERE)

    def fold(self, state: GloomhavenState) -> None:
        for name, sheet in list(state.characters.items()):
            state.change(name, **_fresh(sheet, self.hp.get(name, sheet.hp)), joined=False)
        state.change_table(phase=None, order=(), outcome="won" if self.won else "lost", playing=False)


def _full_hit_points(state: GloomhavenState) -> dict[str, int]:
    return {name: facts_of(state, name).max_hp(sheet.level) for name, sheet in state.characters.items()}


def _fresh(sheet: GloomhavenSheet, hp: int) -> dict[str, Any]:
    """The sheet between scenarios: all cards and items back, full hit points, nothing left of the last one."""
    return {
        "hand": sheet.chosen, "selected": (), "discard": (), "lost": (), "active": (),
        "items": Items(ready=tuple(sorted(sheet.items.owned))), "summons": (), "conditions": (), "hp": hp,
        "resting": False, "initiative": None, "acted": False, "exhausted": False, "halves": (), "performed": (),
        "rested": False, "second_thought": None, "attack": None, **taken_back(sheet),
    }  # fmt: skip


def between_scenarios(decision: GloomhavenDecision, name: str) -> None:
    """Raise Refusal if nothing can be done by this character, or a scenario is being played."""
    able(decision, name)
    if decision.table.playing:
        raise Refusal(None, "That is done between scenarios; end the one that is being played first.")
