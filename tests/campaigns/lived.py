"""Logs that have lived: evenings of 250 turns with rests, hits and notes, turns taken back and amended, and rulings.

One month of four evenings is played; a longer log is that month again and again, its turns, sessions and rulings
counted on. What the facts say stays as it was decided, so that every reading finds its sheets; and everybody sleeps
before an evening and after it, so that each month finds the sheets that the first one found.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count
from typing import Any

import msgspec
from msgspec.structs import replace

from domain.log.command_handler import CommandHandler
from domain.log.port import MemoryLog
from domain.registry import action_from, record_types
from domain.system.chance import COUNTED
from domain.turn import Drawn, StoredDrawn, Turn, TurnUndone

BEGINNING = datetime(2026, 1, 2, 19, tzinfo=UTC)
EVENING = 250
EVENINGS = 4
MONTH = EVENING * EVENINGS
#: Turns before the first evening: the start and two enrolments.
BEFORE = 3

Line = dict[str, Any]

NIGHT: Line = {"type": "osr.night_rest", "characters": ["Brog", "Ada"]}


def at_the_table() -> Iterator[Line]:
    """What is done in an osr evening, without end."""
    for at in count():
        character = "Brog" if at % 2 else "Ada"
        match at % 9:
            case 0 | 5:
                yield {"type": "osr.damage", "character": character, "amount": int(at % 18 == 0), "source": "a rat"}
            case 1 | 6:
                yield {"type": "osr.short_rest", "characters": [character]}
            case 2:
                yield {
                    "type": "note",
                    "text": f"The torch gutters; somebody counts the rations, {at}.",
                    "about": character,
                }
            case 3 | 7:
                yield {"type": "osr.damage", "character": character, "amount": 0}
            case 4:
                yield NIGHT
            case _:
                yield {"type": "note", "text": "Über die Straße ins Café.", "rule": "6.4"}


def _evening(number: int) -> Iterator[Line | None]:
    """What one evening asks for, at least its length of it; None: whatever was last is taken back."""
    yield {"type": "session.open", "title": f"The {number}. evening"}
    yield NIGHT
    for at, line in enumerate(at_the_table()):
        yield line
        if at % 50 == 49:
            yield None
        if at % 100 == 60:
            options_in_force = {"keep_higher": at % 200 == 60, "short_rest_together": False}
            yield {
                "type": "ruling",
                "rule": "6.4",
                "text": "As we like it.",
                "why": "We tried.",
                "set": options_in_force,
            }
        if at == 180 and number == 2:
            options_in_force = {"zero_is_injury": False}
            yield {"type": "ruling", "rule": "6.6", "text": "As before.", "set": options_in_force, "since": "@-9"}
        if at == 200 and number == 3:
            yield {"type": "ruling.end", "ruling": 2}


@cache
def _month() -> tuple[Turn, ...]:
    """The start, two enrolments, and four evenings as they were played."""
    log = MemoryLog("osr")
    minutes, ids = count(), count(1)
    handler = CommandHandler(
        log,
        clock=lambda: BEGINNING + timedelta(minutes=next(minutes)),
        new_id=lambda: f"lived-{next(ids)}",
        new_seed=lambda: 7,
    )
    handler.record(action_from("osr", {"type": "campaign.start", "name": "Lived", "rules": "osr"}), by="Mia")
    for name, player, level in (("Brog", "Mia", 9), ("Ada", "Jon", 8)):
        enrol = {"type": "osr.enrol", "character": name, "player": player, "level": level}
        handler.record(action_from("osr", enrol), by="Mia")
    people = ("Mia", "Jon", None)
    for evening in range(1, EVENINGS + 1):
        last = BEFORE + evening * EVENING
        for line in _evening(evening):
            if log.last() >= last - 3:
                break
            handler.record(action_from("osr", line or {"type": "undo"}), by=people[log.last() % 3])
            if log.last() % EVENING == 77:
                action = {"type": "note", "text": "So it was not.", "about": "Ada"}
                handler.record(action_from("osr", {"type": "amend", "turn": _last_note(log), "action": action}))
        while log.last() < last - 1:
            handler.record(action_from("osr", NIGHT))
        handler.record(action_from("osr", {"type": "session.close", "summary": "To be continued."}))
    return tuple(log.turns)


def _last_note(log: MemoryLog) -> int:
    undone_numbers = {event.turn for turn in log.turns for event in turn.events if isinstance(event, TurnUndone)}
    return next(
        turn.number
        for turn in reversed(log.turns)
        if turn.number not in undone_numbers and turn.action.__struct_config__.tag == "note"
    )


def lived(turns: int) -> Iterator[Turn]:
    """A log of so many turns."""
    month = _month()
    yield from month[: min(turns, len(month))]
    kind = record_types("osr").turn
    rulings = sum(turn.action.__struct_config__.tag == "ruling" for turn in month)
    for number in range(len(month) + 1, turns + 1):
        again, at = divmod(number - BEFORE - 1, MONTH)
        turn = month[BEFORE + at]
        moved_turn = replace(
            turn,
            number=number,
            id=f"lived-{number}",
            at=(turn.moment + timedelta(days=30 * again)).isoformat(),
        )
        if _counts(turn):
            value = _shifted(msgspec.to_builtins(moved_turn), again * MONTH, again * EVENINGS, again * rulings)
            by = again * (EVENINGS if turn.action.__struct_config__.tag == "session.open" else rulings)
            moved_turn = replace(msgspec.convert(value, kind), chance=_counted_on(turn.chance, by))
        yield moved_turn


def _counts(turn: Turn) -> bool:
    """Whether a turn speaks of turns, sessions or rulings by their numbers."""
    return turn.action.__struct_config__.tag in (
        "undo", "amend", "ruling", "ruling.end", "session.open", "session.close",
    )  # fmt: skip


def _shifted(turn: Line, turns: int, sessions: int, rulings: int) -> Line:
    """The numbers that a turn speaks of, counted on."""
    action = turn["action"]
    if action["type"] == "amend":
        action["turn"] += turns
    if action["type"] == "undo":
        action["turns"] = [number + turns for number in action["turns"]]
    if action["type"] == "ruling.end":
        action["ruling"] += rulings
    if action.get("since"):
        action["since"] = f"T{int(action['since'][1:]) + turns}"
    for event in turn["events"]:
        match event["type"]:
            case "turn.undone" | "turn.redecided":
                event["turn"] += turns
            case "session.opened" | "session.closed":
                event["number"] += sessions
            case "ruling.made":
                event["number"] += rulings
                if event.get("since") is not None:
                    event["since"] += turns
            case "ruling.ended":
                event["ruling"] += rulings
    return turn


def _counted_on(chance: Mapping[str, StoredDrawn], by: int) -> dict[str, StoredDrawn]:
    return {
        key: replace(drawn, values=tuple(int(value) + by for value in drawn.values))
        if key.endswith(COUNTED) and isinstance(drawn, Drawn)
        else drawn
        for key, drawn in chance.items()
    }
