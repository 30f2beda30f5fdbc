"""What a person sees on a terminal: colours, narrow windows, wide letters, questions, a pager."""

import re
import unicodedata

import pytest

from cli.terminal.screen import Page, Screen, Span, json_text, pad, width
from tests.kit.shell import Shell, shell_after

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


shell = shell_after(
    "new 'Dungeon Crawl' --rules osr --file dc.campaign",
    "session open 'A very long title that does not end where one would like it to end'",
    "osr enrol brog --player Ada --level 2 --rolled 5,6 --by Gm",
    "osr enrol 龍之介 --player 花子 --level 3 --rolled 1,2,3",
    "osr enrol Zoe\u0301🚀 --level 12",
    f"osr damage 龍之介 15 --source {'天から落ちる長い石' * 4}",
    "osr injury-saves 龍之介 --strength 40 --will 3",
    "osr damage brog 30 --source 'a stone that comes from the ceiling and does not stop'",
    "ruling 6.4 'All rest together, it is so much simpler for everybody' --set short_rest_together=true",
    "undo T7 --why 'it was not safe'",
)


def columns(line: str) -> int:
    """The width of a line as terminals count it, told independently of the program."""
    return sum(
        0
        if unicodedata.category(char) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(char) in "WF"
        else 1
        for char in line
    )


# -- colour --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "env", "painted"),
    [
        ([], {}, True),
        ([], {"NO_COLOR": "1"}, False),
        ([], {"NO_COLOR": ""}, True),
        ([], {"TERM": "dumb"}, False),
        (["--color", "never"], {}, False),
        (["--color", "always"], {"NO_COLOR": "1", "TERM": "dumb"}, True),
        (["--json"], {}, False),
        (["-O", "md"], {}, False),
        (["-O", "csv"], {}, False),
    ],
)
def test_colour_on_a_terminal(shell: Shell, options: list[str], env: dict[str, str], painted: bool) -> None:
    result = shell.terminal("status", *options, env=env)
    assert result.code == 0 and bool(ESCAPE.search(result.out)) == painted


def test_no_colour_in_a_pipe_unless_asked_for(shell: Shell) -> None:
    assert not ESCAPE.search(shell.process("status").ok().out)
    assert ESCAPE.search(shell.process("status", "--color", "always").ok().out)


def test_colour_changes_no_word(shell: Shell) -> None:
    for words in (["status"], ["rules", "6.4"], ["show", "T5"]):
        painted = shell.run(*words, "--color", "always").ok().out
        plain = shell.run(*words).ok().out
        assert [line.rstrip() for line in ESCAPE.sub("", painted).splitlines()] == plain.splitlines()


def test_what_does_not_count_is_struck_where_it_is_painted_and_told_where_it_is_not(shell: Shell) -> None:
    struck = shell.run("log", "T7", "--color", "always").ok().out
    assert re.search(r"\x1b\[2;9m.*strength save passes", struck)
    assert "✗" in shell.run("log", "T7").ok().out and "undone by T10" in struck


# -- width ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wide", [40, 80])
@pytest.mark.parametrize("words", ["status", "log", "rules", "rules 6.4", "undo T3 --dry-run"])
def test_nothing_is_wider_than_the_window(shell: Shell, wide: int, words: str) -> None:
    result = shell.terminal(*words.split(), columns=wide, env={"NO_COLOR": "1"})
    lines = [line for line in result.out.split("\n") if "Next: campaign" not in line]  # one can copy it whole
    assert len(lines) > 3 and max(map(columns, lines)) <= wide, max(lines, key=columns)
    assert not [line for line in lines if line != line.rstrip()]


def test_what_goes_on_is_indented(shell: Shell) -> None:
    lines = shell.terminal("log", "T8", columns=40, env={"NO_COLOR": "1"}).out.split("\n")
    at = lines.index("T8  Brog is hit for 30 by a stone that")
    assert lines[at + 1 : at + 4] == [
        "    comes from the ceiling and does not",
        "    stop and loses the last 11 hit",
        "    points: strength and will saves",
    ]


def test_wide_and_combined_letters_are_measured_as_they_are_shown() -> None:
    assert [width(text) for text in ("brog", "龍之介", "Zoe\u0301", "🚀", "❤\ufe0f", "–")] == [4, 6, 3, 2, 2, 1]
    assert width("👨\u200d👩\u200d👧\u200d👦") == 2  # a family of four
    assert pad("龍", 4) == "龍  "


def test_a_word_wider_than_the_window_is_broken() -> None:
    screen = Screen("never", Page(10))
    rows = [
        "".join(span if isinstance(span, str) else span.text for span in row)
        for row in screen.wrap(("T1  ", Span("abcdefghijkl mn 龍龍龍龍")), 4)
    ]
    assert rows == ["T1  abcdef", "    ghijkl", "    mn", "    龍龍龍", "    龍"]


def test_what_stands_in_the_way_goes_on_below_its_turn(shell: Shell) -> None:
    lines = shell.terminal("undo", "T3", "-y", columns=40).out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("  T8: "))
    assert lines[at + 1].startswith("    ") and max(map(columns, lines)) <= 40


def test_help_fits_a_narrow_window(shell: Shell) -> None:
    for words in (["--help"], ["osr", "enrol", "--help"], ["ruling", "--help"]):
        assert max(map(columns, shell.terminal(*words, columns=60).out.split("\n"))) <= 60


# -- a pager and questions -----------------------------------------------------------------------------------


def test_a_long_reading_goes_through_the_pager(shell: Shell) -> None:
    pager = shell.folder / "pager"
    pager.write_text("#!/bin/sh\necho PAGED\ncat\n", "utf-8")
    pager.chmod(0o755)
    assert "PAGED" in shell.terminal("log", lines=5, env={"PAGER": str(pager)}).out
    assert "PAGED" not in shell.terminal("log", lines=200, env={"PAGER": str(pager)}).out
    for missing in ("nowhere-at-all", ""):
        assert "Session 1" in shell.terminal("log", lines=5, env={"PAGER": missing}).out


def test_a_pager_of_another_encoding_gets_what_it_can_show(shell: Shell) -> None:
    shell.do("note 'The Gräfin → 哥布林'")
    pager = shell.folder / "pager"
    pager.write_text("#!/bin/sh\necho PAGED\ncat\n", "utf-8")
    pager.chmod(0o755)
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    seen = shell.terminal("log", lines=5, env={"PAGER": str(pager), **plain}).out
    assert "PAGED" in seen and "Gr?fin" in seen and "Traceback" not in seen


@pytest.mark.parametrize(("typed", "code", "sentence"), [("y\n", 0, "T11"), ("n\n", 1, "Nothing was done."), ("\n", 1, "Nothing was done."), ("\x04", 1, "\nNothing was done."), ("\x03", 130, "\nNothing was done.")])  # fmt: skip  # noqa: E501
def test_a_change_of_earlier_turns_is_shown_and_asked_for(shell: Shell, typed: str, code: int, sentence: str) -> None:
    shell.do("osr enrol cora --level 1 --rolled 6", "osr damage cora 1", "osr damage cora 1")
    before = len(shell.turns())
    result = shell.terminal("undo", f"T{before - 1}", typed=typed, env={"NO_COLOR": "1"})
    assert f"T{before}  was: Cora is hit for 1 and has 4 hit points left." in result.out
    assert f"T{before}  now: Cora is hit for 1 and has 5 hit points left." in result.out.replace("     now", "T13  now")
    assert "Do this? [y/N]" in result.out and result.code == code, result
    assert sentence.replace("T11", f"T{before + 1}") in result.out and "Traceback" not in result.out
    assert len(shell.turns()) == before + (code == 0)


def test_yes_asks_nothing_and_neither_does_a_pipe(shell: Shell) -> None:
    shell.do("osr enrol cora --level 1 --rolled 6", "osr damage cora 1", "osr damage cora 1", "undo T12")
    assert "[y/N]" not in shell.terminal("redo", "--yes").out
    assert shell.terminal("undo", "--yes").code == 0


