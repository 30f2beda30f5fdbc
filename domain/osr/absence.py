"""Absence from the table: the absent take no part when all rest together (OSR 6.4)."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from domain.naming import called
from domain.osr.preconditions import must_be_free, must_live
from domain.osr.sheet import OsrDecision, OsrState
from domain.refusal import Refusal
from domain.system.citing import rule
from domain.system.story import left_out
from domain.turn import Action, Event, Name, Sentence


class Absent(Action, frozen=True, kw_only=True, tag="osr.absent"):
    """Note who is not here tonight (in old logs only).

    In new logs `absence` does this under all rules.
    """

    has_verb: ClassVar = False

    character: Annotated[Name, Meta(description="who is not here")]
    here: Annotated[bool, Meta(description="back again")] = False

    @rule("OSR 6.4")
    def decide(self, decision: OsrDecision) -> None:
        """Marks a character absent or present; nobody can leave with an open injury (6.6)."""
        # older logs allowed it
        free = must_live if decision.chance.lenient else must_be_free
        free(decision, self.character)
        away = decision.sheet(self.character).away
        if away == "retired":
            raise Refusal(None, f"{called(self.character)} has retired; undo that turn first.")
        if self.here != (away == "absent"):
            raise Refusal(None, f"{called(self.character)} is {'here' if self.here else 'absent'} already.")
        decision.tell(CameBack(self.character) if self.here else WentAbsent(self.character))


class WentAbsent(Event, frozen=True, tag="osr.went_absent"):
    """Not at the table for the rest of the evening. Undone, there again."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.4",)

    character: str

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} is away for the rest of the evening.",)

    in_story = left_out

    def fold(self, state: OsrState) -> None:
        _leave(state, self.character, "absent")


class CameBack(Event, frozen=True, tag="osr.came_back"):
    """At the table again."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.4",)

    character: str

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} is here again.",)

    in_story = left_out

    def fold(self, state: OsrState) -> None:
        _leave(state, self.character, None)


def _leave(state: OsrState, name: str, away: Literal["absent"] | None) -> None:
    """A retired character stays retired: coming back takes undoing that turn."""
    sheet = state.characters.get(name)
    if sheet is not None and sheet.away != "retired":
        state.change(name, away=away)


@rule("OSR 6.6", "OSR 6.7")
def may_leave(decision: OsrDecision, name: str, *, for_good: bool) -> None:
    """Raise Refusal for the dead, and for a temporary absence with an open injury."""
    (must_live if for_good else must_be_free)(decision, name)
