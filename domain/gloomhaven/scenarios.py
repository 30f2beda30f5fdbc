"""Scenarios: beginning and ending them, and the check for actions between them."""

from typing import Annotated, Any, ClassVar

from msgspec import Meta

from domain.gloomhaven.classes import levels
from domain.gloomhaven.exhaustion import must_not_be_lost, must_take_part
from domain.gloomhaven.modifiers import fresh
from domain.gloomhaven.piles import facts_of, taken_back
from domain.gloomhaven.sheet import FIGURES, GloomhavenDecision, GloomhavenSheet, GloomhavenState, Items
from domain.naming import called, listed
from domain.refusal import Invalid, Refusal, refuse_unless
from domain.system.citing import rule
from domain.system.drafts import Draft, as_it_stands, with_more
from domain.system.pending import PendingDecision
from domain.system.story import SEVERE, Begins, Own
from domain.turn import Action, Event, NonEmptyText, Sentence, Whole


class BeginScenario(Action, frozen=True, kw_only=True, tag="gloomhaven.begin_scenario"):
    """Begin a scenario with everyone who is here.

    Everyone begins it fresh: all hit points, all cards, all items.
    """

    synonyms: ClassVar = ("start",)

    scenario: Annotated[NonEmptyText, Meta(description="its number or name")]
    level: Annotated[
        Annotated[int, Meta(ge=0, le=7)] | None, Meta(description="the scenario level: what a money token is worth")
    ] = None

    def decide(self, decision: GloomhavenDecision) -> None:
        """Begins a scenario for everyone present, with full hand, hit points and items."""
        must_not_be_lost(decision)
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

    def sentence(self) -> Sentence:
        # what a token is worth without a level is easily wrong for the whole evening
        note = f" No level was given: a money token is worth {self.token_worth} gold." if self.level is None else ""
        return (f"{self._begins()}.{note}",)

    def in_story(self) -> Begins:
        return Begins("scene", self._begins())

    def _begins(self) -> str:
        level = f" at level {self.level}" if self.level is not None else ""
        return f"Scenario {self.scenario} begins{level} for {listed(map(called, self.hp))}"

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
    """End the scenario: cards, items, hit points return."""

    ends_for_everybody: ClassVar = "The scenario ends for everybody."

    won: Annotated[
        bool,
        Meta(description="whether the goal was reached", extra={"denied_by": "lost"}),
    ]
    xp: Annotated[Whole | None, Meta(description="experience for everybody who took part, where it was won")] = None

    def check(self) -> None:
        if self.xp and not self.won:
            raise Invalid("Only a scenario that was won gives experience; leave xp out.")

    @rule("GH 68")
    def open_decision(self, draft: Draft) -> PendingDecision | None:
        """Ask for the experience of a won scenario, proposing that of its level."""
        table = draft.state.table
        if not self.won or self.xp is not None or table.level is None or not draft.events:
            return None
        for_level: int = FIGURES["68"]["won"] + FIGURES["68"]["for_each_level"] * table.level
        winners = listed(called(name) for name in took_part(draft.state))
        choices = (
            with_more(self, f"{for_level} experience for {winners}", xp=for_level),
            with_more(self, "another amount", "xp"),
            as_it_stands(self, "no experience"),
        )
        return PendingDecision(choices, f"A scenario won at level {table.level} gives {for_level} experience.")

    @rule("GH 14")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Ends the scenario, won or lost; one in which everyone is exhausted cannot be won."""
        if not decision.table.playing:
            raise Refusal(None, "No scenario is being played.")
        refuse_unless(
            not (self.won and decision.table.outcome == "lost"),
            "GH 14",
            "Everyone is exhausted: the scenario is lost and cannot be won.",
        )
        winners = took_part(decision.state) if self.xp else []
        decision.tell(ScenarioEnded(self.won, _full_hit_points(decision.state)))
        for name in winners:
            sheet, xp = decision.sheet(name), self.xp or 0
            decision.tell(ExperienceWon(name, xp, sheet.xp + xp))


def took_part(state: GloomhavenState) -> list[str]:
    """The characters who take part in the scenario, including the exhausted."""
    return [name for name, sheet in state.characters.items() if sheet.joined]


class ExperienceWon(Event, frozen=True, tag="gloomhaven.experience_won"):
    """Experience for a scenario that was won; `xp` is the new total."""

    cites: ClassVar[tuple[str, ...]] = ("GH 68",)
    character: str
    gained: int
    xp: int

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} gains {self.gained} experience and has {self.xp}.",)

    def fold(self, state: GloomhavenState) -> None:
        state.change(self.character, xp=self.xp)


class ScenarioEnded(Event, frozen=True, tag="gloomhaven.scenario_ended"):
    """The scenario is over; everyone is as fresh as before it. Undoing it goes back into the scenario."""

    won: bool
    hp: dict[str, int]

    def sentence(self) -> Sentence:
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
    """The fields that reset a sheet between scenarios: all cards and items, full hit points, nothing open."""
    return {
        "hand": sheet.chosen, "selected": (), "discard": (), "lost": (), "active": (),
        "items": Items(ready=tuple(sorted(sheet.items.owned))), "summons": (), "conditions": (), "hp": hp,
        "resting": False, "initiative": None, "acted": False, "exhausted": False, "halves": (), "performed": (),
        "rested": False, "second_thought": None, "attack": None, "wound_settled": False,
        "summons_settled": (), "gained_this_turn": (), "due": (),
        "modifier_deck": None if sheet.modifier_deck is None else fresh(sheet.modifier_deck), **taken_back(sheet),
    }  # fmt: skip


def must_be_between_scenarios(decision: GloomhavenDecision, name: str) -> None:
    """Raise Refusal if a scenario is being played or the character cannot act."""
    must_take_part(decision, name)
    if decision.table.playing:
        raise Refusal(None, "That can be done only between scenarios; end this one first.")
