"""Which campaign is meant is easily said, and never the one of another evening by mistake."""

import os
from pathlib import Path

import pytest

from tests.kit.shell import Shell, shell_after

shell = shell_after(
    "new 'The Mill' --rules osr", "new 'The Mire' --rules osr", "new Friday --rules osr --file 5.campaign"
)


def current(shell: Shell) -> str:
    return str(shell.run("status", "--json").json()["campaign"]["name"])


def test_a_campaign_is_chosen_by_the_beginning_of_its_name(shell: Shell) -> None:
    for words in ("mill", "frid", "5", "the mire"):
        shell.run("use", words).ok()
    assert current(shell) == "The Mire"
    shell.run("use", "the").is_(2, "the may be the-mill.campaign or the-mire.campaign.")
    shell.run("use", "sea").is_(
        2, "There is no campaign 'sea' here; known: 5.campaign, the-mill.campaign and the-mire.campaign."
    )


def test_without_a_name_those_of_the_folder_are_listed(shell: Shell) -> None:
    assert shell.run("use").ok().out.splitlines() == [
        "1  5.campaign  Friday, osr, T1 (current)",
        "2  the-mill.campaign  The Mill, osr, T1",
        "3  the-mire.campaign  The Mire, osr, T1",
    ]


def test_on_a_terminal_one_of_them_is_asked_for(shell: Shell) -> None:
    with shell.seated("use") as seat:
        seat.see(b"Which one? ")
        seat.press(b"2\n")
        assert seat.end() == 0
    assert current(shell) == "The Mill"


def elsewhere(shell: Shell) -> Path:
    """A folder without a campaign, long after the last evening."""
    shell.folder = shell.folder.parent / "elsewhere"
    shell.folder.mkdir()
    os.chdir(shell.folder)
    pointer = Path(os.environ["XDG_STATE_HOME"]) / "campaign-log" / "current"
    os.utime(pointer, (0, 0))
    return pointer


def test_a_turn_for_another_evenings_campaign_says_so(shell: Shell) -> None:
    pointer = elsewhere(shell)
    result = shell.run("n", "it was late")
    assert result.code == 0 and result.out == "T2  Note: it was late\n"
    assert result.err.startswith("There is no campaign in this folder; the one used last, on 19")
    assert result.err.endswith("5.campaign.\n")
    assert pointer.stat().st_mtime > 0
    shell.run("n", "it was later").ok()


@pytest.mark.parametrize(("face", "leave"), [((), b"\x04"), (("--plain",), b"quit\n")], ids=["screen", "plain"])
def test_the_table_says_that_the_campaign_is_the_one_used_last(
    shell: Shell, face: tuple[str, ...], leave: bytes
) -> None:
    os.utime(elsewhere(shell))  # this evening's
    with shell.seated("play", *face, columns=120) as seat:
        seat.see(b"Friday is the campaign used last:")
        seat.press(leave)
        assert seat.end() == 0


def test_a_list_of_a_folder_says_where_the_current_campaign_is_if_not_there(shell: Shell) -> None:
    assert "The current one" not in shell.run("list").ok().out
    used = shell.folder / "5.campaign"
    elsewhere(shell)
    assert shell.run("list").err.startswith(f"There is no campaign here yet. The current one is {used}.\n")
    pointer = Path(os.environ["XDG_STATE_HOME"]) / "campaign-log" / "current"
    pointer.write_text("postgresql://players@localhost/club?campaign=mill", "utf-8")
    assert shell.run("list").err.startswith(
        "There is no campaign here yet. The current one is postgresql://players@localhost/club?campaign=mill;"
        " campaign list -c postgresql://players@localhost/club lists those there.\n"
    )


@pytest.mark.parametrize(("answer", "code", "turns"), [(b"y\n", 0, 2), (b"n\n", 1, 1)])
def test_on_a_terminal_it_is_asked_whether_it_goes_there(shell: Shell, answer: bytes, code: int, turns: int) -> None:
    elsewhere(shell)
    with shell.seated("n", "it was late") as seat:
        seat.see(b"Write to it?")
        seat.press(answer)
        assert seat.end() == code
    assert shell.run("status", "--json").json()["campaign"]["turn"] == turns


def test_the_figures_name_what_there_is_before_they_draw(shell: Shell) -> None:
    shell.do("enrol brog", "d brog 1", "rest brog")
    first = shell.run("stats").ok().out.splitlines()[0]
    assert first.startswith("One alone with campaign stats NAME: ") and "damage-by-source" in first
