"""A range of turns is read without the log before it, and reads as in the whole chronicle."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import replace

from domain.log.effective_history import effective_turns
from domain.log.folding import state_at, steps
from domain.log.port import MemoryLog
from domain.turn import Turn
from projections.chronicle import entry_for, entry_of
from projections.chronicle_range import chronicle, entries_between, session_titles
from projections.secrecy import ANYBODY, TABLE
from tests.campaigns.lived import BEFORE, EVENING, lived
from tests.kit.given import Given
from tests.kit.subjects import Subject
from tests.kit.subjects import pytest_generate_tests as pytest_generate_tests
from tests.kit.tables import FEW, chances, fresh, play
from tests.osr.asked import NOTE, enrol, hit, table


def read_between(at: Given, upto: int, first: int, last: int) -> list[dict[str, Any]]:
    return [entry.as_json() for entry in entries_between(at.system, at.log, upto, first, last)]


def check_every_beginning(at: Given, upto: int, last: int) -> None:
    whole = [entry_of(at.system, current) for current in effective_turns(at.log, upto)]
    assert list(chronicle(at.system, at.log, upto)) == whole
    titles = session_titles(at.log, upto)
    for first in range(1, last + 1):
        expected = [entry.as_json() for entry in whole if first <= entry.turn <= last]
        assert read_between(at, upto, first, last) == expected, f"T{first}..T{last} at T{upto}"
        sessions = {entry["session"] for entry in expected}
        found = session_titles(at.log, upto, sessions)
        assert {n: title for n, title in found.items() if n in sessions} == {
            n: title for n, title in titles.items() if n in sessions
        }
    if at.system.keeps_secrets:
        for viewer in (*list(at.handler.state().characters)[:2], ANYBODY, TABLE):
            check_every_beginning_for(viewer, at, upto, last, [entry.session for entry in whole])


def check_every_beginning_for(viewer: str, at: Given, upto: int, last: int, sessions: Sequence[int]) -> None:
    now = state_at(at.system, at.log, upto)
    turns = {
        current.number: entry_for(at.system, current, state, now, viewer)
        for current, state in steps(at.system, at.log, upto)
    }
    whole = [replace(turns[number], session=session) for number, session in enumerate(sessions, 1)]
    assert list(chronicle(at.system, at.log, upto, viewer)) == whole
    for first in range(1, last + 1):
        expected = [entry.as_json() for entry in whole if first <= entry.turn <= last]
        found = entries_between(at.system, at.log, upto, first, last, viewer=viewer)
        assert [entry.as_json() for entry in found] == expected, f"T{first}..T{last} at T{upto} for {viewer!r}"


@FEW
@given(chance=chances)
def test_a_range_reads_as_in_the_whole(subject: Subject, chance: Random) -> None:
    at = fresh(chance, subject)
    for number in range(chance.randint(1, 3)):
        at.when({"type": "session.open", "title": f"Evening {number}"})
        play(chance, subject, at, chance.randint(2, 8), revising=0.4)
        if at.handler.state().campaign.session is not None and chance.random() < 0.7:
            at.when({"type": "session.close"})
    upto = chance.randint(1, at.log.last())
    check_every_beginning(at, at.log.last(), at.log.last())
    check_every_beginning(at, upto, chance.randint(1, upto))


def test_a_late_entry_belongs_to_the_session_at_its_place() -> None:
    first, second = {"type": "session.open", "title": "First"}, {"type": "session.open", "title": "Second"}
    at = table(enrol(), first, hit(1), {"type": "session.close"}, second, hit(0))
    at.when({**NOTE, "after": "T4"}).when({**NOTE, "after": "T8"})
    at.when({"type": "ruling", "rule": "6.4", "text": "So.", "why": "So.", "set": {"keep_higher": True}, "since": "T4"})
    assert at.log.last() == 10
    check_every_beginning(at, at.log.last(), at.log.last())
    (late, *_) = read_between(at, at.log.last(), 8, 8)
    assert late["session"] == 1


def test_a_session_that_was_opened_late_does_not_go_on_behind_the_next_one() -> None:
    opening, closing = {"type": "session.open"}, {"type": "session.close"}
    at = table(enrol(), NOTE, opening, closing, opening)
    at.when({**opening, "after": "T2", "conflicts": "drop"}).when({**NOTE, "after": "T5"}).when(NOTE)
    assert at.log.last() == 9
    check_every_beginning(at, 9, 9)


def test_an_amendment_tells_what_an_earlier_one_had_made_of_it() -> None:
    at = table(enrol(), hit(1), {"type": "amend", "turn": 3, "action": hit(2)}, {"type": "undo", "turns": [4]})
    at.when({"type": "amend", "turn": 3, "action": hit(3)})
    check_every_beginning(at, at.log.last(), at.log.last())
    (amendment,) = read_between(at, 6, 6, 6)
    assert "1 → 3" in amendment["sentence"]


def test_a_session_that_was_amended_into_one_has_its_title() -> None:
    opening = {"type": "session.open", "title": "Begun late"}
    at = table(enrol(), {"type": "note", "text": "Hello."}, hit(1))
    at.when({"type": "amend", "turn": 3, "action": opening})
    assert session_titles(at.log, 5, {1}) == session_titles(at.log, 5) == {1: "Begun late"}
    check_every_beginning(at, 5, 5)


def test_a_title_is_looked_for_near_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """No index has the turns that open sessions: looking through 100,000 turns takes longer than all else."""
    log, searched = MemoryLog("osr", turns=list(lived(BEFORE + 4 * EVENING))), list[int]()
    read_back = log.read_back

    def noted(after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        searched.append((log.last() if upto is None else upto) - after)
        return read_back(after, upto, topics)

    monkeypatch.setattr(log, "read_back", noted)
    assert session_titles(log, log.last(), {4}) == {4: "The 4. evening"}
    assert max(searched) <= EVENING
