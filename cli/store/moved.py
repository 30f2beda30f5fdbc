"""What became of a campaign file while it was open: renamed, moved, replaced, deleted or overwritten; and its rescue.

The file that was opened is known by its inode, whatever its path leads to now. That nothing else was written into it is
known by the last turn that was answered, which has to be stored there.
"""

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

import msgspec

from cli.store import layout
from cli.store.connection import connect, uri_of
from cli.store.failures import DEFECTS, SQLITE_FAILS, Unopenable, primary_code
from cli.store.opening import OpenFile
from cli.store.stored_log import StoredLog
from domain.log.port import DamagedLog, NotSaved
from domain.naming import numbered
from domain.turn import Turn, packed

#: A turn that was answered, and the stream that holds it.
Answered = tuple[str, Turn]


class Lost(NotSaved):
    """The file is gone, or is another one now, and takes nothing any more; what was rescued of it is named."""


def is_at_its_path(file: OpenFile) -> bool:
    """Whether the path still leads to the file that was opened."""
    try:
        status = file.path.stat()
    except OSError:
        return False
    return (status.st_dev, status.st_ino) == file.descriptor.inode


def where_it_is(file: OpenFile, log: StoredLog) -> Path | None:
    """The path of a file that is no longer at its own; None: in another folder, with all its turns.

    It was renamed in its folder, or is at its path again, replaced by a file that holds the same. One that is nowhere
    any more is copied to a new name. Raises Lost.
    """
    with suppress(OSError), os.scandir(file.path.parent) as beside:
        for each in beside:
            if each.inode() == file.descriptor.inode[1] and not each.is_symlink():
                return Path(each.path)
    if os.fstat(file.descriptor.fd).st_nlink:
        return None
    if _is_held_at_its_path(log):
        return file.path
    raise _lost(file.path, _rescue_whole(file.path, log))


def _is_held_at_its_path(log: StoredLog) -> bool:
    """Whether the file at the path now is this campaign, with its branches and the last turn of this one."""
    try:
        with log.on(log.branch) as other:
            if other.campaign_id != log.campaign_id or other.branches() != log.branches():
                return False
            last = log.last()
            return other.link(last) == log.link(last)
    except (DamagedLog, Unopenable, OSError):
        return False


def must_hold_what_was_answered(file: OpenFile, campaign_id: str, answered: Sequence[Answered]) -> None:
    """Raise Lost if something else was written into the file: what was answered last is no longer stored.

    All that was answered is written beside it then.
    """
    try:
        # SQLite keeps pages as long as a counter in the file stays the same, which another file may have as well
        file.connection.execute("PRAGMA shrink_memory")
        if _holds(file.connection, campaign_id, answered):
            return
        with closing(connect(uri_of(file.path))) as connection:  # one failed read looks like damage
            if _holds(connection, campaign_id, answered):
                return
    except SQLITE_FAILS as error:
        if primary_code(error) not in DEFECTS:
            return
    if answered:
        raise _lost(file.path, _rescue_turns(file.path, answered))
    raise Lost(f"{file.path.name} was overwritten while it was open; nothing more is saved.")


def _holds(connection: sqlite3.Connection, campaign_id: str, answered: Sequence[Answered]) -> bool:
    """Whether the file holds what was answered last, or this campaign; True where it cannot be read now."""
    try:
        # on a page that no turn changes; of a file that was emptied in the middle of a commit those are gone
        connection.execute(layout.CURRENT_BRANCH).fetchone()
        if not answered:
            return bool(connection.execute(layout.WHOSE_TURNS).fetchone()[0] == campaign_id)
        stream, turn = answered[-1]
        row = connection.execute(layout.STORED_UNDER_THE_ID, (turn.id, stream)).fetchone()
        return bool(row == (packed(turn),))
    except SQLITE_FAILS as error:
        return primary_code(error) not in DEFECTS


def _lost(path: Path, rescued: Path | None) -> Lost:
    where = f"What it held is in {rescued.name} now" if rescued else "What it held could not be written beside it"
    return Lost(f"{path.name} was deleted or overwritten while it was open. {where}; nothing more is saved.")


def _rescue_whole(path: Path, log: StoredLog) -> Path | None:
    """A copy of a file that has no name any more, beside where it was; None if there is no room for one."""
    try:
        rescued = _free_name(path, ".campaign")
        log.backup(rescued)
    except (Unopenable, DamagedLog, NotSaved, sqlite3.Error, OSError):
        return None
    return rescued


def _rescue_turns(path: Path, answered: Sequence[Answered]) -> Path | None:
    """The turns that were answered as lines of an export; all that is left of a file that was overwritten."""
    try:
        rescued = _free_name(path, ".ndjson")
        with open(os.open(rescued, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:  # noqa: PTH123
            file.writelines(msgspec.json.encode(turn) + b"\n" for _, turn in answered)
            os.fsync(file.fileno())
    except OSError:
        return None
    return rescued


def _free_name(path: Path, suffix: str) -> Path:
    """A name beside the file that nothing has, for what is rescued of it."""
    names = numbered(f"{path.stem}-rescued")
    return next(free for name in names if not os.path.lexists(free := path.with_name(f"{name}{suffix}")))
