"""Cards that the log dealt out of its own deck are told apart from those that the table reported."""

from tests.kit.shell import Shell, shell_after

RANKS = "--strength 2 --dexterity 2 --intelligence 3"


DECK = "3,0,12,5,1,2,4,6,7,8,9,10,11,13,14,15,16,17,18,19"

shell = shell_after(
    "new Camp --rules deckahedron",
    f"deckahedron enrol ada {RANKS} --deck {DECK}",
    f"deckahedron enrol tom {RANKS} --cards table --deck {DECK}",
    "lose-stamina ada 1",
    "lose-stamina tom 1 --flipped 3,0,12",
    "deckahedron flip ada strength",
    "deckahedron flip ada strength --flipped 7",
)


def test_the_log_marks_what_the_table_dealt(shell: Shell) -> None:
    lines = shell.run("log").ok().out.splitlines()
    assert lines[4:] == [
        "T4  Ada loses 1 Stamina: (3), (0), 12; 9 left.",
        "T5  Tom loses 1 Stamina: (3), (0), 12; 9 left. [reported]",
        "T6  Ada flips for Strength: 5 ✔.",
        "T7  Ada flips for Strength: 7 ✗✗. [reported]",
    ]
    assert [turn.get("cards") for turn in shell.turns()] == [None] * 3 + ["dealt", "reported", "dealt", "reported"]


def test_show_and_why_name_the_cards_that_were_dealt(shell: Shell) -> None:
    assert "chance  ada, dealt by the log: 3 0 12\n" in shell.run("show", "T4").ok().out
    assert "chance  tom, search: 3 0 12 (reported)\n" in shell.run("show", "T5").ok().out
    why = shell.run("why", "ada.discard").ok().out
    assert "attempt: 7 (reported)" in why and "dealt by the log: 5\n" in why


def test_what_follows_a_report_is_dealt(shell: Shell) -> None:
    shell.do("deckahedron wound ada 'a gash' --flipped 10 --card w1")
    result = shell.act({"type": "deckahedron.flip", "character": "ada", "attribute": "strength", "flipped": ["w1"]})
    if result.code:  # the Wound card lies in the discard pile until the next shuffle
        shell.act({"type": "override", "character": "ada", "set": {"discard": []}, "why": "shuffled in"})
        assert (
            shell.act({"type": "deckahedron.flip", "character": "ada", "attribute": "strength", "flipped": ["w1"]}).code
            == 0
        )
    assert shell.turns()[-1]["cards"] == "dealt and reported"


def test_a_card_that_is_kept_as_it_was_announced_is_not_reported_thereby(shell: Shell) -> None:
    shell.do("undo T4 --keep")
    assert shell.run("log").ok().out.splitlines()[-3:-1] == [
        "T6  Ada flips for Strength: 5 ✔. [T8]",
        "T7  Ada flips for Strength: 7 ✗✗. [T8] [reported]",
    ]
    assert "chance  ada, dealt by the log: 5\n" in shell.run("show", "T6").ok().out
