"""`log --follow`: each turn as it comes, whoever tells it."""

import signal
import subprocess

from tests.kit.shell import Shell, shell_after

shell = shell_after('new "The Mill" --rules osr --file mill.campaign', "osr enrol brog --rolled 5")


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


def test_what_cannot_be_followed_is_told(shell: Shell) -> None:
    for words in (("--at", "T1"), ("--reverse",), ("-O", "csv")):
        shell.run("log", "--follow", *words).is_(
            2, "--follow prints new turns, as text or with -O ndjson; leave out --at, --reverse and --history."
        )
