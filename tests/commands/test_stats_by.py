"""Figures of a period and a person, counted by what a keeper asks for, and pictures as files."""

import csv
import io
from xml.etree import ElementTree

import pytest

from tests.kit.shell import Shell, shell_after

shell = shell_after(
    "new Keep --rules osr --file k.campaign --when 2026-01-01T18:00+00:00",
    "osr enrol Brog player Mia level 2 rolled=6,6 --when 2026-01-02T19:00+00:00",
    "osr enrol Ada player Jon level 2 rolled=6,4 --when 2026-01-02T19:00+00:00",
    "session open One --when 2026-01-02T19:00+00:00",  # T4
    "osr damage Brog 4 source='a slab' --when 2026-01-02T19:20+00:00",
    "osr damage Ada 3 source=eels --when 2026-01-02T19:21+00:00",
    "osr damage Brog 2 source=eels --when 2026-01-02T19:22+00:00",
    "session close --when 2026-01-02T22:00+00:00",  # T8
    "session open Two --when 2026-02-02T19:00+00:00",
    "osr damage Brog 1 --when 2026-02-02T19:20+00:00",  # T10
    "osr damage Ada 5 source=eels --when 2026-02-02T19:21+00:00",
    "undo --when 2026-02-02T19:22+00:00",
)


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ("--by session,character", [[1, "Brog", 6, 2], [1, "Ada", 3, 1], [2, "Brog", 1, 1]]),
        ("--by source", [["eels", 5, 2], ["a slab", 4, 1], ["not told", 1, 1]]),
        ("--by player --session S1", [["Mia", 6, 2], ["Jon", 3, 1]]),
        ("--by session --character brog", [[1, 6, 2], [2, 1, 1]]),
        ("--by character --since 2026-02-01", [["Brog", 1, 1]]),
        ("--by character --since S2", [["Brog", 1, 1]]),
        ("--by character --until T6", [["Brog", 4, 1], ["Ada", 3, 1]]),
        ("--by character --at T6", [["Brog", 4, 1], ["Ada", 3, 1]]),
        ("--by character --at T11", [["Ada", 8, 2], ["Brog", 7, 3]]),
        ("--by character --at T11 --session 2", [["Ada", 5, 1], ["Brog", 1, 1]]),
        ("--session S2", [["Brog", "not told", 1, 1]]),
    ],
)
def test_losses_are_counted_by_what_is_asked_for_in_the_time_that_is_asked_for(
    shell: Shell, words: str, rows: list[list[object]]
) -> None:
    answer = shell.run("stats", "lost", *words.split(), "--json").json()
    assert [list(row.values()) for row in answer] == rows
    table = list(csv.reader(io.StringIO(shell.run("stats", "lost", *words.split(), "-O", "csv").ok().out)))
    assert table == [list(answer[0]), *([str(cell) for cell in row] for row in rows)]


def test_a_picture_can_be_counted_and_drawn_for_one_character_into_a_file(shell: Shell) -> None:
    (row,) = shell.run("stats", "hp", "--by", "character", "--character", "ada", "--json").json()
    assert row == {"character": "Ada", "lowest": 7, "highest": 10, "lost": 3, "gained": 0, "changes": 2}
    shell.run("stats", "hp", "--character", "ada", "-o", "ada.svg").ok()
    svg = (shell.folder / "ada.svg").read_text("utf-8")
    ElementTree.fromstring(svg)
    assert "Hit points over turns" in svg and "Ada" in svg and "Brog" not in svg


def test_every_picture_stands_below_its_title_and_its_name(shell: Shell) -> None:
    titles = [line for line in shell.run("stats", "hp").ok().out.splitlines() if line.startswith("Hit points")]
    assert titles == ["Hit points over turns  hp  Ada", "Hit points over turns  hp  Brog"]


def test_other_questions_are_of_a_period_too(shell: Shell) -> None:
    rows = shell.run("stats", "damage-by-source", "--session", "S1", "--json").json()
    assert [(row["source"], row["hits"]) for row in rows] == [("eels", 2), ("a slab", 1)]
    assert [row["turns"] for row in shell.run("stats", "rules-cited", "--session", "2", "--json").json()] == [1]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("lost --by weather", "--by takes session, character, player and source, not 'weather'."),
        ("rests-per-session --by player", "rests-per-session is counted as it is; try campaign stats lost --by player"),
        ("--by player", "--by is for one question or picture: campaign stats lost --by player"),
        ("lost -o lost.svg", "One picture is drawn into a file: campaign stats hp -o hp.svg"),
    ],
)
def test_what_is_not_counted_or_drawn_so_says_what_is(shell: Shell, words: str, sentence: str) -> None:
    shell.run("stats", *words.split()).is_(2, sentence)


def test_lost_cards_are_named(new_shell: Shell) -> None:
    new_shell.do("demo gloomhaven", "use campaign-demo/lamps-in-the-barrow.campaign")
    row = new_shell.run("stats", "cards-lost", "--json").json()[0]
    assert (row["card"], row["title"]) == (5, "Overwhelming Assault")
