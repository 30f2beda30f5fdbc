"""Write-protected campaigns: read as far as possible, and found plainly that nothing is saved."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.kit.elsewhere import lacks
from tests.kit.on_disk import beside, left_in_wal, started

#: Without these powers, even root is bound by what the files say.
POWERLESS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]
if lacks("os.geteuid") is not None or os.geteuid() != 0:
    POWERLESS = []
ROOT = Path(__file__).parents[2]

TRY = """
import json, sys
from cli.store.failures import Unopenable
from cli.store.file import open_campaign
from cli.store.making import create
from domain.log.port import MaybeSaved, NotSaved
from tests.kit.on_disk import first_turn, note
found = {}
try:
    with open_campaign(sys.argv[1], write=True) as campaign:
        found["turns"] = [turn.number for turn in campaign.read()]
        found["notice"] = campaign.notice
        try:
            campaign.append(note(campaign.last() + 1))
            found["append"] = "saved"
        except NotSaved as error:
            found["append"] = str(error)
except Unopenable as error:
    found["unopenable"] = [error.reason, error.exit_code]
try:
    create(sys.argv[1] + ".new", "abc", first_turn())
    found["create"] = "made"
except (NotSaved, Unopenable) as error:
    found["create"] = str(error)
print(json.dumps(found))
"""


def powerless() -> bool:
    """Whether a process can be started here that file permissions bind."""
    if POWERLESS and shutil.which("setpriv") is None:
        return False
    secret = "import os, sys; fd = os.open(sys.argv[1], os.O_CREAT, 0); os.close(fd); os.open(sys.argv[1], os.O_RDONLY)"
    with tempfile.TemporaryDirectory() as folder:
        command = [*POWERLESS, sys.executable, "-c", secret, f"{folder}/secret"]
        done = subprocess.run(command, capture_output=True, check=False)
    return b"PermissionError" in done.stderr


pytestmark = pytest.mark.skipif(not powerless(), reason="no process here can be bound by file permissions")


def tried(path: Path) -> dict[str, Any]:
    done = subprocess.run([*POWERLESS, sys.executable, "-c", TRY, str(path)], capture_output=True, check=True, cwd=ROOT)
    record: dict[str, Any] = json.loads(done.stdout)
    return record


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "folder"
    folder.mkdir()
    yield started(folder / "dc.campaign", turns=3)
    folder.chmod(0o700)


PROTECTED = "this file or its folder is write-protected"
NOTICE = f"dc.campaign can be read but nothing can be saved in it: {PROTECTED}."


def test_whoever_may_write_is_not_told_anything(path: Path) -> None:
    answer = tried(path)
    assert (answer["turns"], answer["notice"], answer["append"], answer["create"]) == ([1, 2, 3], None, "saved", "made")


def test_in_a_folder_that_cannot_be_written(path: Path) -> None:
    before = path.read_bytes()
    path.parent.chmod(0o500)
    answer = tried(path)
    assert answer == {
        "turns": [1, 2, 3],
        "notice": NOTICE,
        "append": NOTICE,
        "create": f"Nothing was saved in dc.campaign.new: {PROTECTED}.",
    }
    assert path.read_bytes() == before and beside(path) == ["dc.campaign"]


def test_a_file_that_cannot_be_written(path: Path) -> None:
    before = path.read_bytes()
    path.chmod(0o400)
    answer = tried(path)
    assert (answer["turns"], answer["notice"], answer["append"]) == ([1, 2, 3], NOTICE, NOTICE)
    assert path.read_bytes() == before and beside(path) == ["dc.campaign", "dc.campaign.new"]


def test_a_file_that_cannot_be_read(path: Path) -> None:
    path.chmod(0o000)
    assert tried(path)["unopenable"] == ["dc.campaign is not yours to read; ask whoever owns it.", 2]


def test_a_folder_that_cannot_be_entered(path: Path) -> None:
    path.parent.chmod(0o000)
    reason, exit_code = tried(path)["unopenable"]
    assert exit_code == 2 and "is not yours to read" in reason


def test_turns_left_in_a_wal_are_never_overlooked(path: Path) -> None:
    whole = path.with_name("whole")
    shutil.move(path, whole)
    with left_in_wal(whole, started(path.with_name("newer"), turns=4)):
        shutil.copy(whole, path)
        shutil.copy(f"{whole}-wal", f"{path}-wal")
    path.parent.chmod(0o500)
    reason, exit_code = tried(path)["unopenable"]
    assert exit_code == 6
    assert reason == f"dc.campaign was not closed properly and cannot be put right here: {PROTECTED}."
    path.parent.chmod(0o700)
    assert tried(path)["turns"] == [1, 2, 3, 4]


def test_read_beside_a_writer_by_somebody_who_may_only_read(path: Path) -> None:
    from cli.store.file import open_campaign
    from tests.kit.on_disk import note

    with open_campaign(path, write=True) as campaign:
        campaign.append(note(4))
        for file in path.parent.iterdir():
            file.chmod(0o400)
        path.parent.chmod(0o500)
        answer = tried(path)
        path.parent.chmod(0o700)
    assert (answer["turns"], answer["notice"], answer["append"]) == ([1, 2, 3, 4], NOTICE, NOTICE)
