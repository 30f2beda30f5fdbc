"""A disk that fills up while a campaign is being made: it is there whole under its name, or told not to be."""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cli.store.failures import because
from cli.store.file import open_campaign
from cli.store.making import create
from cli.store.recorder import Writer
from domain.log.port import NotSaved
from tests.kit.on_disk import beside, first_turn, note, started

resource = pytest.importorskip("resource", reason="the size of files cannot be limited here")
TURNS = 40


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def made_new(path: Path, _: Path) -> None:
    create(path, "abc", first_turn(), [note(number) for number in range(2, TURNS + 1)])


def backed_up(path: Path, source: Path) -> None:
    with open_campaign(source) as campaign:
        campaign.backup(path)


MAKING: dict[str, Callable[[Path, Path], None]] = {"new": made_new, "backup": backed_up}


def whole(path: Path) -> None:
    with open_campaign(path) as campaign:
        assert [turn.number for turn in campaign.read()] == list(range(1, TURNS + 1))


@pytest.mark.parametrize("how", MAKING)
def test_full_after_so_many_pages(tmp_path: Path, how: str) -> None:
    source = started(tmp_path / "source.campaign", turns=TURNS)
    pages = source.stat().st_size // 4096 + 2
    limit = 0

    def from_then_on(do: Callable[..., None]) -> Callable[..., None]:
        def limited(*arguments: Any) -> None:
            with no_file_longer_than(limit * 4096):
                do(*arguments)

        return limited

    outcomes = []
    for limit in range(1, pages + 1):
        folder = tmp_path / str(limit)
        folder.mkdir()
        path = folder / "new.campaign"
        try:
            from_then_on(MAKING[how])(path, source)
        except NotSaved as error:
            assert str(error).startswith("new.campaign was not made: ")
            assert beside(path) == []
            outcomes.append(False)
        else:
            whole(path)
            assert beside(path) == ["new.campaign"]
            outcomes.append(True)
    assert outcomes == sorted(outcomes) and len(set(outcomes)) == 2, "too small for it, then large enough"


def test_what_cannot_be_read_back_gets_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put: Any = Writer.put

    def forgetful(self: Writer, turns: Any) -> None:
        put(self, turns[:-1] if len(turns) > 1 else turns)

    monkeypatch.setattr(Writer, "put", forgetful)
    with pytest.raises(NotSaved, match="was not made"):
        made_new(tmp_path / "new.campaign", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_where_there_is_no_folder_for_temporary_files_turns_are_saved(tmp_path: Path) -> None:
    asked: list[int] = []
    path = started(tmp_path / "dc.campaign", turns=3)
    with open_campaign(path, write=True) as campaign:
        campaign.append(note(4))
        assert campaign._writer is not None
        connection: Any = campaign._writer.recorder.datastore.pool._pool[0]._sqlite_conn
        for reader in (connection, campaign._reader):
            asked += [row[0] for row in reader.execute("PRAGMA temp_store").fetchall()]
    in_memory = 2
    assert asked == [in_memory, in_memory]


FAILING = "the disk reports an error"


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (sqlite3.SQLITE_BUSY, "it is busy; try again"),
        (sqlite3.SQLITE_LOCKED, "it is busy; try again"),
        (sqlite3.SQLITE_FULL, "the disk is full; make room and try again"),
        (sqlite3.SQLITE_IOERR_WRITE, FAILING),
        # said of one call that failed as well: the file may be written, and is whole
        (sqlite3.SQLITE_CONSTRAINT, "its tables do not fit together; see `campaign verify`"),
        (sqlite3.SQLITE_READONLY, FAILING),
        (sqlite3.SQLITE_PERM, FAILING),
        (sqlite3.SQLITE_CORRUPT, FAILING),
        (sqlite3.SQLITE_NOTADB, FAILING),
    ],
)
def test_what_sqlite_reports_is_told_in_words(tmp_path: Path, code: int, sentence: str) -> None:
    assert because(sqlite_says(code), started(tmp_path / "dc.campaign")) == sentence


def sqlite_says(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("words of the library")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize("code", [sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN])
@pytest.mark.parametrize("refused", ["dc.campaign", "."])
def test_what_may_not_be_written_is_told_as_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, refused: str
) -> None:
    path = started(tmp_path / "dc.campaign")
    monkeypatch.setattr(os, "access", lambda path, _: path != tmp_path / refused)
    assert because(sqlite_says(code), path) == "this file or its folder is write-protected"


@pytest.mark.parametrize("code", [sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB])
def test_what_is_damaged_when_it_is_looked_at_is_told_as_that(tmp_path: Path, code: int) -> None:
    path = started(tmp_path / "dc.campaign", turns=9)
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + bytes(4096) + whole[8192:])
    assert because(sqlite_says(code), path) == "the file is damaged"


def test_a_side_file_in_the_way_is_told(tmp_path: Path) -> None:
    path = started(tmp_path / "dc.campaign")
    Path(f"{path}-wal").mkdir()
    sentence = "dc.campaign-wal beside it is a folder; move it away and try again"
    assert because(sqlite_says(sqlite3.SQLITE_READONLY), path) == sentence


def test_a_file_that_is_not_made_yet_is_neither_damaged_nor_protected(tmp_path: Path) -> None:
    codes = sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN
    assert {because(sqlite_says(code), tmp_path / "new.campaign") for code in codes} == {FAILING}


def test_nothing_is_told_of_write_protection_where_everything_may_be_written(tmp_path: Path) -> None:
    sentence = because(sqlite_says(sqlite3.SQLITE_CANTOPEN), started(tmp_path / "dc.campaign"))
    assert sentence == "dc.campaign-wal or dc.campaign-shm beside it cannot be opened"
