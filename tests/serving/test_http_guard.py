"""What is answered at all, before anything of the campaign is looked at."""

import asyncio
import re
import socket
import threading
from contextlib import ExitStack, suppress
from typing import Any

import pytest

from cli.serving import connections, http_guard
from cli.serving.app import ROUTES
from domain.common.notes import Note
from domain.log.command_handler import Command
from tests.kit.online import online
from tests.kit.phones import HERE, HOST, Phone, Served, scope_of

FORM = "application/x-www-form-urlencoded"


def asked(served: Served, method: str, address: str, *headers: tuple[str, str], body: bytes = b"") -> Any:
    return served.run(served.ask(method, address, headers, body))


@pytest.mark.parametrize(
    "hosts", [["evil.example"], [f"{HOST}.evil.example"], ["127.0.0.1"], ["localhost:1"], [], [HOST, HOST], [""]]
)
def test_only_the_own_name_is_answered(crypt: Served, hosts: list[str]) -> None:
    answer = asked(crypt, "GET", "/", *(("host", host) for host in hosts))
    assert (answer.status, "Crypt" in answer.text) == (421, False)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "get", "X"])
def test_other_methods_are_refused(crypt: Served, method: str) -> None:
    assert asked(crypt, method, "/", ("host", HOST)).status == 405


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", f"https://{HOST}", HERE + "0", f"{HERE}/"])
def test_nothing_changes_from_another_page(crypt: Served, origin: str | None) -> None:
    phone, before = crypt.phone("Mia"), crypt.log.last()
    headers = phone.headers(**{"content-type": FORM, **({} if origin is None else {"origin": origin})})
    answer = crypt.run(crypt.ask("POST", "/do", headers, b"line=n+Hello"))
    assert (answer.status, crypt.log.last()) == (403, before)


@pytest.mark.parametrize("kind", ["text/plain", "application/json", "multipart/form-data; boundary=x", ""])
def test_only_forms_are_understood(crypt: Served, kind: str) -> None:
    phone, before = crypt.phone("Mia"), crypt.log.last()
    headers = phone.headers(**{"content-type": kind, "origin": HERE})
    answer = crypt.run(crypt.ask("POST", "/do", headers, b"line=n+Hello"))
    assert (answer.status, crypt.log.last()) == (415, before)


def test_every_answer_has_the_headers(crypt: Served) -> None:
    phone = crypt.phone("Mia")
    answers = [
        phone.get("/"), phone.get("/nowhere"), phone.get("/now"), Phone(crypt).get("/"), phone.says("d brog"),
        asked(crypt, "PUT", "/", ("host", HOST)), asked(crypt, "GET", "/", ("host", "evil.example")),
    ]  # fmt: skip
    for answer in answers:
        assert {name: answer.headers.get(name) for name in http_guard.HEADERS} == http_guard.HEADERS, answer


def test_a_page_loads_nothing_but_files_of_this_server(crypt: Served) -> None:
    answer = crypt.phone("Mia").get("/")
    policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    assert policy.pop("default-src") == "'none'" and {*policy.values()} == {"'self'", "'none'"}
    loaded = re.findall(r"""<(?:script|link)\b[^>]*(?:src|href)="([^"]*)\"""", answer.text)
    assert loaded and all(address.startswith("/assets/") for address in loaded)
    # nothing is styled or run in it, and nothing else loaded
    assert not re.search(
        r"""<script(?![^>]* src=)|<style|<[^>]*\s(?:style|on\w+)=|<iframe|<object|<base|javascript:""", answer.text
    )


def test_what_is_sent_is_bounded(crypt: Served) -> None:
    phone = crypt.phone("Mia")
    assert phone.post("/do", line="n " + "x" * http_guard.LONGEST_BODY).status == 413
    assert phone.get("/why?of=" + "x" * http_guard.LONGEST_ADDRESS).status == 414
    assert phone.post("/do", line="n " + "x" * 11_000).status == 422


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"line=%ff%fe", 400), (b"\xff\xfe", 400), (b"line", 400), (b"&".join([b"a=b"] * 500), 400), (b"line=a\x00b", 422),
     (b"", 422)],
)  # fmt: skip
def test_what_is_no_form_is_told_so(crypt: Served, body: bytes, status: int) -> None:
    headers = crypt.phone("Mia").headers(**{"content-type": FORM, "origin": HERE})
    answer = crypt.run(crypt.ask("POST", "/do", headers, body))
    assert answer.status == status, answer


