"""Views that are made from nothing in memory, to compare with those that are kept, and all that a view holds."""

from typing import Any

from domain.log.port import Log
from domain.system.rulesystem import RuleSystem
from projections.views.catching_up import catch_up
from projections.views.tables import TABLES, quote
from projections.views.view import View, _connect


def view_in_memory(log: Log, system: RuleSystem, upto: int | None = None, viewer: str | None = None) -> View:
    """A view of the log at turn `upto`, as `viewer` may see it."""
    connection = _connect(":memory:")
    catch_up(connection, log, system, upto=upto, viewer=viewer)
    return View(connection, None)


def contents(found: View) -> dict[str, Any]:
    """Every row of every table."""
    return {name: found.ask(f"SELECT * FROM {quote(name)} ORDER BY 1, 2") for name in (*TABLES, "sheets", "position")}
