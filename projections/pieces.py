"""States in an SQLite file, the pieces that they have in common stored once."""

import sqlite3
from hashlib import sha256

import msgspec
from msgspec import Struct

from domain.log.port import Packed, content_of

TABLE = "CREATE TABLE IF NOT EXISTS pieces (id INTEGER PRIMARY KEY, hash BLOB UNIQUE, piece BLOB)"
MISSING = "A piece of a state is missing."


class Stored(Struct, frozen=True, gc=False):
    """A piece that stays in its file until it is asked for, known by its id there: as long as the transaction lasts."""

    connection: sqlite3.Connection
    id: int

    def read(self) -> bytes:
        """The piece itself. Raises sqlite3.Error if there is none, or not as it was stored."""
        select = "SELECT hash, piece FROM pieces WHERE id = ?"
        for digest, piece in self.connection.execute(select, (self.id,)).fetchall():
            if isinstance(piece, bytes) and sha256(piece).digest() == digest:
                return piece
        raise sqlite3.DatabaseError(MISSING)


def put_pieces(connection: sqlite3.Connection, packed: Packed) -> bytes:
    """Store the pieces of a state that are not there yet, in the transaction that is open; what names them all.

    Those that this connection left unread are there: they are neither read nor looked up.
    """
    named: list[int | bytes] = []
    contents: dict[bytes, bytes] = {}
    for piece in packed.pieces:
        if isinstance(piece, Stored) and piece.connection is connection:
            named.append(piece.id)
            continue
        content = content_of(piece)
        named.append(digest := sha256(content).digest())
        contents[digest] = content
    select = f"SELECT hash, id FROM pieces WHERE hash IN ({', '.join('?' * len(contents))})"
    known = dict(connection.execute(select, [*contents]).fetchall()) if contents else {}
    for digest, content in contents.items():
        if digest not in known:
            inserted = "INSERT INTO pieces (hash, piece) VALUES (?, ?) RETURNING id"
            ((known[digest],),) = connection.execute(inserted, (digest, content)).fetchall()
    return msgspec.msgpack.encode([known.get(each, each) for each in named])


def left_unread(connection: sqlite3.Connection, state: bytes, named: bytes) -> Packed:
    """A state with the pieces that `put_pieces` named, in the transaction that is open. Raises MsgspecError."""
    return Packed(state, tuple(Stored(connection, each) for each in _ids(named)))


def put_together(connection: sqlite3.Connection, state: bytes, named: bytes) -> Packed:
    """The same with every piece read. Raises sqlite3.Error, MsgspecError if there are no such pieces."""
    ids = _ids(named)
    select = f"SELECT id, piece FROM pieces WHERE id IN ({', '.join(map(str, ids))})"
    found = dict(connection.execute(select).fetchall())
    if not all(isinstance(found.get(each), bytes) for each in ids):
        raise sqlite3.DatabaseError(MISSING)
    return Packed(state, tuple(found[each] for each in ids))


def _ids(named: bytes) -> tuple[int, ...]:
    return msgspec.msgpack.decode(named, type=tuple[int, ...])
