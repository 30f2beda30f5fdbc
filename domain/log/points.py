"""Points: places in the log as people write them."""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from typing import Literal

from domain.common.sessions import SessionClose, SessionClosed, SessionOpen, SessionOpened
from domain.log.effective_history import EffectiveHistory, effective_history
from domain.log.port import Log
from domain.naming import listed
from domain.refusal import Invalid, Unknown
from domain.turn import Turn

HOW = "A point is a turn (T4), a session (S2), @ for now, @-3 for three turns ago, a date or a date and time."


def number_in(text: str, letter: Literal["T", "S", "R"]) -> int | None:
    """The number of a turn (T), a session (S) or a ruling (R) as it is typed, `T4` or `t4`; None for another text."""
    match = re.fullmatch(rf"[{letter}{letter.lower()}]([0-9]{{1,15}})", text.strip())
    return int(match[1]) if match else None


def reads_as_point(text: str) -> bool:
    """Whether a word is a turn, a session, now or so many turns ago, and hence no name."""
    counted = re.fullmatch(r"@(-[0-9]{1,15})?", text.strip()) is not None
    return counted or number_in(text, "T") is not None or number_in(text, "S") is not None


#: So many turns are looked at first for one that is as old as a time.
NEAR_THE_END = 250
#: The sessions that stand at a turn: their numbers, each with its first and its last turn.
Sessions = Callable[[Log, int], Mapping[int, tuple[int, int]]]


def turn_at(point: str, log: Log, upto: int | None = None, sessions: Sessions | None = None) -> int:
    """The number of the last turn at a point, in the log as it stood when turn `upto` was its last (None: now).

    `T4` is after turn 4, `S3` after the last turn of session 3, `@` now, `@-3` three turns ago; a date, or
    a date and time, is after the last turn whose `at` is not later (without a zone: this machine's).
    `sessions` are found in the log where nobody says them. Raises Unknown if there is no such place in the log,
    Invalid if that is no way to write one.
    """
    text = point.strip()
    last = log.last() if upto is None else upto
    if text == "@":
        return last
    if match := re.fullmatch(r"@-(\d{1,15})", text):
        back = int(match[1])
        if back >= last:
            raise Unknown("turn", text, f"{text} lies before the first turn", f"the log has {last}.")
        return last - back
    if (number := number_in(text, "T")) is not None:
        if not 1 <= number <= last:
            raise Unknown("turn", number, f"There is no turn T{number}", f"the log goes from T1 to T{last}.")
        return number
    if (number := number_in(text, "S")) is not None:
        known = (sessions or sessions_of)(log, last)
        return known[session_named(known, number)][1]
    if re.fullmatch(r"\d{1,6}", text):  # what is longer may be a date
        raise Invalid(f"{text!r} is not a place in the log; did you mean T{text}? {HOW}")
    return _last_not_later(text, log, last)


def sessions_of(log: Log, upto: int | None = None) -> dict[int, tuple[int, int]]:
    """Every session that stands: its number -> its first and its last turn, in the order of the log."""
    upto = log.last() if upto is None else upto
    effective = effective_history(log, upto)
    found: dict[int, tuple[int, int]] = {}
    open_now: int | None = None
    for turn in _session_turns(log, upto, effective):
        late = turn.number in effective.place
        # what was told late stands between its place and the turn after it
        first, last = effective.trunk(turn.number) + late, effective.trunk(turn.number)
        for event in effective.facts(turn):
            if isinstance(event, SessionOpened):
                if open_now is not None:
                    # it was never closed: its closing was taken back, and the next opening kept
                    found[open_now] = (found[open_now][0], first - 1)
                open_now = event.number
                found[open_now] = (first, upto)
            elif isinstance(event, SessionClosed) and open_now is not None:
                found[open_now] = (found[open_now][0], last)
                open_now = None
    return found


def session_named(known: Mapping[int, tuple[int, int]], number: int | None) -> int:
    """The session of this number (None: the last one). Raises Unknown, naming those there are."""
    if not known:
        raise Unknown("session", number, "No session was held yet")
    if number is None:
        return list(known)[-1]
    if number not in known:
        raise Unknown(
            "session", number, f"There is no session S{number}", f"known: {listed(f'S{each}' for each in known)}."
        )
    return number


def _session_turns(log: Log, last: int, effective: EffectiveHistory) -> list[Turn]:
    """The standing turns that may open or close a session, those that were amended to do so among them."""
    turns = list(log.read(upto=last, topics=("session.open", "session.close")))
    known = {turn.number for turn in turns}
    for number, (_, action) in effective.amended.items():
        if isinstance(action, SessionOpen | SessionClose) and number not in known:
            turns += log.read(after=number - 1, upto=number)
    return sorted(
        (turn for turn in turns if effective.stands(turn.number)), key=lambda turn: effective.way(turn.number)
    )


def _date(text: str) -> date | None:
    """A date without a time, in any of the ways of ISO 8601 (2026-11-21, 20261121, 2026-W47-6)."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _last_not_later(text: str, log: Log, last: int) -> int:
    try:
        limit = datetime.combine(day, time.max) if (day := _date(text)) else datetime.fromisoformat(text)
        limit = limit if limit.tzinfo else limit.astimezone()
    except (ValueError, OverflowError):
        raise Invalid(f"{text[:60]!r} is not a place in the log. {HOW}") from None
    # times need not rise with the numbers, but most do: so it is looked for from the end, further and further
    end, width = last, NEAR_THE_END
    while end > 0:
        after = max(0, end - width)
        found = max((turn.number for turn in log.read(after, end) if turn.moment <= limit), default=None)
        if found is not None:
            return found
        end, width = after, 2 * width
    raise Unknown("turn", text, f"The log begins after {text}")
