"""`campaign`: the entry point, with streams that can be written to."""

import io
import os
import sys

#: msgspec asks for it although `typing` has all that it wants from there, and it takes longer to import than msgspec.
_UNASKED = "typing_extensions"
if _UNASKED not in sys.modules:
    sys.modules[_UNASKED] = None  # type: ignore[assignment]
    import msgspec  # noqa: F401

    del sys.modules[_UNASKED]

from cli.shell.running import run  # noqa: E402


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
