"""Points: places in the log as people write them."""

from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from domain.log.backdating import Backdating
from domain.log.points import turn_at
from domain.refusal import Invalid, Refusal
from tests.kit.given import EVENING, Given
from tests.osr.asked import NOTE


def played() -> Given:
    """T2 opens S1, T3 a note, T4 closes it, T5 a note, T6 opens S2, T7 a note."""
    table = Given("osr")
    for value in ({"type": "session.open"}, NOTE, {"type": "session.close"}, NOTE, {"type": "session.open"}, NOTE):
        table.when(value)
    return table


@pytest.mark.parametrize(
    ("point", "turn"),
    [("@", 7), ("@-0", 7), ("@-3", 4), ("@-6", 1), ("T4", 4), ("t4", 4), (" T1 ", 1), ("S1", 4), ("s1", 4), ("S2", 7)],
)
def test_a_point_is_a_turn(point: str, turn: int) -> None:
    assert turn_at(point, played().log) == turn


@pytest.mark.parametrize("point", ["T0", "T8", "T99999999", "@-7", "@-99", "S3", "S0", "1999-01-01"])
def test_a_point_that_is_not_in_the_log_is_refused(point: str) -> None:
    with pytest.raises(Refusal) as refused:
        turn_at(point, played().log)
    assert refused.value.rule is None


@pytest.mark.parametrize(
    "point", ["", "T", "T-1", "@3", "@--3", "yesterday", "2026-13-01", "T4.2", "T" + "9" * 20, "\x00", "S1..S2"]
)
def test_what_is_no_point_is_invalid(point: str) -> None:
    with pytest.raises(Invalid, match="Write a turn"):
        turn_at(point, played().log)


def test_a_session_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(Refusal, match="known: S1 and S2"):
        turn_at("S3", played().log)


def test_the_last_turn_of_an_open_session_is_the_last() -> None:
    assert turn_at("S2", played().when(NOTE).log) == 8


def test_a_session_whose_closing_is_undone_goes_on() -> None:
    table = Given("osr").when({"type": "session.open"}).when({"type": "session.close"}).when(NOTE)
    assert turn_at("S1", table.log) == 3
    assert turn_at("S1", table.when({"type": "undo", "turns": [3]}).log) == 5


def test_a_session_that_was_never_closed_ends_where_the_next_one_was_kept() -> None:
    table = played().when({"type": "undo", "turns": [4], "conflicts": "keep"})
    assert (turn_at("S1", table.log), turn_at("S2", table.log)) == (5, 8)


def test_a_session_undone_is_no_place() -> None:
    table = played().when({"type": "undo", "turns": [6, 7]})
    with pytest.raises(Refusal, match="known: S1"):
        turn_at("S2", table.log)


def test_a_turn_amended_into_an_opening_opens_a_session() -> None:
    table = Given("osr").when(NOTE).when(NOTE)
    table.when({"type": "amend", "turn": 2, "action": {"type": "session.open", "number": 5}})
    assert turn_at("S5", table.log) == 4


def test_a_point_can_be_read_as_of_an_earlier_turn() -> None:
    log = played().log
    assert (turn_at("@", log, 5), turn_at("S1", log, 3)) == (5, 3)
    with pytest.raises(Refusal):
        turn_at("T6", log, 5)


def test_a_moment_is_the_last_turn_that_is_not_later() -> None:
    log = played().log
    assert turn_at((EVENING + timedelta(minutes=2)).isoformat(), log) == 3
    assert turn_at((EVENING + timedelta(seconds=150)).isoformat(), log) == 3
    assert turn_at("2026-01-01T19:02:00Z", log) == 3


def test_a_moment_before_the_first_turn_is_refused() -> None:
    with pytest.raises(Refusal, match="The log begins after"):
        turn_at("2026-01-01T18:59:59+00:00", played().log)


@pytest.mark.parametrize("day", ["2026-01-03", "20260103", "2026-W01-6"])
def test_a_date_is_the_whole_day_however_it_is_written(day: str) -> None:
    table = Given("osr")
    noon = datetime(2026, 1, 3, 12, tzinfo=UTC)
    table.handler.record(table.line(NOTE), at=noon)
    table.handler.record(table.line(NOTE), at=noon + timedelta(days=3))
    assert turn_at(day, table.log) == 2


