"""A longer run that is told to end cleans up first: whatever it has started ends with it."""

import signal
from types import FrameType

#: What tells to end; Windows has but the first.
TOLD = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


def clean_up_when_told_to_end() -> None:
    """SIGTERM and SIGHUP leave every block from now on, as Ctrl-C does. Called where a run begins as a command."""
    for number in TOLD:
        signal.signal(number, _leave)


def _leave(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)
