"""The table without a screen: a prompt for screen readers and dumb terminals, and lines from a pipe."""

import sys
from collections.abc import Iterable
from contextlib import suppress

from cli.line.guiding import matching
from cli.shell.ending import DONE, USAGE
from cli.shell.jsonlines import LONGEST_LINE
from cli.table.replies import DRAWN_AGAIN, KeyQuestion, Reply, keys_in_words
from cli.table.slots import open_slot, what_is_wrong, with_answer
from cli.table.table import UNREAD, OpenTable
from cli.terminal.screen import Screen, complain, safe, size_of_terminal
from domain.refusal import Invalid


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
        reply = table.answer(line)
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
        reply = _converse(table, screen, text) if text else Reply()
        with suppress(*UNREAD):
            last_turn = table.log.last()
        if reply.leaves:
            return DONE


def _do_line(table: OpenTable, screen: Screen, text: str) -> Reply:
    """Do a line, and ask for what it still needs, one after another. A digit picks what the table waits for."""
    if table.is_key(text) and (picked := table.pick(text)) is not None:
        return picked
    while (found := open_slot(table, text)) is not None:
        text, asked = found
        screen.line(f"  {asked.question}", indent=4)
        if asked.values:
            screen.line(f"    {', '.join(value.text for value in asked.values)}", indent=4)
        screen.flush()
        is_unseen = table.unseen_from(f"{text[: asked.place]}x") is not None
        answer = (_input_unseen() if is_unseen else input(f"{text[: asked.place]}")).strip()
        if not answer:
            raise EOFError
        first = next(iter(matching(answer, asked.values)), None) if asked.is_closed else None
        answer = answer if first is None else first.as_word
        line, _ = with_answer(table, text, asked, answer)
        if wrong := what_is_wrong(table, line, asked, answer):
            screen.line(wrong)
        else:
            text = line
    return table.answer(text)


def _converse(table: OpenTable, screen: Screen, text: str) -> Reply:
    """Do a line, and print and ask on until no question is open; return the last reply."""
    reply = Reply()
    try:
        reply = _do_line(table, screen, text)
        while True:
            _print(screen, reply)
            if reply.choices is not None:
                reply = _ask_key(table, screen, reply.choices)
            elif reply.begins is None:
                return reply
            elif open_slot(table, reply.begins) is not None:
                reply = _do_line(table, screen, reply.begins)
            else:
                more = input(reply.begins)
                if not more.strip():
                    raise EOFError
                reply = table.answer(f"{reply.begins}{more}")
    except (EOFError, KeyboardInterrupt):
        table.leave()
        has_draws = reply.choices is not None and reply.choices.drawn
        screen.line(f"Nothing was done; {DRAWN_AGAIN}." if has_draws else "Nothing was done.")
        screen.flush()
        return Reply()


def _ask_key(table: OpenTable, screen: Screen, choices: KeyQuestion) -> Reply:
    """Ask until a key answers the question, or the beginning of what it means. A face-down choice has no echo."""
    while True:
        screen.line(choices.why)
        for choice in choices.choices:
            screen.line(f"{choice.key}  ", choice.says, indent=3)
        screen.flush()
        text = (_input_unseen() if choices.unseen else input("? ")).strip()
        if (answer := choices.meant_by(text)) is not None:
            return table.choose(answer.key)
        what = "That" if choices.unseen else f'"{safe(text)}"'
        keys = keys_in_words([choice.key for choice in choices.choices])
        screen.line(f"{what} is not an answer; answer with {keys}, or press Ctrl-C to cancel.")


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
