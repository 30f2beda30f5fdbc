"""The layout of a database: its tables, and the statements of `cli.store.layout` limited to one of many campaigns.

The tables of turns, ids and links are append-only, by triggers and by the rights of writers. They are partitioned by
the hash of their stream, so that no index grows with all campaigns.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from hashlib import sha256
from typing import Any

from cli.store import layout
from cli.store.layout import sql_literal

SCHEMA = "campaign"
#: The version of the layout.
FORMAT = 1
#: Seconds to wait for a server, or for another writer.
LONGEST_WAIT = 10
#: Partitions of each large table.
PARTITIONS = 16
#: The advisory lock for creating and changing tables: "CAMP" in ASCII, twice.
INIT_LOCK = 0x43414D5043414D50
#: The channel on which followers are notified of a turn, with its stream.
CHANNEL = "campaign_turns"

LARGE = {"stored_events": "originator_id", "turn_ids": "campaign", "links": "stream"}
ONLY_ADDED_TO = (*LARGE, "placed", "signatures")
TABLES = ("format", "campaigns", *ONLY_ADDED_TO, "branches", "settings", "kept")

TRIGGERS = ("only_added_to", "never_emptied", "next_number")
KNOWN_SCHEMA = frozenset({*(("table", table) for table in TABLES), *(("trigger", trigger) for trigger in TRIGGERS)})
#: What a database that an earlier version set up may lack.
LATER_SCHEMA = frozenset({("table", "signatures"), ("table", "kept"), ("trigger", "next_number")})

#: Text ordered by bytes, independent of the machine and its libraries.
_TEXT = 'text COLLATE "C"'


#: The triggers that are on, as (name, table), and the indexes, for `creation`.
TRIGGERS_THERE = (
    "SELECT tgname::text, relname::text FROM pg_trigger JOIN pg_class ON tgrelid = pg_class.oid"
    f" WHERE relnamespace = to_regnamespace('{SCHEMA}') AND NOT tgisinternal AND tgenabled = 'O'"
)
INDEXES_THERE = (
    "SELECT relname::text FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid"
    f" WHERE relnamespace = to_regnamespace('{SCHEMA}') AND indisvalid"
)


def speaking_index(speaking: Sequence[str]) -> tuple[str, str]:
    """The name and the condition of the partial index of the revising actions with these tags.

    An index serves only the very list that it was made with, so its name tells the list.
    """
    condition = f"topic IN ({', '.join(map(sql_literal, speaking))})"
    return f"speaking_{sha256(condition.encode()).hexdigest()[:8]}", condition


def index_statements(speaking: Sequence[str], indexes: Collection[str]) -> Iterator[str]:
    """The statements that make the index of revising actions where it is missing, each a transaction of its own.

    Nobody who plays waits for them: the parts are indexed beside whoever writes, and joined to an empty index.
    """
    name, condition = speaking_index(speaking)
    if name in indexes:
        return
    columns = f"(originator_id, originator_version) WHERE {condition}"
    # one that was begun and cut off, with the parts that were joined to it
    yield f"DROP INDEX IF EXISTS {SCHEMA}.{name}"
    yield f"CREATE INDEX {name} ON ONLY {SCHEMA}.stored_events {columns}"
    for part in range(PARTITIONS):
        yield f"DROP INDEX IF EXISTS {SCHEMA}.{name}_{part}"
        yield f"CREATE INDEX CONCURRENTLY {name}_{part} ON {SCHEMA}.stored_events_{part} {columns}"
        yield f"ALTER INDEX {SCHEMA}.{name} ATTACH PARTITION {SCHEMA}.{name}_{part}"
    yield from (
        f"DROP INDEX IF EXISTS {SCHEMA}.{old}" for old in indexes if re.fullmatch(r"speaking(_[0-9a-f]{8})?", old)
    )


def creation(indexes: Collection[str], triggers: Collection[tuple[str, str]]) -> Iterator[str]:
    """The statements that create everything but the index of revising actions, for one transaction.

    What is there already (`indexes`, and `triggers` as (name, table)) is left alone: making it again would wait for
    everybody who plays, and keep them waiting.
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
    if "branch_names" not in indexes:
        yield "CREATE UNIQUE INDEX branch_names ON branches (campaign, name) WHERE deleted = 0"
    yield (
        f"CREATE TABLE IF NOT EXISTS settings (campaign {_TEXT} NOT NULL, name text NOT NULL, value text NOT NULL,"
        " PRIMARY KEY (campaign, name))"
    )
    yield (
        "CREATE OR REPLACE FUNCTION only_added_to() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN IF TG_OP = 'DELETE' AND current_setting('campaign.removes', true) = 'yes' THEN RETURN OLD; END IF;"
        " RAISE EXCEPTION 'What was played is never changed.' USING ERRCODE = 'restrict_violation'; END $$"
    )
    # what the programs of all machines have to know, and the log does not: seats, and draws that are pending
    yield (
        f"CREATE TABLE IF NOT EXISTS kept (campaign {_TEXT} NOT NULL, name {_TEXT} NOT NULL, value text NOT NULL,"
        " PRIMARY KEY (campaign, name))"
    )
    # a turn behind a gap would stop its campaign, whoever put it there
    yield (
        "CREATE OR REPLACE FUNCTION next_number() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE next bigint; BEGIN"
        f" SELECT originator_version + 1 INTO next FROM {SCHEMA}.stored_events"
        " WHERE originator_id = NEW.originator_id ORDER BY originator_version DESC LIMIT 1;"
        f" IF next IS NULL THEN SELECT fork + 1 INTO next FROM {SCHEMA}.branches WHERE stream = NEW.originator_id;"
        " END IF; IF NEW.originator_version > coalesce(next, 1) OR NEW.originator_version < 1 THEN"
        " RAISE EXCEPTION 'The next turn of % is T%.', NEW.originator_id, coalesce(next, 1)"
        " USING ERRCODE = 'check_violation'; END IF; RETURN NEW; END $$"
    )
    yield from (
        f"CREATE OR REPLACE TRIGGER {name} BEFORE {event} EXECUTE FUNCTION {function}()"
        for name, table, event, function in _triggers()
        if (name, table) not in triggers
    )


