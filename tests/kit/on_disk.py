"""Campaign files for tests: started, with notes in them, looked at from outside."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from uuid import uuid4

from cli.store.making import create
from domain.common.notes import Note, Noted
from domain.common.start import CampaignStart, CampaignStarted
from domain.log.command_handler import CommandHandler
from domain.log.port import Log
from domain.registry import record_types
from domain.turn import Turn

EVENING = datetime(2026, 1, 1, 19, 0, tzinfo=UTC)


def first_turn(name: str = "Test", rules: str = "osr", version: int = 1) -> Turn:
    """Turn 1 of a campaign."""
    return record_types("osr").turn(
        number=1,
        id="id-1",
        at=EVENING.isoformat(),
        action=CampaignStart(name=name, rules=rules),
        events=(CampaignStarted(name, rules, version),),
        seed=1,
    )


def note(number: int, text: str = "Rain.", turn_id: str | None = None) -> Turn:
    """A turn that needs no rules."""
    return record_types("osr").turn(
        number=number,
        id=turn_id or f"id-{number}",
        at=EVENING.isoformat(),
        action=Note(text=text),
        events=(Noted(text),),
        seed=number,
    )


def started(path: Path, turns: int = 1) -> Path:
    """A campaign file of so many turns."""
    from cli.store.file import open_campaign

    create(path, "campaign-1", first_turn())
    if turns > 1:
        with open_campaign(path, write=True) as campaign:
            for number in range(2, turns + 1):
                campaign.append(note(number))
    return path


def handler_of(log: Log, seeds: Iterator[int] | None = None) -> CommandHandler:
    """A command handler whose ids are unique across processes; `seeds` keep those of several handlers apart."""
    seeds = count(1) if seeds is None else seeds
    return CommandHandler(log, clock=lambda: EVENING, new_id=lambda: uuid4().hex, new_seed=lambda: next(seeds))


@contextmanager
def left_in_wal(path: Path, newer: Path) -> Iterator[None]:
    """Turn a campaign into one of before, with the turns that `newer` has and it has not in its `-wal` alone."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA wal_autocheckpoint=0")
        connection.execute("ATTACH ? AS newer", (str(newer),))
        tables = "SELECT name FROM newer.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        connection.execute("BEGIN")
        for (table,) in connection.execute(tables).fetchall():
            connection.execute(f"INSERT OR IGNORE INTO {table} SELECT * FROM newer.{table}")
        connection.execute("COMMIT")
        yield


def beside(path: Path) -> list[str]:
    """What lies in the folder of a campaign."""
    return sorted(path.name for path in path.parent.iterdir())


def meddle(path: Path, *statements: str) -> None:
    """Change a campaign behind its back, and close it properly."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        for statement in statements:
            connection.execute(statement).fetchall()
    finally:
        connection.close()