def test_what_changes_no_earlier_turn_asks_nothing(shell: Shell) -> None:
    shell.do("note 'the latest line'")
    assert "[y/N]" not in shell.terminal("undo").out
    assert "[y/N]" in shell.terminal("undo", typed="n\n").out, "what it would take back was not told last"


def test_somebody_elses_line_is_asked_about_with_whose_it_is(shell: Shell) -> None:
    shell.do("note 'what Robin saw' --by Robin")
    asked = shell.terminal("undo", "--by", "Mia", typed="n\n", env={"NO_COLOR": "1"}).out
    assert "T11 is Robin's line. Undo it? [y/N]" in asked
    asked = shell.terminal("amend", "T3", "player=Bo", "--by", "Mia", typed="n\n", env={"NO_COLOR": "1"}).out
    assert "T3 is Gm's line. Change it? [y/N]" in asked


def test_json_is_indented_only_for_people(shell: Shell) -> None:
    assert shell.terminal("status", "brog", "--json").out.startswith('{\n  "campaign": {')
    assert shell.process("status", "brog", "--json").ok().out.count("\n") == 1


def test_an_error_is_broken_between_words_but_not_within_a_command(shell: Shell) -> None:
    lines = shell.terminal("osr", "zzz", columns=50).out.rstrip().split("\n")
    assert lines[-1].endswith("Try: campaign osr --help") and len(lines) > 3
    assert max(map(columns, lines)) <= 50 and not [line for line in lines if line != line.strip()]
    assert re.search(r"known: (?:[a-z-]+, ){7}[a-z-]+ and \d+ more", " ".join(lines))


# -- what the rules ask --------------------------------------------------------------------------------------


@pytest.fixture
def brute(new_shell: Shell) -> Shell:
    new_shell.do("new Stairs --rules gloomhaven", "gloomhaven enrol Brann brute", "gloomhaven begin-scenario 1")
    return new_shell


def hit_points(shell: Shell) -> int:
    return int(shell.run("status", "--json").json()["characters"]["Brann"]["hp"])


def test_damage_that_can_be_negated_is_asked_about_and_suffered(brute: Shell) -> None:
    with brute.seated("d", "brann", "3") as seat:
        seat.see(b"[2] lose a card of the hand")
        seat.press(b"1\n")
        assert seat.end() == 0
    assert hit_points(brute) == 7


def test_what_the_rules_ask_of_a_hit_told_late_is_asked_before_it_is_shown_what_it_changes(brute: Shell) -> None:
    brute.do("d brann 1")
    with brute.seated("d", "brann", "3", "--after", "T3", env={"NO_COLOR": "1"}) as seat:
        seat.see(b"[2] lose a card of the hand")
        seat.press(b"2\n")
        seat.see(b"[1] Trample")
        seat.press(b"1\n")
        seat.see(b"    Brann: hand ")
        seat.see(b"Do this? ")
        seat.press(b"y\n")
        assert seat.end() == 0
    assert hit_points(brute) == 9


def test_the_long_form_asks_the_same_and_a_wrong_key_asks_again(brute: Shell) -> None:
    with brute.seated("gloomhaven", "damage", "brann", "3") as seat:
        seat.see(b"Brann: suffer 3 damage, or negate it?")
        seat.press(b"9\n")
        seat.see(b"Brann: suffer 3 damage, or negate it?")
        seat.press(b"2\n")
        seat.see(b"[1] Trample")
        seat.press(b"1\n")
        assert seat.end() == 0
    assert hit_points(brute) == 10


def test_a_long_answer_is_wrapped_behind_its_key(brute: Shell) -> None:
    brute.do("begin-round", "s brann 1 4", "rev", "t 1", "b 4", "e", "clean-up")
    with brute.seated("sr", "brann", "1", columns=38) as seat:
        seat.see(b"  [1] keep Trample for 1 damage and\r\n      lose another\r\n")
        seat.press(b"\x04")
        seat.end()


