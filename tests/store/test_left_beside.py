"""A journal or a -wal that lies beside a file to which it does not belong: neither taken for its own nor lost."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from cli.store.checking import findings_in
from cli.store.failures import Unopenable
from cli.store.file import open_campaign
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
