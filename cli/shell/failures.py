"""Every way in which a command can fail: one plain sentence, and the exit code that goes with it."""

import sqlite3
from collections.abc import Callable

from cli.shell.options import NotFound
from cli.shell.partial_failure import PartialFailure
from cli.store.failures import Unopenable
from cli.terminal.screen import NobodyReads, Unprintable, complain
from cli.terminal.spelling import spelled
from domain.choice import Choice
from domain.log.port import DamagedLog, MaybeSaved, NotSaved
from domain.refusal import Conflict, Incomplete, Invalid, Refusal, Unfit

DONE, NO, USAGE, REFUSED, CONFLICT, DAMAGED, UNSAVED = 0, 1, 2, 3, 4, 5, 6


def explain(error: Exception, spell: Callable[[Choice], str] | None = None) -> int:
    """Say what went wrong and give the exit code. What is not foreseen here is a bug and is raised again.

    `spell`: how what may be done instead is typed here; left out, as a command line.
    """
    match error:
        case Invalid():
            complain(invalid_told(error))
            return USAGE
        case Refusal():
            complain(str(error))
            for way in error.choices:
                complain(f"Next: {(spell or spelled)(way)}")
            return REFUSED
        case NotFound():
            complain(str(error))
            return NO
        case Conflict():
            complain("Later turns stand in the way; nothing was changed:")
            for later in error.turns:
                complain(f"  T{later.turn}: {Refusal(later.rule, later.reason)}", indent=4)
            complain("Settle it with --drop (those turns are undone too) or --keep (they stay as they were).")
            return CONFLICT
        case Incomplete():
            complain(f"{error} Tell whoever wrote these rules.")
            return USAGE
        case PartialFailure():
            sentence, code = _of_the_machine(error.error) or (str(error.error), UNSAVED)
            begins_a_sentence = sentence.startswith(("The ", "Nobody ", "Turn "))
            said = f"{sentence[:1].lower()}{sentence[1:]}" if begins_a_sentence else sentence
            complain(f"{error.saved}; {said}")
            return DONE if error.is_done else code
        case _ if (told := _of_the_machine(error)) is not None:
            complain(told[0])
            return told[1]
    raise error


#: What tells how a question in SQL is asked.
HOW_TO_ASK = {
    "names": "write a select, or a name from `campaign stats`.",
    "tables": "`campaign query --schema` lists what there is.",
    "values": "give it with -p NAME=VALUE.",
}


def invalid_told(error: Invalid) -> str:
    """What is wrong with a request, for whoever typed it on the shell or at the table."""
    if isinstance(error, Unfit):
        return error.told
    look = getattr(error, "look", None)  # what asks in SQL is not imported to tell of anything else
    return f"{error.reason.removesuffix('.')}; {HOW_TO_ASK[look]}" if look in HOW_TO_ASK else error.reason


def _of_the_machine(error: Exception) -> tuple[str, int] | None:
    """What the file, the disk or whoever reads us did, as a sentence, and its exit code; None for anything else."""
    match error:
        case Unopenable():
            return error.reason, error.exit_code
        case DamagedLog():
            return f"{error} Look at it with `campaign doctor`.", DAMAGED
        case NotSaved() | MaybeSaved():
            return str(error), UNSAVED
        case Unprintable():
            return f"The answer could not be written: {error.reason}.", UNSAVED
        case NobodyReads():
            return "Nobody read the answer.", DONE
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            return f"{where}{error.strerror or error}.", UNSAVED
        case sqlite3.Error():
            # the log itself is never told of in this way; what is kept beside it is
            return f"The tables in the cache folder could not be read: {error}; try `campaign views rebuild`.", UNSAVED
    return None
