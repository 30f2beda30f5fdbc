"""The screen of the table: what is in sight, what typing shows, and what the guide is told of; in two sizes."""

import re

import pytest
from textual.events import Key, MouseScrollDown, MouseScrollUp, Paste

from cli.store.failures import Unopenable
from cli.store.file import CampaignFile
from cli.table.chronicle import Chronicle
from cli.table.replies import keys_in_words
from cli.table.screen import PlayApp
from cli.table.widgets import LineInput
from tests.kit.shell import Shell, shell_after
from tests.table.seen import SIZES, Seen, Table

crawl = shell_after("new Crawl --rules osr", "osr enrol Brog --level 2 --rolled 5,6", "osr enrol Ségolène --rolled 3")


@pytest.fixture
def table(crawl: Shell) -> Table:
    return Table(crawl, SIZES[0])


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_everything_is_in_its_place_while_a_line_is_typed_and_done(crawl: Shell, size: tuple[int, int]) -> None:
    async def look(seen: Seen) -> None:
        party = seen.of("party-lines")
        assert "Brog" in party and "11/12" in party and "Ségolène" in party
        assert "Crawl · T3" in seen.of("state")
        assert seen.chronicle[-1] == "T3  Ségolène joins at level 1, rolls 3 and has 3 hit points."
        assert seen.of("bar").startswith("Enter lists what can be done")
        seen.fits()
        await seen.press(*"d ")
        assert seen.of("slots").startswith("damage ‹who› ‹amount›")
        assert [row.split()[0] for row in seen.of("list").splitlines()][:2] == ["Brog", "Ségolène"]
        seen.fits()
        await seen.press("tab")
        assert seen.of("list").startswith("▸ Brog") and seen.of("bar").startswith("Enter or Space takes")
        await seen.press("space", *f"2 {'a rat of the many rats in this barrow ' * 4}".strip())
        whole = " ".join([*seen.of("preview").split(), *seen.of("list").split()])
        assert whole.startswith("Brog is hit for 2") and "hit points left." in whole, "where no candidates stand"
        await seen.press("ctrl+u", *"d Brog 2 a rat")
        assert seen.line == "d Brog 2 a rat"
        assert seen.of("preview") == "Brog is hit for 2 by a rat and has 9 hit points left."
        assert len(seen.chronicle) == 3
        seen.fits()
        await seen.press("enter")
        assert seen.chronicle[-1] == "T4  Brog is hit for 2 by a rat and has 9 hit points left."
        assert "▸ Brog" in seen.of("party-lines") and "▸ Ségolène" not in seen.of("party-lines")
        assert seen.line == ""
        seen.fits()

    Table(crawl, size).play(look)
    assert crawl.turns()[-1]["action"]["amount"] == 2


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_palette_and_what_it_asks_for_fit_the_screen(crawl: Shell, size: tuple[int, int]) -> None:
    async def look(seen: Seen) -> None:
        await seen.press("enter")
        rows = seen.of("list").splitlines()
        assert len(rows) == 8 and rows[-1].endswith("more") and rows[0].startswith("▸ ")
        seen.fits()
        await seen.press("up")
        assert "Enter takes" in seen.of("bar") and "more" not in seen.of("list"), "from the first to the last"
        await seen.press("escape", *"dam", "enter")
        assert seen.of("preview") == "who: who is hit" and "‹who›" in seen.of("slots")
        seen.fits()
        await seen.press("enter", *"3", "enter")
        assert seen.chronicle[-1].startswith("T4  Brog is hit for 3")
        seen.fits()

    Table(crawl, size).play(look)


def test_keys_that_come_faster_than_they_are_drawn_are_done_in_their_order(table: Table) -> None:
    async def fast(seen: Seen) -> None:
        for _ in range(5):
            seen.strike(*"d brog 1\n")
        await seen.press()
        assert seen.line == "" and len(seen.chronicle) == 8

    table.play(fast)
    assert [turn["action"]["amount"] for turn in table.shell.turns()[3:]] == [1] * 5


