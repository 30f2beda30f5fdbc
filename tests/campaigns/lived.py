"""Logs that have lived: evenings of 250 turns with rests, hits and notes, turns taken back and amended, and rulings.

One month of four evenings is played; a longer log is that month again and again, its turns, sessions and rulings
counted on. What the facts say stays as it was decided, so that every reading finds its sheets; and everybody sleeps
before an evening and after it, so that each month finds the sheets that the first one found.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count, islice
from pathlib import Path
from random import Random

import msgspec
from msgspec.structs import replace

from cli.store.file import CampaignFile
from cli.store.making import create
from domain.log.command_handler import CommandHandler
from domain.log.effective_history import effective_history
from domain.log.folding import counting_numbers, fold
from domain.log.port import MemoryLog, MemorySnapshots
from domain.log.snapshots import EVERY, snapshot_of
from domain.registry import action_from, record_types, system_of, tag_of
from domain.system.chance import COUNTED
from domain.system.used_numbers import UsedNumbers
from domain.turn import Drawn, StoredDrawn, Turn
from tests.kit.given import Given
from tests.kit.subjects import Line, Subject
from tests.kit.tables import ruling_line

BEGINNING = datetime(2026, 1, 2, 19, tzinfo=UTC)
EVENING = 250
EVENINGS = 4
MONTH = EVENING * EVENINGS
#: Turns before the first evening: the start and two enrolments.
BEFORE = 3

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
    effective = effective_history(log, after=log.last() - 20)
    notes = (turn.number for turn in reversed(log.turns) if tag_of(type(turn.action)) == "note")
    return next(filter(effective.stands, notes), 2)


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


def lived_under(subject: Subject, turns: int) -> list[Turn]:
    """A log of so many turns, each of them decided at its time."""
    table, chance = Given(subject.key, seed=5), Random(5)
    table.log.snapshots = MemorySnapshots()
    lines = _lines_under(subject, chance, table)
    while table.log.last() < turns:
        table.when(next(lines))
    return table.log.turns


def _lines_under(subject: Subject, chance: Random, table: Given) -> Iterator[Line]:
    """What is tried, evening after evening; not all of it is legal."""
    for level, name in ((9, "Brog"), (8, "Ada")) if subject.key == "osr" else ():
        yield {"type": "osr.enrol", "character": name, "level": level}
    # each sleeps alone, or who is left after an undone enrolment would never sleep off anything again
    of_osr = (
        {**line, "characters": [name]} if line["type"] == "osr.night_rest" else line
        for line in at_the_table()
        if line["type"].startswith("osr.")
        for name in (line["characters"] if line["type"] == "osr.night_rest" else ("",))
    )
    while True:
        end = table.log.last() + EVENING - 1
        yield {"type": "session.open", "title": "The next evening"}
        for at in count():
            if table.log.last() >= end:
                break
            if at % 9 in (2, 8):
                yield {"type": "note", "text": f"The torch gutters; somebody counts the rations, {at}."}
            elif at % 50 == 49:
                yield {"type": "undo"}
            elif at % 100 == 60:
                yield ruling_line(chance, table)
            elif at % 100 == 77:
                note = {"type": "note", "text": "So it was not."}
                yield {"type": "amend", "turn": _last_note(table.log), "action": note}
            else:
                yield next(of_osr) if subject.key == "osr" else subject.line(chance, table)
        yield {"type": "session.close"}


def campaign_of(folder: Path, turns: Iterable[Turn], name: str) -> Path:
    """A campaign file with these turns in it, filled without deciding them again."""
    path = folder / f"{name}.campaign"
    following = iter(turns)
    create(path, name, next(following), following)
    return path


def keep_states(log: CampaignFile, turns: Iterable[Turn]) -> None:
    """Keep states behind a turn as they would have been kept while the campaign was played."""
    system = system_of(log.rules)
    state, used = system.opening(), UsedNumbers()
    effective = effective_history(log)
    following = iter(turns)
    # many at once: each time it folds, all that is judged otherwise is gathered
    while together := list(islice(following, EVERY)):
        fold(state, counting_numbers(together, used), effective)
        turn = together[-1]
        if turn.number % EVERY == 0:
            log.snapshots.store(snapshot_of(log, turn.number, state, used))
