"""The socket of a server that a command starts on this machine."""

import os
import socket

#: Where only this machine can reach a server, and the port that it usually has.
HOST, USUAL_PORT = "127.0.0.1", 8001


def listening(port: int | None, *, host: str = HOST, usual: int = USUAL_PORT) -> socket.socket:
    """A socket on this port, else on the usual one or any that is free. Raises OSError."""
    for number in (port,) if port is not None else (usual, 0):
        # with its protocol: otherwise asyncio leaves Nagle's algorithm on, and the second part of an answer waits
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if os.name == "posix":  # on Windows it would let two servers have the same port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
            # at once: until then another process can bind the same port, and one of the two fails later
            listener.listen()
        except OSError:
            listener.close()
            if number != usual or port is not None:
                raise
        else:
            return listener
    raise AssertionError("the last of them is any port")
