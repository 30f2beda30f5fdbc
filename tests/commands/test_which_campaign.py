"""Which campaign is meant is easily said, and never the one of another evening by mistake."""

import errno
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from domain.naming import did_you_mean, known_are, name_meant
from domain.refusal import Refusal
from tests.kit.elsewhere import WEAK, needs_setpriv
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


#: Lines that record nothing: a dry run, what the rules refuse, what cannot be read, an answer that is no.
RECORDS_NOTHING = (
    ("n", "x", "--dry-run"), ("undo", "--last", "1", "--dry-run"), ("act", "-", "--dry-run"), ("d", "nobody", "1"),
    ("undo", "T9"), ("play",), ("branch", "main"), ("switch", "sea"), ("verify", "--accept"),
)  # fmt: skip


@pytest.mark.parametrize("line", RECORDS_NOTHING, ids=lambda line: " ".join(line))
def test_what_records_nothing_leaves_the_current_campaign(shell: Shell, line: tuple[str, ...]) -> None:
    shell.run(*line, "-c", "the-mill.campaign", stdin='{"type": "note", "text": "x"}\n' if line[0] == "act" else "")
    assert current(shell) == "Friday"


@pytest.mark.parametrize("line", [("n", "x"), ("branch", "b"), ("play",)], ids=lambda line: line[0])
def test_what_records_something_makes_its_campaign_the_current_one(shell: Shell, line: tuple[str, ...]) -> None:
    shell.run(*line, "-c", "the-mill.campaign", stdin="n x\n").ok()
    assert current(shell) == "The Mill"


STAYS = "The current campaign stays as it was: "
UNWRITABLE = {
    errno.EACCES: "this file or its folder is write-protected",
    errno.EROFS: "this file or its folder is write-protected",
    errno.ENOSPC: "the disk is full; make room and try again",
}


@pytest.mark.parametrize("code", UNWRITABLE)
def test_where_the_choice_cannot_be_kept_it_is_said(shell: Shell, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    export = shell.run("export").ok().out
    real = Path.write_text

    def write_text(path: Path, *arguments: Any, **options: Any) -> int:
        if path.name.startswith("current"):
            raise OSError(code, os.strerror(code), str(path))
        return real(path, *arguments, **options)

    monkeypatch.setattr(Path, "write_text", write_text)
    pointer = Path(os.environ["XDG_STATE_HOME"]) / "campaign-log" / "current"

    def stays(file: str) -> str:
        why = f"{pointer} cannot be written: {UNWRITABLE[code]}"
        return f"{STAYS}{why}. Until it can, name the campaign on each line: -c {file}"

    shell.run("use", "mill").is_(6, stays("the-mill.campaign"))
    made = shell.run("new", "Monday", "--rules", "osr")
    assert (made.code, made.err) == (0, f"{stays('monday.campaign')}\n") and "Monday begins" in made.out
    made = shell.run("import", "-", "--file", "again.campaign", stdin=export)
    assert (made.code, made.err) == (0, f"{stays('again.campaign')}\n")
    noted = shell.run("n", "x", "-c", "the-mill.campaign")
    assert (noted.code, noted.out) == (0, "T2  Note: x\n")
    assert noted.err == f"{stays(str(shell.folder / 'the-mill.campaign'))}\n"
    assert (current(shell), len(shell.turns())) == ("Friday", 1)
    pointer.unlink()  # without another one nothing goes astray, so nothing is said
    shell.run("n", "y", "-c", "the-mill.campaign").ok()


@needs_setpriv
def test_a_state_folder_of_root_does_not_send_turns_to_another_campaign(shell: Shell) -> None:
    (Path(os.environ["XDG_STATE_HOME"]) / "campaign-log").chmod(0o555)
    assert shell.process("use", "mill", before=WEAK).code == 6
    assert shell.process("n", "x", before=WEAK).code == 0
    assert len(shell.turns("5.campaign")) == 2


def test_an_error_that_lists_names_lists_eight_and_says_how_many_more(shell: Shell) -> None:
    for number in range(9):
        shutil.copy(shell.folder / "5.campaign", shell.folder / f"{number}x.campaign")
    shell.do(*(f"branch b{number} -c 5.campaign" for number in range(12)))
    crowd = [f"Guard {number}" for number in range(10_000)]
    with pytest.raises(Refusal) as several:
        name_meant("guard", crowd)
    for words in (
        shell.run("use", "nowhere").err,
        shell.run("switch", "sea", "-c", "5.campaign").err,
        known_are("zzz", crowd),
        did_you_mean("zzz", crowd, otherwise=""),
        str(several.value),
    ):
        listed_names = re.sub(r"(\d),(\d)", r"\1\2", words)
        assert listed_names.count(",") == 7 and re.search(r" (and|or) \d+ more\b", listed_names), words


# -- each folder its own ---------------------------------------------------------------------------------------


def into(shell: Shell, name: str) -> None:
    """Go into a folder beside the first, which may be new."""
    shell.folder = shell.folder.parent / name
    shell.folder.mkdir(exist_ok=True)
    os.chdir(shell.folder)


def test_a_choice_in_one_folder_is_none_in_another(shell: Shell) -> None:
    shell.run("use", "mill").ok()
    into(shell, "club")
    shell.do("new Red --rules osr", "new Blue --rules osr", "use red")
    into(shell, "table")
    assert current(shell) == "The Mill"
    shell.run("use", "mire").ok()
    into(shell, "club")
    assert current(shell) == "Red"
    shell.do("n x -c ../table/5.campaign")  # which is nobody's choice here, where there are others
    into(shell, "table")
    assert current(shell) == "The Mire"


def test_what_was_chosen_before_folders_were_told_apart_still_is(shell: Shell) -> None:
    state = Path(os.environ["XDG_STATE_HOME"]) / "campaign-log"
    shutil.rmtree(state / "folders")
    (state / "current").write_text(str(shell.folder / "the-mire.campaign"), "utf-8")
    assert current(shell) == "The Mire"
    into(shell, "club")
    shell.do("new Red --rules osr")
    into(shell, "table")
    assert current(shell) == "The Mire"


def test_a_campaign_of_another_folder_is_named_until_it_is_chosen_here(shell: Shell) -> None:
    used = shell.folder / "5.campaign"
    named = f"There is no campaign in this folder; this is the one used last, {used}.\n"
    into(shell, "elsewhere")
    result = shell.run("n", "x", "--dry-run")
    assert (result.code, result.err) == (0, named)
    shell.run("status").ok()  # a script that reads is not bothered
    with shell.seated("status", columns=200) as seat:
        seat.see(named[:60].encode())
        assert seat.end() == 0
    shell.run("n", "x", "--dry-run", "-c", str(used)).ok()
    shell.run("use", str(used)).ok()
    shell.run("n", "x", "--dry-run").ok()
    into(shell, "table")
    shell.run("use", "mill").ok()
    into(shell, "elsewhere")
    assert current(shell) == "Friday"


def test_where_the_campaign_of_a_folder_is_gone_no_other_takes_its_place(shell: Shell) -> None:
    used = shell.folder / "5.campaign"
    into(shell, "elsewhere")
    shell.run("use", str(used)).ok()
    into(shell, "table")
    shell.run("use", "mill").ok()
    into(shell, "elsewhere")
    used.unlink()
    gone = f"The campaign used last, {used}, is gone; choose another with `campaign use FILE` or -c FILE."
    shell.run("n", "x").is_(2, gone)
