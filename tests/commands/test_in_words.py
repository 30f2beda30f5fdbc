"""What people read is in words: no JSON, no number that means something else elsewhere, nothing dire about the dead."""

import pytest

from domain.osr import presentation
from domain.osr.sheet import Wound
from domain.system.rows import Phrase
from tests.kit.shell import Shell, shell_after

#: Of Brog's two wounds the first has healed, the second is left; T8 is a word of the referee's.
shell = shell_after(
    "new Table --rules osr --file dc.campaign",
    "enrol brog player Mia level 2 56",
    "d brog 12 a slab",
    "saves brog 30 30 wound='a torn ear'",
    "bypassing-hit brog 20 a needle",
    "saves brog 30 30 wound='numb fingers' until=never",
    "recover-wound brog 1",
    "override brog ability_loss='{\"wisdom\": 1, \"charisma\": 2}' why='so it was'",
)


def test_the_number_of_a_wound_means_the_same_to_why_and_to_treat(shell: Shell) -> None:
    assert "a torn ear" in shell.run("why", "brog.wounds.1").ok().out
    assert "has been none since T7" in shell.run("why", "brog.wounds.1").ok().out
    assert "numb fingers" in shell.run("why", "brog.wounds.2").ok().out.splitlines()[0]
    assert "wound 2 (numb fingers) is treated" in shell.run("treat", "brog", "2").ok().out


def test_a_name_may_hold_full_stops_as_a_path_does(shell: Shell) -> None:
    shell.do("enrol 'J. R. Vane' level 1 4", "override 'J. R. Vane' ability_loss='{\"wisdom\": 1}' why='so it was'")
    output = shell.run("why", "J. R. Vane.ability_loss.wisdom").ok().out
    assert output.startswith("J. R. Vane.ability_loss.wisdom has been 1 since T10."), output


@pytest.mark.parametrize(
    "words",
    [
        ("why", "brog.wounds"),
        ("show", "T4"),
        ("show", "T6"),
        ("show", "T8"),
        ("log",),
        ("status", "-O", "md"),
        ("rules", "6.4", "-O", "md"),
    ],
)
def test_people_read_no_json(shell: Shell, words: tuple[str, ...]) -> None:
    output = shell.run(*words).ok().out
    assert not {'{"', '":', '["'} & {output[at : at + 2] for at in range(len(output))}, output


def test_a_refusal_tells_people_no_json(shell: Shell) -> None:
    paper = {"type": "sheet.check", "character": "brog", "expect": {"ability_loss": {"wisdom": 2}}}
    (refused,) = shell.act(paper).rows()
    assert refused["refused"]["reason"] == (
        "Brog's paper sheet differs: ability loss is wisdom 1, charisma 2 in the log, last changed at T8, "
        "wisdom 2 on paper."
    )


def test_a_paragraph_has_a_space_between_its_number_and_its_title(shell: Shell) -> None:
    shell.do("d brog 30", "saves brog 1 1", "fate brog major")
    assert "\nOSR 6.10 Major wounds\n" in shell.run("show").ok().out


def test_a_rule_as_markdown_tells_its_history(shell: Shell) -> None:
    shell.do("ruling 6.4 We all rest why='we stay together' short_rest_together=true")
    output = shell.run("rules", "6.4", "-O", "md").ok().out
    assert "Short rest" in output and "We all rest. Why: we stay together." in output


def test_a_wound_of_the_dead_is_only_what_it_was() -> None:
    wound = Wound(1, "major", "a crushed hand")
    assert presentation.drawn_wound(wound, dead=False)[-1] == Phrase("not treated, may worsen", "bad")
    assert presentation.drawn_wound(wound, dead=True) == (Phrase("major, a crushed hand", "faint"),)


def test_who_says_so_may_stand_in_the_environment(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAMPAIGN_BY", "Mia")
    shell.do("n it was late", "note the moon rose", "osr level-up brog")
    shell.run("n", "so it was", "--by", "Jon").ok()
    assert [turn["by"] for turn in shell.turns()[-4:]] == ["Mia", "Mia", "Mia", "Jon"]
