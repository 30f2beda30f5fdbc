"""Records that are longer than a statement carries: stored as any other, in the same bytes, in less memory."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from io import StringIO
from itertools import chain
from pathlib import Path

import pytest
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteDatastore
from msgspec.structs import replace

from cli.shell.exchange import export_lines
from cli.store import layout
from cli.store.branches import make_branch
from cli.store.checking import findings_in
from cli.store.connection import PIECE
from cli.store.decoding import MOST_LONG_TURNS
from cli.store.file import CampaignFile, open_campaign
from cli.store.joining import join
from domain.common.notes import Noted
from domain.log.hash_chain import beginning, links_of
from domain.log.port import DamagedLog, NotSaved
from domain.registry import system_of
from domain.turn import Turn, packed
from tests.kit.on_disk import meddle, note, started

#: Events that make a record as long as a row carries, and one byte longer.
TEXT = 9_000


def long_note(number: int, length: int = 2 * PIECE + 17) -> Turn:
    """A note whose record has this many bytes."""
    turn = note(number)
    events = [Noted("x" * TEXT)] * (length // (TEXT + 30))
    rest = length - len(packed(replace(turn, events=(*events, Noted("")))))
    events += [Noted("x" * TEXT)] * (rest // (TEXT + 30))
    while (rest := length - len(packed(replace(turn, events=(*events, Noted("")))))) > 8_000:
        events.append(Noted("x" * 5_000))
    events.append(Noted("x" * (rest - 2)))
    return replace(turn, events=tuple(events))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A campaign with long records between others, one of them as long as a row may carry."""
    file = started(tmp_path / "long.campaign", turns=2)
    with open_campaign(file, write=True) as log:
        log.append(long_note(3))
        log.append_all([note(4), long_note(5, layout.LONGEST_IN_ROW), long_note(6, layout.LONGEST_IN_ROW + 1), note(7)])
    return file


TURNS = [
    long_note(3), note(4), long_note(5, layout.LONGEST_IN_ROW), long_note(6, layout.LONGEST_IN_ROW + 1), note(7),
]  # fmt: skip


def narrow(log: CampaignFile) -> None:
    """Let no statement of this log carry more than a row does."""
    log._reader.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, layout.LONGEST_IN_ROW + 1_000)


def test_they_have_the_lengths_that_the_tests_need() -> None:
    assert [len(packed(turn)) for turn in TURNS if len(turn.events) > 1] == [
        2 * PIECE + 17, layout.LONGEST_IN_ROW, layout.LONGEST_IN_ROW + 1,
    ]  # fmt: skip


