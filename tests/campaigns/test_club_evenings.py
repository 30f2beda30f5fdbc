"""Evenings through nginx, in the shortest run of `tests.campaigns.club_evenings`."""

import shutil
from pathlib import Path
from random import Random

import pytest

from tests.campaigns.club_evenings import evenings
from tests.kit.postgres import Server
from tests.kit.shell import Shell
from tests.store.conftest import server  # noqa: F401  # a fixture

pytestmark = pytest.mark.skipif(not shutil.which("nginx") or not shutil.which("openssl"), reason="no nginx here")


def test_what_is_told_through_the_proxy_is_there_once_although_a_process_is_killed(
    shell: Shell,
    server: Server,  # noqa: F811
    tmp_path: Path,
) -> None:
    assert evenings(shell, server, tmp_path, 4, Random(1), tables=1, troubles=False) == []
