"""Lines of the table typed on the shell: the campaign knows its rules, and the long form stays."""

import shlex
from typing import Any

import pytest

from tests.kit.shell import Shell, bash, shell_after

#: T2 and T3: Brog and Ségolène, both of level 2.
shell = shell_after(
    "new Table --rules osr --file dc.campaign",
    "enrol brog level 2 56",
    "enrol Ségolène level 2 43 player Zoë",
)


def action(shell: Shell) -> Any:
    return shell.turns()[-1]["action"]


HIT = {"type": "osr.damage", "character": "brog", "amount": 4}


@pytest.mark.parametrize("line", ["damage brog 4", "d brog 4", "dam br 4", "osr damage brog 4", "d brog --amount 4"])
def test_a_verb_needs_no_system(shell: Shell, line: str) -> None:
    result = shell.run(*line.split()).ok()
    assert result.out == "T4  Brog is hit for 4 and has 7 hit points left.\n"
    assert action(shell) == HIT


@pytest.mark.parametrize(
    ("long", "line", "value"),
    [
        ("damage brog --amount 3+1", "d brog 3+1", {"amount": 4}),
        ("short-rest brog --rolled 54", "rest brog 54", {"rolled": {"brog": [5, 4]}}),
        ("short-rest brog --rolled brog=5,4", "rest brog rolled=brog=5,4", {"rolled": {"brog": [5, 4]}}),
        ("enrol ada --level 2 --rolled 34", "enrol ada level 2 34", {"rolled": [3, 4]}),
        ("enrol ada --level 2 --rolled 3 --rolled 4", "enrol ada level 2 3 4", {"rolled": [3, 4]}),
    ],
)
def test_a_value_is_read_alike_in_the_long_form_and_in_a_line(
    shell: Shell, long: str, line: str, value: dict[str, Any]
) -> None:
    actions = []
    for words in (["osr", *long.split()], line.split()):
        shell.run(*words).ok()
        actions.append(action(shell))
        shell.do("undo")
    assert actions[0] == actions[1]
    assert {name: actions[0][name] for name in value} == value


def test_words_need_no_quotes_and_may_have_them(shell: Shell) -> None:
    shell.run("d", "seg", "4", "a", "ghoul").ok()
    assert action(shell) == HIT | {"character": "Ségolène", "source": "a ghoul"}
    shell.run("damage", "SEGOLENE", "1", "--source", "a  ghoul").ok()
    assert action(shell)["source"] == "a  ghoul"


def test_who_says_so_and_when_and_as_json(shell: Shell) -> None:
    record = shell.run("d", "brog", "4", "--by", "Mia", "--when", "2026-01-31T19:30+01:00", "--json").json()
    assert record["turn"] == 4 and record["events"][0]["hp"] == 7
    turn = shell.turns()[-1]
    assert (turn["by"], turn["at"]) == ("Mia", "2026-01-31T19:30:00+01:00")


def test_what_the_rules_refuse_is_refused_by_its_rule(shell: Shell) -> None:
    shell.run("rest", "brog", "545").is_(3, "Brog rolls 2 hit dice, not 3 (OSR 6.1).")


def test_the_campaign_may_be_named(shell: Shell) -> None:
    shell.do("new Cards --rules gloomhaven --file cards.campaign")
    shell.run("d", "brog", "4", "-c", "dc.campaign").ok()
    shell.run("d", "brog", "4", "-c", "cards.campaign").is_(3, "There is no character 'brog'; enrol one first.")
    shell.run("injury-saves", "brog", "4", "-c", "cards.campaign").is_(
        2,
        "There is no command 'injury-saves'; it is a verb of osr, and this campaign is played under gloomhaven."
        " Try: campaign gloomhaven --help",
    )


def test_a_command_wins_over_a_verb_and_is_found_by_its_beginning(shell: Shell) -> None:
    assert "Table · osr" in shell.run("status").ok().out
    assert shell.run("statu").ok().out == shell.run("status").ok().out
    asked = ("brog", "--at", "T2", "--json")
    assert shell.run("statu", *asked).json() == shell.run("status", *asked).json()
    shell.run("backu", "copy").is_(2, "There is no command 'backu'; did you mean backup? Try: campaign --help")
    assert not (shell.folder / "copy").exists()
    shell.run("sta").is_(2, "sta may be status or stats. Like: status; or stats.")


def test_without_a_campaign_a_verb_asks_for_one(new_shell: Shell) -> None:
    for words in (["damage", "brog", "4"], ["T4", "amount=2"]):
        result = new_shell.run(*words)
        assert result.code == 2 and result.err.startswith('There is no campaign yet.\nNext: campaign new "Name"')
    new_shell.run("daamge", "brog", "4").is_(2, "There is no command 'daamge'. Try: campaign --help")


