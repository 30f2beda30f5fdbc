"""Running the server: its port, its host names, its lines on the terminal, and its end when that terminal closes."""

import asyncio
import io
import os
import signal
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import uvicorn

from cli.serving.app import application
from cli.serving.connections import serve_connections, uvicorn_config
from cli.serving.hall import Hall
from cli.serving.live import Follower
from cli.serving.table_server import TableServer
from cli.store.server.address import ServerAddress
from domain.refusal import Invalid

HERE = "127.0.0.1"
USUAL_PORT = 8440
#: Seconds between two looks whether whoever started us is still there, and which seats were ended elsewhere.
LOOKS = 0.5
#: Seconds after which a thread that computes makes way for another.
SWITCHES = 0.0005


def address_in_network() -> str:
    """This machine's address as others in the network reach it. Raises Invalid where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking, suppress(OSError):
        # nothing is sent: connecting a datagram socket only chooses the way that it would take
        asking.connect(("192.0.2.1", 9))
        address = str(asking.getsockname()[0])
        if not address.startswith(("127.", "0.")):
            return address
    raise Invalid("This machine has no address in a network; leave --lan out.")


def names(host: str, port: int, scheme: str) -> frozenset[str]:
    """What the server answers to, as browsers write it: without the port where that goes without saying."""
    hosts = [HERE, "localhost", *([host] if host != HERE else [])]
    usual = port == {"http": 80, "https": 443}[scheme]
    return frozenset(name for host in hosts for name in ((f"{host}:{port}", host) if usual else (f"{host}:{port}",)))


def checked_tls(certificate: Path, key: Path) -> None:
    """Raise Invalid for what is no certificate with its key."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise Invalid(
            f"{certificate} and {key} are not a certificate and its key: {error.strerror or error}."
        ) from None


def codes(addresses: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Each address, as a code that a phone can photograph off the terminal."""
    import segno

    for whose, address in addresses:
        out = io.StringIO()
        segno.make(address, error="l").terminal(out, border=2, compact=True)
        yield f"{whose}: {address}"
        yield from out.getvalue().splitlines()


def serve(
    serving: TableServer,
    listener: socket.socket,
    answers_to: frozenset[str],
    ready: Callable[[], None],
    tls: tuple[Path, Path] | None = None,
) -> None:
    """Serve until stopped, or until whoever started us is gone. `ready` is called once a browser would be answered.

    Raises KeyboardInterrupt where that is how it was stopped.
    """
    # a tap changes threads some dozen times, and behind a reading each of them would wait the usual 5 ms
    sys.setswitchinterval(SWITCHES)
    asyncio.run(_serve(serving, listener, answers_to, ready, tls))


async def _serve(
    serving: TableServer,
    listener: socket.socket,
    answers_to: frozenset[str],
    ready: Callable[[], None],
    tls: tuple[Path, Path] | None,
) -> None:
    loop = asyncio.get_running_loop()
    server = uvicorn.Server(uvicorn_config(application(serving, answers_to), tls))
    # closing the terminal asks for an end as Ctrl-C does
    with suppress(NotImplementedError, AttributeError):
        loop.add_signal_handler(signal.SIGHUP, _stop, server)
    follower = Follower(serving.log.on(serving.log.branch), serving.turns, loop)
    follower.start()
    watching = asyncio.create_task(_watch(server, serving, ready))
    try:
        await serve_connections(server, listener)
    finally:
        watching.cancel()
        follower.stop()
        serving.close()


def serve_club(
    hall: Hall, listener: socket.socket, listen_at: ServerAddress, proxies: Sequence[str], ready: Callable[[], None]
) -> None:
    """Serve every campaign of a database until stopped.

    Addresses that a proxy passes on are believed from `proxies` alone. Slow and too many clients are the proxy's to
    turn away.
    """
    asyncio.run(_serve_club(hall, listener, listen_at, proxies, ready))


async def _serve_club(
    hall: Hall, listener: socket.socket, listen_at: ServerAddress, proxies: Sequence[str], ready: Callable[[], None]
) -> None:
    config = uvicorn.Config(
        hall,
        http="h11",
        ws="none",
        lifespan="off",
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        timeout_graceful_shutdown=5,
    )
    server = uvicorn.Server(config)
    listening = threading.Thread(target=hall.listen, args=(listen_at, asyncio.get_running_loop()), daemon=True)
    listening.start()
    following = asyncio.create_task(hall.follow())
    leaving = asyncio.create_task(_lead_on(server, hall, ready))
    try:
        await server.serve(sockets=[listener])
    finally:
        following.cancel()
        leaving.cancel()
        hall.close()
        listening.join(timeout=5)


async def _lead_on(server: uvicorn.Server, hall: Hall, ready: Callable[[], None]) -> None:
    """Say when it is there; and once it is to stop, let the pages that are open follow at another process."""
    while not server.started:
        await asyncio.sleep(0.01)
    ready()
    while not server.should_exit:
        await asyncio.sleep(0.1)
    hall.leave()


def _stop(server: uvicorn.Server) -> None:
    server.should_exit = True


async def _watch(server: uvicorn.Server, serving: TableServer, ready: Callable[[], None]) -> None:
    """Say when it is there; end the pages that are open with the server, and the server with whoever started it."""
    parent = os.getppid()
    while not server.started:
        await asyncio.sleep(0.01)
    ready()
    version = serving.invitations.version
    while not server.should_exit:
        await asyncio.sleep(LOOKS)
        if os.getppid() != parent:
            server.should_exit = True
        if serving.invitations.version != version:
            # somebody ended a seat elsewhere: whoever sits there hears nothing more
            version = serving.invitations.version
            serving.turns.look()
    serving.turns.end()
