"""The filters that commands about many turns share: a range, a session, a character, times; and what they select.

`--since` and `--until` take a point of the log (T4, S2, @-20) or a time. From S2 on is from its first turn on.
"""

import re
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Annotated

import typer
from msgspec.structs import replace

from cli.recording.authorship import not_a_time
from cli.shell.command_context import point_in, session_of
from cli.shell.options import known, or_not_found
from cli.shell.references import turn_name
from cli.terminal.screen import complain
from domain.log.points import number_in, session_at, turn_then
from domain.log.port import Log
from domain.naming import name_meant, reads_as_point
from domain.refusal import Invalid, Refusal
from domain.times import in_full, local_now, span_of
from projections.filters import Filters

OfSession = Annotated[
    str | None,
    typer.Option("--session", metavar="S3", help="Only this session: S3, 3, a day.", autocompletion=known("sessions")),
]
OfCharacter = Annotated[
    str | None,
    typer.Option("--character", autocompletion=known("characters"), help="Only what is about this character."),
]
Since = Annotated[
    str | None,
    typer.Option("--since", metavar="POINT", help="From here on: a date, S2, T4.", autocompletion=known("points")),
]
Until = Annotated[
    str | None,
    typer.Option("--until", metavar="POINT", help="Up to here: a date, S2, T4.", autocompletion=known("points")),
]


def filters_of(
    log: Log,
    characters: Callable[[], Iterable[str]] = tuple,
    *,
    range_: str | None = None,
    session: str | None = None,
    character: str | None = None,
    since: str | None = None,
    until: str | None = None,
) -> Filters:
    """The filters that were typed. Raises NotFound for what is not in the log, and Invalid for what is no filter."""
    first, last = or_not_found(lambda: _ends(range_, log)) if range_ else (1, log.last())
    of_session = session_of(log, session) if session is not None else None
    if of_session:  # 0 is what lies outside any
        or_not_found(lambda: point_in(log, f"S{of_session}"))
    if since is not None and reads_as_point(since):
        begins = since
        first, since = max(first, or_not_found(lambda: _first_turn(log, begins))), None
    if until is not None and reads_as_point(until):
        ends = until
        last, until = min(last, or_not_found(lambda: point_in(log, ends))), None
    name = or_not_found(lambda: name_meant(character, characters())) if character is not None else None
    filters = Filters(first=first, last=last, session=of_session, character=name)
    return _between_times(log, filters, since, until)


def _ends(text: str, log: Log) -> tuple[int, int]:
    """`T3..T9`, `S2..`, `..T9`, or one point alone: the first and the last turn. Raises Invalid, Refusal."""
    start, dots, end = text.partition("..")
    if not dots:
        start, end = text, text
        if (session := number_in(text, "S")) is not None:
            raise Invalid(f"For one session use --session {session}.")
        if (turns := re.fullmatch(r"([Tt]?\d{1,15})\s?[-–]\s?([Tt]?\d{1,15})", text)) is not None:
            raise Invalid(f"Write from one turn to another as {turn_name(turns[1])}..{turn_name(turns[2])}.")
    last = point_in(log, end or None)
    first = point_in(log, start) if start else 1
    if first > last:
        raise Refusal(None, f"{text} is empty: T{first} comes after T{last}.")
    return first, last


def _first_turn(log: Log, point: str) -> int:
    """The first turn of what a point names: of a session its opening."""
    if (number := number_in(point, "S")) is None:
        return point_in(log, point)
    return session_at(log, log.last(), number)[1][0]


def _between_times(log: Log, filters: Filters, since: str | None, until: str | None) -> Filters:
    """The filters with two times as typed. Where times run backwards, the order of the turns decides, and that is said.

    Raises Invalid.
    """
    begin, end = _span(since), _span(until)
    if begin is not None:
        before = turn_then(log, log.last(), begin[0] - timedelta(microseconds=1))
        if before.backwards:
            first = (before.turn or 0) + 1
            complain(f"--since {since} begins with T{first}. {before.backwards} Name turns for another range: T4..T9.")
            filters = replace(filters, first=max(filters.first, first))
        else:
            filters = replace(filters, since=begin[0])
    if end is not None:
        after = turn_then(log, log.last(), end[1])
        if after.backwards:
            ends_with = "before T1" if after.turn is None else f"with T{after.turn}"
            complain(f"--until {until} ends {ends_with}. {after.backwards} Name turns for another range: T4..T9.")
            nothing = frozenset[int]() if after.turn is None else filters.turns
            filters = replace(filters, last=min(filters.last or log.last(), after.turn or 1), turns=nothing)
        else:
            filters = replace(filters, until=end[1])
    return filters


def _span(text: str | None) -> tuple[datetime, datetime] | None:
    """The first and the last moment of a time as typed. Raises Invalid."""
    span = None if text is None else span_of(in_full(text, local_now()), complain)
    if span is None and text is not None:
        raise not_a_time(text)
    return span
