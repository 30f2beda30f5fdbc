"""Tables of one process are apart: by their secrets, and altogether."""

from random import Random

import pytest

from tests.kit.club_twins import compared
from tests.kit.shell import Shell
from tests.kit.subjects import Subject, secretive
from tests.store.conftest import database, server  # noqa: F401  # fixtures


@pytest.mark.parametrize("subject", secretive(), ids=str)
def test_tables_that_are_asked_at_once_answer_as_if_each_were_alone(
    subject: Subject,
    shell: Shell,  # noqa: ARG001  # a home of its own
    database: str,  # noqa: F811
) -> None:
    """A longer run: `python -m tests.campaigns.club --twins 100000`."""
    chance, done, number = Random(1), 0, 0
    while not done:
        number += 1
        for request, wrong in compared(database, number, chance, subject, 40):
            assert not wrong, f"after {done}: {request}: {wrong}"
            done += 1
