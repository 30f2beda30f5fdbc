"""`campaign play < lines.txt`: each line is done and answered, and the exit code is that of the first that was not."""

import re

import pytest

from cli.line.evening import evening_of
from domain.common import ACTIONS
from domain.registry import SYSTEMS, system_of, verb_name
from tests.kit.shell import Shell, shell_after

EVENING = """\
session open The crypt
enrol Brog level 2 rolled 5,6 player=Mia
enrol Ségolène level 3 rolled 5,6,4 player=Bea
d brog 4 a ghoul
why brog
d seg 20 a fall
saves seg 24 19
"""


shell = shell_after("new Crawl --rules osr")


@pytest.mark.parametrize("marked", ["", "\ufeff"])
def test_each_line_is_done_and_answered(shell: Shell, marked: str) -> None:
    played = shell.run("play", stdin=f"{marked}{EVENING}").ok()
    assert "T5  Brog is hit for 4 by a ghoul and has 7 hit points left.\n" in played.out
    assert "Brog.hp has been 7 since T5.\n" in played.out
    assert played.out.count("\nT") >= 5
    sheets = shell.run("status", "--json").json()["characters"]
    assert (sheets["Brog"]["hp"], sheets["Ségolène"]["condition"]) == (7, "collapsed")


def test_what_is_next_is_told_in_the_words_of_the_table(shell: Shell) -> None:
    output = shell.run("play", stdin=EVENING).out
    assert "Next: choose-fate Ségolène death\n" in output
    assert "campaign osr" not in output


def test_what_may_be_done_instead_is_told_in_the_words_of_the_table(shell: Shell) -> None:
    result = shell.run("play", stdin="session close\n")
    assert result.code == 3
    assert "No session is open.\nNext: session open" in result.out + result.err
    assert "campaign" not in result.out + result.err


def test_the_exit_code_is_that_of_the_first_line_that_was_not_done_and_the_others_are_done(shell: Shell) -> None:
    played = shell.run("play", stdin="enrol Brog level 1 rolled 6\ntreat brog 4\nzzz\nd brog 1\n")
    assert played.code == 3
    assert "Brog has no wound" in played.out + played.err
    assert shell.run("status", "--json").json()["characters"]["Brog"]["hp"] == 5


def test_quit_ends_it(shell: Shell) -> None:
    shell.run("play", stdin="enrol Brog level 1 rolled 6\nquit\nd brog 1\n").ok()
    assert shell.run("status", "--json").json()["characters"]["Brog"]["hp"] == 6


def test_a_turn_alone_is_looked_at_and_an_old_one_amended(shell: Shell) -> None:
    output = shell.run("play", stdin=EVENING + "T5 amount=2\nT5\n").ok().out
    assert "Amends T5." in output
    assert "Brog is hit for 2 by a ghoul and has 9 hit points left." in output


def test_help_lists_the_verbs_with_their_short_names(shell: Shell) -> None:
    output = shell.run("play", stdin="help\n").ok().out
    assert [line.split()[:2] for line in output.splitlines() if line.startswith("damage")] == [["damage", "d"]]


def test_help_of_a_verb_says_how_it_is_typed_at_the_table(shell: Shell) -> None:
    output = shell.run("play", stdin="help dam\n").ok().out
    assert output.splitlines()[0] == "damage CHARACTER AMOUNT [SOURCE]"
    assert "    d brog 4 a ghoul\n" in output and "  AMOUNT     Points of damage.\n" in output
    assert "  how=TEXT   How the player describes the loss.\n" in output
    assert "campaign osr" not in output and "--json" not in output and "--color" not in output, "no shell here"


@pytest.mark.parametrize("rules", SYSTEMS)
def test_help_of_a_ruling_shows_paragraphs_of_the_rules_that_are_played(new_shell: Shell, rules: str) -> None:
    new_shell.run("new", "Friday", "--rules", rules).ok()
    shown = {line.strip() for line in new_shell.run("play", stdin="help ruling\n").ok().out.splitlines()}
    assert {line for line in shown if line.startswith("ruling ")} & set(evening_of(rules).splitlines())
    assert not any("short_rest_together" in line for line in shown) or rules == "osr"


@pytest.mark.parametrize("rules", SYSTEMS)
def test_every_verb_has_a_help_at_the_table(new_shell: Shell, rules: str) -> None:
    new_shell.run("new", "Crypt", "--rules", rules).ok()
    names = [verb_name(kind) for kind in (*ACTIONS, *system_of(rules).actions) if kind.has_verb]
    output = new_shell.run("play", stdin="".join(f"help {name}\n" for name in names)).ok().out
    for name in names:
        assert re.search(rf"(?m)^{name}( |$)", output), name


def test_a_command_of_the_shell_says_so(shell: Shell) -> None:
    shell.run("play", stdin="doctor\n").is_(2, "doctor runs on the shell, not at the table: campaign doctor")
    shell.run("play", stdin="use a.campaign\n").is_(2, "use runs on the shell, not at the table: campaign use")


def test_several_turns_are_said_in_one_line_all_or_none_and_taken_back_as_one(shell: Shell) -> None:
    shell.run("play", stdin=EVENING.partition("d brog")[0]).ok()
    shell.run("play", stdin="d brog 5 seg 5 a fireball\n").ok()
    sheets = shell.run("status", "--json").json()["characters"]
    assert (sheets["Brog"]["hp"], sheets["Ségolène"]["hp"]) == (6, 10)
    shell.run("play", stdin="u\n").ok()
    sheets = shell.run("status", "--json").json()["characters"]
    assert (sheets["Brog"]["hp"], sheets["Ségolène"]["hp"]) == (11, 15)


def test_closing_a_session_says_the_seal_at_the_table_too(shell: Shell) -> None:
    played = shell.run("play", stdin="session open The crypt\nsession close they fled\nseal\n").ok()
    seal = shell.run("seal").ok().out.strip()
    assert f"    Seal: {seal}\n" in played.out
    assert played.out.endswith(f"\n{seal}\n"), "and it is a question of the table"


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_a_line_ends_as_the_program_that_wrote_it_ends_lines(shell: Shell, end: str) -> None:
    shell.run("play", stdin=EVENING.replace("\n", end).encode()).ok()
    assert [turn["action"]["type"] for turn in shell.turns()] == [
        "campaign.start", "session.open", "osr.enrol", "osr.enrol", "osr.damage", "osr.damage", "osr.injury_saves",
    ]  # fmt: skip
    assert "Ségolène" in shell.run("status").ok().out


def test_a_line_that_is_no_text_is_told_and_the_others_are_done(shell: Shell) -> None:
    played = shell.run("play", stdin=b"n one\rn \xff\xfe\rn two\r" + b"n " + b"x" * 1_100_000 + b"\rn three")
    assert (played.code, played.err) == (
        2, "The line is not UTF-8 text.\nThe line is longer than 1,000,000 bytes.\n"
    )  # fmt: skip
    assert [turn["action"].get("text") for turn in shell.turns()[1:]] == ["one", "two", "three"]
