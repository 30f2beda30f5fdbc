"""Nothing that a log holds can touch the terminal: every text field, every reading command, every format."""

import json
import re
import unicodedata
from importlib.resources import files

import pytest

from cli.shell.examples import examples
from cli.terminal.screen import safe
from domain.common import ACTIONS
from domain.registry import system_of, tag_of
from domain.system.field_schema import Field, fields_of
from tests.kit.shell import Shell

#: What a terminal obeys: colours, the title, the clipboard (OSC 52), C1, line ends, tabs, bidi, hidden letters.
EVIL = (
    "\x1b[31mred\x1b]0;title\x07\x1b]52;c;ZXZpbA==\x1b\\\x9b2J\x90x\x9c\x00\x08\x7f\r\n\t\u202etfel\u2066x\u2069\u200b"
    "\u2028\ufeff\u00ad\U000e0041|`*_#<b>"
)
READING = [
    ["status"],
    ["status", "brog"],
    ["status", "--at", "@-1"],
    ["log"],
    ["log", "--oneline"],
    ["log", "--undone"],
    ["log", "--character", "brog"],
    ["log", "--history", "T4"],
    *(["show", f"T{turn}"] for turn in range(1, 17)),
    ["rules"],
    ["rules", "6.4"],
    ["rules", "6.9"],
    ["undo", "--last", "9", "--dry-run"],
    ["diff", "T2..T16"],
    ["branch"],
]
FORMATS = ["text", "json", "ndjson", "csv", "md"]


@pytest.fixture
def shell(new_shell: Shell) -> Shell:
    """A campaign in which every text field there is holds what a terminal would obey."""
    new_shell.run("new", f"x{EVIL}", "--rules", "osr", "--file", "dc.campaign", "--by", f"gm{EVIL}").ok()
    people = {"by": f"Ada{EVIL}", "id": f"id{EVIL}"}
    result = new_shell.act(
        {"type": "session.open", "title": EVIL, "date": "2026-01-31", "place": EVIL} | people,
        {"type": "osr.enrol", "character": "brog", "player": EVIL, "level": 9, "rolled": [1] * 9},
        {"type": "osr.damage", "character": "brog", "amount": 12, "source": EVIL},
        {
            "type": "osr.injury_saves",
            "character": "brog",
            "strength": 30,
            "will": 30,
            "wound": EVIL,
            "effect": EVIL,
            "until": EVIL,
        },
        {"type": "osr.bypassing_hit", "character": "brog", "dc": 20, "source": EVIL},
        {"type": "osr.injury_saves", "character": "brog", "strength": 1, "will": 30},
        {"type": "osr.choose_fate", "character": "brog", "fate": "major_wound", "wound": EVIL, "effect": EVIL},
        {"type": "osr.recover_wound", "character": "brog", "wound": 2, "why": EVIL},
        {"type": "note", "text": EVIL, "about": "brog", "rule": "6.4"},
        {"type": "ruling", "rule": "6.4", "text": EVIL, "why": EVIL, "set": {"keep_higher": True}, "trial": True},
        {"type": "ruling.end", "ruling": 1, "why": EVIL},
        {"type": "override", "character": "brog", "set": {"player": EVIL, "hp": 5}, "why": EVIL},
        {"type": "undo", "last": 1, "why": EVIL},
        {"type": "amend", "turn": 4, "action": {"type": "osr.damage", "character": "brog", "amount": 13}, "why": EVIL},
        {"type": "session.close", "summary": EVIL},
    )
    assert result.code == 0, result
    only_visible(result.out, "act")
    return new_shell


