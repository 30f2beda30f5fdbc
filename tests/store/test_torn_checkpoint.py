"""The power went in a checkpoint of an older version: pages are torn in the file, and whole in the `-wal`."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cli.store.failures import Unopenable
from cli.store.file import open_campaign
from domain.log.port import DamagedLog
from tests.kit.on_disk import left_in_wal, note, started

PAGE = 4096
BEFORE, AFTER = 20, 60


def torn(tmp_path: Path) -> Iterator[tuple[bytes, bytes]]:
    """The file at every moment of a checkpoint (some pages new, the next one torn), each with the `-wal`."""
    path, other = started(tmp_path / "source.campaign", turns=BEFORE), tmp_path / "other"
    newer = started(tmp_path / "newer.campaign", turns=AFTER)
    with left_in_wal(path, newer):
        old, wal = path.read_bytes(), Path(f"{path}-wal").read_bytes()
        other.write_bytes(old)
        shutil.copy(f"{path}-wal", f"{other}-wal")
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    new = other.read_bytes()
    old = old.ljust(len(new), b"\0")
    changed = [at for at in range(0, len(new), PAGE) if old[at : at + PAGE] != new[at : at + PAGE]]
    assert len(changed) > 4
    for place, at in enumerate(changed):
        image = bytearray(old)
        for written in changed[:place]:
            image[written : written + PAGE] = new[written : written + PAGE]
        for cut in range(512, PAGE + 1, 512):
            image[at : at + cut] = new[at : at + cut]
            yield bytes(image), wal
        # a disk may also write the end of a page first
        image[at : at + PAGE] = old[at : at + 512] + new[at + 512 : at + PAGE]
        yield bytes(image), wal


def test_every_turn_is_there_again(tmp_path: Path) -> None:
    path = tmp_path / "dc.campaign"
    images = 0
    for image, wal in torn(tmp_path):
        images += 1
        path.write_bytes(image)
        Path(f"{path}-wal").write_bytes(wal)
        with open_campaign(path, write=True) as campaign:
            assert [turn.number for turn in campaign.read()] == list(range(1, AFTER + 1)), images
            campaign.append(note(AFTER + 1))
        assert not Path(f"{path}-wal").exists()
    assert images > 40


@pytest.mark.parametrize("kept", [32, 32 + 24 + PAGE, -1], ids=["no frame", "no commit", "all frames"])
def test_what_cannot_be_made_out_is_never_told_to_be_parted_from_its_wal(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "dc.campaign"
    image, wal = list(torn(tmp_path))[-1]
    # every page damaged that the campaign is known by, and the one that the first of its turns stand on
    path.write_bytes(image[:PAGE] + b"\xa5" * (len(image) - PAGE))
    Path(f"{path}-wal").write_bytes(wal[:kept])
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises((Unopenable, DamagedLog)) as raised:
        open_campaign(path)
    sentence = str(raised.value)
    assert "move" not in sentence and sentence.endswith(".")
    if isinstance(raised.value, Unopenable):
        assert raised.value.exit_code == 5
        assert "keep it together with its dc.campaign-wal" in sentence
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
