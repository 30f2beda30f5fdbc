"""Points: places in the log as people type them (T42, S3, @-3, a date) as turn numbers; and the turns of a session."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Literal, NamedTuple

from domain.common.sessions import SessionClose, SessionClosed, SessionOpen, SessionOpened
from domain.log.effective_history import EffectiveHistory, effective_history
from domain.log.port import Log
from domain.naming import listed_first
from domain.refusal import Invalid, Refusal, Unknown
from domain.times import in_full, span_of, to_the_minute
from domain.turn import Turn


class NotAPlace(Invalid):
    """A text that is no place in the log; `guess` proposes one."""

    def __init__(self, text: str, guess: str = ".") -> None:
        how = "Write a turn (T4), a session (S2), @ for now, @-3 for three turns ago, a date or a date and time."
        super().__init__(f"{text!r} is not a place in the log{guess} {how}")
        self.text = text


def number_in(text: str, letter: Literal["T", "S", "R"]) -> int | None:
    """The number in a typed turn (T), session (S) or ruling (R), `T4` or `t4`; None for any other text."""
    match = re.fullmatch(rf"[{letter}{letter.lower()}]([0-9]{{1,15}})", text.strip())
    return int(match[1]) if match else None


#: The number of turns at the end of the log that are searched first.
NEAR_THE_END = 250


def turn_at(
    point: str,
    log: Log,
    upto: int | None = None,
    *,
    now: datetime | None = None,
    say: Callable[[str], object] | None = None,
) -> int:
    """The number of the last turn at a point, in the log as it stood when turn `upto` was its last (None: now).

    `T4` is after turn 4, `S3` after the last turn of session 3, `@` now, `@-3` three turns ago; a date, or
    a date and time, is what the log said then: after the last turn before the first that is later (without a zone it is
    this machine's; `21:30` and `yesterday` need `now`). Where times run backwards, `say` is told which turn that is.
    Raises Unknown if there is no such place in the log, Invalid if that is no way to write one, and without `say`
    Refusal where times run backwards: what is recorded must not rest on a guess.
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
        return session_at(log, last, number)[1][1]
    if re.fullmatch(r"\d{1,6}", text):  # what is longer may be a date
        raise NotAPlace(text, f"; did you mean T{text}?")
    span = span_of(text if now is None else in_full(text, now), say or _refuse)
    if span is None:
        raise NotAPlace(text[:60])
    found = turn_then(log, last, span[1])
    if found.turn is None:
        odd = f". {found.backwards} Name a turn" if found.backwards else ""
        raise Unknown("turn", text, f"The log begins after {text}{odd}")
    if found.backwards and say is None:
        raise Refusal(None, f"{text} may not be T{found.turn}. {found.backwards} Name the turn.")
    if found.backwards and say is not None:
        say(f"{text} is taken as T{found.turn}. {found.backwards} Name the turn if you mean another place.")
    return found.turn


def sessions_of(log: Log, upto: int | None = None) -> dict[int, tuple[int, int]]:
    """Every standing session in the order of the log: number -> (first turn, last turn)."""
    upto = log.last() if upto is None else upto
    effective = effective_history(log, upto)
    bounds: dict[int, tuple[int, int]] = {}
    open_now: int | None = None
    for turn in session_turns(log, upto, effective):
        late = turn.number in effective.place
        # a late entry folds between its place and the next turn
        first, last = effective.trunk(turn.number) + late, effective.trunk(turn.number)
        for event in effective.facts(turn):
            if isinstance(event, SessionOpened):
                if open_now is not None:
                    # it was never closed: its closing was undone, and the next opening pinned
                    bounds[open_now] = (bounds[open_now][0], first - 1)
                open_now = event.number
                bounds[open_now] = (first, upto)
            elif isinstance(event, SessionClosed) and open_now is not None:
                bounds[open_now] = (bounds[open_now][0], last)
                open_now = None
    return bounds


def session_at(log: Log, upto: int, number: int | None) -> tuple[int, tuple[int, int]]:
    """The session of this number (None: the last one), and its first and last turn. Raises Unknown."""
    bounds = sessions_of(log, upto)
    if not bounds:
        raise Unknown("session", number, "No session has been held yet")
    number = list(bounds)[-1] if number is None else number
    if number not in bounds:
        known = f"known: {listed_first(f'S{session}' for session in bounds)}."
        raise Unknown("session", number, f"There is no session S{number}", known)
    return number, bounds[number]


def session_changes(log: Log, effective: EffectiveHistory, after: int) -> list[tuple[tuple[int, ...], int]]:
    """Where a session opens or closes after turn `after`, in folding order: the way there, and what is open then."""
    return [
        (effective.fold_path(turn.number), event.number if isinstance(event, SessionOpened) else 0)
        for turn in session_turns(log, log.last(), effective, after=after)
        for event in effective.facts(turn)
        if isinstance(event, SessionOpened | SessionClosed)
    ]


def session_turns(log: Log, last: int, effective: EffectiveHistory, *, after: int = 0) -> list[Turn]:
    """The standing turns that may open or close a session, including those amended to do so, in folding order."""
    turns = list(log.read(after, last, ("session.open", "session.close")))
    numbers = {turn.number for turn in turns}
    for number, (_, action) in effective.amendments.items():
        if isinstance(action, SessionOpen | SessionClose) and number not in numbers:
            turns += log.read(after=number - 1, upto=number)
    return sorted(
        (turn for turn in turns if effective.stands(turn.number)), key=lambda turn: effective.fold_path(turn.number)
    )


class TurnThen(NamedTuple):
    """The last turn at a moment; None before the first. `backwards`: the sentence that times run backwards there."""

    turn: int | None
    backwards: str = ""


def turn_then(log: Log, last: int, limit: datetime) -> TurnThen:
    """The turn after which the log, as it stood at turn `last`, went on only later than `limit`.

    Late entries do not count, as their time is that of their place; nor does the first turn of a campaign that was
    begun later than its first evening, nor, where times run backwards, an undone turn. Turns that come first although
    they are later are passed over, as long as no fewer are not.
    """
    found = _turn_then(log, last, limit, lambda _: True)
    return _turn_then(log, last, limit, effective_history(log, last).stands) if found.backwards else found


def _turn_then(log: Log, last: int, limit: datetime, counts: Callable[[int], bool]) -> TurnThen:
    taken: int | None = None
    not_later = later = 0
    was_later, odd = True, ""
    for number, at in log.times(last):
        if not counts(number):
            continue
        if at <= limit:
            not_later, was_later = not_later + 1, False
            if later and not odd:
                odd = f"Times run backwards there: T{number} comes after later turns, but is of {to_the_minute(at)}."
        elif number > 1:
            if taken is None and not was_later and not_later >= later:
                taken = number - 1
            later, was_later = later + 1, True
    if taken is None and not was_later and not_later >= later:
        taken = last
    return TurnThen(taken, odd)


def _refuse(sentence: str) -> None:
    raise Refusal(None, sentence)
