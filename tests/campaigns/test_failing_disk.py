"""Whatever call of the disk fails, what is told is true; the longer run is `tests.campaigns.failing_disk`."""

import shutil
import sys

import pytest

from tests.campaigns.failing_disk import control, run

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("cc") is None,
    reason="there is no compiler here, so no call can be made to fail",
)


@pytest.mark.parametrize("deed", ["append", "new"])
def test_what_is_told_is_true(deed: str) -> None:
    count, wrong = run([deed], step=13)
    assert wrong == []
    assert {what.split(", ")[1] for what in count} >= {"write", "read"}


def test_a_careless_program_tells_something_wrong() -> None:
    """The control: it does not look whether a new file is whole."""
    assert control(step=6) > 0
