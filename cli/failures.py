"""Every way in which a command can fail: one plain sentence, and the exit code that goes with it."""

import sqlite3

from cli.options import NotFound
from cli.output import complain
from cli.store import Unopenable
from domain.log import Damaged, MaybeSaved, NotSaved
from domain.refusal import Conflict, Invalid, Refusal

DONE, NO, USAGE, REFUSED, CONFLICT, DAMAGED, UNSAVED = 0, 1, 2, 3, 4, 5, 6


def explain(error: Exception) -> int:
    """Say what went wrong and give the exit code. What is not foreseen here is a bug and is raised again."""
    match error:
        case Invalid():
            complain(error.reason)
            return USAGE
        case Refusal():
            complain(str(error))
            return REFUSED
        case NotFound():
            complain(str(error))
            return NO
        case Conflict():
            complain("Later turns stand in the way; nothing was changed:")
            for later in error.turns:
                complain(f"  T{later.turn}: {Refusal(later.rule, later.reason)}")
            complain("Settle it with --drop (those turns are undone too) or --keep (they stay as they were).")
            return CONFLICT
        case Unopenable():
            complain(error.reason)
            return error.exit_code
        case Damaged():
            complain(f"{error} Look at it with `campaign doctor`.")
            return DAMAGED
        case NotSaved() | MaybeSaved():
            complain(str(error))
            return UNSAVED
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            complain(f"{where}{error.strerror or error}.")
            return UNSAVED
        case sqlite3.Error():
            complain(f"The campaign file could not be read: {error}.")
            return UNSAVED
    raise error
