"""A campaign that a newer version of the program brings up to date while this one serves it: said, and not written."""

import sqlite3
from contextlib import closing

import psycopg
import pytest
from msgspec.structs import replace

from cli.serving.table_server import NEWER
from cli.store import failures
from cli.store.anywhere import open_log
from cli.store.file import CampaignFile
from tests.kit.on_disk import note
from tests.kit.phones import Served
from tests.serving.test_club import Club, club  # noqa: F401  # a fixture
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


@pytest.mark.parametrize("path", ["/", "/log"])
def test_a_turn_that_only_a_newer_version_reads_is_no_reason_to_try_again(club: Club, path: str) -> None:  # noqa: F811
    host = club.sits_down("Mia", "mill")
    with open_log(f"{club.database}?campaign=mill", write=True) as newer:
        newer.append(replace(note(2), rules_version=99))
    reply = club.ask("GET", host, path, "Mia")
    assert reply.status == 503 and NEWER in reply.text, reply
