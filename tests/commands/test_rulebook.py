"""The living rulebook on the shell: paragraphs, trials and what becomes of them."""

from pathlib import Path

import pytest

from tests.kit.shell import Shell


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    shell = Shell(tmp_path, monkeypatch)
    shell.do("new Mill --rules osr", "session open", "enrol brog level 2 56")
    return shell


def test_a_paragraph_is_added_revised_and_withdrawn(shell: Shell) -> None:
    said = shell.run("paragraph", "add", "H1", "Bloodied", "Below half.", "--why", "it came up", "--because", "T3,T2")
    assert said.ok().out == "T4  New paragraph H1, Bloodied: Below half. Why: it came up. Because of T2 and T3.\n"
    said = shell.run("paragraph", "revise", "H1", "At half or below.", "--title", "Hurt", "--why", "half of what?")
    assert said.ok().out == "T5  Paragraph H1, now Hurt reads now: At half or below. Why: half of what?\n"
    said = shell.run("paragraph", "withdraw", "h1", "--why", "nobody used it")
    assert said.ok().out == "T6  Paragraph H1 is withdrawn. Why: nobody used it.\n"
    shell.run("paragraph", "withdraw", "H1", "--why", "again").is_(
        3, "OSR H1 is withdrawn already; undo that turn to have it in force again."
    )


def test_a_paragraph_may_be_told_late(shell: Shell) -> None:
    shell.do("d brog 1", "paragraph add H1 Bloodied 'Below half.' --after T3")
    assert shell.turns()[-1]["place"] == 3


def test_at_the_table_the_words_run_on(shell: Shell) -> None:
    lines = "paragraph add H1 Bloodied below half --why x", 'paragraph revise H1 text="at half" nobody knew', "u"
    shell.run("play", stdin="".join(f"{line}\n" for line in lines))
    turns = shell.turns()
    assert [turn["action"] for turn in turns[3:5]] == [
        {"type": "paragraph.add", "rule": "H1", "title": "Bloodied", "text": "below half", "why": "x"},
        {"type": "paragraph.revise", "rule": "H1", "text": "at half", "why": "nobody knew"},
    ]
    assert not turns[4]["standing"]


def test_a_trial_is_made_kept_and_another_ended(shell: Shell) -> None:
    made = shell.run("ruling", "6.4", "Keep the better.", "--trial", "--review", "S2", "--because", "T3")
    assert made.ok().out == ("T4  Ruling R1 on 6.4 (on trial until session 2): Keep the better. Because of T3.\n")
    assert shell.run("ruling", "keep", "R1", "--why", "it worked").ok().out == (
        "T5  Ruling R1 is kept and no trial any more: it worked.\n"
    )
    shell.do(
        "ruling 6.5 'No fatigue.' --trial", "ruling end R2 --why 'too soft'", "ruling 6.4 'Rather not.' --supersedes R1"
    )
    assert shell.turns()[-1]["sentence"] == "Ruling R3 on 6.4: Rather not. It takes the place of R1."
    shell.run("ruling", "keep", "R3").is_(3, "Ruling R3 is not on trial.")
    shell.run("ruling", "keep", "R3", "--trial").is_(2, "To keep a ruling takes its number and --why alone.")


def test_a_note_says_that_a_rule_is_disputed(shell: Shell) -> None:
    assert shell.run("note", "I disagree.", "--rule", "6.4", "--disputed").ok().out == (
        "T4  Note on rule 6.4 (disputed): I disagree.\n"
    )
