"""A question on the terminal that is answered with yes or no."""

import os
import select
import signal
import sys


def confirmed(question: str) -> bool:
    """Whether the answer is yes; an empty one is no.

    Raises KeyboardInterrupt for Ctrl-C, EOFError where nothing more is typed.
    """
    while True:
        sys.stderr.write(f"{question} [y/N]: ")
        sys.stderr.flush()
        answer = _line().strip().casefold()
        if answer in ("y", "yes"):
            return True
        if answer in ("", "n", "no"):
            return False


def _line() -> str:
    """A line as typed. A Ctrl-C that comes before the reading has begun is not lost.

    Reading blocks, whether or not a signal came just before it. What is waited for instead is either a line or the
    byte that the interpreter writes at a signal, so that there is no moment in between.
    """
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    before = signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    try:
        select.select([sys.stdin, woken], [], [])
        line = sys.stdin.readline()
    finally:
        signal.set_wakeup_fd(before)
        os.close(woken)
        os.close(wakes)
    if not line:
        raise EOFError
    return line