def test_a_name_of_several_words_needs_no_quotes_to_be_looked_at(shell: Shell) -> None:
    shell.do("enrol 'The Ferryman' level 1 4")
    assert shell.run("status", "the", "ferryman").ok().out == shell.run("status", "The Ferryman").ok().out
    assert "The Ferryman" in shell.run("status", "the", "ferryman").ok().out
    assert "The Ferryman joined" in shell.run("diff", "T2..@", "the", "ferryman").ok().out


def test_a_word_of_a_name_that_is_nearly_a_field_is_a_name_in_quotes_or_at_the_end(shell: Shell) -> None:
    shell.run("enrol", "Bram", "lvl", "2").is_(
        2, """'lvl' does not fit here; enrol takes no words. Like: enrol "Bram lvl" 2."""
    )
    assert shell.run("enrol", "Bram lvl", "2").ok().out.startswith("T4  Bram lvl joins at level 1")


def test_a_wound_is_told_as_the_sheet_tells_it(shell: Shell) -> None:
    shell.do("d brog 15", "saves brog 40 40")
    words = "minor, shallow cut: -2 to heavy physical tasks · until a long rest · not treated, may worsen"
    assert shell.run("why", "brog.wounds.1").ok().out.startswith(f"brog.wounds.1 has been {words} since T5.")
    assert shell.run("why", "brog.wounds", "--json").json()["value"][0]["severity"] == "minor"


def test_whose_card_it_is_must_be_told_while_nobodys_turn_is_open(shell: Shell) -> None:
    shell.do("new Cards --rules gloomhaven --file cards.campaign", "enrol Bea brute -c cards.campaign")
    refused = "perform needs character: Bea. It is not Bea's turn; no turn is open (GH 69)."
    shell.run("t", "trample", "-c", "cards.campaign").is_(2, refused)


def test_the_past_in_short(shell: Shell) -> None:
    shell.do("d brog 4")
    assert shell.run("T4", "amount=2").ok().out.startswith("T5  Amends T4.\n")
    assert shell.run("amend", "3").ok().out.startswith("T6  Amends T4.\n")
    assert shell.run("amend", "T4", "source=rats", "--why", "seen").ok().out.startswith("T7  Amends T4. Why: seen.\n")
    assert action(shell)["action"] == HIT | {"amount": 3, "source": "rats"}
    assert shell.run("amend", "4", "--set", "source=").ok().out.startswith("T8  Amends T4.")
    assert shell.run("amend", "T4", "=", "d", "seg", "1").ok().out.startswith("T9  Amends T4.")
    assert action(shell)["action"] == HIT | {"character": "Ségolène", "amount": 1}
    assert shell.run("u", "-y").ok().out.startswith("T10  Undoes T9.")
    assert shell.run("r", "-y").ok().out.startswith("T11  Restores T9.")
    assert "T4, " in shell.run("T4").ok().out
    assert shell.run("n", "It", "rains").ok().out == "T12  Note: It rains\n"


def test_a_change_of_the_past_can_be_tried(shell: Shell) -> None:
    shell.do("d brog 4", "d brog 1")
    result = shell.run("T4", "amount=2", "--dry-run")
    assert (result.code, result.err) == (0, "") and "now: Brog is hit for 2" in result.out
    assert len(shell.turns()) == 5


def test_one_line_may_tell_several_turns_all_or_none(shell: Shell) -> None:
    result = shell.run("d", "brog", "5", "seg", "6", "a", "fireball", "--by", "Mia").ok()
    assert [line[:2] for line in result.out.splitlines() if line[:1] == "T"] == ["T4", "T5"]
    assert [turn["action"].get("source") for turn in shell.turns()[3:]] == ["a fireball", "a fireball"]
    assert [turn["by"] for turn in shell.turns()[3:]] == ["Mia", "Mia"]
    assert len(shell.run("d", "all", "1", "--json").ok().rows()) == 2
    refused = shell.run("fate", "brog,seg", "death")
    assert refused.code == 3 and len(shell.turns()) == 7, "none of them is half done"
    shell.run("u", "-y").ok()
    assert [turn["standing"] for turn in shell.run("log", "-O", "ndjson").ok().rows()][-3:-1] == [False, False]


