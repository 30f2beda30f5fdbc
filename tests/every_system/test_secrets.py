"""Whatever a command prints for one player tells nothing of what another player keeps secret."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from domain.system.registry import system_of

from ..kit.shell import Shell
from ..kit.subjects import Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests
from ..kit.twins import compared

SEEDS, COMPARISONS = (1, 2), 1000


@pytest.mark.parametrize("seed", SEEDS)
def test_two_logs_that_differ_in_secrets_alone_print_the_same(
    subject: Subject, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A longer run: `python -m tests.campaigns.secrecy --count 20000 --seed 3`."""
    if not system_of(subject.key).keeps_secrets:
        assert subject.otherwise is None
        return
    assert subject.otherwise is not None, f"{subject.key} keeps secrets; say how two tables differ in them alone"
    shell, chance, done = Shell(tmp_path, monkeypatch), Random(seed), Counter[str]()
    while done.total() < COMPARISONS:
        for command, same in compared(shell, chance, subject):
            assert same, f"seed {seed}, after {done.total()}: {' '.join(command)}"
            done[command[0]] += 1
