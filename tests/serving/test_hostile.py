"""Requests that no phone sends: nothing changes, nothing is told, no traceback, nothing of another's secret."""

from collections import Counter
from random import Random

import pytest

from tests.kit.hostile import attacked, attacks
from tests.kit.phones import Served
from tests.kit.served_twins import attacks_compared
from tests.kit.shell import Shell
from tests.kit.subjects import Subject, secretive


def test_what_no_phone_sends_leaves_nothing(crypt: Served) -> None:
    """A longer run: `python -m tests.campaigns.phones --hostile 100000 --seed 3`."""
    answered = list(attacked(crypt, list(attacks(Random(1), 400)), "Mia", ("Ada",)))
    assert [wrong for _, wrong in answered if wrong] == []
    assert {200, 303, 401, 403, 404, 405, 409, 421, 422} <= {reply.status for reply, _ in answered}


@pytest.mark.parametrize("subject", secretive(), ids=str)
def test_nor_does_it_tell_what_another_keeps_secret(subject: Subject, shell: Shell) -> None:
    chance, done = Random(1), Counter[bool]()
    while done.total() < 100:
        for attack, same, wrong in attacks_compared(shell, chance, subject, 100):
            assert (same, wrong) == (True, ""), attack
            done[attack.inside] += 1
    assert all(done[inside] for inside in (True, False))
