"""A club: every table of a database behind one address, by several processes, as two halls in one event loop."""

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psycopg
import pytest

from cli.serving.club_seats import CLUB, ClubInvitations
from cli.serving.hall import Hall
from cli.serving.invitations import KEEPER, REFEREE, TABLE
from cli.store.anywhere import copy_to, create_at, open_log
from cli.store.file import open_campaign
from cli.store.server.address import server_address
from cli.store.server.administering import initialise, remove
from cli.store.server.connection import SharedConnection
from cli.store.server.log import ServerLog
from domain.common.notes import Note
from tests.kit.on_disk import first_turn, handler_of
from tests.kit.phones import Reply, asking_until, scope_of
from tests.store.conftest import database, server  # noqa: F401  # fixtures

PUBLIC = "https://club.example"


class Club:
    """Two processes of one club, asked by turns, as behind a proxy that knows no seats."""

    def __init__(self, address: str, slugs: Sequence[str] = ("mill", "barrow"), processes: int = 2) -> None:
        self.database = address
        for slug in slugs:
            create_at(address, f"campaign-{slug}", slug.title(), slug, first_turn(name=slug.title()))
        self._runner = asyncio.Runner()
        self.halls = [Hall(server_address(address), PUBLIC) for _ in range(processes)]
        self.by_turns = cycle(self.halls)
        self.cookies: dict[str, dict[str, str]] = {}

    def close(self) -> None:
        for hall in self.halls:
            hall.close()
        self._runner.close()

    def run(self, work: Any) -> Any:
        return self._runner.run(work)

    def link(self, slug: str, seat: str = REFEREE) -> str:
        """A link, as it is made for whoever keeps the club."""

        async def invite() -> str:
            at = (await self.halls[0].table(slug)).server
            token: str = await at.in_writer(at.invitations.invite, seat)
            return token

        return str(self.run(invite()))

    def ask(self, method: str, host: str, address: str, *further: Any, **named: Any) -> Reply:
        """One request to the next process, with the cookies of whoever asks; what `asking` takes."""
        reply: Reply = self.run(self.asking(method, host, address, *further, **named))
        return reply

    async def asking(
        self,
        method: str,
        host: str,
        address: str,
        who: str = "",
        hall: Hall | None = None,
        more_headers: Sequence[tuple[str, str]] = (),
        **fields: str,
    ) -> Reply:
        """The same, to be awaited: by whom, by which hall, with what else in the head, and the fields of a form."""
        cookies = self.cookies.setdefault(f"{who}@{host}", {})
        headers = [("host", host), *more_headers]
        if cookies:
            headers.append(("cookie", "; ".join(f"{name}={value}" for name, value in cookies.items())))
        body = urlencode(fields).encode()
        if method == "POST":
            headers += [("origin", f"https://{host}"), ("content-type", "application/x-www-form-urlencoded")]
        messages: list[Any] = []

        async def send(message: Any) -> None:
            messages.append(message)

        scope = scope_of(method, address, headers, "10.0.0.1")
        await (hall or next(self.by_turns))(scope, asking_until(asyncio.Event(), body), send)
        whole = b"".join(message.get("body", b"") for message in messages[1:])
        reply = Reply(messages[0]["status"], messages[0]["headers"], whole)
        for cookie in reply.cookies:
            name, _, value = cookie.partition(";")[0].partition("=")
            cookies[name] = value
        return reply

    def sits_down(self, who: str, slug: str, seat: str = REFEREE) -> str:
        """Somebody takes a seat; the host of the table."""
        host = f"{slug}.club.example"
        assert self.ask("POST", host, "/in", who, token=self.link(slug, seat)).status == 303
        return host


@pytest.fixture
def club(database: str) -> Iterator[Club]:  # noqa: F811
    with ExitStack() as stack:
        club = Club(database)
        stack.callback(club.close)
        yield club


def test_a_table_is_named_by_its_host_and_a_seat_is_known_to_every_process(club: Club) -> None:
    host = club.sits_down("Mia", "mill")
    for _ in range(4):
        page = club.ask("GET", host, "/", "Mia")
        assert page.status == 200 and "Mill" in page.text and "Barrow" not in page.text
    assert club.ask("GET", "barrow.club.example", "/", "Mia").status == 401