def _triggers() -> Iterator[tuple[str, str, str, str]]:
    """Every trigger as (name, table, what it comes before, function)."""
    yield "next_number", "stored_events", "INSERT ON stored_events FOR EACH ROW", "next_number"
    for table in ONLY_ADDED_TO:
        yield "only_added_to", table, f"UPDATE OR DELETE ON {table} FOR EACH ROW", "only_added_to"
        parts = [f"{table}_{part}" for part in range(PARTITIONS)] if table in LARGE else []
        for relation in (table, *parts):
            yield "never_emptied", relation, f"TRUNCATE ON {relation} FOR EACH STATEMENT", "only_added_to"


def grants(role: str, *, write: bool) -> Iterator[str]:
    """The statements that grant a role the right to read, and with `write` to add turns but change none."""
    yield f"GRANT USAGE ON SCHEMA {SCHEMA} TO {role}"
    yield f"GRANT SELECT ON ALL TABLES IN SCHEMA {SCHEMA} TO {role}"
    if write:
        yield f"GRANT INSERT ON {', '.join(f'{SCHEMA}.{table}' for table in TABLES[1:])} TO {role}"
        yield f"GRANT UPDATE (deleted) ON {SCHEMA}.branches TO {role}"
        yield f"GRANT UPDATE (value) ON {SCHEMA}.settings, {SCHEMA}.kept TO {role}"
        yield f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {SCHEMA} TO {role}"


#: The streams of one campaign.
_OWN = "(SELECT :campaign UNION ALL SELECT stream FROM branches WHERE campaign = :campaign)"

