"""Points: places in the log as people write them."""

import re
from datetime import date, datetime, time

from domain.campaign import SessionClosed, SessionOpened
from domain.log import Log
from domain.reading import judge
from domain.refusal import Invalid, Refusal

HOW = "A point is a turn (T4), a session (S2), @ for now, @-3 for three turns ago, a date or a date and time."


def turn_at(point: str, log: Log) -> int:
    """The number of the last turn at a point.

    `T4` is after turn 4, `S3` after the last turn of session 3, `@` now, `@-3` three turns ago; a date, or
    a date and time, is after the last turn whose `at` is not later (without a zone: this machine's).
    Raises Refusal if there is no such place in the log, Invalid if that is no way to write one.
    """
    text = point.strip()
    last = log.last()
    if re.fullmatch(r"@", text):
        return last
    if match := re.fullmatch(r"@-(\d{1,15})", text):
        back = int(match[1])
        if back >= last:
            raise Refusal(None, f"{text} lies before the first turn; the log has {last}.")
        return last - back
    if match := re.fullmatch(r"[Tt](\d{1,15})", text):
        number = int(match[1])
        if not 1 <= number <= last:
            raise Refusal(None, f"There is no turn T{number}; the log goes from T1 to T{last}.")
        return number
    if match := re.fullmatch(r"[Ss](\d{1,15})", text):
        return _end_of_session(int(match[1]), log)
    return _last_not_later(text, log)


def _end_of_session(number: int, log: Log) -> int:
    judgement = judge(log)
    known, open_now, end = [], None, None
    for turn in log.read(topics=("session.open", "session.close")):
        if not judgement.stands(turn.number):
            continue
        for event in judgement.facts(turn):
            if isinstance(event, SessionOpened):
                open_now = event.number
                known.append(open_now)
                if open_now == number:
                    end = log.last()
            elif isinstance(event, SessionClosed):
                if open_now == number:
                    end = turn.number
                open_now = None
    if end is None:
        these = ", ".join(f"S{each}" for each in known) or "none so far"
        raise Refusal(None, f"There is no session S{number}; known: {these}.")
    return end


def _last_not_later(text: str, log: Log) -> int:
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            limit = datetime.combine(date.fromisoformat(text), time.max).astimezone()
        else:
            moment = datetime.fromisoformat(text)
            limit = moment if moment.tzinfo else moment.astimezone()
    except (ValueError, OverflowError):
        raise Invalid(f"{text[:60]!r} is not a place in the log. {HOW}") from None
    found = max((turn.number for turn in log.read() if turn.moment <= limit), default=None)
    if found is None:
        raise Refusal(None, f"No turn is as old as {text}.")
    return found
