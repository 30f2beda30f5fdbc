"""Kept states on disk: a small disposable file in the user's cache folder, one for each log.

Nothing depends on it. What cannot be read or written is passed over without a word.
"""

import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path

from domain.log.port import Kept

TABLE = """CREATE TABLE IF NOT EXISTS kept (
    turn INTEGER, turn_id TEXT, as_of INTEGER, as_of_id TEXT, version INTEGER, state BLOB,
    PRIMARY KEY (turn, as_of, turn_id, as_of_id)
) WITHOUT ROWID"""
#: How many states are offered at most; the nearest one nearly always holds.
MOST = 20


def cache_folder() -> Path:
    """Where disposable files lie."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("campaign-log", appauthor=False))


class StatesOnDisk:
    """The kept states of one log, by its id."""

    def __init__(self, log_id: str) -> None:
        safe = "".join(sign if sign.isalnum() else "-" for sign in log_id)
        self._path = cache_folder() / f"{safe}.states"

    def _connection(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=0.5, isolation_level=None)
        connection.execute("PRAGMA synchronous=OFF")
        return connection

    def upto(self, turn: int, as_of: int) -> Iterable[Kept]:
        if not self._path.exists():
            return []
        try:
            with closing(self._connection()) as connection:
                rows = connection.execute(
                    "SELECT turn, turn_id, as_of, as_of_id, version, state FROM kept"
                    " WHERE turn <= ? AND as_of <= ? ORDER BY turn DESC, as_of DESC LIMIT ?",
                    (turn, as_of, MOST),
                ).fetchall()
            return [Kept(*row) for row in rows if isinstance(row[5], bytes)]
        except sqlite3.Error:
            self._discard()
            return []

    def keep(self, kept: Kept) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with closing(self._connection()) as connection:
                connection.execute(TABLE)
                connection.execute(
                    "INSERT OR IGNORE INTO kept VALUES (?, ?, ?, ?, ?, ?)",
                    (kept.turn, kept.turn_id, kept.as_of, kept.as_of_id, kept.version, kept.state),
                )
            self._path.chmod(0o600)
        except sqlite3.DatabaseError as error:
            if not isinstance(error, sqlite3.OperationalError):
                self._discard()
        except OSError:
            return

    def _discard(self) -> None:
        with suppress(OSError):
            self._path.unlink()
