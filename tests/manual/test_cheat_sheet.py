"""Every line on the page that lies on the table is understood as it stands, under the rules that it is for."""

import re

import pytest

from cli.shell.ending import USAGE
from domain.registry import SYSTEMS
from tests.kit.chapters import MANUAL
from tests.kit.shell import Shell

#: What is played before, so that everybody named on the page is there, and turn 7 is a hit.
PEOPLE = {
    "osr": (
        "enrol Seg player Zoe 4",
        "enrol Wen player Ida 5",
        "enrol Hob 4",
        "enrol Tilda 5",
        "d brog 1",
        "enrol Ada 3",
    ),
    "deckahedron": (),
    "gloomhaven": ("enrol Ysa spellweaver player Marek",),
}
#: What has to be so for a line to make sense: the latest turn has a number, everybody has chosen.
BEFORE = {"amend 2": "d brog 3", "rev": "s ysa mana frost"}
#: What stands in a line, and is none by itself.
NO_LINES = ("`all` ", "`545` ")


def lines_of(title: str) -> list[str]:
    """What stands to be typed in one table of the page, in order."""
    table = (MANUAL / "cheat-sheet.md").read_text("utf-8").partition(f"| {title} | |\n")[2].partition("\n\n")[0]
    rows = [row.removeprefix("| ").partition(" | ")[0] for row in table.splitlines()[1:]]
    return [line for row in rows if not f"{row} ".startswith(NO_LINES) for line in re.findall(r"`([^`]+)`", row)]


@pytest.mark.parametrize("rules", SYSTEMS)
def test_every_line_of_the_page_is_understood(rules: str, shell: Shell) -> None:
    shell.run("new", "Page", "--rules", rules).ok()
    enrol, *lines = lines_of(rules)
    first = lines_of("any campaign") if rules == "osr" else ()
    assert len(lines) >= 8
    for line in (enrol, *PEOPLE[rules], *first, *lines):
        if line in BEFORE:
            shell.run("play", stdin=f"{BEFORE[line]}\n").ok()
        result = shell.run("play", stdin=f"{line}\n")
        assert result.code != USAGE, (line, result)
