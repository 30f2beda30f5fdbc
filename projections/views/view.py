"""A view: a projection of the log into tables for queries, in one disposable SQLite file.

* It is caught up in one transaction, together with its position: the last turn, its id, the versions of the rules and
  of the tables, and the state there. If the position does not fit the log, the view is made anew.
* New turns add rows. After a revision the rows from the first turn that reads differently on are deleted, and these
  turns are written again.
* Everything in it can be made again from the log, so whatever is wrong with the file, it is thrown away. It is used
  only if nobody has touched the file since it was caught up: to sum it each time would cost as much as reading it.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from domain.log.effective_history import EffectiveHistory, effective_history
from domain.log.folding import fold, state_at
from domain.log.port import Log
from domain.log.snapshots import nearest_base, packed, unpacked
from domain.naming import folded
from domain.system.field_schema import stored_fields
from domain.system.ruled import Rulings, held
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.system.used_numbers import UsedNumbers
from projections.views import tables
from projections.views.rows import AT_ONCE, Rows, as_cell, segment

#: How long to wait for another process that is catching up the same view, in seconds.
LONGEST_WAIT = 30.0

#: How the file that says how a view was left is called after it.
LEFT = "-left"

#: What SQLite says when the file itself is no good.
BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH}
UNWRITABLE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_FULL,
              sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY}  # fmt: skip


class Segment(msgspec.Struct, frozen=True):
    """Turns whose rows lie in one of the databases of a view (those of `tables.TABLES`)."""

    database: str
    first: int
    last: int
    #: Whether the sentences are in a full-text index there.
    has_words: bool = True


class View:
    """An open view. Close it, or use it in a `with`."""

    def __init__(self, connection: sqlite3.Connection, path: Path | None, passing: Path | None = None) -> None:
        self.connection = connection
        #: Its file; None if it is kept in memory.
        self.path = path
        self._passing = passing
        #: Where its rows lie, in the order of the turns, if it is one of an earlier point.
        self.earlier: Sequence[Segment] = ()

    def __enter__(self) -> "View":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self.connection.close()
        if self._passing is not None:
            remove_view(self._passing)
            with suppress(OSError):
                self._passing.parent.rmdir()

    def ask(self, select: str, *parameters: Any) -> list[Any]:
        """All rows of a select of our own."""
        return self.connection.execute(select, parameters).fetchall()

    def last(self) -> int:
        """The number of its last turn; 0 if there is none."""
        if self.earlier:
            return self.earlier[-1].last
        ((number,),) = self.ask("SELECT max(turn) FROM turns")
        return number or 0

    def segments(self) -> Sequence[Segment]:
        """Where its rows lie, in the order of the turns."""
        return self.earlier or (Segment("main", 1, self.last()),)

    def table(self, select: str) -> tuple[tuple[str, ...], list[Any]]:
        """The names of the columns and all rows of a select of our own."""
        cursor = self.connection.execute(select)
        return tuple(column[0] for column in cursor.description), cursor.fetchall()


def view_in_memory(log: Log, system: RuleSystem, upto: int | None = None, viewer: str | None = None) -> View:
    """A view of the log as it stood at turn `upto`, as `viewer` may see it; gone when it is closed."""
    connection = _connect(":memory:")
    catch_up(connection, log, system, upto=upto, viewer=viewer)
    return View(connection, None)


def passing_view(log: Log, system: RuleSystem, upto: int | None = None) -> View:
    """A view in a file of its own, of the log as it stood at turn `upto`; gone when it is closed."""
    from tempfile import mkdtemp

    path = Path(mkdtemp(prefix="campaign-view-")) / "view.sqlite"
    try:
        connection = _opened(path)
        catch_up(connection, log, system, upto=upto)
    except BaseException:
        remove_view(path)
        path.parent.rmdir()
        raise
    return View(connection, path, passing=path)


class Base(msgspec.Struct, frozen=True):
    """What a branch begins from: that log, the file of its view, and the last turn that both have."""

    log: Log
    path: Path
    fork: int


def kept_view(
    path: Path,
    log: Log,
    system: RuleSystem,
    *,
    slow: Callable[[int], None] | None = None,
    base: Base | None = None,
) -> View:
    """The view in this file, caught up. One that is damaged is made anew; where none can be kept, a passing one.

    `slow` is told how many turns are to be read if there are many of them. Where there is no view yet, that of the
    `base` is copied, and brought from where the two part.
    """
    for _ in range(3):
        connection = None
        try:
            with _as_written(path):
                known = base if base is not None and base.path.exists() and not path.exists() else None
                if known is not None:
                    with _as_written(known.path):
                        _copy(known.path, path)
                connection = _opened(path)
                catch_up(connection, log, system, slow=slow, base=known)
            return View(connection, path)
        except OSError:
            break
        except (sqlite3.Error, msgspec.MsgspecError, UnicodeDecodeError) as error:
            if connection is not None:
                connection.close()
            if _code(error) in UNWRITABLE:
                break
            base = None  # perhaps it was that one
            remove_view(path)
        except BaseException:
            if connection is not None:
                connection.close()
            raise
    return passing_view(log, system)


@contextmanager
def _as_written(path: Path) -> Iterator[None]:
    """Alone with a view, which is thrown away first unless it is as it was left here.

    What SQLite finds wrong with a file is a small part of what can be; and what it does not find would be told as an
    answer. How it was left stands beside it, in a file that is also the lock: nobody looks at what is being written.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    beside = Path(f"{path}{LEFT}")
    os.close(os.open(beside, os.O_RDWR | os.O_CREAT, 0o600))
    with closing(sqlite3.connect(beside, isolation_level=None, timeout=LONGEST_WAIT)) as kept:
        kept.execute("PRAGMA synchronous=OFF").fetchall()
        kept.execute("BEGIN IMMEDIATE")
        kept.execute("CREATE TABLE IF NOT EXISTS marks (mark TEXT)")
        left = kept.execute("SELECT mark FROM marks").fetchone()
        if left != (_mark(path),):
            _remove(path)
        yield
        if left != (now := (_mark(path),)):
            kept.execute("DELETE FROM marks")
            kept.execute("INSERT INTO marks VALUES (?)", now)
        kept.execute("COMMIT")


