"""The screen of the table: what is in sight, what typing shows, and every key; in two sizes."""

import re
from collections.abc import Sequence
from time import monotonic
from unittest.mock import Mock

import pytest
from textual.events import Key, MouseScrollDown, MouseScrollUp, Paste

from cli.store.failures import Unopenable
from cli.store.file import CampaignFile
from cli.table.app import PlayApp
from cli.table.chronicle import Chronicle
from cli.table.layout import keys_in_words
from cli.table.widgets import LineInput
from tests.kit.shell import Shell
from tests.table.seen import SIZES, Seen, Table


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def table(request: pytest.FixtureRequest, shell: Shell) -> Table:
    shell.do("new Crawl --rules osr", "osr enrol Brog --level 2 --rolled 5,6", "osr enrol Ségolène --rolled 3")
    return Table(shell, request.param)


def test_what_the_table_keeps_is_parted_from_the_name_of_the_campaign(shell: Shell, table: Table) -> None:
    shell.do("track torches 4")

    async def look(seen: Seen) -> None:
        assert seen.of("state").split("torches 4")[1].split() == ["·", "Crawl", "·", "T4"]

    table.play(look)


def test_the_party_the_chronicle_and_the_line_are_in_sight(table: Table) -> None:
    async def look(seen: Seen) -> None:
        party = seen.of("party-lines")
        assert "Brog" in party and "11/12" in party and "Ségolène" in party
        assert all(len(row) <= 80 for row in party.splitlines())
        assert "Crawl · T3" in seen.of("state")
        assert seen.chronicle[-1] == "T3  Ségolène joins at level 1, rolls 3 and has 3 hit points."

    table.play(look)


def test_typing_shows_what_would_be_done_and_enter_does_it(table: Table) -> None:
    async def hit(seen: Seen) -> None:
        await seen.type("d seg 2 a rat")
        assert seen.of("preview") == "Ségolène is hit for 2 by a rat and has 1 hit point left."
        assert len(seen.chronicle) == 3
        await seen.press("enter")
        assert seen.chronicle[-1] == "T4  Ségolène is hit for 2 by a rat and has 1 hit point left."
        assert "▸ Ségolène" in seen.of("party-lines") and "▸ Brog" not in seen.of("party-lines")
        assert seen.line == ""

    table.play(hit)
    assert table.shell.turns()[-1]["action"]["amount"] == 2


def test_closing_a_session_shows_its_seal(table: Table) -> None:
    async def close(seen: Seen) -> None:
        await seen.type("session open", "enter")
        await seen.type("session close all asleep", "enter")
        assert re.fullmatch(r"Seal: T5( \w{4}|-\w{4})+", seen.of("preview"))

    table.play(close)


def test_a_turn_of_several_people_has_a_line_for_each(table: Table) -> None:
    async def rest(seen: Seen) -> None:
        await seen.type("d all 3 a fireball", "enter")
        await seen.type("rest brog 12 seg 6", "enter")
        *_, last = seen.turns
        number, rows = last.partition(" ")[0], last.splitlines()
        assert [row.split()[:2] for row in rows if " rolls " in row] == [[number, "Brog"], ["Ségolène", "rolls"]]
        assert rows[-1].startswith("     Ségolène"), "below the first"
        seen.fits()
        await seen.type("u", "enter")
        assert any("✗ Brog" in sentence and "Ségolène" in sentence for sentence in seen.chronicle), (
            "what is undone stays whole"
        )

    table.play(rest)


def test_a_line_that_cannot_be_done_stays_to_be_mended(table: Table) -> None:
    async def wrong(seen: Seen) -> None:
        await seen.type("treat brog 3", "enter")
        assert seen.line == "treat brog 3"
        assert "Brog has no wound" in seen.of("preview")
        await seen.press("d", "space", "b")
        assert seen.line == "d b", "what is typed takes its place"
        await seen.type("treat brog 3", "enter")
        await seen.press("end", "backspace", "4")
        assert seen.line == "treat brog 4", "a key that moves the cursor mends it"
        await seen.press("escape")
        assert seen.line == ""
        await seen.type("d brog", "enter")
        assert "damage needs amount" in seen.of("preview")
        await seen.press("space", "4", "enter")
        assert seen.chronicle[-1].startswith("T4  Brog is hit for 4"), "a line that ends too early is gone on with"

    table.play(wrong)
    assert len(table.shell.turns()) == 4


#: Lines that Enter does not do: they are refused, mean nothing, or lack something.
NOT_DONE = ("treat brog 3", "d nobody 3", "zzz", "d brog 3 --as Mia", "d brog", "d", "amend")
GIVES_WAY = "Type to replace the line. Space keeps it, Esc clears it."


@pytest.mark.parametrize("line", NOT_DONE)
def test_whatever_enter_did_not_do_gives_way_to_what_is_typed_next(table: Table, line: str) -> None:
    async def type_on(seen: Seen) -> None:
        async def after(*keys: str) -> str:
            await seen.type(line, "enter")
            assert seen.of("preview") and seen.of("ways") == GIVES_WAY and seen.line.strip() == line
            seen.fits()
            await seen.press(keys[0])
            assert (seen.of("ways") == GIVES_WAY) is (keys[0] == "enter"), "said as long as it is so"
            await seen.press(*keys[1:])
            return seen.line

        assert await after("T") == "T"
        await seen.press("1", "2")
        assert seen.line == "T12", "only the first key replaces"
        assert await after("enter", "pageup", "f2", "f2", "4") == "4", "nor is it typed on after keys that leave it"
        await seen.press("escape", "escape")
        assert await after("space", "4") == f"{line} 4"
        assert await after("backspace", "4") in (f"{line}4", f"{line[:-1]}4"), "its last sign alone is taken back"
        assert (await after("end", "4")).replace(" ", "") == f"{line}4".replace(" ", "")
        assert (await after("left", "right", "4")).replace(" ", "") == f"{line}4".replace(" ", "")
        await seen.type(line, "enter")
        seen.app.query_one(LineInput).post_message(Paste("n one"))
        await seen.press()
        assert seen.line == "n one"

    table.play(type_on)
    assert len(table.shell.turns()) == 3


