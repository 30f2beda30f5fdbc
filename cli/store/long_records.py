"""Long records in a campaign file: read and written by themselves, as SQLite copies what a statement puts or takes.

A revision of a million turns may be a record of 90 MB. It is stored like any other; only the way there is another, by
SQLite's incremental blob I/O.
"""

import sqlite3

from cli.store import layout

#: The bytes that are written at once.
PIECE = 1_000_000


def read_record(connection: sqlite3.Connection, stream: str, number: int) -> bytes | None:
    """The stored bytes of a turn, however long; None if there are none. Raises sqlite3.Error."""
    row = connection.execute(layout.ROW_OF_RECORD, (stream, number)).fetchone()
    if row is None:
        return None
    with connection.blobopen(layout.TURNS_TABLE, layout.RECORD_COLUMN, row[0], readonly=True) as blob:
        return blob.read()


def write_record(connection: sqlite3.Connection, row: int, record: bytes) -> None:
    """Put these bytes in the place of those of a new row, in its transaction. Raises sqlite3.Error."""
    connection.execute(layout.ROOM_FOR_RECORD, (len(record), row))
    with connection.blobopen(layout.TURNS_TABLE, layout.RECORD_COLUMN, row) as blob, memoryview(record) as view:
        for start in range(0, len(record), PIECE):
            blob.write(view[start : start + PIECE])
