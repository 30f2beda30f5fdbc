"""What was worked out about trials, on disk: it may be lost, damaged or unwritable, and nothing depends on it."""

from pathlib import Path

import pytest

from cli.store.folders import cache_folder
from cli.store.snapshots import MOST, EvidenceFile


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return cache_folder() / "crypt.evidence"


def test_a_value_is_found_by_its_key_alone(path: Path) -> None:
    kept = EvidenceFile("crypt")
    assert kept.find(b"a") is None and not path.exists()
    kept.keep(b"a", b"one")
    kept.keep(b"a", b"two")
    assert (EvidenceFile("crypt").find(b"a"), kept.find(b"b"), EvidenceFile("mine").find(b"a")) == (b"two", None, None)


def test_the_oldest_are_dropped(path: Path) -> None:
    kept = EvidenceFile("crypt")
    for number in range(MOST + 2):
        kept.keep(b"%d" % number, b"value")
    assert [kept.find(b"%d" % number) for number in (0, 1, 2)] == [None, None, b"value"]
    assert path.stat().st_size < 200_000


@pytest.mark.parametrize("damage", ["a flipped bit", "no database"])
def test_a_damaged_file_is_deleted_and_begun_again(path: Path, damage: str) -> None:
    kept = EvidenceFile("crypt")
    kept.keep(b"a", b"a value of some length")
    stored = path.read_bytes()
    if damage == "a flipped bit":
        path.write_bytes(stored.replace(b"some", b"sqme"))
    else:
        path.write_bytes(b"x" * len(stored))
    assert kept.find(b"a") is None
    kept.keep(b"a", b"new")
    assert kept.find(b"a") == b"new"


def test_where_nothing_can_be_written_nothing_is_kept(path: Path) -> None:
    path.parent.parent.mkdir(exist_ok=True)
    path.parent.write_text("a file where the folder should be", "utf-8")
    kept = EvidenceFile("crypt")
    kept.keep(b"a", b"one")
    assert kept.find(b"a") is None
