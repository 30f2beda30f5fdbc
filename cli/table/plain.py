"""The table without a screen: a prompt with answers for a screen reader or a dumb terminal, and lines from a pipe."""

import sys
from collections.abc import Iterable
from contextlib import suppress

from cli.shell.failures import DONE, USAGE
from cli.shell.jsonlines import LONGEST_LINE
from cli.table.replies import KeyQuestion, Reply
from cli.table.table import UNREAD, OpenTable
from cli.terminal.asking import key_meant
from cli.terminal.screen import Screen, complain, size_of_terminal
from domain.refusal import Invalid


def play_lines(table: OpenTable, lines: Iterable[bytes | None], screen: Screen) -> int:
    """Do each line and print each answer; what begins with # is passed over. None is a line that was too long.

    The exit code is that of the first line that was not done.
    """
    code = DONE
    for each in lines:
        try:
            line = _text(each)
        except Invalid as error:
            screen.flush()
            complain(error.reason)
            code = code or USAGE
            continue
        if line.startswith("#"):
            continue  # a remark in a file of lines
        answer = table.answer(line, asking=False)
        _print(screen, answer)
        code = code or answer.code
        if answer.leaves:
            break
    return code


def _text(line: bytes | None) -> str:
    """A line as it was typed. Raises Invalid for one that is too long or is not text."""
    if line is None:
        raise Invalid(f"The line is longer than {LONGEST_LINE:,} bytes.")
    try:
        return line.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError:
        raise Invalid("The line is not UTF-8 text.") from None


def prompt(table: OpenTable, screen: Screen) -> int:
    """A prompt until the line `quit` or the end of what is typed. The same language as on the screen."""
    screen.line(f"{table.handler.state().campaign.name}. help lists the verbs; quit leaves the table.")
    screen.flush()
    seen = table.log.last()
    while True:
        # what cannot be read just now is told of the line that is typed
        with suppress(*UNREAD):
            _print_open(table, screen)
        try:
            text = input("> ").strip()
        except EOFError:
            return DONE
        except KeyboardInterrupt:
            screen.line()
            screen.flush()
            continue  # as in a shell: the line is dropped, the table goes on
        with suppress(*UNREAD):
            seen = _print_others(table, screen, seen)
        if screen.interactive:  # words are broken by nobody but us, however wide the window is by now
            table.surface.columns, _ = size_of_terminal()
        answer = _answered(table, screen, _done(table, text))
        with suppress(*UNREAD):
            seen = table.log.last()
        if answer.leaves:
            return DONE


def _done(table: OpenTable, text: str) -> Reply:
    """Do a line. A digit alone picks what the table waits for, with what stands behind it for what that leaves open."""
    key, _, more = text.partition(" ")
    answer = table.pick(key) if len(key) == 1 and key.isdecimal() else None
    if answer is None:
        return table.answer(text)
    return table.answer(answer.begins + more) if answer.begins is not None and more else answer


def _answered(table: OpenTable, screen: Screen, answer: Reply) -> Reply:
    """Print an answer, and ask what the rules ask until nothing is left."""
    while True:
        _print(screen, answer)
        try:
            if answer.choices is not None:
                answer = _asked(table, screen, answer.choices)
            elif answer.begins is not None:
                more = input(answer.begins)
                if not more.strip():
                    return _left(table, screen, answer)
                answer = table.answer(answer.begins + more)
            else:
                return answer
        except (EOFError, KeyboardInterrupt):
            return _left(table, screen, answer)


def _left(table: OpenTable, screen: Screen, answer: Reply) -> Reply:
    table.leave()
    stands = answer.choices.stands if answer.choices is not None else ""
    screen.line(f"{stands.partition(';')[0]} as it is." if stands else "Nothing was done.")
    screen.flush()
    return Reply()


def _asked(table: OpenTable, screen: Screen, choices: KeyQuestion) -> Reply:
    """Ask until one of the keys is given. What lies face down is typed without an echo."""
    while True:
        screen.line(choices.why)
        for each in choices.choices:
            screen.line(f"{each.key}  {each.says}")
        screen.flush()
        said = (_unseen() if choices.unseen else input("? ")).strip()
        key = key_meant(said, [(each.key, each.says) for each in choices.choices])
        if key is None and len(said.split()) > 1:
            return table.answer(said)  # whoever has not seen the question types the next line
        answer = table.choose(key or "")
        if answer.code != USAGE or answer.lines:
            return answer


def _unseen() -> str:
    from getpass import getpass

    return getpass("? ")


def _print_open(table: OpenTable, screen: Screen) -> None:
    if chosen := table.has_chosen():
        screen.line(f"{chosen}.")
    for matter in table.waiting():
        if matter.why:
            screen.line(matter.why)
        for each in matter.proposals:
            screen.line(f"{each.key}  {each.says}", indent=None)
    screen.flush()


def _print_others(table: OpenTable, screen: Screen, seen: int) -> int:
    """What somebody else told meanwhile, before what is typed is done."""
    for entry in table.chronicle(seen):
        screen.line(f"T{entry.turn}  {entry.sentence}")
    screen.flush()
    return table.log.last()


def _print(screen: Screen, answer: Reply) -> None:
    for line in answer.lines:
        if answer.code == USAGE and not screen.interactive:
            sys.stderr.write(f"{line}\n")
        elif answer.code:
            screen.line(line)
        else:
            screen.raw(line)
    if answer.notice:
        screen.line(f"    {answer.notice}", indent=None)
    screen.flush()