def test_lines_typed_blind_behind_one_that_lacks_something_are_lines_of_their_own(shell: Shell) -> None:
    shell.do("new Bones --rules deckahedron", "deckahedron enrol Hilda 2 3 3", "session open Bones")

    async def blind(seen: Seen) -> None:
        for line in ("hilda takes a wound", "T12", "hilda loses a stamina", "hilda loses one stamina", "n dark"):
            await seen.press(*("space" if key == " " else key for key in line), "enter")
        assert seen.chronicle[-1].endswith("Note: dark")
        assert not [sentence for sentence in seen.chronicle if "wounded" in sentence]

    Table(shell, (80, 24)).play(blind)


def test_what_f2_hides_stays_hidden_while_it_lacks_something(table: Table) -> None:
    async def hide(seen: Seen) -> None:
        await seen.press("f2", "d", "space", *"brog", "enter")
        assert "damage needs amount" in seen.of("preview")
        assert seen.line.strip() == "d brog" and set(seen.line_as_shown) == {"•"}

    table.play(hide)


def test_a_line_that_only_begins_with_the_same_letters_is_another_one(table: Table) -> None:
    async def again(seen: Seen) -> None:
        await seen.press("n", "enter")
        assert seen.of("ways") == GIVES_WAY
        await seen.press(*"note", "space", *"dark", "enter")
        assert seen.chronicle[-1] == "T4  Note: dark"
        await seen.type("d seg", "enter")
        await seen.press("backspace", *"olene", "space", "1", "enter")
        assert seen.chronicle[-1].startswith("T5  Ségolène is hit for 1")

    table.play(again)


def test_the_line_whose_question_was_left_gives_way_and_is_gone_on_with_alike(table: Table) -> None:
    async def leave(seen: Seen) -> None:
        for line in ("d brog 20", "saves brog 1 40", "fate brog"):
            await seen.type(line, "enter")
        await seen.press("escape")
        assert seen.of("ways") == GIVES_WAY
        await seen.press("space", *"death")
        assert seen.line == "fate brog death"
        await seen.press("escape", "enter")
        assert seen.line == "" and seen.of("ways") == ""

    table.play(leave)


def test_lines_that_are_pasted_are_done_one_after_the_other_up_to_a_refusal(table: Table) -> None:
    async def paste(seen: Seen) -> None:
        seen.pilot.app.query_one(LineInput).post_message(Paste("n one\nn two\nd nobody 3\nn three\nn four\n"))
        await seen.pilot.pause()
        assert seen.line == "d nobody 3"
        assert seen.chronicle[-2:] == ["T4  Note: one", "T5  Note: two"]
        assert seen.answer == "n three\nn four"
        await seen.press("escape", "escape")
        assert seen.answer == ""
        seen.pilot.app.query_one(LineInput).post_message(Paste("n three\nn fo"))
        await seen.pilot.pause()
        assert seen.chronicle[-1] == "T6  Note: three" and seen.line == "n fo"
        # terminals that say so when something is pasted send Enter for the end of a line
        await seen.press("escape")
        seen.pilot.app.query_one(LineInput).post_message(Paste("n four\rn five\r"))
        await seen.pilot.pause()
        assert seen.chronicle[-1] == "T8  Note: five" and seen.line == ""

    table.play(paste)
    assert len(table.shell.turns()) == 8


def test_tab_goes_on_where_there_is_one_way(table: Table) -> None:
    async def complete(seen: Seen) -> None:
        await seen.type("d se")
        assert "Ségolène" in seen.of("ways")
        await seen.press("tab")
        assert seen.line == "d Ségolène "

    table.play(complete)


def test_a_digit_and_enter_pick_what_the_table_waits_for(table: Table) -> None:
    async def settle(seen: Seen) -> None:
        await seen.type("d brog 20", "enter")
        assert "1↵ injury-saves Brog" in seen.of("waiting")
        await seen.press("1")
        assert seen.of("preview") == "Enter begins: injury-saves Brog STRENGTH WILL"
        await seen.press("enter")
        assert seen.line.startswith("injury-saves Brog")
        await seen.press("escape")
        await seen.type("saves brog 1 40", "enter")
        assert "2↵ major wound" in seen.of("waiting")
        before = len(seen.turns)
        await seen.press("2")
        assert seen.of("preview").startswith("major wound: Brog lives with a major wound"), seen.of("preview")
        assert len(seen.turns) == before, "a digit alone records nothing"
        await seen.press("d", "6")
        assert seen.line == "2d6", "it may begin a line"
        await seen.press("escape", "2", "enter")
        waiting = " ".join(seen.of("waiting").split())
        assert "What is Brog's major wound? [1] describe it [2] leave it open" in waiting
        await seen.press("2")
        await seen.pilot.pause()
        assert "lives with a major wound" in seen.chronicle[-1]
        assert seen.of("waiting") == ""

    table.play(settle)