def test_a_table_with_letters_that_no_host_name_has_is_at_the_name_that_browsers_send(club: Club) -> None:
    create_at(club.database, "campaign-h", "Höhle", "höhle", first_turn(name="Höhle"))
    assert club.halls[0].address_of("höhle") == "https://xn--hhle-5qa.club.example"
    token = club.link("höhle")
    assert club.ask("POST", "xn--hhle-5qa.club.example", "/in", "Mia", token=token).status == 303
    assert "Höhle" in club.ask("GET", "XN--hhle-5qa.club.example", "/", "Mia").text
    assert club.ask("GET", "xn--hhle-5qa-.club.example", "/", "Mia").status == 404


def test_a_cookie_of_one_table_opens_no_other(club: Club) -> None:
    club.sits_down("Mia", "mill")
    club.cookies["Mia@barrow.club.example"] = dict(club.cookies["Mia@mill.club.example"])
    assert club.ask("GET", "barrow.club.example", "/", "Mia").status == 401


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("club.example", 401),
        ("nobody.club.example", 404),
        ("x.mill.club.example", 404),
        ("mill.club.example.evil", 404),
    ],
)
def test_a_host_that_is_no_table_lists_nothing(club: Club, host: str, status: int) -> None:
    page = club.ask("GET", host, "/")
    assert page.status == status and "mill" not in page.text.lower().replace(host, "")


def test_a_tap_that_is_sent_to_two_processes_is_one_turn(club: Club) -> None:
    host = club.sits_down("Mia", "mill")
    for _ in range(3):
        assert club.ask("POST", host, "/do", "Mia", at="1", line="n The wheel turns").status in (200, 303)
    with open_log(f"{club.database}?campaign=mill") as log:
        assert log.last() == 2
    for hall in club.halls:
        assert "The wheel turns" in club.ask("GET", host, "/log", "Mia", hall=hall).text


def test_a_page_that_shows_a_turn_of_elsewhere_knows_its_number(club: Club) -> None:
    host = club.sits_down("Mia", "mill")
    for hall in club.halls:
        club.ask("GET", host, "/", "Mia", hall=hall)
    assert club.ask("POST", host, "/do", "Mia", hall=club.halls[0], line="n Rain").status == 303
    assert 'data-turn="2"' in club.ask("GET", host, "/", "Mia", hall=club.halls[1]).text
    assert club.run(club.halls[1].table("mill")).server.turns.last == 2


def test_turns_and_ended_seats_of_elsewhere_come_with_the_next_look(club: Club) -> None:
    host = club.sits_down("Mia", "mill")
    for hall in club.halls:
        assert club.ask("GET", host, "/", "Mia", hall=hall).status == 200
    with open_log(f"{club.database}?campaign=mill", write=True) as log:
        handler_of(log).record(Note(text="Told on the shell."))
    for hall in club.halls:
        club.run(hall.look())
        assert club.run(hall.table("mill")).server.turns.last == 2
    first = club.run(club.halls[0].table("mill")).server
    club.run(first.in_writer(first.invitations.end_seat, REFEREE))
    club.run(club.halls[1].look())
    for hall in club.halls:
        assert club.ask("GET", host, "/", "Mia", hall=hall).status == 401


def test_a_table_that_is_taken_out_while_it_is_open_is_no_damage_and_leaves_nothing(club: Club, tmp_path: Path) -> None:
    host, unused = club.sits_down("Mia", "mill"), club.link("mill", "Jo")
    for hall in club.halls:
        assert club.ask("GET", host, "/", "Mia", hall=hall).status == 200
    with open_log(f"{club.database}?campaign=mill") as log:
        assert isinstance(log, ServerLog)
        remove(server_address(club.database), log, tmp_path / "mill.campaign")
    for when, seating in (("at once", 503), ("after the next look", 404)):
        for hall in club.halls:
            for page in ("/", "/log", "/at?turn=1"):
                reply = club.ask("GET", host, page, "Mia", hall=hall)
                assert reply.status == 404 and "There is no table of this name." in reply.text, (when, page)
            reply = club.ask("POST", host, "/do", "Mia", hall=hall, line="n Rain")
            assert reply.status == 404, when
            assert club.ask("POST", host, "/in", "Jo", hall=hall, token=unused).status == seating
            club.run(hall.look())
    assert not any(hall.tables for hall in club.halls)
    with psycopg.connect(club.database) as keeper:
        assert keeper.execute("SELECT count(*) FROM campaign.kept WHERE campaign = 'campaign-mill'").fetchone() == (0,)


