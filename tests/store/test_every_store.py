"""What every store keeps: one suite for the log in memory, in a file and on a server."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import count, cycle
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from cli.store.anywhere import create_at, open_log
from cli.store.branches import delete_branch, make_branch, switch_to
from cli.store.checking import findings_in
from cli.store.making import create
from cli.store.stored_log import StoredLog
from domain.common.notes import Note
from domain.common.revisions import Redo, Undo
from domain.log.backdating import NOW, Backdating
from domain.log.effective_history import effective_turns
from domain.log.hash_chain import beginning, links_of
from domain.log.port import IdTaken, Log, MemoryLog, NumberTaken
from domain.turn import Turn
from tests.kit.on_disk import first_turn, handler_of, note

#: Opens the campaign of this test, as often as it is asked to.
Opening = Callable[[], AbstractContextManager[Log]]


@pytest.fixture(params=["memory", "file", "server"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "file":
        create(tmp_path / "test.campaign", "campaign-1", first_turn())
        return str(tmp_path / "test.campaign")
    if request.param == "server":
        return create_at(request.getfixturevalue("database"), "campaign-1", "Test", "test", first_turn())
    return "memory"


@pytest.fixture
def opening(store: str) -> Opening:
    if store == "memory":
        log = MemoryLog("osr", "campaign-1", [first_turn()])
        return lambda: nullcontext(log)
    return lambda: open_log(store, write=True)


def numbers(turns: Iterator[Turn]) -> list[int]:
    return [turn.number for turn in turns]


def test_turns_are_read_in_order_from_anywhere_to_anywhere(opening: Opening) -> None:
    with opening() as log:
        log.append_all([note(number) for number in range(2, 1203)])
    with opening() as log:
        assert (log.campaign_id, log.rules, log.last()) == ("campaign-1", "osr", 1202)
        assert numbers(log.read()) == list(range(1, 1203))
        assert numbers(log.read(after=499, upto=1001)) == list(range(500, 1002))
        assert numbers(log.read(after=1202)) == []
        assert numbers(log.read(topics=["campaign.start"])) == [1]
        assert next(log.read(after=700)) == note(701)


def test_a_number_is_given_once_and_none_is_left_out(opening: Opening) -> None:
    with opening() as log:
        log.append(note(2))
        for number in (1, 2, 4):
            with pytest.raises(NumberTaken):
                log.append(note(number, turn_id=f"another {number}"))
        assert numbers(log.read()) == [1, 2]


def test_several_turns_are_kept_or_none(opening: Opening) -> None:
    with opening() as log:
        log.append_all([note(2), note(3)])
        with pytest.raises(NumberTaken):
            log.append_all([note(3, turn_id="x"), note(4, turn_id="y")])
        assert numbers(log.read()) == [1, 2, 3]
        assert log.find("y") is None


def test_a_turn_is_found_by_its_id(opening: Opening) -> None:
    with opening() as log:
        log.append(note(2, turn_id="the second"))
        assert log.find("the second") == note(2, turn_id="the second")
        assert log.find("the third") is None


def test_turns_that_are_told_late_are_listed(opening: Opening) -> None:
    with opening() as log:
        log.append_all([note(2), note(3), replace(note(4), place=2), note(5), replace(note(6), place=1)])
        assert numbers(log.late_turns()) == [4, 6]
        assert numbers(log.late_turns(after=4, upto=6)) == [6]


def test_what_a_handler_records_in_one_reads_in_another(opening: Opening) -> None:
    with opening() as one, opening() as other:
        first, second = handler_of(one), handler_of(other)
        turns = [handler.record(Note(text=f"{number}")).turn for number in range(5) for handler in (first, second)]
        assert list(other.read(after=1)) == turns


def test_what_stands_is_told_alike(opening: Opening) -> None:
    with opening() as log:
        handler = handler_of(log)
        for action in (Note(text="a"), Note(text="b"), Undo(last=1), Redo(), Undo(turns=(2,))):
            handler.record(action)
        assert {
            effective_turn.number: effective_turn.undone_by
            for effective_turn in effective_turns(log)
            if effective_turn.undone_by
        } == {2: 6, 4: 5}


# -- what lies on a disk somewhere


@contextmanager
def stored(store: str) -> Iterator[StoredLog]:
    if store == "memory":
        pytest.skip("nothing is kept of it")
    with open_log(store, write=True) as log:
        yield log


def test_the_same_turn_sent_again_is_there_once_and_another_of_its_id_is_not(store: str) -> None:
    with stored(store) as log:
        log.append(note(2))
        log.append(note(2))
        assert log.last() == 2
        with pytest.raises(IdTaken):
            log.append(note(3, "Snow.", turn_id="id-2"))
        assert log.last() == 2


def test_every_turn_gets_its_link(store: str) -> None:
    with stored(store) as log:
        log.append_all([note(2), note(3)])
        tags = ("campaign.start", "note", "note")
        turns = [(turn.number, tag, msgspec.msgpack.encode(turn)) for turn, tag in zip(log.read(), tags, strict=True)]
        expected = list(links_of(beginning("campaign-1"), "campaign-1", turns))
        assert [log.link(number) for number in (0, 1, 2, 3)] == [beginning("campaign-1"), *expected]


def test_a_branch_goes_on_from_its_fork_and_the_campaign_from_there_too(store: str) -> None:
    with stored(store) as log:
        log.append(note(2))
        make_branch(log, "plan", 1, switch=True)
    with stored(store) as plan:
        assert (plan.branch, plan.last()) == ("plan", 1)
        plan.append(note(2, "Planned.", turn_id="planned"))
        with pytest.raises(IdTaken):
            plan.append(note(3, turn_id="id-2"))
        switch_to(plan, "main")
    with stored(store) as log:
        assert [turn.id for turn in log.read()] == ["id-1", "id-2"]
        with log.on("plan") as line:
            assert [turn.id for turn in line.read()] == ["id-1", "planned"]
            assert [turn.id for turn in line.read_back()] == ["planned", "id-1"]
        delete_branch(log, "plan")
        assert log.branches() == []


def test_it_verifies(store: str) -> None:
    with stored(store) as log:
        handler_of(log).record(Note(text="Rain."))
        make_branch(log, "plan", 1, switch=True)
    with stored(store) as log:
        handler_of(log).record(Note(text="Planned."))
        assert [finding.sentence for finding in findings_in(log) if finding.kind == "damage"] == []


def test_it_verifies_beside_somebody_who_records_all_the_time(store: str) -> None:
    selects, actions = count(), cycle((Note(text="a"), Note(text="b"), Undo(last=1), Redo()))
    with stored(store) as log, open_log(store, write=True) as other:
        writer = handler_of(other)

        def record_now_and_then() -> None:
            if not next(selects) % 4:
                late = Backdating(after="T1") if other.last() % 4 == 2 else NOW
                writer.record(next(actions), backdating=late)

        log.before_asking = record_now_and_then
        sentences = [finding.sentence for finding in findings_in(log) if finding.kind == "damage"]
        assert (sentences, any(other.late_turns()), other.last() > 5) == ([], True, True)
