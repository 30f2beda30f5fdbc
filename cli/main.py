"""`campaign`: the entry point. One command line is run, and every way in which it can end is an exit code."""

import io
import os
import sys
from collections.abc import Sequence

import typer

from cli.shell.catalogue import program
from cli.shell.parser import ClickException, NoArgsIsHelpError, UsageError


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and give its exit code; every error is one plain sentence on stderr."""
    from cli.terminal.screen import NobodyReads, complain

    try:
        code = program().main(
            args=list(arguments) if arguments is not None else None, prog_name="campaign", standalone_mode=False
        )
    except UsageError as error:
        if isinstance(error, NoArgsIsHelpError):
            error.show()
            return 2
        from cli.shell.failures import usage_sentence

        complain(usage_sentence(error))
        return 2
    except ClickException as error:
        complain(error.format_message())
        return error.exit_code
    except typer.Abort as abort:
        # the answer was no, or there was none (Ctrl-D), or Ctrl-C
        unanswered = isinstance(abort.__context__, KeyboardInterrupt | EOFError)
        complain("\nNothing was done." if unanswered else "Nothing was done.")
        return 130 if isinstance(abort.__context__, KeyboardInterrupt) else 1
    except KeyboardInterrupt:
        return 130
    except NobodyReads:
        return 0
    except Exception as error:
        from cli.shell.failures import explain

        return explain(error)
    return code if isinstance(code, int) else 0


def main() -> None:
    """The console script."""
    import gc

    gc.disable()  # a command lives for a moment; walking its many small records again and again would double its time
    _settle_streams()
    code = run()
    try:
        sys.stdout.flush()
    except OSError:
        # nobody reads it, or it has been complained about; what is left in the buffer must not be tried again
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(code)


def _settle_streams() -> None:
    """Streams that were closed before the start lead nowhere; those of another encoding can take every character."""
    while (fd := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass  # or the campaign file would be opened as one of them
    os.close(fd)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # a terminal shows what it can; a file or another program gets UTF-8 whatever the locale says
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")
