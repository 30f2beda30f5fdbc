"""What a sentence of the program advises: the command lines in it, and whether they can be typed."""

import re
import shlex
from collections.abc import Iterable

from tests.kit.shell import Result, Shell

#: A command line within a sentence: in backticks, or behind what leads to one.
IN_BACKTICKS = re.compile(r"`campaign ([^`{]+)`")
LED_TO = re.compile(r"(?:Next: |or:   |Try: |try |like |mean |: )campaign ([^`;?\n]+)")
#: What is to be filled in.
GAP = re.compile(r"[A-Z]{2,}|…|\|")


def advice_in(text: str) -> list[str]:
    """The command lines that a text names, without the word `campaign`."""
    return [line.rstrip(".") for line in (*IN_BACKTICKS.findall(text), *LED_TO.findall(text))]


def none_that_does_not_parse(shell: Shell, lines: Iterable[str]) -> None:
    """Each of these lines is a command that there is, with options that it has."""
    for line in sorted(set(lines)):
        words = [word.replace("…", "x") for word in shlex.split(line.partition(" <")[0]) if "|" not in word]
        assert shell.run(*words, *(["--help"] if "--help" not in words else [])).code == 0, line


def none_that_is_refused(shell: Shell, result: Result) -> None:
    """What a result advises can be typed, and is done now where nothing has to be filled in."""
    lines = advice_in(f"{result.err}\n{result.out}")
    for line in lines:
        if not GAP.search(line):
            dry_run_option = [] if "--help" in line else ["--dry-run"]
            assert shell.run(*shlex.split(line), *dry_run_option).code in (0, 1), (line, result)
    none_that_does_not_parse(shell, (line for line in lines if GAP.search(line)))
