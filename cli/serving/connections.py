"""Connections: how many there may be, how long one may say nothing, and that whoever reads too slowly is cut off.

The only file that knows uvicorn's protocol. By itself it waits for ever for the first line of a request.
"""

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

#: Connections in all, from this machine, and from any other address: nobody takes all of them.
MOST, MOST_FROM_HERE, MOST_OF_ONE = 1_000, 800, 64
#: Seconds in which a request has come whole, up to its body; and in which what waits to be read has been.
SLOWEST = 10.0
#: Bytes of the head of a request.
LONGEST_HEAD = 16_384


class Connection(H11Protocol):
    """One connection."""

    open: "ClassVar[Counter[str]]" = Counter()

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._late: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._from = str(self.client[0]) if self.client else ""
        self.open[self._from] += 1
        most = MOST_FROM_HERE if self._from in ("127.0.0.1", "::1", "") else MOST_OF_ONE
        if self.open.total() > MOST or self.open[self._from] > most:
            transport.abort()
            return
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self.open[self._from] -= 1
        if not self.open[self._from]:
            del self.open[self._from]
        self._wait(False)
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        under_way = self.cycle is not None and not self.cycle.response_complete
        self._wait(not under_way)

    def _wait(self, waits: bool = True) -> None:
        """Wait for the rest of a request, or no longer; what comes drop by drop does not prolong it."""
        if waits and self._late is None:
            self._late = self.loop.call_later(SLOWEST, self._cut_off)
        elif not waits and self._late is not None:
            self._late.cancel()
            self._late = None

    def _cut_off(self) -> None:
        self._late = None
        if self.cycle is None or self.cycle.response_complete:
            self.transport.abort()

    def pause_writing(self) -> None:
        """What was sent is not read; if it stays so, it goes with the connection: closing it would wait for that."""
        super().pause_writing()
        self._unread = self._unread or self.loop.call_later(SLOWEST, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def timeout_keep_alive_handler(self) -> None:
        """Nothing more was asked; what has not been read by now of the last answer is not waited for."""
        self.transport.abort()


def configured(app: Any, tls: tuple[Path, Path] | None = None) -> uvicorn.Config:
    """What uvicorn is told; `tls` is a certificate with its key."""
    certificate, key = tls or (None, None)
    return uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        lifespan="off",
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=LONGEST_HEAD,
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )
