"""Turns as they come, to everybody who has a page open: one event each, and what was missed since the last one."""

import asyncio
import threading
from contextlib import suppress

from cli.shell.partial_failure import AFTERWARDS
from cli.store.streams import StoredLog

#: Seconds between two looks, and between two signs of life to a page that hears nothing.
LOOKS, SIGN_OF_LIFE = 0.5, 15.0


class TurnFeed:
    """The number of the last turn, and everybody who waits for the next one. For one event loop."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.over = False
        self._next = asyncio.Event()

    def came(self, last: int) -> None:
        """The log goes up to this turn now."""
        if last != self.last:
            self.last = last
            self.look()

    def look(self) -> None:
        """Whoever waits looks again: whether there is a turn, whether the seat is still theirs."""
        self._next.set()
        self._next = asyncio.Event()

    def end(self) -> None:
        """Nothing comes any more."""
        self.over = True
        self.look()

    async def wait(self, after: int) -> bool:
        """Wait for a turn after this one; whether there is something to look at before a sign of life is due."""
        if self.last != after or self.over:
            return True
        try:
            await asyncio.wait_for(self._next.wait(), SIGN_OF_LIFE)
        except TimeoutError:
            return False
        return True


class Follower:
    """A thread that looks for turns which somebody else tells: the shell, `play`, another machine."""

    def __init__(self, log: StoredLog, turns: TurnFeed, loop: asyncio.AbstractEventLoop) -> None:
        self._log, self._turns, self._loop = log, turns, loop
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="turns", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Return when the thread is gone and the log is closed."""
        self._ends.set()
        self._thread.join()

    def _follow(self) -> None:
        with self._log as log:
            while not self._ends.is_set():
                with suppress(*AFTERWARDS):
                    log.wait(LOOKS)
                    last = log.last()
                    with suppress(RuntimeError):  # the loop is closed already
                        self._loop.call_soon_threadsafe(self._turns.came, last)
                    continue
                self._ends.wait(LOOKS)  # what cannot be read now may be read again soon
