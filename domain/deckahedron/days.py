"""The hours of a day go into one thing only: rest, healing, or what takes effort (DH 23, 34)."""

from domain.deckahedron.actions import Effort
from domain.deckahedron.events import EffortSpent, counted
from domain.deckahedron.sheet import Day, DeckahedronDecision
from domain.deckahedron.stamina import must_be_able_to_act
from domain.naming import called
from domain.system.citing import rule
from domain.turn import refuse_unless

HOURS_OF_A_DAY = 24


def effort(decision: DeckahedronDecision, action: Effort) -> None:
    must_be_able_to_act(decision, action.character, to="make any effort")
    must_have_hours(decision, action.character, action.day, action.hours)
    decision.tell(EffortSpent(action.character, action.what, action.hours, action.day))


@rule("DH 23", "DH 34")
def must_have_hours(
    decision: DeckahedronDecision, character: str, day: int | None, hours: int, *, healing: bool = False
) -> None:
    """One day of one character has 24 hours; a day of healing is all of them."""
    if day is None:
        return
    spent = decision.sheet(character).days.get(day, Day())
    left = counted(max(0, HOURS_OF_A_DAY - spent.hours), "hour")
    refuse_unless(
        spent.hours + hours <= HOURS_OF_A_DAY,
        "DH 34" if healing or spent.healing else "DH 23",
        f"{called(character)} has {left} left on day {day}, not {hours}"
        + ("; a day of healing leaves none." if spent.healing else "."),
    )
