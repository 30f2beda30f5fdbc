"""SQLite connections to campaign files, with the pragmas that make committed turns durable."""

import sqlite3

#: Seconds to wait for another writer.
LONGEST_WAIT = 10.0
PRAGMAS = (
    # NORMAL survives kill -9 but loses acknowledged turns in a power cut
    "synchronous=FULL",
    # on macOS fsync leaves data in the drive's cache; elsewhere this changes nothing
    "fullfsync=ON",
    "secure_delete=ON",
    "trusted_schema=OFF",
    "cell_size_check=ON",
    # turns can be saved where there is no folder for temporary files
    "temp_store=MEMORY",
)


def connect(uri: str) -> sqlite3.Connection:
    """Open a connection with durable commits that trusts no schema of the file. Raises sqlite3.Error."""
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=LONGEST_WAIT)
    try:
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection
