"""The table without a screen: a prompt with answers for a screen reader or a dumb terminal, and lines from a pipe."""

import sys
from collections.abc import Iterable

from cli.shell.failures import DONE, USAGE
from cli.table.sitting import Answer, Sitting
from cli.terminal.asking import confirmed
from cli.terminal.screen import Screen


def play_lines(sitting: Sitting, lines: Iterable[str], screen: Screen) -> int:
    """Do each line and print each answer. The exit code is that of the first line that was not done."""
    code = DONE
    for line in lines:
        answer = sitting.answer(line, asking=False)
        _print(screen, answer)
        code = code or answer.code
        if answer.leaves:
            break
    return code


def prompt(sitting: Sitting, screen: Screen) -> int:
    """A prompt until the line `quit` or the end of what is typed. The same language as on the screen."""
    screen.line(f"{sitting.scribe.state().campaign.name}. help lists the verbs; quit leaves the table.")
    screen.flush()
    while True:
        for number, (why, line) in enumerate(_open(sitting), 1):
            screen.line(f"{number}  {why}{line}", indent=None)
        screen.flush()
        try:
            text = input("> ").strip()
        except EOFError:
            return DONE
        except KeyboardInterrupt:
            screen.line()
            screen.flush()
            continue  # as in a shell: the line is dropped, the table goes on
        answer = sitting.answer(_chosen(sitting, text))
        _print(screen, answer)
        if answer.asks and _agreed():
            _print(screen, sitting.answer(_chosen(sitting, text), agreed=True))
        if answer.leaves:
            return DONE


def _open(sitting: Sitting) -> list[tuple[str, str]]:
    return [
        (f"{matter.why} " if matter.why and not place else "", proposal.line)
        for matter in sitting.waiting()
        for place, proposal in enumerate(matter.proposals)
    ]


def _chosen(sitting: Sitting, text: str) -> str:
    """A number picks a proposal; what it leaves open is typed behind it."""
    number, _, more = text.partition(" ")
    proposals = [line for _, line in _open(sitting)]
    if number.isdecimal() and 1 <= int(number) <= len(proposals):
        return f"{proposals[int(number) - 1]} {more}".strip()
    return text


def _agreed() -> bool:
    try:
        return confirmed("Do this?")
    except (EOFError, KeyboardInterrupt):
        return False


def _print(screen: Screen, answer: Answer) -> None:
    for line in answer.lines:
        if answer.code == USAGE and not screen.interactive:
            sys.stderr.write(f"{line}\n")
        else:
            screen.raw(line)
    screen.flush()
