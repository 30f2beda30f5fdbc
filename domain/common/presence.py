"""Who is at the table: absent for an evening, or retired for good."""

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from domain.naming import called, ended
from domain.refusal import Refusal
from domain.system.decision import Deciding
from domain.system.state import Game
from domain.system.story import SERIOUS, Own, left_out
from domain.turn import Action, Event, Name, Sentence, Text


class Absence(Action, frozen=True, kw_only=True, tag="absence"):
    """Note who is not here tonight, or who is back.

    They are back once you say so, or when the session closes.
    """

    verb: ClassVar = "absent"
    shorts: ClassVar = {"back": {"here": True}}
    synonyms: ClassVar = ("away",)
    meant_by: ClassVar = ("missing", "skip")

    character: Annotated[Name, Meta(description="who is not here")]
    here: Annotated[bool, Meta(description="back again")] = False
    why: Annotated[Text | None, Meta(description="the reason", extra={"remark": True})] = None

    def decide(self, decision: Deciding) -> None:
        name, away = self.character, decision.sheet(self.character).away
        if away == "retired":
            raise Refusal(None, f"{called(name)} has retired; undo that turn first.")
        if self.here != (away == "absent"):
            raise Refusal(None, f"{called(name)} is {'here' if self.here else 'absent'} already.")
        decision.system.may_leave(decision, name, for_good=False)
        decision.tell(AbsenceTold(name, self.here, self.why or UNSET))


class AbsenceTold(Event, frozen=True, tag="absence.told"):
    """Somebody is not here for the rest of the evening, or is here again."""

    character: str
    here: bool = False
    why: str | UnsetType = UNSET

    def sentence(self) -> Sentence:
        tells = "is here again" if self.here else "is away for the rest of the evening"
        return (f"{called(self.character)} {tells}{f': {ended(self.why)}' if self.why else '.'}",)

    in_story = left_out  # the recap lists the absent at its head

    def fold(self, state: Game) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None and sheet.away != "retired":
            state.change(self.character, away=None if self.here else "absent")


class Retire(Action, frozen=True, kw_only=True, tag="retire"):
    """End a character's story for good."""

    character: Annotated[Name, Meta(description="who retires")]
    why: Annotated[Text | None, Meta(description="how the story ends", extra={"remark": True})] = None

    def decide(self, decision: Deciding) -> None:
        if decision.sheet(self.character).away == "retired":
            raise Refusal(None, f"{called(self.character)} has retired already.")
        decision.system.may_leave(decision, self.character, for_good=True)
        decision.tell(Retired(self.character, self.why or UNSET))


class Retired(Event, frozen=True, tag="retired"):
    """The story of a character ends. Undone, it goes on."""

    character: str
    why: str | UnsetType = UNSET

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} retires{f': {ended(self.why)}' if self.why else '.'}",)

    def in_story(self) -> Own:
        return Own(gravity=SERIOUS, who=self.character, by="")

    def fold(self, state: Game) -> None:
        state.change(self.character, away="retired")