def test_leaving_the_question_does_nothing(brute: Shell) -> None:
    with brute.seated("d", "brann", "3") as seat:
        seat.see(b"? ")
        seat.press(b"\x04")
        assert seat.end() == 1
    assert hit_points(brute) == 10


@pytest.mark.parametrize("options", [["--yes"], ["--lose-hand", "trample"], ["--json"]])
def test_an_option_answers_beforehand(brute: Shell, options: list[str]) -> None:
    with brute.seated("gloomhaven", "damage", "brann", "3", *options) as seat:
        assert seat.end() == 0
    assert b"?" not in seat.output
    assert hit_points(brute) == (10 if "trample" in options else 7)


def test_nobody_is_asked_in_a_pipe(brute: Shell) -> None:
    brute.run("d", "brann", "3").ok()
    assert hit_points(brute) == 7


def test_what_has_to_be_typed_is_typed_behind_the_line(new_shell: Shell) -> None:
    new_shell.do("new Crypt --rules osr", "osr enrol Brog --level 2 --rolled 5,6", "osr damage Brog 20")
    with new_shell.seated("saves", "brog", "40") as seat:
        seat.see(b"[B] fail it on purpose")
        seat.press(b"a\n")
        seat.see(b"injury-saves Brog 40 ")
        seat.press(b"12\n")
        assert seat.end() == 0
    assert new_shell.run("status", "--json").json()["characters"]["Brog"]["condition"] == "collapsed"


def test_both_saves_are_asked_for_right_after_the_blow(new_shell: Shell) -> None:
    new_shell.do("new Crypt --rules osr", "enrol Brog level 2 56")
    with new_shell.seated("d", "brog", "20") as seat:
        seat.see(b"injury-saves Brog STRENGTH WILL (Enter: later)\r\ninjury-saves Brog ")
        seat.press(b"much\n")
        seat.see(b"injury-saves needs strength: total of the strength save, before 'much'.")
        seat.see(b"\r\ninjury-saves Brog ")
        seat.press(b"12 40\n")
        seat.see(b"[2] major wound")
        seat.press(b"2\n")
        seat.see(b"[2] leave it open")
        seat.press(b"2\n")
        assert seat.end() == 0
    assert new_shell.run("status", "--json").json()["characters"]["Brog"]["marks"] == 1
    with new_shell.seated("d", "brog", "1") as seat:
        seat.see(b"injury-saves Brog ")
        seat.press(b"campaign why brog\n")
        seat.see(b"Press Enter to leave the question")
        seat.see(b"injury-saves Brog ")
        seat.press(b"\n")
        assert seat.end() == 0
    assert len(new_shell.turns()) == 6


@pytest.mark.parametrize("line", ["fate brog", "osr choose-fate"])
def test_what_a_line_does_not_say_is_asked_for_where_it_can_be_counted_off(new_shell: Shell, line: str) -> None:
    new_shell.do("new Crypt --rules osr", "enrol Brog level 2 56", "d brog 20", "saves brog 1 40")
    with new_shell.seated(*line.split()) as seat:
        seat.see(b"[2] major wound\r\n? ")
        seat.press(b"2\n")
        seat.see(b"[2] leave it open\r\n? ")
        seat.press(b"2\n")
        assert seat.end() == 0
    assert len(new_shell.turns()) == 5


@pytest.mark.parametrize("line", ["d", "osr damage"])
def test_what_cannot_be_counted_off_is_typed_behind_the_line(new_shell: Shell, line: str) -> None:
    new_shell.do("new Crypt --rules osr", "enrol Brog level 2 56")
    with new_shell.seated(*line.split()) as seat:
        line = line.removeprefix("osr ")  # the long form is the same line
        seat.see(b"damage needs character: Brog; and amount: points of damage.")
        seat.see(f"Brog 1.\r\n{line} ".encode())
        seat.press(b"brog\n")
        seat.see(f"damage needs amount: points of damage. Like: {line} brog 1.\r\n{line} brog ".encode())
        seat.press(b"much\n")
        seat.see(f"damage needs amount: points of damage, before 'much'.\r\n{line} brog ".encode())
        seat.press(b"4 a rat\n")
        assert seat.end() == 0
    assert new_shell.turns()[-1]["action"] == {
        "type": "osr.damage", "character": "Brog", "amount": 4, "source": "a rat",
    }  # fmt: skip


