"""The page in a real browser, at the size of a phone and of a desk: taps, lines, the pad, turns as they come."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from cli.serving.invitations import REFEREE
from tests.kit.browsers import (
    CHROMIUM,
    DESK,
    PAPER,
    PHONE,
    broken_words,
    line_on,
    patient,
    seat_at,
    too_wide,
    wait_until_settled,
)
from tests.kit.online import online
from tests.kit.phones import Served
from tests.kit.shell import Shell

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


def fits(page: Any) -> None:
    """Nothing is wider than the screen, and no word is broken, with text of twice the size too.

    What is tapped is large enough for a thumb.
    """
    for size in ("200%", ""):
        page.evaluate("size => { document.documentElement.style.fontSize = size }", size)
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), (page.url, size)
        assert broken_words(page) == [], (page.url, size)
    small = page.evaluate(
        """() => [...document.querySelectorAll('main button, .verb')].filter((each) => each.offsetParent)
        .filter((each) => each.offsetHeight < 40 || each.offsetWidth < 40).map((each) => each.textContent)"""
    )
    assert small == [], page.url


def shot(page: Any, name: str) -> None:
    """A picture to be looked at by eye, where somebody wants them."""
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=str(Path(folder, f"{name}.png")), full_page=True)


LONG = "W" * 60
#: An evening of words that no line can be broken in, and of everything that has a table or a picture.
UNBROKEN = (
    "new Mill --rules osr",
    f"session open {LONG * 3}",
    f"enrol {LONG} --player {LONG} --level 2 --rolled 5,6",
    f"d {LONG} 4 a https://example.invalid/{LONG}",
    f"ruling 6.4 {LONG * 4} --why {LONG * 4} --set keep_higher=true --trial",
    f"paragraph add H1 {LONG * 2} {LONG * 4} --why {LONG}",
    f"paragraph revise H1 --text {LONG * 2} --why {LONG * 2}",
    f"d {LONG} 9",
    f"saves {LONG} 40 40 --wound {LONG * 2} --effect {LONG * 2}",
    f"note {LONG * 4} --rule H1",
    f"session close {LONG * 4}",
)


def test_the_book_and_a_recap_fit_on_paper_and_on_a_phone(browser: Any, shell: Shell) -> None:
    shell.do(*UNBROKEN)
    page = browser.new_context().new_page()
    for command in (("rules", "--book"), ("recap", "S1")):
        page.set_content(shell.run(*command, "-O", "html").ok().out)
        for name, size in {**PAPER, "desk": DESK, "phone": PHONE}.items():
            page.emulate_media(media="print" if name in PAPER else "screen")
            page.set_viewport_size(size)
            assert too_wide(page) == [], (command, name)
            shot(page, f"{command[0]}-{name}")
    # the curves fill a phone: nothing is kept for the names, which stand below
    across = "e => e.getBoundingClientRect().right"
    line, whole = page.locator(".plot .grid").first.evaluate(across), page.locator("h1").evaluate(across)
    assert whole - line < 0.05 * PHONE["width"]


def test_two_phones_and_a_desk(browser: Any, barrow: Served) -> None:
    expect = patient()
    with online(barrow) as address:
        ines, wrong = seat_at(browser, barrow, address, "Ines", PHONE)
        marek, wrong_too = seat_at(browser, barrow, address, "Marek", PHONE, color_scheme="dark")
        desk, wrong_there = seat_at(browser, barrow, address, REFEREE, DESK)
        for page, name in ((ines, "phone"), (marek, "dark"), (desk, "desk")):
            fits(page)
            shot(page, name)
        # the two cards of a round are two taps
        ines.get_by_role("button", name="Select Trample").click()
        ines.get_by_role("button", name=re.compile("^Eye for an Eye")).click()
        expect(ines.locator("#now")).to_contain_text("Brann selects Trample, then Eye for an Eye.")
        # it comes to the others by itself, without the cards
        expect(marek.locator("#now")).to_contain_text("Brann selects two cards.")
        assert "Trample" not in marek.content()
        # a line is looked at while it is typed
        line_on(marek).fill("n <b>The torch</b> gutters")
        expect(marek.locator("#line-form .would")).to_contain_text("<b>The torch</b> gutters")
        marek.keyboard.press("Enter")
        expect(ines.locator("#now")).to_contain_text("<b>The torch</b> gutters")
        expect(line_on(marek)).to_have_value("")
        # a number is tapped, and what it would do is read before
        ines.goto(f"{address}/act/damage")
        ines.locator(".pad").first.get_by_role("button", name="3", exact=True).click()
        fits(ines)
        expect(ines.locator("form.fields .would").first).not_to_be_empty()
        shot(ines, "form")
        ines.get_by_role("button", name=re.compile("^suffer")).click()
        expect(ines.locator("#now")).to_contain_text("Brann suffers 3 damage")
        # the own last line is taken back once it was shown
        ines.get_by_role("button", name="Undo").click()
        expect(ines.locator("dialog")).to_contain_text("undone")
        ines.get_by_role("button", name="Do it").click()
        expect(ines.locator("#now")).to_contain_text("Undoes T")
        for path in ("/log", "/turn/6", "/rule/53", "/rule/78", "/why?of=brann.hp", "/at?turn=5", "/act", "/sheet/ysa"):
            ines.goto(address + path)
            fits(ines)
        desk.goto(f"{address}/seats")
        fits(desk)
        shot(desk, "seats")
        assert wrong + wrong_too + wrong_there == []


def test_what_is_printed_is_the_sheet_without_its_buttons(browser: Any, barrow: Served) -> None:
    with online(barrow) as address:
        page, _ = seat_at(browser, barrow, address, "Ines", PAPER["A4"], color_scheme="dark")
        page.emulate_media(media="print")
        for path in ("/", "/sheet/brann", "/log"):
            page.goto(address + path)
            assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), path
            buttons = "all => all.filter((each) => each.getClientRects().length).map((each) => each.outerHTML)"
            assert page.locator("button, input, .menu, .step, .foot, .skip").evaluate_all(buttons) == [], path
            # dark letters on white paper, whatever the screen is like
            colours = "each => [getComputedStyle(each).color, getComputedStyle(each).backgroundColor]"
            assert page.locator("body").evaluate(colours) == ["rgb(29, 28, 26)", "rgb(255, 255, 255)"], path
        page.goto(f"{address}/sheet/brann")
        # what is folded on the screen is read on paper
        page.evaluate("() => { for (const each of document.querySelectorAll('details')) each.open = false; }")
        assert page.get_by_text("Trample", exact=True).evaluate("each => each.checkVisibility()")
        shot(page, "paper")


def test_a_tap_without_a_connection_is_done_once_when_there_is_one(browser: Any, crypt: Served) -> None:
    expect = patient()
    with online(crypt) as address:
        lost: list[str] = []
        held: list[Any] = []
        holds = False

        def meddle(route: Any) -> None:
            # the first answers get lost on the way back
            if len(lost) < 2:
                lost.append(route.request.url)
                route.fetch()
                route.abort()
            elif holds and not held:
                held.append(route)
            else:
                route.continue_()

        mia, _ = seat_at(browser, crypt, address, "Mia", PHONE, meddle)
        before = crypt.log.last()
        line_on(mia).fill("d brog 4")
        mia.keyboard.press("Enter")
        expect(mia.locator("#now")).to_contain_text("has 7 hit points left.")
        expect(line_on(mia)).to_have_value("")
        assert (len(lost), crypt.log.last()) == (2, before + 1)
        # nobody waits for the table to be fetched; and what is said once more is another turn
        mia.route("**/now", lambda route: None)  # noqa: ARG005
        for _ in range(2):
            line_on(mia).fill("n Rain.")
            mia.keyboard.press("Enter")
            expect(line_on(mia)).to_have_value("")
        assert crypt.log.last() == before + 3
        # what is typed and sent while a line is still on its way is done after it
        holds = True
        for line in ("n Wind.", "n Hail."):
            line_on(mia).fill(line)
            mia.keyboard.press("Enter")
        for _ in range(6_000):
            if held:
                break
            mia.wait_for_timeout(10)
        held[0].continue_()
        expect(line_on(mia)).to_have_value("")
        assert crypt.log.last() == before + 5


def test_what_is_filled_in_is_kept_by_the_tab_alone_and_goes_with_the_seat(browser: Any, crypt: Served) -> None:
    expect = patient()
    with online(crypt) as address:
        mia, wrong = seat_at(browser, crypt, address, "Mia", PHONE)
        line_on(mia).fill("d brog 30")
        mia.keyboard.press("Enter")
        expect(mia.locator("#now")).to_contain_text("Brog is injured")
        wait_until_settled(mia)
        mia.get_by_role("button", name="Injury saves").click()
        # a form that a tap opens has an address, which says whose it is
        mia.wait_for_url(f"{address}/act/injury-saves?for=Brog")
        mia.locator("[name='f.strength']").fill("14")
        mia.reload()
        expect(mia.locator("[name='f.strength']")).to_have_value("14")
        mia.go_back()
        expect(mia.locator("#now")).to_contain_text("Brog is injured")
        mia.go_forward()
        expect(mia.locator("[name='f.strength']")).to_have_value("14")
        assert wrong == []
        crypt.invitations.revoke("Mia")
        crypt.serving.turns.look()
        expect(mia.locator("#standing")).to_contain_text("has no seat any more")
        assert mia.evaluate("() => sessionStorage.length") == 0
        assert "Brog" not in mia.locator("body").inner_text()
