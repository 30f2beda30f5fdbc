"""`session`, `note`, `ruling`, `undo`, `redo`, `amend`, `override` and `check-sheet` as they are typed."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest

from tests.kit.shell import Shell, shell_after, zone

#: Brog is hit (T4) and rests twice (T5, T6): hp 6, fatigue 2.
shell = shell_after(
    "new Table --rules osr --file dc.campaign",
    "session open",
    "osr enrol brog --level 2 --rolled 5,6",
    "osr damage brog 9",
    "osr short-rest brog --rolled 3,4",
    "osr short-rest brog --rolled 6,1,5",
)


def sheet(shell: Shell) -> dict[str, Any]:
    characters = shell.run("status", "--json").json()["characters"]
    return dict(characters["brog"]) if characters else {}


def action(shell: Shell) -> Any:
    return shell.turns()[-1]["action"]


# -- session, note -------------------------------------------------------------------------------------------


def test_a_range_passes_over_what_is_undone_and_a_name_does_not(shell: Shell) -> None:
    shell.do("note a", "note b", "note c", "undo T8")
    shell.run("undo", "T8", "-y").is_(3, "T8 is undone already, by T10.")
    shell.run("undo", "T7", "T8", "-y").is_(3, "T8 is undone already, by T10.")
    shell.run("undo", "T8..T8", "-y").is_(3, "T8 is undone already, by T10.")
    shell.do("undo T7..T9 -y")
    assert action(shell) == {"type": "undo", "turns": [7, 9]}
    # an undo among them does not bring back what it undid
    shell.do("undo T7..T11 -y")
    assert action(shell) == {"type": "undo", "turns": [7, 8, 9, 10, 11]}
    assert "Note" not in shell.run("log", "--standing").out


def test_sessions_open_and_close(shell: Shell) -> None:
    assert (
        shell.run("session", "close", "They went home")
        .ok()
        .out.startswith("T7  Session 1 closes: They went home.\n    Seal: T7 ")
    )
    assert shell.run("session", "open", "The tower", "--date", "2026-05-01", "--place", "at Ada's").ok().out == (
        "T8  Session 2 opens: The tower (2026-05-01, at Ada's).\n"
    )
    shell.run("session", "open").is_(3, "Session 2 is still open; close it first.\nNext: campaign session close")
    shell.do("session close", "session open --number 7")
    assert action(shell) == {"type": "session.open", "number": 7}
    shell.do("session close")
    shell.run("session", "close").is_(3, "No session is open.\nNext: campaign session open")
    sentence = "Session 7 has been used in this log; leave the number out for the next."
    shell.run("session", "open", "--number", "7").is_(3, sentence)


@pytest.mark.parametrize("date", ["2026", "2026-05", "2026-05-01"])
def test_the_date_of_a_session_is_a_date_so_that_one_can_ask_between_dates(shell: Shell, date: str) -> None:
    shell.do("session close", f"session open --date {date}")
    between = "select session from sessions where date between '2026' and '2026-05-31'"
    assert shell.run("query", between, "-O", "json").ok().json() == [{"session": 2}]


@pytest.mark.parametrize("date", ["Friday", "May 1", "20260501", "2026-13", "2026-02-30", "1.5.2026", "today"])
def test_what_people_say_instead_of_a_date_belongs_in_the_title(shell: Shell, date: str) -> None:
    shell.do("session close")
    reason = (
        f"The date of a session is written like 2026-01-31, not {date!r}; what people say belongs in its title,"
        " or leave the date out: every turn keeps its own time."
    )
    shell.run("session", "open", "--date", date).is_(2, reason)
    assert shell.act({"type": "session.open", "date": date}).rows() == [{"invalid": {"reason": reason}}]


@pytest.mark.parametrize(
    "words", [(), ("Home",), ("They went home",), ("They", "went", "home"), ("They", "left", "after", "T5")]
)
def test_closing_a_session_says_the_seal_however_it_is_typed(shell: Shell, words: tuple[str, ...]) -> None:
    output = shell.run("session", "close", *words).ok().out
    assert f"    Seal: {shell.run('seal').ok().out.strip()}\n" in output
    summary = " ".join(words).removesuffix(" after T5")
    assert action(shell).get("summary") == (summary or None)
    assert ("directly after T5" in output) is ("after" in words)


def test_the_short_of_closing_a_session_says_the_seal_too(shell: Shell) -> None:
    assert "    Seal: T7 " in shell.run("sess", "clo", "two", "words").ok().out


def test_a_session_that_is_closed_for_programs_says_no_seal(shell: Shell) -> None:
    assert shell.run("session", "close", "two", "words", "--json").json()["turn"] == 7


def test_a_note_is_about_somebody_a_rule_and_a_turn(shell: Shell) -> None:
    result = shell.run("note", "Cold.", "--about", "BROG", "--rule", "osr 6.4", "--turn", "t4", "--by", "Ada").ok()
    assert result.out == "T7  Note on Brog, rule 6.4 and T4: Cold.\n"
    assert action(shell) == {"type": "note", "text": "Cold.", "about": "brog", "rule": "osr 6.4", "turn": 4}
    assert shell.turns()[-1]["by"] == "Ada"
    assert shell.run("note", "x", "--json").json()["turn"] == 8
    assert shell.run("note", "--", "--loud").ok().out == "T9  Note: --loud\n"


def test_a_time_without_a_zone_is_the_machine_s(shell: Shell) -> None:
    shell.do("note x --when 2026-01-31T19:30", "note y --when 2026-01-31T19:30+05:00")
    assert [turn["at"] for turn in shell.turns()[-2:]] == ["2026-01-31T19:30:00+00:00", "2026-01-31T19:30:00+05:00"]


def test_when_may_be_a_time_of_this_evening(shell: Shell) -> None:
    now = datetime.now(UTC)
    shell.do("note x --when 'yesterday 21:30'", f"note y --when {now:%H:%M}")
    yesterday = (now - timedelta(days=1)).date()
    times = [datetime.fromisoformat(turn["at"]) for turn in shell.turns()[-2:]]
    assert times[0] == datetime.combine(yesterday, time(21, 30), UTC)
    assert timedelta(0) <= now - times[1] < timedelta(minutes=1)


def test_of_two_hours_the_answer_says_which_it_took_and_a_skipped_one_is_refused(shell: Shell) -> None:
    with zone("CET-1CEST,M3.5.0,M10.5.0/3"):
        which = (
            "2026-10-25T02:30 came twice, as the clocks went back. This is the first, 2026-10-25T02:30+02:00;"
            " the second is 2026-10-25T02:30+01:00."
        )
        assert shell.run("note", "x", "--when", "2026-10-25T02:30").err == f"{which}\n"
        assert shell.turns()[-1]["at"] == "2026-10-25T02:30:00+02:00"
        gone = (
            "2026-03-29T02:30 does not exist: the clocks went forward that night. Write 2026-03-29T01:30+01:00 or"
            " 2026-03-29T03:30+02:00."
        )
        for words in ("note y --when", "status --at", "log --since", "log --until", "diff"):
            shell.run(*words.split(), "2026-03-29T02:30").is_(2, gone)


# -- rulings -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["keep_higher=true", "keep-higher=true", " keep_higher =true"])
def test_a_ruling_sets_an_option_from_its_turn_on(shell: Shell, value: str) -> None:
    result = shell.run("ruling", "6.4", "Keep it", "--why", "kinder", "--set", value, "--trial").ok()
    assert result.out == "T7  Ruling R1 on 6.4 (on trial): Keep it. Why: kinder. [keep_higher = true]\n"
    assert shell.run("status", "--json").json()["options"]["keep_higher"] is True


def test_an_option_that_is_a_text_needs_no_quotes(shell: Shell) -> None:
    shell.do("ruling 6.9 'Marks' --set minor_injuries=recovery_marks")
    shell.do("ruling 6.9 'Marks' --set minor_injuries='\"referee\"'")
    assert shell.run("status", "--json").json()["options"]["minor_injuries"] == "referee"


def test_a_ruling_ends(shell: Shell) -> None:
    shell.do("ruling 6.4 'Keep it' --set keep_higher=true")
    assert shell.run("ruling", "--end", "r1", "--why", "too soft").ok().out == "T8  Ruling R1 ends: too soft.\n"
    assert shell.run("status", "--json").json()["options"]["keep_higher"] is False
    shell.run("ruling", "--end", "R1").is_(3, "Ruling R1 has ended already.")


def test_a_ruling_since_an_earlier_turn_decides_the_later_ones_again(shell: Shell) -> None:
    words = ["ruling", "6.6", "Zero hurts", "--set", "zero_is_injury=true", "--since", "T3"]
    shell.do("undo --to T3", "osr damage brog 11")
    before = len(shell.turns())
    result = shell.run(*words, "--dry-run")
    assert (result.code, result.err, len(shell.turns())) == (0, "", before)
    assert "now: Brog is hit for 11" in result.out
    result = shell.run(*words).ok()
    assert "Counts from T3 on. T8 comes out differently." in result.out
    assert sheet(shell)["injury"] == {"dc": 20, "source": None, "stage": "saves"}


# -- undo, redo ----------------------------------------------------------------------------------------------

AGAIN = """\
T6  was: Brog rolls (6) 1 5 and has 6 hit points. Brog's fatigue is now 2.
    now: Brog rolls 6 1 and has 7 hit points. Brog's fatigue is now 1.
