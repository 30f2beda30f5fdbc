"""`log --follow`: each turn as it comes, whoever tells it."""

import csv
import io
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable

import pytest

from cli.pages.formats import Format
from tests.kit.shell import Shell, shell_after

shell = shell_after('new "The Mill" --rules osr --file mill.campaign', "osr enrol brog --rolled 5")


def until(process: "subprocess.Popen[bytes]", word: str) -> bytes:
    """What is printed up to a word, as soon as it is there."""
    assert process.stdout is not None
    said, deadline = b"", time.monotonic() + 60
    while word.encode() not in said:
        assert time.monotonic() < deadline, said
        said += os.read(process.stdout.fileno(), 65536)
    return said


def line_of(process: "subprocess.Popen[bytes]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode()


def test_turns_are_told_as_they_come_until_ctrl_c(shell: Shell) -> None:
    with shell.start("log", "--follow", "-n", "1") as process:
        assert line_of(process) == "Outside any session\n"
        assert line_of(process) == "T2  Brog joins at level 1, rolls 5 and has 5 hit points.\n"
        shell.do("note Rain.", "d brog 2")
        assert line_of(process) == "T3  Note: Rain.\n"
        assert line_of(process) == "T4  Brog is hit for 2 and has 3 hit points left.\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130


def test_only_what_is_asked_for_is_followed(shell: Shell) -> None:
    with shell.start("log", "--follow", "--kind", "note", "-O", "ndjson") as process:
        shell.do("d brog 2", "note Rain.")
        assert '"text":"Rain."' in line_of(process).replace('": "', '":"')


#: What each output is when it is stopped after the second and the third turn, with what is behind them.
ENDED_WELL: dict[Format, Callable[[str], bool]] = {
    Format.json: lambda text: [row["turn"] for row in json.loads(text)] == [2, 3],
    Format.ndjson: lambda text: [json.loads(line)["turn"] for line in text.splitlines()] == [2, 3],
    Format.csv: lambda text: [row["turn"] for row in csv.DictReader(io.StringIO(text))] == ["2", "3"],
    Format.md: lambda text: [line[:6] for line in text.splitlines() if line[:3] == "- *"] == ["- **T2", "- **T3"],
    Format.html: lambda text: text.endswith("</html>\n") and text.count("<tr>") == 3,
    Format.lines: lambda text: [line.split()[1] for line in text.splitlines() if line[:5] == "turn "] == ["2", "3"],
    Format.ids: lambda text: text == "T2\nT3\n",
    Format.text: lambda text: text.splitlines()[1:] == [
        "T2  Brog joins at level 1, rolls 5 and has 5 hit points.", "    OSR 6.1, OSR 6.2",
        "    brog, hit dice: 5 (reported)", "", "Session 1: Rain", "T3  Session 1 opens: Rain.",
    ],
}  # fmt: skip


@pytest.mark.parametrize("form", ENDED_WELL)
def test_each_output_comes_turn_by_turn_and_is_ended_well(shell: Shell, form: Format) -> None:
    assert set(ENDED_WELL) == set(Format)
    with shell.start("log", "--follow", "--with-why", "-n", "1", "-O", form.value) as process:
        said = until(process, "Brog" if form is not Format.ids else "T2")
        shell.do("session open Rain")
        said += until(process, "Rain" if form is not Format.ids else "T3")
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
        assert process.returncode == 130
    assert ENDED_WELL[form]((said + rest).decode())


def test_of_a_page_the_turns_that_are_missing_are_waited_for(shell: Shell) -> None:
    with shell.start("log", "--follow", "--after", "T1", "-n", "2", "-O", "ids") as process:
        assert line_of(process) == "T2\n"
        shell.do("note Rain.", "note Hail.")
        rest, _ = process.communicate(timeout=60)
        assert (process.returncode, rest) == (0, b"T3\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--at T1", "--follow waits for new turns, and --at reads only what was there; leave out one of them."),
        ("--reverse", "--follow prints new turns last, and --reverse newest first; leave out one of them."),
        ("--history T2", "--history is about one turn, so nothing follows; leave out --follow."),
    ],
)
def test_what_cannot_be_followed_is_said(shell: Shell, words: str, sentence: str) -> None:
    shell.run("log", "--follow", *words.split()).is_(2, sentence)
