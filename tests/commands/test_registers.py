"""The registers that a keeper asks for: sessions, rulings, corrections, and the sheets at the end of each session."""

import csv
import io

import pytest

from tests.kit.shell import Shell, shell_after

shell = shell_after(
    "new Keep --rules osr --file k.campaign --by Mia --when 2026-01-01T18:00+00:00",
    "session open 'Wet feet' date=2026-01-02 place='The attic' --when 2026-01-02T19:00+00:00",  # T2
    "osr enrol Brog player Mia level 2 rolled=5,6 --when 2026-01-02T19:10+00:00",
    "osr enrol Ada player Jon level 2 rolled=3,4 --when 2026-01-02T19:11+00:00",
    "osr damage Brog 9 source='a slab' --by Jon --when 2026-01-02T19:20+00:00",  # T5
    "absent Ada --when 2026-01-02T19:21+00:00",
    "session close --when 2026-01-02T22:00+00:00",  # T7
    "session open 'The mill' --when 2026-02-02T19:00+00:00",  # T8
    "osr enrol Cole player Tom level 1 rolled=6 --when 2026-02-02T19:01+00:00",
    "absent Brog --when 2026-02-02T19:02+00:00",
    "absent Brog here --when 2026-02-02T19:03+00:00",  # T11
    "ruling 6.4 'We all rest' why='simpler' set=short_rest_together=true --by Jon --when 2026-02-02T19:04+00:00",
    "osr rest Brog rolled=3,4 --when 2026-02-02T19:10+00:00",  # T13
    "ruling 6.6 'Nothing is not hurt' --trial --when 2026-02-02T19:20+00:00",  # T14
    "amend T5 --set amount=8 --why 'the slab was small' --by Jon --when 2026-02-02T19:30+00:00",  # T15
    "undo T13 --why 'they kept watch' --by Tom --when 2026-02-02T19:40+00:00",  # T16
    "redo --when 2026-02-02T19:41+00:00",  # T17
)

SESSION = ["session", "title", "date", "place", "opened", "closed", "turns", "present", "absent", "seal"]
RULING = [
    "ruling", "turn", "session", "rule", "text", "why", "options", "trial", "in_force", "ended_by", "decided",
]  # fmt: skip
CORRECTION = ["turn", "by", "at", "why", "what", "of", "sentence"]


def heads(shell: Shell, command: str) -> list[str]:
    return next(csv.reader(io.StringIO(shell.run(*command.split(), "-O", "csv").ok().out)))


def test_a_session_says_when_where_who_was_there_and_its_seal(shell: Shell) -> None:
    first, second = shell.run("sessions", "--json").json()
    assert {key: first[key] for key in SESSION[:-1]} == {
        "session": 1, "title": "Wet feet", "date": "2026-01-02", "place": "The attic", "opened": 2, "closed": 7,
        "turns": 6, "present": ["Brog"], "absent": ["Ada"],
    }  # fmt: skip
    assert first["seal"] == shell.run("seal", "S1", "--json").json()["seal"]
    assert (second["closed"], second["present"], second["absent"]) == (None, ["Brog", "Ada", "Cole"], [])
    assert heads(shell, "sessions") == SESSION
    assert shell.run("sessions").ok().out.split("\n")[0].split() == SESSION


