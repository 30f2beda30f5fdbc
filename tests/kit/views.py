"""Views that are made from nothing in memory, to compare with those that are kept."""

from domain.log.port import Log
from domain.system.rulesystem import RuleSystem
from projections.views.view import View, _connect, catch_up


def view_in_memory(log: Log, system: RuleSystem, upto: int | None = None, viewer: str | None = None) -> View:
    """A view of the log at turn `upto`, as `viewer` may see it."""
    connection = _connect(":memory:")
    catch_up(connection, log, system, upto=upto, viewer=viewer)
    return View(connection, None)
