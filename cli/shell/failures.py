"""The sentence and the exit code for every error that a command can end with."""

import errno
import sqlite3
from collections.abc import Callable

from cli.shell.ending import CONFLICT, DAMAGED, DONE, NO, REFUSED, UNSAVED, USAGE
from cli.shell.options import NotFound
from cli.shell.partial_failure import PartialFailure
from cli.store.failures import TOO_MANY_FILES, Unopenable, limit_reached
from cli.store.folders import cache_folder
from cli.terminal.screen import NobodyReads, Unprintable, complain
from cli.terminal.spelling import command_line_of
from domain.choice import Choice
from domain.log.port import DamagedLog, MaybeSaved, NotSaved
from domain.refusal import Conflict, Incomplete, Invalid, Refusal, Unfit


def explain(error: Exception, spell: Callable[[Choice], str] | None = None) -> int:
    """Print an error and return its exit code. An unexpected error is a bug and is raised again.

    `spell` writes the choices of a refusal for this face; the default writes command lines.
    """
    match error:
        case Invalid():
            complain(invalid_sentence(error))
            return USAGE
        case Refusal():
            complain(str(error))
            for number, choice in enumerate(error.choices):
                complain(f"{'or:  ' if number else 'Next:'} {(spell or command_line_of)(choice)}")
            return REFUSED
        case NotFound():
            complain(str(error))
            return NO
        case Conflict():
            complain("Later turns would no longer be legal; nothing was changed:")
            for later in error.turns:
                complain(f"  T{later.turn}: {later.refusal}", indent=4)
            complain("Settle it with --drop (those turns are undone too) or --keep (they stay as they were).")
            return CONFLICT
        case Incomplete():
            complain(f"{error} Tell whoever wrote these rules.")
            return USAGE
        case PartialFailure():
            sentence, code = system_failure(error.error) or (str(error.error), UNSAVED)
            begins_a_sentence = sentence.startswith(("The ", "Nobody ", "Turn "))
            clause = f"{sentence[:1].lower()}{sentence[1:]}" if begins_a_sentence else sentence
            complain(f"{error.sentence}; {clause}")
            return DONE if error.is_done else code
        case _ if (failure := system_failure(error)) is not None:
            complain(failure[0])
            return failure[1]
    raise error


#: Advice for errors of SQL queries.
HOW_TO_ASK = {
    "names": "write a select, or a name from `campaign stats`.",
    "tables": "`campaign query --schema` lists what there is.",
    "values": "give it with -p NAME=VALUE.",
}


def invalid_sentence(error: Invalid) -> str:
    if isinstance(error, Unfit):
        return error.without_tag
    look = getattr(error, "look", None)  # of an error of SQL, whose module is not imported for this check
    return f"{error.reason.removesuffix('.')}; {HOW_TO_ASK[look]}" if look in HOW_TO_ASK else str(error)


def system_failure(error: Exception) -> tuple[str, int] | None:
    """The sentence and the exit code for errors of files, disks and readers of the output; None for other errors."""
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
        case OSError() if error.errno in (errno.EMFILE, errno.ENFILE):
            return f"{TOO_MANY_FILES.capitalize()}.", UNSAVED
        case sqlite3.Error() if limit := limit_reached(cache_folder()):
            return f"{limit.capitalize()}.", UNSAVED
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            return f"{where}{error.strerror or error}.", UNSAVED
        case sqlite3.Error():
            # errors of the log itself are DamagedLog or Unopenable; this is a view
            return f"The tables in the cache folder could not be read: {error}; try `campaign views rebuild`.", UNSAVED
    return None
