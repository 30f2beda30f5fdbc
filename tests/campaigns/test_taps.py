"""The beginning of each evening of `taps`: from an empty campaign, by taps alone, in a real browser."""

import pytest

from tests.campaigns.taps import played
from tests.kit.browsers import CHROMIUM, browser_running
from tests.kit.shell import Shell

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


@pytest.mark.parametrize(
    "rules, parts, turns, counted",
    [
        ("osr", 3, 8, {"a hit on oneself", "a hit on three"}),
        ("deckahedron", 2, 6, {"a loss of Stamina"}),
        ("gloomhaven", 2, 15, {"a round of Gloomhaven for one player"}),
    ],
)
def test_an_evening_begins_by_taps_alone(shell: Shell, rules: str, parts: int, turns: int, counted: set[str]) -> None:
    with browser_running() as browser:
        evening = played(browser, shell, rules, parts=parts)
    assert evening.faults == []
    assert evening.counts.pop("turns") >= turns
    assert set(evening.counts) == counted
