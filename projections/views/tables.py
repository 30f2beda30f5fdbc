"""The tables of a view: their columns and meanings, keys and indexes, and the statements that create them.

The statements come from sqlite-utils, which is imported only when a view is created.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from sqlite_utils import Database

#: The version of the tables and their contents; views of another version are made again.
SCHEMA = 19

#: A column without affinity: holds a whole number, a text, or JSON text for lists and mappings.
ANY = bytes


class TableOfView(Struct, frozen=True):
    """One table: its columns with their types and meanings."""

    title: str
    meaning: str
    columns: Mapping[str, tuple[type, str]]
    key: str | tuple[str, ...]
    #: column -> the table whose key it holds
    refers: Mapping[str, str] = {}
    indexes: Sequence[Sequence[str]] = ()
    #: columns to filter by in Datasette
    facets: Sequence[str] = ()


OF_TURN = {"turn": "turns"}

TABLES: dict[str, TableOfView] = {
    "turns": TableOfView(
        "Turns",
        "One row for each turn, undone ones included.",
        {
            "turn": (int, "its number"),
            "session": (int, "the session it belongs to; 0 outside any"),
            "at": (str, "when it happened, as given (ISO time with zone)"),
            "instant": (int, "when it happened, in microseconds since 1970 UTC, for comparing"),
            "by": (str, "who recorded it"),
            "kind": (str, "the tag of the action"),
            "sentence": (str, "what happened, as it reads now"),
            "standing": (int, "1 if it counts, 0 if it is undone"),
            "undone_by": (int, "the turn that undid it"),
            "redecided_by": (int, "the turn that decided it again"),
            "kept": (int, "1 if it is kept as it was, although it would no longer be legal"),
            "place": (
                int,
                "the turn directly after which it counts (late entry, moved, a ruling since); null: at its number",
            ),
            "together": (int, "where one line made several turns: the first of them"),
            "sentence_then": (str, "how it read when it was recorded, if it was decided again"),
            "action": (str, "the action in force, as JSON"),
            "cards": (
                str,
                "who dealt the cards that were turned up: dealt (by the program), reported (by the table), or both",
            ),
            "parts": (
                str,
                "the sentence in pieces, as JSON; a piece in a list of its own is struck out; null if it is one piece",
            ),
            "folded": (
                str,
                "the sentence as it is compared with words: in small letters of one width; null if it is the same",
            ),
            "drew": (int, "1 if the program rolled or dealt for it, 0 if not, or if the table reported everything"),
            "via": (str, "assistant if an assistant recorded it; null for everybody else"),
        },
        "turn",
        {"undone_by": "turns", "redecided_by": "turns"},
        (("session",), ("kind",), ("by",), ("standing",), ("instant",)),
        ("session", "kind", "by", "standing"),
    ),
    "events": TableOfView(
        "Events",
        "One row for each thing that happened: T42.2 is turn 42, number 2.",
        {
            "turn": (int, "the turn"),
            "number": (int, "which event of the turn, counted from 1"),
            "kind": (str, "the tag of the event"),
            "character": (str, "whom it happened to"),
            "rule": (str, "the paragraphs that made it so"),
            "sentence": (str, "what happened"),
            "standing": (int, "1 if its turn counts"),
            "json": (str, "the whole event"),
        },
        ("turn", "number"),
        OF_TURN,
        (("kind",), ("character",)),
        ("kind", "character", "rule", "standing"),
    ),
    "values": TableOfView(
        "Values",
        "Every change of every field of a sheet, in the order in which the turns count; also called changes.",
        {
            "id": (int, "counts up in the order in which the turns count"),
            "turn": (int, "the turn that changed it"),
            "event": (int, "which event of that turn"),
            "character": (str, "whose sheet; empty: what the table tracks for itself"),
            "field": (str, "the field, as the sheet in JSON names it"),
            "old": (ANY, "what it was: a number, a text, or JSON text; null at first"),
            "new": (ANY, "what it became"),
            "rule": (str, "the paragraphs that made it so"),
        },
        "id",
        OF_TURN,
        (("character", "field"), ("turn",)),
        ("character", "field"),
    ),
    "tracked": TableOfView(
        "Tracked values",
        "Every change of what the group tracks: gold, torches, the day.",
        {
            "turn": (int, "the turn that changed it"),
            "character": (str, "whose it is; null: the table's own"),
            "name": (str, "what it is called"),
            "old": (ANY, "what it was: a number or a text; null if it was not tracked yet"),
            "new": (ANY, "what it became; null if it is tracked no longer"),
        },
        ("turn", "name"),
        OF_TURN,
        (("character", "name"),),
        ("character", "name"),
    ),
    "rulings": TableOfView(
        "Rulings",
        "What the group decided about the rules.",
        {
            "turn": (int, "the turn that made it"),
            "ruling": (int, "its number: 1 for R1"),
            "rule": (str, "the paragraph, without the name of the rule system"),
            "text": (str, "what was decided"),
            "why": (str, "the reason"),
            "trial": (int, "1 if it was made on trial"),
            "review": (ANY, "when a trial is to be looked at again: a session's number or a day"),
            "because": (str, "the turns that gave rise to it, as JSON"),
            "supersedes": (int, "the number of the ruling that it replaces"),
            "options": (str, "the options it sets, as JSON"),
            "counts_from": (int, "the turn after which it counts: its own, or an earlier one"),
            "standing": (int, "1 if its turn counts"),
            "ended_by": (int, "the turn that ended it"),
            "ended_why": (str, "why it ended"),
            "kept_by": (int, "the turn that adopted it after its trial"),
            "superseded_by": (int, "the latest of the later rulings that set every option it sets"),
            "in_force": (int, "1 if it holds now"),
        },
        "turn",
        {"turn": "turns", "ended_by": "turns", "kept_by": "turns"},
        (("ruling",),),
        ("rule", "in_force", "trial"),
    ),
    "notes": TableOfView(
        "Notes",
        "Words without effect on any sheet.",
        {
            "turn": (int, "the turn"),
            "about": (str, "a character"),
            "rule": (str, "a paragraph, without the name of the rule system"),
            "about_turn": (int, "a turn it speaks of"),
            "text": (str, "the note"),
            "disputed": (int, "1 if it says that the paragraph is disputed"),
            "standing": (int, "1 if its turn counts"),
        },
        "turn",
        {"turn": "turns", "about_turn": "turns"},
        (),
        ("about", "rule"),
    ),
    "wordings": TableOfView(
        "Wordings of paragraphs",
        "Paragraphs that the group added, revised or withdrew.",
        {
            "turn": (int, "the turn that did it"),
            "rule": (str, "the paragraph, without the name of the rule system"),
            "kind": (str, "added, revised or withdrawn"),
            "version": (int, "the number of this wording; the built-in one is 1; null if it is none, or undone"),
            "title": (str, "its new title, null if it keeps the one before"),
            "text": (str, "its new words, null if it keeps those before"),
            "why": (str, "the reason"),
            "because": (str, "the turns that gave rise to it, as JSON"),
            "standing": (int, "1 if its turn counts"),
        },
        "turn",
        OF_TURN,
        (("rule",),),
        ("rule", "kind"),
    ),
    "under": TableOfView(
        "Played under",
        "The wordings and rulings under which each turn of the game was played.",
        {
            "turn": (int, "the turn"),
            "rule": (str, "the paragraph, as cited"),
            "version": (int, "the number of the wording that was in force; the built-in one is 1"),
            "ruling": (int, "a ruling on it that was in force, one row for each; null if none was"),
        },
        ("turn", "rule", "ruling"),
        OF_TURN,
        (("rule", "version"), ("ruling",)),
        ("rule", "ruling"),
    ),
    "sessions": TableOfView(
        "Sessions",
        "One row for each evening that is not undone.",
        {
            "session": (int, "its number"),
            "title": (str, "its title"),
            "date": (str, "its date as given"),
            "place": (str, "where it was played"),
            "opened": (int, "the turn that opened it"),
            "closed": (int, "the turn that closed it"),
            "summary": (str, "what was said at its end"),
        },
        "session",
        {"opened": "turns", "closed": "turns"},
    ),
    "rolls": TableOfView(
        "Dice, totals and cards",
        "Each die, each total and each card, reported by the table or drawn by the program.",
        {
            "id": (int, "counts up"),
            "turn": (int, "the turn"),
            "character": (str, "for whom"),
            "purpose": (str, "what for"),
            "kind": (str, "die, card, or total: what somebody added up, like a save"),
            "sides": (int, "how many sides the die has"),
            "value": (ANY, "what it shows"),
            "reported": (int, "1 if the table reported it, 0 if the log drew it"),
            "standing": (int, "1 if its turn counts"),
        },
        "id",
        OF_TURN,
        (("turn",), ("kind", "sides")),
        ("kind", "character", "purpose", "reported"),
    ),
    "citations": TableOfView(
        "Citations",
        "Which event rests on which paragraph: one row for each.",
        {
            "turn": (int, "the turn"),
            "number": (int, "which event of the turn; 0: the table says it was played under it"),
            "rule": (str, "the paragraph"),
        },
        ("turn", "number", "rule"),
        OF_TURN,
        (("rule", "turn"),),
        ("rule",),
    ),
    "involved": TableOfView(
        "Who was in it",
        "Which characters a turn is about: one row for each.",
        {"turn": (int, "the turn"), "character": (str, "the character")},
        ("turn", "character"),
        OF_TURN,
        (("character", "turn"),),
        ("character",),
    ),
}
#: Columns that later turns change, so that they are not valid at an earlier point.
OF_THE_PRESENT = ("superseded_by", "in_force")
#: Tables for the view's own use: its position with the state there, and after which turns something lay face down.
OWN = ("position", "face_down")


def make(connection: sqlite3.Connection) -> None:
    """Drop everything and create the tables, in the open transaction; indexes are created after the first rows."""
    drop(connection)
    for statement in _schema()[0]:
        connection.execute(statement)


@cache
def has_full_text() -> bool:
    """Whether this SQLite has full-text search with trigrams: FTS5 since 3.34, unless built without it."""
    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            connection.execute("CREATE VIRTUAL TABLE words USING fts5 (sentence, tokenize = 'trigram')")
        except sqlite3.OperationalError:
            return False
    return True


def layout() -> int:
    """The version of the layout, as stored in a view; negative without full-text search."""
    return SCHEMA if has_full_text() else -SCHEMA


def make_indexes(connection: sqlite3.Connection) -> None:
    """Create the indexes, in the open transaction."""
    for statement in _schema()[1]:
        connection.execute(statement)


def make_sheets(connection: sqlite3.Connection, fields: Sequence[str]) -> None:
    """Create the table of the current sheets, with one column per field."""
    connection.execute("DROP TABLE IF EXISTS sheets")
    connection.execute(_sheets(tuple(fields)))


def drop(connection: sqlite3.Connection) -> None:
    """Drop all tables and views, in the open transaction."""
    # virtual tables first: they own some of the others
    existing = connection.execute(
        "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
        " ORDER BY sql LIKE 'CREATE VIRTUAL%' DESC"
    ).fetchall()
    for kind, name in existing:
        connection.execute(f"DROP {kind} IF EXISTS {quote(name)}")


def quote(name: str) -> str:
    """A name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


