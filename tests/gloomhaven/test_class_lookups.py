"""`class`: what the log knows of a class, on the shell and at the table."""

from pathlib import Path
from shutil import copy, copytree

import pytest

from cli.shell.command_context import handler_for, open_chosen
from cli.table.table import OpenTable
from domain.gloomhaven.classes import built_in, find_card
from domain.refusal import Unknown
from tests.kit.shell import Shell, shell_after

shell = shell_after("new Barrow --rules gloomhaven --file gh.campaign", "gloomhaven enrol brog brute")


def test_a_class_is_printed_with_the_bookkeeping_of_its_cards(shell: Shell) -> None:
    output = " ".join(shell.run("gloomhaven", "class", "BRUTE").ok().out.split())
    for line in (
        "class Brute · a hand of 10 cards",
        "1 Trample, initiative 72 · bottom: lost, 2 experience",
        "7 Warding Strength, initiative 32 · bottom: lost, persistent, slots 0 1 0 1 0 1 moved when attacked, Shield 1",
        "13 Wall of Doom, initiative 20 · top: lost, round, Shield 2, Retaliate 2, 2 experience · bottom: round",
    ):
        assert line in output
    weaver = shell.run("class", "spellweaver").ok().out
    assert "lost, never recovered" in weaver and "negates damage" in weaver and "summons an ally (hp 2" in weaver


def test_a_class_that_nobody_knows_is_no_answer(shell: Shell) -> None:
    sentence = (
        "There is no class 'brut'; did you mean brute? Another class comes with a class file; help learn says how."
    )
    shell.run("class", "brut").is_(1, sentence)


def test_where_a_class_that_nobody_knows_comes_from_is_told_as_it_is_typed(shell: Shell) -> None:
    more = "Another class comes with a class file; help learn says how."
    sentence = f"There is no class 'bard'; known: brute and spellweaver. {more}"
    lines = ('enrol Lew brute player="Jo"', 'enrol Lew spellweaver player="Jo"')
    shell.run("enrol", "Lew", "bard", "player", "Jo").is_(
        3,
        f"{sentence}\nNext: campaign gloomhaven enrol Lew brute --player Jo"
        "\nor:   campaign gloomhaven enrol Lew spellweaver --player Jo",
    )
    shell.run("gloomhaven", "enrol", "Lew", "spellweaver", "--player", "Jo", "--dry-run").ok()
    with open_chosen(None, write=True) as (log, system):
        table = OpenTable(log, system, handler_for(log), address=log.address)
        answer = table.answer("enrol Lew bard player Jo").lines
        assert answer == (sentence, f"Next: {lines[0]}", f"or:   {lines[1]}")


def test_it_is_asked_at_the_table_too(shell: Shell) -> None:
    with open_chosen(None, write=True) as (log, system):
        table = OpenTable(log, system, handler_for(log), address=log.address)
        assert any("Trample, initiative 72" in line for line in table.answer("class brute").lines)
        assert table.preview("class brute").text == "Shows: class brute"
        assert "class" in [way.text for way in table.guide("cla", 3).candidates]
    assert len(shell.turns()) == 2


@pytest.mark.parametrize(
    ("verb", "example", "read"),
    [
        ("class", "campaign class brute", None),
        ("import-save", "campaign import-save our-party.json", "ghs_save.json"),
        ("learn", "campaign learn --ghs ghs-data", "ghs"),
    ],
)
def test_the_help_of_what_is_offered_shows_how_it_is_typed(
    shell: Shell, verb: str, example: str, read: str | None
) -> None:
    """Each example is done, where there is what it reads."""
    assert example in shell.run("gloomhaven", verb, "--help").ok().out
    words = example.split()
    if read is not None:
        there = Path(__file__).parent / read
        (copytree if there.is_dir() else copy)(there, shell.folder / words[-1])
    shell.run(*words[1:]).ok()


def test_learn_list_tells_what_was_learned_and_records_nothing(shell: Shell) -> None:
    cloak = {"id": 5, "name": "Cloak of Invisibility", "price": 20, "once_used": "spent"}
    sun = {"class": "Sunkeeper", "hand_size": 2, "hp": [10] * 9, "cards": [
        {"id": 301, "name": "Dawn", "level": 1, "initiative": 10}]}  # fmt: skip
    assert shell.run("learn", "--list").ok().out == "Nothing yet.\n"
    learn = shell.act({"type": "gloomhaven.learn", "items": [cloak], "classes": [sun]})
    assert learn.code == 0, learn
    turns = len(shell.turns())
    assert shell.run("gloomhaven", "learn", "--list").ok().out == "sunkeeper, Cloak of Invisibility\n"
    assert shell.run("learn", "--list", "--json").json() == ["sunkeeper", "Cloak of Invisibility"]
    assert "initiative 10" in shell.run("learned", "sunkeeper").ok().out
    assert "Cloak of Invisibility" in shell.run("learned", "cloak").ok().out
    assert len(shell.turns()) == turns


def test_of_many_cards_eight_are_named() -> None:
    with pytest.raises(Unknown, match=r"no brute card 999; known: (\d+ [^,]+, ){7}\d+ [^,]+ and \d+ more\.$"):
        find_card(built_in("brute"), 999)
