"""Lines that tell of something without a verb of the rules, in the order in which they are looked through."""

from cli.line.attendance import attendance_told
from cli.line.awaited import awaited_told
from cli.line.deaths import death_told
from cli.line.gathering import gathering_told
from cli.line.healing_told import healing_told
from cli.line.sharing import shared
from cli.line.spoken import unkept
from cli.line.values import Context
from cli.line.words import Line


def told(line: Line, context: Context) -> Line | None:
    """The line that records what another tells; None: it tells of nothing that is known.

    Raises Misread for what it may mean, with the lines for that.
    """
    recorded = attendance_told(line, context) or gathering_told(line, context)
    if recorded is not None:
        return recorded
    for meant in (death_told, shared, awaited_told, healing_told, unkept):
        if (error := meant(line, context)) is not None:
            raise error
    return None
