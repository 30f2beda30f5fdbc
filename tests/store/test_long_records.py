"""Records of some megabytes, as of a revision that changes nearly every turn: stored as any other."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from cli.shell.exchange import export_lines
from cli.store.branches import make_branch
from cli.store.checking import findings_in
from cli.store.file import open_campaign
from domain.common.notes import Noted
from domain.log.hash_chain import beginning, links_of
from domain.log.port import DamagedLog, NotSaved
from domain.registry import system_of
from domain.turn import Turn, packed
from tests.kit.on_disk import meddle, note, started

TEXT = "x" * 9_000


def long_note(number: int) -> Turn:
    """A note whose record has two megabytes."""
    return replace(note(number), events=(Noted(TEXT),) * 222)


TURNS = [long_note(3), note(4), long_note(5), note(6)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A campaign with long records between others."""
    file = started(tmp_path / "long.campaign", turns=2)
    with open_campaign(file, write=True) as log:
        log.append_all(TURNS)
    return file


def test_they_are_stored_in_the_bytes_in_which_any_turn_is(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        links = connection.execute("SELECT link FROM links ORDER BY number").fetchall()
        stored = connection.execute("SELECT originator_version, topic, state FROM stored_events ORDER BY 1").fetchall()
    assert [record for _, _, record in stored[2:]] == [packed(turn) for turn in TURNS]
    assert [link for (link,) in links] == list(links_of(beginning("campaign-1"), "campaign-1", stored))


def test_they_are_read_and_exported(path: Path) -> None:
    with open_campaign(path) as log:
        assert list(log.read(after=2)) == TURNS
        assert list(log.read_back(after=2)) == TURNS[::-1]
        assert sum(line.count(f'"{TEXT}"') for line in export_lines(log, system_of("osr"), 6)) == 2 * 222


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
        assert "T3 does not fit its link" in " ".join(finding.sentence for finding in findings_in(log, quick=True))


@pytest.mark.parametrize("value", ["NULL", "1", "CAST(state AS TEXT)", "zeroblob(2000000)"])
def test_what_is_no_record_is_damage_as_ever(path: Path, value: str) -> None:
    meddle(path, f"UPDATE stored_events SET state = {value} WHERE originator_version = 3")
    with open_campaign(path) as log, pytest.raises(DamagedLog, match="Turn T3 is damaged"):
        list(log.read())


def test_one_that_does_not_fit_on_the_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="the size of files cannot be limited here")
    path, before = started(tmp_path / "long.campaign", turns=2), resource.getrlimit(resource.RLIMIT_FSIZE)
    with open_campaign(path, write=True) as log:
        resource.setrlimit(resource.RLIMIT_FSIZE, (500_000, before[1]))
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
