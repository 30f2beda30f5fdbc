"""References on a command line: a turn (T4, 4, @-3), a session (S3), a ruling (R1)."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from cli.terminal.spelling import in_quotes
from domain.log.points import number_in
from domain.naming import COUNTED_BACK, reads_as_point
from domain.refusal import Invalid


def turn_number(text: str) -> int | str:
    """The number of a turn, T4 or 4; @ and @-1 are returned as they are, as they need the log. Raises Invalid."""
    return text.strip() if re.fullmatch(COUNTED_BACK, text.strip()) else _number_of(text, "T", "a turn", "T4")


def turn_numbers(texts: Iterable[str] | None) -> list[int | str]:
    """Turns, each T4, 4 or @-1; commas separate several in one word. Raises Invalid."""
    return [turn_number(part) for text in texts or () for part in text.split(",") if part.strip()]


def turn_name(point: str) -> str:
    """A point where a bare number means a turn: 44 is T44."""
    return f"T{point}" if number_in(f"T{point}", "T") is not None and len(point) < 7 else point  # 20260131 is a date


def session_number(text: str) -> int:
    """A session, S3 or 3. Raises Invalid."""
    return _number_of(text, "S", "a session", "S3 or 3")


def ruling_number(text: str) -> int:
    """A ruling, R1 or 1. Raises Invalid."""
    return _number_of(text, "R", "a ruling", "R1")


def _number_of(text: str, letter: Literal["T", "S", "R"], what: str, like: str) -> int:
    number = number_in(text, letter)
    if number is None:
        number = number_in(f"{letter}{text.strip()}", letter)
    if number is None:
        raise Invalid(f"{text[:40]!r} is not {what}; write it like {like}.")
    return number


def must_name_nobody_by_a_place(words: Sequence[str], command: str) -> None:
    """Raise Invalid if a place in the log stands among the words for somebody, with the line that was meant."""
    place = next((word for word in words if reads_as_point(word)), None)
    if place is not None:
        who = [in_quotes(word) for word in words if word is not place]
        if command == "why" and not who:
            from cli.line.why_subject import NOT_SOMEBODY  # most questions name somebody

            raise Invalid(f"{place} {NOT_SOMEBODY}: campaign show {place}")
        line = " ".join(["campaign", command, *who, "--at", place])
        raise Invalid(f"{place} is a place in the log; it goes with --at: {line}")
