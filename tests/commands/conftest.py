"""The campaigns that more than one file of commands begins with."""

import pytest

from tests.kit.shell import Shell
from tests.kit.two_evenings import two_evenings


@pytest.fixture
def after_two_evenings(new_shell: Shell) -> Shell:
    two_evenings(new_shell)
    return new_shell


@pytest.fixture
def with_brog(new_shell: Shell) -> Shell:
    """`dc.campaign`, where Brog of level 2 has 11 hit points, at T2."""
    new_shell.do("new Table --rules osr --file dc.campaign", "osr enrol brog --level 2 --rolled 5,6")
    return new_shell


@pytest.fixture
def in_the_crypt(new_shell: Shell) -> Shell:
    """Brog (level 2, 11 hit points) and Mira (level 3, 6 hit points) in `dc.campaign`, at T4 in session 1."""
    new_shell.do(
        "new 'Dungeon Crawl' --rules osr --file dc.campaign",
        "session open 'The crypt'",
        "osr enrol brog --player Ada --level 2 --rolled 5,6",
        "osr enrol Mira --level 3 --rolled 1,2,3",
    )
    return new_shell
