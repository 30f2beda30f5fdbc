"""An evening with five things forgotten, misattributed, misordered, mistyped or never done, mended by the commands.

It ends in the sheets of the evening as it should have been told, under every rule system. Each die and turned card
was reported, so that none is missing where it is decided again.
"""

from typing import Any

import pytest

from tests.kit.shell import Shell
from tests.osr.asked import hit

Lines = list[dict[str, Any]]

OSR: Lines = [
    {"type": "osr.enrol", "character": "Brog", "level": 2, "rolled": [5, 6]},
    {"type": "osr.enrol", "character": "Wen", "rolled": [6]},
]
DEALT = ["15", "10", "13", "14", "11", "16", "12", "17", "18", "19", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]
DECKAHEDRON: Lines = [
    {
        "type": "deckahedron.enrol",
        "character": name,
        "strength": 2,
        "dexterity": 3,
        "intelligence": 3,
        "deck": DEALT,
    }
    for name in ("Wren", "Tobin")
]
GLOOMHAVEN: Lines = [
    {"type": "gloomhaven.enrol", "character": "Brann", "class": "brute", "gold": 30},
    {"type": "gloomhaven.enrol", "character": "Ysa", "class": "spellweaver", "gold": 30},
    {"type": "gloomhaven.begin_scenario", "scenario": "The barrow gate", "level": 1},
]


def rest(name: str, *rolled: int) -> dict[str, Any]:
    return {"type": "osr.short_rest", "characters": [name], "rolled": {name: rolled}}


def lost(name: str, *flipped: str) -> dict[str, Any]:
    return {"type": "deckahedron.lose_stamina", "character": name, "points": len(flipped), "flipped": flipped}


def hurt(name: str, amount: int) -> dict[str, Any]:
    return {"type": "gloomhaven.damage", "character": name, "amount": amount}


def healed(name: str, amount: int) -> dict[str, Any]:
    return {"type": "gloomhaven.heal", "character": name, "amount": amount}


#: Rules -> (how it was told, how it was mended, how it should have been told).
EVENINGS: dict[str, tuple[Lines, list[str], Lines]] = {
    "osr": (
        [*OSR, hit(3, "Brog"), hit(2, "Brog"), hit(1, "Wen"), rest("Brog", 6, 5), hit(4, "Brog")],
        [
            "osr damage Wen 3 --after T4",  # forgotten
            "amend T5 character=Wen",  # it hit somebody else
            "undo T6",  # it never was
            "amend T8 amount=3",  # it was another number
            "amend T7 --after T3",  # it was before the first blow
        ],
        [*OSR, rest("Brog", 6, 5), hit(3, "Brog"), hit(3, "Wen"), hit(2, "Wen"), hit(3, "Brog")],
    ),
    "deckahedron": (
        [
            *DECKAHEDRON,
            lost("Wren", "10"),
            lost("Wren", "11"),
            lost("Tobin", "12"),
            lost("Wren", "13", "14"),
            lost("Wren", "15"),
        ],
        [
            "deckahedron lose-stamina Tobin --points 1 --flipped 16 --after T4",
            "amend T5 character=Tobin",
            "undo T6",
            "amend T7 points=1 flipped=13",
            "amend T8 --after T3",
        ],
        [
            *DECKAHEDRON,
            lost("Wren", "15"),
            lost("Wren", "10"),
            lost("Tobin", "16"),
            lost("Tobin", "11"),
            lost("Wren", "13"),
        ],
    ),
    "gloomhaven": (
        [*GLOOMHAVEN, hurt("Brann", 3), hurt("Brann", 2), hurt("Ysa", 1), healed("Brann", 2), hurt("Brann", 2)],
        [
            "gloomhaven damage Ysa 2 --after T5",
            "amend T6 character=Ysa",
            "undo T7",
            "amend T8 amount=4",
            "amend T9 --before T8",
        ],
        [*GLOOMHAVEN, hurt("Brann", 3), hurt("Ysa", 2), hurt("Ysa", 2), hurt("Brann", 2), healed("Brann", 4)],
    ),
}


def sheets(shell: Shell, name: str) -> Any:
    return shell.run("status", "--json", "-c", f"{name}.campaign").json()["characters"]


def played(shell: Shell, rules: str, name: str, lines: Lines) -> None:
    shell.do(f"new Evening --rules {rules} --file {name}.campaign")
    for answer in shell.act(*lines, options=("-c", f"{name}.campaign")).ok().rows():
        assert "turn" in answer, answer


@pytest.mark.parametrize("rules", EVENINGS)
def test_it_ends_in_the_sheets_of_the_evening_as_it_should_have_been_told(rules: str, shell: Shell) -> None:
    lines, mended, right = EVENINGS[rules]
    played(shell, rules, "right", right)
    played(shell, rules, "told", lines)
    assert sheets(shell, "told") != sheets(shell, "right")
    for line in mended:
        before = sheets(shell, "told")
        shell.do(f"{line} -c told.campaign")
        assert sheets(shell, "told") != before, line
    assert sheets(shell, "told") == sheets(shell, "right")
    assert shell.run("verify", "-c", "told.campaign").code == 0
    shell.do(*(f"undo T{turn} -c told.campaign" for turn in range(len(lines) + 6, len(lines) + 1, -1)))
    played(shell, rules, "again", lines)
    assert sheets(shell, "told") == sheets(shell, "again")
