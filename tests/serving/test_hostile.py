"""Requests that no phone sends: nothing changes, nothing is told, no traceback."""

from random import Random

from tests.kit.hostile import attacked
from tests.kit.phones import Served


def test_what_no_phone_sends_leaves_nothing(crypt: Served) -> None:
    """A longer run: `python -m tests.campaigns.phones --hostile 100000 --seed 3`."""
    counts, found = attacked(crypt, Random(1), 400)
    assert found == []
    assert {"200", "401", "403", "405", "409", "421"} <= set(counts)
