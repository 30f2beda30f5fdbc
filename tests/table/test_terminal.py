"""The table on a real terminal: start, resize, Ctrl-C, kill, a lost terminal; what was answered is in the log."""

import os
import re
import signal
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.kit.shell import Seat, Shell, shell_after

termios, fcntl = pytest.importorskip("termios"), pytest.importorskip("fcntl")
#: The program writes to a terminal of this size, as the system says it and not the environment.
SIZE = {"COLUMNS": None, "LINES": None}
#: What gives a terminal back: no mouse, the keys and the screen from before, the cursor.
TERMINAL_AS_BEFORE = (b"\x1b[?1000l", b"\x1b[?1003l", b"\x1b[?2004l", b"\x1b[<u", b"\x1b[?1049l", b"\x1b[?25h")


shell = shell_after("new Crawl --rules osr", "osr enrol Brog --level 2 --rolled 5,6")


def sized(seat: Seat, columns: int, rows: int) -> None:
    fcntl.ioctl(seat.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


@contextmanager
def table(shell: Shell, columns: int = 80, rows: int = 24) -> Iterator[Seat]:
    """Somebody at the table, who has hit Brog for 4 already and seen the answer."""
    with shell.seated("play", env=SIZE) as seat:
        sized(seat, columns, rows)
        seat.process.send_signal(signal.SIGWINCH)
        seat.see(b"Brog joins")
        seat.press(b"d brog 4")
        seat.see(b"is hit for 4")
        seat.press(b"\r")
        seat.see(b"T3")
        yield seat


def hits(shell: Shell) -> list[int]:
    return [turn["action"]["amount"] for turn in shell.turns() if turn["action"]["type"] == "osr.damage"]


def test_it_starts_takes_a_line_and_leaves_the_terminal_as_it_was(shell: Shell) -> None:
    with table(shell) as seat:
        before = termios.tcgetattr(seat.terminal)
        seat.press(b"\x04")
        assert seat.end() == 0
        assert b"\x1b[?1049l" in seat.output, "the screen from before comes back"
        assert termios.tcgetattr(seat.terminal)[3] & termios.ECHO and not before[3] & termios.ECHO
    assert hits(shell) == [4]


def test_ctrl_c_drops_the_line_and_not_the_table(shell: Shell) -> None:
    with table(shell) as seat:
        seat.press(b"d brog 5")
        seat.see(b"is hit for 5")
        seat.press(b"\x03")
        seat.see(b"Enter lists what can be done")
        seat.press(b"d brog 2")
        seat.see(b"is hit for 2")
        seat.press(b"\r")
        seat.see(b"T4")
        seat.press(b"\x04")
        assert seat.end() == 0
    assert hits(shell) == [4, 2]


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_ended_in_the_middle_of_a_line_what_was_answered_is_there(shell: Shell, how: signal.Signals) -> None:
    with table(shell) as seat:
        seat.press(b"d brog 5")
        seat.see(b"is hit for 5")
        seat.output = b""
        seat.process.send_signal(how)
        if how is signal.SIGKILL:
            assert seat.end() == -how
        else:
            assert seat.end() == 128 + how
            for restoring in TERMINAL_AS_BEFORE:
                assert restoring in seat.output, restoring
            assert termios.tcgetattr(seat.terminal)[3] & termios.ECHO
    assert hits(shell) == [4]


def test_a_reader_that_went_away_ends_no_table(shell: Shell) -> None:
    with table(shell) as seat:
        seat.process.send_signal(signal.SIGPIPE)
        seat.press(b"d brog 5")
        seat.see(b"is hit for 5")
        seat.press(b"\r")
        seat.see(b"T4")
        seat.press(b"\x04")
        assert seat.end() == 0
    assert hits(shell) == [4, 5]


def test_where_drawing_would_go_to_a_file_there_is_the_prompt(shell: Shell) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        with shell.seated("play", env=SIZE, stderr=write) as seat:
            seat.see(b"quit leaves the table.")
            seat.press(b"d brog 4\n")
            seat.see(b"T3")
            seat.press(b"\x04")
            assert seat.end() == 0
    finally:
        os.close(write)
    assert hits(shell) == [4]


def test_a_table_whose_terminal_takes_nothing_any_more_ends_when_it_is_told_to(shell: Shell) -> None:
    with table(shell) as seat:
        # nobody reads on, and every new size is drawn
        for columns in range(60, 120):
            sized(seat, columns, 40)
            seat.process.send_signal(signal.SIGWINCH)
            time.sleep(0.02)
        seat.process.terminate()
        assert seat.process.wait(60) in (128 + signal.SIGTERM, -signal.SIGALRM)
    assert hits(shell) == [4]


def test_a_lost_terminal_ends_it_and_loses_nothing(shell: Shell) -> None:
    with table(shell) as seat:
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, seat.keeper)
        os.close(nowhere)
        assert seat.process.wait(60) != 0
    assert hits(shell) == [4]