def test_who_was_left_out_is_typed_by_the_name_of_the_field(new_shell: Shell) -> None:
    new_shell.do("new Road --rules deckahedron", "enrol Wren 2 3 3", "enrol Tobin 3 2 1", "foe wolf 6")
    with new_shell.seated("attack", "wolf") as seat:
        seat.see(b"attack needs attacker: Wren or Tobin. Like: attack Wren wolf.\r\nattack wolf attacker=")
        seat.press(b"wren\n")
        assert seat.end() == 0
    assert {"attacker": "Wren", "foe": "wolf"}.items() <= new_shell.turns()[-1]["action"].items()


def test_a_campaign_is_begun_under_the_rules_that_are_chosen(new_shell: Shell) -> None:
    with new_shell.seated("new", "Crypt") as seat:
        seat.see(b"Under which rules?\r\n  [1] osr: ")
        seat.press(b"1\n")
        assert seat.end() == 0
    assert new_shell.run("status", "--json").json()["campaign"]["rules"] == "osr"


def test_an_empty_answer_leaves_the_line_undone(new_shell: Shell) -> None:
    new_shell.do("new Crypt --rules osr")
    with new_shell.seated("note") as seat:
        seat.see(b"\r\nnote ")
        seat.press(b"\n")
        assert seat.end() == 1
    assert b"Nothing was done." in seat.output and len(new_shell.turns()) == 1


@pytest.mark.parametrize(
    ("key", "stands"), [(b"1", [True, False, True]), (b"2", [True, True, True]), (b"3", [True, True])]
)
def test_what_becomes_of_later_turns_is_asked(new_shell: Shell, key: bytes, stands: list[bool]) -> None:
    new_shell.do("new Crypt --rules osr", "enrol Brog level 2 56", "d brog 20", "saves brog 1 40")
    with new_shell.seated("amend", "T3", "amount=2") as seat:
        seat.see(b"[2] keep it as it was\r\n  [3] leave everything as it is\r\n? ")
        seat.press(key + b"\n")
        if key != b"3":
            seat.see(b"Do this?")
            seat.press(b"y\n")
        assert seat.end() == (1 if key == b"3" else 0)
    assert [turn["standing"] for turn in new_shell.turns()[2:]] == stands


def test_what_becomes_of_later_turns_is_asked_of_several_lines_too(new_shell: Shell) -> None:
    new_shell.do("new Crypt --rules osr", "enrol Brog level 2 56", "enrol Wen 6", "d brog 1")
    with new_shell.seated("d", "brog", "20", "wen", "1", "after", "T3", env={"NO_COLOR": "1"}) as seat:
        seat.see(b"T4  no longer legal: ")
        seat.see(b"[3] leave everything as it is\r\n? ")
        seat.press(b"drop\n")
        seat.see(b"Wen: hp 6")
        seat.see(b"Do this?")
        seat.press(b"y\n")
        seat.see(b"(Enter: later)\r\n")
        seat.press(b"\n")
        assert seat.end() == 0
    assert [turn["standing"] for turn in new_shell.turns()[3:]] == [False, True, True]


def test_what_was_shown_beforehand_is_told_once(new_shell: Shell) -> None:
    new_shell.do("new Crypt --rules osr", "enrol Brog level 2 56", "d brog 1", "d brog 2", "branch plan", "d brog 3")
    new_shell.do("switch main")
    for words, own in ((("amend", "T3", "amount=2"), b"T5  Amends T3."), (("adopt", "plan"), b"T7  Adopts T6 from")):
        with new_shell.seated(*words, env={"NO_COLOR": "1"}) as seat:
            seat.see(b"    Brog: hp ")
            seat.see(b"Do this? [y/N]: ")
            seat.press(b"y\n")
            seat.see(own)
            assert seat.end() == 0
        assert b"Brog: hp " not in seat.output and b"is hit for" not in seat.output


