"""Lines of `campaign act` under osr as tests ask them again and again, and a table at which each of them happens."""

from typing import Any

from domain.turn import Event, TurnRedecided
from tests.kit.given import Given

Line = dict[str, Any]

NOTE: Line = {"type": "note", "text": "Rain."}
REDO: Line = {"type": "redo"}


def enrol(name: str = "brog", *rolled: int) -> Line:
    """Of as many levels as there are dice; without any, of level 1 with 4 hit points."""
    return {"type": "osr.enrol", "character": name, "level": len(rolled) or 1, "rolled": rolled or [4]}


def hit(amount: int, name: str = "brog", **more: Any) -> Line:
    return {"type": "osr.damage", "character": name, "amount": amount, **more}


def undo(*turns: int, **more: Any) -> Line:
    return {"type": "undo", "turns": turns, **more}


def amend(turn: int, action: Line, **more: Any) -> Line:
    return {"type": "amend", "turn": turn, "action": action, **more}


def table(*lines: Line, options: Line | None = None) -> Given:
    """Everything has to happen; the first of the lines is T2."""
    made = Given("osr", options=options)
    for line in lines:
        made.when(line)
        assert made.error is None, made.error
    return made


def retold(at: Given) -> dict[int, tuple[Event, ...]]:
    """What the last turn says that others come to."""
    return {event.turn: event.events for event in at.events if isinstance(event, TurnRedecided)}
