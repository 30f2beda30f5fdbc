"""Whatever is given to the program ends in a result or a sentence; the longer run is `tests.campaigns.fuzz`."""

import pytest

from cli.shell import failures
from tests.campaigns import fuzz
from tests.campaigns.fuzz import WAYS, run


@pytest.mark.parametrize("way", WAYS)
def test_it_ends_as_it_should(way: str) -> None:
    count, wrong = run([way], rounds=15, seed=5, rules=["gloomhaven"])
    assert (count[way], wrong) == (15, [])


def test_a_program_that_foresees_nothing_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: what is tried does provoke the errors that are told in sentences."""
    monkeypatch.setattr(failures, "explain", fuzz.foresees_nothing)
    _, wrong = run(["command lines", "class files"], rounds=15, seed=5, rules=["gloomhaven"])
    assert wrong


def test_the_longer_run_tells_its_seed_and_its_counts(capsys: pytest.CaptureFixture[str]) -> None:
    fuzz.main(["--rounds", "5", "--seed", "3", "--rules", "osr", "--only", "lines of act", "--only", "exports"])
    output = capsys.readouterr().out
    assert output.startswith("seed 3: 10 tried, 0 wrong; control: ")