def test_who_comes_later_and_who_retires_was_not_there_before_and_after(shell: Shell) -> None:
    shell.do("retire Ada", "session close", "session open Three")
    assert [row["present"] for row in shell.run("sessions", "--json").json()] == [
        ["Brog"], ["Brog", "Ada", "Cole"], ["Brog", "Cole"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("since", "found"), [("2026-01-15", [2]), ("S2", [2]), ("T3", [2]), ("2026-01-01", [1, 2]), ("T2", [1, 2])]
)
def test_what_is_asked_from_a_point_or_a_day_on_opened_then(shell: Shell, since: str, found: list[int]) -> None:
    assert [row["session"] for row in shell.run("sessions", "--since", since, "--json").json()] == found
    ids = [f"S{number}" for number in (1, 2) if number not in found]
    before = {"2026-01-15": "2026-01-14", "S2": "S1", "T3": "T2"}.get(since, "T1")
    assert shell.run("sessions", "--until", before, "-O", "ids").ok().out.split() == ids


def test_a_ruling_says_what_it_sets_and_in_how_many_turns_it_decided(shell: Shell) -> None:
    first, second = shell.run("rulings", "--json").json()
    assert {key: first[key] for key in RULING} == {
        "ruling": 1, "turn": 12, "session": 2, "rule": "6.4", "text": "We all rest", "why": "simpler",
        "options": {"short_rest_together": True}, "trial": False, "in_force": True, "ended_by": None, "decided": 1,
    }  # fmt: skip
    assert first["by"] == "Jon"
    assert (second["options"], second["trial"], second["decided"]) == ({}, True, 0)
    assert first["decided"] == len(shell.run("log", "--under", "R1", "-O", "ids").ok().out.split())
    assert heads(shell, "rulings")[: len(RULING)] == RULING


def test_a_ruling_that_ended_or_was_replaced_says_by_what(shell: Shell) -> None:
    shell.do("ruling end R2 'too soft'", "ruling 6.4 'Not all' set=short_rest_together=false")
    rows = shell.run("rulings", "--json").json()
    assert [(row["in_force"], row["ended_by"], row["superseded_by"]) for row in rows] == [
        (False, None, 3), (False, 18, None), (True, None, None),
    ]  # fmt: skip
    assert shell.run("rulings", "--in-force", "-O", "ids").ok().out == "R3\n"
    then = shell.run("rulings", "--at", "T17", "--json").json()
    assert [(row["ruling"], row["in_force"], row["superseded_by"]) for row in then] == [
        (1, True, None),
        (2, True, None),
    ]


def test_a_correction_says_who_took_back_what_and_what_stood_there(shell: Shell) -> None:
    rows = shell.run("corrections", "--json").json()
    assert [[row[key] for key in ("turn", "by", "why", "what", "of")] for row in rows] == [
        [15, "Jon", "the slab was small", "amended", [5]],
        [16, "Tom", "they kept watch", "undone", [13]],
        [17, None, None, "restored", [13]],
    ]
    assert rows[0]["sentence"] == "Brog is hit for 9 by a slab and has 2 hit points left."
    assert rows[1]["sentence"].startswith("Brog rolls 3 4")
    assert rows[0]["at"] == "2026-02-02T19:30:00+00:00"
    assert heads(shell, "corrections") == CORRECTION
    assert shell.run("corrections", "--by", "tom", "-O", "ids").ok().out == "T16\n"


def test_what_stood_there_is_what_was_amended_before_and_not_what_was_undone(shell: Shell) -> None:
    shell.do("amend T5 --set amount=7", "undo T18", "amend T5 --set amount=6")
    of_slab = [row["sentence"] for row in shell.run("corrections", "--json").json() if row["of"] == [5]]
    assert ["hit for 9" in of_slab[0], "hit for 8" in of_slab[1], "hit for 8" in of_slab[2]] == [True] * 3


def test_a_turn_that_is_only_moved_is_moved_and_not_amended(shell: Shell) -> None:
    shell.do("amend T5 --before T4")
    moved = shell.run("corrections", "--since", "T18", "--json").json()
    assert [(row["what"], row["of"]) for row in moved] == [("moved", [5])]


def test_each_session_ends_with_a_sheet(shell: Shell) -> None:
    rows = shell.run("status", "brog", "--each", "session", "--json").json()
    assert [(row["session"], row["turn"], row["character"]) for row in rows] == [(1, 7, "Brog"), (2, 17, "Brog")]
    for row in rows:
        sheet = shell.run("status", "brog", "--at", f"S{row['session']}", "--json").json()["characters"]["Brog"]
        assert {key: row[key] for key in sheet} == sheet
    assert rows[0]["hp"] == 2, "as it was announced then"
    now = shell.run("status", "brog", "--each", "session", "--as-now", "--json").json()
    assert now[0]["hp"] == 3, "with what was corrected since"
    assert heads(shell, "status brog --each session") == [*rows[0]]


def test_a_sheet_begins_with_the_session_in_which_somebody_joins(shell: Shell) -> None:
    rows = shell.run("status", "--each", "session", "--json").json()
    assert [(row["session"], row["character"]) for row in rows] == [
        (1, "Brog"), (1, "Ada"), (2, "Brog"), (2, "Ada"), (2, "Cole"),
    ]  # fmt: skip


def test_a_seal_is_asked_for_at_a_point_like_everything_else(shell: Shell) -> None:
    assert shell.run("seal", "--at", "S1").ok().out == shell.run("seal", "S1").ok().out
    shell.run("seal", "S1", "--at", "S1").is_(2, "Say the point once: campaign seal --at S1")


@pytest.mark.parametrize("command", ["sessions", "rulings", "corrections", "status --each session"])
def test_a_register_of_a_campaign_without_any_is_empty(new_shell: Shell, command: str) -> None:
    new_shell.do("new Keep --rules gloomhaven")
    assert new_shell.run(*command.split(), "--json").json() == []
    assert new_shell.run(*command.split()).ok().out == "No rows.\n"


def test_rows_can_be_spread_over_lines_or_named_alone(shell: Shell) -> None:
    assert shell.run("log", "--kind", "ruling", "-O", "ids").ok().out == "T12\nT14\n"
    out = shell.run("sessions", "-O", "lines").ok().out
    assert out.startswith("session  1\ntitle    Wet feet\n") and "\n\nsession  2\n" in out


def test_a_long_log_is_read_in_pages_that_follow_each_other(shell: Shell) -> None:
    pages = [
        shell.run("log", "--after", after, "-n", "7", "-O", "ids").ok().out.split() for after in ("T1", "T8", "15")
    ]
    assert [(page[0], page[-1], len(page)) for page in pages] == [("T2", "T8", 7), ("T9", "T15", 7), ("T16", "T17", 2)]
    assert shell.run("log", "--after", "T12", "--kind", "undo", "-O", "ids").ok().out == "T16\n"
    shell.run("log", "--after", "T99").is_(1, "There is no turn T99; the log goes from T1 to T17.")


def test_why_says_that_no_ruling_decided_where_none_did(shell: Shell) -> None:
    assert shell.run("why", "brog.level").ok().out.endswith("No ruling decided this.\n")
    assert "No ruling" not in shell.run("why", "ada.fatigue").ok().out, "R1 did"
