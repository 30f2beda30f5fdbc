"""The progress line of long commands on stderr, removed when they are done."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Steps between two updates of the line, as writing it for each would take longer than the work.
STEP = 250


@contextmanager
def progress(total: int, what: str) -> Iterator[Callable[[], None] | None]:
    """Yield a function to call after each of `total` steps; None if stderr is no terminal."""
    if not sys.stderr.isatty() or total < STEP:
        yield None
        return
    count_so_far = 0

    def more() -> None:
        nonlocal count_so_far
        count_so_far += 1
        if count_so_far % STEP == 0:
            sys.stderr.write(f"\r{count_so_far:,} of {total:,} {what}")
            sys.stderr.flush()

    try:
        yield more
    finally:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
