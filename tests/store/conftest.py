"""A campaign file for the tests of the stores, and a PostgreSQL server: one for each worker, started when asked for."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from cli.store.anywhere import create_at
from tests.kit.on_disk import first_turn, started
from tests.kit.postgres import Server, binaries, running

_numbers = count(1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A campaign file of three turns."""
    return started(tmp_path / "dc.campaign", turns=3)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server that runs."""
    if binaries() is None:
        pytest.skip("no PostgreSQL here, and none in a package for this platform")
    with running() as started:
        yield started


@pytest.fixture
def database(server: Server) -> str:
    """The address of a database that is set up for campaigns and holds none."""
    from cli.store.server.address import server_address
    from cli.store.server.administering import initialise

    url = server.database(f"club{next(_numbers)}")
    initialise(server_address(url))
    return url


@pytest.fixture
def campaign(database: str) -> str:
    """The address of a campaign of one turn on the server."""
    return create_at(database, "campaign-1", "Test", "test", first_turn())