def test_the_question_stays_in_sight_while_its_answer_is_typed(table: Table) -> None:
    async def describe(seen: Seen) -> None:
        for line in ("d brog 20", "saves brog 1 40", "fate brog major"):
            await seen.type(line, "enter")
        question = "What is Brog's major wound?"
        await seen.press("1")
        assert seen.of("waiting") == question
        await seen.press(*"a broken arm")
        assert seen.of("waiting") == question
        assert seen.of("preview").startswith("Brog lives with a major wound: a broken arm")
        await seen.press("escape")
        assert "2↵ major wound" in seen.of("waiting"), "the line is cleared, and so is its question"
        await seen.press("1")
        assert "Brog dies" in seen.of("preview"), "the keys of what waits count again"

    table.play(describe)


def test_an_answer_in_words_is_one_without_its_key(table: Table) -> None:
    async def describe(seen: Seen) -> None:
        for line in ("d brog 20", "saves brog 1 40", "fate brog major"):
            await seen.type(line, "enter")
        before = len(seen.turns)
        await seen.press(*"damage")
        assert '"damage" is not an answer' in seen.of("preview"), "a verb begins a line"
        await seen.press("space", "escape", "escape")
        for other in ("Ségolène", "3"):
            await seen.type("fate brog major", "enter")
            await seen.press(*other, "space")
            assert seen.line == f"{other} ", "and so do a name and a number"
            await seen.press("escape", "escape")
        await seen.type("fate brog major", "enter")
        await seen.press(*"broken", "enter")
        assert len(seen.turns) == before, "it is previewed first"
        assert seen.of("preview").startswith("Brog lives with a major wound: broken")
        await seen.press("space", *"arm")
        assert seen.of("waiting") == "What is Brog's major wound?"
        await seen.press("enter")
        assert "lives with a major wound: broken arm" in seen.chronicle[-1]

    table.play(describe)


def test_an_answer_of_several_words_may_be_typed(table: Table) -> None:
    async def leave(seen: Seen) -> None:
        for line in ("d brog 20", "saves brog 1 40", "fate brog major"):
            await seen.type(line, "enter")
        await seen.press(*"leave it open", "enter")
        assert seen.chronicle[-1].endswith("lives with a major wound (1 mark).")

    table.play(leave)


def test_an_undo_shows_in_the_chronicle_and_asks_where_later_turns_change(table: Table) -> None:
    async def back(seen: Seen) -> None:
        await seen.type("d brog 4", "enter")
        await seen.type("u", "enter")
        assert "✗ Brog is hit for 4" in " ".join(seen.chronicle)
        await seen.type("d brog 1", "enter")
        await seen.type("d brog 1", "enter")
        await seen.type("T6 amount=3", "enter")
        assert "Do this?" in seen.of("waiting")
        await seen.press("y")
        assert seen.chronicle[-1].startswith("T8  Amends T6: amount 1 → 3.")
        assert "7/12" in seen.of("party-lines")

    table.play(back)


def test_page_up_looks_back_and_escape_returns(table: Table) -> None:
    async def back(seen: Seen) -> None:
        await seen.type("d brog 4", "enter")
        await seen.press("pageup")
        assert "as of T1" in seen.of("state")
        await seen.press("down", "down")
        assert "11/12" in seen.of("party-lines") and "as of T3" in seen.of("state")
        await seen.press("down")
        assert "7/12" in seen.of("party-lines") and "as of" not in seen.of("state")
        await seen.press("pageup", "pagedown")
        assert "7/12" in seen.of("party-lines") and "as of" not in seen.of("state")
        await seen.press("pageup", "pageup", "escape")
        assert "7/12" in seen.of("party-lines")

    table.play(back)


def test_a_look_for_others_while_the_table_closes_is_none(table: Table) -> None:
    apps: list[PlayApp] = []

    async def closes(seen: Seen) -> None:
        apps.append(seen.app)

    table.play(closes)
    (app,) = apps
    assert not app.screen_stack
    app.look_for_others()


def test_a_page_is_as_many_turns_as_are_about_in_sight(table: Table) -> None:
    table.shell.run("play", stdin="".join(f"n {at}\n" for at in range(60))).ok()

    async def back(seen: Seen) -> None:
        seen.app.look_for_others()
        await seen.press("pageup")
        assert seen.app.point is not None
        page = 63 - seen.app.point
        assert 5 <= page <= table.size[1] - 5
        await seen.press("pageup")
        assert seen.app.point == 63 - 2 * page
        await seen.press("pagedown", "pagedown")
        assert seen.app.point is None

    table.play(back)


def test_keys_that_come_faster_than_they_are_done_are_done_in_their_order(table: Table) -> None:
    async def hurry(seen: Seen) -> None:
        def keys(*pressed: str) -> None:
            for key in pressed:
                seen.app.post_message(Key(key, key if len(key) == 1 else None))

        keys(*"n abc", "enter", *"n dex", "backspace", "f", "enter", *"d se", "tab", "2", "enter")
        await seen.press()
        await seen.press()
        assert [line.partition("  ")[2] for line in seen.chronicle[-3:]] == [
            "Note: abc", "Note: def", "Ségolène is hit for 2 and has 1 hit point left."
        ]  # fmt: skip
        keys("tab", "enter", "n", "enter", *"dark", "enter")
        await seen.press()
        await seen.press()
        assert seen.chronicle[-1].endswith("Note on T6: dark") and seen.line == ""

    table.play(hurry)


@pytest.mark.parametrize(
    ("rules", "line"), [("osr", "enrol Brog"), ("gloomhaven", "enrol Brann"), ("deckahedron", "enrol Wren")]
)
def test_an_empty_line_shows_a_line_of_these_rules_and_what_can_be_pressed(shell: Shell, rules: str, line: str) -> None:
    shell.do(f"new Crawl --rules {rules}", "note dark")

    async def look(seen: Seen) -> None:
        assert seen.app.query_one(LineInput).placeholder.startswith("session open   ")
        await seen.type("session open", "enter")
        hint = seen.app.query_one(LineInput).placeholder
        assert hint.startswith(line) and hint.endswith("? help   F3: sheet   Tab: turns") and len(hint) <= 75
        await seen.press("tab")
        assert "Enter: about it" in seen.app.query_one(LineInput).placeholder
        await seen.press("enter")
        assert seen.of("preview") == "Press w, u, a, m or n to answer, or Esc to cancel."
        await seen.press("escape")
        assert seen.app.query_one(LineInput).placeholder == hint

    Table(shell, (80, 24)).play(look)


def test_an_empty_line_proposes_an_attack_while_there_are_foes(shell: Shell) -> None:
    shell.do(
        "new Road --rules deckahedron", "session open", "deckahedron enrol Wren --str 2 --dex 3 --int 3",
    )  # fmt: skip

    async def look(seen: Seen) -> None:
        line = seen.app.query_one(LineInput)
        assert line.placeholder.startswith("f wren dex climb the old watchtower")
        await seen.type("enrol Tobin 3 2 1", "enter")
        await seen.type('foe "grey wolf" 9', "enter")
        assert line.placeholder.startswith('attack Wren "grey wolf"')
        await seen.type("ls wren 1", "enter")
        assert line.placeholder.startswith('attack Tobin "grey wolf"'), "whoever comes next"

    Table(shell, (80, 24)).play(look)


def test_an_empty_line_proposes_blows_of_both_sides_while_foes_are_enrolled(table: Table) -> None:
    async def look(seen: Seen) -> None:
        line = seen.app.query_one(LineInput)
        for typed in ("session open", 'enrol "Ghoul 1" foe 5'):
            await seen.type(typed, "enter")
        assert line.placeholder.startswith('d "Ghoul 1" 3 Brog')
        await seen.type('d "Ghoul 1" 1 brog', "enter")
        assert " 3 Ghoul 1" in line.placeholder, "the other side strikes back"
        await seen.type('d "Ghoul 1" 4 brog', "enter")
        assert "Ghoul" not in line.placeholder

    table.play(look)


def test_the_example_is_another_verb_that_the_rules_allow_now(table: Table) -> None:
    async def look(seen: Seen) -> None:
        line = seen.app.query_one(LineInput)
        await seen.type("session open", "enter")
        await seen.type("d brog 4", "enter")
        assert line.placeholder.startswith("rest brog 64")
        await seen.type("rest brog 64", "enter")
        assert not line.placeholder.startswith("rest")

    table.play(look)


def test_f3_shows_whose_turn_it_is_and_then_the_next_sheet_over_a_question_too(table: Table) -> None:
    async def look(seen: Seen) -> None:
        await seen.press("f3")
        assert "Brog" in seen.answer and "Ségolène" not in seen.answer
        await seen.press("f3")
        assert "Ségolène" in seen.answer and "Brog" not in seen.answer
        seen.fits()
        await seen.press("f3", "escape")
        assert seen.answer == ""
        for line in ("d brog 4", "d seg 2", "T4 amount=3"):
            await seen.type(line, "enter")
        changes = seen.answer
        await seen.press("f3")
        assert "hit points" in seen.answer and seen.of("preview").startswith("Press y or n to answer")
        await seen.press("escape")
        assert seen.answer == changes and seen.app.choices is not None
        await seen.press("escape", "pageup", "f3")
        assert "as of T1" in seen.of("state") and seen.app.question.endswith("--at T1")

    table.play(look)


def test_the_state_takes_one_row_at_the_cost_of_the_session(shell: Shell) -> None:
    shell.do("new 'The long stair' --rules gloomhaven", "session open")
    shell.do(
        "enrol Brann brute player Ines", "enrol Ysa spellweaver player Marek", "begin-scenario The gate", "begin-round"
    )

    async def look(seen: Seen) -> None:
        assert seen.of("state") == "round 1, selection  scenario The gate  · The long stair · T6 · session 1"
        await seen.type("s brann 1 2", "enter")
        assert seen.of("state").splitlines() == [
            "Ines has chosen, 1 of 2  round 1, selection  scenario The gate  · The long stair · T7"
        ]

    Table(shell, (90, 24)).play(look)


