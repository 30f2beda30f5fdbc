"""The benchmark of the views runs, in its short form; what it measures is not asserted."""

import pytest

from tests.campaigns import benchmark_views


def test_the_benchmark_tells_a_ratio_for_everything_that_it_measures(capsys: pytest.CaptureFixture[str]) -> None:
    benchmark_views.main(["--turns", "60", "--rounds", "1"])
    told = capsys.readouterr().out
    for what in (
        "view of 60 turns",
        "append and catch up",
        "view of 60 turns from nothing : executemany",
        "undo and catch up",
        "log -n 20",
        "--grep",
        "why",
        "git log",
    ):
        assert what in told
