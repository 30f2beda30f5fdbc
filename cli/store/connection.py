"""A connection to a campaign file, with the pragmas that keep what it was told to keep."""

import sqlite3

#: How long to wait for whoever is writing, in seconds.
LONGEST_WAIT = 10.0
PRAGMAS = (
    # NORMAL passes every test with kill -9 and loses acknowledged turns when the power goes
    "synchronous=FULL",
    # on macOS a sync alone leaves what was written in the drive's own memory; elsewhere this changes nothing
    "fullfsync=ON",
    "secure_delete=ON",
    "trusted_schema=OFF",
    "cell_size_check=ON",
    # where there is no folder for temporary files, turns are saved all the same
    "temp_store=MEMORY",
)


def connect(uri: str) -> sqlite3.Connection:
    """A connection that keeps what it was told to keep, and believes nothing that a file says about itself."""
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=LONGEST_WAIT)
    try:
        for pragma in PRAGMAS:
            connection.execute(f"PRAGMA {pragma}").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection
