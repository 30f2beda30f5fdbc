"""The author and the time of a turn as they are typed, checked."""

from datetime import UTC, datetime

from domain.refusal import Invalid
from domain.turn import unsound


def moment(text: str | None) -> datetime | None:
    """A time as typed; without a zone it is this machine's. Raises Invalid."""
    if text is None:
        return None
    try:
        when = datetime.fromisoformat(text)
        when = when if when.tzinfo else when.astimezone()
        when.astimezone(UTC)  # fails for times that cannot be compared with others
    except (ValueError, OverflowError):
        raise Invalid(
            f"{text[:60]!r} is not a time; write it like 2026-01-31T19:30 or 2026-01-31T19:30+01:00."
        ) from None
    return when


def author(text: str | None) -> str | None:
    """The author as typed. Raises Invalid for a text that is not a name."""
    if text is not None and (not text.strip() or len(text) > 200):
        raise Invalid("--by takes a name of 1 to 200 characters.")
    if text is not None and (wrong := unsound(text)):
        raise Invalid(f"--by cannot hold {wrong}.")
    return text