def test_turns_that_are_not_loaded_are_when_one_looks_back_to_them(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.table.chronicle.LOADED", 40)
    table.shell.run("play", stdin="".join(f"n {at}\n" for at in range(97))).ok()

    async def back(seen: Seen) -> None:
        assert len(seen.turns) == 40 and seen.chronicle[-1].endswith("Note: 96")
        while seen.app.point != 1:
            await seen.press("pageup")
        assert seen.chronicle[0].startswith("T1 ") and len(seen.turns) <= 40
        assert seen.app.query_one(Chronicle).highlighted == 0 and "as of T1" in seen.of("state")
        table.shell.do("note meanwhile")
        seen.app.look_for_others()
        assert seen.app.point == 1 and seen.chronicle[0].startswith("T1 "), "others do not turn the page"
        await seen.press("escape")
        assert seen.chronicle[-1].endswith("Note: meanwhile") and len(seen.turns) == 40

    table.play(back)


def test_a_key_that_answers_nothing_is_told_those_that_do(table: Table) -> None:
    async def ask(seen: Seen) -> None:
        await seen.type("d brog 20", "enter")
        await seen.type("saves brog 1 40", "enter")
        await seen.type("fate brog", "enter")
        assert seen.of("preview") == "Press 1 or 2 to answer, or Esc to cancel."
        await seen.press("q")
        assert seen.of("preview") == '"q" is not an answer: press 1 or 2, or keep typing to write a line.'
        await seen.press("enter")
        sentence = '"q" is not an answer: press 1 or 2. For another line, press Esc first.'
        assert seen.of("preview") == sentence, "the question stays open"
        await seen.press("escape")
        assert seen.line == "fate brog" and seen.of("waiting").startswith("Brog:")
        await seen.press("n", "space", "x")
        assert seen.line == "n x", "the line whose question was left gives way"
        await seen.press("escape")
        await seen.type("fate brog", "enter")
        before = len(seen.turns)
        await seen.press(*"amend", "space", "2")
        assert seen.line == "amend 2" and len(seen.turns) == before, "who types past a question answers nothing"
        assert seen.answer == ("Left unanswered, nothing was recorded: fate brog"), "and is told so"
        await seen.press("escape", "escape")
        await seen.type("fate brog", "enter")
        await seen.press(*"clean", "enter")
        assert '"clean" is not an answer: press 1 or 2. For another line, press Esc first.' in seen.of("preview")
        await seen.press(*"session", "space", *"close")
        assert seen.line == "session close", "what is no answer runs into no later line"
        await seen.press("escape", "escape")
        await seen.type("fate brog", "enter")
        await seen.press(*"T2", "space", *"level=3")
        assert seen.line == "T2 level=3" and len(seen.turns) == before, "nor is a number behind a letter an answer"
        await seen.press("escape", "escape")
        await seen.type("fate brog", "enter")
        await seen.press("q", "x", "backspace", "backspace", "1")
        assert "dies" in seen.chronicle[-1]

    table.play(ask)


def test_an_answer_of_several_words_is_an_answer_and_no_line(table: Table) -> None:
    async def ask(seen: Seen) -> None:
        for line in ("d brog 20", "saves brog 1 40"):
            await seen.type(line, "enter")
        await seen.type("fate brog", "enter")
        await seen.press(*"a major wound")
        assert seen.of("preview").startswith("2: major wound. Enter takes this answer")
        await seen.press("backspace", "x")
        assert seen.line == "a major wounx", "what no answer goes on with is a line"

    table.play(ask)


def test_a_word_that_is_no_answer_is_kept_to_be_mended_or_made_a_line(table: Table) -> None:
    async def ask(seen: Seen) -> None:
        for line in ("d brog 20", "saves brog 1 40", "fate brog"):
            await seen.type(line, "enter")
        before = len(seen.turns)
        await seen.press(*"notee", "enter", "backspace", "space", *"a potion", "enter")
        assert seen.chronicle[-1].endswith("Note: a potion") and len(seen.turns) == before + 1
        await seen.type("fate brog", "enter")
        await seen.press(*"potion", "enter")
        assert '"potion" is not an answer' in seen.of("preview")
        await seen.press(*"dea")
        assert seen.of("preview") == "1: death. Enter takes this answer; if you type on, it becomes a line."
        await seen.press("backspace", "backspace", "backspace", *"potion", "enter", "1")
        assert "dies" in seen.chronicle[-1], "the keys that answer still do"

    table.play(ask)


def test_the_beginning_of_an_answer_is_that_answer(table: Table) -> None:
    async def ask(seen: Seen) -> None:
        for line in ("d brog 4", "d seg 2", "T4 amount=3"):
            await seen.type(line, "enter")
        assert seen.of("preview").startswith("Press y or n to answer")
        await seen.pilot.press(*"yes", "enter")
        assert "Amends T4: amount 4 → 3." in seen.chronicle[-1]

    table.play(ask)


def test_what_is_shown_after_a_key_has_no_empty_title(table: Table) -> None:
    async def ask(seen: Seen) -> None:
        await seen.type("d brog 4", "enter")
        await seen.press("tab", "enter", "u")
        assert seen.answer and seen.app.query_one("#answer").border_title == "Esc: close"

    table.play(ask)


def test_what_was_left_open_is_said_with_the_answer_to_the_line_typed_over_it(table: Table) -> None:
    left = "Left unanswered, nothing was recorded: fate brog"

    async def ask(seen: Seen) -> None:
        for line in ("d brog 20", "saves brog 1 40", "fate brog"):
            await seen.type(line, "enter")
        await seen.press(*"damage", "space", *"seg", "space", *"xx", "enter")
        assert seen.answer == left, "beside a refusal"
        await seen.type("d seg 2", "enter")
        assert "Ségolène" in seen.chronicle[-1]
        assert seen.answer == "", "once, and not beside what comes of a later line"
        await seen.press("up")
        assert seen.line == "fate brog"
        await seen.press("enter")
        assert "Left unanswered" not in seen.everything(), "the question is open again"
        await seen.press("n", "space", "x", "escape", "escape")
        await seen.type("n rain", "enter")
        assert "rain" in seen.chronicle[-1]
        assert "Left unanswered" not in seen.everything(), "Esc puts it away"

    table.play(ask)


def test_questions_that_were_left_take_a_row_each_and_the_older_ones_are_counted(table: Table) -> None:
    async def ask(seen: Seen) -> None:
        for line in ("d brog 4", "d seg 2", "T4 amount=1"):
            await seen.type(line, "enter")
        for amount in "2356":
            await seen.press(*"T4", "space", *f"amount={amount}", "enter")
        await seen.press("d", "space")
        rows = [f"Left unanswered, nothing was recorded: T4 amount={amount}" for amount in (3, 5, 6)]
        assert seen.answer == "\n".join([*rows, "and 2 more before"])
        assert str(seen.app.query_one("#answer").border_title).startswith("left open, Up brings the line back")
        seen.fits()

    table.play(ask)


def test_a_line_typed_over_a_confirmation_is_whole_and_the_digits_live_on_after_a_refusal(table: Table) -> None:
    async def ask(seen: Seen) -> None:
        for line in ("d brog 20", "saves brog 1 40", "d seg 2", "T4 amount=19"):
            await seen.type(line, "enter")
        before = len(seen.turns)
        assert seen.of("preview").startswith("Press y or n to answer")
        await seen.press("m", "y")
        assert len(seen.turns) == before, "a y behind another letter is no yes"
        await seen.press("enter", *"undo", "space", *"T6")
        assert seen.line == "undo T6"
        assert seen.answer == "Left unanswered, nothing was recorded: T4 amount=19"
        await seen.press("escape", "escape")
        await seen.type("d nobody 3", "enter")
        assert "no character 'nobody'" in seen.of("preview")
        await seen.press("1")
        assert seen.of("preview").startswith("death: Brog dies")
        await seen.press("enter")
        assert "dies" in seen.chronicle[-1]

    table.play(ask)


def test_a_line_whose_first_letter_is_an_answer_is_a_line(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(seen: Seen) -> None:
        monkeypatch.setattr("cli.table.app.HELD", 60)  # nobody types as slowly as that
        for line in ("d brog 4", "d seg 2"):
            await seen.type(line, "enter")
        before = len(seen.turns)
        await seen.type("T4 amount=3", "enter")
        assert seen.of("preview").startswith("Press y or n to answer")
        await seen.pilot.press("y")
        assert seen.of("preview") == "y: yes. Enter takes this answer; if you type on, it becomes a line."
        await seen.pilot.press(*"ara", "space", *"takes", "space", "3")
        assert (seen.line, len(seen.turns)) == ("yara takes 3", before), "it is no yes"
        assert seen.answer == "Left unanswered, nothing was recorded: T4 amount=3"
        await seen.press("escape", "escape")
        await seen.type("T4 amount=3", "enter")
        await seen.pilot.press("y", "enter")
        assert "Amends T4: amount 4 → 3." in seen.chronicle[-1], "a yes with Enter is one"

    table.play(ask)


def test_a_line_whose_first_digit_is_an_answer_is_a_line(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(seen: Seen) -> None:
        monkeypatch.setattr("cli.table.app.HELD", 60)  # nobody types as slowly as that
        for line in ("d brog 20", "saves brog 1 40", "fate brog"):
            await seen.type(line, "enter")
        before = len(seen.turns)
        await seen.pilot.press("2")
        assert seen.of("preview") == "2: major wound. Enter takes this answer; if you type on, it becomes a line."
        await seen.pilot.press("space", *"damage")
        assert (seen.line, len(seen.turns), seen.app.choices) == ("2 damage", before, None), "it is no answer"
        assert seen.answer.startswith("Left unanswered, nothing was recorded")
        await seen.press("escape", "escape")
        await seen.type("fate brog", "enter")
        await seen.pilot.press(*"2d6")
        assert seen.of("preview").startswith('"2d6" is not an answer') and len(seen.turns) == before
        await seen.pilot.press("ctrl+u", "1", "backspace")
        assert seen.of("preview") == "Press 1 or 2 to answer, or Esc to cancel.", "an answer can be taken back"
        await seen.pilot.press("1", "enter")
        assert "dies" in seen.chronicle[-1]

    table.play(ask)


@pytest.mark.parametrize(
    ("lines", "key", "comes"),
    [
        (("d brog 4", "d seg 2", "T4 amount=3"), "y", "Amends T4"),
        (("d brog 20", "saves brog 1 40", "fate brog"), "1", "dies"),
    ],
    ids=["a letter", "a digit"],
)
def test_a_key_answers_when_nothing_is_typed_behind_it(
    table: Table, lines: Sequence[str], key: str, comes: str
) -> None:
    async def ask(seen: Seen) -> None:
        for line in lines:
            await seen.type(line, "enter")
        await seen.press(key)
        assert comes in seen.chronicle[-1]

    table.play(ask)


def test_enter_right_behind_a_key_that_answered_does_nothing(table: Table) -> None:
    async def ask(seen: Seen) -> None:
        await seen.type("d brog 4", "enter")
        await seen.press("tab", "enter", "m")
        assert seen.line == "T4 --after T"
        seen.app.enter_is_late_until = monotonic() + 60
        await seen.press("enter")
        assert seen.line == "T4 --after T" and seen.of("ways") != GIVES_WAY, "it was meant for the m"
        await seen.press("enter")
        assert seen.of("ways") == GIVES_WAY, "and the next one is its own"

    table.play(ask)


def test_reading_works_over_an_open_question_and_comes_back_to_it(table: Table) -> None:
    async def ask(seen: Seen) -> None:
        for line in ("d brog 4", "d seg 2", "T4 amount=3"):
            await seen.type(line, "enter")
        changes, before = seen.answer, len(seen.turns)
        assert "now: Brog is hit for 3" in changes
        for line, sentence in (
            ("why brog", "Brog.hp"),
            ("status", "hit points"),
            ("T4", "Brog is hit for 4"),
            ("log", "T4"),
        ):
            keys = ["space" if key == " " else key for key in line]
            await seen.press(*keys)
            assert seen.of("preview") == f"Enter reads {line}; the question stays open."
            await seen.press("enter")
            assert sentence in seen.answer and seen.of("preview").startswith("Press y or n to answer"), line
            assert "Do this?" in seen.of("waiting")
        await seen.press("escape")
        assert seen.answer == changes, "what it would change is there again"
        await seen.press("u")
        assert " ".join(seen.of("preview").split()).startswith(
            "First this question: T4 amount=3 (Esc cancels it; nothing is recorded). Press y or n to answer."
        )
        await seen.press("enter")
        assert len(seen.turns) == before and seen.app.choices is not None
        await seen.press(*"undo", "space", *"that", "enter")
        assert "First this question" in seen.of("preview")
        assert len(seen.turns) == before and seen.app.choices is not None
        await seen.press("escape")
        await seen.type("T4 amount=3")
        await seen.press("enter")
        await seen.press("y")
        assert "Amends T4" in seen.chronicle[-1]

    table.play(ask)


def test_a_long_reading_has_nearly_the_whole_screen_and_gives_it_back(table: Table) -> None:
    table.shell.do(*(f"enrol Extra{number} 5" for number in range(5)), *(f"note page {at}" for at in range(30)))

    async def read(seen: Seen) -> None:
        party = seen.app.query_one("#party").size.height
        await seen.type("log", "enter")
        rows = seen.app.size.height
        assert seen.app.query_one("#answer").size.height >= min(rows - 9, len(seen.answer.splitlines()))
        assert 2 <= seen.app.query_one("#party").size.height <= party
        seen.fits()
        await seen.press("escape")
        assert seen.app.query_one("#party").size.height == party

    table.play(read)


def test_ctrl_u_at_a_question_drops_what_was_typed_past_it_and_stays_out_of_the_next_line(table: Table) -> None:
    async def ask(seen: Seen) -> None:
        for line in ("d brog 20", "saves brog 1 40", "fate brog"):
            await seen.type(line, "enter")
        for key, character in (("q", "q"), ("ctrl+u", "\x15"), ("n", "n"), ("space", " "), ("x", "x")):
            seen.app.post_message(Key(key, character))
        await seen.press()
        assert seen.line == "n x"
        await seen.type("fate brog", "enter")
        seen.app.post_message(Key("ctrl+u", "\x15"))
        await seen.press("1")
        assert "dies" in seen.chronicle[-1] and seen.line == ""
        await seen.press(*"dark"[:1], "space", *"seg", "space", "1", "enter")
        assert seen.chronicle[-1].startswith("T7 ") and "Ségolène is hit for 1" in seen.chronicle[-1]

    table.play(ask)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("12", "1 or 2"),
        ("yn", "y or n"),
        ("123", "1 to 3"),
        ("1234567890", "1 to 9 or 0"),
        ("1234567890ab", "1 to 9, 0, a or b"),
    ],
)
def test_keys_are_told_in_few_words(keys: str, words: str) -> None:
    assert keys_in_words(keys) == words


def test_what_is_typed_while_looking_back_is_told_late(table: Table) -> None:
    async def late(seen: Seen) -> None:
        await seen.type("d brog 4", "enter")
        await seen.type("rest brog 11", "enter")
        await seen.press("pageup", "down", "down", "down")
        assert "as of T4" in seen.of("state")
        await seen.type("n it was dark")
        assert seen.of("preview").startswith("late entry, after T4: ")
        await seen.press("enter")
        assert seen.chronicle[-1] == "T6,  late entry, after T4 Note: it was dark"

    table.play(late)
    assert table.shell.turns()[-1]["place"] == 4


def test_lines_typed_before_come_back(table: Table) -> None:
    async def again(seen: Seen) -> None:
        await seen.type("d brog 1", "enter")
        await seen.type("d brog 2", "enter")
        await seen.press("up")
        assert seen.line == "d brog 2"
        await seen.press("up", "down")
        assert seen.line == "d brog 2"

    table.play(again)


def test_enter_on_a_turn_asks_what_to_do_about_it(table: Table) -> None:
    async def menu(seen: Seen) -> None:
        await seen.type("d brog 4", "enter")
        await seen.press("tab", "enter")
        assert "T4:" in seen.of("waiting")
        for way in ("[w] why", "[u] undo", "[a] amend", "[m] move", "[n] note"):
            assert way in seen.of("waiting")
        await seen.press("escape")
        assert seen.of("waiting") == ""

    table.play(menu)
    assert len(table.shell.turns()) == 4


@pytest.mark.parametrize(
    ("key", "begins", "typed", "sentence"),
    [
        ("a", "T4 ", "amount=2", "Amends T4: amount 4 → 2."),
        ("m", "T4 --after T", "2", "Amends T4."),
        ("n", "note turn=T4 ", "it was dark", "Note on T4: it was dark"),
    ],
)
def test_a_turn_is_amended_moved_and_noted_from_its_menu(
    table: Table, key: str, begins: str, typed: str, sentence: str
) -> None:
    async def change(seen: Seen) -> None:
        await seen.type("d brog 4", "enter")
        await seen.press("tab", "enter", key)
        assert seen.line == begins
        await seen.type(begins + typed, "enter")
        if seen.app.choices is not None:
            assert seen.app.choices.why == "Do this?"
            await seen.press("y")
        assert sentence in " ".join(seen.chronicle)

    table.play(change)
    assert len(table.shell.turns()) == 5


def test_a_turn_is_taken_back_and_let_stand_again_from_its_menu_when_it_was_seen_what_that_does(table: Table) -> None:
    async def back(seen: Seen) -> None:
        await seen.type("d brog 4", "enter")
        await seen.type("n dark", "enter")
        await seen.press("tab", "up", "enter", "u")
        assert "undone: Brog is hit for 4" in seen.answer
        assert "Do this?" in seen.of("waiting")
        await seen.press("n")
        assert seen.answer == "" and seen.of("preview") == "Nothing was done."
        assert "11/12" not in seen.of("party-lines")
        await seen.press("tab", "enter", "u", "y")
        assert "11/12" in seen.of("party-lines") and seen.app.table.log.last() == 6
        await seen.press("tab", "up", "up", "enter")
        assert "[u] restore" in seen.of("waiting")
        await seen.press("u", "y")
        assert "7/12" in seen.of("party-lines")

    table.play(back)


def test_why_tells_the_turn_whole(table: Table) -> None:
    async def why(seen: Seen) -> None:
        await seen.type("d brog 4", "enter")
        await seen.press("tab", "enter", "w")
        assert "OSR 6.6" in seen.answer

    table.play(why)


def test_the_sheets_follow_the_turn_that_one_is_at(table: Table) -> None:
    async def follow(seen: Seen) -> None:
        await seen.type("d brog 4", "enter")
        await seen.press("tab", "up")
        assert "as of T3" in seen.of("state") and "11/12" in seen.of("party-lines")
        await seen.press("d", "space", "s", "e", "g", "space", "1")
        assert seen.line == "d seg 1" and seen.of("preview").startswith("late entry, after T3: ")
        await seen.press("escape", "escape")
        assert "7/12" in seen.of("party-lines")

    table.play(follow)


def test_the_wheel_over_the_chronicle_moves_the_point(table: Table) -> None:
    async def turn(seen: Seen) -> None:
        await seen.type("d brog 4", "enter")
        listed = seen.app.query_one(Chronicle)
        await seen.wheel(listed, MouseScrollUp)
        assert "as of T3" in seen.of("state")
        await seen.wheel(listed, MouseScrollDown)
        assert "as of" not in seen.of("state")

    table.play(turn)


def test_turns_told_elsewhere_appear(table: Table) -> None:
    async def elsewhere(seen: Seen) -> None:
        table.shell.do("osr damage brog 4")
        seen.app.look_for_others()
        await seen.press()
        assert seen.chronicle[-1] == "T4  Brog is hit for 4 and has 7 hit points left."
        assert "7/12" in seen.of("party-lines")

    table.play(elsewhere)


def test_an_answer_stands_apart_from_the_turns_and_goes_away(table: Table) -> None:
    async def ask(seen: Seen) -> None:
        await seen.type("why brog", "enter")
        assert "since T2." in seen.answer and len(seen.chronicle) == 3
        assert str(seen.app.query_one("#answer").border_title).startswith("why brog · ")
        await seen.press("escape")
        assert seen.answer == ""
        await seen.type("help", "enter")
        assert seen.answer.startswith("A line is a verb")
        seen.fits()
        answer = seen.app.query_one("#answer")
        await seen.press("pagedown")
        assert answer.scroll_y > 0 and seen.app.point is None, "a page of what is read, and not of the chronicle"
        await seen.type("n dark")
        assert seen.answer, "it can be read while the next line is typed"
        await seen.press("enter")
        assert seen.answer == "" and "Note: dark" in seen.chronicle[-1]
        assert seen.app.query_one(Chronicle).size.height >= 3

    table.play(ask)


def test_an_answer_is_broken_and_indented_for_the_window_also_when_that_changes(table: Table) -> None:
    table.shell.do(f"note {'dark ' * 40}")

    async def ask(seen: Seen) -> None:
        await seen.type("log", "enter")
        for columns in (table.size[0], 60):
            await seen.pilot.resize_terminal(columns, 24)
            await seen.press()
            assert max(map(len, seen.answer.splitlines())) <= columns - 3
            assert sum(row.startswith("    dark") for row in seen.answer.splitlines()) >= 1
            seen.fits()

    table.play(ask)


def test_ctrl_d_and_quit_leave(table: Table) -> None:
    async def leave(seen: Seen) -> None:
        await seen.type("quit", "enter")
        assert seen.app.return_value == 0

    table.play(leave)


def test_where_the_log_cannot_be_read_it_is_said_and_the_evening_goes_on(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = Unopenable("The server club cannot be reached: nothing answers there.", 6)

    async def lose(seen: Seen) -> None:
        await seen.type("d brog 1")
        with monkeypatch.context() as away:
            away.setattr(CampaignFile, "ask", Mock(side_effect=gone))
            seen.app.look_for_others()
            assert seen.of("preview") == gone.reason
            await seen.press("0", "tab", "backspace", "enter", "pageup")
            assert seen.of("preview") == gone.reason
            assert seen.line == "d brog 1"
        seen.app.look_for_others()
        assert seen.of("preview") == "Brog is hit for 1 and has 10 hit points left."
        await seen.press("enter")
        assert seen.chronicle[-1] == "T4  Brog is hit for 1 and has 10 hit points left."

    table.play(lose)
