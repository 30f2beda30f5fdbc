"""Atomic writing of results to a file."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from typing import Annotated

from cli.shell.declaration import OptionSpec
from cli.store.failures import Unopenable
from cli.store.lock import resolve
from domain.refusal import Invalid

OutputFile = Annotated[
    Path | None, OptionSpec("--output-file", "-o", metavar="FILE", help="Write to this file instead.")
]


def write_whole(path: Path, parts: Iterable[bytes]) -> None:
    """Write a file atomically; pipes and terminals are written to directly.

    Raises Invalid for an impossible name or a file that is a database, OSError for the disk.
    """
    try:
        target = resolve(path)
    except Unopenable:  # a loop of links, for one
        raise Invalid(f"{path} is not the name of a file that can be written.") from None
    if target.is_dir():
        raise Invalid(f"{path} is a folder; name a file in it.")
    if not target.parent.is_dir():
        raise Invalid(f"There is no folder {path.parent} to write {path.name} in.")
    if target.exists() and not S_ISREG(target.stat().st_mode):
        # a pipe or a terminal
        with target.open("wb") as stream:
            stream.writelines(parts)
        return
    _spare_campaigns(path, target)
    import tempfile

    fd, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
    try:
        with os.fdopen(fd, "wb") as stream:
            stream.writelines(parts)
            stream.flush()
            os.fsync(fd)
        Path(name).chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~umask())
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _spare_campaigns(path: Path, target: Path) -> None:
    if not target.exists():
        return
    with target.open("rb") as stream:
        if stream.read(16) == b"SQLite format 3\0":
            raise Invalid(f"{path} is a campaign or another database and is left alone; choose another name.")


def umask() -> int:
    """The file mode creation mask of this process."""
    # it can only be read by setting it
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
