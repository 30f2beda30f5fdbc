"""Questions in SQL to a view: sent to the sandbox process, ended when they take too long, and their answers read."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from domain.naming import capitalised
from domain.refusal import Invalid
from projections.views import sandbox

SECONDS = 2.0
#: The time to start the process on a busy machine, in seconds.
GRACE = 0.5
TOO_LONG = "That took longer than {:g} seconds and was stopped; ask for less."
#: Address space, in bytes.
MEMORY = 100 * 2**20
MOST_ROWS = 100_000
MOST_BYTES = 20 * 2**20


class QueryResult(Struct, frozen=True):
    """The rows of the answer. `cut`: there were more."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    cut: bool = False

    def as_dicts(self) -> list[dict[str, Any]]:
        """Each row as column -> value."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


class NotAQuestion(Invalid):
    """SQL that is no question. `look`: what to show next: the named questions, the tables, or how values are given."""

    def __init__(self, reason: str, look: Literal["names", "tables", "values"]) -> None:
        super().__init__(f"{reason}.")
        self.look = look


def ask(path: Path, sql: str, parameters: Mapping[str, Any] | None = None, *, seconds: float = SECONDS) -> QueryResult:
    """Query a view. Raises Invalid for SQL that is wrong, does more than read, or exceeds time or memory."""
    question = {
        "path": str(path),
        "sql": _fit(sql),
        "parameters": dict(parameters or {}),
        "seconds": seconds,
        "memory": MEMORY,
        "rows": MOST_ROWS,
        "bytes": MOST_BYTES,
    }
    # -I -S: imports nothing of the user's, and starts faster
    command = [sys.executable, "-I", "-S", sandbox.__file__]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env={}) as process:
        try:
            out, _ = process.communicate(json.dumps(question).encode() + b"\n", timeout=seconds + GRACE)
        except subprocess.TimeoutExpired:
            raise Invalid(TOO_LONG.format(seconds)) from None
        finally:
            process.kill()
    return _answer(out, seconds)


def _fit(sql: str) -> str:
    if not sql.strip():
        raise NotAQuestion("There is nothing to ask", "names")
    if "\0" in sql or any("\ud800" <= sign <= "\udfff" for sign in sql):
        raise Invalid("The question holds a character that SQL does not allow (NUL or half of a surrogate pair).")
    return sql


def _answer(out: bytes, seconds: float) -> QueryResult:
    lines = out.splitlines()
    end = _end(lines)
    if end.get("error") == "interrupted":
        raise Invalid(TOO_LONG.format(seconds))
    if "error" in end:
        raise _plain(str(end["error"]))
    if "done" not in end and "cut" not in end:
        raise Invalid("That takes more memory than a question may; ask for less.")
    columns = unique(json.loads(lines[0])["columns"])
    return QueryResult(columns, tuple(tuple(json.loads(line)) for line in lines[1:-1]), "cut" in end)


def unique(columns: Sequence[str]) -> tuple[str, ...]:
    """Column names made unique by numbers."""
    names: list[str] = []
    for column in columns:
        name, number = column, 1
        while name in names:
            number += 1
            name = f"{column}_{number}"
        names.append(name)
    return tuple(names)


def _end(lines: Sequence[bytes]) -> dict[str, Any]:
    """The last line of the answer, which tells the outcome; empty if the process ended before it."""
    try:
        end = json.loads(lines[-1]) if lines else {}
    except ValueError:
        return {}
    return end if isinstance(end, dict) else {}


def _plain(error: str) -> Invalid:
    """SQLite's message as a sentence that says what works."""
    reason = error.strip().rstrip(".")
    if "not authorized" in reason or "prohibited" in reason or "readonly" in reason or "authorization" in reason:
        return NotAQuestion(f"A question only reads the tables of the view ({reason})", "tables")
    if "no such table" in reason or "no such column" in reason:
        return NotAQuestion(capitalised(reason), "tables")
    if "syntax error" in reason and "values" in reason:
        return Invalid('values is a word of SQL: write "values" in double quotes, or changes, which is the same table.')
    if "one statement at a time" in reason:
        return Invalid("That is more than one statement; ask one question at a time.")
    if "binding" in reason.lower():
        return NotAQuestion(f"A parameter is missing ({reason})", "values")
    if "string or blob too big" in reason:
        return Invalid("That makes a value that is too long; ask for less.")
    return Invalid(f"SQLite cannot read that: {reason}.")
