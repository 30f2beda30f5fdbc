"""Snapshots on disk: a disposable SQLite file for each campaign in the user's cache folder.

Nothing depends on it: errors of reading and writing are ignored. It is written without syncs, so its content is not
trusted: each snapshot has a hash over itself, the shapes of its record types and the stored bytes of its turn. If a
hash does not match, the whole file is deleted.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path

from cli.store.folders import cache_folder
from domain.log.port import DENSE, SPARSE, DamagedLog, Snapshot

TABLES = (
    "CREATE TABLE IF NOT EXISTS snapshots"
    " (turn INTEGER, link BLOB PRIMARY KEY, version INTEGER, state BLOB, hash BLOB)",
    "CREATE INDEX IF NOT EXISTS by_turn ON snapshots (turn)",
)
NEWEST_FIRST = "SELECT turn, link FROM snapshots WHERE turn <= ? ORDER BY turn DESC"
BY_LINK = "SELECT version, state, hash FROM snapshots WHERE link = ?"
THIN_OUT = "DELETE FROM snapshots WHERE turn < ?1 AND turn NOT IN (SELECT max(turn) FROM snapshots GROUP BY turn / ?2)"


def snapshots_of(campaign_id: str) -> Path:
    safe = "".join(sign if sign.isalnum() else "-" for sign in campaign_id)
    return cache_folder() / f"{safe}.snapshots"


class SnapshotFile:
    """The snapshots of one campaign; those of its branches are told apart by their links.

    `link_of` and `bytes_of` return the link and the stored bytes of a turn of the open branch; `shapes` returns the
    hash of the record types that a state is packed from.
    """

    def __init__(
        self,
        path: Path,
        link_of: Callable[[int], bytes],
        bytes_of: Callable[[int], bytes],
        shapes: Callable[[], bytes],
    ) -> None:
        self._path = path
        self._link_of, self._bytes_of, self._shapes = link_of, bytes_of, shapes

    def read_on(self, link_of: Callable[[int], bytes], bytes_of: Callable[[int], bytes]) -> "SnapshotFile":
        """The same file for another branch of the campaign."""
        return SnapshotFile(self._path, link_of, bytes_of, self._shapes)

    def upto(self, turn: int) -> Iterator[Snapshot]:
        if not os.access(self._path, os.R_OK):
            return
        try:
            with closing(self._connection()) as connection:
                for number, link in connection.execute(NEWEST_FIRST, (turn,)).fetchall():
                    if not 0 < number <= turn or self._link_of(number) != link:
                        continue  # of another branch, or of an earlier log
                    version, state, digest = connection.execute(BY_LINK, (link,)).fetchone()
                    snapshot = Snapshot(number, link, version, state)
                    if self._hash(snapshot) != digest:
                        self.discard()
                        return
                    yield snapshot
        except DamagedLog:  # reading the log reports it
            return
        except (sqlite3.Error, TypeError, ValueError, OverflowError):
            self.discard()

    def store(self, snapshot: Snapshot) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with closing(self._connection()) as connection, connection:
                for statement in TABLES:
                    connection.execute(statement)
                connection.execute(
                    "INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?)",
                    (snapshot.turn, snapshot.link, snapshot.version, snapshot.state, self._hash(snapshot)),
                )
                connection.execute(THIN_OUT, (snapshot.turn - DENSE, SPARSE))
            self._path.chmod(0o600)
        except sqlite3.OperationalError:
            return  # busy or full: this snapshot is not kept
        except sqlite3.DatabaseError:
            self.discard()
        except OSError:
            return

    def discard(self) -> None:
        """Delete the file with all snapshots."""
        with suppress(OSError):
            self._path.unlink()

    def _connection(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=0.5)
        try:
            connection.execute("PRAGMA synchronous=OFF")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _hash(self, snapshot: Snapshot) -> bytes:
        parts = (
            self._shapes(),
            self._bytes_of(snapshot.turn),
            snapshot.link,
            f"{snapshot.turn} {snapshot.version}".encode(),
            snapshot.state,
        )
        digest = sha256()
        for part in parts:
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
        return digest.digest()
