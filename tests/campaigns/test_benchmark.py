"""The benchmark runs, in its short form; what it measures is not asserted."""

import pytest

from tests.campaigns import benchmark


def test_the_benchmark_tells_a_ratio_for_everything_that_it_measures(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "replaced by the benchmark")
    benchmark.main(["--turns", "60", "--rounds", "1"])
    told = capsys.readouterr().out
    measured = (
        "append 20 actions",
        "append 20 turns, each with its link",
        "read and fold 60 turns",
        "verify 60 turns by links alone",
        "verify 60 turns, each decided again",
        "campaign status, 60 turns",
        "undo a hit",
        "undo an",
    )
    for what in measured:
        assert what in told
