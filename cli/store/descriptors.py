"""The descriptors of campaign files that this process keeps open, because closing one gives up locks on its file.

Closing any descriptor of a file drops all POSIX locks that the process has on it, SQLite's too, and another process
that closes the file would delete its `-wal`. So they stay open until the last user of the file in this process is done.
"""

import os
from pathlib import Path

import msgspec


class OpenDescriptor(msgspec.Struct, frozen=True):
    """An open descriptor of a file, and the device and inode of that file."""

    fd: int
    inode: tuple[int, int]


#: Open descriptors by inode: (users, descriptors).
_descriptors: dict[tuple[int, int], tuple[int, list[int]]] = {}


def hold(path: Path) -> OpenDescriptor:
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    status = os.fstat(fd)
    inode = (status.st_dev, status.st_ino)
    users, fds = _descriptors.get(inode, (0, []))
    _descriptors[inode] = (users + 1, [*fds, fd])
    return OpenDescriptor(fd, inode)


def let_go(descriptor: OpenDescriptor) -> None:
    users, fds = _descriptors.pop(descriptor.inode)
    if users > 1:
        _descriptors[descriptor.inode] = (users - 1, fds)
        return
    for fd in fds:
        os.close(fd)
