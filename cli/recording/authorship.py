"""The author and the time of a turn as they are typed, checked."""

from collections.abc import Callable
from datetime import datetime

from domain.refusal import Invalid
from domain.times import in_full, local_now, moment_of
from domain.turn import unsound


def moment(text: str | None, say: Callable[[str], object]) -> datetime | None:
    """A time as typed; without a zone it is this machine's. `say` is told which of two hours it is. Raises Invalid."""
    if text is None:
        return None
    when = moment_of(in_full(text, local_now()), say)
    if when is None:
        raise not_a_time(text)
    return when


def not_a_time(text: str) -> Invalid:
    """The error for a text that is no time."""
    return Invalid(f"{text[:60]!r} is not a time; write it like 21:30, yesterday 21:30 or 2026-01-31T19:30 (+01:00).")


def author(text: str | None) -> str | None:
    """The author as typed. Raises Invalid for a text that is not a name."""
    if text is not None and (not text.strip() or len(text) > 200):
        raise Invalid("--by takes a name of 1 to 200 characters.")
    if text is not None and (wrong := unsound(text)):
        raise Invalid(f"--by cannot hold {wrong}.")
    return text
