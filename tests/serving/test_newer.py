"""A campaign that a newer version of the program brings up to date while this one serves it: said, and not written."""

import sqlite3
from contextlib import ExitStack, closing

import psycopg
import pytest
from msgspec.structs import replace

from cli.serving.hall import Hall
from cli.serving.table_server import NEWER, OLDER
from cli.store import failures
from cli.store.anywhere import open_log
from cli.store.file import CampaignFile
from cli.store.server.address import server_address
from cli.store.server.administering import initialise
from tests.kit.on_disk import note
from tests.kit.phones import Served
from tests.serving.test_club import PUBLIC, Club, club  # noqa: F401  # a fixture
from tests.store.conftest import database, server  # noqa: F401  # fixtures


def test_a_file_of_a_newer_format_takes_no_tap_and_every_page_says_why(crypt: Served) -> None:
    mia = crypt.phone("Mia")
    assert isinstance(crypt.log, CampaignFile)
    with closing(sqlite3.connect(crypt.log.path)) as newer:
        newer.execute("PRAGMA user_version = 99")
    last = crypt.log.last()
    tap = mia.says("n Rain")
    assert tap.status == 503 and failures.NEWER in tap.text
    for page in ("/rules", "/log", "/at?turn=2"):
        reply = mia.got(page)
        assert reply.status == 503 and NEWER in reply.text, page
    assert crypt.log.last() == last


def test_tables_of_a_newer_format_take_no_tap_and_a_process_says_that_it_is_not_ready(
    club: Club,  # noqa: F811
) -> None:
    host = club.sits_down("Mia", "mill")
    with psycopg.connect(club.database, autocommit=True) as newer:
        newer.execute("UPDATE campaign.format SET version = 99")
    tap = club.ask("POST", host, "/do", "Mia", line="n Rain")
    assert tap.status == 503 and failures.NEWER in tap.text
    assert club.ask("GET", "127.0.0.1:8000", "/readyz").status == 503


def test_once_the_tables_are_newer_every_page_is_left_to_another_process(club: Club) -> None:  # noqa: F811
    host = club.sits_down("Mia", "mill")
    hall = club.halls[0]
    assert club.ask("GET", host, "/", "Mia", hall=hall).status == 200
    with psycopg.connect(club.database, autocommit=True) as newer:
        newer.execute("UPDATE campaign.format SET version = 99")
    club.run(hall.look())
    # its pages go to where the next one answers, and ask there
    assert club.run(hall.table("mill")).server.turns.moves
    for at, page in ((host, "/"), (host, "/now"), (host, "/log"), ("club.example", "/")):
        reply = club.ask("GET", at, page, "Mia", hall=hall)
        assert reply.status == 503 and NEWER in reply.text, page


def test_a_newer_process_waits_for_its_tables_and_answers_as_soon_as_they_are_there(club: Club) -> None:  # noqa: F811
    host = club.sits_down("Mia", "mill")
    with psycopg.connect(club.database, autocommit=True) as keeper, ExitStack() as stack:
        keeper.execute("UPDATE campaign.format SET version = 0")
        hall = Hall(server_address(club.database), PUBLIC)
        stack.callback(hall.close)
        for at, page in ((host, "/"), ("club.example", "/")):
            reply = club.ask("GET", at, page, "Mia", hall=hall)
            assert reply.status == 503 and OLDER in reply.text, page
        ready = club.ask("GET", "127.0.0.1:8000", "/readyz", hall=hall)
        assert ready.status == 503 and "campaign server init" in ready.text
        initialise(server_address(club.database))
        assert club.ask("GET", host, "/", "Mia", hall=hall).status == 200
        assert club.ask("GET", "127.0.0.1:8000", "/readyz", hall=hall).status == 200


@pytest.mark.parametrize("path", ["/", "/log"])
def test_a_turn_that_only_a_newer_version_reads_is_no_reason_to_try_again(club: Club, path: str) -> None:  # noqa: F811
    host = club.sits_down("Mia", "mill")
    with open_log(f"{club.database}?campaign=mill", write=True) as newer:
        newer.append(replace(note(2), rules_version=99))
    reply = club.ask("GET", host, path, "Mia")
    assert reply.status == 503 and NEWER in reply.text, reply
