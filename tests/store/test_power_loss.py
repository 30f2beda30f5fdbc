"""After the power came back every acknowledged turn is there; the longer run is `tests.campaigns.power_loss`."""

import random
import shutil
import sys

import pytest

from tests.campaigns.power_loss import run

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("cc") is None,
    reason="there is no compiler here, so no writer can be recorded",
)


def test_no_acknowledged_turn_is_lost() -> None:
    images, acknowledged, lost = run(60, random.Random(3), "EXTRA", turns=15)
    assert (images, acknowledged, lost) == (60, 15, 0)


def test_what_is_not_synced_at_each_turn_is_lost() -> None:
    """The control: without it, nothing was tried."""
    _, _, lost = run(60, random.Random(3), "OFF", turns=15)
    assert lost > 0