def test_several_turns_of_one_line_are_asked_about_one_after_the_other(brute: Shell) -> None:
    brute.do("gloomhaven enrol Cole brute")
    with brute.seated("d", "brann", "2", "cole", "3") as seat:
        seat.see(b"suffer 2, 8 hit points left")
        seat.press(b"1\n")
        seat.see(b"suffer 3, 7 hit points left")
        seat.press(b"1\n")
        assert seat.end() == 0
    assert hit_points(brute) == 8


@pytest.fixture
def down(new_shell: Shell) -> Shell:
    """Brog lies collapsed with a minor wound."""
    new_shell.do("new Crypt --rules osr", "enrol Brog level 2 56", "d brog 12", "saves brog 40 1")
    return new_shell


def condition(shell: Shell) -> str:
    return str(shell.run("status", "--json").json()["characters"]["Brog"]["condition"])


@pytest.mark.parametrize(("answer", "then"), [(b"1\n", "up"), (b"2\n", "collapsed"), (b"\n", "collapsed")])
def test_what_a_turn_leaves_open_is_asked_where_a_key_settles_it(down: Shell, answer: bytes, then: str) -> None:
    with down.seated("rest", "brog", "34") as seat:
        seat.see(b"back up?\r\n  [1] back up\r\n  [2] stays down\r\n? ")
        seat.press(answer)
        assert seat.end() == 0
    assert b"Next:" not in seat.output
    assert condition(down) == then
    assert len(down.turns()) == (6 if then == "up" else 5)


def test_leaving_what_is_open_keeps_the_turn(down: Shell) -> None:
    with down.seated("rest", "brog", "34") as seat:
        seat.see(b"? ")
        seat.press(b"\x04")
        assert seat.end() == 0
    assert len(down.turns()) == 5 and b"Nothing was done" not in seat.output


def test_what_is_open_is_told_where_nobody_is_asked(down: Shell) -> None:
    assert "Next: campaign osr rally Brog" in down.run("rest", "brog", "34").ok().out


def test_a_second_thought_is_asked_for_right_after_the_short_rest(brute: Shell) -> None:
    brute.do("begin-round", "s brann 1 4", "rev", "t 1", "b 4", "e", "clean-up")
    with brute.seated("sr", "brann", "1") as seat:
        seat.see(b"[1] keep Trample for 1 damage and lose another\r\n  [2] lose Trample\r\n? ")
        seat.press(b"1\n")
        seat.see(b"[1] suffer 1, 9 hit points left")
        seat.press(b"1\n")
        seat.see(b"draws Provoking Roar instead.")
        assert seat.end() == 0
    assert hit_points(brute) == 9


@pytest.mark.parametrize(
    ("stop", "code", "says"), [(KeyboardInterrupt, 130, ""), (EOFError, 1, "\nNothing was done.\n")]
)
def test_a_command_that_is_broken_off_did_nothing(
    stop: type[BaseException], code: int, says: str, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:

    def stopped(*_: object, **__: object) -> None:
        raise stop

    monkeypatch.setattr("cli.commands.status.open_chosen", stopped)
    done = shell.run("status")
    assert (done.code, done.err) == (code, says)


@pytest.mark.parametrize("indented", [False, True])
def test_a_list_that_is_made_item_by_item_is_the_same_json(indented: bool) -> None:
    rows = [{"turn": 1, "events": [{"said": "\x1b[2J"}, []]}, {"turn": 2, "events": []}]
    one_by_one = ({**row, "events": iter(row["events"])} for row in rows)  # type: ignore[call-overload]
    assert json_text(one_by_one, indented=indented) == json_text(rows, indented=indented)
    with pytest.raises(TypeError):
        json_text({"turn": object()})
