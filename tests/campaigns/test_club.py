"""A club's processes, in the shortest run of `tests.campaigns.club`."""

from pathlib import Path

from tests.campaigns.club import short
from tests.kit.postgres import Server
from tests.kit.shell import Shell
from tests.store.conftest import server  # noqa: F401  # a fixture


def test_a_killed_process_and_a_restarted_database_lose_no_tap_and_no_seat(
    shell: Shell,
    server: Server,  # noqa: F811
    tmp_path: Path,
) -> None:
    assert short(shell, server, tmp_path) == []