def only_visible(text: str, what: object) -> None:
    """No character that a terminal obeys, except line ends and the colours that the program paints itself."""
    unpainted = re.sub(r"\x1b\[[0-9;]*m", "", text)
    raw = {c for c in unpainted if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")}
    assert not raw, f"{what}: {sorted(map(hex, map(ord, raw)))}"


@pytest.mark.parametrize("form", FORMATS)
def test_no_reading_command_prints_what_a_terminal_obeys(shell: Shell, form: str) -> None:
    for words in READING:
        options = ["--json"] * (form == "json") if "undo" in words else ["-O", form]
        result = shell.run(*words, *options)
        assert result.code in (0, 1) and result.out and not result.err, (words, result)
        only_visible(result.out, (words, form))
        assert "\x1b" not in result.out, (words, form)


@pytest.mark.parametrize("name", sorted(examples()))
def test_the_texts_of_every_rule_system_are_safe(new_shell: Shell, name: str) -> None:
    """An example campaign, with what a terminal obeys in every field that takes any text."""
    rules = examples()[name].rules
    texts = {
        tag_of(action): {field.key for field in fields_of(action) if field.kind.shape == "text" and free(field)}
        for action in (*ACTIONS, *system_of(rules).actions)
    }
    new_shell.do(f"new Example --rules {rules} --file example.campaign")
    lines = []
    for line in files("data").joinpath("examples", name, "actions.ndjson").read_text("utf-8").splitlines():
        action = json.loads(line)
        lines += [action | {key: EVIL for key in action if key in texts[action["type"]]}, action]
    answers = new_shell.act(*lines, options=["--keep-going"])
    only_visible(answers.out, name)
    logged = [turn for turn in new_shell.turns() if EVIL in turn["action"].values()]
    assert len({turn["action"]["type"] for turn in logged}) > 4, "most texts can be anything"
    for words in (["status"], ["log"], ["rules"], *(["show", f"T{turn['turn']}"] for turn in logged[::5])):
        for form in ("text", "json", "csv", "md"):
            only_visible(new_shell.run(*words, "-O", form).ok().out, (words, form))


def free(field: Field) -> bool:
    """Whether a field takes any text: no name of a character, no rule or point, no value of a few."""
    return not field.names and not field.kind.choices and field.key not in ("rule", "since", "to", "rules")


def test_colours_are_the_only_escapes_and_none_of_them_comes_from_the_log(shell: Shell) -> None:
    for words in READING:
        result = shell.run(*words, "--color", "always")
        only_visible(result.out, words)
        assert "\x1b[31mred" not in result.out


def test_json_tells_the_very_text_that_was_logged(shell: Shell) -> None:
    entries = shell.turns()
    assert entries[9]["action"]["text"] == EVIL
    assert entries[1]["by"] == f"Ada{EVIL}"
    assert shell.run("status", "--json").json()["campaign"]["name"] == f"x{EVIL}"


def test_what_is_written_in_forms_of_its_own_is_safe_as_well(shell: Shell) -> None:
    for words in (
        ["recap", "S1"], ["recap", "S1", "-O", "html"], ["recap", "S1", "--json"], ["replay", "S1"], ["export"],
    ):  # fmt: skip
        result = shell.run(*words).ok()
        assert result.out
        only_visible(result.out, words)


def test_doctor_use_and_the_answers_of_verbs_are_safe_as_well(shell: Shell) -> None:
    for words in (["doctor"], ["doctor", "--json"], ["use", "dc.campaign"], ["note", EVIL], ["note", EVIL, "--json"]):
        result = shell.run(*words).ok()
        only_visible(result.out, words)


def test_a_complaint_that_repeats_what_was_typed_is_safe(shell: Shell) -> None:
    for words in (
        ["status", EVIL], ["show", EVIL], [EVIL], ["status", f"--{EVIL}"], ["status", "-c", EVIL.replace("\0", "")],
        ["osr", EVIL], ["undo", "T99", EVIL], ["amend", "T3", "--set", EVIL], ["ruling", EVIL, "x"], ["demo", EVIL],
        ["log", "--since", EVIL], ["override", "brog", f"{EVIL}=1", "--why", "x"], ["new", "x", "--rules", EVIL],
        ["status", "-O", EVIL], ["session", EVIL], ["osr", "choose-fate", "brog", EVIL], ["check-sheet", "brog", EVIL],
    ):  # fmt: skip
        result = shell.run(*words)
        assert result.code in (1, 2, 3) and result.err, words
        only_visible(result.err + result.out, words)


def test_what_is_hidden_is_shown_as_what_it_is() -> None:
    assert safe("a\x1b[0m\x7f\x9b\u202e\u200bb") == "a␛[0m␡⟨U+009B⟩⟨U+202E⟩⟨U+200B⟩b"
    assert safe("a\nb") == "a␊b"
    assert safe("a\nb", lines=True) == "a\nb"
    assert safe("Zoë 龍 👩\u200d🚀 e\u0301") == "Zoë 龍 👩\u200d🚀 e\u0301"


def test_a_spreadsheet_takes_no_cell_for_a_formula(shell: Shell) -> None:
    shell.act({"type": "note", "text": "x", "by": "=HYPERLINK(1)"}).ok()
    assert ",'=HYPERLINK(1)," in shell.run("log", "-O", "csv").ok().out
