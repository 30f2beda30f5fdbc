"""The hours of a day, which are spent on rest, healing or effort (DH 23, 34)."""

from typing import Annotated, ClassVar

from msgspec import Meta

from domain.deckahedron.incapacitation import must_be_able_to_act
from domain.deckahedron.sheet import Character, Day, DeckahedronDecision, DeckahedronState
from domain.deckahedron.words import how_many
from domain.naming import called, inside
from domain.refusal import refuse_unless
from domain.system.citing import rule
from domain.turn import Action, Event, Sentence, Text, Whole

DayNumber = Annotated[Whole, Meta(description="the campaign's day, so that its hours are counted together")]
Hours = Annotated[int, Meta(ge=1, le=24, description="how many hours it takes")]
HOURS_OF_A_DAY = 24


class Effort(Action, frozen=True, kw_only=True, tag="deckahedron.effort"):
    """Spend hours of the day on something.

    Learning, studying, mending: anything that takes effort.
    """

    character: Character
    what: Annotated[Text, Meta(description="what the hours go into", extra={"remark": True})]
    hours: Hours
    day: DayNumber | None = None

    def decide(self, decision: DeckahedronDecision) -> None:
        must_be_able_to_act(decision, self.character, to="make any effort")
        must_have_hours(decision, self.character, self.day, self.hours)
        decision.tell(EffortSpent(self.character, self.what, self.hours, self.day))


@rule("DH 23", "DH 34")
def must_have_hours(
    decision: DeckahedronDecision, character: str, day: int | None, hours: int, *, healing: bool = False
) -> None:
    """Raise Refusal if the day has not enough hours left for the character; a day of healing takes all 24."""
    if day is None:
        return
    day_so_far = decision.sheet(character).days.get(day, Day())
    hours_left = how_many(max(0, HOURS_OF_A_DAY - day_so_far.hours), "hour")
    refuse_unless(
        day_so_far.hours + hours <= HOURS_OF_A_DAY,
        "DH 34" if healing or day_so_far.healing else "DH 23",
        f"{called(character)} has {hours_left} left on day {day}, not {hours}"
        + ("; a day of healing leaves none." if day_so_far.healing else "."),
    )


def spend(state: DeckahedronState, name: str, day: int | None, hours: int, *, healing: bool = False) -> None:
    """Fold the hours spent on a day, if the day was given."""
    sheet = state.characters.get(name)
    if sheet is not None and day is not None:
        before = sheet.days.get(day, Day())
        day_now = Day(before.hours + hours, before.healing or healing)
        state.change(name, days={**sheet.days, day: day_now})


class EffortSpent(Event, frozen=True, tag="deckahedron.effort_spent"):
    """Hours that went into something and so into neither rest nor healing."""

    cites: ClassVar[tuple[str, ...]] = ("DH 23", "DH 34")

    character: str
    what: str
    hours: int
    day: int | None = None

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} spends {how_many(self.hours, 'hour')} on {inside(self.what)}.",)

    def fold(self, state: DeckahedronState) -> None:
        spend(state, self.character, self.day, self.hours)
