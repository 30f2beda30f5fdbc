"""`status`, `log`, `show` and `rules`: formats, filters, points, and keys that stay as they are."""

import csv
import io
import shlex
from typing import Any

import pytest

from cli.shell.readings import diff
from cli.store.anywhere import open_log
from domain.refusal import Refusal
from domain.registry import system_of
from tests.kit.shell import Shell

EVENING: list[dict[str, Any]] = [
    {"type": "session.open", "title": "The crypt"},
    {"type": "osr.enrol", "character": "brog", "player": "Ada", "level": 2, "rolled": [5, 6]},
    {"type": "osr.enrol", "character": "Mira", "level": 3, "rolled": [1, 2, 3]},
    {"type": "osr.damage", "character": "brog", "amount": 9, "source": "a wolf", "by": "Gm"},
    {"type": "note", "text": "Cold | wet\nand <b>dark</b>", "rule": "6.4", "by": "Ada"},
    {"type": "osr.short_rest", "characters": ["brog"], "rolled": {"brog": [3, 4]}},
    {"type": "ruling", "rule": "6.4", "text": "All rest", "why": "simpler", "set": {"short_rest_together": True}},
    {"type": "session.close"},
    {"type": "session.open", "title": "The tower"},
    {"type": "ruling", "rule": "6.4", "text": "Keep it", "set": {"keep_higher": True}, "trial": True},
    {"type": "ruling.end", "ruling": 2, "why": "too soft"},
    {"type": "ruling", "rule": "6.4", "text": "Not all", "set": {"short_rest_together": False}},
    {"type": "osr.damage", "character": "Mira", "amount": 1},
    {"type": "note", "text": "Undone", "rule": "6.4"},
    {"type": "undo", "last": 1},
    {"type": "osr.damage", "character": "Mira", "amount": 1},
]


@pytest.fixture
def shell(new_shell: Shell) -> Shell:
    """Two sessions, T1 to T17, one action each evening hour."""
    new_shell.do("new Table --rules osr --file dc.campaign --when 2026-01-01T18:00+00:00")
    lines = [
        {**action, "at": f"2026-01-{1 + number // 8:02}T{19 + number % 4}:00:00+00:00"}
        for number, action in enumerate(EVENING)
    ]
    new_shell.act(*lines).ok()
    return new_shell


def test_a_turn_of_several_people_has_a_line_for_each(shell: Shell) -> None:
    both = {"type": "osr.night_rest", "characters": ["brog", "Mira"], "rolled": {"brog": [5, 1], "Mira": [2, 3, 6]}}
    shell.act({**both, "at": "2026-01-03T19:00:00+00:00"}).ok()
    brog = "Brog sleeps off 1 point of fatigue. In the morning Brog rolls 5 1 and has 6 hit points."
    mira = "In the morning Mira rolls 2 3 6 and has 11 hit points."
    *_, first, second = shell.run("log").ok().out.splitlines()
    assert (first, second) == (f"T18  {brog}", f"     {mira}")
    assert shell.run("log", "--oneline").ok().out.splitlines()[-1] == f"T18  {brog} {mira}"
    (rows,) = shell.run("log", "-n", "1", "-O", "ndjson").rows()
    assert rows["sentence"] == f"{brog} {mira}"


def test_an_amendment_says_what_became_what(shell: Shell) -> None:
    shell.do("amend T5 --set amount=4", "amend T5 --set amount=6 --why wolves", "undo T19", "amend T5 --set amount=5")
    sentences = [line.split("  ")[1] for line in shell.run("log", "--kind", "amend").ok().out.splitlines()[1:]]
    assert [line.partition(".")[0].removeprefix("✗ ") for line in sentences] == [
        "Amends T5: amount 9 → 4", "Amends T5: amount 4 → 6", "Amends T5: amount 4 → 5",
    ]  # fmt: skip


def test_who_is_out_of_it_shares_one_line_of_the_status(shell: Shell) -> None:
    shell.do("osr damage brog 30", "osr injury-saves brog 1 1", "osr choose-fate brog death")
    out = shell.run("status").ok().out
    assert out.splitlines()[-1] == "  Brog (dead)"
    assert "wound marks" in out, "Mira is shown whole"
    assert "Brog  (Ada)" in shell.run("status", "--full").ok().out
    assert "Brog  (Ada)" in shell.run("status", "brog").ok().out


# -- status --------------------------------------------------------------------------------------------------

SHEET = [
    "player", "level", "hit_dice", "hp", "fatigue", "marks", "condition", "injury", "wounds", "ability_loss",
    "recovery_marks",
]  # fmt: skip


def test_status_as_json_keeps_its_keys(shell: Shell) -> None:
    value = shell.run("status", "--json").json()
    assert list(value) == ["campaign", "options", "table", "characters"]
    assert list(value["campaign"]) == ["id", "name", "rules", "turn", "session"]
    assert value["campaign"] | {"id": ""} == {"id": "", "name": "Table", "rules": "osr", "turn": 17, "session": 2}
    assert {"keep_higher": False, "save_meets_dc": True, "minor_injuries": "referee"}.items() <= value[
        "options"
    ].items()
    assert value["table"] == {"tracked": {}}
    assert list(value["characters"]) == ["brog", "Mira"]
    assert set(SHEET) <= set(value["characters"]["brog"])
    assert value["characters"]["brog"]["hp"] == 7


def test_status_of_one_character_ignores_case(shell: Shell) -> None:
    assert list(shell.run("status", "BROG", "--json").json()["characters"]) == ["brog"]
    text = shell.run("status", "mira").ok().out
    assert "Mira" in text and "Brog" not in text


@pytest.mark.parametrize(
    ("point", "hp"),
    [
        ("T3", 11), ("t5", 2), ("T7", 7), ("S1", 7), ("@", 7), ("@-12", 2), ("@-14", 11),
        ("2026-01-01", 7), ("2026-01-01T22:00+00:00", 7), ("2026-01-02", 7),
    ],
)  # fmt: skip
def test_status_at_every_kind_of_point(shell: Shell, point: str, hp: int) -> None:
    value = shell.run("status", "--json", "--at", point).json()
    assert value["characters"]["brog"]["hp"] == hp


def test_the_options_of_then_are_those_shown(shell: Shell) -> None:
    options = [shell.run("status", "--json", "--at", at).json()["options"] for at in ("T7", "T8")]
    assert [then["short_rest_together"] for then in options] == [False, True]
    assert "ruled: short_rest_together = true" in shell.run("status", "--at", "T8").ok().out


def test_as_now_reads_an_earlier_turn_with_what_is_known_since(shell: Shell) -> None:
    shell.do("amend T5 --set amount=4")
    then, now = (shell.run("status", "brog", "--json", "--at", "T5", *more).json() for more in ([], ["--as-now"]))
    assert [output["characters"]["brog"]["hp"] for output in (then, now)] == [2, 7]


def test_status_as_tables(shell: Shell) -> None:
    rows = list(csv.DictReader(io.StringIO(shell.run("status", "-O", "csv").ok().out)))
    assert [(row["character"], row["hp"], row["wounds"]) for row in rows] == [("brog", "7", "[]"), ("Mira", "4", "[]")]
    lines = shell.run("status", "-O", "md").ok().out.splitlines()
    assert lines[0].startswith("| character | player | level |") and lines[2].startswith("| brog | Ada | 2 |")
    assert [row["character"] for row in shell.run("status", "-O", "ndjson").ok().rows()] == ["brog", "Mira"]


def test_status_of_nobody(shell: Shell) -> None:
    out = shell.run("status", "--at", "T1").ok().out
    assert "Nobody is enrolled yet. Next: campaign osr enrol --help" in out
    for form in ("json", "ndjson", "csv", "md"):
        shell.run("status", "--at", "T1", "-O", form).ok()


# -- log -----------------------------------------------------------------------------------------------------

ENTRY = ["turn", "session", "at", "by", "action", "events", "sentence", "standing", "undone_by"]


def numbers(shell: Shell, *words: str) -> list[int]:
    return [row["turn"] for row in shell.run("log", "-O", "ndjson", *words).ok().rows()]


def test_an_entry_keeps_its_keys(shell: Shell) -> None:
    entry = shell.run("log", "T5", "-O", "ndjson").ok().rows()[0]
    assert list(entry) == ENTRY
    assert entry["session"] == 1 and entry["by"] == "Gm" and entry["standing"] is True and entry["undone_by"] is None
    assert entry["at"] == "2026-01-01T22:00:00+00:00"
    assert entry["sentence"] == "Brog is hit for 9 by a wolf and has 2 hit points left."
    assert shell.run("log", "T5", "--json").json() == [entry]


BACKWARDS = "Times run backwards there: T6 comes after later turns, but is of 2026-01-01 19:00."


@pytest.mark.parametrize(
    ("words", "found", "said"),
    [
        ("--since 2026-01-01T20:30+00:00", list(range(4, 18)), "--since 2026-01-01T20:30+00:00 begins with T4."),
        ("--until 2026-01-01T20:30+00:00", [1, 2, 3], "--until 2026-01-01T20:30+00:00 ends with T3."),
        ("..2026-01-01T20:30+00:00", [1, 2, 3], "2026-01-01T20:30+00:00 is taken as T3."),
        ("--at 2026-01-01T20:30+00:00", [1, 2, 3], "2026-01-01T20:30+00:00 is taken as T3."),
    ],
)
def test_where_times_run_backwards_the_order_of_the_turns_counts(
    shell: Shell, words: str, found: list[int], said: str
) -> None:
    result = shell.run("log", "-O", "ndjson", *words.split())
    assert [row["turn"] for row in result.rows()] == found
    assert result.err.startswith(f"{said} {BACKWARDS} Name ") and result.err.count("\n") == 1


@pytest.mark.usefixtures("shell")
def test_a_page_that_cannot_say_which_turn_it_took_does_not_take_one() -> None:
    with open_log("dc.campaign") as log:
        assert diff(log, system_of("osr"), None, "2026-01-02..").first == 17
        with pytest.raises(Refusal, match=f"2026-01-01T20:30Z may not be T3. {BACKWARDS} Name the turn"):
            diff(log, system_of("osr"), None, "2026-01-01T20:30Z..")


@pytest.mark.parametrize(
    "words",
    [
        "status --at", "recap --at", "diff", "stats --at", "query 'select 1' --at", "why brog.hp --at", "rules --at",
        "when 'brog.hp<3' --at", "show --at", "export --at", "seal",
    ],
)  # fmt: skip
def test_whatever_reads_at_a_date_says_that_times_run_backwards_there(shell: Shell, words: str) -> None:
    result = shell.run(*shlex.split(words), "2026-01-01T20:30+00:00")
    assert result.code < 2, result
    assert f"2026-01-01T20:30+00:00 is taken as T3. {BACKWARDS} Name the turn" in result.err


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("", list(range(1, 18))), ("T3..T5", [3, 4, 5]), ("..T2", [1, 2]), ("T16..", [16, 17]), ("@-1..@", [16, 17]),
        ("T5", [5]), ("S1..T10", [9, 10]), ("--session 1", list(range(2, 10))), ("S1", list(range(2, 10))),
        ("--session S2", list(range(10, 18))),
        ("--session 0", [1]), ("--character BROG", [3, 5, 7]), ("--character mira", [4, 14, 17]),
        ("--kind damage", [5, 14, 17]), ("--kind osr.damage", [5, 14, 17]), ("--kind short-rest", [7]),
        ("--kind rest", [7]), ("--kind ruling", [8, 11, 12, 13]), ("--kind undo", [16]), ("--rule 6.5", [7]),
        ("--rule 'osr 6.4'", [6, 7, 8, 11, 13, 15]), ("--by gm", [5]), ("--by nobody", []), ("--grep WOLF", [5]),
        ("--since 2026-01-02", [10, 11, 12, 13, 14, 15, 16, 17]), ("--until 2026-01-01", list(range(1, 10))),
        ("--since 2026-01-02 --until 2026-01-02", list(range(10, 18))), ("--undone", [15]),
        ("--standing --kind note", [6]), ("-n 2", [16, 17]), ("-n 0", []), ("-n 99 --session 1", list(range(2, 10))),
        ("--kind damage --reverse", [17, 14, 5]), ("--kind damage -n 2 --reverse", [17, 14]), ("--at T4", [1, 2, 3, 4]),
        ("T14.. --kind note", [15]), ("--at T15 --undone", []),
        ("--at T15 --standing --kind note", [6, 15]), ("--at T15 -n 2", [14, 15]), ("--at T15 --grep undone", [15]),
    ],
)  # fmt: skip
def test_every_filter(shell: Shell, words: str, found: list[int]) -> None:
    asked = shlex.split(words)
    assert numbers(shell, *asked) == found
    for form in ("text", "md", "json", "csv"):
        shell.run("log", *asked, "-O", form).ok()


def test_the_chronicle_is_grouped_by_session_and_tells_undone_turns(shell: Shell) -> None:
    lines = shell.run("log").ok().out.splitlines()
    assert [line for line in lines if line.startswith(("Session", "Outside"))] == [
        "Outside any session", "Session 1: The crypt", "Session 2: The tower",
    ]  # fmt: skip
    assert "T15  ✗ Note on rule 6.4: Undone [undone by T16]" in lines
    assert " T5  Brog is hit for 9 by a wolf and has 2 hit points left. (Gm)" in lines
    assert "Session" not in shell.run("log", "--oneline", "--kind", "damage").ok().out
    assert shell.run("log", "--by", "nobody").ok().out == "No turn matches.\n"


def test_a_note_of_several_lines_stays_one_line(shell: Shell) -> None:
    assert "Cold | wet␊and <b>dark</b>" in shell.run("log", "T6").ok().out
    assert r"Cold \| wet and \<b>dark\</b>" in shell.run("log", "T6", "-O", "md").ok().out
    rows = list(csv.DictReader(io.StringIO(shell.run("log", "T6", "-O", "csv").ok().out)))
    assert "Cold | wet\nand <b>dark</b>" in rows[0]["sentence"]


def test_the_log_as_tables(shell: Shell) -> None:
    rows = list(csv.DictReader(io.StringIO(shell.run("log", "-O", "csv").ok().out)))
    assert len(rows) == 17 and rows[14]["standing"] == "false" and rows[14]["undone_by"] == "16"
    markdown = shell.run("log", "-O", "md").ok().out
    assert "## Session 1: The crypt" in markdown and "- **T15** ~~" in markdown


# -- show ----------------------------------------------------------------------------------------------------


def test_one_turn_whole(shell: Shell) -> None:
    assert shell.run("show", "T7").ok().out.splitlines() == [
        "T7, session 1, 2026-01-01 20:00",
        "Brog rolls 3 4 and has 7 hit points. Brog's fatigue is now 1.",
        "",
        "OSR 6.4 Short rest",
        "OSR 6.5 Fatigue and a night's sleep",
        "changed Brog: hp 2 → 7, fatigue 0 → 1",
        "chance  brog, re-roll: 3 4 (reported)",
        "command campaign osr short-rest brog --rolled brog=3,4",
        "T7.1    Brog rolls 3 4 and has 7 hit points.",
        "T7.2    Brog's fatigue is now 1.",
    ]
    assert "Undone by T16." in shell.run("show", "T15").ok().out
    assert shell.run("show", "T15", "--at", "T15").ok().out.count("Undone by") == 0
    assert shell.run("show").ok().out.startswith("T17, session 2")
    assert shell.run("show", "--at", "T7").ok().out.startswith("T7, session 1")
    assert [row["turn"] for row in shell.run("log", "@-2..", "--at", "T7", "-O", "ndjson").rows()] == [5, 6, 7]
    assert shell.run("show", "S1").ok().out.startswith("T9, session 1")
    around = ["rules", "rulings", "changes", "chance", "wordings"]
    assert list(shell.run("show", "T7", "--json").json()[0]) == [*ENTRY, *around]


def test_what_was_asked_is_shown_as_a_command_that_asks_the_same(new_shell: Shell) -> None:
    new_shell.do("new Crypt --rules osr", "ruling 6.4 'Lower dice are forgiven' --set keep_higher=true")
    commands = [
        "campaign osr enrol Brog --level 2 5 6",
        "campaign osr enrol 'Wen the Tall' --player Zoe --level 2 6 4",
        'campaign osr damage Brog 9 --source "the sexton\'s spade"',
        "campaign osr short-rest Brog 'Wen the Tall' --keep 'Wen the Tall' --rolled Brog=3,4"
        " --rolled 'Wen the Tall=1,1'",
    ]
    for command in commands:
        new_shell.do(command.removeprefix("campaign "))
        shown = new_shell.run("show").ok().out.splitlines()
        assert f"command {command}" in shown, shown


def test_a_turn_is_shown_in_words_and_not_in_fields(new_shell: Shell) -> None:
    new_shell.do(
        "new Marsh --rules deckahedron", "session open", "enrol Wren player Ada 2 3 3", "track wren gold 15",
        "track wren gold +20", "ruling 17 'It costs both.' third_strain=both", "strain wren 'a cut'",
        "strain wren 'a bite'", "strain wren 'a fall'",
    )  # fmt: skip
    assert "changed Wren: gold 15 → 35\n" in new_shell.run("show", "T5").ok().out
    strained = new_shell.run("show", "T9").ok().out
    assert "deck count" in strained and "_" not in strained
    costs = "whether a strain that becomes a Wound also costs its own Stamina: both"
    assert f"ruling R1 on 17: It costs both. ({costs})" in " ".join(strained.split())
    assert costs in " ".join(new_shell.run("recap", "-O", "md").ok().out.split())


def test_what_a_viewer_must_not_know_is_not_in_the_sentences_of_events(new_shell: Shell) -> None:
    new_shell.do(
        "new Barrow --rules gloomhaven", "session open", "enrol Brann brute player Ines",
        "enrol Ysa spellweaver player Marek", "begin-scenario Gate", "begin-round", "select brann leaping trample",
    )  # fmt: skip
    assert "T7.1    Brann selects Leaping Cleave, then Trample." in new_shell.run("show").ok().out
    assert "Trample" not in new_shell.run("show", "--as", "Marek").ok().out.partition("asked")[2]


# -- rules ---------------------------------------------------------------------------------------------------


def test_the_rules_with_the_values_in_force(shell: Shell) -> None:
    out = shell.run("rules").ok().out
    assert "OSR 6.4   Short rest  (6 in its history)\n" in out
    assert "short_rest_together = false\n" in out
    assert "short_rest_together = true (default false)" in shell.run("rules", "--at", "T8").ok().out
    assert "OSR 6.12" in out


def test_one_rule_with_its_history_and_notes(shell: Shell) -> None:
    out = shell.run("rules", "6.4").ok().out
    items = [line for line in out.splitlines() if line.startswith("- ")]
    assert items == [
        "- note (session 1, T6, Ada): Cold | wet␊and <b>dark</b>.",
        "- R1 (session 1, T8): All rest. Why: simpler. [short_rest_together = true] No longer in force: superseded by"
        " R3.",
        "- R2 (session 2, T11): Keep it. It was on trial. [keep_higher = true] No longer in force: ended at T12:"
        " too soft.",
        "- R2 ends (session 2, T12). Why: too soft. 0 turns were played under it; without it every turn would read the"
        " same.",
        "- R3 (session 2, T13): Not all. [short_rest_together = false]",
        "- note (session 2, T15): Undone. No longer in force: undone by T16.",
    ]
    assert out.index("History and notes") < out.index("Maastricht, 2018") < out.index("- note")
    assert shell.run("rules", "osr 6.4").ok().out == out


def test_the_history_of_a_rule_at_a_point(shell: Shell) -> None:
    then = shell.run("rules", "6.4", "--at", "T8").ok().out
    assert "- R1 (session 1, T8): All rest. Why: simpler. [short_rest_together = true]\n" in then
    assert "R2" not in then and "short_rest_together = true  " in then
    assert "Nothing in this campaign yet." in shell.run("rules", "6.4", "--at", "T2").ok().out


