"""A PostgreSQL server for the tests of the stores: one for each worker, started when the first test asks for it."""

from collections.abc import Iterator
from itertools import count

import pytest

from tests.kit.postgres import Server, binaries, running

_numbers = count(1)


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
