"""Every way in which a command can fail: one plain sentence, and the exit code that goes with it."""

import re
import sqlite3
from collections.abc import Callable, Sequence

from cli.shell.options import NotFound
from cli.shell.parser import (
    BadParameter,
    IntParamType,
    MissingParameter,
    NoSuchCommand,
    NoSuchOption,
    TooManyWords,
    UsageError,
)
from cli.shell.partial_failure import PartialFailure
from cli.store.failures import Unopenable
from cli.terminal.screen import NobodyReads, Unprintable, complain
from cli.terminal.spelling import spelled
from domain.log.port import DamagedLog, MaybeSaved, NotSaved
from domain.refusal import Conflict, Incomplete, Invalid, Refusal, Unfit
from domain.system.pending import Choice

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


def usage_sentence(error: UsageError) -> str:
    """What is wrong with a command line, and where its help is."""
    path = error.ctx.command_path if error.ctx is not None else "campaign"
    said = error.format_message().removesuffix(".")
    if isinstance(error, NoSuchCommand):
        meant = _command_meant(error, path)
        said = f"{said}; {meant}" if meant else said
        path = f"campaign {error.rules}" if error.rules is not None and not meant.startswith("did you") else path
    elif isinstance(error, NoSuchOption):
        said = f"There is no option {error.option_name}{_option_meant(error)}"
        if path == "campaign" and error.option_name in ("-c", "--campaign"):
            said = "The option -c stands after the command, like campaign status -c FILE"
    elif isinstance(error, MissingParameter) and error.param is not None:
        option = error.param.opts[0]
        said = f"{option if option[:1] == '-' else option.upper()} is missing"
    elif isinstance(error, BadParameter) and error.param is not None and isinstance(error.param.type, IntParamType):
        least = getattr(error.param.type, "min", None)
        said = f"{error.param.opts[0]} takes a whole number{f' of {least} or more' if least is not None else ''}"
    elif isinstance(error, TooManyWords):
        said = f"{' '.join(error.words)!r} is too much here; {_place_of(error.words, path)}"
    end = "" if said[-1:] in "?!" else "."
    return f"{said}{end} Try: {path} --help"


def _command_meant(error: NoSuchCommand, path: str) -> str:
    """What to type instead: the word where it is known, names that it is a part of, the nearest, else what there is.

    Nothing where there is so much that its help tells it better.
    """
    from difflib import get_close_matches

    from cli.line.verbs import verb_name, verbs_meant
    from cli.shell.catalogue import COMMANDS
    from domain.common import ACTIONS as COMMON
    from domain.system.registry import SYSTEMS, system_of

    word, names = error.word, error.names
    said = f"{path.removeprefix('campaign')} {word}".strip()
    if meant := [verb_name(kind) for kind in COMMON if said in kind.also_called]:
        return f"did you mean campaign {' or '.join(meant)}?"
    if path != "campaign" and word in COMMANDS:
        return f"did you mean campaign {word}?"
    elsewhere = _systems_with(word) if path == "campaign" else []
    if error.rules is not None:
        near = verbs_meant(error.rules, word, () if elsewhere else names)
        if not near and elsewhere:
            return f"it is a verb of {' and '.join(elsewhere)}, and this campaign is played by {error.rules}"
        return f"did you mean {' or '.join(near)}?" if near else ""
    if elsewhere:
        return f"did you mean {' or '.join(f'campaign {system} {word}' for system in elsewhere)}?"
    near = [name for name in names if word in name.split("-")] or get_close_matches(word, names, n=1)
    if (system := path.rpartition(" ")[2]) in SYSTEMS:
        near = [verb_name(kind) for kind in system_of(system).actions if word in kind.shorts] or near
    if near or path == "campaign":
        return f"did you mean {' or '.join(near)}?" if near else ""
    return f"known: {', '.join(names)}"


def _systems_with(verb: str) -> list[str]:
    """The rule systems that have such a verb."""
    from cli.line.verbs import verb_name
    from domain.system.registry import SYSTEMS, system_of

    return [system for system in SYSTEMS if verb in map(verb_name, system_of(system).actions)]


def _option_meant(error: NoSuchOption) -> str:
    """The end of the sentence: the nearest option, if one is near."""
    from difflib import get_close_matches

    # --help, --at and the like are too short to be meant by what is only a little like them
    near = get_close_matches(error.option_name, sorted(error.possibilities or ()), n=1, cutoff=0.7)
    return f"; did you mean {near[0]}?" if near else ""


def _place_of(words: Sequence[str], path: str) -> str:
    """Where words belong for which a command has no place."""
    if path == "campaign why":
        return "a field follows its character after a dot, like brog.hp"
    if all(re.fullmatch(r"[\d,]+", word) for word in words):
        return "several dice or cards are one word, like 5,6"
    return "a name or a text of several words stands in quotes"
