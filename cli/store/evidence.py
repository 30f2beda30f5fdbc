"""What was worked out about trials, on disk: a disposable SQLite file for each campaign in the user's cache folder.

Nothing depends on it: errors of reading and writing are ignored. It is written without syncs, so each value has a hash
over its key and itself; if that does not match, the whole file is deleted.
"""

import sqlite3
from contextlib import closing, suppress
from hashlib import sha256

from cli.store.folders import cache_folder

TABLE = "CREATE TABLE IF NOT EXISTS evidence (id INTEGER PRIMARY KEY, key BLOB UNIQUE, value BLOB, hash BLOB)"
#: The newest values that are kept; each turn that is played under an open trial makes one of its own worthless.
MOST = 500


class EvidenceFile:
    """The kept evidence of one campaign, of all its branches: a key tells the history that it is about."""

    def __init__(self, campaign_id: str) -> None:
        safe = "".join(sign if sign.isalnum() else "-" for sign in campaign_id)
        self._path = cache_folder() / f"{safe}.evidence"

    def find(self, key: bytes) -> bytes | None:
        """The value that was kept under this key; None if there is none."""
        if not self._path.is_file():
            return None
        try:
            with closing(self._connection()) as connection:
                row = connection.execute("SELECT value, hash FROM evidence WHERE key = ?", (key,)).fetchone()
            if row is None or sha256(key + row[0]).digest() == row[1]:
                return row and bytes(row[0])
            self._discard()
        except sqlite3.OperationalError:
            return None
        except (sqlite3.Error, TypeError):
            self._discard()
        return None

    def keep(self, key: bytes, value: bytes) -> None:
        """Keep a value under its key."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with closing(self._connection()) as connection, connection:
                connection.execute(TABLE)
                row = (key, value, sha256(key + value).digest())
                connection.execute("INSERT OR REPLACE INTO evidence (key, value, hash) VALUES (?, ?, ?)", row)
                connection.execute("DELETE FROM evidence WHERE id <= (SELECT max(id) FROM evidence) - ?", (MOST,))
            self._path.chmod(0o600)
        except sqlite3.OperationalError:
            return  # busy or full: this value is not kept
        except sqlite3.DatabaseError:
            self._discard()
        except OSError:
            return

    def _discard(self) -> None:
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
