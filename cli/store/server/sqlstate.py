"""The SQLSTATE with which a server refuses a connection.

libpq passes on only the message, in the server's language, and keeps the code to itself. So a second connection is
begun here by hand, without a password, and only the server's first answer is read.
"""

import socket
import struct
from contextlib import suppress

from psycopg.pq.abc import PGconn

#: Stands for a server that asks for a password first, so that its code cannot be read.
PASSWORD = "password"
#: Version 3.0 of the protocol, known to every server since 7.4.
_PROTOCOL = 3 << 16
#: Seconds to wait for the server.
_PATIENCE = 5.0
#: Bytes of an answer at most.
_MOST = 2**16


def state_of(connection: PGconn) -> str | None:
    """The SQLSTATE of the refusal, PASSWORD if one is asked for; None: no refusal, or no answer."""
    with suppress(OSError, struct.error), _socket_to(connection) as door:
        door.settimeout(_PATIENCE)
        parameters = b"".join(
            name + b"\0" + value + b"\0"
            for name, value in ((b"user", connection.user), (b"database", connection.db))
            if value
        )
        door.sendall(struct.pack("!ii", len(parameters) + 9, _PROTOCOL) + parameters + b"\0")
        answers = door.makefile("rb")
        while True:
            kind, length = struct.unpack("!ci", answers.read(5))
            answer = answers.read(min(length - 4, _MOST))
            if kind == b"E":
                fields = {field[:1]: field[1:] for field in answer.split(b"\0")}
                return fields.get(b"C", b"").decode("ascii", "replace") or None
            if kind == b"R" and any(answer[:4]):
                return PASSWORD
            if kind not in b"RSKN":
                return None
    return None


def _socket_to(connection: PGconn) -> socket.socket:
    host, port = (connection.hostaddr or connection.host).decode(), connection.port.decode()
    if host.startswith("/"):
        door = socket.socket(socket.AF_UNIX)
        door.settimeout(_PATIENCE)
        door.connect(f"{host}/.s.PGSQL.{port}")
        return door
    return socket.create_connection((host, int(port)), timeout=_PATIENCE)
