"""One command line run: every way in which it can end is an exit code.

Typer takes as long to import as most commands take, so a plain command line is read without it.
"""

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from cli.shell.catalogue import ASKS_FOR_HELP, program
from cli.shell.ending import Ended, Unanswered
from cli.terminal.screen import NobodyReads, complain


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and give its exit code; every error is one plain sentence on stderr."""
    try:
        plain = _plain(sys.argv[1:] if arguments is None else arguments)
        if plain is None:
            return _parsed(arguments)
        plain()
        return 0
    except KeyboardInterrupt:
        return 130
    except NobodyReads:
        return 0
    except Exception as error:
        code = _ended(error)
        if code is not None:
            return code
        from cli.shell.failures import explain

        return explain(error)


def _plain(words: Sequence[str]) -> Callable[[], Any] | None:
    """The call that a plain command line asks for; None for any other, and where a shell asks what it may propose."""
    if "_CAMPAIGN_COMPLETE" in os.environ or sys.platform == "win32":  # there, `*` is for the program to read
        return None
    try:
        from cli.shell.plain import plain_call
    except ModuleNotFoundError:  # it only saves time
        return None
    return plain_call(words)


def _parsed(arguments: Sequence[str] | None) -> int:
    """Run whatever the command line asks for, by way of Typer."""
    from cli.shell.parser import run_command

    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in ASKS_FOR_HELP:
        words = [*words[1:], "--help"]
    return run_command(program(), words, "campaign")


def _ended(error: Exception) -> int | None:
    """The exit code of a command that ended early, or was not understood, said as it has to be; None for any other."""
    match error:
        case Ended():
            return error.code
        case EOFError():
            return _ended(Unanswered(error))
        case Unanswered():
            complain("Nothing was done." if error.answered else "\nNothing was done.")
            return 130 if error.interrupted else 1
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
