"""`log --with-why`: below each turn the paragraphs, dice and rulings behind it."""

import csv
import io

from tests.kit.shell import Shell, shell_after

shell = shell_after(
    "new Mill --rules osr --file mill.campaign",
    "session open Rain",
    "osr enrol Brog level 2 rolled=5,6",
    "ruling 6.6 'Nothing is not hurt' why='a clean zero is luck' set=zero_is_injury=false",
    "osr damage Brog 3 source='a slab'",  # T5
    "osr rest Brog rolled=1,2",
    "undo T6",
)

RULING = (
    "ruling R1 on 6.6: Nothing is not hurt. Why: a clean zero is luck. (damage that leaves exactly 0 hit points calls"
    " for saves: no)"
)


def test_the_background_stands_below_each_turn(shell: Shell) -> None:
    assert shell.run("log", "T3..T6", "--with-why").ok().out.splitlines() == [
        "Session 1: Rain",
        "T3  Brog joins at level 2, rolls 5 6 and has 11 hit points.",
        "    OSR 6.1, OSR 6.2",
        "    Brog, hit dice: 5 6 (reported)",
        "T4  Ruling R1 on 6.6: Nothing is not hurt. Why: a clean zero is luck. [zero_is_injury = false]",
        "    OSR 6.6",
        "T5  Brog is hit for 3 by a slab and has 8 hit points left.",
        "    OSR 6.6",
        f"    {RULING}",
        "T6  ✗ Brog rolls 1 2 and has 3 hit points. Brog's fatigue is now 1. [undone by T7]",
        "    OSR 6.4, OSR 6.5",
        "    Brog, re-roll: 1 2 (reported)",
    ]


def test_programs_get_what_show_says_of_the_turn(shell: Shell) -> None:
    for row in shell.run("log", "--with-why", "--json").json():
        (whole,) = shell.run("show", f"T{row['turn']}", "--json").json()
        assert {key: row[key] for key in ("rules", "rulings", "chance")} == {
            key: whole[key] for key in ("rules", "rulings", "chance")
        }
    assert "rules" not in shell.run("log", "--json").json()[0]


def test_cells_hold_sentences(shell: Shell) -> None:
    page = shell.run("log", "T5", "--with-why", "-O", "csv").ok().out
    (row,) = csv.DictReader(io.StringIO(page))
    assert (row["rules"], row["rulings"], row["chance"]) == ('["OSR 6.6"]', f'["{RULING}"]', "[]")
    assert f"- **T5** Brog is hit for 3 by a slab and has 8 hit points left.\n  - OSR 6.6\n  - {RULING}\n" in (
        shell.run("log", "T5", "--with-why", "-O", "md").ok().out
    )


def test_an_earlier_point_knows_no_later_ruling(shell: Shell) -> None:
    shell.do("ruling 6.6 'As written' set=zero_is_injury=true since=T4")
    then = shell.run("log", "T5", "--with-why", "--at", "T7", "--json").json()
    assert [ruling["ruling"] for ruling in then[0]["rulings"]] == [1]
