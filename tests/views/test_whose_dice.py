"""Whose a die is: stored as such, so that no name is taken for part of another."""

import shutil
from pathlib import Path

import data
from tests.kit.shell import Shell

ROLLS = "select character, purpose, sides, value, reported from rolls order by id"


def test_the_dice_of_a_name_with_a_slash_are_not_those_of_the_name_before_it(shell: Shell) -> None:
    shell.do(
        "new Slashes --rules osr",
        "osr enrol a --rolled 6",
        "osr enrol a/b --level 2 --rolled 5,5",
        "osr short-rest a a/b --rolled a=1 --rolled a/b=2,3",
    )
    rows = shell.run("query", "--json", ROLLS).json()
    assert [tuple(row.values()) for row in rows] == [
        ("a", "hit dice", 6, 6, 1),
        ("a/b", "hit dice", 6, 5, 1),
        ("a/b", "hit dice", 6, 5, 1),
        ("a", "re-roll", 6, 1, 1),
        ("a/b", "re-roll", 6, 2, 1),
        ("a/b", "re-roll", 6, 3, 1),
    ]


def test_in_a_log_from_before_they_are_told_by_the_last_slash(shell: Shell) -> None:
    shutil.copy(Path(data.__path__[0]) / "old_logs" / "format-1" / "slashes.campaign", shell.folder)
    rows = shell.run("query", "--json", ROLLS).json()
    assert {(row["character"], row["purpose"], row["sides"]) for row in rows} == {
        (name, purpose, 6) for name in ("a/b", "Wen") for purpose in ("hit dice", "re-roll", "morning")
    }