def test_rules_as_json_keep_their_keys(shell: Shell) -> None:
    rows = shell.run("rules", "--json").json()
    assert len(rows) == 12
    (row,) = [row for row in rows if row["rule"] == "OSR 6.4"]
    assert {"rule", "title", "summary", "modelled", "options", "history"} <= set(row)
    assert row["options"] == {"keep_higher": False, "short_rest_together": False}
    remark: dict[str, Any] = row["history"][1]
    assert list(remark)[:13] == [
        "turn", "session", "at", "by", "text", "rule", "ruling", "why", "trial", "set", "since", "no_longer",
        "in_force",
    ]  # fmt: skip
    for form in ("csv", "md", "ndjson"):
        assert "6.4" in shell.run("rules", "-O", form).ok().out


# -- a player's view -----------------------------------------------------------------------------------------


def test_a_veiled_turn_names_its_rules_and_no_secret_outcome(new_shell: Shell) -> None:
    new_shell.do(
        "new Table --rules gloomhaven --file gh.campaign",
        "gloomhaven enrol brog brute --player ann",
        "gloomhaven enrol spell spellweaver --player ben",
        "gloomhaven begin-scenario 1",
        "gloomhaven begin-round",
        "gloomhaven select spell 61 66",
    )
    amended = {"type": "gloomhaven.select", "character": "spell", "lead": 62, "second": 66}
    new_shell.act({"type": "amend", "turn": 6, "action": amended}).ok()
    output = new_shell.run("show", "T6", "--as", "ann").ok().out
    assert "GH 75" in output
    assert "Amended by T7." in output
    log = new_shell.run("log", "--as", "ann").ok().out
    assert "Spell selects two cards. [T7]" in log
    assert not any(secret in output + log for secret in ("None", "Orbs", "Eruption", "Frost"))


def test_where_only_a_turn_can_be_meant_its_number_is_enough(shell: Shell) -> None:
    assert shell.run("show", "4").ok().out == shell.run("show", "T4").ok().out
    assert shell.run("log", "--history", "4").ok().out == shell.run("log", "--history", "T4").ok().out


def test_a_long_chain_is_told_by_its_newest_links_and_says_so(shell: Shell) -> None:
    shell.act(*[{"type": "override", "character": "brog", "set": {"fatigue": 30 + at}, "why": "x"} for at in range(25)])
    changes = len(shell.run("why", "brog.fatigue", "--json").json()["changes"])
    assert changes > 25
    lines = shell.run("why", "brog.fatigue").ok().out.splitlines()
    assert lines[-1] == "Earlier changes are left out; -n 40 shows more."
    assert len([line for line in lines if line.lstrip().startswith("T")]) == 20
    assert "left out" not in shell.run("why", "brog.fatigue", "-n", "3").ok().out
    assert "left out" not in shell.run("why", "brog.fatigue", "-n", str(changes)).ok().out


# -- as a page -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ("status", 2),
        ("log", 17),
        ("show T6", 1),
        ("why brog.hp", 3),
        ("when 'brog.hp < 5'", 1),
        ("diff T4..T6", 1),
        ("query 'select text from notes'", 2),
        ("stats", 5),
    ],
)
def test_whatever_is_read_can_be_a_page_that_runs_nothing(shell: Shell, words: str, rows: int) -> None:
    page = shell.run(*shlex.split(words), "-O", "html").ok().out
    assert page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n")
    assert "<b>dark" not in page
    assert page.count("<tr><td>") >= rows, "a row for each of what it tells"


def test_a_page_tells_words_of_the_log_as_they_are(shell: Shell) -> None:
    page = shell.run("log", "--kind", "note", "-O", "html").ok().out
    assert "Cold | wet<br>and &lt;b&gt;dark&lt;/b&gt;" in page


def test_a_session_with_a_blank_title_is_headed_by_its_number(shell: Shell) -> None:
    shell.act({"type": "session.close"}, {"type": "session.open", "title": " "}).ok()
    assert "\nSession 3\n" in shell.run("log").ok().out