def test_a_new_link_is_shown_by_the_process_that_made_it(club: Club) -> None:
    host = club.sits_down("Mia", "mill")
    club.ask("GET", host, "/seats", "Mia")
    page = club.ask("POST", host, "/seats", "Mia", seat="table", do="invite")
    link = re.search(r"https://mill\.club\.example/in/([\w-]+)", page.text)
    assert link is not None
    assert club.ask("POST", host, "/in", "Jo", token=link[1]).status == 303
    assert club.ask("POST", host, "/in", "Ben", token=link[1]).status == 403


def test_wrong_links_of_a_stranger_lock_nobody_out(club: Club) -> None:
    host = "mill.club.example"
    assert [club.ask("POST", host, "/in", "x", token=f"guess-{n}").status for n in range(24)][-1] == 429
    club.sits_down("Mia", "mill")


@pytest.mark.parametrize("limit", ["OF_A_SEAT", "OF_A_TABLE"])
def test_a_seat_and_a_table_tap_so_often_at_once_and_others_are_not_kept_waiting(
    club: Club, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(f"cli.serving.hall.{limit}", (3, 1e6))
    monkeypatch.setattr("cli.serving.table_server.PAUSE", 0.0)
    host, elsewhere = club.sits_down("Mia", "mill"), club.sits_down("Mia", "barrow")
    club.sits_down("Jo", "mill", TABLE)
    hall = club.halls[0]

    def taps(who: str, at: str, address: str = "/do") -> int:
        return club.ask("POST", at, address, who, hall=hall, line="n Rain").status

    assert [taps("Mia", host, address) for address in ("/do", "/look", "/do", "/do", "/look")] == [
        303, 200, 200, 429, 429
    ]  # fmt: skip
    assert club.ask("GET", host, "/", "Mia", hall=hall).status == 200
    # a seat that only reads is refused, but for its own sake
    assert taps("Jo", host) == (409 if limit == "OF_A_SEAT" else 429)
    assert taps("Mia", elsewhere) == 303


def test_a_tap_waits_for_no_more_than_one_of_each_other_seat(club: Club) -> None:
    host, hall = club.sits_down("Mia", "mill", "Mia"), club.halls[0]
    club.sits_down("Jo", "mill", "Jo")

    async def at_once() -> list[Reply]:
        phones = [*(("Mia", f"Rain {number}") for number in range(12)), ("Jo", "Sun")]
        return await asyncio.gather(
            *(club.asking("POST", host, "/do", who, hall, line=f"n {text}") for who, text in phones)
        )

    assert {reply.status for reply in club.run(at_once())} == {303}
    with open_log(f"{club.database}?campaign=mill") as log:
        told = [turn.action.text for turn in log.read() if isinstance(turn.action, Note)]
    assert len(told) == 13 and "Sun" in told[:3], told


def test_tables_that_nobody_looks_at_are_closed_and_opened_again(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    host = club.sits_down("Mia", "mill")
    hall = club.halls[0]
    club.ask("GET", host, "/", "Mia", hall=hall)
    monkeypatch.setattr("cli.serving.hall.IDLE", -1.0)
    hall.close_idle()
    assert not hall.tables
    assert club.ask("GET", host, "/", "Mia", hall=hall).status == 200


def test_a_table_that_several_ask_for_at_once_is_opened_once(club: Club) -> None:
    async def at_once() -> list[Any]:
        return await asyncio.gather(*(club.halls[0].table("mill") for _ in range(4)))

    first, *others = club.run(at_once())
    assert all(table is first for table in others)


def test_a_table_that_is_not_there_is_looked_for_once(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    hall, opened = club.halls[0], list[str]()
    opens = hall._open

    def opening(slug: str, worker: Any) -> Any:
        opened.append(slug)
        return opens(slug, worker)

    monkeypatch.setattr(hall, "_open", opening)
    assert club.ask("GET", "nobody.club.example", "/", hall=hall).status == 404
    assert opened == ["nobody"]


def test_a_process_says_how_it_is(club: Club) -> None:
    club.sits_down("Mia", "mill")
    hall = club.halls[0]
    club.ask("GET", "mill.club.example", "/", "Mia", hall=hall)
    assert club.ask("GET", "127.0.0.1:8000", "/healthz", hall=hall).text == "ok\n"
    assert club.ask("GET", "127.0.0.1:8000", "/readyz", hall=hall).text == "ok\n"
    for line in ("n The wheel turns", "n The wheel turns", "hit nobody 3"):
        club.ask("POST", "mill.club.example", "/do", "Mia", hall=hall, at="1", line=line)
    metrics = club.ask("GET", "127.0.0.1:8000", "/metrics", hall=hall).text
    assert "campaign_open_tables 1" in metrics and "/in/" not in metrics
    assert "campaign_turns_total 1\n" in metrics and "campaign_refusals_total 1\n" in metrics
    assert re.search(r'campaign_requests_total\{kind="do",status="303"\} 1\n', metrics)
    assert re.search(r"campaign_statements_total [1-9][0-9]+\n", metrics)
    # whoever comes by the public address is told nothing of it, nor by another that a proxy passes on
    assert club.ask("GET", "club.example", "/metrics", hall=hall).status == 404
    by_proxy = [("x-forwarded-for", "203.0.113.9")]
    assert club.ask("GET", "127.0.0.1:8000", "/metrics", hall=hall, more_headers=by_proxy).status == 404


def test_whatever_is_asked_for_is_counted_under_a_few_kinds(club: Club) -> None:
    hall = club.halls[0]
    for host in ("mill.club.example", "club.example", "nobody.club.example", "127.0.0.1:8000"):
        for number in range(20):
            club.ask("GET", host, f"/x{number}/secret", hall=hall)
            club.ask("GET", host, f"/in/secret{number}", hall=hall)
    metrics = club.ask("GET", "127.0.0.1:8000", "/metrics", hall=hall).text
    assert len(metrics.splitlines()) < 20 and 'kind="other",status="404"' in metrics and "secret" not in metrics


def end_connections(address: str) -> None:
    """What a restart of the database does to whoever is connected."""
    with psycopg.connect(address, autocommit=True) as keeper:
        keeper.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid()"
        )


def test_a_lost_connection_is_made_again(club: Club) -> None:
    host = club.sits_down("Mia", "mill")
    end_connections(club.database)
    assert [club.ask("GET", host, "/", "Mia").status for _ in range(4)][-2:] == [200, 200]
    assert club.ask("POST", host, "/do", "Mia", at="1", line="n Still here").status == 303


def test_a_link_opens_its_seat_and_the_keeper_reads_although_every_connection_was_lost(club: Club) -> None:
    club.sits_down("Ruth", "mill")
    links = [club.link("mill", seat) for seat in ("Mia", "Jo")]
    with closing(SharedConnection(server_address(club.database), write=True)) as shared:
        keeper = ClubInvitations(lambda: shared, CLUB)
        keeper.begin(anew=False, keep=True, address=PUBLIC)
        link = keeper.invite(KEEPER)
    assert club.ask("POST", "club.example", "/in", "Kim", token=link).status == 303
    for hall, link, who in zip(club.halls, links, ("Mia", "Jo"), strict=True):
        assert club.ask("GET", "mill.club.example", "/log", "Ruth", hall=hall).status == 200
        end_connections(club.database)
        assert club.ask("POST", "mill.club.example", "/in", who, hall=hall, token=link).status == 303
        end_connections(club.database)
        assert club.ask("GET", "club.example", "/", "Kim", hall=hall).status == 200
        assert club.ask("GET", "mill.club.example", "/log", "Ruth", hall=hall).status == 200


@pytest.mark.parametrize(("table", "players"), [("crypt", ("Mia", "Jo")), ("barrow", ("Ines", "Marek"))])
def test_a_turn_with_its_seven_pages_is_few_statements(
    club: Club, begun: Path, table: str, players: tuple[str, str]
) -> None:
    """24, besides the beginning and the end of the one transaction that writes."""
    with open_campaign(begun / f"{table}.campaign") as log:
        copy_to(club.database, log, table, f"the-{table}")
    hall, slug = club.halls[0], f"the-{table}"
    pages = [("keeper", REFEREE), *((who, who) for who in players), *((f"screen {n}", TABLE) for n in range(4))]
    for who, seat in pages:
        club.sits_down(who, slug, seat)
        club.ask("GET", f"{slug}.club.example", "/now", who, hall=hall)
    sent = []
    for number in range(3):
        before = hall.statements
        assert (
            club.ask("POST", f"{slug}.club.example", "/do", "keeper", hall=hall, line=f"n Rain {number}").status == 303
        )
        for who, _ in pages:
            assert f"Rain {number}" in club.ask("GET", f"{slug}.club.example", "/now", who, hall=hall).text
        sent.append(hall.statements - before)
    assert max(sent[1:]) <= 24, sent  # the first asks whether there is a table for what is kept


def test_many_tables_share_the_few_connections_that_a_role_may_have(database: str) -> None:  # noqa: F811
    """As many tables as a server has connections were as many processes, and the last of them were turned away."""
    with psycopg.connect(database, autocommit=True) as keeper:
        keeper.execute("DROP ROLE IF EXISTS few")
        keeper.execute("CREATE ROLE few LOGIN CONNECTION LIMIT 4")
    initialise(server_address(database), writers=["few"])
    slugs = [f"table-{number}" for number in range(12)]
    with ExitStack() as stack:
        club = Club(database.replace("keeper@", "few@"), slugs, processes=1)
        stack.callback(club.close)
        for slug in slugs:
            host = club.sits_down("Mia", slug)
            for address in ("/", "/log", "/at"):
                assert club.ask("GET", host, address, "Mia").status == 200
            assert club.ask("POST", host, "/do", "Mia", line="n Rain").status == 303
        assert len(club.halls[0].tables) == len(slugs)


def test_tables_open_with_the_one_connection_that_is_left(database: str) -> None:  # noqa: F811
    with psycopg.connect(database, autocommit=True) as keeper:
        keeper.execute("DROP ROLE IF EXISTS lone")
        keeper.execute("CREATE ROLE lone LOGIN CONNECTION LIMIT 1")
    initialise(server_address(database), writers=["lone"])
    with ExitStack() as stack:
        club = Club(database, processes=1)
        stack.callback(club.close)
        hall = Hall(server_address(database.replace("keeper@", "lone@")), PUBLIC)
        stack.callback(hall.close)
        for slug in ("mill", "barrow"):
            host = club.sits_down("Mia", slug)
            assert club.ask("POST", host, "/do", "Mia", hall=hall, line="n Rain").status == 303
            assert "Rain" in club.ask("GET", host, "/", "Mia", hall=hall).text


def test_a_hundred_pages_from_one_address_are_a_hundred_pages(club: Club) -> None:
    """As from the phones of a hall that has one address for all of them."""
    host, hall = club.sits_down("Sam", "mill", TABLE), club.halls[0]
    club.sits_down("Mia", "mill")
    cookie = "; ".join(f"{name}={value}" for name, value in club.cookies[f"Sam@{host}"].items())

    async def evening() -> None:
        leaving, told = asyncio.Event(), [bytearray() for _ in range(100)]

        def send_to(heard: bytearray) -> Any:
            async def send(message: Any) -> None:
                heard.extend(message.get("body", b""))

            return send

        scope = scope_of("GET", "/live?after=1", [("host", host), ("cookie", cookie)], "10.0.0.1")
        pages = [asyncio.create_task(hall(scope, asking_until(leaving), send_to(heard))) for heard in told]
        await asyncio.sleep(0.1)
        at = (await hall.table("mill")).server
        assert len(at.streams) == 100
        await at.in_writer(at.handler.record, Note(text="Rain."))
        await hall.look()
        while not all(b"Rain" in heard for heard in told):
            await asyncio.sleep(0.01)
        leaving.set()
        await asyncio.gather(*pages)

    club.run(asyncio.wait_for(evening(), 30))
