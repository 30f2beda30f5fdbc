"""The sandbox process, which runs untrusted SQL on a view and can be killed. Imports nothing of this program.

Run as a script: reads the query as one line of JSON from stdin, and writes lines of JSON to stdout: the columns, each
row, and at the end the outcome. Only what is listed here is allowed: reading the tables of this one file.
"""

import json
import sqlite3
import sys
from collections.abc import Iterable
from time import monotonic
from typing import Any

#: The operations that a statement may use; any other is refused when it is prepared.
PERMITTED_OPERATIONS = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}

#: Functions that neither reach outside nor reveal anything about the machine. Long values are bounded by the limits
#: below.
FUNCTION_NAMES = (
    "abs acos acosh asin asinh atan atan2 atanh avg bm25 casefold ceil ceiling char coalesce concat concat_ws cos"
    " cosh count cume_dist current_date current_time current_timestamp date datetime degrees dense_rank exp"
    " first_value floor format glob group_concat hex highlight ifnull iif instr json json_array json_array_length"
    " json_each json_extract json_group_array json_group_object json_insert json_object json_patch json_quote"
    " json_remove json_replace json_set json_tree json_type json_valid julianday lag last_value lead length like"
    " likelihood likely ln log log10 log2 lower ltrim match max min mod nth_value ntile nullif octet_length"
    " percent_rank pi pow power printf quote radians random rank replace round row_number rtrim sign sin sinh"
    " snippet sqrt strftime string_agg substr substring sum tan tanh time timediff total trim trunc typeof unhex"
    " unicode unixepoch unlikely upper -> ->>"
)
FUNCTIONS = frozenset(FUNCTION_NAMES.split())

#: Tables for the view's own use, which queries may not read.
PRIVATE_TABLES = {"position"}

#: The maximum size of a value and of a statement, in bytes, and the maximum complexity of a statement.
LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 4_000_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 100_000,
    sqlite3.SQLITE_LIMIT_COLUMN: 200,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 100,
    sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 100_000,
    sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 100,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1000,
    sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 999,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}


def confine(memory: int, seconds: float) -> None:
    """Limit what this process may use, if the system supports it: memory, time, file sizes, core dumps."""
    try:
        import resource
    except ImportError:  # not on this system; the limits of SQLite and the killing still apply
        return
    cpu = int(seconds) + 1
    for resource_kind, most in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        try:
            resource.setrlimit(resource_kind, (most, most))
        except (ValueError, OSError):
            continue


def confine_to(more: int) -> None:
    """Limit the address space of this process to `more` bytes above the current size, if the system supports it."""
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as statm:  # noqa: PTH123  pathlib is not imported here
            has = int(statm.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (has + more, has + more))
    except (ImportError, OSError, ValueError):  # SQLite's own limits still apply
        return


def limit(
    connection: sqlite3.Connection,
    functions: Iterable[str] = FUNCTIONS,
    pragmas: Iterable[str] = (),
    *,
    counts: bool = False,
) -> None:
    """Limit what statements on this connection may be and do, from now on.

    `pragmas`: the allowed pragmas about tables. `counts`: the rows of all tables may be counted, also of those for
    the view's own use.
    """
    for pragma in ("query_only=ON", "trusted_schema=OFF", "cell_size_check=ON", "temp_store=MEMORY", "mmap_size=0"):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    # virtual tables are declared when they are first used, which looks like making a table
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'turns_fts'").fetchone():
        connection.execute("SELECT count(*) FROM turns_fts WHERE turns_fts MATCH 'campaign'").fetchall()
    for function in ("json_each", "json_tree"):
        connection.execute(f"SELECT key FROM {function}('[]')").fetchall()
    connection.create_function("casefold", 1, lambda text: text if text is None else str(text).casefold())
    for category, most in LIMITS.items():
        connection.setlimit(category, most)
    allowed_functions, allowed_pragmas = frozenset(functions), frozenset(pragmas)

    def authorize(
        action: int, first: str | None, second: str | None, _database: str | None, _trigger: str | None
    ) -> int:
        """SQLite's authorizer callback, called for every operation of a statement."""
        if action == sqlite3.SQLITE_FUNCTION:
            return sqlite3.SQLITE_OK if (second or "").lower() in allowed_functions else sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_PRAGMA:  # full-text search checks whether the file has changed
            asks = (first == "data_version" and second is None) or (first or "").lower() in allowed_pragmas
            return sqlite3.SQLITE_OK if asks else sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_READ and (first or "").lower() in PRIVATE_TABLES and (second or not counts):
            return sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_OK if action in PERMITTED_OPERATIONS else sqlite3.SQLITE_DENY

    connection.set_authorizer(authorize)


def open_to_read(path: str, seconds: float) -> sqlite3.Connection:
    """A read-only connection to the view with every limit set."""
    from urllib.parse import quote

    connection = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, isolation_level=None, timeout=1)
    limit(connection)
    end = monotonic() + seconds
    # stops itself at the next call of this handler; otherwise the process is killed from outside
    connection.set_progress_handler(lambda: monotonic() > end, 100_000)
    return connection


def as_json(value: Any) -> Any:
    """A value that JSON can represent."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return str(value)
    return value


def answer(question: dict[str, Any], out: Any) -> None:
    """Run the query and write the answer line by line until it is complete or exceeds a limit."""
    size = 0

    def write(value: Any) -> None:
        nonlocal size
        line = json.dumps(value, ensure_ascii=True)
        size += len(line)
        out.write(line + "\n")

    connection = open_to_read(question["path"], question["seconds"])
    cursor = connection.execute(question["sql"], question["parameters"])
    if cursor.description is None:
        write({"error": "That is not a question: write a select."})
        return
    write({"columns": [column[0] for column in cursor.description]})
    for count, row in enumerate(cursor):
        if count >= question["rows"] or size > question["bytes"]:
            write({"cut": count})
            return
        write([as_json(value) for value in row])
    write({"done": True})


def main() -> None:
    """Answer the one query on stdin."""
    question = json.loads(sys.stdin.readline())
    confine(question["memory"], question["seconds"])
    try:
        answer(question, sys.stdout)
    except (sqlite3.Error, sqlite3.Warning) as error:
        sys.stdout.write(json.dumps({"error": str(error), "code": getattr(error, "sqlite_errorname", "")}) + "\n")
    except MemoryError:
        sys.stdout.write(json.dumps({"memory": True}) + "\n")
    except (ValueError, OverflowError) as error:
        sys.stdout.write(json.dumps({"error": str(error)}) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
