"""Times as people type them; without a zone they are this machine's, which skips hours, and has others twice."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from time import localtime
from time import time as seconds_since_1970

from domain.refusal import Invalid

#: The moments that can be written in every zone, in seconds since 1970.
EARLIEST, LATEST = (int(datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in (2, 9998))
#: The widest offset from UTC that can be written; a system allows a week.
WIDEST = timedelta(hours=23, minutes=59)


def local_now() -> datetime:
    """This machine's time with its zone, to the second, or the nearest that can be written down."""
    return _local(datetime.fromtimestamp(int(min(max(seconds_since_1970(), EARLIEST), LATEST)), UTC))


def unwritable_now() -> str | None:
    """A sentence if this machine's clock or zone shows a time that cannot be written down."""
    seconds = seconds_since_1970()
    if EARLIEST <= seconds <= LATEST and abs(localtime(seconds).tm_gmtoff) <= WIDEST.total_seconds():
        return None
    return (
        "This machine's clock or time zone shows a time that cannot be written down; turns get the nearest that can,"
        f" now {local_now().isoformat()}. Set the clock or TZ right, or say when it happened."
    )


def to_the_minute(at: datetime) -> str:
    """A date and time as people read it; `strftime` writes the year 21 with two digits."""
    return at.isoformat(" ", "minutes")[: len("2026-01-31 19:30")]


def in_full(text: str, now: datetime) -> str:
    """`yesterday 21:30`, `today` and the like as a date, or a date and time; any other text as it is.

    `21:30` alone is the last time that the clock showed it, so that after midnight it is still the same evening.
    """
    typed = re.fullmatch(r"(?i)(?:(today|yesterday)\b[\s,]*)?(?:at\s+)?(?:(\d{1,2}):(\d\d)(:\d\d)?)?", text.strip())
    if typed is None or not typed[0]:
        return text
    word, hour, minute, second = typed.groups()
    day = now.date() - timedelta(days=bool(word) and word.lower() == "yesterday")
    if hour is None:
        return day.isoformat() if word else text
    clock = f"{hour:0>2}:{minute}{second or ''}"
    if not word and clock > now.strftime("%H:%M:%S"):
        day -= timedelta(days=1)
    return f"{day}T{clock}"


def is_date(text: str) -> bool:
    """Whether it is a date, of which more or less is known, as dates sort: 2026-01-31, 2026-01, 2026."""
    try:
        date.fromisoformat(text + "-01-01"[len(text) - 4 :])
    except ValueError:
        return False
    return re.fullmatch(r"[0-9]{4}(-[0-9]{2}){0,2}", text) is not None


def span_of(text: str, say: Callable[[str], object]) -> tuple[datetime, datetime] | None:
    """The first and the last moment of a date, or the moment of a date and time twice; None for what is neither.

    `say` is told which of two hours was taken. Raises Invalid for an hour that the clocks skip.
    """
    typed = text.strip()
    try:
        day = date.fromisoformat(typed)
    except ValueError:
        pass
    else:
        # where the clocks change at midnight, from the first time that is of this day to the last
        begins = [_local(datetime.combine(day, time.min.replace(fold=fold))) for fold in (0, 1)]
        ends = [_local(datetime.combine(day, time.max.replace(fold=fold))) for fold in (0, 1)]
        return begins[begins[0].date() != day], ends[ends[1].date() == day]
    try:
        when = datetime.fromisoformat(typed)
    except ValueError:
        return None
    when = when if when.tzinfo else _that_exists(when, say)
    return when, when


def moment_of(text: str, say: Callable[[str], object]) -> datetime | None:
    """The moment of a date and time, or the first of a date. Raises as `span_of` does, and Invalid beyond all years."""
    span = span_of(text, say)
    if span is None:
        return None
    try:
        span[0].astimezone(UTC)  # other times have to be compared with it
    except OverflowError:
        raise Invalid(f"{text[:60]!r} is too far away; years go from 2 to 9998.") from None
    return span[0]


def _that_exists(when: datetime, say: Callable[[str], object]) -> datetime:
    """A time of this machine's clock with its zone; the first of two."""
    first, second = sorted((_local(when), _local(when.replace(fold=1))), key=datetime.timestamp)
    if first == second:
        return first
    written, both = when.isoformat(timespec="minutes"), [at.isoformat(timespec="minutes") for at in (first, second)]
    if first.replace(tzinfo=None) != when:
        raise Invalid(f"{written} does not exist: the clocks went forward that night. Write {both[0]} or {both[1]}.")
    say(f"{written} came twice, as the clocks went back. This is the first, {both[0]}; the second is {both[1]}.")
    return first


def _local(when: datetime) -> datetime:
    try:
        return when.astimezone()
    except (
        OverflowError,
        ValueError,
    ):  # the zone of a year that the machine cannot reckon with is that of its neighbour
        near = when.replace(year=min(max(when.year, 1971), 2037), day=min(when.day, 28))
        offset = timedelta(seconds=localtime(near.timestamp()).tm_gmtoff)
        zone = timezone(min(max(offset, -WIDEST), WIDEST))
        return when.astimezone(zone) if when.tzinfo else when.replace(tzinfo=zone)
