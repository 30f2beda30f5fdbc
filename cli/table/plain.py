"""The table without a screen: a prompt for screen readers and dumb terminals, and lines from a pipe."""

import sys
from collections.abc import Iterable
from contextlib import suppress

from cli.shell.ending import DONE, USAGE
from cli.shell.jsonlines import LONGEST_LINE
from cli.table.replies import DRAWN_AGAIN, KeyQuestion, Reply
from cli.table.table import UNREAD, OpenTable
from cli.terminal.asking import choice_key
from cli.terminal.screen import Screen, complain, safe, size_of_terminal
from domain.refusal import Invalid
from domain.system.type_descriptions import either


def play_lines(table: OpenTable, lines: Iterable[bytes | None], screen: Screen) -> int:
    """Do each line and print its reply; lines that begin with # are skipped. None stands for a line that was too long.

    Returns the exit code of the first line that failed, or that of success.
    """
    code = DONE
    for data in lines:
        try:
            line = _text(data)
        except Invalid as error:
            screen.flush()
            complain(error.reason)
            code = code or USAGE
            continue
        if line.startswith("#"):
            continue  # a comment
        reply = table.answer(line, asking=False)
        _print(screen, reply)
        code = code or reply.code
        if reply.leaves:
            break
    return code


def _text(line: bytes | None) -> str:
    """A line decoded. Raises Invalid for one that is too long or no UTF-8."""
    if line is None:
        raise Invalid(f"The line is longer than {LONGEST_LINE:,} bytes.")
    try:
        return line.decode("utf-8-sig").rstrip("\r\n")
    except UnicodeDecodeError:
        raise Invalid("The line is not UTF-8 text.") from None


def prompt(table: OpenTable, screen: Screen, opening: str) -> int:
    """Read and do lines until `quit` or the end of input; the lines are those of the screen.

    `opening` is said first.
    """
    screen.line(safe(opening))
    screen.line("help lists the verbs; quit leaves the table.")
    screen.flush()
    last_turn = table.log.last()
    while True:
        # if the log cannot be read now, the reply to the next line says so
        with suppress(*UNREAD):
            _print_open(table, screen)
        try:
            text = input("> ").strip()
        except EOFError:
            return DONE
        except KeyboardInterrupt:
            screen.line()
            screen.flush()
            continue  # as in a shell: only the line is dropped
        with suppress(*UNREAD):
            last_turn = _print_others(table, screen, last_turn)
        if screen.interactive:  # replies are wrapped here, for the present width of the window
            table.surface.columns, _ = size_of_terminal()
        reply = _converse(table, screen, _do_line(table, text))
        with suppress(*UNREAD):
            last_turn = table.log.last()
        if reply.leaves:
            return DONE


def _do_line(table: OpenTable, text: str) -> Reply:
    """Do a line. A single digit picks a proposal; text behind the digit completes the line that it begins."""
    key, _, more = text.partition(" ")
    if not (len(key) == 1 and key.isdecimal()) or (more and not table.proposals.begins_line(key)):
        return table.answer(text)
    reply = table.pick(key)
    if reply is None:
        return table.answer(text)
    return table.answer(reply.begins + more) if reply.begins is not None and more else reply


def _converse(table: OpenTable, screen: Screen, reply: Reply) -> Reply:
    """Print a reply, and ask and print on until no question is open; return the last reply."""
    while True:
        _print(screen, reply)
        try:
            if reply.choices is not None:
                reply = _ask_key(table, screen, reply.choices)
            elif reply.begins is not None:
                begins = table.beginning or reply.begins
                more = input(begins)
                if not more.strip():
                    return _leave(table, screen, reply)
                reply = table.answer(begins + more)
            else:
                return reply
        except (EOFError, KeyboardInterrupt):
            return _leave(table, screen, reply)


def _leave(table: OpenTable, screen: Screen, reply: Reply) -> Reply:
    table.leave()
    has_draws = reply.choices is not None and reply.choices.drawn
    screen.line(f"Nothing was done; {DRAWN_AGAIN}." if has_draws else "Nothing was done.")
    screen.flush()
    return Reply()


def _ask_key(table: OpenTable, screen: Screen, choices: KeyQuestion) -> Reply:
    """Ask until a key answers the question. A face-down choice is typed without an echo."""
    while True:
        screen.line(choices.why)
        for choice in choices.choices:
            screen.line(f"{choice.key}  ", choice.says, indent=3)
        screen.flush()
        text = (_input_unseen() if choices.unseen else input("? ")).strip()
        key = choice_key(text, [(choice.key, choice.says) for choice in choices.choices])
        reading = table.read(text) if key is None else None
        if reading is not None and reading.leaves:
            return reading
        if reading is not None:
            _print(screen, reading)
            continue  # and the question is asked again
        if key is None and table.takes_back(text):
            screen.line(f"{choices.comes_first.replace('Esc', 'Ctrl-C')}.")
            continue
        if key is None and len(text.split()) > 1:
            if (key_of_words := table.key_for_words(text)) is not None:
                return table.answer(f"{table.choose(key_of_words).begins}{text}")
            screen.line(safe(choices.left))
            return table.answer(text)  # a whole line from somebody who has not seen the question
        if key is None and text:
            keys = either(choice.key for choice in choices.choices)
            screen.line(f"{choices.no_answer(safe(text))}; answer with {keys}, or press Ctrl-C to cancel.")
        reply = table.choose(key or "")
        if reply.code != USAGE or reply.lines:
            return reply


def _input_unseen() -> str:
    from getpass import getpass

    return getpass("? ")


def _print_open(table: OpenTable, screen: Screen) -> None:
    if who := table.has_chosen():
        screen.line(f"{who}.")
    for decision in table.proposals.waiting():
        if decision.why:
            screen.line(decision.why)
        for proposal in decision.proposals:
            screen.line(f"{proposal.key}  ", proposal.says, indent=3)
    screen.flush()


def _print_others(table: OpenTable, screen: Screen, last_turn: int) -> int:
    """Print the turns after `last_turn` that others recorded; return the number of the last turn."""
    for entry in table.chronicle(last_turn):
        screen.line(f"T{entry.turn}  {entry.sentence}")
    screen.flush()
    return table.log.last()


def _print(screen: Screen, reply: Reply) -> None:
    for line in reply.lines:
        if reply.code == USAGE and not screen.interactive:
            sys.stderr.write(f"{line}\n")
        elif reply.code:
            screen.line(line)
        else:
            screen.raw(line)
    if reply.notice:
        screen.line(f"    {reply.notice}", indent=None)
    screen.flush()
