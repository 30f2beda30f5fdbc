"""The benchmark of the table runs, in its short form; what it measures is not asserted."""

from pathlib import Path

import pytest

from tests.campaigns import benchmark_table


def test_the_benchmark_tells_what_a_keystroke_and_a_line_cost(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    benchmark_table.main(["--turns", "60", "--rounds", "1"])
    told = capsys.readouterr().out
    assert "a keystroke, 60 turns" in told and "a line done, 60 turns" in told
