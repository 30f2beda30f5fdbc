"""One command line run: every way in which it can end is an exit code.

Typer takes as long to import as most commands take, so a plain command line is read without it.
"""

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from cli.shell.catalogue import COMMANDS, can_be_a_line, function_of, program
from cli.shell.ending import Ended, Unanswered
from cli.shell.plain import NotPlain, given_plainly
from cli.terminal.screen import NobodyReads, complain
from domain.system.installed import SYSTEMS

#: What people type for `--help`.
ASKS_FOR_HELP = ("help", "?")


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and give its exit code; every error is one plain sentence on stderr."""
    try:
        plain = _plain(sys.argv[1:] if arguments is None else arguments)
        return _parsed(arguments) if plain is None else _done(plain, arguments)
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

    named = function_of(words)
    if named is None:
        return _line(words)
    function, left = named
    given = given_plainly(function, left)
    return None if given is None else partial(function, **given)


def _line(words: Sequence[str]) -> Callable[[], Any] | None:
    """The same of a line of the table, which the words are where they name nothing else."""
    rules = words[0] if len(words) > 1 and words[0] in SYSTEMS else None
    words = words if rules is None else words[1:]
    if not words or words[0][:1] in ("", "-") or (rules is None and words[0] in (*COMMANDS, *SYSTEMS, *ASKS_FOR_HELP)):
        return None
    from cli.shell.plain_lines import plain_line

    return plain_line(words, COMMANDS, rules)


def _done(plain: Callable[[], Any], arguments: Sequence[str] | None) -> int:
    """Do it. What is not understood is left to Typer's commands, which may know another reading of the same words."""
    from domain.refusal import Invalid, Unknown

    try:
        plain()
    except NotPlain:
        return _parsed(arguments)
    except (Invalid, Unknown):
        if not can_be_a_line(sys.argv[1:] if arguments is None else arguments):
            raise
        return _parsed(arguments)
    return 0


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
