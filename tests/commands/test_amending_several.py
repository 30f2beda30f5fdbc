"""Two turns of one mistake are amended as one: neither would be legal without the other."""

import pytest

from cli.line.context import Context
from cli.line.understanding import understand
from cli.line.words import tokenize
from tests.kit.given import Given
from tests.kit.shell import Shell, shell_after

#: T2 enrols Brok, who is called Brog, T3 hits him.
shell = shell_after(
    "new Table --rules osr --file dc.campaign", "osr enrol Brok --level 2 --rolled 5,6", "osr damage Brok 2"
)


@pytest.mark.parametrize("place", ["--after T2", "--after=T2"])
def test_a_place_names_no_further_turn(place: str) -> None:
    table = Given("osr").when({"type": "osr.enrol", "character": "Brok", "rolled": [6]})
    for amount in (1, 2):
        table.when({"type": "osr.damage", "character": "Brok", "amount": amount})
    meant = understand(tokenize(f"T4 {place} amount=3"), Context(table.system, table.handler.state(), table.log))
    assert meant.actions[0].new_actions.keys() == {4}  # type: ignore[attr-defined]
    assert meant.manner["after"] == "T2"


def test_one_of_them_alone_stands_in_the_way_of_the_other(shell: Shell) -> None:
    assert shell.run("amend", "T2", "character=Brog").code == 4


def test_together_they_are_one_revision_and_one_turn(shell: Shell) -> None:
    output = shell.run("amend", "T2", "level=1", "rolled=5", "T3", "amount=3").ok().out
    assert output.startswith("T4  Amends T2 and T3.")
    assert shell.run("status", "--json").json()["characters"]["Brok"]["hp"] == 2
    turn = shell.turns()[3]
    assert turn["action"]["also"] == [{"turn": 3, "action": {"type": "osr.damage", "character": "Brok", "amount": 3}}]
    assert shell.run("verify").code == 0
    shell.do("undo")
    assert shell.run("status", "--json").json()["characters"]["Brok"]["hp"] == 9


def test_as_json_the_further_ones_are_told_in_also(shell: Shell) -> None:
    hit = {"type": "osr.damage", "character": "Brog", "amount": 2}
    enrol = {"type": "osr.enrol", "character": "Brog", "level": 2, "rolled": [5, 6]}
    also = [{"turn": 3, "action": hit}]
    (answer,) = shell.act({"type": "amend", "turn": 2, "action": enrol, "also": also}).ok().rows()
    assert [event["turn"] for event in answer["events"]] == [2, 3]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("T2 level=1 T2 level=3", 2),
        ("T3 amount=1 T1 name=Other", 3),
        ("T3 amount=1 T9 amount=1", 3),
        ("T2 level=1 rolled=5 T3 amount=1 why=late", 2),
    ],
)
def test_what_cannot_be_amended_keeps_all_of_it_from_being_done(shell: Shell, line: str, code: int) -> None:
    result = shell.run("amend", *line.split())
    assert (result.code, result.out) == (code, ""), result
    assert len(shell.turns()) == 3


def test_it_is_exported_imported_and_told_whole(shell: Shell) -> None:
    shell.do("amend T2 level=1 rolled=5 T3 amount=3")
    lines = shell.run("export").ok().out
    shell.run("import", "-", "--file", "again.campaign", stdin=lines).ok()
    assert shell.run("status", "-c", "again.campaign").out == shell.run("status", "-c", "dc.campaign").out
    assert "amended" in shell.run("log", "--history", "T3", "-c", "dc.campaign").ok().out


def test_a_selection_and_what_was_performed_of_it_are_mended_together() -> None:
    table = Given("gloomhaven")
    for line in (
        {"type": "gloomhaven.enrol", "character": "Ysa", "class": "spellweaver", "gold": 30},
        {"type": "gloomhaven.begin_scenario", "scenario": "The gate", "level": 1},
        {"type": "gloomhaven.begin_round"},
        {"type": "gloomhaven.select", "character": "Ysa", "lead": "Mana Bolt", "second": "Flame Strike"},
        {"type": "gloomhaven.reveal"},
        {"type": "gloomhaven.perform", "character": "Ysa", "card": "Mana Bolt", "half": "top"},
    ):
        assert table.when(line).error is None, table.error
    select = {"type": "gloomhaven.select", "character": "Ysa", "lead": "Fire Orbs", "second": "Flame Strike"}
    perform = {"type": "gloomhaven.perform", "character": "Ysa", "card": "Fire Orbs", "half": "top"}
    table.when({"type": "amend", "turn": 5, "action": select}).conflicts(7)
    table.when({"type": "amend", "turn": 5, "action": select, "also": [{"turn": 7, "action": perform}]})
    assert table.error is None, table.error
