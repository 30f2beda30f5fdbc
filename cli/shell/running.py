"""One command line run: every way in which it can end is an exit code."""

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
