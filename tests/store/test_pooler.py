"""A log behind a pooler: whatever one transaction leaves in its session is somebody else's in the next."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from cli.store.anywhere import create_at, open_log
from cli.store.branches import make_branch
from cli.store.checking import findings_in
from cli.store.failures import Unopenable
from cli.store.server.address import server_address
from cli.store.server.administering import initialise, server_facts
from domain.common.notes import Note
from tests.kit import pooler
from tests.kit.on_disk import first_turn, handler_of
from tests.kit.postgres import Server
from tests.store.test_server import append_some
from tests.store.test_together import at_once

pytestmark = pytest.mark.skipif(not pooler.is_here(), reason="no pgbouncer here")


@contextmanager
def behind(server: Server, database: str, mode: str, size: int) -> Iterator[str]:
    with (
        tempfile.TemporaryDirectory() as folder,
        pooler.pooled(server, Path(folder), database, mode=mode, size=size) as address,
    ):
        yield address


def test_writers_share_one_connection_to_the_server(server: Server, database: str, campaign: str) -> None:
    with behind(server, database, "transaction", 1) as pool:
        answers = at_once(4, append_some, f"{pool}?campaign=test", 6)
        assert not [answer for answer in answers if isinstance(answer, str)]
        # whoever wrote there holds no lock that keeps a direct writer waiting
        with open_log(campaign, write=True) as log:
            handler_of(log).record(Note(text="Direct."))
            assert [(turn.number, turn.id) for turn in log.read(after=1, upto=25)] == sorted(
                turn for turns in answers for turn in turns
            )
            assert log.last() == 26 and [finding.kind for finding in findings_in(log)] == ["older"]


def test_everything_that_a_log_does_goes_through_two_connections(server: Server, database: str) -> None:
    with behind(server, database, "transaction", 2) as pool:
        address = create_at(pool, "campaign-7", "Seven", "seven", first_turn())
        with open_log(address, write=True) as log, open_log(address) as reader:
            for number in range(2, 9):
                handler_of(log).record(Note(text=f"{number}"))
                reader.wait(0.01)
                assert reader.last() == number and len(list(reader.read())) == number
            make_branch(log, "plan", 3, switch=True)
            with log.exclusive_access():
                assert log.last() == 8
            with reader.on("plan") as plan, plan.on("main") as main:
                assert plan.last() == 3 and main.last() == 8


def test_who_gets_no_connection_of_the_pool_is_told(
    server: Server, database: str, campaign: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    del campaign
    monkeypatch.setattr("cli.store.server.connection.LONGEST_WAIT", 0.3)
    with (
        behind(server, database, "session", 1) as pool,
        psycopg.connect(pool) as somebody,
        pytest.raises(Unopenable, match=r"has no connection left; try again\."),
    ):
        somebody.execute("SELECT 1")
        open_log(f"{pool}?campaign=test")


@pytest.mark.parametrize("mode", ["session", "transaction"])
def test_the_doctor_says_what_stands_between(server: Server, database: str, mode: str) -> None:
    with behind(server, database, mode, 4) as pool:
        assert server_facts(server_address(pool))["pooler"].startswith(f"one that shares connections by {mode}")
    assert server_facts(server_address(database))["pooler"] == "none"


def test_tables_are_made_at_the_server_itself(server: Server, database: str) -> None:
    with (
        behind(server, database, "transaction", 2) as pool,
        pytest.raises(Unopenable, match="give campaign server init the address of the server itself"),
    ):
        initialise(server_address(pool))
