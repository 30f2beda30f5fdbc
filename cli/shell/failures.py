"""The sentence and the exit code for every error that a command can end with."""

import errno
import sqlite3
from collections.abc import Callable, Sequence

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


def explain(error: Exception) -> int:
    """Print an error and return its exit code. An unexpected error is a bug and is raised again."""
    lines, code = explanation(error)
    for line in lines:
        complain(line, indent=4 if line.startswith(" ") else 0)
    return code


def explanation(error: Exception, spell: Callable[[Choice], str] = command_line_of) -> tuple[Sequence[str], int]:
    """The lines about an error, and its exit code. An unexpected error is a bug and is raised again.

    `spell` writes the choices of a refusal: by default as command lines.
    """
    match error:
        case Invalid():
            return [invalid_sentence(error)], USAGE
        case Refusal():
            ways = (f"{'or:  ' if at else 'Next:'} {spell(choice)}" for at, choice in enumerate(error.choices))
            return [str(error), *ways], REFUSED
        case NotFound():
            return [str(error)], NO
        case Conflict():
            return [
                "Later turns would no longer be legal; nothing was changed:",
                *(f"  T{later.turn}: {later.refusal}" for later in error.turns),
                "Settle it with --drop (those turns are undone too) or --keep (they stay as they were).",
            ], CONFLICT
        case Incomplete():
            return [f"{error} Tell whoever wrote these rules."], USAGE
        case PartialFailure():
            sentence, code = system_failure(error.error) or (str(error.error), UNSAVED)
            begins_a_sentence = sentence.startswith(("The ", "Nobody ", "Turn "))
            clause = f"{sentence[:1].lower()}{sentence[1:]}" if begins_a_sentence else sentence
            return [f"{error.sentence}; {clause}"], DONE if error.is_done else code
        case _ if (failure := system_failure(error)) is not None:
            return [failure[0]], failure[1]
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