# -- where times run backwards -------------------------------------------------------------------------------


def dated(*days: float) -> Given:
    """A log begun on the first day, with a note for each of the others, so many days after `EVENING`."""
    table = Given("osr")
    table.log.turns[0] = replace(table.log.turns[0], at=(EVENING + timedelta(days=days[0])).isoformat())
    for day in days[1:]:
        table.handler.record(table.line(NOTE), at=EVENING + timedelta(days=day))
    return table


@pytest.mark.parametrize(
    ("days", "day", "turn"),
    [
        # one turn that is told with an earlier time
        ((0, 1, 30, 31, 1), 2, 2), ((0, 9, 5), 6, 1), ((0, 1, 30, 31, 1), 30.5, 3),
        # the clock was set back, for one turn or for an evening that is longer than the one before
        ((0, 1, 30, 31, 1, 1, 1, 1), 2, 2), ((0, 1, 30, 31, -90, -90), 2, 2),
        # one turn of the year after next
        ((0, 1, 700, 2, 3), 4, 2),
        # who plays was recorded before evenings of long ago
        ((90, 90, 90, 0, 1, 2, 30), 2.5, 6),
    ],
)  # fmt: skip
def test_where_times_run_backwards_a_date_is_what_the_log_said_then(
    days: tuple[float, ...], day: float, turn: int
) -> None:
    said: list[str] = []
    when = (EVENING + timedelta(days=day)).isoformat()
    assert turn_at(when, dated(*days).log, say=said.append) == turn
    (sentence,) = said
    assert sentence.startswith(f"{when} is taken as T{turn}. Times run backwards there: T")


@pytest.mark.parametrize(
    ("days", "day", "turn"), [((0, 1, 30, 31, 1), 31, 5), ((90, 0, 1, 30), 2, 3), ((0, 1, 1), 1, 3)]
)
def test_where_times_run_forward_nothing_is_said(days: tuple[float, ...], day: float, turn: int) -> None:
    # beside a turn of another time, and in a log that was begun after its first evening
    assert turn_at((EVENING + timedelta(days=day)).isoformat(), dated(*days).log) == turn


def test_one_earlier_turn_among_many_later_ones_is_no_beginning() -> None:
    with pytest.raises(Refusal, match=r"The log begins after .*\. Times run backwards there: T6 .* Name a turn."):
        turn_at((EVENING + timedelta(days=1)).isoformat(), dated(30, 30, 31, 32, 33, 0, 34).log)


def test_a_late_entry_does_not_make_times_run_backwards() -> None:
    table = dated(0, 1, 30, 31)
    table.handler.record(table.line(NOTE), backdating=Backdating(after="T2"))
    assert table.log.turns[-1].moment == EVENING + timedelta(days=1)
    assert turn_at((EVENING + timedelta(days=2)).isoformat(), table.log) == 2


def test_a_time_that_was_undone_does_not_count() -> None:
    table = dated(0, 1, 30, 31, 1)
    when = EVENING + timedelta(days=40)
    table.handler.record(table.line({"type": "undo", "turns": [5]}), at=when)
    assert turn_at((EVENING + timedelta(days=2)).isoformat(), table.log) == 2


@pytest.mark.parametrize(
    "value",
    [
        {"type": "undo", "to": "2026-01-03"},
        {"type": "ruling", "rule": "6.4", "text": "So.", "set": {"keep_higher": True}, "since": "2026-01-03"},
    ],
)
def test_what_is_recorded_does_not_rest_on_a_date_where_times_run_backwards(value: dict[str, object]) -> None:
    table = dated(0, 1, 30, 31, 1)
    with pytest.raises(Refusal, match=r"2026-01-03 may not be T2. Times run backwards there: T5 .* Name the turn."):
        table.handler.record(table.line(value))
    with pytest.raises(Refusal, match="Name the turn"):
        table.handler.record(table.line(NOTE), backdating=Backdating(after="2026-01-03"))
