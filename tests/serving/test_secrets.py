"""Whatever the page answers to one player tells nothing of what another keeps secret, to the byte."""

from collections import Counter
from random import Random

import pytest

from tests.kit.served_twins import pages_compared
from tests.kit.shell import Shell
from tests.kit.subjects import Subject, secretive


@pytest.mark.parametrize("subject", secretive(), ids=str)
def test_two_logs_that_differ_in_secrets_alone_are_answered_alike(subject: Subject, shell: Shell) -> None:
    """A longer run: `python -m tests.campaigns.secrecy --pages --count 20000 --seed 3`."""
    chance, done = Random(1), Counter[str]()
    while done.total() < 120:
        for request, same in pages_compared(shell, chance, subject):
            assert same, f"after {done.total()}: {request}"
            done[request[0]] += 1
    assert set(done) == {"GET", "POST", "TYPED", "LIVE"}
