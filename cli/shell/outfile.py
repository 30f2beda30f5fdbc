"""Atomic writing of results to a file."""

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from typing import IO, Annotated

import typer

from cli.store.failures import Unopenable
from cli.store.names import owner_of_side_file, resolve
from cli.terminal.screen import Screen, as_text
from domain.refusal import Invalid

OutputFile = Annotated[
    Path | None, typer.Option("--output-file", "-o", metavar="FILE", help="Write to this file instead.")
]


def write_whole(path: Path, parts: Iterable[bytes]) -> bool:
    """Write a file atomically, for its owner alone if it is new; pipes and terminals are written to directly.

    Returns whether it is a file: anything else may be standard output, where a report would mix with what was written.
    Raises Invalid for an impossible name or a file that belongs to a database, OSError for the disk.
    """
    if (stream := _stream_of(path)) is not None:
        with stream:
            stream.writelines(parts)
        return False
    try:
        target = resolve(path)
    except Unopenable:  # a loop of links, for one
        raise Invalid(f"{path} is not the name of a file that can be written.") from None
    if target.is_dir():
        raise Invalid(f"{path} is a folder; name a file in it.")
    if not target.parent.is_dir():
        raise Invalid(f"There is no folder {path.parent} to write {path.name} in.")
    _spare_campaigns(path, target)
    import tempfile

    fd, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
    try:
        with os.fdopen(fd, "wb") as stream:
            stream.writelines(parts)
            stream.flush()
            os.fsync(fd)
        if target.exists():
            with suppress(OSError):  # not every disk knows modes
                Path(name).chmod(target.stat().st_mode & 0o777)
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
    return True


def deliver(screen: Screen, file: Path | None, what: str, *, pager: bool = False) -> None:
    """Print what the screen holds, or write it into a file and say so: `what` begins that sentence.

    Raises as `write_whole` does.
    """
    if file is None:
        screen.flush(pager=pager)
    elif write_whole(file, (f"{text}\n".encode() for text in screen.drain())):
        screen.line(f"{what} in {as_text(file)}.", indent=None)
        screen.flush()


#: Names of what this process has open: the number of a descriptor, or a stream.
OPEN_ALREADY = re.compile(r"/(?:dev/fd|proc/self/fd)/(\d{1,9})|/dev/std(in|out|err)")


def _stream_of(path: Path) -> IO[bytes] | None:
    """What a path leads to, opened, if that is no file to replace but a pipe, a device or open already; else None."""
    if is_open := OPEN_ALREADY.fullmatch(str(path)):
        # not by its name, which would empty a file that standard output is added to
        number = int(is_open[1]) if is_open[1] else ("in", "out", "err").index(is_open[2])
        return os.fdopen(os.dup(number), "wb")
    return None if begins_file(path) else path.open("wb")


def begins_file(path: Path) -> bool:
    """Whether what is written to a path becomes a file of its own: it is no pipe, device or stream open already."""
    if OPEN_ALREADY.fullmatch(str(path)):
        return False
    try:
        return S_ISREG(path.stat().st_mode) or path.is_dir()  # a folder is refused later
    except (OSError, ValueError):
        return True


def _spare_campaigns(path: Path, target: Path) -> None:
    if (owner := owner_of_side_file(target)) is not None:
        raise Invalid(f"{path} is a name that SQLite uses beside {owner}; choose another name.")
    if not target.exists():
        return
    with target.open("rb") as stream:
        if stream.read(16) == b"SQLite format 3\0":
            raise Invalid(f"{path} is a campaign or another database and is left alone; choose another name.")
