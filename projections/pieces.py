"""States in an SQLite file, the pieces that they have in common stored once."""

import sqlite3
from hashlib import sha256

import msgspec

from domain.log.port import Packed

TABLE = "CREATE TABLE IF NOT EXISTS pieces (id INTEGER PRIMARY KEY, hash BLOB UNIQUE, piece BLOB)"


def put_pieces(connection: sqlite3.Connection, packed: Packed) -> bytes:
    """Store the pieces of a state that are not there yet, in the transaction that is open; what names them all."""
    digests = [sha256(piece).digest() for piece in packed.pieces]
    places = ", ".join("?" * len(digests))
    known = dict(connection.execute(f"SELECT hash, id FROM pieces WHERE hash IN ({places})", digests).fetchall())
    for digest, piece in zip(digests, packed.pieces, strict=True):
        if digest not in known:
            inserted = "INSERT INTO pieces (hash, piece) VALUES (?, ?) RETURNING id"
            ((known[digest],),) = connection.execute(inserted, (digest, piece)).fetchall()
    return msgspec.msgpack.encode([known[digest] for digest in digests])


def put_together(connection: sqlite3.Connection, state: bytes, named: bytes) -> Packed:
    """A state with the pieces that `put_pieces` named. Raises sqlite3.Error, MsgspecError if they are none."""
    ids = msgspec.msgpack.decode(named, type=tuple[int, ...])
    select = f"SELECT id, piece FROM pieces WHERE id IN ({', '.join(map(str, ids))})"
    found = dict(connection.execute(select).fetchall())
    if not all(isinstance(found.get(each), bytes) for each in ids):
        raise sqlite3.DatabaseError("A piece of a state is missing.")
    return Packed(state, tuple(found[each] for each in ids))
