"""A journal or a -wal that lies beside a file to which it does not belong: neither taken for its own nor lost."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import combinations
from pathlib import Path

import pytest
from msgspec.structs import replace

from cli.store.branches import make_branch
from cli.store.checking import findings_in
from cli.store.failures import Unopenable
from cli.store.file import CampaignFile, open_campaign
from cli.store.making import create
from tests.kit.on_disk import beside, first_turn, left_in_wal, note, started


def journal_of(path: Path) -> bytes:
    """The journal at a moment of a commit in which SQLite has begun to write pages; they are put back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA cache_size=1")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE stored_events SET state = zeroblob(100000)")
        journal = Path(f"{path}-journal").read_bytes()
        connection.execute("ROLLBACK")
    assert journal.startswith(b"\xd9")
    return journal


def journal_for(before: bytes, pages: list[int]) -> bytes:
    """The journal that puts these pages of a file back, as SQLite's file format describes it."""
    size = int.from_bytes(before[16:18], "big")
    numbers = (len(pages), 0, len(before) // size, 512, size)
    journal = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"".join(number.to_bytes(4, "big") for number in numbers)
    journal = journal.ljust(512, b"\0")
    for number in pages:
        page = before[number * size : (number + 1) * size]
        checksum = sum(page[at] for at in range(size - 200, 0, -200))
        journal += (number + 1).to_bytes(4, "big") + page + checksum.to_bytes(4, "big")
    return journal


def whole(path: Path, turns: int) -> None:
    with open_campaign(path, write=True) as campaign:
        assert campaign.last() == turns
        campaign.append(note(turns + 1))
        assert not [each for each in findings_in(campaign) if each.kind == "damage"]


def test_an_older_journal_takes_no_turn_from_a_newer_file(tmp_path: Path) -> None:
    path = started(tmp_path / "dc.campaign", turns=3)
    older = journal_of(path)
    with open_campaign(path, write=True) as campaign:
        for number in range(4, 40):
            campaign.append(note(number))
    Path(f"{path}-journal").write_bytes(older)
    whole(path, 39)
    assert beside(path) == ["dc.campaign"]


def test_the_journal_of_another_file_is_set_aside(tmp_path: Path) -> None:
    path, other = started(tmp_path / "dc.campaign", turns=3), tmp_path / "other.campaign"
    create(other, "campaign-2", first_turn(), [note(2), note(3)])
    journal = journal_of(other)
    Path(f"{path}-journal").write_bytes(journal)
    whole(path, 3)
    assert Path(f"{path}-journal.of-another-file").read_bytes() == journal


@pytest.mark.parametrize("turns", [40, 200])
def test_an_older_wal_beside_a_newer_file_is_named_and_nothing_is_read_through_it(tmp_path: Path, turns: int) -> None:
    path, newer = started(tmp_path / "dc.campaign", turns=3), started(tmp_path / "newer.campaign", turns=turns)
    with left_in_wal(path, started(tmp_path / "between.campaign", turns=4)):
        wal = Path(f"{path}-wal").read_bytes()
    shutil.copy(newer, path)
    Path(f"{path}-wal").write_bytes(wal)
    before = path.read_bytes()
    with pytest.raises(Unopenable, match=r"dc\.campaign-wal") as raised:
        open_campaign(path, write=True)
    assert raised.value.exit_code == 5
    assert path.read_bytes() == before and Path(f"{path}-wal").read_bytes() == wal
    Path(f"{path}-wal").rename(tmp_path / "kept")
    whole(path, turns)


def a_turn(campaign: CampaignFile) -> None:
    campaign.append(note(8))


def a_late_turn(campaign: CampaignFile) -> None:
    campaign.append(replace(note(8), place=2))


def a_branch(campaign: CampaignFile) -> None:
    make_branch(campaign, "other", 4, switch=True)


def rows(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


@pytest.mark.parametrize("commit", [a_turn, a_late_turn, a_branch], ids=lambda commit: commit.__name__)
def test_a_commit_of_which_any_pages_are_missing_is_not_half_there(
    tmp_path: Path, commit: Callable[[CampaignFile], None]
) -> None:
    path = started(tmp_path / "dc.campaign", turns=5)
    with open_campaign(path, write=True) as campaign:
        campaign.append_all([replace(note(6), place=3), note(7)])
        before, rows_before = path.read_bytes(), rows(path)
        commit(campaign)
    after, rows_after, size = path.read_bytes(), rows(path), int.from_bytes(before[16:18], "big")
    pages = [at for at in range(len(after) // size) if before[at * size :][:size] != after[at * size :][:size]]
    journal = journal_for(before, [at for at in pages if at * size < len(before)])
    for written in (each for many in range(len(pages)) for each in combinations(pages, many)):
        image = bytearray(before.ljust(len(after) if pages[-1] in written else len(before), b"\0"))
        for at in written:
            image[at * size : (at + 1) * size] = after[at * size : (at + 1) * size]
        path.write_bytes(image)
        Path(f"{path}-journal").write_bytes(journal)
        with open_campaign(path) as campaign:
            assert not [each for each in findings_in(campaign) if each.kind == "damage"], written
        # a branch that is made and is not yet the current one is whole as well
        assert rows(path) in (rows_before, rows_after) or commit is a_branch, written
