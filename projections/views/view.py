"""A view: a projection of the log into tables for queries, in one disposable SQLite file.

Everything in it can be made again from the log, so a file with a defect that SQLite finds is deleted. `verify` makes it
anew beside the one that is kept, and deletes the latter if their rows differ.
"""

import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from domain.log.port import AsOf, Log
from domain.naming import folded
from domain.system.rulesystem import RuleSystem
from projections.views import tables
from projections.views.catching_up import FEW_OF_MANY, catch_up, error_code

#: How long to wait for another process that is catching up the same view, in seconds.
LONGEST_WAIT = 30.0

#: SQLite's error codes for a file that cannot be written.
UNWRITABLE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_FULL,
              sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY}  # fmt: skip


class Segment(msgspec.Struct, frozen=True):
    """Turns whose rows are in one of the databases of a view (those of `tables.TABLES`)."""

    database: str
    first: int
    last: int


class View(AbstractContextManager["View"]):
    """An open view; to be closed, or used in a `with`."""

    def __init__(self, connection: sqlite3.Connection, path: Path | None, passing: Path | None = None) -> None:
        self.connection = connection
        #: Its file; None if it is in memory.
        self.path = path
        self._passing = passing
        #: The segments of a view of an earlier point, by turn; empty for any other.
        self.earlier: Sequence[Segment] = ()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self.connection.close()
        if self._passing is not None:
            remove_view(self._passing)
            with suppress(OSError):
                self._passing.parent.rmdir()

    def ask(self, select: str, *parameters: Any) -> list[Any]:
        """All rows of a trusted select."""
        return self.connection.execute(select, parameters).fetchall()

    def last(self) -> int:
        """The number of its last turn; 0 if there is none."""
        if self.earlier:
            return self.earlier[-1].last
        ((number,),) = self.ask("SELECT max(turn) FROM turns")
        return number or 0

    def segments(self) -> Sequence[Segment]:
        """The segments of its rows, by turn."""
        return self.earlier or (Segment("main", 1, self.last()),)

    def table(self, select: str) -> tuple[tuple[str, ...], list[Any]]:
        """The column names and all rows of a trusted select."""
        cursor = self.connection.execute(select)
        return tuple(column[0] for column in cursor.description), cursor.fetchall()


def passing_view(
    log: Log, system: RuleSystem, upto: int | None = None, viewer: str | None = None, *, kept: View | None = None
) -> View:
    """A view of the log at turn `upto` for `viewer`, in a temporary file, which is deleted when it is closed.

    With a `kept` view of the whole log it is a copy, out of which the turns are taken that came later.
    """
    from tempfile import mkdtemp

    path = Path(mkdtemp(prefix="campaign-view-")) / "view.sqlite"
    try:
        connection = _open(path)
        if kept is not None and upto is not None and upto >= kept.last() // FEW_OF_MANY:
            kept.connection.backup(connection)
            catch_up(connection, AsOf(log, upto), system, viewer=viewer, whole=log)
        else:
            catch_up(connection, log, system, upto=upto, viewer=viewer)
    except BaseException:
        remove_view(path)
        path.parent.rmdir()
        raise
    return View(connection, path, passing=path)


def kept_view(
    path: Path,
    log: Log,
    system: RuleSystem,
    viewer: str | None = None,
    *,
    slow: Callable[[int], None] | None = None,
) -> View:
    """The view in this file, caught up. A defective one is made again; if none can be written, a temporary one.

    `viewer` is the player whom it is for; None: the keeper, for whom it has everything. `slow` is called with the
    number of turns to read.
    """
    for _ in range(2):
        connection = None
        try:
            connection = _open(path)
            catch_up(connection, log, system, viewer=viewer, slow=slow)
            return View(connection, path)
        except OSError:
            break
        except (sqlite3.Error, msgspec.MsgspecError, UnicodeDecodeError) as error:
            if connection is not None:
                connection.close()
            if error_code(error) in UNWRITABLE:
                break
            remove_view(path)
        except BaseException:
            if connection is not None:
                connection.close()
            raise
    return passing_view(log, system, viewer=viewer)


def has_same_rows(first: View, second: View) -> bool:
    """Whether two views have the same rows, in any order."""
    names = (*tables.TABLES, "sheets", "face_down")
    return all(
        _sum_of_rows(first, select) == _sum_of_rows(second, select)
        for select in (f"SELECT * FROM {tables.quote(name)}" for name in names)
    )


def _sum_of_rows(view: View, select: str) -> int:
    """The hashes of all rows added up: the same for the same rows in any order, however many they are."""
    rows = view.connection.execute(select)
    return sum(int.from_bytes(blake2b(repr(row).encode("utf-8", "replace")).digest()) for row in rows)


def remove_view(path: Path) -> None:
    """Delete a view; nothing is lost by it."""
    for side in ("", "-journal", "-wal", "-shm"):
        with suppress(OSError):
            Path(f"{path}{side}").unlink()


def _open(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # readable by the user only, whatever the umask
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    return _connect(str(path))


def _connect(name: str) -> sqlite3.Connection:
    connection = sqlite3.connect(name, isolation_level=None, timeout=LONGEST_WAIT)
    try:
        # a rollback journal, because readers must not need to write files
        for pragma in ("trusted_schema=OFF", "synchronous=NORMAL", "temp_store=MEMORY", "cell_size_check=ON"):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        # SQLite folds the case of ASCII letters only
        connection.create_function("casefold", 1, str.casefold, deterministic=True)
        connection.create_function("folded", 1, folded, deterministic=True)
    except sqlite3.Error:
        connection.close()
        raise
    return connection
