"""The benchmark runs, in its short form; what it measures is not asserted."""

import pytest

from tests.campaigns import benchmark


def test_the_benchmark_tells_a_ratio_for_everything_that_it_measures(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "replaced by the benchmark")
    benchmark.main(["--turns", "60", "--rounds", "1"])
    told = capsys.readouterr().out
    for what in ("append 20 actions", "read and fold 60 turns", "campaign status, 60 turns", "undo a hit", "undo an"):
        assert what in told
