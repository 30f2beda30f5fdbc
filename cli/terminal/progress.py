"""How far something has come that takes long, on a terminal: one line of stderr, gone when it is done."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: So many are told of at once: telling of each would take longer than doing it.
STEP = 250


@contextmanager
def progress(total: int, what: str) -> Iterator[Callable[[int], None] | None]:
    """What is to be told how many more are done, out of `total`; None where nobody looks."""
    if not sys.stderr.isatty() or total < STEP:
        yield None
        return
    done = 0

    def more(count: int) -> None:
        nonlocal done
        done += count
        if done % STEP == 0:
            sys.stderr.write(f"\r{done:,} of {total:,} {what}")
            sys.stderr.flush()

    try:
        yield more
    finally:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
