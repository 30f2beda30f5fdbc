"""`campaign`: the entry point of the console script, with streams that can be written to."""

import gc
import io
import os
import sys

#: So many more objects than before are there before the collector looks at them: a command that ends after a moment
#: never gets there, and what runs for an evening (`play`, `serve`) is collected all the same.
COLLECTED_AFTER = 100_000


def main() -> None:
    """Run one command line and end the process with its exit code."""
    gc.set_threshold(COLLECTED_AFTER)
    sys.unraisablehook = _tell_unless_interrupted
    _settle_streams()
    try:
        code = _run()
    except KeyboardInterrupt:
        code = 130
    for fd, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            # nobody reads it, or it has been complained about; what is left in the buffer must not be tried again
            os.dup2(os.open(os.devnull, os.O_WRONLY), fd)
    gc.freeze()  # the interpreter would walk all of it twice more on its way out
    sys.exit(code)


def _run() -> int:
    from cli.shell.command_line import run  # here, so that Ctrl-C while it is imported is no traceback

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
