"""Running a command line, and the exit code of every ending."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import typer

from cli.shell.catalogue import ASKS_FOR_HELP
from cli.shell.ending import USAGE, Ended, Unanswered
from cli.shell.parser import NoCommand, call, run_command
from cli.shell.program import program
from cli.terminal.screen import NobodyReads, complain


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code; every expected error becomes a sentence on stderr."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in ASKS_FOR_HELP:
        words = [*words[1:], "--help"]
    return _to_its_end(lambda: run_command(program(), words))


def ask(command: Sequence[str], words: Sequence[str], **settled: Any) -> int:
    """Call a reading command with these words for a face that is no shell; returns its exit code.

    `settled` are parameters that the face decides on, where the command has them. Errors end as those of `run`.
    """
    return _to_its_end(lambda: call(program(), command, words, settled))


def _to_its_end(run_it: Callable[[], int]) -> int:
    """The exit code of a command, whose expected errors become sentences on stderr."""
    try:
        return run_it()
    except KeyboardInterrupt:
        return 130
    except NobodyReads:
        return 0
    except Ended as ended:
        return ended.code
    except Unanswered as unanswered:
        complain("Nothing was done." if unanswered.was_answered else "\nNothing was done.")
        return 130 if unanswered.was_interrupted else 1
    except NoCommand as error:
        complain(error.message)
        return USAGE
    except typer.TyperException as error:
        if error.exit_code != USAGE:
            raise
        from cli.shell.usage import usage_sentence

        complain(usage_sentence(error))
        return USAGE
    except Exception as error:
        from cli.shell.failures import explain

        return explain(error)
