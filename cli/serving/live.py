"""The feed of new turns, the event streams of open pages, and the thread that looks for turns of other programs."""

import asyncio
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from cli.serving.invitations import Seat
from cli.shell.partial_failure import AFTERWARDS
from cli.store.stored_log import StoredLog

#: Seconds between two looks at the log, and between two signs of life to a page.
LOOKS, SIGN_OF_LIFE = 0.5, 15.0


class TurnFeed:
    """The number of the last turn, for every stream that waits for the next one. For one event loop."""

    def __init__(self, last: int) -> None:
        self.last = last
        self.over = False
        #: whether pages follow again by themselves, at another process
        self.moves = False
        #: how often there was something to look at, and how often somebody was asked something
        self.changes = self.questions = 0
        self._next = asyncio.Event()

    def came(self, last: int) -> None:
        """Tell the streams that the log goes up to this turn."""
        if last != self.last:
            self.last = last
            self.look()

    def asks(self) -> None:
        """Tell the streams that a question stands on the table."""
        self.questions += 1
        self.look()

    def look(self) -> None:
        """Wake every stream: there may be a turn, or a seat may have ended."""
        self.changes += 1
        self._next.set()
        self._next = asyncio.Event()

    def end(self, *, moves: bool = False) -> None:
        """Tell the streams that the server stops; where it `moves`, their pages follow at another process."""
        self.over, self.moves = True, moves
        self.look()

    async def wait(self, changes: int) -> bool:
        """Wait until there is more to look at than after so many changes; False if a sign of life is due first."""
        if self.changes != changes:
            return True
        try:
            # not by `wait_for`, which before Python 3.12 makes a task for each page and turn
            async with asyncio.timeout(SIGN_OF_LIFE):
                await self._next.wait()
        except TimeoutError:
            return False
        return True


class Stream:
    """One page's event stream."""

    def __init__(self) -> None:
        #: whether its seat has opened too many since
        self.is_displaced = False


class Streams:
    """The open event streams of every seat. For one event loop."""

    def __init__(self, turns: TurnFeed) -> None:
        self._turns = turns
        self._open: defaultdict[str, list[Stream]] = defaultdict(list)

    def __len__(self) -> int:
        return sum(map(len, self._open.values()))

    @contextmanager
    def one_of(self, seat: Seat) -> Iterator[Stream]:
        """A stream of a seat for as long as this lasts; the seat's oldest ends if there are too many."""
        stream, streams = Stream(), self._open[seat.name]
        streams.append(stream)
        if len(streams) > seat.most:
            streams.pop(0).is_displaced = True
            self._turns.look()
        try:
            yield stream
        finally:
            if stream in streams:
                streams.remove(stream)


class Follower:
    """A thread that looks for turns that another program recorded: the shell, `play`, another machine."""

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
                    # as it was before the look: a tap may tell of its own turn meanwhile, and that is not taken back
                    before, last = self._turns.last, log.last()
                    if last != before:
                        with suppress(RuntimeError):  # the loop is closed already
                            self._loop.call_soon_threadsafe(self._turns.came, last)
                    continue
                self._ends.wait(LOOKS)  # what cannot be read now may be read again soon
