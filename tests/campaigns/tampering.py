"""A campaign file changed behind its back, at random: `verify` finds every change, SQLite's own check hardly any.

python -m tests.campaigns.tampering --rounds 2000 --seed 7
"""

import argparse
import random
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from cli.store.branches import make_branch
from cli.store.checking import findings_in
from cli.store.failures import SQLITE_FAILS, Unopenable
from cli.store.file import open_campaign
from cli.store.linking import link_all
from domain.log.hash_chain import Seal, seal_of
from domain.log.port import DamagedLog
from domain.registry import action_from
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.campaigns.lived import at_the_table
from tests.kit.on_disk import handler_of, note, started

Row = tuple[str, int, str, bytes]


def played(path: Path, turns: int = 60) -> Seal:
    """A campaign with hits, rests, notes and a branch in it; its seal."""
    started(path)
    with open_campaign(path, write=True) as log:
        handler = handler_of(log)
        enrolled = ({"type": "osr.enrol", "character": name, "level": 9} for name in ("Brog", "Ada"))
        for line in (*enrolled, *islice(at_the_table(), turns)):
            handler.record(action_from("osr", line))
        make_branch(log, "plan", turns // 2)
        seal = seal_of(log.last(), log.link(log.last()))
    with open_campaign(path, write=True, branch="plan") as log:
        log.append(note(turns // 2 + 1, turn_id="on the branch"))
    return seal


class Forger:
    """Changes one thing of a campaign in a way that the file can still be opened, if it likes."""

    def __init__(self, connection: sqlite3.Connection, chance: random.Random) -> None:
        self.connection, self.chance = connection, chance
        rows = connection.execute("SELECT * FROM stored_events WHERE originator_version > 1").fetchall()
        self.row: Row = chance.choice(rows)
        self.other: Row = chance.choice([row for row in rows if row[:2] != self.row[:2]])

    def store(self, state: bytes, topic: str | None = None, of: Row | None = None) -> None:
        row = of or self.row
        self.connection.execute(
            "UPDATE stored_events SET state = ?, topic = ? WHERE originator_id = ? AND originator_version = ?",
            (state, topic or row[2], row[0], row[1]),
        )

    def record(self) -> dict[str, Any]:
        fields: dict[str, Any] = msgspec.msgpack.decode(self.row[3])
        return fields

    # -- the ways

    def flip_a_bit(self) -> None:
        state = bytearray(self.row[3])
        state[self.chance.randrange(len(state))] ^= 1 << self.chance.randrange(8)
        self.store(bytes(state))

    def change_the_author(self) -> None:
        self.store(msgspec.msgpack.encode(self.record() | {"by": "Somebody Else"}))

    def change_the_time(self) -> None:
        self.store(msgspec.msgpack.encode(self.record() | {"at": "2026-01-01T20:00:00+00:00"}))

    def change_the_dice(self) -> None:
        record = self.record()
        record["seed"] = record["seed"] + 1
        self.store(msgspec.msgpack.encode(record))

    def swap_two(self) -> None:
        self.store(self.other[3], self.other[2])
        self.store(self.row[3], self.row[2], of=self.other)

    def delete_one(self) -> None:
        self.connection.execute(
            "DELETE FROM stored_events WHERE originator_id = ? AND originator_version = ?", self.row[:2]
        )

    def insert_one(self) -> None:
        (last,) = self.connection.execute(
            "SELECT max(originator_version) FROM stored_events WHERE originator_id = ?", self.row[:1]
        ).fetchone()
        forged = note(last + 1, text="It was agreed.", turn_id="forged")
        self.connection.execute(
            "INSERT INTO stored_events VALUES (?, ?, 'note', ?)",
            (self.row[0], last + 1, msgspec.msgpack.encode(forged)),
        )
        self.connection.execute("INSERT INTO turn_ids VALUES ('forged', ?, ?)", (last + 1, self.row[0]))

    def cut_the_end(self) -> None:
        for table, number in (("stored_events", "originator_version"), ("turn_ids", "number"), ("links", "number")):
            stream = "originator_id" if table == "stored_events" else "stream"
            self.connection.execute(
                f"DELETE FROM {table} WHERE {stream} = 'campaign-1' AND {number} > ?", (self.chance.randrange(31, 60),)
            )

    def change_and_link_anew(self) -> None:
        """Nothing is at odds in the file itself; only who holds a seal can know."""
        rows = self.connection.execute("SELECT * FROM stored_events WHERE originator_id = 'campaign-1'").fetchall()
        self.row = self.chance.choice([row for row in rows if row[1] > 1])
        self.chance.choice((self.change_the_author, self.change_the_time))()
        self.connection.execute("BEGIN")
        link_all(self.connection)
        self.connection.execute("COMMIT")

    def give_another_id(self) -> None:
        self.connection.execute(
            "UPDATE turn_ids SET id = 'forged' WHERE number = ? AND stream = ?", (self.row[1], self.row[0])
        )


WAYS: tuple[Callable[[Forger], None], ...] = (
    Forger.flip_a_bit, Forger.change_the_author, Forger.change_the_time, Forger.change_the_dice, Forger.swap_two,
    Forger.delete_one, Forger.insert_one, Forger.cut_the_end, Forger.change_and_link_anew, Forger.give_another_id,
)  # fmt: skip


def found_in(path: Path, seal: Seal) -> bool:
    """Whether verify finds anything wrong, holding the seal against it."""
    try:
        with open_campaign(path) as log:
            return any(finding.kind == "damage" for finding in findings_in(log, [seal]))
    except (Unopenable, DamagedLog):
        return True


def by_sqlite(path: Path) -> bool:
    """Whether SQLite's own check finds anything wrong."""
    with closing(sqlite3.connect(path)) as connection:
        return bool(connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)])


def forge(
    folder: Path, whole: Path, seal: Seal, way: Callable[[Forger], None], chance: random.Random
) -> tuple[bool, bool]:
    """Whether verify finds it, and whether SQLite does."""
    path = folder / "forged.campaign"
    shutil.copy(whole, path)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        way(Forger(connection, chance))
    return found_in(path, seal), by_sqlite(path)


def flip_a_byte(folder: Path, whole: Path, seal: Seal, chance: random.Random) -> tuple[bool, bool] | None:
    """The same for one bit anywhere in the file; None where it changed nothing that is stored (free space)."""
    path = folder / "flipped.campaign"
    content = bytearray(whole.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    findings = found_in(path, seal)
    if not findings and _same_rows(path, whole):
        return None
    sqlite = True
    with suppress(*SQLITE_FAILS):
        sqlite = by_sqlite(path)
    return findings, sqlite


def _same_rows(first: Path, second: Path) -> bool:
    findings = []
    for path in (first, second):
        with closing(sqlite3.connect(path)) as connection:
            tables = ("stored_events", "turn_ids", "links", "branches", "settings")
            findings.append([connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in tables])
    return findings[0] == findings[1]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args(arguments)
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**32)
    chance = random.Random(seed)
    tries_by_kind: Counter[str] = Counter()
    sqlite: Counter[str] = Counter()
    misses: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole = folder / "whole.campaign"
        seal = played(whole)
        assert not found_in(whole, seal), "nothing is found in a campaign that nobody touched"
        for number in range(options.rounds):
            way = WAYS[number % len(WAYS)]
            tries = [(way.__name__, forge(folder, whole, seal, way, chance))]
            if (flipped := flip_a_byte(folder, whole, seal, chance)) is not None:
                tries.append(("flip_any_byte", flipped))
            for kind, (is_found, by_itself) in tries:
                tries_by_kind[kind] += 1
                sqlite[kind] += by_itself
                if not is_found:
                    misses.append(f"{kind} in round {number}")
    total = sum(tries_by_kind.values())
    print(f"seed {seed}: {total} changes, {total - len(misses)} found by verify with a seal;"
          f" control: integrity_check found {sum(sqlite.values())}")  # fmt: skip
    for kind, times in sorted(tries_by_kind.items()):
        print(f"  {kind:<24} {times:6}  integrity_check {sqlite[kind]}")
    for fault in misses[:20]:
        print(f"  missed: {fault}")
    if misses or sum(sqlite.values()) > total / 2:
        sys.exit(1)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