def test_a_body_that_comes_too_slowly_is_not_waited_for(crypt: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_guard, "SLOWEST", 0.01)
    headers = crypt.phone("Mia").headers(**{"content-type": FORM, "origin": HERE})
    sent: list[Any] = []

    async def slow() -> None:
        async def receive() -> Any:
            await asyncio.Event().wait()

        async def send(message: Any) -> None:
            sent.append(message)

        await crypt.app(scope_of("POST", "/do", headers, "10.0.0.1"), receive, send)

    crypt.run(slow())
    assert sent[0]["status"] == 408


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: x", b"POST /in HTTP/1.1\r\n"])
def test_a_request_that_does_not_come_is_cut_off(crypt: Served, monkeypatch: pytest.MonkeyPatch, sent: bytes) -> None:
    monkeypatch.setattr(connections, "SLOWEST", 0.01)
    with online(crypt) as address, suppress(ConnectionResetError):
        client = socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])))
        with client:
            client.sendall(sent)
            assert client.recv(1000) == b""


def test_a_head_that_comes_byte_by_byte_is_cut_off(crypt: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "SLOWEST", 0.2)
    with online(crypt) as address:
        client = socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), timeout=60)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with client, pytest.raises((BrokenPipeError, ConnectionResetError)):
            client.sendall(b"GET / HTTP/1.1\r\nX: ")
            for _ in range(connections.LONGEST_HEAD // 2):
                client.sendall(b"x")
                client.settimeout(0.005)
                with suppress(TimeoutError):
                    assert client.recv(1) == b""
                    raise ConnectionResetError


def test_no_more_connections_than_there_may_be(crypt: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST", 1)
    with online(crypt) as address, ExitStack() as held:
        port = int(address.rpartition(":")[2])
        mia = held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
        mia.sendall(head(port, "/live", crypt.phone("Mia")))
        assert mia.recv(12) == b"HTTP/1.1 200"
        # the only one is in use
        second = held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
        with suppress(ConnectionResetError):
            assert second.recv(1000) == b""


def test_an_idle_connection_makes_room_for_a_new_one(crypt: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opens connections and leaves them idle shuts nobody out, from the same address either."""
    monkeypatch.setattr(connections, "MOST_FROM_HERE", 5)
    with online(crypt) as address, ExitStack() as held:
        port = int(address.rpartition(":")[2])
        idle = [held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60)) for _ in range(5)]
        assert got(port, "/").startswith(b"HTTP/1.1 401")
        # the oldest one went; the next is still there
        with suppress(ConnectionResetError):
            assert idle[0].recv(1000) == b""
        idle[1].sendall(head(port, "/"))
        assert idle[1].recv(12) == b"HTTP/1.1 401"


def test_a_thousand_idle_connections_of_one_machine_shut_nobody_out(crypt: Served) -> None:
    with online(crypt) as address, ExitStack() as held:
        port = int(address.rpartition(":")[2])
        for _ in range(connections.MOST):
            held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
        phone = crypt.phone("Mia")
        assert got(port, "/", phone).startswith(b"HTTP/1.1 200")


def test_no_address_takes_every_connection(crypt: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = threading.Semaphore(0)
    found: list[connections.Connections] = []

    class Watched(connections.Connection):
        def connection_made(self, transport: Any) -> None:
            found.append(self._connections)
            super().connection_made(transport)

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            closed.release()

    monkeypatch.setattr(connections, "Connection", Watched)
    with online(crypt) as address, ExitStack() as held:
        port = int(address.rpartition(":")[2])
        many = connections.MOST_OF_ONE + 20
        # another address than this machine's own, as a phone has one
        for _ in range(many):
            held.enter_context(socket.create_connection(("127.0.0.1", port), source_address=("127.0.0.9", 0)))
        for _ in range(20):
            assert closed.acquire(timeout=60)
        assert got(port, "/").startswith(b"HTTP/1.1 401")
        assert found[0]._count["127.0.0.9"] == connections.MOST_OF_ONE
    assert connections.MOST_FROM_HERE + connections.MOST_OF_ONE < connections.MOST


def test_who_never_reads_is_cut_off_and_keeps_nobody_waiting(crypt: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = threading.Event()

    class Narrow(connections.Connection):
        """What is not read soon piles up here."""

        def connection_made(self, transport: Any) -> None:
            transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
            super().connection_made(transport)
            self.is_slow = transport.get_extra_info("peername")[0] == "127.0.0.9"

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            if self.is_slow:
                gone.set()

    monkeypatch.setattr(connections, "Connection", Narrow)
    slow, other = crypt.phone("Mia"), crypt.phone("Jo")
    crypt.handler.record_together([Command(Note(text=f"{number} {'x' * 4000}")) for number in range(100)])
    crypt.serving.turns.came(crypt.log.last())
    with online(crypt) as address, ExitStack() as held:
        port = int(address.rpartition(":")[2])
        monkeypatch.setattr(connections, "SLOWEST", 0.2)
        client = held.enter_context(socket.socket())
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.bind(("127.0.0.9", 0))
        client.connect(("127.0.0.1", port))
        client.sendall(head(port, "/live?after=4", slow))
        assert client.recv(12) == b"HTTP/1.1 200"
        assert gone.wait(60)
        assert got(port, "/now", other).startswith(b"HTTP/1.1 200")


def head(port: int, path: str, phone: Phone | None = None) -> bytes:
    """A request as it goes over the wire."""
    cookies = "".join(f"Cookie: {name}={value}\r\n" for name, value in (phone.cookies if phone else {}).items())
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{cookies}Connection: close\r\n\r\n".encode()


def got(port: int, path: str, phone: Phone | None = None) -> bytes:
    """What is answered to somebody else."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
        client.sendall(head(port, path, phone))
        return client.recv(1000)


def test_no_piece_of_an_answer_waits_for_the_one_before_it(crypt: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once: list[int] = []

    class Watched(connections.Connection):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            at_once.append(transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))

    monkeypatch.setattr(connections, "Connection", Watched)
    with online(crypt) as address, socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2]))) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert client.recv(1000).startswith(b"HTTP/1.1 421")
    assert at_once
    assert all(at_once)


