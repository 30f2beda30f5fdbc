"""`enrol --class-file`: a class that is not built in comes with its file, and stays in the log."""

import pytest

from tests.gloomhaven.tables import TINKERER
from tests.kit.elsewhere import ask_for_device
from tests.kit.shell import Shell, shell_after

shell = shell_after("new Barrow --rules gloomhaven --file gh.campaign")


def test_the_class_of_a_file_is_enrolled_and_needs_the_file_no_more(shell: Shell) -> None:
    (shell.folder / "tinkerer.toml").write_text(TINKERER, "utf-8")
    enrolled = shell.run("gloomhaven", "enrol", "ada", "tinkerer", "--class-file", "tinkerer.toml").ok()
    assert "Ada joins as a Tinkerer of level 1: 8 hit points" in enrolled.out
    (shell.folder / "tinkerer.toml").unlink()
    shell.do("gloomhaven begin-scenario 1", "gloomhaven begin-round", "gloomhaven select ada Spark Oil")
    sheet = shell.run("status", "--json").json()["characters"]["ada"]
    assert (sheet["class"], sheet["selected"]) == ("tinkerer", [201, 202])


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "",
        'class = "Tinkerer"',
        TINKERER.replace("hp = [8, ", "hp = ["),
        TINKERER.replace("40", "1979-05-27"),
        TINKERER.replace("40", "07:32:00"),
        TINKERER.replace("40", "[" * 20_000),
        TINKERER.replace("40", "9" * 5000),
        TINKERER.replace("40", "nan"),
    ],
    ids=["brace", "empty", "without cards", "too few", "a date", "a time", "brackets", "digits", "nan"],
)
def test_a_file_that_is_no_class_is_told_in_a_sentence(shell: Shell, content: str) -> None:
    (shell.folder / "tinkerer.toml").write_text(content, "utf-8")
    result = shell.run("gloomhaven", "enrol", "ada", "tinkerer", "--class-file", "tinkerer.toml")
    assert result.code == 2
    assert result.err.count("\n") == 1 and result.out == ""
    assert len(shell.turns()) == 1


def test_a_file_that_is_not_there_is_told_in_a_sentence(shell: Shell) -> None:
    result = shell.run("gloomhaven", "enrol", "ada", "tinkerer", "--class-file", "nowhere.toml")
    assert result.code == 2
    assert "nowhere.toml" in result.err and result.err.count("\n") == 1


def test_a_device_without_an_end_is_no_class(shell: Shell) -> None:
    ask_for_device("/dev/zero")
    shell.run("gloomhaven", "enrol", "ada", "tinkerer", "--class-file", "/dev/zero").is_(
        2, "/dev/zero is too large to be read as TOML (more than 1 MB)."
    )
