"""Told late, done together, redone: what the commands say of it, and where they refuse."""

import json

import pytest

from tests.kit.shell import Shell, shell_after

#: T2 wen, T3 hit for 2.
shell = shell_after("new Test --rules osr", "osr enrol wen --rolled 5", "osr damage wen 2")


def test_a_verb_told_late_tells_what_it_changed_and_on_which_sheet(shell: Shell) -> None:
    output = shell.run("osr", "damage", "wen", "1", "--after", "T2").ok().out
    assert "T4  Wen is hit for 1 and has 4 hit points left." in output
    assert "now: Wen is hit for 2 and has 2 hit points left." in output
    assert "Wen: hp 3 → 2" in output
    shown = shell.run("show", "T4").ok().out
    assert "Late entry: it happened directly after T2." in shown


def test_a_dry_run_of_it_changes_nothing(shell: Shell) -> None:
    result = shell.run("osr", "damage", "wen", "1", "--before", "T3", "--dry-run")
    assert result.code == 0
    assert "has 2 hit points left" in result.out
    assert shell.run("log", "-O", "ndjson").ok().rows()[-1]["turn"] == 3


@pytest.mark.parametrize(
    "words",
    [
        ("note", "It rained."),
        ("override", "wen", "hp=4", "--why", "so"),
        ("check-sheet", "wen", "hp=5"),
        ("session", "open"),
        ("ruling", "6.4", "As written."),
    ],
    ids=lambda words: words[0],
)
def test_every_word_may_be_told_late(shell: Shell, words: tuple[str, ...]) -> None:
    shell.run(*words, "--after", "T2").ok()
    assert shell.run("log", "-O", "ndjson").ok().rows()[-1]["place"] == 2


def test_conflicts_are_settled_only_where_there_can_be_some(shell: Shell) -> None:
    result = shell.run("note", "Rain.", "--drop")
    assert (result.code, result.out) == (2, "")
    assert "--after or --before" in result.err


def test_a_turn_is_moved_by_an_amendment_that_only_names_its_place(shell: Shell) -> None:
    shell.run("note", "Rain.").ok()
    foreseen = shell.run("amend", "T4", "--after", "T2", "--dry-run")
    assert (foreseen.code, foreseen.out) == (0, "T4  moved: it happened directly after T2.\n")
    output = shell.run("amend", "T4", "--after", "T2", "--why", "it rained first").ok().out
    assert output == "T5  Amends T4. T4 happened directly after T2. Why: it rained first.\n"
    assert shell.run("log", "-O", "ndjson").ok().rows()[3]["place"] == 2
    life = shell.run("log", "--history", "T4").ok().out.splitlines()
    chapters = ["logged: Note: Rain.", "amended, moved after T2: Note: Rain. Why: it rained first."]
    assert [row.split("  ")[2] for row in life] == chapters


def test_where_it_is_already_a_turn_is_not_moved(shell: Shell) -> None:
    foreseen = shell.run("amend", "T3", "--after", "T2", "--dry-run")
    assert (foreseen.code, foreseen.out) == (0, "Nothing would change.\n")
    assert shell.run("amend", "T3", "--after", "T2").ok().out == "T4  Amends T3.\n"
    assert "late entry" not in shell.run("log").ok().out


def test_a_turn_that_was_moved_says_no_more_what_it_changed_where_it_was(shell: Shell) -> None:
    shell.do("osr damage wen 1 --after T2")
    assert "T4, late entry  Wen is hit for 1 and has 4 hit points left. T3 comes out" in shell.run("log").ok().out
    shell.do("amend T4 --after T3")
    log = shell.run("log").ok().out
    assert "T4, late entry  Wen is hit for 1 and has 2 hit points left. [T5; first:" in log
    assert "T5  Amends T4. T4 happened directly after T3. T3 comes out differently." in log


def test_a_turn_that_is_decided_again_and_comes_to_the_same_still_says_what_it_changed(shell: Shell) -> None:
    shell.do("osr damage wen 1 --after T2")
    again = shell.run("log", "-O", "ndjson").rows()[3]["action"]
    shell.act({"type": "amend", "turn": 4, "action": again}).ok()
    assert "T4, late entry  Wen is hit for 1 and has 4 hit points left. T3 comes out" in shell.run("log").ok().out


def test_what_takes_a_move_back_tells_that_the_turn_moves_back(shell: Shell) -> None:
    """Nothing else comes of it: the note reads the same, and folds elsewhere."""
    shell.do("note Rain.", "amend T4 --after T2")
    foreseen = shell.run("undo", "--dry-run")
    assert (foreseen.code, foreseen.out) == (0, "T4  moved back to its own number.\n")
    assert json.loads(shell.run("undo", "--dry-run", "--json").out)["moved"] == [{"turn": 4, "after": None}]
    assert shell.run("undo").ok().out == "T6  Undoes T5.\nT4  moved back to its own number.\n"
    assert shell.run("redo").ok().out.splitlines()[1] == "T4  moved: it happened directly after T2."


def test_where_it_folds_is_told_back(shell: Shell) -> None:
    output = shell.run("note", "Rain.", "--before", "T3").ok().out
    assert output == "T4  Note: Rain. Late entry: it happened directly after T2.\n"


def test_what_stands_in_the_way_of_several_lines_is_shown_beforehand(shell: Shell) -> None:
    shell.do("enrol brog level 1 6", "d wen 1")
    dry = shell.run("d", "wen", "9", "brog", "1", "--after", "T4", "--dry-run")
    assert dry.code == 4 and "T5  no longer legal: Wen has an open injury" in dry.out
    assert shell.run("d", "brog", "1", "wen", "9", "--after", "T4").code == 4
    assert len(shell.turns()) == 5
    output = shell.run("d", "brog", "1", "wen", "1", "--after", "T4").ok().out
    assert output.endswith("    Wen: hp 2 → 1\n    Brog: hp 6 → 5\n")


def test_redo_late_after_its_undo_asks_which(shell: Shell) -> None:
    shell.run("undo").ok()
    shell.run("osr", "damage", "wen", "1").ok()
    refused = shell.run("redo")
    assert refused.code == 3
    assert "T4 undid T3" in refused.err
    assert shell.run("r").err == refused.err, "its short name is the same verb"
    assert "Wen: hp 4 → 2" in shell.run("redo", "T4").ok().out


def test_lines_done_together_are_all_done_or_none(shell: Shell) -> None:
    hit, note = {"type": "osr.damage", "character": "wen", "amount": 1}, {"type": "note", "text": "Ow."}
    rows = shell.run("act", "--together", stdin="\n".join(map(json.dumps, (hit, note)))).ok().rows()
    assert [row["turn"] for row in rows] == [4, 5]
    assert "Undoes T4 and T5." in shell.run("undo").ok().out
    refused = shell.run("act", "--together", stdin="\n".join(map(json.dumps, (note, {**hit, "character": "who"}))))
    assert refused.code == 3
    assert "2 of 2" in json.loads(refused.out)["refused"]["reason"]
    assert shell.run("log", "-O", "ndjson").ok().rows()[-1]["turn"] == 6