#: Statements that concern the whole of a file, limited to one campaign.
_OF_ONE_CAMPAIGN = {
    # by its link, which a turn that somebody put behind a gap does not have
    layout.LAST_TURN: "SELECT max(number) FROM links WHERE stream = ?",
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
    layout.LAST_TURNS: f"{layout.LAST_TURNS} AND campaign = :campaign",
    layout.IDS: "SELECT number, id FROM turn_ids WHERE campaign = :campaign AND stream = ? ORDER BY number",
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

#: How a transaction that writes begins: whoever holds a lock is not waited for without end, and without a synchronous
#: commit acknowledged turns would be lost with the server's machine, or with its primary.
_WRITES = (
    f"set_config('lock_timeout', '{LONGEST_WAIT}s', true), set_config('synchronous_commit',"
    " CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'"
    " ELSE current_setting('synchronous_commit') END, true)"
)
BEGIN_WRITING = f"SELECT {_WRITES}"
#: The same, the version of the tables, and the lock of a stream to the end of the transaction, so that numbers have no
#: gaps.
STREAM_LOCK = f"SELECT (SELECT version FROM format), {_WRITES}, pg_advisory_xact_lock(hashtextextended(?, 0))"
#: The last turn of a stream, also behind a gap.
LAST_THERE = "SELECT max(originator_version) FROM stored_events WHERE originator_version > 0 AND originator_id = ?"
#: The last turn of a stream that has a link, with the link: no row for a stream without turns of its own.
LAST_LINK = "SELECT number, link FROM links WHERE stream = ? ORDER BY number DESC LIMIT 1"
#: New turns by their ids, numbers, topics, records and links: one statement for all of it, as a server may be far away.
NEW_TURNS = (
    "WITH new AS (SELECT * FROM unnest(?::text[], ?::bigint[], ?::text[], ?::bytea[], ?::bytea[])"
    " AS new (id, number, topic, state, link)),"
    " ids AS (INSERT INTO turn_ids (campaign, id, number, stream) SELECT :campaign, id, number, ? FROM new),"
    " events AS (INSERT INTO stored_events (originator_id, originator_version, topic, state)"
    " SELECT ?, number, topic, state FROM new ORDER BY number)"
    " INSERT INTO links (stream, number, link) SELECT ?, number, link FROM new"
)


def new_turns(
    stream: str, ids: Sequence[str], records: Sequence[tuple[int, str, bytes]], links: Sequence[bytes]
) -> tuple[Any, ...]:
    """The values of `NEW_TURNS`; `records` are the number, topic and record of each turn."""
    numbers, topics, states = zip(*records, strict=True)
    return (list(ids), list(numbers), list(topics), list(states), list(links), stream, stream, stream)


HAS_KEPT = f"SELECT to_regclass('{SCHEMA}.kept') IS NOT NULL"
#: Takes out one campaign with all that belongs to it, in this order in one transaction; for the owner of the tables.
REMOVAL = (
    "SELECT set_config('campaign.removes', 'yes', true)",
    *(
        f"DELETE FROM {SCHEMA}.{table} WHERE {column} = %(campaign)s"
        f" OR {column} IN (SELECT stream FROM {SCHEMA}.branches WHERE campaign = %(campaign)s)"
        for table, column in (
            ("stored_events", "originator_id"),
            *((table, "stream") for table in ("links", "placed", "signatures")),
        )
    ),
    *(
        f"DELETE FROM {SCHEMA}.{table} WHERE campaign = %(campaign)s"
        for table in ("turn_ids", "branches", "settings", "kept", "campaigns")
    ),
)
KEPT = "SELECT value FROM kept WHERE campaign = :campaign AND name = ?"
KEEP = (
    "INSERT INTO kept (campaign, name, value) VALUES (:campaign, ?, ?)"
    " ON CONFLICT (campaign, name) DO UPDATE SET value = EXCLUDED.value"
)

#: The format of the tables, the last turn of each open table that was not taken out, and a mark that changes with its
#: seats: one question for all of them.
OPEN_TABLES = (
    f"SELECT (SELECT version FROM {SCHEMA}.format), open.campaign,"
    f" (SELECT max(number) FROM {SCHEMA}.links WHERE stream = open.stream),"
    f" (SELECT xmin::text FROM {SCHEMA}.kept WHERE kept.campaign = open.campaign AND name = 'seats')"
    f" FROM unnest(%s::text[], %s::text[]) AS open (campaign, stream) JOIN {SCHEMA}.campaigns USING (campaign)"
)

#: All relations in the schema of this name.
TABLES_THERE = (
    "SELECT relname FROM pg_class JOIN pg_namespace ON relnamespace = pg_namespace.oid"
    f" WHERE nspname = '{SCHEMA}' AND relkind IN ('r', 'p', 'v', 'm', 'f')"
)
CAMPAIGN_IS_THERE = "SELECT 1 FROM campaigns WHERE campaign = :campaign"
CAMPAIGN = "SELECT campaign FROM campaigns WHERE slug = ?"
CAMPAIGNS = f"SELECT slug, name, campaign FROM {SCHEMA}.campaigns ORDER BY slug"
#: Some campaigns by their slugs, after one or with just this one, each with its last turn: its number, and its record.
CAMPAIGNS_WITH_LAST = (
    f"SELECT slug, name, campaigns.campaign, last.number, state FROM {SCHEMA}.campaigns, LATERAL"
    f" (SELECT max(number) AS number FROM {SCHEMA}.links WHERE stream = campaigns.campaign) AS last"
    f" LEFT JOIN LATERAL (SELECT state FROM {SCHEMA}.stored_events"
    " WHERE originator_id = campaigns.campaign AND originator_version = last.number) AS event ON true"
    " WHERE CASE WHEN %(only)s THEN slug = %(slug)s ELSE slug > %(slug)s END ORDER BY slug LIMIT %(most)s"
)
SLUGS = "SELECT slug FROM campaigns WHERE slug = ? OR slug LIKE ? || '-%'"


#: Behind these words stands a table.
_TABLE = re.compile(rf"\b(FROM|JOIN|INTO|UPDATE) ({'|'.join(TABLES)})\b")


@cache
def translate(statement: str) -> str:
    """A statement in the driver's format, with the values by number, the campaign by name, and tables by their schema:
    behind a pooler no session has a search path.
    """
    of_one_campaign = _OF_ONE_CAMPAIGN.get(statement, statement)
    pieces = _TABLE.sub(rf"\1 {SCHEMA}.\2", of_one_campaign).replace("%", "%%").split("?")
    text = "".join(f"{piece}%({number})s" for number, piece in enumerate(pieces[:-1]))
    return (text + pieces[-1]).replace(":campaign", "%(campaign)s")


def by_number(values: Sequence[Any], campaign: str) -> dict[str, Any]:
    """The values of a translated statement by their names."""
    return {**{str(number): value for number, value in enumerate(values)}, "campaign": campaign}
