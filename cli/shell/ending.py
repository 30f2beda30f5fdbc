"""The exit codes, and the two ways in which a command ends early: with one of them, or because nobody agreed."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

DONE, NO, USAGE, REFUSED, CONFLICT, DAMAGED, UNSAVED = 0, 1, 2, 3, 4, 5, 6


class Ended(Exception):
    """The command is done and has printed what there is to print; `code` is its exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Unanswered(Exception):
    """A question was answered with no, or not at all; nothing was done.

    `by`: what came instead of an answer, the end of the input or Ctrl-C; None: the answer was no.
    """

    def __init__(self, by: BaseException | None = None) -> None:
        super().__init__()
        self.was_interrupted = isinstance(by, KeyboardInterrupt)
        self.was_answered = by is None


def _leave(number: int) -> None:
    raise SystemExit(128 + number)


@contextmanager
def left_in_order(leave: Callable[[int], None] = _leave) -> Iterator[None]:
    """Leave the block as by an error, with all that tidies up, when the program is told to end or its terminal closes.

    `leave` is called with the number of the signal. A signal that is ignored, as under `nohup`, stays ignored.
    """
    numbers = [signal.Signals[name] for name in ("SIGTERM", "SIGHUP") if name in signal.Signals.__members__]
    before = {number: signal.getsignal(number) for number in numbers}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, lambda number, _: leave(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
