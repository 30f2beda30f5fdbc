"""What saves time, on disk: snapshots, and the evidence of trials; a disposable SQLite file of each for each campaign.

They are in the user's cache folder. Nothing depends on them: errors of reading and writing are ignored. They are
written without syncs, so their content is not trusted: each snapshot has a hash over itself, the shapes of its record
types and the stored bytes of its turn, each piece of evidence over its key and itself. If a hash does not match, the
whole file is deleted.
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


EVIDENCE = "CREATE TABLE IF NOT EXISTS evidence (id INTEGER PRIMARY KEY, key BLOB UNIQUE, value BLOB, hash BLOB)"
#: The newest evidence that is kept; each turn that is played under an open trial makes a piece of its own worthless.
MOST = 500


def cache_of(campaign_id: str, kind: str) -> Path:
    """The file of one kind, `snapshots` or `evidence`, of a campaign."""
    safe = "".join(sign if sign.isalnum() else "-" for sign in campaign_id)
    return cache_folder() / f"{safe}.{kind}"


class _CacheFile:
    """A file that saves time, at its path."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def discard(self) -> None:
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

    def _write(self, *changes: tuple[str, tuple[object, ...]]) -> None:
        """Execute statements with their values in one transaction; nothing is kept if the file is busy or cannot be."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with closing(self._connection()) as connection, connection:
                for statement, values in changes:
                    connection.execute(statement, values)
            self._path.chmod(0o600)
        except sqlite3.OperationalError:
            return
        except sqlite3.DatabaseError:
            self.discard()
        except OSError:
            return


class SnapshotFile(_CacheFile):
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
        super().__init__(path)
        self._link_of, self._bytes_of, self._shapes = link_of, bytes_of, shapes

    def read_on(self, link_of: Callable[[int], bytes], bytes_of: Callable[[int], bytes]) -> "SnapshotFile":
        """This file, read for another branch of the campaign."""
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
        row = (snapshot.turn, snapshot.link, snapshot.version, snapshot.state, self._hash(snapshot))
        self._write(
            *((statement, ()) for statement in TABLES),
            ("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?)", row),
            (THIN_OUT, (snapshot.turn - DENSE, SPARSE)),
        )

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


class EvidenceFile(_CacheFile):
    """The kept evidence of one campaign, of all its branches: a key tells the history that it is about."""

    def __init__(self, campaign_id: str) -> None:
        super().__init__(cache_of(campaign_id, "evidence"))

    def find(self, key: bytes) -> bytes | None:
        """The value that was kept under this key; None if there is none."""
        if not self._path.is_file():
            return None
        try:
            with closing(self._connection()) as connection:
                row = connection.execute("SELECT value, hash FROM evidence WHERE key = ?", (key,)).fetchone()
            if row is None or sha256(key + row[0]).digest() == row[1]:
                return row and bytes(row[0])
            self.discard()
        except sqlite3.OperationalError:
            return None
        except (sqlite3.Error, TypeError):
            self.discard()
        return None

    def keep(self, key: bytes, value: bytes) -> None:
        self._write(
            (EVIDENCE, ()),
            (
                "INSERT OR REPLACE INTO evidence (key, value, hash) VALUES (?, ?, ?)",
                (key, value, sha256(key + value).digest()),
            ),
            ("DELETE FROM evidence WHERE id <= (SELECT max(id) FROM evidence) - ?", (MOST,)),
        )
