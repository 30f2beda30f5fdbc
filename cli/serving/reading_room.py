"""Readings beside the writer thread: each on a log of its own, bounded in time, given up when nobody waits for it.

The writer is the one thread that decides and records. What reads much of the log never runs there: it runs in one of a
few threads, at most one at a time for each seat, so that one seat's pages keep nobody else waiting.
"""

import asyncio
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from typing import TypeVar

from starlette.requests import Request

from cli.store.stored_log import StoredLog

T = TypeVar("T")

#: Readings that run at once; and that one seat, and all of them, may have asked for.
THREADS, MOST_OF_A_SEAT, MOST = 2, 64, 256
#: Seconds that one reading may take.
LONGEST = 30.0


class Crowded(Exception):
    """Too many readings are waiting."""


class TookTooLong(Exception):
    """A reading was given up because it took too long."""


class ReaderLeft(Exception):
    """A reading was given up because its client is gone."""


class ReadingRoom:
    """The threads that read, for one event loop."""

    def __init__(
        self, opening: Callable[[], AbstractContextManager[StoredLog]], threads: ThreadPoolExecutor | None = None
    ) -> None:
        """`opening` opens the log for one reading; `threads` are those that several tables share."""
        self._opening, self._owns_threads = opening, threads is None
        self._threads = threads or ThreadPoolExecutor(THREADS, thread_name_prefix="reading")
        self._open_readings: Counter[str] = Counter()
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def close(self) -> None:
        """End the threads; what is being read is read to its end."""
        if self._owns_threads:
            self._threads.shutdown()

    async def read(self, request: Request, seat: str, work: Callable[[StoredLog], T]) -> T:
        """What `work` makes of a log of its own. Raises Crowded, TookTooLong, ReaderLeft, and what `work` raises."""
        if self._open_readings[seat] >= MOST_OF_A_SEAT or self._open_readings.total() >= MOST:
            raise Crowded
        self._open_readings[seat] += 1
        departure = asyncio.create_task(_leaves(request))
        reading = asyncio.create_task(self._read(seat, departure, work))
        try:
            await asyncio.wait((reading, departure), return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                return reading.result()
            raise ReaderLeft
        finally:
            departure.cancel()
            if not reading.done():
                # what still waits for its turn never begins; what runs hears of it at its next question to the store
                reading.cancel()
                with suppress(asyncio.CancelledError, ReaderLeft, Exception):
                    await reading
            self._open_readings[seat] -= 1
            if not self._open_readings[seat]:
                del self._open_readings[seat]
                self._turns.pop(seat, None)

    async def _read(self, seat: str, departure: "asyncio.Task[None]", work: Callable[[StoredLog], T]) -> T:
        async with self._turns[seat]:
            if departure.done():
                raise ReaderLeft
            given_up = threading.Event()
            try:
                return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, given_up, work)
            finally:
                given_up.set()

    def _run(self, given_up: threading.Event, work: Callable[[StoredLog], T]) -> T:
        start = time.monotonic()

        def check() -> None:
            if given_up.is_set():
                raise ReaderLeft
            if time.monotonic() - start > LONGEST:
                raise TookTooLong

        check()
        with self._opening() as log:
            log.before_asking = check
            return work(log)


async def _leaves(request: Request) -> None:
    """Return when the client has closed its connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
