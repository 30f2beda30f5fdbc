"""Times as people type them: in words, in the hours that a zone skips or doubles, and at the end of all years."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from domain.refusal import Invalid
from domain.times import in_full, moment_of, span_of, to_the_minute
from tests.kit.shell import zone

#: After midnight of an evening.
NOW = datetime(2026, 3, 7, 0, 40, tzinfo=UTC)


def test_any_year_is_written_with_four_digits() -> None:
    assert to_the_minute(datetime(21, 3, 7, 0, 40, 59, 7, UTC)) == "0021-03-07 00:40"


@pytest.fixture
def berlin() -> Iterator[None]:
    with zone("CET-1CEST,M3.5.0,M10.5.0/3"):
        yield


@pytest.mark.parametrize(
    ("typed", "full"),
    [
        ("21:30", "2026-03-06T21:30"), ("0:30", "2026-03-07T00:30"), ("9:05:10", "2026-03-06T09:05:10"),
        ("at 21:30", "2026-03-06T21:30"), ("today 0:10", "2026-03-07T00:10"), ("yesterday 21:30", "2026-03-06T21:30"),
        ("Yesterday, at 21:30", "2026-03-06T21:30"), ("yesterday", "2026-03-06"), ("today", "2026-03-07"),
        ("2026-01-31T19:30", "2026-01-31T19:30"), ("yesterday evening", "yesterday evening"), ("T4", "T4"), ("", ""),
        ("at", "at"), ("21", "21"), ("21:3", "21:3"),
    ],
)  # fmt: skip
def test_words_for_a_time_are_written_out(typed: str, full: str) -> None:
    assert in_full(typed, NOW) == full


@pytest.mark.parametrize("typed", ["25:00", "yesterday 12:75"])
def test_no_clock_shows_it(typed: str) -> None:
    assert span_of(in_full(typed, NOW), str) is None


@pytest.mark.usefixtures("berlin")
def test_an_hour_that_the_clocks_skip_is_refused_with_both_that_exist() -> None:
    for typed in ("2026-03-29T02:30", "2026-03-29T02:00"):
        with pytest.raises(Invalid) as refused:
            moment_of(typed, str)
        first, second = (f"2026-03-29T{hour}:{typed[-2:]}{zone}" for hour, zone in (("01", "+01:00"), ("03", "+02:00")))
        sentence = f"{typed} does not exist: the clocks went forward that night. Write {first} or {second}."
        assert refused.value.reason == sentence
        assert [moment_of(written, str) for written in (first, second)]


@pytest.mark.usefixtures("berlin")
def test_of_an_hour_that_came_twice_it_is_said_which() -> None:
    said: list[str] = []
    when = moment_of("2026-10-25T02:30", said.append)
    assert when is not None and when.isoformat() == "2026-10-25T02:30:00+02:00"
    assert said == [
        "2026-10-25T02:30 came twice, as the clocks went back. This is the first, 2026-10-25T02:30+02:00; the second is"
        " 2026-10-25T02:30+01:00."
    ]


@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize("typed", ["2026-03-29T01:59", "2026-03-29T03:00", "2026-10-25T01:59", "2026-10-25T03:00"])
def test_the_hours_beside_them_come_once(typed: str) -> None:
    said: list[str] = []
    assert moment_of(typed, said.append) and not said
    assert moment_of(f"{typed}+01:00", said.append) and not said


def test_a_day_is_a_whole_one_also_when_the_clocks_change_at_midnight() -> None:
    # an hour from midnight on is skipped in October, the one before midnight doubled in February
    with zone("AAA3BBB,M10.3.0/0,M2.3.0/0"):
        days = [span_of(day, str) or (NOW, NOW) for day in ("2026-10-18", "2026-02-14")]
    assert [round((end - start).total_seconds() / 3600) for start, end in days] == [23, 25]


def test_the_last_second_of_all_years_is_a_time() -> None:
    when = moment_of("9999-12-31T23:59:59", str)
    assert when is not None and when.replace(tzinfo=None).isoformat() == "9999-12-31T23:59:59"


@pytest.mark.parametrize("typed", ["9999-12-31T23:59-12:00", "0001-01-01T00:00+14:00"])
def test_what_lies_beyond_them_is_said_to_be_too_far(typed: str) -> None:
    with pytest.raises(Invalid, match="is too far away; years go from 2 to 9998"):
        moment_of(typed, str)
