"""The benchmark runs, in its short form; what it measures is not asserted."""

import pytest

from tests.campaigns import benchmark, benchmark_deciding, benchmark_lived


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
        "undo a hit",
        "undo an",
    )
    for what in measured:
        assert what in told


def test_the_benchmark_of_lived_logs_tells_every_row_with_its_limit(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "replaced by the benchmark")
    benchmark_lived.main(["--turns", "60", "--rounds", "1"])
    told = capsys.readouterr().out
    measured = (
        *(f"60: campaign {typed}" for typed, _ in benchmark_lived.TYPED),
        "60: the same on a terminal",
        "60: campaign status asked again",
        "60: campaign log -n 20 asked again",
        "60: reading and folding",
        "60: undo of a note",
        "60: recap",
        "60: a view with nothing new",
        "60: first look at a new branch",
        "60: bytes of the log",
        "60: kept states",
        "60: the view",
    )
    for what in measured:
        assert any(line.startswith(what) and "(limit " in line for line in told.splitlines()), what
    assert all(f"60: {name}" in told for name in ("ledger", "hledger", "task", "git"))


def test_the_benchmark_of_deciding_tells_every_row_for_every_system(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "replaced by the benchmark")
    benchmark_deciding.main(["--turns", "60", "--rounds", "1"])
    told = capsys.readouterr().out
    rows = (
        "reading whole turns, and the rules alone",
        "verified, each",
        "undo the first",
        "the same, keeping",
        "amend the",
    )
    for what in (f"{key} 60: {row}" for key in ("osr", "deckahedron", "gloomhaven") for row in rows):
        assert what in told
