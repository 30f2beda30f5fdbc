"""Questions on the terminal: answered with yes or no, with one of several keys, or with the rest of a line."""

import os
import select
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

from cli.terminal.screen import complain, safe
from domain.system.type_descriptions import either


def picked(why: str, choices: Sequence[tuple[str, str]], *, leaves: bool = False) -> str:
    """The key of the choice that was made; `choices` are keys with what they mean. Raises as `confirmed` does.

    With `leaves` an empty line makes none.
    """
    told = "".join(f"  [{key}] {safe(says)}\n" for key, says in choices)
    while True:
        sys.stderr.write(f"{safe(why)}\n{told}? ")
        sys.stderr.flush()
        answer = _line().strip()
        if leaves and not answer:
            return answer
        if (key := key_meant(answer, choices)) is not None:
            return key
        if answer:
            complain(
                f"{answer} is none of these; answer with {either(key for key, _ in choices)}, or leave with Ctrl-C."
            )


def key_meant(answer: str, choices: Sequence[tuple[str, str]]) -> str | None:
    """The key that is meant by what was typed: the key itself, or some of the letters with which its meaning begins."""
    said = answer.strip().casefold()
    if said in [key for key, _ in choices]:
        return said
    begun = [key for key, says in choices if len(said) > 1 and says.casefold().startswith(said)]
    return begun[0] if len(begun) == 1 else None


def typed_on(begun: str) -> str:
    """A line with what is typed behind its beginning. Raises as `confirmed` does."""
    sys.stderr.write(begun)
    sys.stderr.flush()
    return begun + _line().rstrip("\n")


def confirmed(question: str) -> bool:
    """Whether the answer is yes; an empty one is no.

    Raises KeyboardInterrupt for Ctrl-C, EOFError where nothing more is typed.
    """
    while True:
        sys.stderr.write(f"{question} [y/N]: ")
        sys.stderr.flush()
        answer = _line().strip().casefold()
        if answer in ("y", "yes"):
            return True
        if answer in ("", "n", "no"):
            return False


def _line() -> str:
    """A line as typed. A Ctrl-C that comes before the reading has begun is not lost. Raises EOFError at the end."""
    # Windows waits for no standard input, and has its own way with Ctrl-C
    with suppress(AttributeError, OSError):
        _wait_for_input()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _wait_for_input() -> None:
    """Return when there is something to read.

    Reading blocks, whether or not a signal came just before it. What is waited for instead is either a line or the
    byte that the interpreter writes at a signal, so that there is no moment in between.
    """
    woken, wakes = os.pipe()
    try:
        os.set_blocking(wakes, False)
        before = signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
        try:
            select.select([sys.stdin, woken], [], [])
        finally:
            signal.set_wakeup_fd(before)
    finally:
        os.close(woken)
        os.close(wakes)
