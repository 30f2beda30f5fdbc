"""The layout of a campaign file: application id, format, tables, and the statements that files and servers share."""

from collections.abc import Sequence

#: "CAMP" in ASCII, at byte 68 of the file.
APPLICATION_ID = 0x43414D50
#: The layout of the tables, at byte 60 of the file (`user_version`). Since 2 every turn has its link.
FORMAT = 2
#: Suffixes of the files that SQLite keeps beside an open campaign.
SIDE_FILES = ("-wal", "-shm", "-journal")
#: Those of them that hold pages: of turns that are not in the file yet, or of the file as it was before.
WITH_PAGES = ("-wal", "-journal")

#: The name of the branch that every campaign has.
MAIN = "main"
#: The end of a segment without an end; more turns than any log holds.
WITHOUT_END = 2**53
#: Turns fetched, or put into a new file, at once. No read transaction is open between two fetches, so that a reader
#: who pauses (a pager) neither misses new turns nor keeps the `-wal` from being checkpointed. The result is consistent
#: all the same, as stored turns never change.
AT_ONCE = 500


def how_many(table: str) -> str:
    """The select of the number of rows of a table."""
    return f"SELECT count(*) FROM {table}"


def sql_literal(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


LINKS_TABLE = (
    "CREATE TABLE links (stream TEXT NOT NULL, number INTEGER NOT NULL, link BLOB NOT NULL,"
    " PRIMARY KEY (stream, number)) WITHOUT ROWID"
)
#: The turns that fold at a place other than their number. Files of older versions lack this table.
PLACES = (
    "CREATE TABLE IF NOT EXISTS placed"
    " (stream TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (stream, number)) WITHOUT ROWID"
)

#: Signatures of seals; no link depends on them. The table is created with the first signature. The columns of the key
#: come first, or the integrity check of SQLite 3.40 reports the others as NULL.
SIGNATURES_TABLE = (
    "CREATE TABLE IF NOT EXISTS signatures"
    " (stream TEXT NOT NULL, number INTEGER NOT NULL, signature TEXT NOT NULL, seal TEXT NOT NULL,"
    " PRIMARY KEY (stream, number, signature)) WITHOUT ROWID"
)


def tables(speaking: Sequence[str]) -> list[str]:
    """The statements that create everything but the library's own table.

    `speaking` are the tags of the revising actions, from which the effective history is computed.
    """
    return [
        "CREATE TABLE turn_ids (id TEXT PRIMARY KEY, number INTEGER NOT NULL, stream TEXT NOT NULL) WITHOUT ROWID",
        "CREATE TABLE branches"
        " (stream TEXT PRIMARY KEY, name TEXT NOT NULL, base TEXT NOT NULL, fork INTEGER NOT NULL,"
        " deleted INTEGER NOT NULL DEFAULT 0)",
        "CREATE UNIQUE INDEX branch_names ON branches (name) WHERE deleted = 0",
        PLACES,
        "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        # a partial index of the few revising turns, which costs the other turns nothing
        "CREATE INDEX speaking ON stored_events (originator_id, originator_version)"
        f" WHERE topic IN ({', '.join(map(sql_literal, speaking))})",
        LINKS_TABLE,
        f"PRAGMA application_id={APPLICATION_ID}",
        f"PRAGMA user_version={FORMAT}",
    ]


#: The least and the greatest id. As two selects each is one look at the end of the index; as one it is a full scan.
WHOSE_TURNS = "SELECT (SELECT min(originator_id) FROM stored_events), (SELECT max(originator_id) FROM stored_events)"
#: The library's table.
TURNS_TABLE = "stored_events"
FIRST_TURN = (
    "SELECT originator_version, state FROM stored_events WHERE originator_id = ? ORDER BY originator_version LIMIT 1"
)
LAST_TURN = "SELECT max(originator_version) FROM stored_events WHERE originator_id = ?"
LINK = "SELECT link FROM links WHERE stream = ? AND number = ?"
NEW_LINK = "INSERT INTO links (stream, number, link) VALUES (?, ?, ?)"
STORED = (
    f"SELECT originator_version, topic, state FROM stored_events"
    f" WHERE originator_id = ? AND originator_version > ? ORDER BY originator_version LIMIT {AT_ONCE}"
)
LINKS = f"SELECT number, link FROM links WHERE stream = ? AND number > ? ORDER BY number LIMIT {AT_ONCE}"
STATE = "SELECT state FROM stored_events WHERE originator_id = ? AND originator_version = ?"
HOW_MANY_TURNS = how_many(TURNS_TABLE)
WHERE_THE_ID_IS = "SELECT number, stream FROM turn_ids WHERE id = ?"
STORED_UNDER_THE_ID = (
    "SELECT state FROM turn_ids JOIN stored_events ON originator_version = number"
    " WHERE id = ? AND originator_id = stream AND stream = ?"
)
CURRENT_BRANCH = "SELECT value FROM settings WHERE name = 'branch'"
ALL_BRANCHES = "SELECT name, stream, base, fork FROM branches ORDER BY rowid"
BRANCHES = "SELECT name, stream, base, fork FROM branches WHERE deleted = 0 ORDER BY rowid"
LINKS_WITHOUT_TURNS = (
    "SELECT stream, number FROM links EXCEPT SELECT originator_id, originator_version FROM stored_events"
)
TURNS_OF_NO_BRANCH = (
    "SELECT DISTINCT originator_id FROM stored_events WHERE originator_id LIKE '%/%'"
    " AND originator_id NOT IN (SELECT stream FROM branches)"
)
#: A turn that no link can be made of.
UNLINKABLE = (
    "SELECT 1 FROM stored_events WHERE originator_id = ? AND (typeof(originator_version) <> 'integer'"
    " OR originator_version < 1 OR typeof(topic) <> 'text' OR typeof(state) <> 'blob') LIMIT 1"
)
#: The first turn whose record is no blob, as SQL's text functions leave it behind.
NO_RECORD = "SELECT originator_version FROM stored_events WHERE typeof(state) <> 'blob' ORDER BY 1 LIMIT 1"
IDS = "SELECT number, id FROM turn_ids WHERE stream = ? ORDER BY number"
#: The last turn of its own of each branch.
LAST_TURNS = (
    "SELECT name, (SELECT max(originator_version) FROM stored_events WHERE originator_id = stream)"
    " FROM branches WHERE deleted = 0"
)
UNKNOWN_SETTINGS = "SELECT name FROM settings WHERE name <> 'branch'"
SCHEMA = "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'"
#: Tables that are created with the first backdated turn or the first signature.
LATER_SCHEMA = {("table", "placed"), ("table", "signatures")}
KNOWN_SCHEMA = frozenset(
    {
        ("table", "stored_events"),
        ("table", "turn_ids"),
        ("table", "branches"),
        ("table", "settings"),
        ("table", "links"),
        ("index", "branch_names"),
        ("index", "speaking"),
    }
)
#: The types of what lies beside the turns. SQLite keeps whatever somebody else puts there.
COLUMN_TYPES = {
    "turn_ids": {"id": "text", "number": "integer", "stream": "text"},
    "branches": {"stream": "text", "name": "text", "base": "text", "fork": "integer", "deleted": "integer"},
    "placed": {"stream": "text", "number": "integer"},
    "settings": {"name": "text", "value": "text"},
    "links": {"stream": "text", "number": "integer", "link": "blob"},
    "signatures": {"stream": "text", "number": "integer", "seal": "text", "signature": "text"},
}
NEW_BRANCH = "INSERT INTO branches (stream, name, base, fork) VALUES (?, ?, ?, ?)"
FORGET_BRANCH = "UPDATE branches SET deleted = 1 WHERE stream = ?"
BRANCH_IS_THERE = "SELECT 1 FROM branches WHERE stream = ?"
BRANCH_IS_FORGOTTEN = "SELECT 1 FROM branches WHERE stream = ? AND deleted = 1"
BRANCH_SWITCHED_TO = "SELECT 1 FROM settings WHERE name = 'branch' AND value = ?"
SWITCH = "INSERT OR REPLACE INTO settings (name, value) VALUES ('branch', ?)"
HAS_PLACES = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'placed'"
LATE_NUMBERS = "SELECT number FROM placed WHERE stream = ? AND number > ? AND number <= ? ORDER BY number"
HAS_SIGNATURES = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'signatures'"
SIGNATURES = "SELECT stream, number, seal, signature FROM signatures ORDER BY number, stream, signature"
NEW_SIGNATURE = "INSERT INTO signatures (stream, number, seal, signature) VALUES (?, ?, ?, ?)"
SIGNATURE_IS_THERE = "SELECT 1 FROM signatures WHERE stream = ? AND number = ? AND signature = ?"
NEW_PLACE = "INSERT INTO placed (stream, number) VALUES (?, ?)"
#: Triggers and views, of which a campaign file has none.
BUILT_IN = "SELECT 1 FROM sqlite_master WHERE type IN ('trigger', 'view') LIMIT 1"


def row_of_another_type(table: str) -> str:
    """A row of the table in which a column is not of its type."""
    wrong = " OR ".join(f"typeof({column}) <> {sql_literal(kind)}" for column, kind in COLUMN_TYPES[table].items())
    return f"SELECT 1 FROM {table} WHERE {wrong} LIMIT 1"


def segment(topics: Sequence[str] = (), speaking: Sequence[str] = (), *, back: bool = False) -> str:
    """The select of the next turns of a stream after one number up to another; with `topics` only of those tags.

    `speaking` are the tags of the index of revising turns; `back` reverses the order.
    """
    # as literals, and with the condition of the index repeated: otherwise SQLite does not use that partial index
    topic_lists = [speaking, topics] if set(topics) < set(speaking) and topics else [topics]
    only = "".join(f" AND topic IN ({', '.join(map(sql_literal, tags))})" for tags in topic_lists if tags)
    return (
        f"SELECT originator_version, topic, state FROM stored_events"
        f" WHERE originator_id = ? AND originator_version > ? AND originator_version <= ?{only}"
        f" ORDER BY originator_version{' DESC' if back else ''} LIMIT {AT_ONCE}"
    )