def test_a_turn_is_told_late(shell: Shell) -> None:
    shell.do("d brog 4", "d brog 1")
    assert shell.run("d", "brog", "2", "rats", "--after", "T4", "--dry-run").code == 0
    shell.run("d", "brog", "2", "rats", "--after", "T4", "-y").ok()
    hits = [event["hp"] for turn in shell.turns()[3:] for event in turn["events"] if event["type"] == "osr.damaged"]
    assert hits[:3] == [7, 4, 5], "the second hit comes after the one told late"
    assert shell.run("status", "--json").json()["characters"]["brog"]["hp"] == 4
    shell.run("d", "brog", "2", "--after", "T40").is_(3, "There is no turn T40; the log goes from T1 to T6.")


def test_the_help_of_a_verb_is_that_of_the_long_form(shell: Shell) -> None:
    long, short = shell.run("osr", "damage", "--help").ok().out, shell.run("d", "--help").ok().out
    assert short.replace("campaign d ", "campaign osr damage ", 1) == long
    result = shell.run("xyz", "--help")
    assert (result.code, result.out) == (2, "")


# -- completion ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "proposed"),
    [
        ("campaign d s", ["Ségolène"]),
        ("campaign d SE", ["Ségolène"]),
        ("campaign rest brog ", ["Ségolène", "exempt=", "rerolls=", "keep=", "minutes=", "unsafe"]),
        ("campaign d brog --so", ["--source"]),
        ("campaign recovery-roll brog st", ["strength"]),
        ("campaign T2 le", ["level="]),
        ("campaign osr enrol x y z", []),
        ("campaign status se", ["Ségolène"]),
        ("campaign osr damage seg", ["Ségolène"]),
        ("campaign why ", ["brog", "Ségolène"]),
        ("campaign why seg.f", ["Ségolène.fatigue"]),
        ("campaign when br", ["brog"]),
        ("campaign undo T", ["T3", "T2", "turns=", "to="]),
        ("campaign check-sheet seg h", ["hit_dice=", "hp="]),
        ("campaign override brog fa", ["fatigue="]),
        ("campaign ruling 6.4 x --set keep", ["keep_higher=false", "keep_higher=true"]),
        ("campaign stats damage-by", ["damage-by-source"]),
        ("campaign use d", ["dc.campaign"]),
        ("campaign status -c d", ["dc.campaign"]),
        ("campaign amend T2 le", ["level="]),
    ],
)
@pytest.mark.usefixtures("shell")
def test_bash_proposes_what_the_line_takes(line: str, proposed: list[str]) -> None:
    assert [line for line in bash(line).ok().out.split("\n") if line] == proposed


# -- why -----------------------------------------------------------------------------------------------------


def test_why_is_asked_with_as_much_of_a_name_as_is_unique(shell: Shell) -> None:
    shell.do("d seg 3 rats", "enrol Sedric")
    asked = shell.run("why", "Ségolène.hp").ok().out
    assert asked.startswith("Ségolène.hp has been 4 since T4.")
    for words in (["ségolène"], ["seg"], ["seg", "hp"], ["segolene.hp"]):
        assert shell.run("why", *words).ok().out == asked, words
    unclear = shell.run("why", "se")
    assert (unclear.code, unclear.out) == (2, "") and "Ségolène" in unclear.err and "Sedric" in unclear.err
    shell.run("why", "nobody").is_(1, "There is no character 'nobody'; known: Sedric, Ségolène and brog.")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("osr damage brog 1 because of rats", "because of rats"),
        ("osr damage brog 1 'because of rats'", "because of rats"),
        ("osr damage br 1", "Brog is hit for 1"),
        ("note because of rats", "Note: because of rats"),
        ("note --about br because of rats", "Note on Brog: because of rats"),
        ("ruling 6.4 We all rest short_rest_together=true", "We all rest. [short_rest_together = true]"),
        ("override brog hp=5 so says the referee", "Brog's hp = 5. Why: so says the referee."),
        ("session open The crypt", "opens: The crypt."),
    ],
)
def test_what_a_command_does_not_understand_may_be_a_line(shell: Shell, line: str, sentence: str) -> None:
    assert sentence in shell.run(*shlex.split(line)).ok().out


def test_the_long_form_of_a_verb_is_the_same_line(shell: Shell) -> None:
    sentence = "damage needs amount: points of damage. Like: {} 1."
    for line in ("osr damage brog", "osr d brog", "damage brog", "d brog"):
        shell.run(*line.split()).is_(2, sentence.format(line.removeprefix("osr ")))
    shell.run("gloomhaven", "damage", "brog", "1", "rats").is_(
        2, "dc.campaign is played under osr; its verbs: campaign osr --help"
    )
    assert shell.run("osr", "damage", "brog", "1", "--drop").code == 2


def test_a_way_to_write_the_result_is_meant_by_its_name(shell: Shell) -> None:
    assert shell.run("status", "--csv").ok().out == shell.run("status", "-O", "csv").ok().out
