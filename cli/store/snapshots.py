"""Kept states on disk: a small disposable file in the user's cache folder, one for each log.

Nothing depends on it: what cannot be read or written is passed over without a word. And nothing is believed that
it says: each state lies beside a hash over it, over the shapes that it was packed from and over the stored bytes of
the turns that it is bound to. A state that does not fit its hash is thrown away with all the others.
What never shrinks is stored once for all of them, so that the file grows as the log does.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path

from msgspec import MsgspecError

from cli.store.folders import cache_folder
from domain.log.port import Snapshot, content_of
from projections.pieces import TABLE as PIECES
from projections.pieces import put_pieces, put_together

TABLE = """CREATE TABLE IF NOT EXISTS states (
    turn INTEGER, turn_id TEXT, as_of INTEGER, as_of_id TEXT, version INTEGER, state BLOB, pieces BLOB, hash BLOB,
    PRIMARY KEY (turn, as_of, turn_id, as_of_id)
)"""
#: How many states are offered at most; the nearest one nearly always holds.
MOST = 20


class SnapshotFile:
    """The kept states of one log, by the streams that it is made of, each up to a turn; its own is the last.

    `bytes_of` gives a turn as it is stored, `shapes` the hash of what a state is packed from.
    """

    def __init__(
        self, segments: Sequence[tuple[str, int]], bytes_of: Callable[[int], bytes], shapes: Callable[[], bytes]
    ) -> None:
        #: What was kept of the log that a branch left holds for it too, up to its fork.
        self._before = [(_path(stream), upto) for stream, upto in reversed(segments[:-1])]
        self._path = _path(segments[-1][0])
        self._bytes_of, self._shapes = bytes_of, shapes

    def _connection(self, path: Path) -> sqlite3.Connection:
        connection = sqlite3.connect(path, timeout=0.5, isolation_level=None)
        try:
            connection.execute("PRAGMA synchronous=OFF")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _hash(self, kept: Snapshot) -> bytes:
        parts = (
            self._shapes(),
            self._bytes_of(kept.turn),
            self._bytes_of(kept.as_of),
            f"{kept.turn} {kept.turn_id} {kept.as_of} {kept.as_of_id} {kept.version}".encode(),
            kept.state.state,
            *map(content_of, kept.state.pieces),
        )
        return sha256(b"".join([b"".join((len(part).to_bytes(8, "big"), part)) for part in parts])).digest()

    def upto(self, turn: int, as_of: int) -> Iterator[Snapshot]:
        for path, end in [(self._path, as_of), *self._before]:
            yield from self._kept_in(path, min(turn, end), min(as_of, end))

    def _kept_in(self, path: Path, turn: int, as_of: int) -> Iterator[Snapshot]:
        if not path.exists():
            return
        try:
            with closing(self._connection(path)) as connection:
                found = connection.execute(
                    "SELECT rowid FROM states WHERE turn <= ? AND as_of <= ? ORDER BY turn DESC, as_of DESC LIMIT ?",
                    (turn, as_of, MOST),
                ).fetchall()
                for row in found:
                    kept = self._believed(connection, *row)
                    if kept is None or kept.turn > turn or kept.as_of > as_of:
                        _discard(path)
                        return
                    yield kept
        except (sqlite3.Error, MsgspecError, OverflowError):
            _discard(path)

    def _believed(self, connection: sqlite3.Connection, row: int) -> Snapshot | None:
        """The state of this row; None if it does not fit its hash."""
        select = "SELECT state, pieces, hash, turn, turn_id, as_of, as_of_id, version FROM states WHERE rowid = ?"
        for state, pieces, found, *values in connection.execute(select, (row,)).fetchall():
            turn, turn_id, as_of, as_of_id, version = values
            whole = isinstance(state, bytes) and isinstance(pieces, bytes)
            if whole and isinstance(turn, int) and isinstance(as_of, int):
                packed = put_together(connection, state, pieces)
                kept = Snapshot(turn, turn_id, as_of, as_of_id, version, packed)
                return kept if self._hash(kept) == found else None
        return None

    def keep(self, kept: Snapshot) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with closing(self._connection(self._path)) as connection:
                connection.execute(TABLE)
                connection.execute(PIECES)
                connection.execute("BEGIN IMMEDIATE")
                connection.execute(
                    "INSERT OR IGNORE INTO states VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        kept.turn, kept.turn_id, kept.as_of, kept.as_of_id, kept.version, kept.state.state,
                        put_pieces(connection, kept.state), self._hash(kept),
                    ),
                )  # fmt: skip
                connection.execute("COMMIT")
            self._path.chmod(0o600)
        except sqlite3.DatabaseError as error:
            if not isinstance(error, sqlite3.OperationalError):
                self.discard()
        except OSError:
            return

    def discard(self) -> None:
        """Throw them all away; nothing is lost by it."""
        for path in (self._path, *(path for path, _ in self._before)):
            _discard(path)


def _path(stream: str) -> Path:
    """Where the states of one stream are kept."""
    safe = "".join(sign if sign.isalnum() else "-" for sign in stream)
    return cache_folder() / f"{safe}.states"


def _discard(path: Path) -> None:
    with suppress(OSError):
        path.unlink()
