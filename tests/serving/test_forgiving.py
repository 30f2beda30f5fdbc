"""A page that forgives, in a real browser: late taps, how the page stands, figures that are touched, cards as cards."""

import re
import signal
from collections.abc import Callable
from typing import Any

import pytest

from cli.serving.invitations import REFEREE
from tests.campaigns.benchmark_phones import free_port, serving
from tests.kit.browsers import CHROMIUM, DESK, PHONE, patient, seat_at, settled
from tests.kit.online import online
from tests.kit.phones import Served
from tests.kit.shell import Shell

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


def lines(table: Served, shell: Shell, *typed: str) -> None:
    """Somebody says so on the shell."""
    shell.do(*typed)
    table.serving.turns.came(table.log.last())


def middle(button: Any) -> tuple[float, float]:
    box = button.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def kinds(table: Served, after: int) -> list[str]:
    """The actions that were recorded since."""
    return [type(turn.action).__name__ for turn in table.log.read(after=after)]


#: A round up to its end: Brann has two cards discarded and may rest.
TO_THE_END = ("s brann trample eye", "s ysa mana fire", "reveal", "e ysa", "e brann")


def test_a_second_tap_does_not_land_on_what_took_the_first_ones_place(
    browser: Any, barrow: Served, shell: Shell
) -> None:
    lines(barrow, shell, *TO_THE_END)
    expect = patient()
    with online(barrow) as address:
        page, _ = seat_at(browser, barrow, address, REFEREE, PHONE)
        settled(page)
        before = barrow.log.last()
        at = middle(page.get_by_role("button", name="Clean up"))
        page.mouse.click(*at)
        page.wait_for_function("turn => document.getElementById('now').dataset.turn > turn", arg=before)
        # what has come in its place is dimmed, and takes no tap yet
        assert page.locator(".matter .settling").count()
        page.mouse.click(*at)
        page.wait_for_timeout(450)
        page.mouse.click(*at)
        page.keyboard.press("Enter")
        page.wait_for_timeout(100)
        assert kinds(barrow, before) == ["CleanUp"]
        settled(page)
        # and what ends something for everybody asks, naming who has not rested yet
        page.get_by_role("button", name="Begin round").click()
        expect(page.locator(".matter .why").first).to_have_text("Begin round?")
        expect(page.locator("section.matter").first).to_contain_text("may take a short rest before the next round.")
        assert kinds(barrow, before) == ["CleanUp"]
        page.get_by_role("link", name="Not now").click()
        settled(page)
        page.get_by_role("button", name="Begin round").click()
        settled(page)
        page.locator("section.matter").get_by_role("button", name="Begin round").click()
        expect(page.locator("#now")).to_contain_text("Round 2 begins.")


def test_a_part_that_reads_the_same_stays_as_it_is(browser: Any, crypt: Served, shell: Shell) -> None:
    with online(crypt) as address:
        page, _ = seat_at(browser, crypt, address, "Mia", PHONE)
        page.evaluate("() => { document.querySelector('.vital').mine = true; }")
        last = crypt.log.last()
        lines(crypt, shell, "n Rain")
        page.wait_for_function("turn => document.getElementById('now').dataset.turn > turn", arg=last)
        assert page.evaluate("() => document.querySelector('.vital').mine") is True
        assert not page.locator(".vital .settling").count()


@pytest.mark.parametrize(
    ("ends", "says"),
    [
        (lambda process: process.send_signal(signal.SIGINT), "The host stopped the table at"),
        (lambda process: process.kill(), "Offline since"),
    ],
    ids=["Ctrl-C", "kill -9"],
)
def test_an_open_page_says_how_it_stands_and_follows_again(
    browser: Any, shell: Shell, ends: Callable[[Any], None], says: str
) -> None:
    shell.do("new Crypt --rules osr", "osr enrol Brog --player Mia --rolled 5")
    expect, port = patient(), free_port()
    page = browser.new_context(viewport=PHONE).new_page()
    with serving(shell, port) as (process, paths):
        page.goto(f"http://127.0.0.1:{port}{paths['Mia']}")
        page.get_by_role("button", name="Sit down").click()
        expect(page.locator("body")).to_have_attribute("data-standing", "live")
        expect(page.locator("#standing")).to_be_hidden()
        ends(process)
        process.wait()
        expect(page.locator("#standing")).to_contain_text(says)
        # it cannot be overlooked, and what is shown looks old
        assert "grayscale" in page.locator("#now").evaluate("each => getComputedStyle(each).filter")
    with serving(shell, port):
        expect(page.locator("body")).to_have_attribute("data-standing", "live")
        shell.do("note Rain")
        expect(page.locator("#now")).to_contain_text("Rain")
        assert page.locator("#now").evaluate("each => getComputedStyle(each).filter") == "none"