def test_get_never_changes(crypt: Served) -> None:
    referee, before = crypt.phone("referee"), (crypt.log.last(), crypt.invitations.evening)
    for address in ("/do?line=n+Hello", "/look?line=n+Hello", "/in?token=x", "/leave"):
        assert referee.get(address).status == 405, address
    assert referee.get("/seats?seat=Mia&do=end").status == 200
    assert (crypt.log.last(), crypt.invitations.evening) == before


@pytest.mark.parametrize(
    "path",
    ["/../../etc/passwd", "/static/style.css", "/templates/base.html", "/%2e%2e/app.py", "//etc/passwd", "/\x00"],
)
def test_nothing_of_the_file_system_is_served(crypt: Served, path: str) -> None:
    answer = crypt.phone("referee").get(path)
    assert (answer.status, "root:" in answer.text) == (404, False)


def test_every_address_but_the_door_is_closed_to_strangers(crypt: Served) -> None:
    # what holds nothing of a campaign, and the door itself loads
    for_anybody = ("/assets/{version}/{name}", "/worker.js", "/offline")
    for route in ROUTES:
        if route.path in for_anybody:
            continue
        address = re.sub(r"{\w+:(int|count)}", "1", route.path)
        address = re.sub(r"{\w+(:path)?}", "Brog", address)
        method = "POST" if "POST" in (route.methods or ()) else "GET"
        headers = {"host": HOST, "origin": HERE, "content-type": FORM}
        answer = asked(crypt, method, address, *headers.items())
        assert answer.status == (403 if address.startswith("/in") else 401), address
        assert "Brog has" not in answer.text
        assert "Crypt" not in answer.main, address
