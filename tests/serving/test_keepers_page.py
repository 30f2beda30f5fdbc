"""Whoever keeps a club: every table with its last turn, a new one, seats, and a file; and nothing for anybody else."""

import re
from pathlib import Path

import pytest

from cli.serving.invitations import REFEREE, TABLE
from cli.store.anywhere import open_log
from cli.store.checking import findings_in
from cli.store.file import open_campaign
from cli.store.server.address import server_address
from cli.store.server.log import campaigns_there
from domain.common.notes import Note
from tests.kit.on_disk import handler_of
from tests.kit.phones import Reply
from tests.kit.shell import Shell
from tests.serving.test_club import PUBLIC, Club, club  # noqa: F401  # a fixture
from tests.store.conftest import database, server  # noqa: F401  # fixtures

HOST = "club.example"


def invited(shell: Shell, club: Club) -> str:  # noqa: F811
    """The token of a new keeper's link."""
    line = shell.run("server", "invite", club.database, "--public", PUBLIC, "--keeper").ok().out
    (token,) = re.findall(rf"^the keeper: {PUBLIC}/in/(\S+)$", line, re.MULTILINE)
    return str(token)


@pytest.fixture
def keeper(shell: Shell, club: Club) -> Club:  # noqa: F811
    """A club whose keeper has taken the seat as Kim."""
    token = invited(shell, club)
    assert "Sit down as the keeper" in club.ask("GET", HOST, f"/in/{token}", "Kim").text
    assert club.ask("POST", HOST, "/in", "Kim", token=token).status == 303
    return club


def ask(club: Club, method: str, address: str, **fields: str) -> Reply:  # noqa: F811
    return club.ask(method, HOST, address, "Kim", None, (), **fields)


def test_every_table_is_there_with_its_last_turn(keeper: Club) -> None:
    with open_log(f"{keeper.database}?campaign=mill", write=True) as log:
        handler_of(log).record(Note(text="Rain."))
    for _ in keeper.halls:
        rows = re.findall(
            r'<a href="/table/(\w+)"><bdi>(\w+)</bdi></a></td><td>(T\d+), 20', ask(keeper, "GET", "/").text
        )
        assert rows == [("barrow", "Barrow", "T1"), ("mill", "Mill", "T2")]


def test_a_new_table_begins_and_its_referee_sits_down_by_the_link(keeper: Club) -> None:
    page = ask(keeper, "POST", "/", name="The Lost Ford", rules="gloomhaven")
    (link,) = re.findall(r"https://the-lost-ford\.club\.example/in/([\w-]+)", page.text)
    host = "the-lost-ford.club.example"
    assert keeper.ask("POST", host, "/in", "Ruth", token=link).status == 303
    assert "The Lost Ford" in keeper.ask("GET", host, "/", "Ruth").text
    assert ask(keeper, "POST", "/", name=" ", rules="osr").status == 422
    assert ask(keeper, "POST", "/", name="Ford", rules="chess").status == 422


def test_a_new_table_that_is_sent_twice_is_one(keeper: Club) -> None:
    (token,) = re.findall(r'name="token" value="([\w-]+)"', ask(keeper, "GET", "/").text)
    for _ in keeper.halls:
        page = ask(keeper, "POST", "/", name="Ford", rules="osr", token=token)
        (link,) = re.findall(r"https://ford\.club\.example/in/([\w-]+)", page.text)
    assert [slug for slug, _, _ in campaigns_there(server_address(keeper.database))] == ["barrow", "ford", "mill"]
    assert keeper.ask("POST", "ford.club.example", "/in", "Ruth", token=link).status == 303
    # what is filled into the same page later is another one
    assert "https://weir.club.example/in/" in ask(keeper, "POST", "/", name="Weir", rules="osr", token=token).text


def test_the_keeper_ends_a_seat_after_being_asked(keeper: Club) -> None:
    host = keeper.sits_down("Sam", "mill", TABLE)
    asked = ask(keeper, "POST", "/table/mill", do="end", seat="table")
    assert "End the seat of the table?" in asked.text and keeper.ask("GET", host, "/", "Sam").status == 200
    assert ask(keeper, "POST", "/table/mill", do="end", seat="table", sure="yes").status == 303
    for hall in keeper.halls:
        keeper.run(hall.look())
        assert keeper.ask("GET", host, "/", "Sam", hall=hall).status == 401
    assert "ended" in ask(keeper, "GET", "/table/mill").text


def test_a_referee_who_lost_the_seat_gets_a_new_link(keeper: Club) -> None:
    page = ask(keeper, "POST", "/table/mill", do="invite")
    (link,) = re.findall(r"https://mill\.club\.example/in/([\w-]+)", page.text)
    assert keeper.ask("POST", "mill.club.example", "/in", "Ruth", token=link).status == 303


def test_a_table_is_downloaded_as_a_campaign_file(keeper: Club, tmp_path: Path) -> None:
    with open_log(f"{keeper.database}?campaign=mill", write=True) as log:
        handler_of(log).record(Note(text="Rain."))
        link = log.link(2)
    answer = ask(keeper, "GET", "/file/mill")
    assert answer.headers["content-disposition"] == 'attachment; filename="mill.campaign"'
    path = tmp_path / "mill.campaign"
    path.write_bytes(answer.body)
    with open_campaign(path) as copy:
        assert copy.link(2) == link and not [finding for finding in findings_in(copy) if finding.kind != "older"]


@pytest.mark.parametrize(
    ("method", "address"),
    [("GET", "/"), ("GET", "/table/mill"), ("GET", "/file/mill"), ("POST", "/"), ("POST", "/table/mill")],
)
def test_without_the_keepers_seat_nothing_is_told_or_done(keeper: Club, method: str, address: str) -> None:
    keeper.sits_down("Mia", "mill", REFEREE)
    # nor with the cookie of a table
    keeper.cookies[f"Mia@{HOST}"] = dict(keeper.cookies["Mia@mill.club.example"])
    for who in ("Mia", "a stranger"):
        page = keeper.ask(method, HOST, address, who, name="Ford", rules="osr", do="end", seat="table", sure="yes")
        assert page.status == 401 and "Barrow" not in page.text and "barrow" not in page.text


def test_a_table_that_is_not_there_is_said(keeper: Club) -> None:
    for address in ("/table/nothing", "/file/nothing", "/table/mil"):
        assert ask(keeper, "GET", address).status == 404


def test_a_new_link_for_the_keeper_ends_the_seat_that_was_taken_by_the_last(keeper: Club, shell: Shell) -> None:
    assert ask(keeper, "GET", "/").status == 200
    again = invited(shell, keeper)
    assert keeper.ask("POST", HOST, "/in", "Lea", token=again).status == 303
    assert keeper.ask("GET", HOST, "/", "Lea").status == 200
    assert [ask(keeper, "GET", "/").status for _ in keeper.halls] == [401, 401]
