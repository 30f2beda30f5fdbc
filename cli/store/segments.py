"""Which streams a branch is made of: that of main up to a turn, those of the branches between, and its own at the end.

A stream holds the turns of one branch alone; what it shares with its base is read there.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from cli.store.layout import WITHOUT_END
from domain.log.port import DamagedLog

#: The streams of a branch, each up to a turn; its own is the last, without an end.
Segments = Sequence[tuple[str, int]]


class Branch(msgspec.Struct, frozen=True):
    """A stream that begins after turn `fork` of the stream `base`."""

    name: str
    stream: str
    base: str
    fork: int


def by_stream(branches: Iterable[Branch]) -> dict[str, Branch]:
    return {branch.stream: branch for branch in branches}


def segments_of(stream: str, main: str, branches: Mapping[str, Branch], name: str) -> list[tuple[str, int]]:
    """The segments of the branch that ends with this stream; `main` is main's, `name` that of the log.

    Raises DamagedLog if a base is missing.
    """
    segments, upto = [(stream, WITHOUT_END)], WITHOUT_END
    while stream != main:
        branch = branches.get(stream)
        if branch is None or len(segments) > len(branches):
            raise DamagedLog(f"A branch of {name} begins at {stream!r}, which does not lead back to main.")
        upto, stream = min(upto, branch.fork), branch.base
        segments.append((stream, upto))
    return segments[::-1]


def stream_at(segments: Segments, number: int) -> str:
    """The stream that holds a turn."""
    return next((stream for stream, upto in segments if number <= upto), segments[-1][0])


def fork_of(segments: Segments) -> int:
    """The last turn that a branch shares with its base; 0 on main."""
    return segments[-2][1] if len(segments) > 1 else 0
