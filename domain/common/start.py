"""The beginning of a campaign: turn 1 of every log."""

from typing import Any, ClassVar

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from domain.common.inheritance import Inheritance
from domain.common.rulings import options_in_force
from domain.refusal import Refusal
from domain.system.decision import Deciding
from domain.system.options import checked_options
from domain.system.state import Game
from domain.system.story import left_out
from domain.turn import Action, Event, Sentence, Text


class CampaignStart(Action, frozen=True, kw_only=True, tag="campaign.start"):
    """Start a campaign; turn 1 of every log."""

    has_verb: ClassVar = False

    name: Text
    rules: str
    options: dict[str, Any] = {}
    #: The package that brings the rules, if they are not built in.
    package: Text | None = None
    #: The rulebook of another campaign that it begins with.
    inherits: Inheritance | None = None

    def decide(self, decision: Deciding) -> None:
        if decision.number != 1:
            raise Refusal(None, "This campaign has begun already; another one has a log of its own.")
        options = checked_options(decision.system, self.options)
        inherits = UNSET if self.inherits is None else self.inherits.fit(decision.system)
        decision.tell(CampaignStarted(self.name, decision.system.key, decision.system.version, options, inherits))


class CampaignStarted(Event, frozen=True, tag="campaign.started"):
    """The campaign began. `version` is that of the rule system at the time."""

    name: str
    rules: str
    version: int
    options: dict[str, Any] = {}
    inherits: Inheritance | UnsetType = UNSET

    def sentence(self) -> Sentence:
        book = f" with the rulebook of {self.inherits.campaign}" if self.inherits else ""
        return (f"The campaign {self.name} begins under the rules of {self.rules}{book}.",)

    in_story = left_out

    def fold(self, state: Game) -> None:
        taken_over = self.inherits.paragraphs if self.inherits else ()
        state.campaign = replace(
            state.campaign,
            name=self.name,
            options=self.options,
            paragraphs=tuple(paragraph.rule for paragraph in taken_over if paragraph.own),
            withdrawn=tuple(paragraph.rule for paragraph in taken_over if paragraph.withdrawn),
        )
        state.options = options_in_force(state)
