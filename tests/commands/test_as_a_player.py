"""What a player is shown with --as, beside the sheets: who there is, previews, and the paper sheet."""

from pathlib import Path

import pytest

from tests.kit.on_disk import meddle
from tests.kit.shell import Shell


@pytest.fixture
def table(shell: Shell) -> Shell:
    """Ann plays Brog, Ben plays Spell; both have selected two cards."""
    shell.do(
        "new Crypt --rules gloomhaven --file crypt.campaign",
        "session open",
        "gloomhaven enrol brog --class brute --player Ann",
        "gloomhaven enrol spell --class spellweaver --player Ben",
        "gloomhaven begin-scenario 1",
        "gloomhaven begin-round",
        "gloomhaven select brog 5 6",
    )
    return shell


@pytest.mark.parametrize(
    "words",
    [
        "status", "log", "show T7", "diff T6..T7", "replay", "recap", "why brog.hp", "when brog.hp<3",
        "check-sheet brog hp=10", "undo --dry-run", "redo --dry-run", "amend T7 lead=2 --dry-run", "play",
    ],
)  # fmt: skip
def test_a_player_whom_nobody_knows_is_told_so(table: Shell, words: str) -> None:
    result = table.run(*words.split(), "--as", "Bem")
    result.is_(1, "There is no player 'Bem'; did you mean Ben?")


def test_where_nobody_has_a_player_that_is_said(shell: Shell) -> None:
    shell.do("new Mill --rules osr --file mill.campaign", "osr enrol brog --level 2")
    shell.run("status", "--as", "Ann").is_(
        1, "There is no player 'Ann'; no character of this campaign has a player yet."
    )


def test_a_player_is_meant_whatever_the_case(table: Shell) -> None:
    assert table.run("status", "--json", "--as", "ANN").json()["characters"]["brog"]["selected"] == [5, 6]
    assert table.run("status", "--json", "--as", "ben").json()["characters"]["brog"]["selected"] == 2


def test_replay_keeps_a_selection_that_was_taken_back_or_amended(table: Shell) -> None:
    table.do("undo", "gloomhaven select brog 1 4", "amend T9 lead=2 --yes", "gloomhaven select spell 61 62")
    table.do("gloomhaven reveal")
    output = table.run("replay", "--as", "Ben").ok().out
    assert "Overwhelming" not in output and "Grab and Go" not in output, "taken back"
    assert "selects Trample" not in output, "amended"
    assert output.count("Brog selects two cards.") == 2
    assert "Overwhelming" in table.run("replay", "--as", "Ann").ok().out


def test_an_undo_is_foreseen_without_what_others_hold_and_without_what_comes_of_it(table: Shell) -> None:
    kept = "What comes of it may depend on what other players hold; leave --as out to see it.\n"
    result = table.run("undo", "T6", "--dry-run", "--as", "Ben")
    assert (result.code, result.out, result.err) == (0, f"T6  undone: Round 1 begins.\n{kept}", "")
    result = table.run("undo", "--dry-run", "--as", "Ben")
    assert result.out == f"T7  undone: Brog selects two cards.\n{kept}"
    assert "Overwhelming" in table.run("undo", "--dry-run", "--as", "Ann").out
    assert table.run("undo", "--dry-run", "--json", "--as", "Ben").out.find("lead") < 0
    table.do("undo")
    result = table.run("redo", "--dry-run", "--as", "Ben")
    assert (result.code, result.out) == (0, f"T7  restored: Brog selects two cards.\n{kept}")


def test_an_amendment_is_foreseen_without_the_cards(table: Shell) -> None:
    result = table.run("amend", "T7", "lead=2", "--dry-run", "--as", "Ben")
    assert result.code == 0
    assert "    becomes: what only its player may see\n" in result.out
    records = table.run("amend", "T7", "lead=2", "--dry-run", "--json", "--as", "Ann")
    assert '"lead":2' in records.out
    # a card that Brog does not hold is refused to nobody who may not know it
    assert table.run("amend", "T7", "lead=11", "--dry-run", "--as", "Ben").code == 0
    # nor is it told whether a guess is what was selected
    guesses = {table.run("amend", "T7", f"lead={lead}", "--dry-run", "--as", "Ben").out for lead in (5, 2, 11)}
    assert len(guesses) == 1
    table.run("amend", "T7", "lead=5", "--dry-run", "--as", "Ann").is_(3, "T7 says that already; nothing would change.")
    assert len(table.turns()) == 7


