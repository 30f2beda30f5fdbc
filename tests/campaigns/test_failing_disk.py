"""Whatever call of the disk fails, what is told is true; the longer run is `tests.campaigns.failing_disk`."""

import shutil
import sys

import pytest

from tests.campaigns.failing_disk import control, run

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("cc") is None,
    reason="there is no compiler here, so no call can be made to fail",
)


def test_what_is_told_is_true() -> None:
    count, wrong = run(["append", "new"], step=13)
    assert wrong == []
    failed = {tuple(what.split(", ")[:2]) for what in count}
    assert failed >= {(deed, call) for deed in ("append", "new") for call in ("write", "read")}


def test_a_careless_program_tells_something_wrong() -> None:
    """The control: it does not look whether a new file is whole."""
    assert control(step=6) > 0
