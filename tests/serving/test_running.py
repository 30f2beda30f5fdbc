"""The server of the page, where it begins and ends."""

import asyncio
import socket
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, cast

import uvicorn

from cli.pages.datasette_server import listening
from cli.serving import running
from cli.serving.connections import serve_connections, uvicorn_config


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
