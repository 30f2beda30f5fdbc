"""SQLite connections to campaign files, with the pragmas that make committed turns durable."""

import os
import sqlite3
from pathlib import PurePath
from urllib.parse import quote

#: The pragmas of a file that nobody uses yet; it is synced before it gets its name.
IN_THE_MAKING = ("synchronous=OFF", "journal_mode=MEMORY")
#: How a file is read as if nothing lay beside it: a `-wal` is ignored, no journal is put back.
ALONE = "mode=ro&immutable=1"
#: Seconds to wait for another writer.
LONGEST_WAIT = 10.0
PRAGMAS = (
    # FULL and less survive kill -9, but a power cut may bring the journal of an acknowledged turn back, and undo it
    "synchronous=EXTRA",
    # on macOS fsync leaves data in the drive's cache; elsewhere this changes nothing
    "fullfsync=ON",
    "secure_delete=ON",
    "trusted_schema=OFF",
    "cell_size_check=ON",
    # turns can be saved where there is no folder for temporary files
    "temp_store=MEMORY",
)


def uri_of(path: PurePath, how: str = "mode=rw") -> str:
    """How SQLite is asked for the file at this absolute path, on a drive or in a share of Windows too.

    Not by `as_uri`: from Python 3.14 on it imports `urllib.request`, which takes longer than many a command.
    """
    whole = path.as_posix()
    return f"file://{'' if whole.startswith('/') else '/'}{quote(os.fsencode(whole), safe='/:')}?{how}"


def connect(uri: str, more_pragmas: tuple[str, ...] = (), wait: float | None = None) -> sqlite3.Connection:
    """Open a connection with durable commits that trusts no schema of the file. Raises sqlite3.Error.

    `wait`: seconds to wait for a lock, if not as long as usual.
    """
    wait = LONGEST_WAIT if wait is None else min(wait, LONGEST_WAIT)
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=wait)
    try:
        for pragma in (*PRAGMAS, *more_pragmas):
            connection.execute(f"PRAGMA {pragma}").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection
