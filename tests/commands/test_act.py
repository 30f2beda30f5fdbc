"""`campaign act`: one result line for each action, and what is not an action is told as such."""

import json
from typing import Any

import pytest

from cli.shell.jsonlines import LONGEST_LINE
from cli.store.file import open_campaign
from cli.store.folders import state_folder
from domain.common import ACTIONS
from domain.naming import listed_first
from domain.registry import system_of, tag_of
from tests.kit.beginnings import WITH_BROG
from tests.kit.elsewhere import ask_for_device
from tests.kit.shell import Shell, shell_after

DAMAGE = {"type": "osr.damage", "character": "brog", "amount": 3}
NOTE = {"type": "note", "text": "x"}
NOTED = {"type": "noted", "text": "x", "about": None, "rule": None, "turn": None}


shell = shell_after(*WITH_BROG)


# -- result lines --------------------------------------------------------------------------------------------


def test_one_line_for_each_action_as_the_design_says(shell: Shell) -> None:
    result = shell.act(NOTE, {"type": "osr.short_rest", "characters": ["BROG"], "rolled": {"Brog": [3, 4]}}).ok()
    assert result.rows() == [
        {"turn": 3, "events": [NOTED]},
        {
            "turn": 4,
            "events": [
                {
                    "type": "osr.hit_points_rerolled",
                    "character": "brog",
                    "dice": [3, 4],
                    "dropped": [],
                    "hp": 7,
                    "drawn": False,
                },
                {"type": "osr.fatigue_gained", "character": "brog", "now": 1},
            ],
        },
    ]


REFUSED = {"type": "osr.damage", "character": "nobody", "amount": 3}
INVALID = {"type": "osr.damage", "character": "brog"}
CONFLICT = {"type": "undo", "turns": [2]}
ANSWERS: list[tuple[dict[str, Any], int, dict[str, Any]]] = [
    (REFUSED, 3, {"refused": {"rule": None, "reason": "There is no character 'nobody'; known: brog."}}),
    (
        {"type": "osr.short_rest", "characters": ["brog"], "rolled": {"brog": [7, 1]}},
        3,
        {"refused": {"rule": "OSR 6.1", "reason": "A d6 cannot show 7."}},
    ),
    (INVALID, 2, {"invalid": {"reason": "osr.damage needs amount: a whole number of 0 or more."}}),
    (
        CONFLICT,
        4,
        {
            "conflicts": [
                {"turn": 3, "rule": None, "reason": "There is no character 'brog'; enrol one first."},
            ]
        },
    ),
]


@pytest.mark.parametrize(("action", "code", "line"), ANSWERS)
def test_it_stops_at_the_first_action_that_is_not_appended(
    shell: Shell, action: dict[str, Any], code: int, line: dict[str, Any]
) -> None:
    shell.act(DAMAGE).ok()
    result = shell.act(NOTE, action, NOTE)
    assert (result.code, result.err) == (code, "")
    assert result.rows() == [{"turn": 4, "events": [NOTED]}, line]
    assert len(shell.turns()) == 4


def test_keep_going_answers_every_line_and_ends_well(shell: Shell) -> None:
    shell.act(DAMAGE).ok()
    result = shell.act(*(action for action, _, _ in ANSWERS), NOTE, options=["--keep-going"]).ok()
    assert result.rows() == [*(line for _, _, line in ANSWERS), {"turn": 4, "events": [NOTED]}]
    assert len(shell.turns()) == 4


def test_a_dry_run_answers_the_same_and_appends_nothing(shell: Shell) -> None:
    shell.act(DAMAGE).ok()
    before = shell.turns()
    assert shell.act(NOTE, options=["--dry-run"]).ok().rows() == [{"turn": 4, "events": [NOTED]}]
    for action, code, line in ANSWERS:
        result = shell.act(action, options=["--dry-run"])
        assert (result.code, result.rows()) == (code, [line])
    assert shell.turns() == before


def test_actions_come_from_a_file_as_well(shell: Shell) -> None:
    (shell.folder / "evening.ndjson").write_text(json.dumps(NOTE) + "\n", "utf-8")
    assert shell.run("act", "evening.ndjson").ok().rows() == [{"turn": 3, "events": [NOTED]}]


def test_what_a_refused_line_drew_is_drawn_by_the_next_command_too(shell: Shell) -> None:
    rest = {"type": "osr.short_rest", "characters": ["brog"]}
    check = {"type": "sheet.check", "character": "brog", "expect": {"hp": 99}}
    tried = {shell.act(rest, check, options=["--together"]).out for _ in range(3)}
    assert len(tried) == 1
    hp = shell.act(rest).ok().rows()[0]["events"][0]["hp"]
    assert f"hp is {hp} in the log" in tried.pop()
    shell.run("verify").ok()


def test_of_several_lines_together_the_one_that_cannot_be_read_is_named(shell: Shell) -> None:
    for line in ('{"type": "note"', '{"type": "notes"}'):
        result = shell.run("act", "-", "--together", stdin=f"{json.dumps(NOTE)}\n\n{line}\n")
        reason = result.rows()[0]["invalid"]["reason"]
        assert result.code == 2 and reason.startswith("Not done: ") and reason.endswith(" (2 of 2)")
        assert shell.run("status", "--json").json()["campaign"]["turn"] == 2


def test_what_is_owed_is_drawn_once_though_nobody_came_to_write_that_it_is_paid(shell: Shell) -> None:
    """Killed behind the turn, or overtaken by somebody else's memory: the next turn draws with a seed of its own."""
    rest = {"type": "osr.short_rest", "characters": ["brog"]}
    shell.act(rest, {"type": "sheet.check", "character": "brog", "expect": {"hp": 99}}, options=["--together"])
    (owed,) = (state_folder() / "owed").iterdir()
    owing = owed.read_bytes()
    for _ in range(3):
        shell.act(rest).ok()
        owed.write_bytes(owing)
    with open_campaign(shell.folder / "dc.campaign") as log:
        seeds = [turn.seed for turn in log.read()]
    assert len(set(seeds)) == len(seeds)
    shell.run("verify").ok()


# -- who, when, which id -------------------------------------------------------------------------------------


def test_by_and_at_are_on_the_turn(shell: Shell) -> None:
    shell.act(NOTE | {"by": "Ada", "at": "2026-01-31T19:30:00+01:00"}).ok()
    turn = shell.turns()[-1]
    assert (turn["by"], turn["at"], turn["action"]) == ("Ada", "2026-01-31T19:30:00+01:00", NOTE)


def test_null_means_left_out(shell: Shell) -> None:
    fields: dict[str, Any] = {"by": None, "at": None, "id": None, "about": None, "rule": None, "turn": None}
    assert shell.act(NOTE | fields).ok().rows() == [{"turn": 3, "events": [NOTED]}]
    assert shell.turns()[-1]["action"] == NOTE
    assert shell.act({"type": "undo", "turns": None, "last": None, "to": None}).ok().rows()[0]["turn"] == 4


def test_an_action_under_an_id_that_was_used_is_recorded_once(shell: Shell) -> None:
    line = DAMAGE | {"id": "evening-1/7"}
    first = shell.act(line, line).ok().rows()
    assert [answer["turn"] for answer in first] == [3, 3]
    assert "repeated" not in first[0] and first[1] == {**first[0], "repeated": True}
    assert shell.act(line).ok().rows() == first[1:]
    again = shell.act(line | {"amount": 9})
    assert again.code == 2 and "belongs to T3, which did something else" in again.rows()[0]["invalid"]["reason"]
    shell.do("branch side", "switch side", "note hello")
    shell.act({"type": "note", "text": "here", "id": "on the side"}).ok()
    shell.do("switch main")
    (answer,) = shell.act({"type": "note", "text": "here", "id": "on the side"}).rows()
    assert answer["invalid"]["reason"] == "The id 'on the side' belongs to a turn on branch side; use another id."
    assert len(shell.turns()) == 3


@pytest.mark.parametrize(("place", "where"), [({"after": 2}, 2), ({"after": "T2"}, 2), ({"before": 3}, 2)])
def test_the_turn_of_a_place_is_told_with_its_letter_or_as_a_number(
    shell: Shell, place: dict[str, Any], where: int
) -> None:
    shell.act(NOTE).ok()
    shell.act(NOTE | place).ok()
    assert shell.turns()[-1]["place"] == where


BAD_AUTHORS: list[tuple[dict[str, Any], str]] = [
    ({"by": ""}, "by must be a short text of 1 to 200 characters."),
    ({"by": 7}, "by must be a short text of 1 to 200 characters."),
    ({"after": True}, "after must be a short text of 1 to 200 characters."),
    ({"after": 0}, "after must be a short text of 1 to 200 characters."),
    ({"id": "x" * 201}, "id must be a short text of 1 to 200 characters."),
    (
        {"at": "2026-01-01T10:00"},
        "at must be an ISO time with its zone, like 2026-01-31T19:30:00+01:00, not '2026-01-01T10:00'.",
    ),
    ({"at": "2026-01-01"}, "at must be an ISO time with its zone, like 2026-01-31T19:30:00+01:00, not '2026-01-01'."),
    ({"at": "tonight"}, "at must be an ISO time with its zone, like 2026-01-31T19:30:00+01:00, not 'tonight'."),
    ({"at": "0001-01-01T00:00+14:00"}, "'0001-01-01T00:00+14:00' is too far away; years go from 2 to 9998."),
    ({"at": "9999-12-31T23:59-12:00"}, "'9999-12-31T23:59-12:00' is too far away; years go from 2 to 9998."),
]


@pytest.mark.parametrize(("about", "reason"), BAD_AUTHORS)
def test_who_when_and_which_are_checked(shell: Shell, about: dict[str, Any], reason: str) -> None:
    result = shell.act(NOTE | about)
    assert (result.code, result.rows()) == (2, [{"invalid": {"reason": reason}}])
    assert len(shell.turns()) == 2


# -- lines that are no actions -------------------------------------------------------------------------------

LIKE = 'one looks like {"type": "note", "text": "…"}.'
AN_ACTION = 'An action names its type, like {"type": "note", "text": "…"}.'
TAGS = listed_first(tag_of(kind) for kind in (*ACTIONS, *system_of("osr").actions))
AMOUNT = "In osr.damage, amount must be a whole number of 0 or more, not"
NO_ACTIONS: list[tuple[str | bytes, str]] = [
    ("hello", "The line is not JSON: Expecting value at column 1."),
    ('{"type":', "The line is not JSON: Expecting value at column 9."),
    ('{"type": "note", "text": "a"', "The line is not JSON: Expecting ',' delimiter at column 29."),
    ('{"type": "note"} {"type": "note"}', "The line is not JSON: Extra data at column 18."),
    ('{"type": "note", "text": "a\nb"}', "The line is not JSON: Unterminated string starting at at column 26."),
    ("{}\r{}", "The line is not JSON: Extra data at column 4."),
    ("[]", f"The line is not an action; {LIKE}"),
    ("3", f"The line is not an action; {LIKE}"),
    ("null", f"The line is not an action; {LIKE}"),
    ("{}", AN_ACTION),
    ('{"type": 7}', AN_ACTION),
    ('{"type": null}', AN_ACTION),
    ('{"type": "osr.damag"}', "There is no action 'osr.damag' in osr; did you mean osr.damage?"),
    ('{"type": "zzz"}', f"There is no action 'zzz' in osr; known: {TAGS}."),
    ('{"type": "note", "text": "a", "text": "b"}', "The line names 'text' twice."),
    ('{"type": "override", "set": {"hp": 1, "hp": 2}}', "The line names 'hp' twice."),
    ('{"type": "note", "text": "a", "txt": "b"}', "note has no field 'txt'; did you mean text?"),
    ('{"type": "note"}', "note needs text: a text of at most 10,000 characters."),
    ('{"type": "note", "text": ["a"]}', 'In note, text must be a text of at most 10,000 characters, not ["a"].'),
    ('{"type": "osr.damage", "character": "brog", "amount": NaN}', "NaN is not a number that can be kept."),
    ('{"type": "osr.damage", "character": "brog", "amount": -Infinity}', "-Infinity is not a number that can be kept."),
    (
        '{"type": "osr.damage", "character": "brog", "amount": 1e999}',
        "An action cannot hold a number that is not one (NaN or infinity).",
    ),
    ('{"type": "osr.damage", "character": "brog", "amount": 3.0}', f"{AMOUNT} 3.0."),
    ('{"type": "osr.damage", "character": "brog", "amount": true}', f"{AMOUNT} true."),
    ('{"type": "osr.damage", "character": "brog", "amount": "3"}', f'{AMOUNT} "3".'),
    ('{"type": "osr.damage", "character": "brog", "amount": -1}', f"{AMOUNT} -1."),
    (
        f'{{"type": "osr.damage", "character": "brog", "amount": {2**53 + 1}}}',
        "An action cannot hold a whole number beyond ±2^53.",
    ),
    (
        f'{{"type": "osr.damage", "character": "brog", "amount": {"9" * 5000}}}',
        "The line holds a number with too many digits; whole numbers go up to ±2^53.",
    ),
    (
        f'{{"type": "osr.damage", "character": "brog", "amount": {2**53}}}',
        "In osr.damage, amount must be a whole number from 0 to 9007199254740972, not 9007199254740992.",
    ),
    ('{"type": "note", "text": "\\ud800"}', "An action cannot hold a broken character (half of a surrogate pair)."),
    ("[" * 100_000, "The line is nested too deeply to be an action."),
    ('{"type": ' * 100_000, "The line is nested too deeply to be an action."),
    (
        '{"type": "override", "character": "brog", "why": "x", "set": {"hp": ' + "[" * 900 + "]" * 900 + "}}",
        "This is nested too deeply to be an action.",
    ),
    (b'{"type": "note", "text": "\xff"}', "The line is not UTF-8 text."),
    (
        f'{{"type": "note", "text": "{"x" * 2_000_000}"}}',
        "The line is longer than 1,000,000 bytes; an action is a short line of JSON.",
    ),
    (
        f'{{"type": "note", "text": "{"x" * 10_001}"}}',
        f'In note, text must be a text of at most 10,000 characters, not "{"x" * 59}….',
    ),
    ('{"type": "undo", "turns": [2], "last": 1}', "Name the turns, or give last or to: only one of these."),
    ('{"type": "amend", "turn": 2, "action": []}', "In amend, action must be an object, not []."),
    ('{"type": "amend", "turn": 2, "action": {}}', AN_ACTION),
    (
        '{"type": "amend", "turn": 2, "action": {"type": "osr.enrol", "character": "brog", "levl": 1}}',
        "osr.enrol has no field 'levl'; did you mean level?",
    ),
    (
        '{"type": "ruling", "rule": "6.4", "text": "x", "set": {}}',
        "The ruling sets no option; name one, or leave out set.",
    ),
    (
        '{"type": "override", "character": "brog", "set": {}, "why": "x"}',
        "Name at least one sheet field to set.",
    ),
    (
        '{"type": "override", "character": "brog", "set": {"hp": null}, "why": "x"}',
        "The sheet field hp takes a whole number, not null.",
    ),
    (
        '{"type": "sheet.check", "character": "brog", "expect": {}}',
        "Name at least one sheet field to compare.",
    ),
]


def test_a_line_that_is_no_action_is_answered_and_appends_nothing(shell: Shell) -> None:
    before = shell.bytes_of("dc.campaign")
    for line, reason in NO_ACTIONS:
        text = line.encode() if isinstance(line, str) else line
        result = shell.run("act", stdin=text + b"\n" + json.dumps(NOTE).encode())
        answer = (result.code, result.rows(), result.err)
        assert answer == (2, [{"invalid": {"reason": reason}}], ""), line[:100]
    assert shell.bytes_of("dc.campaign") == before


def test_what_follows_a_line_that_is_too_long_is_still_read(shell: Shell) -> None:
    long = "x" * (2 * LONGEST_LINE)
    result = shell.act(long, NOTE, options=["--keep-going"])
    assert [list(line) for line in result.rows()] == [["invalid"], ["turn", "events"]]


def test_bom_blank_lines_and_line_ends_of_other_systems_are_read(shell: Shell) -> None:
    line = json.dumps(NOTE).encode()
    result = shell.run("act", stdin=b"\xef\xbb\xbf" + line + b"\r\n\r\n   \n" + line + b"\r\n" + line).ok()
    assert [answer["turn"] for answer in result.rows()] == [3, 4, 5]


@pytest.mark.parametrize("empty", ["", "\n", "  \r\n\n"])
def test_nothing_to_read_is_nothing_done(shell: Shell, empty: str) -> None:
    assert shell.run("act", stdin=empty).ok().out == ""
    assert len(shell.turns()) == 2


def test_a_campaign_begins_only_once(shell: Shell) -> None:
    result = shell.act({"type": "campaign.start", "name": "x", "rules": "osr"})
    reason = "This campaign has begun already; another one has a log of its own."
    assert (result.code, result.rows()) == (3, [{"refused": {"rule": None, "reason": reason}}])


def test_a_line_without_an_end_is_refused_before_its_end_is_sought(shell: Shell) -> None:
    result = shell.run("act", str(ask_for_device("/dev/zero")))
    assert result.code == 2
    assert json.loads(result.out)["invalid"]["reason"].startswith("The line is longer than 1,000,000 bytes")
