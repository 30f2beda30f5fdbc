"""A table that is served behind a real port, in a thread of this process."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from cli.serving.app import application
from cli.serving.connections import serve_connections, uvicorn_config
from cli.serving.running import names
from cli.shell.listening import listening
from tests.kit.phones import Served


@contextmanager
def online(table: Served) -> Iterator[str]:
    """The table behind a port: its address."""
    listener = listening(None)
    port = listener.getsockname()[1]
    table.serving.address = f"http://127.0.0.1:{port}"
    server = uvicorn.Server(uvicorn_config(application(table.serving, names("127.0.0.1", port, "http"))))
    thread = threading.Thread(target=lambda: asyncio.run(serve_connections(server, listener)))
    thread.start()
    try:
        yield table.serving.address
    finally:
        server.should_exit = True
        table.serving.turns.over = True
        thread.join()