def test_a_seat_that_was_ended_shows_its_hand_no_longer(browser: Any, barrow: Served) -> None:
    expect = patient()
    with online(barrow) as address:
        page, _ = seat_at(browser, barrow, address, "Ines", PHONE)
        expect(page.locator("#now")).to_contain_text("Trample")
        barrow.invitations.end_seat("Ines")
        barrow.serving.turns.look()
        expect(page.locator("#standing")).to_contain_text("This device has no seat any more.")
        assert "Trample" not in page.content()
        assert "Brann" not in page.content()


def test_a_hit_on_oneself_is_two_taps_and_on_three_five(browser: Any, crypt: Served) -> None:
    expect = patient()
    with online(crypt) as address:
        mia, wrong = seat_at(browser, crypt, address, "Mia", PHONE)
        # the own hit points are the largest thing on the page
        sizes = (
            "() => [...document.querySelectorAll('main *')].map((each) => parseFloat(getComputedStyle(each).fontSize))"
        )
        own = mia.locator(".vital b").evaluate("each => parseFloat(getComputedStyle(each).fontSize)")
        assert max(mia.evaluate(sizes)) == own
        mia.get_by_role("link", name="Hit: Brog").first.click()
        # what it comes to is read before it is done
        mia.locator("dialog").get_by_role("button", name="Brog is hit for 4 and has 7 hit points left.").click()
        expect(mia.locator(".vital b")).to_have_text("7")
        desk, wrong_there = seat_at(browser, crypt, address, REFEREE, DESK)
        before = crypt.log.last()
        desk.get_by_role("link", name="Hit: Brog").first.click()
        for name in ("Ada", "Pim"):
            desk.locator("dialog").get_by_role("link", name=name).click()
            expect(desk.locator("dialog h1")).to_contain_text(name)
        desk.locator("dialog").get_by_role("button", name="2", exact=True).click()
        expect(desk.locator("dialog .sentence")).to_contain_text("Ada is hit for 2")
        desk.locator("dialog").get_by_role("button", name="Do it").click()
        expect(desk.locator("#now")).to_contain_text("Pim is hit for 2")
        assert kinds(crypt, before) == ["Damage"] * 3
        assert wrong + wrong_there == []


def test_what_is_tracked_has_a_minus_and_a_plus(browser: Any, crypt: Served, shell: Shell) -> None:
    lines(crypt, shell, "track brog gold 15")
    expect = patient()
    with online(crypt) as address:
        page, _ = seat_at(browser, crypt, address, "Mia", PHONE)
        page.get_by_role("link", name=re.compile("More gold: Brog|: Brog, gold")).last.click()
        page.locator("dialog").get_by_role("button", name="15 -> 20").click()
        expect(page.locator("#now")).to_contain_text("Brog's gold 15 -> 20")


def test_the_first_card_that_is_tapped_leads_and_says_so(browser: Any, barrow: Served) -> None:
    expect = patient()
    with online(barrow) as address:
        page, _ = seat_at(browser, barrow, address, "Ines", PHONE)
        settled(page)
        # the hand stands on the page once
        assert page.get_by_text("Trample", exact=True).count() == 1
        expect(page.locator(".matter .hint").first).to_contain_text("initiative")
        card = page.get_by_role("button", name="Select Trample")
        at = middle(card)
        card.click()
        expect(page.locator(".matter .why").first).to_contain_text("Trample leads with 72.")
        expect(page.locator(".card.leading")).to_contain_text("leads with 72")
        # it is not offered again, and a second tap on it does nothing
        page.mouse.click(*at)
        assert not page.get_by_role("button", name="Trample").count()
        settled(page)
        page.get_by_role("button", name="Eye for an Eye").click()
        expect(page.locator("#now")).to_contain_text("Brann selects Trample, then Eye for an Eye.")


def test_leaving_the_table_asks_first(browser: Any, crypt: Served) -> None:
    expect = patient()
    with online(crypt) as address:
        page, _ = seat_at(browser, crypt, address, "Mia", PHONE)
        page.get_by_role("button", name="Leave the table").click()
        expect(page.locator("h1")).to_have_text("Leave the table?")
        page.get_by_role("link", name="Stay").click()
        expect(page.locator("#now")).to_contain_text("Brog")
