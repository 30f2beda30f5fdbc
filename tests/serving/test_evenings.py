"""The evening of an example is played from phones, answers getting lost, and ends in the sheets of the example."""

from pathlib import Path
from random import Random

import pytest

from cli.shell.examples import examples
from tests.kit.evenings import Evening, recorded
from tests.kit.shell import Shell


@pytest.mark.parametrize("name", sorted(examples()))
def test_an_example_is_played_from_phones(shell: Shell, tmp_path: Path, name: str) -> None:
    """A longer run plays each of them with more seeds: `python -m tests.campaigns.phones`."""
    assert shell.folder.is_dir()
    evening = Evening(name, tmp_path, Random(1), losing=0.1)
    assert evening.play() == recorded(name)
    assert evening.lost
    assert evening.by_players