def test_it_follows_the_size_of_the_window(shell: Shell) -> None:
    with table(shell) as seat:
        for columns, rows in ((120, 40), (100, 50)):
            # one right behind the other, as where an edge is dragged
            for size in ((60, 20), (columns, rows)):
                sized(seat, *size)
                seat.process.send_signal(signal.SIGWINCH)
            # the last row is drawn where it is now
            seat.see(f"\x1b[{rows - 2};".encode())
        seat.press(b"\x04")
        assert seat.end() == 0


def test_turns_of_another_writer_appear_by_themselves(shell: Shell) -> None:
    with table(shell) as seat:
        shell.do("osr damage brog 3")
        seat.see(b"T4")
        seat.press(b"\x04")
        assert seat.end() == 0


@pytest.mark.parametrize(
    "env", [{"TERM": "dumb"}, {"PYTHONIOENCODING": "ascii"}], ids=["a dumb terminal", "letters of ASCII alone"]
)
def test_where_no_screen_can_be_drawn_there_is_the_prompt(shell: Shell, env: dict[str, str | None]) -> None:
    with shell.seated("play", env={**SIZE, **env}) as seat:
        seat.see(b"quit leaves the table.")
        seat.see(b"> ")
        seat.press(b"d brog 4\n")
        seat.see(b"T3")
        seat.see(b"> ")
        seat.press(b"\x04")
        assert seat.end() == 0
    assert b"\x1b[" not in seat.output
    assert hits(shell) == [4]


@pytest.mark.parametrize(
    ("options", "env"),
    [([], {"NO_COLOR": "1"}), (["--color", "never"], {})],
    ids=["by the environment", "by the option"],
)
def test_without_colour_it_is_the_same_table_in_the_terminals_own(
    shell: Shell, options: list[str], env: dict[str, str]
) -> None:
    with shell.seated("play", *options, env={**SIZE, **env}) as seat:
        sized(seat, 80, 24)
        seat.see(b"Brog joins")
        drawn = seat.output
        seat.press(b"d brog 4")
        seat.see(b"is hit for 4")
        drawn += seat.output
        seat.press(b"\r")
        seat.see(b"T3")
        drawn += seat.output
        seat.press(b"\x04")
        assert seat.end() == 0
    codes = {code for sequence in re.findall(rb"\x1b\[([0-9;]*)m", drawn) for code in sequence.split(b";")}
    # bold, dim, underlined, reversed, struck, and the colours that are there anyhow
    assert codes <= {b"", b"0", b"1", b"2", b"4", b"7", b"9", b"39", b"49"}
    assert hits(shell) == [4]


def test_the_plain_prompt_asks_for_each_open_slot_and_what_the_rules_ask(shell: Shell) -> None:
    with shell.seated("play", "--plain", "--color", "never", columns=50) as seat:
        seat.see(b"> ")
        seat.press(b"d brog\n")
        seat.see(b"amount: points of damage")
        seat.see(b"d brog ")
        seat.press(b"\n")
        seat.see(b"Nothing was done.")
        seat.press(b"d\n")
        seat.see(b"who: who is hit")
        seat.see(b"Brog")
        seat.press(b"b\n")
        seat.see(b"d Brog ")
        seat.press(b"x=\n")
        seat.see(b"amount")
        seat.see(b"d Brog ")
        seat.press(b"30\n")
        seat.see(b"1  injury-saves Brog")
        lines = seat.output.decode().partition("T")[2].splitlines()
        assert all(len(row) <= 50 for row in lines)
        seat.see(b"> ")
        seat.press(b"saves brog 1\n")
        seat.see(b"B  fail it on purpose")
        seat.see(b"? ")
        seat.press(b"u\n")
        seat.see(b'"u" is not an answer; answer with A or B')
        seat.see(b"? ")
        seat.press(b"fail\n")
        seat.see(b"collapses")
        seat.see(b"> ")
        seat.press(b"quit\n")
        assert seat.end() == 0
    assert shell.run("status", "--json").json()["characters"]["Brog"]["condition"] == "collapsed"
