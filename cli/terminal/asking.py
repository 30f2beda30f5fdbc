"""Questions on the terminal: yes or no, a choice by key, or the rest of a line. Ctrl-C is never lost between reads."""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

from cli.terminal.screen import complain
from domain.naming import plain_words, without_article
from domain.system.type_descriptions import either


def pick(why: str, choices: Sequence[tuple[str, str]], *, leaves: bool = False) -> str:
    """Ask for one of `choices`, pairs of key and meaning, and return its key. Raises as `confirm` does.

    With `leaves` an empty line is an answer too, and "" is returned.
    """
    while True:
        complain(why)
        for face, says in choices:
            complain(says, begins=f"  [{face}] ")
        sys.stderr.write("? ")
        sys.stderr.flush()
        answer = _line().strip()
        if leaves and not answer:
            return answer
        if (key := choice_key(answer, choices)) is not None:
            return key
        if answer:
            keys = either(key for key, _ in choices)
            complain(f"{answer} is none of these; answer with {keys}, or press Ctrl-C to cancel.")


def choice_key(answer: str, choices: Sequence[tuple[str, str]]) -> str | None:
    """The key that an answer means; None if it is not unique.

    It is the key itself, its meaning, the beginning of one, or its last words: `wound` of "a Wound".
    """
    text = answer.strip().casefold()
    if own := [key for key, _ in choices if key.casefold() == text]:
        return own[0]
    words = plain_words(text)
    tests: Sequence[Callable[[str], bool]] = (
        lambda says: says.casefold() == text,
        lambda says: plain_words(says)[: len(words)] == words,  # `x` is one of x and xx
        lambda says: says.casefold().startswith(text),
        lambda says: len(text) > 1 and plain_words(says)[-len(without_article(words)) :] == without_article(words),
    )
    for test in tests:
        keys = [key for key, says in choices if text and test(says)]
        if keys:
            return keys[0] if len(keys) == 1 else None
    return None


def ask_rest(beginning: str) -> str:
    """Prompt with the beginning of a line, and return it with the rest that was typed. Raises as `confirm` does."""
    sys.stderr.write(beginning)
    sys.stderr.flush()
    return beginning + _line().rstrip("\n")


def confirm(question: str) -> bool:
    """Ask a question and return whether the answer is yes; an empty one is no.

    Raises KeyboardInterrupt for Ctrl-C, EOFError at the end of input.
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
    """Read a line. A Ctrl-C just before the read is not lost. Raises EOFError at the end of input."""
    # on Windows select does not work on standard input, and Ctrl-C is handled differently
    with suppress(AttributeError, OSError):
        _wait_for_input()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _wait_for_input() -> None:
    """Return when standard input can be read, or when a signal arrives.

    A plain read would block although a signal came just before it. So this waits for input or for the byte that the
    interpreter writes at a signal, and no signal falls in between.
    """
    # imported here: every command could ask something, and hardly any does
    import select

    wake_reader, wake_writer = os.pipe()
    try:
        os.set_blocking(wake_writer, False)
        before = signal.set_wakeup_fd(wake_writer, warn_on_full_buffer=False)
        try:
            select.select([sys.stdin, wake_reader], [], [])
        finally:
            signal.set_wakeup_fd(before)
    finally:
        os.close(wake_reader)
        os.close(wake_writer)