def _mark(path: Path) -> str | None:
    """What no file that was written to since still has, nor one that was put in its place; None if it is not there."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return f"{found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"


def _copy(theirs: Path, path: Path) -> None:
    """Copy a view as it is, in one piece: while somebody reads it, nobody writes in it."""
    import shutil

    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    with closing(_connect(str(theirs))) as reading:
        reading.execute("BEGIN")
        reading.execute("SELECT count(*) FROM sqlite_master").fetchone()
        try:
            os.close(os.open(fresh, os.O_RDWR | os.O_CREAT, 0o600))
            shutil.copyfile(theirs, fresh)
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)


def tells_the_same(one: View, other: View) -> bool:
    """Whether two views hold the same rows, in whatever order they were written."""
    return all(
        sorted(map(repr, one.ask(select))) == sorted(map(repr, other.ask(select)))
        for select in (f"SELECT * FROM {tables.quoted(name)}" for name in (*tables.TABLES, "sheets", "holdings"))
    )


def _code(error: Exception) -> int:
    code = getattr(error, "sqlite_errorcode", None)
    return sqlite3.SQLITE_CORRUPT if code is None else code & 0xFF


def remove_view(path: Path) -> None:
    """Throw a view away; nothing is lost by it."""
    _remove(path)
    for side in ("", "-journal"):
        with suppress(OSError):
            Path(f"{path}{LEFT}{side}").unlink()


def _remove(path: Path) -> None:
    for side in ("", "-journal", "-wal", "-shm"):
        with suppress(OSError):
            Path(f"{path}{side}").unlink()


def _opened(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # nobody else's business, whatever the umask
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    return _connect(str(path))


def _connect(name: str) -> sqlite3.Connection:
    connection = sqlite3.connect(name, isolation_level=None, timeout=LONGEST_WAIT)
    try:
        # a rollback journal: whoever only reads must not write beside the file
        for pragma in ("trusted_schema=OFF", "synchronous=NORMAL", "temp_store=MEMORY", "cell_size_check=ON"):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        # SQLite knows the case of ASCII letters only
        connection.create_function("casefold", 1, str.casefold, deterministic=True)
        connection.create_function("folded", 1, folded, deterministic=True)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


# -- catching up -----------------------------------------------------------------------------------------


class Position(msgspec.Struct, frozen=True):
    """How far a view has come, and by which versions it was made."""

    campaign: str
    rules: str
    rules_version: int
    schema: int
    turn: int
    turn_id: str


def catch_up(
    connection: sqlite3.Connection,
    log: Log,
    system: RuleSystem,
    *,
    upto: int | None = None,
    viewer: str | None = None,
    slow: Callable[[int], None] | None = None,
    base: Base | None = None,
) -> None:
    """Bring the tables to turn `upto` of the log (None: its last), in one transaction.

    With `base` they have been those of another log so far.
    """
    last = log.last() if upto is None else upto
    goal = Position(log.campaign_id, system.key, system.version, tables.layout(), last, _id_of(log, last))
    if _position(connection) == goal:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # somebody else may have caught up meanwhile, even further than we meant to
        at = _position(connection)
        if at is not None and _fits(at, goal, log):
            base = None  # it ends before they part
        elif at is not None and (base is None or not _fits(at, goal, base.log)):
            at = base = None
        if base is not None or at is None or at.turn < last:
            _write(connection, log, system, at, goal, viewer, slow, base)
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _id_of(log: Log, number: int) -> str:
    return next((turn.id for turn in log.read(after=number - 1, upto=number)), "")


def _position(connection: sqlite3.Connection) -> Position | None:
    try:
        row = connection.execute(
            "SELECT campaign, rules, rules_version, schema, turn, turn_id FROM position"
        ).fetchone()
    except sqlite3.OperationalError as error:
        if _code(error) == sqlite3.SQLITE_ERROR:  # no such table: new, or made by another version
            return None
        raise
    return Position(*row) if row else None


def _fits(at: Position, goal: Position, log: Log) -> bool:
    """Whether the view holds the beginning of this very log, made by these versions."""
    same = msgspec.structs.replace(at, turn=goal.turn, turn_id=goal.turn_id) == goal
    return same and at.turn <= log.last() and _id_of(log, at.turn) == at.turn_id


def _write(
    connection: sqlite3.Connection,
    log: Log,
    system: RuleSystem,
    at: Position | None,
    goal: Position,
    viewer: str | None,
    slow: Callable[[int], None] | None,
    base: Base | None,
) -> None:
    fresh, done = at is None, at.turn if at is not None else 0
    if at is None:
        tables.make(connection)
        effective, start = effective_history(log, goal.turn), 1
    else:
        if base is None:
            effective, start = _first_to_write(log, at.turn, log, goal.turn, at.turn)
        else:
            effective, start = _first_to_write(base.log, at.turn, log, goal.turn, base.fork)
        if start <= done:  # else every row stays as it is
            _delete_from(connection, start)
    if slow is not None:
        slow(goal.turn - start + 1)
    state = _state_before(connection, system, log, start, done, goal.turn)
    rulings = state.campaign.rulings
    rows = Rows(
        system,
        state,
        effective,
        value_id=_highest(connection, "values"),
        roll_id=_highest(connection, "rolls"),
        viewer=viewer,
        now=state_at(system, log, goal.turn) if viewer is not None else None,
        versions=dict(connection.execute("SELECT rule, max(version) FROM wordings GROUP BY rule HAVING max(version)")),
    )
    for count, _ in enumerate(segment(log, rows, start, goal.turn), 1):
        if count % AT_ONCE == 0:
            write_rows(connection, rows)
    write_rows(connection, rows)
    if fresh:
        tables.make_indexes(connection)
    if tables.has_full_text():
        connection.execute(
            "INSERT INTO turns_fts (rowid, sentence, folded) SELECT turn, sentence, folded FROM turns WHERE turn >= ?",
            (start,),
        )
    if fresh or start <= done or rows.shown_anew:
        _write_sheets(connection, rows)
    _write_reaches(connection, effective, done if base is None or fresh else base.fork)
    if rows.state.campaign.rulings is not rulings or start <= done:
        _settle_rulings(connection, rows.state.campaign.rulings)
    connection.execute("DELETE FROM position")
    # what a player may not know is in no table of a view that is made for them
    ended = packed(rows.state, UsedNumbers()) if viewer is None else None
    values = (*msgspec.structs.astuple(goal), ended)
    connection.execute("INSERT INTO position VALUES (?, ?, ?, ?, ?, ?, ?)", values)


def _highest(connection: sqlite3.Connection, table: str) -> int:
    (number,) = connection.execute(f"SELECT max(id) FROM {tables.quoted(table)}").fetchone()
    return number or 0


# -- from where on ---------------------------------------------------------------------------------------


def _first_to_write(written: Log, done: int, log: Log, last: int, common: int) -> tuple[EffectiveHistory, int]:
    """What is effective of the turns to be written, and the first of them: the first that reads otherwise.

    Written are the turns up to `done` of a log that has the first `common` in common with this one.
    """
    start = common + 1
    while True:
        # revisions point backward only: of the turns from `start` on, those from there on tell all
        known = start - 1
        old, effective = effective_history(written, done, after=known), effective_history(log, last, after=known)
        said = [first for reading in (old, effective) for number, first in reading.changes if number > common]
        start = min([common + 1, *said, *map(_place(old, effective), _differing(old, effective))])
        # a turn that is written again is folded again too, wherever its place is
        while lower := [
            trunk
            for reading in (old, effective)
            for number in reading.place
            if (trunk := reading.trunk(number)) < start <= number
        ]:
            start = min(lower)
        if known < start:
            return effective, start


def _differing(old: EffectiveHistory, new: EffectiveHistory) -> set[int]:
    """The turns of which the two readings tell different things, down to who says so."""
    readings: Sequence[tuple[dict[int, Any], dict[int, Any]]] = (
        (old.undone, new.undone),
        (old.redecided, new.redecided),
        (old.amended, new.amended),
        (old.place, new.place),
    )
    return {n for one, other in readings for n in one.keys() | other.keys() if one.get(n) != other.get(n)}


def _place(old: EffectiveHistory, new: EffectiveHistory) -> Callable[[int], int]:
    return lambda number: min(reading.trunk(number) for reading in (old, new))


def _delete_from(connection: sqlite3.Connection, start: int) -> None:
    """Delete the rows of the turns from `start` on, and what those turns said about rows before."""
    if tables.has_full_text():
        connection.execute(
            "INSERT INTO turns_fts (turns_fts, rowid, sentence, folded)"
            " SELECT 'delete', turn, sentence, folded FROM turns WHERE turn >= ?",
            (start,),
        )
    for name, table in tables.TABLES.items():
        if "turn" in table.columns:
            connection.execute(f"DELETE FROM {tables.quoted(name)} WHERE turn >= ?", (start,))
    connection.execute("DELETE FROM sessions WHERE opened >= ?", (start,))
    connection.execute("UPDATE sessions SET closed = NULL, summary = NULL WHERE closed >= ?", (start,))
    connection.execute("UPDATE rulings SET ended_by = NULL, ended_why = NULL WHERE ended_by >= ?", (start,))
    connection.execute("UPDATE rulings SET kept_by = NULL WHERE kept_by >= ?", (start,))
    connection.execute("DELETE FROM holdings WHERE since_trunk >= ?", (start,))
    connection.execute(
        "UPDATE holdings SET until = NULL, until_trunk = ? WHERE until_trunk BETWEEN ? AND ?",
        (tables.WITHOUT_END, start, tables.WITHOUT_END - 1),
    )


def _state_before(
    connection: sqlite3.Connection, system: RuleSystem, log: Log, start: int, done: int, last: int
) -> Game:
    """The state before turn `start`: where rows are only added, the one with which the view ended, at turn `done`."""
    if start == done + 1 and done:
        ((state,),) = connection.execute("SELECT state FROM position").fetchall()
        if (found := unpacked(system, state)) is not None:
            return found[0]
    return folded_before(system, log, start, last)


def folded_before(system: RuleSystem, log: Log, start: int, last: int) -> Game:
    """The state before turn `start`, as the log has it when turn `last` is its last one."""
    base = nearest_base(system, log, start - 1, last)
    fold(base.state, log.read(base.turn, start - 1), base.effective)
    return base.state


# -- writing ---------------------------------------------------------------------------------------------


def write_rows(connection: sqlite3.Connection, rows: Rows, into: str = "main") -> None:
    """Write what these turns add into the tables of a database, and let go of it."""
    for name, each in rows.tables.items():
        if each:
            places = ", ".join("?" * len(each[0]))
            connection.executemany(f"INSERT INTO {into}.{tables.quoted(name)} VALUES ({places})", each)
    for opened, row in rows.sessions:
        if opened:
            connection.execute(f"INSERT OR REPLACE INTO {into}.sessions VALUES (?, ?, ?, ?, ?, NULL, NULL)", row)
        else:
            connection.execute(f"UPDATE {into}.sessions SET closed = ?, summary = ? WHERE session = ?", row)
    # an end that was told of before the ruling was made ends nothing, however many rows are written at once
    made = "WHERE ruling = :ruling AND standing AND turn < :turn"
    no_longer = "SET until = ?, until_trunk = ? WHERE ruling = ? AND until IS NULL"
    changes: Sequence[tuple[str, Sequence[Any]]] = (
        (f"UPDATE {into}.holdings {no_longer}", rows.no_longer),
        (f"INSERT INTO {into}.holdings VALUES (?, ?, ?, ?, ?, ?)", rows.holdings),
        (f"UPDATE {into}.rulings SET ended_by = :turn, ended_why = :why {made}", rows.ended),
        (f"UPDATE {into}.rulings SET kept_by = :turn {made} AND kept_by IS NULL", rows.kept),
    )
    for statement, values in changes:
        if values:  # SQLite takes its time over a statement that changes nothing, too
            connection.executemany(statement, values)
    rows.forget()


def _write_sheets(connection: sqlite3.Connection, rows: Rows) -> None:
    sheets = rows.sheets()
    stored = stored_fields(rows.system.sheet)
    fields = list(next(iter(sheets.values()), [name for name in stored if name not in rows.system.hidden]))
    found = [row[1] for row in connection.execute("PRAGMA table_info(sheets)")]
    if found != ["character", *fields]:
        tables.make_sheets(connection, fields)
    connection.execute("DELETE FROM sheets")
    connection.executemany(
        f"INSERT INTO sheets VALUES (?{', ?' * len(fields)})",
        [(name, *(as_cell(sheet.get(field)) for field in fields)) for name, sheet in sheets.items()],
    )


def _write_reaches(connection: sqlite3.Connection, effective: EffectiveHistory, common: int) -> None:
    """Write how far back the revising turns after `common` reach; the rows of those before stay as they are."""
    connection.execute("DELETE FROM reaches WHERE turn > ?", (common,))
    connection.execute(
        "UPDATE reaches SET until = ? WHERE until > ? AND until < ?", (tables.WITHOUT_END, common, tables.WITHOUT_END)
    )
    said = [each for each in effective.changes if each[0] > common]
    if not said:
        return
    furthest, without_end = min(first for _, first in said), list[tuple[int, int]]()
    newest_first = "SELECT turn, first FROM reaches WHERE until = ? ORDER BY turn DESC"
    for turn, first in connection.execute(newest_first, (tables.WITHOUT_END,)):
        if first < furthest:
            break  # and so do all before it
        without_end.insert(0, (turn, first))
    until = dict.fromkeys((turn for turn, _ in said), tables.WITHOUT_END)
    for turn, first in said:
        while without_end and without_end[-1][1] >= first:
            until[without_end.pop()[0]] = turn
        without_end.append((turn, first))
    connection.executemany("INSERT INTO reaches VALUES (?, ?, ?)", ((*each, tables.WITHOUT_END) for each in said))
    connection.executemany("UPDATE reaches SET until = ? WHERE turn = ?", ((end, turn) for turn, end in until.items()))


def _settle_rulings(connection: sqlite3.Connection, rulings: Rulings) -> None:
    """Mark which rulings are in force now, and what superseded the others."""
    left = dict(held(rulings.newest_first()))
    found = connection.execute("SELECT turn, ruling, standing, in_force, superseded_by FROM rulings").fetchall()
    changed = []
    for turn, ruling, standing, *before in found:
        holding = left.get(ruling) if standing else None
        now = [int(holding is not None and holding.in_force), holding.superseded_by if holding is not None else None]
        if now != before:
            changed.append((*now, turn))
    connection.executemany("UPDATE rulings SET in_force = ?, superseded_by = ? WHERE turn = ?", changed)