def test_what_an_amendment_changes_is_said_in_words_but_for_what_is_secret(table: Shell) -> None:
    """Beforehand, at the table, and in the chronicle: a number that everybody saw, and no card."""
    table.do("gloomhaven damage brog 3 'a spike'")
    result = table.run("amend", "T8", "amount=2", "--dry-run", "--as", "Ben")
    assert result.out.startswith("T8  amended: Brog suffers 3 damage")
    assert "    becomes: amount 3 → 2\n" in result.out and "{" not in result.out
    at_the_table = table.run("play", stdin="T8 2 --dry-run\nT8 2\n").ok().out
    assert "    becomes: amount 3 → 2\n" in at_the_table
    assert "--as" not in at_the_table and "{" not in at_the_table
    table.do("amend T7 lead=2 --yes")
    for viewer in ("Ben", "table"):
        chronicle = table.run("log", "--as", viewer).ok().out
        assert "Amends T8: amount 3 → 2." in chronicle
        assert "Amends T7." in chronicle, "which card it was stays secret"
    assert "Amends T7: lead 5 → 2." in table.run("log", "--as", "Ann").ok().out


def test_as_goes_with_a_dry_run(table: Shell) -> None:
    table.run("undo", "--as", "Ben").is_(
        2, "--as shows what a player may know of it beforehand; it goes with --dry-run."
    )
    assert len(table.turns()) == 7


def test_where_nothing_is_secret_a_preview_is_shown_whole(shell: Shell) -> None:
    shell.do("new Mill --rules osr --file mill.campaign", "osr enrol brog --level 2 --player Ann", "note Rain.")
    assert shell.run("undo", "--dry-run", "--as", "Ann").out == shell.run("undo", "--dry-run").out


def test_a_paper_sheet_is_held_against_what_its_reader_may_see(table: Shell) -> None:
    table.run("check-sheet", "brog", "hp=10", "hand=1", "--as", "Ben").is_(
        3, "Ben may not see Brog's hand; check it without --as."
    )
    assert table.run("check-sheet", "brog", "hp=10", "--as", "Ben").code == 0
    result = table.run("check-sheet", "brog", "hp=9", "--as", "Ben")
    assert result.code == 1 and result.out.splitlines()[1:] == ["  hp: 10 in the log (last changed at T3), 9 on paper"]
    assert table.run("check-sheet", "brog", "selected=6,5", "--as", "Ann").code == 1


def test_the_table_may_know_what_everybody_does_and_no_hand(table: Shell) -> None:
    sheets = table.run("status", "--as", "table", "--json").ok().json()["characters"]
    assert (sheets["brog"]["hand"], sheets["spell"]["hand"], sheets["brog"]["selected"]) == (8, 8, 2)
    for words in ("log", "recap", "show T7", "diff T6..T7"):
        assert "Provoking" not in table.run(*words.split(), "--as", "table").ok().out
    table.do("gloomhaven enrol third --class brute --player Table")
    assert isinstance(table.run("status", "--as", "table", "--json").ok().json()["characters"]["third"]["hand"], list)


def test_the_tables_of_a_player_are_kept_and_thrown_away_where_they_tell_otherwise(
    table: Shell, tmp_path: Path
) -> None:
    found = table.run("log", "--grep", "two", "--as", "Ben").ok().out
    assert "T7  Brog selects two cards." in found
    (path,) = (path for path in (tmp_path / "xdg_cache_home").rglob("*.sqlite"))
    meddle(path, "UPDATE turns SET sentence = 'Two of nothing.' WHERE turn = 7")
    assert "Two of nothing." in table.run("log", "--grep", "two", "--as", "Ben").ok().out, "they are kept"
    assert "were thrown away" in table.run("verify").ok().out
    assert table.run("log", "--grep", "two", "--as", "Ben").ok().out == found
    assert "thrown away" not in table.run("verify").ok().out