def test_what_was_not_saved_says_so_however_fast_the_keys_came(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    async def locked(seen: Seen) -> None:
        handler = seen.app.table.handler

        def refuse(*_: object, **__: object) -> None:
            raise Unopenable("Another program is writing.", 5)

        with monkeypatch.context() as patch:
            patch.setattr(handler, "handle", refuse)
            seen.strike(*"d b 1 x\n")
            await seen.press()
        assert "Another program is writing." in seen.of("preview") and seen.line == "d b 1 x"
        assert "type to replace the line" in seen.of("bar")
        await seen.press("space")
        assert seen.of("preview") == "Brog is hit for 1 (x) and has 10 hit points left."

    table.play(locked)


def test_esc_and_a_letter_that_come_at_once_are_both_read(table: Table) -> None:
    async def clear(seen: Seen) -> None:
        await seen.type("d brog")
        seen.app.post_message(Key("alt+n", "n"))
        await seen.press()
        assert seen.line == "n"

    table.play(clear)


def test_a_question_stands_in_sight_with_its_keys_and_a_key_answers_it_at_once(table: Table) -> None:
    async def answer(seen: Seen) -> None:
        for line in ("d brog 4", "n dark"):
            await seen.type(line, "enter")
        await seen.type("T4 amount=2", "enter")
        assert "Do this?" in seen.of("waiting") and "[1] yes" in seen.of("waiting")
        assert "now: Brog is hit for 2" in seen.answer or "Brog: hp 7 → 9" in seen.answer
        assert seen.of("preview") == "Press 1 or 2, or Esc to cancel."
        seen.fits()
        await seen.press("7")
        assert seen.of("preview").startswith("That key is no answer.")
        await seen.press("d")
        assert seen.line == "d" and seen.of("preview").startswith("This line waits")
        assert seen.of("bar").startswith("Enter keeps the line for later")
        await seen.press("escape")
        await seen.press("1")
        assert seen.of("waiting") == "" and seen.line == "" and "✎" not in seen.line
        assert "9/12" in seen.of("party-lines")

    table.play(answer)
    assert len(table.shell.turns()) == 6


def test_what_the_table_waits_for_is_in_sight_and_its_digit_picks_it(table: Table) -> None:
    async def pick(seen: Seen) -> None:
        await seen.type("d seg 9", "enter")
        assert "1↵ injury-saves Ségolène" in seen.of("waiting")
        seen.fits()
        await seen.press("1", "enter")
        assert seen.line == "injury-saves Ségolène " and seen.of("preview").startswith("strength: ")
        await seen.press(*"40", "enter")
        seen.fits()

    table.play(pick)


def test_page_up_looks_back_and_what_is_typed_there_is_told_late(table: Table) -> None:
    async def back(seen: Seen) -> None:
        for hit in (1, 2, 3):
            await seen.type(f"d brog {hit}", "enter")
        assert "5/12" in seen.of("party-lines")
        await seen.press("pageup")
        point = seen.app.point
        assert point is not None and f"as of T{point} of T6" in seen.of("state")
        await seen.press("escape")
        assert seen.app.point is None
        await seen.press("pageup", "up")
        await seen.type("n it was dark")
        assert seen.of("preview").startswith("late entry, after T")
        await seen.press("enter")
        assert any("late entry" in row for row in seen.chronicle) and "as of" not in seen.of("state")

    table.play(back)


def test_enter_on_a_turn_opens_its_menu_and_an_undo_is_seen_before_it_is_done(table: Table) -> None:
    async def menu(seen: Seen) -> None:
        await seen.type("d brog 4", "enter")
        await seen.type("n dark", "enter")
        await seen.press("tab", "up", "enter")
        assert seen.of("preview") == "Press 1 to 5, or Esc to cancel."
        seen.fits()
        await seen.press("2")
        assert "undone: Brog is hit for 4" in seen.answer and "Do this?" in seen.of("waiting")
        await seen.press("2")
        assert seen.answer == "Not done: undo T4"
        await seen.press("tab", "enter", "3")
        assert seen.line == "T4 " and "amount=" in seen.of("list")
        await seen.press("escape", "tab", "enter", "2", "1")
        assert "11/12" in seen.of("party-lines") and seen.app.table.log.last() == 6

    table.play(menu)


def test_the_wheel_over_the_chronicle_moves_the_point_and_the_sheets_follow(table: Table) -> None:
    async def turn(seen: Seen) -> None:
        await seen.type("d brog 4", "enter")
        chronicle = seen.app.query_one(Chronicle)
        await seen.wheel(chronicle, MouseScrollUp)
        assert "as of T3 of T4" in seen.of("state") and "11/12" in seen.of("party-lines")
        await seen.wheel(chronicle, MouseScrollDown)
        assert "as of" not in seen.of("state") and "7/12" in seen.of("party-lines")

    table.play(turn)


def test_turns_that_are_not_loaded_are_when_one_looks_back_to_them(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.table.chronicle.LOADED", 4)
    table.shell.do(*(f"n {at}" for at in range(9)))

    async def back(seen: Seen) -> None:
        assert len(seen.chronicle) == 4
        for _ in range(9):
            await seen.press("up" if seen.app.point is not None else "pageup")
        assert seen.app.point is not None and any(row.startswith(f"T{seen.app.point} ") for row in seen.chronicle)
        await seen.press("escape")
        assert seen.chronicle[-1].startswith("T12")

    table.play(back)


def test_an_answer_is_read_apart_from_the_turns_and_follows_the_window(table: Table) -> None:
    async def read(seen: Seen) -> None:
        await seen.type("help", "enter")
        assert "help VERB explains one" in seen.answer and seen.line == ""
        assert "Esc closes" in seen.of("bar") and "PgUp PgDn scroll" in seen.of("bar")
        seen.fits()
        before = seen.answer
        await seen.pilot.resize_terminal(60, 24)
        await seen.press()
        assert seen.answer != before and seen.answer.split() == before.split()
        seen.fits()
        await seen.press("escape")
        assert seen.answer == ""

    table.play(read)


def test_turns_told_elsewhere_appear(table: Table) -> None:
    async def wait(seen: Seen) -> None:
        await seen.press(*"d b")
        table.shell.do("osr damage Brog 3 --by Mia")
        seen.app.look_for_others()
        await seen.press()
        assert seen.chronicle[-1] == "T4  Brog is hit for 3 and has 8 hit points left. (Mia)"
        assert seen.line == "d b", "what is typed stays"

    table.play(wait)


def test_pasted_lines_are_done_one_after_the_other(table: Table) -> None:
    async def paste(seen: Seen) -> None:
        line = seen.app.query_one(LineInput)
        line.post_message(Paste("d brog 1\nd brog 2\nd seg"))
        await seen.press()
        assert len(seen.chronicle) == 5 and seen.line == "d seg"

    table.play(paste)


def test_what_f2_hides_is_shown_as_dots(table: Table) -> None:
    async def hide(seen: Seen) -> None:
        await seen.press(*"n a secret", "f2")
        assert (seen.of("preview"), seen.of("slots"), seen.of("list")) == (
            "What you type is hidden; F2 shows it.",
            "",
            "",
        )
        assert seen.line_as_shown == "•" * len("n a secret")
        await seen.press("f2")
        assert seen.line_as_shown == "n a secret"

    table.play(hide)


def test_ctrl_d_and_quit_leave(table: Table) -> None:
    async def leave(seen: Seen) -> None:
        await seen.press("ctrl+d")
        assert not seen.app.is_running

    async def leave_by_line(seen: Seen) -> None:
        await seen.type("quit", "enter")
        assert not seen.app.is_running

    table.play(leave)
    table.play(leave_by_line)


def test_the_seal_of_a_session_stays_in_sight_with_what_it_is_for_until_the_log_goes_on(table: Table) -> None:
    async def close(seen: Seen) -> None:
        await seen.type("session open", "enter")
        await seen.type("session close all asleep", "enter")
        for keys in ([], ["x", "backspace"], ["question_mark", "escape"]):
            await seen.press(*keys)
            said = " ".join(seen.of("waiting").split())
            assert re.match(r"The session is sealed: T5( \w{4}|-\w{4})+\. Write that down", said), keys
        assert "Seal" not in seen.of("preview"), "said once"

    async def go_on(seen: Seen) -> None:
        assert seen.of("waiting").startswith("The session is sealed: T5"), "the next day too"
        await seen.type("session open", "enter")
        assert "sealed" not in seen.everything()

    table.play(close)
    table.play(go_on)


def test_where_the_log_cannot_be_read_it_is_said_and_the_evening_goes_on(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise Unopenable("It is gone.", 5)

    async def read(seen: Seen) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(CampaignFile, "last", gone)
            seen.app.look_for_others()
            await seen.press(*"d b")
            assert "It is gone." in seen.of("preview")
        seen.app.look_for_others()
        await seen.type("d brog 4", "enter")
        assert seen.chronicle[-1].startswith("T4  Brog is hit for 4")

    table.play(read)


def test_a_look_for_others_while_the_table_closes_is_none(table: Table) -> None:
    closed: list[PlayApp] = []

    async def close(seen: Seen) -> None:
        closed.append(seen.app)

    table.play(close)
    closed[0].look_for_others()


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("AB", "A or B"),
        ("12", "1 or 2"),
        ("123", "1 to 3"),
        ("1234567890AB", "1 to 9, 0, A or B"),
        ("wuamn", "w, u, a, m or n"),
    ],
)
def test_keys_are_told_in_few_words(keys: str, words: str) -> None:
    assert keys_in_words(list(keys)) == words
