"""A question that was asked once is kept under a name: asked by it, listed, completed, deleted."""

import os
from pathlib import Path

import pytest

from tests.kit.shell import Shell, shell_after

shell = shell_after(
    "new Keep --rules osr --file k.campaign", "osr enrol Brog rolled=6", "osr enrol Ada rolled=5", "osr damage Brog 2"
)

LOSSES = "select turn, old, new from changes where field = 'hp' and character = :who and new < old"
STEPS = "select ':no' as text, turn from turns -- :nor\nwhere turn > 3"


def test_it_is_asked_by_its_name_with_other_values_each_time(shell: Shell) -> None:
    saved = shell.run("query", "--save", "losses", LOSSES).ok()
    assert saved.out == "Saved. To ask it: campaign query losses -p who=…\n"
    assert shell.run("query", "losses", "-p", "who=Brog", "--json").json() == [{"turn": 4, "old": 6, "new": 4}]
    assert shell.run("query", "losses", "-p", "who=Ada", "--json").json() == []
    assert shell.run("query", "losses", "-p", "who=Brog", "--at", "T3", "--json").json() == []
    shell.run("query", "losses").is_(2, "losses needs who: campaign query losses -p who=…")


def test_a_colon_in_a_text_or_a_comment_is_no_parameter(shell: Shell) -> None:
    assert shell.run("query", "--save", "steps", STEPS).ok().out == "Saved. To ask it: campaign query steps\n"
    assert shell.run("query", "steps", "--json").json() == [{"text": ":no", "turn": 4}]


def test_the_list_has_those_of_the_program_and_those_that_were_saved(shell: Shell) -> None:
    shell.run("query", "--save", "losses", LOSSES).ok()
    listed = shell.run("query", "--list", "--json").json()
    assert listed[-1] == {"question": "losses", "about": LOSSES, "parameters": ["who"], "saved": True}
    own = [row["question"] for row in listed if not row["saved"]]
    named = shell.run("stats").ok().out.split("campaign stats NAME: ")[1].splitlines()[0].split(", ")
    assert set(named) <= set(own)
    assert shell.run("query", "--list", "-O", "ids").ok().out.splitlines() == [*own, "losses"]
    assert "losses" in shell.run("query").err


def test_a_name_is_taken_anew_and_deleted(shell: Shell) -> None:
    shell.run("query", "--save", "mine", LOSSES).ok()
    shell.run("query", "--save", "mine", "select 1 as one").ok()
    assert shell.run("query", "mine", "--json").json() == [{"one": 1}]
    assert shell.run("query", "--forget", "mine").ok().out == "mine is deleted.\n"
    shell.run("query", "--forget", "mine").is_(1, "No question 'mine' is saved; none is.")
    assert shell.run("query", "mine").code == 2


def test_it_outlives_the_tables_and_is_of_its_campaign_alone(shell: Shell) -> None:
    shell.run("query", "--save", "mine", "select 1 as one").ok()
    for file in Path(os.environ["XDG_CACHE_HOME"]).rglob("*.sqlite"):
        file.unlink()
    assert shell.run("query", "mine", "--json").json() == [{"one": 1}]
    shell.do("branch plan", "switch plan")
    assert shell.run("query", "mine", "--json").json() == [{"one": 1}]
    shell.do("new Other --rules osr")
    assert shell.run("query", "mine").code == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("hp", "select 1"), "hp is a question of the program itself; choose another name."),
        (("lost", "select 1"), "lost is a question of the program itself; choose another name."),
        (("../up", "select 1"), "A name consists of letters, digits, - and _, not '../up'."),
        (("mine",), 'Write the select that mine is to stand for: campaign query --save mine "select …"'),
        (("mine", "hp"), 'Write the select that mine is to stand for: campaign query --save mine "select …"'),
        (("mine", "select x from nowhere"), "No such table: nowhere; `campaign query --schema` lists what there is."),
    ],
)
def test_what_could_not_be_asked_again_is_not_saved(shell: Shell, words: tuple[str, ...], sentence: str) -> None:
    shell.run("query", "--save", *words).is_(2, sentence)
    assert not any(row["saved"] for row in shell.run("query", "--list", "--json").json())


def test_where_it_cannot_be_kept_that_is_said(shell: Shell) -> None:
    folder = Path(os.environ["XDG_STATE_HOME"]) / "campaign-log" / "views"
    folder.write_text("a file in the way", "utf-8")
    result = shell.run("query", "--save", "mine", "select 1")
    assert (result.code, result.out) == (6, "")
    assert result.err.startswith(f"mine was not saved: {folder}")
    assert [row for row in shell.run("query", "--list", "--json").json() if row["saved"]] == []
