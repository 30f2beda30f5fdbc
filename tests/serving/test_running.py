"""The server of the page, where it begins and ends."""

import asyncio
import signal
import socket
import time
from contextlib import ExitStack, suppress
from types import SimpleNamespace
from typing import Any, cast

import pytest
import uvicorn

from cli.serving import running
from cli.serving.connections import serve_connections, uvicorn_config
from cli.shell.listening import listening
from tests.kit.elsewhere import needs_sh
from tests.kit.postgres import free_port
from tests.kit.shell import Shell


def test_the_address_is_told_once_somebody_listens_there() -> None:
    server = SimpleNamespace(started=False, should_exit=False)
    turns = SimpleNamespace(look=lambda: None, end=lambda: None)
    serving = SimpleNamespace(invitations=SimpleNamespace(version=1), turns=turns)
    listened: list[bool] = []

    def ready() -> None:
        listened.append(server.started)
        server.should_exit = True

    async def starts() -> None:
        watching = asyncio.create_task(running._watch(cast(Any, server), cast(Any, serving), ready))
        await asyncio.sleep(0.05)
        assert not listened, "nobody listens yet"
        server.started = True
        await asyncio.wait_for(watching, 10)

    asyncio.run(starts())
    assert listened == [True]


def test_a_connection_that_comes_while_the_server_stops_is_closed() -> None:
    """A browser opens one in advance; uvicorn leaves it open, and the collector met its socket in another test."""

    async def nothing(*_: Any) -> None:
        raise AssertionError("nobody asks anything")

    async def stops() -> None:
        listener = listening(None)
        server = uvicorn.Server(uvicorn_config(nothing))
        serving = asyncio.create_task(serve_connections(server, listener))
        while not server.started:
            await asyncio.sleep(0.01)
        with socket.create_connection(listener.getsockname()) as browser:
            while not server.server_state.connections:
                await asyncio.sleep(0.01)
            server.server_state.connections.clear()  # as of one that came when those had been told
            server.should_exit = True
            await asyncio.wait_for(serving, 30)
            browser.settimeout(10)
            with suppress(ConnectionResetError):
                assert browser.recv(1) == b""

    asyncio.run(stops())


@needs_sh
@pytest.mark.parametrize("files", [64, 128, 256])
def test_more_connections_than_there_are_files_leave_room_for_a_tap_and_for_ctrl_c(shell: Shell, files: int) -> None:
    shell.do("new Crypt --rules osr", "osr enrol Brog --player Mia")
    port, limited = free_port(), ("sh", "-c", f'ulimit -n {files}; exec "$@"', "sh")
    with shell.start("serve", "--port", str(port), before=limited) as process, ExitStack() as held:
        # what it prints is read by nobody
        _answer(port)
        for address in range(2, 6):
            for number in range(64):
                client = held.enter_context(socket.socket())
                client.bind((f"127.0.0.{address}", 0))
                with suppress(OSError):
                    client.connect(("127.0.0.1", port))
                    client.sendall(b"GET / HT" if number % 2 else b"GET /live HTTP/1.1\r\n")
        begun = time.monotonic()
        assert _answer(port).startswith(b"HTTP/1.1 401")
        assert time.monotonic() - begun < 4
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, err, b"stop with Ctrl-C" in out) == (0, b"", True)


def _answer(port: int) -> bytes:
    """What is answered to somebody without a seat, as soon as anybody is."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            client.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
            if answer := client.recv(1000):
                return answer
        time.sleep(0.05)
    raise AssertionError("nobody answers")