@cache
def _schema() -> tuple[Sequence[str], Sequence[str]]:
    """The statements of sqlite-utils that create the tables, and those that create their indexes.

    Computed once per process, because that takes longer than running them.
    """
    with _with_sqlite_utils() as db:
        for name, table in TABLES.items():
            db.table(name).create(
                {column: kind for column, (kind, _) in table.columns.items()},
                pk=table.key,
                foreign_keys=[(column, target, str(TABLES[target].key)) for column, target in table.refers.items()],
            )
        if has_full_text():
            db.table("turns").enable_fts(["sentence", "folded"], tokenize="trigram")
        db.create_view("changes", 'select * from "values"')
        db.table("position").create(
            {
                "campaign": str,
                "rules": str,
                "rules_version": int,
                "schema": int,
                "audience": str,
                "turn": int,
                "turn_id": str,
                "state": bytes,
            }
        )
        # of a view for a player: what lay face down after such a turn may be revealed by a later one
        db.table("face_down").create({"turn": int}, pk="turn")
        for name, table in TABLES.items():
            for columns in table.indexes:
                db.table(name).create_index(columns)
        # the full-text index makes tables of its own
        rows = db.query("SELECT type, sql FROM sqlite_master WHERE sql > '' AND name NOT GLOB 'turns_fts_*'")
        statements = [(row["type"] == "index", row["sql"]) for row in rows]
    return [sql for index, sql in statements if not index], [sql for index, sql in statements if index]


@cache
def _sheets(fields: tuple[str, ...]) -> str:
    """The statement that makes the table of the sheets."""
    with _with_sqlite_utils() as db:
        sheets = db.table("sheets").create({"character": str, **dict.fromkeys(fields, ANY)}, pk="character")
        return str(sheets.schema)


def _with_sqlite_utils() -> "Database":
    """A database of its own to make tables in."""
    from sqlite_utils import Database

    return Database(memory=True, execute_plugins=False, recursive_triggers=False)
