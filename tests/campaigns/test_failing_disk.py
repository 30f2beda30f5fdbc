"""Whatever call of the disk fails, what is told is true; the longer run is `tests.campaigns.failing_disk`."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.campaigns.failing_disk import FAULTS, KILLS, Table, control, each_call

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("cc") is None,
    reason="there is no compiler here, so no call can be made to fail",
)


def test_what_is_told_is_true(tmp_path: Path) -> None:
    with Table(tmp_path) as table:
        appended, wrong = each_call(table, ["append"], FAULTS, step=11)
        made, wrong_too = each_call(table, ["new"], FAULTS[2:5], step=7)
        branched, wrong_as_well = each_call(table, ["branch", "import"], FAULTS[4:5], step=3)
    assert wrong + wrong_too + wrong_as_well == []
    assert branched["branch, read, EIO"] > 3 and branched["import, read, EIO"] > 6
    for deed, count in ("append", appended), ("new", made):
        assert {tuple(what.split(", ")[:2]) for what in count} >= {(deed, "write"), (deed, "read")}


def test_killed_at_every_single_call_of_an_append(tmp_path: Path) -> None:
    with Table(tmp_path) as table:
        count, wrong = each_call(table, ["append"], KILLS[:1], step=1)
    assert wrong == []
    assert count["append, write, killed"] > 5 and count["append, sync, killed"] > 1


def test_a_careless_program_tells_something_wrong() -> None:
    """The control: it does not look whether a turn is there after an error."""
    assert control() > 0
