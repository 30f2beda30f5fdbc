"""The beginning of an evening of `taps`: from an empty campaign, by taps alone, in a real browser."""

import pytest

from tests.campaigns.taps import played
from tests.kit.browsers import CHROMIUM, browser_running
from tests.kit.shell import Shell

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


def test_an_evening_begins_by_taps_alone(shell: Shell) -> None:
    """The evenings of the other systems, and the ends of all, are the longer run's."""
    with browser_running() as browser:
        evening = played(browser, shell, "gloomhaven", parts=2)
    assert evening.faults == []
    assert evening.counts.pop("turns") >= 15
    assert set(evening.counts) == {"a round of Gloomhaven for one player"}
