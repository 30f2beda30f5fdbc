"""The header of a SQLite file: checks that it is a campaign of a known format, before SQLite opens it."""

import os
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from cli.store.descriptors import OpenDescriptor, hold, let_go
from cli.store.failures import MadeByNewer, Unopenable
from cli.store.layout import APPLICATION_ID, FORMAT, WITH_PAGES

#: The first bytes of every SQLite file.
MAGIC = b"SQLite format 3\0"


def is_campaign(name: str) -> bool:
    """Whether the file of this name has the header of a campaign, damaged or not behind it."""
    try:
        descriptor = hold(Path(name))
    except (OSError, ValueError):
        return False
    try:
        header = header_of(descriptor)
    except OSError:
        return False
    finally:
        let_go(descriptor)
    return header.startswith(MAGIC) and _whole_number(header, 68) == APPLICATION_ID


def check_header(path: Path, descriptor: OpenDescriptor) -> bool:
    """Whether the file was last written with a write-ahead log, as by campaign 0.1.

    Raises Unopenable unless the header is a campaign's, of a known format, and no page is missing; OSError.
    """
    name = path.name
    status = os.fstat(descriptor.fd)
    if S_ISDIR(status.st_mode):
        raise Unopenable(f"{name} is a folder, not a campaign.", 2)
    if not S_ISREG(status.st_mode):
        raise Unopenable(f"{name} is not a file, so it is not a campaign.", 2)
    header = header_of(descriptor)
    if not header:
        raise Unopenable(f"{name} is empty, so it is not a campaign.", 2)
    if not header.startswith(MAGIC):
        raise Unopenable(f"{name} is not a campaign.", 2)
    if len(header) < 100:
        raise Unopenable(f"{name} is cut short; restore it from a backup.", 5)
    if _whole_number(header, 68) != APPLICATION_ID:
        raise Unopenable(f"{name} is a database, but not a campaign.", 2)
    check_format(name, _whole_number(header, 60))
    # a commit in progress looks the same for a moment, but has a journal beside it and does not last
    if all(_is_cut_short(path, descriptor) for _ in range(3)):
        raise Unopenable(f"{name} is cut short; restore it from a backup.", 5)
    return header[18:20] == b"\2\2"


def check_format(name: str, version: int) -> None:
    if version > FORMAT:
        raise MadeByNewer(f"{name} was written by a newer version of campaign; update yours to open it.")
    if version < 1:
        raise Unopenable(f"{name} is damaged: it does not say which format it has.", 5)


def _is_cut_short(path: Path, descriptor: OpenDescriptor) -> bool:
    """Whether the file is shorter than its header says. SQLite itself overlooks the loss of part of a page."""
    header = header_of(descriptor)
    size = os.fstat(descriptor.fd).st_size
    pages = _whole_number(header, 28)
    # otherwise a very old SQLite wrote it, whose page count is not valid
    has_page_count = header[24:28] == header[92:96]
    is_short = has_page_count and size < pages * int.from_bytes(header[16:18], "big")
    return is_short and not any(Path(f"{path}{side}").exists() for side in WITH_PAGES)


def header_of(descriptor: OpenDescriptor) -> bytes:
    os.lseek(descriptor.fd, 0, os.SEEK_SET)
    return os.read(descriptor.fd, 100)


def _whole_number(header: bytes, at: int) -> int:
    return int.from_bytes(header[at : at + 4], "big", signed=True)
