"""Whatever call of the disk fails, what is told is true; the longer run is `tests.campaigns.failing_disk`."""

import shutil
import sys
from collections.abc import Iterator

import pytest

from tests.campaigns.failing_disk import FAULTS, KILLS, Table, control, each_call

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("cc") is None,
    reason="there is no compiler here, so no call can be made to fail",
)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    with Table(tmp_path_factory.mktemp("table")) as running:
        yield running


def test_what_is_told_is_true(table: Table) -> None:
    appended, wrong = each_call(table, ["append"], FAULTS, step=17)
    made, wrong_too = each_call(table, ["new"], FAULTS[2:5], step=13)
    branched, wrong_as_well = each_call(table, ["branch", "import"], FAULTS[4:5], step=5)
    assert wrong + wrong_too + wrong_as_well == []
    assert branched["branch, read, EIO"] > 2 and branched["import, read, EIO"] > 3
    for deed, count in ("append", appended), ("new", made):
        assert {tuple(what.split(", ")[:2]) for what in count} >= {(deed, "write"), (deed, "read")}


def test_killed_at_every_single_call_of_an_append(table: Table) -> None:
    count, wrong = each_call(table, ["append"], KILLS[:1], step=1)
    assert wrong == []
    assert count["append, write, killed"] > 5 and count["append, sync, killed"] > 1


def test_a_careless_program_tells_something_wrong() -> None:
    """The control: it does not look whether a turn is there after an error."""
    assert control() > 0