def test_they_are_stored_in_the_bytes_in_which_any_turn_is(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT state, typeof(state) FROM stored_events WHERE originator_version > 2")
        assert rows.fetchall() == [(packed(turn), "blob") for turn in TURNS]
        links = connection.execute("SELECT link FROM links ORDER BY number").fetchall()
        stored = connection.execute("SELECT originator_version, topic, state FROM stored_events ORDER BY 1").fetchall()
    assert [link for (link,) in links] == list(links_of(beginning("campaign-1"), "campaign-1", stored))


def test_the_library_alone_can_read_them(path: Path) -> None:
    recorder = SQLiteApplicationRecorder(SQLiteDatastore(str(path), originator_id_type="text"))
    events = recorder.select_events("campaign-1", gt=2)
    assert [event.state for event in events] == [packed(turn) for turn in TURNS]
    recorder.datastore.close()


def test_no_statement_carries_them(path: Path) -> None:
    with open_campaign(path) as log:
        narrow(log)
        with pytest.raises(sqlite3.DataError):
            log._reader.execute("SELECT state FROM stored_events WHERE originator_version = 3").fetchone()
        assert list(log.read(after=2)) == TURNS
        assert list(log.read_back(after=2)) == TURNS[::-1]
        assert log.find("id-3") == TURNS[0]
        assert [record for _, _, record in log.stored_rows("campaign-1", 2)] == [packed(turn) for turn in TURNS]
        assert log.id_in("campaign-1", 3) == "id-3"
        assert {finding.kind for finding in findings_in(log)} == {"older"}
        exported = StringIO("".join(chain.from_iterable(export_lines(log, system_of("osr"), 7))))
        assert f'"{"x" * TEXT}"' in exported.getvalue()


def test_one_is_read_once_however_often_it_is_asked_for(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reading: list[int] = []
    read = CampaignFile.long_record

    def counted(log: CampaignFile, stream: str, number: int) -> bytes | None:
        reading.append(number)
        return read(log, stream, number)

    monkeypatch.setattr(CampaignFile, "long_record", counted)
    with open_campaign(path) as log:
        for _ in range(3):
            assert list(log.read(after=2)) == TURNS
            assert list(log.read_back(after=2)) == TURNS[::-1]
        assert reading == [3, 6]
    with open_campaign(path, write=True) as log:
        log.append_all([long_note(number) for number in range(8, 12)])
        assert list(log.read(after=7)) == list(log.read(after=7)) == [long_note(number) for number in range(8, 12)]
        assert len(log.decoder._long_turns) == MOST_LONG_TURNS


def test_they_join_from_another_copy_in_the_same_bytes(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.campaign"
    with open_campaign(path) as log:
        log.backup(copy)
    with open_campaign(copy, write=True) as other:
        other.append(long_note(8))
    with open_campaign(path, write=True) as log, open_campaign(copy) as other:
        narrow(log)
        narrow(other)
        (joined,) = join(log, other)
        with log.on(joined.branch) as line:
            assert list(line.stored_rows(line.stream)) == [(8, "note", packed(long_note(8)))]
    with open_campaign(path) as log:
        assert {finding.kind for finding in findings_in(log)} == {"older"}


def test_they_are_on_branches_too(path: Path) -> None:
    with open_campaign(path, write=True) as log:
        make_branch(log, "plan", 4)
    with open_campaign(path, write=True, branch="plan") as log:
        of_the_branch = replace(long_note(5), id="id-of-plan")
        log.append(of_the_branch)
        assert list(log.read(after=2)) == [*TURNS[:2], of_the_branch]


def test_a_long_record_that_was_changed_is_found(path: Path) -> None:
    meddle(path, "UPDATE stored_events SET state = CAST(replace(state, 'xxxx', 'xxxy') AS BLOB) WHERE rowid = 3")
    with open_campaign(path) as log:
        narrow(log)
        assert "T3 does not fit its link" in " ".join(finding.sentence for finding in findings_in(log, quick=True))


@pytest.mark.parametrize("value", ["NULL", "1", "CAST(state AS TEXT)", "zeroblob(2000000)"])
def test_what_is_no_record_is_damage_as_ever(path: Path, value: str) -> None:
    meddle(path, f"UPDATE stored_events SET state = {value} WHERE originator_version = 3")
    with open_campaign(path) as log, pytest.raises(DamagedLog, match="Turn T3 is damaged"):
        list(log.read())


#: Appends and reads a record of 30 MB, while SQLite may use 10 MB.
LITTLE_ROOM = """
import sqlite3, sys
from cli.store.file import open_campaign
from tests.store.test_long_records import long_note
sqlite3.connect(":memory:").execute("PRAGMA hard_heap_limit = 10000000").fetchall()
turn = long_note(3, 30_000_000)
with open_campaign(sys.argv[1], write=True) as log:
    log.append(turn)
    assert list(log.read(after=2)) == [turn] == list(log.read_back(after=2))
"""


def test_sqlite_holds_no_copy_of_them(tmp_path: Path) -> None:
    path = started(tmp_path / "long.campaign", turns=2)
    subprocess.run([sys.executable, "-c", LITTLE_ROOM, str(path)], check=True)
    with open_campaign(path) as log:
        assert log.last() == 3


@pytest.mark.parametrize("size", [500_000, 1_500_000])
def test_one_that_does_not_fit_on_the_disk_leaves_nothing_behind(tmp_path: Path, size: int) -> None:
    """The disk is full before the first piece is written, or between two of them."""
    resource = pytest.importorskip("resource", reason="the size of files cannot be limited here")
    path, before = started(tmp_path / "long.campaign", turns=2), resource.getrlimit(resource.RLIMIT_FSIZE)
    with open_campaign(path, write=True) as log:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        try:
            with pytest.raises(NotSaved, match="T3 was not saved"):
                log.append(TURNS[0])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert log.last() == 2
        log.append_all(TURNS)
    with open_campaign(path) as log:
        assert list(log.read(after=2)) == TURNS
        assert list(findings_in(log, quick=True)) == []
