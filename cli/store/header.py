"""The first bytes of a file: whether it is a campaign at all, and of which format, before SQLite touches it."""

import os
from pathlib import Path
from stat import S_ISDIR, S_ISREG

import msgspec

from cli.store.failures import Unopenable
from cli.store.layout import APPLICATION_ID, FORMAT

#: How every SQLite file begins.
MAGIC = b"SQLite format 3\0"


class Held(msgspec.Struct, frozen=True):
    """A file kept open, and which one it is."""

    fd: int
    inode: tuple[int, int]


#: Closing any descriptor of a file drops all locks that the process has on it, SQLite's too: then somebody
#: else's close would delete the `-wal` under our hands. So the descriptors that the header was read from
#: stay open until the process has nothing left open of that file.
_held: dict[tuple[int, int], tuple[int, list[int]]] = {}


def hold(path: Path) -> Held:
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    found = os.fstat(fd)
    inode = (found.st_dev, found.st_ino)
    users, fds = _held.get(inode, (0, []))
    _held[inode] = (users + 1, [*fds, fd])
    return Held(fd, inode)


def let_go(held: Held) -> None:
    users, fds = _held.pop(held.inode)
    if users > 1:
        _held[held.inode] = (users - 1, fds)
        return
    for fd in fds:
        os.close(fd)


def _header(held: Held) -> bytes:
    os.lseek(held.fd, 0, os.SEEK_SET)
    return os.read(held.fd, 100)


def is_campaign(name: str) -> bool:
    """Whether a file of this name begins as a campaign does; also one that is damaged behind that."""
    try:
        with Path(name).open("rb") as file:
            header = file.read(100)
    except (OSError, ValueError):
        return False
    return header.startswith(MAGIC) and _whole_number(header, 68) == APPLICATION_ID


def _whole_number(header: bytes, at: int) -> int:
    return int.from_bytes(header[at : at + 4], "big", signed=True)


def check_header(path: Path, held: Held) -> None:
    """Raise Unopenable unless the first bytes are a campaign's, of a format known here."""
    name = path.name
    found = os.fstat(held.fd)
    if S_ISDIR(found.st_mode):
        raise Unopenable(f"{name} is a folder, not a campaign.", 2)
    if not S_ISREG(found.st_mode):
        raise Unopenable(f"{name} is not a file, so it is not a campaign.", 2)
    header = _header(held)
    if not header:
        raise Unopenable(f"{name} is empty, so it is not a campaign.", 2)
    if not header.startswith(MAGIC):
        raise Unopenable(f"{name} is not a campaign.", 2)
    if len(header) < 100:
        raise Unopenable(f"{name} is cut short; restore it from a backup.", 5)
    if _whole_number(header, 68) != APPLICATION_ID:
        raise Unopenable(f"{name} is a database, but not a campaign.", 2)
    check_format(name, _whole_number(header, 60))
    # a checkpoint under way also looks like this, but not without a -wal and not again and again
    if all(_is_cut_short(path, held) for _ in range(3)):
        raise Unopenable(f"{name} is cut short; restore it from a backup.", 5)


def check_format(name: str, version: int) -> None:
    if version > FORMAT:
        raise Unopenable(f"{name} was written by a newer version of campaign; update yours to open it.", 2)
    if version < 1:
        raise Unopenable(f"{name} is damaged: it does not say which format it has.", 5)


def _is_cut_short(path: Path, held: Held) -> bool:
    """Whether pages that the header counts are not there. SQLite itself overlooks the loss of part of a page."""
    header = _header(held)
    size = os.fstat(held.fd).st_size
    pages = _whole_number(header, 28)
    counted = header[24:28] == header[92:96]  # otherwise a very old SQLite wrote it, and did not count
    return counted and size < pages * int.from_bytes(header[16:18], "big") and not Path(f"{path}-wal").exists()
