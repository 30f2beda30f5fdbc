"""`campaign`: the entry point, with streams that can be written to."""

import io
import os
import sys
from typing import Any

from cli.importing import standing_in

_UNASKED_BY_PATHS: dict[str, dict[str, Any] | None] = {"ipaddress": {}}  # by `urllib.parse`

with standing_in(_UNASKED_BY_PATHS):
    from cli.shell.asked_again import answer_to, kept_for_next_time

#: What msgspec imports for descriptions of types that nobody asks for, or for names that `typing` has too.
_UNASKED: dict[str, dict[str, Any] | None] = {
    "typing_extensions": None,
    "platform": {"system": lambda: os.uname().sysname},  # for `uuid`
    "textwrap": {},
    "msgspec.inspect": {},
    **_UNASKED_BY_PATHS,
}


def main() -> None:
    """The console script."""
    import gc

    gc.disable()  # a command lives for a moment; walking its many small records again and again would double its time
    sys.unraisablehook = _tell_unless_interrupted
    _settle_streams()
    try:
        code = _answered_again()
        if code is None:
            with kept_for_next_time(sys.argv[1:]) as listening:
                code = _run()
                listening.is_answered = code == 0
    except KeyboardInterrupt:
        code = 130
    try:
        sys.stdout.flush()
    except OSError:
        # nobody reads it, or it has been complained about; what is left in the buffer must not be tried again
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    gc.freeze()  # nor is anything gained by walking them all twice more on the way out
    sys.exit(code)


def _answered_again() -> int | None:
    """The exit code of a question that was answered as the last time; None if it has to be answered anew."""
    told = answer_to(sys.argv[1:])
    if told is None:
        return None
    try:
        sys.stdout.write(told)
        sys.stdout.flush()
    except BrokenPipeError:
        return 0
    except OSError as error:
        from cli.shell.failures import explain
        from cli.terminal.screen import Unprintable

        return explain(Unprintable(error.strerror or str(error)))
    return 0


def _run() -> int:
    with standing_in(_UNASKED):
        import urllib.parse  # noqa: F401  (a newer Python's `pathlib` has it only when it is asked)

        import msgspec  # noqa: F401

    from cli.shell.command_line import run

    return run()


def _tell_unless_interrupted(unraisable: "sys.UnraisableHookArgs") -> None:
    """Ctrl-C where nothing can be raised, while something is tidied up: it is lost there, and is nothing to print."""
    if not isinstance(unraisable.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)


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
