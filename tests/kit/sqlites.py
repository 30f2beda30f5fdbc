"""What differs between the SQLites that the program runs on: how a plan is worded and made, and full-text search."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import cache
from typing import Any

import pytest

from projections.views.tables import has_full_text

#: The mark of a test of what only full-text search can.
needs_full_text = pytest.mark.skipif(not has_full_text(), reason="this SQLite was built without FTS5")
#: Before SQLite 3.36 a step said what it reads: "SCAN TABLE turns AS t", where now it is "SCAN t".
_KIND = re.compile(r"^(SCAN|SEARCH) (?:TABLE|SUBQUERY) (?:\S+ AS )?")


def steps(ask: Callable[..., Any], statement: str, *values: Any) -> list[str]:
    """The steps of a statement's plan. `ask` executes a statement with these values and answers its rows."""
    return [_KIND.sub(r"\1 ", row[3]) for row in ask(f"EXPLAIN QUERY PLAN {statement}", *values)]


@cache
def looks_up_in_both_halves() -> bool:
    """Whether a join with a UNION ALL is looked up in each of its parts, as SQLite 3.34 does not: it puts them together
    first, for the same rows."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript("CREATE TABLE a (x PRIMARY KEY); CREATE TABLE b (x PRIMARY KEY); CREATE TABLE c (x);")
        halves = "(SELECT x FROM a UNION ALL SELECT x FROM b)"
        plan = steps(connection.execute, f"SELECT * FROM c CROSS JOIN {halves} AS halves ON halves.x = c.x")
    return not any("MATERIALIZE" in step or "CO-ROUTINE" in step for step in plan)
