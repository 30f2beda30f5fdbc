"""Running a command line: the choice between the fast path and Typer, and the exit code of every ending."""

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from cli.shell.catalogue import ASKS_FOR_HELP
from cli.shell.ending import Ended, Unanswered
from cli.terminal.screen import NobodyReads, complain


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code; every expected error becomes a sentence on stderr."""
    try:
        plain = _plain(sys.argv[1:] if arguments is None else arguments)
        if plain is None:
            return _run_typer(arguments)
        plain()
        return 0
    except KeyboardInterrupt:
        return 130
    except NobodyReads:
        return 0
    except Exception as error:
        code = _exit_code(error)
        if code is not None:
            return code
        from cli.shell.failures import explain

        return explain(error)


def _plain(words: Sequence[str]) -> Callable[[], Any] | None:
    """The call that a plain command line means; None for any other, and for a shell's request for completions."""
    if "_CAMPAIGN_COMPLETE" in os.environ or sys.platform == "win32":  # on Windows Typer expands `*`
        return None
    try:
        from cli.shell.plain import plain_call
    except ModuleNotFoundError:  # it only saves time
        return None
    return plain_call(words)


def _run_typer(arguments: Sequence[str] | None) -> int:
    """Run a command line through Typer."""
    from cli.shell.parser import run_command
    from cli.shell.program import program

    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in ASKS_FOR_HELP:
        words = [*words[1:], "--help"]
    return run_command(program(), words, "campaign")


def _exit_code(error: Exception) -> int | None:
    """Report a command that ended early or a wrong command line, and return its exit code; None for other errors."""
    match error:
        case Ended():
            return error.code
        case EOFError():
            return _exit_code(Unanswered(error))
        case Unanswered():
            complain("Nothing was done." if error.was_answered else "\nNothing was done.")
            return 130 if error.was_interrupted else 1
    if "typer" not in sys.modules:
        return None
    from cli.shell.parser import NoCommand, is_usage
    from cli.shell.usage import usage_sentence

    if isinstance(error, NoCommand):
        complain(error.message)
        return 2
    if is_usage(error):
        complain(usage_sentence(error))  # type: ignore[arg-type]
        return 2
    return None
