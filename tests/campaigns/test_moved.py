"""Wherever the file of an open program goes, what it answered is kept; the longer run is `tests.campaigns.moved`."""

import shutil
import sys

import pytest

from tests.campaigns.moved import CARELESS, MISHAPS, run

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("cc") is None,
    reason="there is no compiler here, so nothing can be done at a call",
)
#: Those that make no mounts.
NAMES = [name for name in MISHAPS if name != "unplugged"]


def test_nothing_that_was_answered_is_lost() -> None:
    count, wrong = run(3 * len(NAMES), 1, NAMES, turns=0)
    assert wrong == []
    assert {name.partition(" under ")[0] for name, times in count.items() if times} == set(NAMES)


def test_a_program_that_does_not_look_loses_something() -> None:
    _, wrong = run(20, 1, ["deleted", "emptied"], 0, CARELESS)
    assert wrong
