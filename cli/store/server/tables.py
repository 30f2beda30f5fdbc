"""The layout of a database: its tables, and the statements of `cli.store.layout` limited to one of many campaigns.

The tables of turns, ids and links are append-only, by triggers and by the rights of writers. They are partitioned by
the hash of their stream, so that no index grows with all campaigns.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from cli.store import layout
from cli.store.layout import sql_literal

SCHEMA = "campaign"
#: The version of the layout.
FORMAT = 1
#: Partitions of each large table.
PARTITIONS = 16
#: The advisory lock for creating and changing tables: "CAMP" in ASCII, twice.
INIT_LOCK = 0x43414D5043414D50
#: The channel on which followers are notified of a turn, with its stream.
CHANNEL = "campaign_turns"

LARGE = {"stored_events": "originator_id", "turn_ids": "campaign", "links": "stream"}
ONLY_ADDED_TO = (*LARGE, "placed", "signatures")
TABLES = ("format", "campaigns", *ONLY_ADDED_TO, "branches", "settings")

TRIGGERS = ("only_added_to", "never_emptied")
#: Tables that a database set up by an earlier version may lack.
_LATER = {"signatures"}
KNOWN_SCHEMA = frozenset(
    {
        *(("table", table) for table in TABLES if table not in _LATER),
        *(("trigger", trigger) for trigger in TRIGGERS),
    }
)

#: Text ordered by bytes, independent of the machine and its libraries.
_TEXT = 'text COLLATE "C"'


def creation(speaking: Sequence[str]) -> Iterator[str]:
    """The statements that create everything that is not there yet, for one transaction.

    `speaking` are the tags of the revising actions, from which the effective history is computed.
    """
    yield f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"
    yield f"SET LOCAL search_path TO {SCHEMA}, pg_catalog"
    yield "CREATE TABLE IF NOT EXISTS format (version integer NOT NULL)"
    yield f"INSERT INTO format SELECT {FORMAT} WHERE NOT EXISTS (SELECT FROM format)"
    yield f"UPDATE format SET version = {FORMAT}"
    yield (
        f"CREATE TABLE IF NOT EXISTS campaigns (campaign {_TEXT} PRIMARY KEY, slug {_TEXT} NOT NULL UNIQUE,"
        " name text NOT NULL, made timestamptz NOT NULL DEFAULT now())"
    )
    # the library's own columns in its order, so that it can read the table by itself
    yield (
        f"CREATE TABLE IF NOT EXISTS stored_events (originator_id {_TEXT} NOT NULL, originator_version bigint NOT NULL,"
        " topic text, state bytea, notification_id bigserial, PRIMARY KEY (originator_id, originator_version))"
        " PARTITION BY HASH (originator_id)"
    )
    yield (
        f"CREATE TABLE IF NOT EXISTS turn_ids (campaign {_TEXT} NOT NULL, id {_TEXT} NOT NULL,"
        f" number bigint NOT NULL, stream {_TEXT} NOT NULL, PRIMARY KEY (campaign, id)) PARTITION BY HASH (campaign)"
    )
    yield (
        f"CREATE TABLE IF NOT EXISTS links (stream {_TEXT} NOT NULL, number bigint NOT NULL, link bytea NOT NULL,"
        " PRIMARY KEY (stream, number)) PARTITION BY HASH (stream)"
    )
    for table in LARGE:
        for part in range(PARTITIONS):
            yield (
                f"CREATE TABLE IF NOT EXISTS {table}_{part} PARTITION OF {table}"
                f" FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {part})"
            )
    yield (
        f"CREATE TABLE IF NOT EXISTS placed (stream {_TEXT} NOT NULL, number bigint NOT NULL,"
        " PRIMARY KEY (stream, number))"
    )
    yield (
        f"CREATE TABLE IF NOT EXISTS signatures (stream {_TEXT} NOT NULL, number bigint NOT NULL, seal text NOT NULL,"
        f" signature {_TEXT} NOT NULL, PRIMARY KEY (stream, number, signature))"
    )
    yield (
        f"CREATE TABLE IF NOT EXISTS branches (stream {_TEXT} PRIMARY KEY, campaign {_TEXT} NOT NULL,"
        f" name text NOT NULL, base {_TEXT} NOT NULL, fork bigint NOT NULL, deleted integer NOT NULL DEFAULT 0,"
        " made bigserial)"
    )
    yield "CREATE UNIQUE INDEX IF NOT EXISTS branch_names ON branches (campaign, name) WHERE deleted = 0"
    yield (
        f"CREATE TABLE IF NOT EXISTS settings (campaign {_TEXT} NOT NULL, name text NOT NULL, value text NOT NULL,"
        " PRIMARY KEY (campaign, name))"
    )
    yield "DROP INDEX IF EXISTS speaking"
    yield (
        "CREATE INDEX speaking ON stored_events (originator_id, originator_version)"
        f" WHERE topic IN ({', '.join(map(sql_literal, speaking))})"
    )
    yield (
        "CREATE OR REPLACE FUNCTION only_added_to() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION 'What was played is never changed.' USING ERRCODE = 'restrict_violation'; END $$"
    )
    for table in ONLY_ADDED_TO:
        yield (
            f"CREATE OR REPLACE TRIGGER only_added_to BEFORE UPDATE OR DELETE ON {table}"
            " FOR EACH ROW EXECUTE FUNCTION only_added_to()"
        )
        parts = [f"{table}_{part}" for part in range(PARTITIONS)] if table in LARGE else []
        for relation in (table, *parts):
            yield (
                f"CREATE OR REPLACE TRIGGER never_emptied BEFORE TRUNCATE ON {relation}"
                " FOR EACH STATEMENT EXECUTE FUNCTION only_added_to()"
            )


def grants(role: str, *, write: bool) -> Iterator[str]:
    """The statements that grant a role the right to read, and with `write` to add turns but change none."""
    yield f"GRANT USAGE ON SCHEMA {SCHEMA} TO {role}"
    yield f"GRANT SELECT ON ALL TABLES IN SCHEMA {SCHEMA} TO {role}"
    if write:
        yield f"GRANT INSERT ON {', '.join(f'{SCHEMA}.{table}' for table in TABLES[1:])} TO {role}"
        yield f"GRANT UPDATE (deleted) ON {SCHEMA}.branches TO {role}"
        yield f"GRANT UPDATE (value) ON {SCHEMA}.settings TO {role}"
        yield f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {SCHEMA} TO {role}"


#: The streams of one campaign.
_OWN = "(SELECT :campaign UNION ALL SELECT stream FROM branches WHERE campaign = :campaign)"

#: Statements that concern the whole of a file, limited to one campaign.
_OF_ONE_CAMPAIGN = {
    layout.CURRENT_BRANCH: "SELECT value FROM settings WHERE campaign = :campaign AND name = 'branch'",
    layout.ALL_BRANCHES: "SELECT name, stream, base, fork FROM branches WHERE campaign = :campaign ORDER BY made",
    layout.BRANCHES: (
        "SELECT name, stream, base, fork FROM branches WHERE campaign = :campaign AND deleted = 0 ORDER BY made"
    ),
    layout.WHERE_THE_ID_IS: "SELECT number, stream FROM turn_ids WHERE campaign = :campaign AND id = ?",
    layout.STORED_UNDER_THE_ID: (
        "SELECT state FROM turn_ids JOIN stored_events ON originator_id = stream AND originator_version = number"
        " WHERE campaign = :campaign AND id = ? AND stream = ?"
    ),
    layout.ALL_IDS: (
        "SELECT id, number, stream FROM turn_ids WHERE campaign = :campaign AND id >= ?"
        f" ORDER BY id LIMIT {layout.AT_ONCE} OFFSET ?"
    ),
    layout.LAST_TURNS: f"{layout.LAST_TURNS} AND campaign = :campaign",
    layout.IDS: "SELECT number, id FROM turn_ids WHERE campaign = :campaign AND stream = ?",
    layout.HOW_MANY_TURNS: f"SELECT count(*) FROM stored_events WHERE originator_id IN {_OWN}",
    layout.LINKS_WITHOUT_TURNS: (
        f"SELECT stream, number FROM links WHERE stream IN {_OWN}"
        f" EXCEPT SELECT originator_id, originator_version FROM stored_events WHERE originator_id IN {_OWN}"
    ),
    # in byte order "0" follows "/"
    layout.TURNS_OF_NO_BRANCH: (
        "SELECT DISTINCT originator_id FROM stored_events"
        f" WHERE originator_id > :campaign || '/' AND originator_id < :campaign || '0' AND originator_id NOT IN {_OWN}"
    ),
    layout.UNKNOWN_SETTINGS: "SELECT name FROM settings WHERE campaign = :campaign AND name <> 'branch'",
    layout.SCHEMA: (
        "SELECT 'table', relname::text FROM pg_class WHERE relnamespace = 'campaign'::regnamespace"
        " AND relkind IN ('r', 'p') AND NOT relispartition UNION SELECT 'trigger', tgname::text FROM pg_trigger"
        " JOIN pg_class ON tgrelid = pg_class.oid WHERE relnamespace = 'campaign'::regnamespace"
        " AND NOT tgisinternal AND tgenabled = 'O'"
    ),
    layout.HAS_PLACES: "SELECT 1",
    layout.HAS_SIGNATURES: (
        "SELECT 1 FROM pg_class WHERE relnamespace = 'campaign'::regnamespace AND relname = 'signatures'"
    ),
    layout.SIGNATURES: (
        f"SELECT stream, number, seal, signature FROM signatures WHERE stream IN {_OWN}"
        " ORDER BY number, stream, signature"
    ),
    layout.NEW_BRANCH: "INSERT INTO branches (stream, name, base, fork, campaign) VALUES (?, ?, ?, ?, :campaign)",
    layout.SWITCH: (
        "INSERT INTO settings (campaign, name, value) VALUES (:campaign, 'branch', ?)"
        " ON CONFLICT (campaign, name) DO UPDATE SET value = EXCLUDED.value"
    ),
    layout.BRANCH_SWITCHED_TO: "SELECT 1 FROM settings WHERE campaign = :campaign AND name = 'branch' AND value = ?",
}

#: The lock of a stream while a turn is appended, so that numbers have no gaps.
STREAM_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(?, 0))"
#: The same lock for a whole session, to decide a turn while nobody else appends; reentrant for its holder.
STREAM_HELD = "SELECT pg_advisory_lock(hashtextextended(?, 0))"
STREAM_LEFT = "SELECT pg_advisory_unlock(hashtextextended(?, 0))"
NEW_EVENT = "INSERT INTO stored_events (originator_id, originator_version, topic, state) VALUES (?, ?, ?, ?)"
NEW_ID = "INSERT INTO turn_ids (campaign, id, number, stream) VALUES (:campaign, ?, ?, ?)"

#: All relations in the schema of this name.
TABLES_THERE = (
    "SELECT relname FROM pg_class JOIN pg_namespace ON relnamespace = pg_namespace.oid"
    f" WHERE nspname = '{SCHEMA}' AND relkind IN ('r', 'p', 'v', 'm', 'f')"
)
CAMPAIGN = "SELECT campaign FROM campaigns WHERE slug = ?"
CAMPAIGNS = "SELECT slug, name, campaign FROM campaigns ORDER BY slug"
SLUGS = "SELECT slug FROM campaigns WHERE slug = ? OR slug LIKE ? || '-%'"


@cache
def translate(statement: str) -> str:
    """A statement in the driver's format, with the values by number and the campaign by name."""
    # the driver copies long records no more often than short ones
    of_one_campaign = _OF_ONE_CAMPAIGN.get(statement, statement).replace(layout.RECORD_IN_ROW, "state")
    pieces = of_one_campaign.replace("%", "%%").split("?")
    text = "".join(f"{piece}%({number})s" for number, piece in enumerate(pieces[:-1]))
    return (text + pieces[-1]).replace(":campaign", "%(campaign)s")


def by_number(values: Sequence[int | str | bytes], campaign: str) -> dict[str, Any]:
    """The values of a translated statement by their names."""
    return {**{str(number): value for number, value in enumerate(values)}, "campaign": campaign}