"""


def test_a_dry_run_shows_what_would_change_and_is_done(shell: Shell) -> None:
    result = shell.run("undo", "T5", "--dry-run")
    taken = "T5  undone: Brog rolls 3 4 and has 7 hit points. Brog's fatigue is now 1.\n"
    assert (result.code, result.out, result.err) == (0, taken + AGAIN + "    Brog: hp 6 → 7, fatigue 2 → 1\n", "")
    value = shell.run("undo", "T5", "--dry-run", "--json")
    assert value.code == 0 and [change["turn"] for change in value.rows()[0]["changed"]] == [5, 6]
    assert value.rows()[0]["conflicts"] == []
    assert len(shell.turns()) == 6


def test_a_turn_in_the_middle_is_taken_back_and_given_back(shell: Shell) -> None:
    assert shell.run("undo", "T5", "--why", "unsafe").ok().out == (
        "T7  Undoes T5. Why: unsafe. T6 comes out differently.\n" + AGAIN + "    Brog: hp 6 → 7, fatigue 2 → 1\n"
    )
    assert (sheet(shell)["hp"], sheet(shell)["fatigue"]) == (7, 1)
    assert shell.run("redo", "--dry-run").code == 0
    shell.run("redo").ok()
    assert (sheet(shell)["hp"], sheet(shell)["fatigue"]) == (6, 2)
    shell.run("redo").is_(3, "There is nothing to redo.")


def test_several_undos_are_given_back_at_once_and_only_they_are_named(shell: Shell) -> None:
    shell.do("undo T5 --yes", "undo T6 --yes")
    first_line = shell.run("redo", "--last", "2", "--yes").ok().out.splitlines()[0]
    assert first_line.startswith("T9  Restores T5 and T6.")
    assert "dropped" not in first_line


def test_every_way_to_name_what_is_taken_back(shell: Shell) -> None:
    for words, taken in (
        ([], [6]), (["T5", "t6"], [5, 6]), (["T5,T6"], [5, 6]),
        (["--last", "2"], [5, 6]), (["-n", "1"], [6]), (["--to", "T4"], [5, 6]),
    ):  # fmt: skip
        result = shell.run("undo", *words, "--json")
        assert [event["turn"] for event in result.json()["events"]] == taken, words
        shell.do("redo")


GONE = "There is no character 'brog'; enrol one first."


def test_later_turns_that_are_no_longer_legal_are_a_conflict(shell: Shell) -> None:
    before = shell.turns()
    shell.run("undo", "T3").is_(
        4,
        f"Later turns would no longer be legal; nothing was changed:\n  T4: {GONE}\n  T5: {GONE}\n  T6: {GONE}\n"
        "Settle it with --drop (those turns are undone too) or --keep (they stay as they were).",
    )
    result = shell.run("undo", "T3", "--dry-run")
    assert result.code == 4 and result.out.count("no longer legal") == 3 and result.err == ""
    assert [conflict["turn"] for conflict in shell.run("undo", "T3", "--dry-run", "--json").rows()[0]["conflicts"]] == [
        4,
        5,
        6,
    ]
    assert shell.turns() == before


def test_dropped_turns_go_and_come_back_with_it(shell: Shell) -> None:
    assert shell.run("undo", "T3", "--drop").ok().out == ("T7  Undoes T3. T4, T5 and T6 are dropped.\n    Brog: gone\n")
    assert sheet(shell) == {}
    shell.do("redo")
    assert sheet(shell)["hp"] == 6


def test_kept_turns_stay_as_they_were(shell: Shell) -> None:
    shell.do("osr enrol mira --rolled 3")
    assert shell.run("undo", "T3", "--keep").ok().out.startswith("T8  Undoes T3. T4, T5 and T6 are kept as they ")
    assert list(shell.run("status", "--json").json()["characters"]) == ["mira"]
    assert [turn["turn"] for turn in shell.turns() if not turn["standing"]] == [3]


# -- amend ---------------------------------------------------------------------------------------------------


def test_a_field_of_an_earlier_turn_is_corrected(shell: Shell) -> None:
    result = shell.run("amend", "T4", "--set", "amount=4", "--dry-run")
    assert (result.code, result.out) == (
        0,
        "T4  was: Brog is hit for 9 and has 2 hit points left.\n"
        "    now: Brog is hit for 4 and has 7 hit points left.\n",
    )
    result = shell.run("amend", "t4", "--set", "amount=4", "--set", "source=a wolf", "--why", "misread").ok()
    assert result.out.startswith("T7  Amends T4. Why: misread.\nT4  was: ")
    assert "now: Brog is hit for 4 by a wolf and has 7 hit points left." in result.out
    shell.do("amend 4 --set source=")
    assert shell.turns()[3]["action"] == {"type": "osr.damage", "character": "brog", "amount": 4}


@pytest.mark.parametrize("rolled", ["rolled=1,1", "rolled=brog=1,1"])
def test_dice_are_corrected_as_they_are_given(shell: Shell, rolled: str) -> None:
    shell.do(f"amend T5 --set {rolled}")
    assert shell.turns()[4]["action"]["rolled"] == {"brog": [1, 1]}


def test_an_amended_turn_that_is_itself_illegal_is_refused(shell: Shell) -> None:
    before = shell.turns()
    spot = "A short rest needs a relatively safe spot (OSR 6.4)."
    shell.run("amend", "T5", "--set", "safe=false").is_(3, spot)
    shell.run("amend", "T3", "--set", "rolled=7,7").is_(3, "A d6 cannot show 7 (OSR 6.1).")
    result = shell.run("amend", "T3", "--set", "character=bragg", "--set", "level=2")
    assert result.code == 4 and "did you mean bragg?" in result.err
    assert shell.turns() == before


# -- override, check-sheet -----------------------------------------------------------------------------------


def test_the_referee_sets_fields(shell: Shell) -> None:
    result = shell.run("override", "BROG", "hp=3", "fatigue=0", 'ability_loss={"wisdom": 1}', "--why", "a gift").ok()
    assert result.out.startswith("T7  Override: Brog's hp = 3, fatigue = 0 and ability_loss = ")
    assert result.out.endswith("Why: a gift.\n")
    found = sheet(shell)
    assert (found["hp"], found["fatigue"], found["ability_loss"]) == (3, 0, {"wisdom": 1})
    shell.do("override brog player=Ada --why x", "override brog condition=collapsed --why x")
    assert (sheet(shell)["player"], sheet(shell)["condition"]) == ("Ada", "collapsed")


def test_a_paper_sheet_agrees_or_differs(shell: Shell) -> None:
    assert "T7  Brog's paper sheet agrees with the log: hp and fatigue." in shell.run(
        "check-sheet", "brog", "hp=6", "fatigue=2"
    ).ok().out  # fmt: skip
    before = shell.turns()
    result = shell.run("check-sheet", "brog", "hp=5", "fatigue=2")
    assert result.code == 1 and "hp: 6 in the log (last changed at T6), 5 on paper" in result.out
    assert shell.turns() == before
    line = {"type": "sheet.check", "character": "brog", "expect": {"hp": 5}}
    answer = shell.act(line)
    assert answer.code == 3 and answer.rows()[0]["refused"]["rule"] is None
    assert shell.turns() == before


def test_a_tracked_value_is_compared_however_its_name_is_spelled(shell: Shell) -> None:
    shell.do("track brog gold +4")
    result = shell.run("check-sheet", "brog", "Gold=5")
    assert result.code == 1 and "gold: 4 in the log (last changed at T7), 5 on paper" in result.out, result.err
    (found,) = shell.run("check-sheet", "brog", "Gold=5", "--json").rows()
    assert found["differs"] == [{"field": "gold", "log": 4, "paper": 5, "changed": 7}]


def test_who_says_so_may_stand_in_the_environment(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAMPAIGN_BY", "Ada")
    shell.do("note cold", "osr damage brog 1", "note warm --by Bo")
    assert [turn["by"] for turn in shell.turns()][-3:] == ["Ada", "Ada", "Bo"]
    monkeypatch.setenv("CAMPAIGN_BY", "")
    shell.do("note unsaid")
    assert shell.turns()[-1]["by"] is None
