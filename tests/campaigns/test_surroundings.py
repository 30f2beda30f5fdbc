"""Whatever a command is surrounded by, it ends well or says why; the longer run is `tests.campaigns.surroundings`."""

import pytest

from tests.campaigns import surroundings
from tests.kit.elsewhere import needs

pytestmark = needs("os.fork", "os.mkfifo", "fcntl")
#: Those that make no mounts.
NAMES = sorted(surroundings.SURROUNDINGS.keys() - {"full disk", "nobodys"})


def test_it_ends_well_or_says_why() -> None:
    count, wrong = surroundings.run(range(len(NAMES)), 5, NAMES)
    assert wrong == []
    assert count.keys() == set(NAMES)


def test_the_longer_run_tells_its_seed_its_counts_and_its_control(capsys: pytest.CaptureFixture[str]) -> None:
    surroundings.main(["--tries", "4", "--seed", "3", "--only", "few files"])
    output = capsys.readouterr().out
    assert output.startswith("seed 3: 4 tries, 0 wrong; control: a program that knows no reasons is wrong in ")
