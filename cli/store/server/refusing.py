"""Why a server does not let somebody in, by its SQLSTATE: libpq passes on its words alone, in whatever language.

A server says so at the start of a connection, or once it has asked for a password. So the door is knocked at once
more, without one, and only what is answered is read: there is no other way to a code that libpq keeps to itself.
"""

import socket
import struct
from contextlib import suppress

from psycopg.pq.abc import PGconn

#: What is not to be had without a password: the server asks for it first.
ASKED = "password"
#: Version 3.0 of the protocol, which every server since 7.4 speaks.
_PROTOCOL = 3 << 16
#: Seconds.
_PATIENCE = 5.0
#: An answer that is longer is none.
_MOST = 2**16


def state_of(connection: PGconn) -> str | None:
    """The SQLSTATE with which this user is sent away, ASKED, or None: they are not, or nobody answers."""
    with suppress(OSError, struct.error), _reached(connection) as door:
        door.settimeout(_PATIENCE)
        told = b"".join(
            name + b"\0" + value + b"\0"
            for name, value in ((b"user", connection.user), (b"database", connection.db))
            if value
        )
        door.sendall(struct.pack("!ii", len(told) + 9, _PROTOCOL) + told + b"\0")
        answers = door.makefile("rb")
        while True:
            kind, length = struct.unpack("!ci", answers.read(5))
            answer = answers.read(min(length - 4, _MOST))
            if kind == b"E":
                fields = {field[:1]: field[1:] for field in answer.split(b"\0")}
                return fields.get(b"C", b"").decode("ascii", "replace") or None
            if kind == b"R" and any(answer[:4]):
                return ASKED
            if kind not in b"RSKN":
                return None
    return None


def _reached(connection: PGconn) -> socket.socket:
    host, port = (connection.hostaddr or connection.host).decode(), connection.port.decode()
    if host.startswith("/"):
        door = socket.socket(socket.AF_UNIX)
        door.settimeout(_PATIENCE)
        door.connect(f"{host}/.s.PGSQL.{port}")
        return door
    return socket.create_connection((host, int(port)), timeout=_PATIENCE)
