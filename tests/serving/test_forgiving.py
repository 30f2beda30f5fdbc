"""A page that forgives, in a real browser: late taps, how the page stands, figures that are touched, cards as cards."""

import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from cli.serving.invitations import REFEREE
from cli.shell.command_context import open_chosen
from domain.deckahedron.attempts import CardsFlipped
from domain.log.effective_history import effective_turns
from tests.campaigns.benchmark_phones import free_port, serving
from tests.kit.browsers import CHROMIUM, DESK, PHONE, broken_words, patient, seat_at, wait_until_settled
from tests.kit.on_disk import handler_of
from tests.kit.online import online
from tests.kit.phones import Served, served
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


@contextmanager
def table_online(shell: Shell) -> Iterator[tuple[Served, str]]:
    """The shell's campaign, served behind a port: the table and its address."""
    with (
        open_chosen(f"{shell.folder}/tower.campaign", write=True) as (log, system),
        served(log, system, handler_of(log)) as table,
        online(table) as address,
    ):
        yield table, address


def cards_of(table: Served, number: int) -> Sequence[str]:
    """The cards that a turn turned over, as the log reads now."""
    (flipped,) = next(
        effective_turn.facts for effective_turn in effective_turns(table.log) if effective_turn.number == number
    )
    assert isinstance(flipped, CardsFlipped)
    return flipped.cards


#: A finger that comes down again at the same place as soon as something else stands there, and 450 ms later; and a key
#: on whatever button stands there. By the page's own clock, so that a busy machine changes nothing.
IMPATIENT = """([x, y]) => {
    const there = () => [...document.querySelectorAll('.matter button')].find((each) => {
        const box = each.getBoundingClientRect();
        return box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
    });
    const tap = () => {
        window.tapped.push(there().classList.contains('settling') ? 'guarded' : 'open');
        document.elementFromPoint(x, y).click();
        there().click();
    };
    new MutationObserver((_, watch) => {
        if (!there() || there().textContent.includes('Clean up')) return;
        watch.disconnect();
        window.tapped = [];
        for (const later of [0, 450, 600]) setTimeout(tap, later);
    }).observe(document.getElementById('now'), { childList: true, subtree: true });
}"""

#: A round up to its end: Brann has two cards discarded and may rest.
TO_THE_END = ("s brann trample eye", "s ysa mana fire", "reveal", "e ysa", "e brann")


def test_a_second_tap_does_not_land_on_what_took_the_first_ones_place(
    browser: Any, barrow: Served, shell: Shell
) -> None:
    lines(barrow, shell, *TO_THE_END)
    expect = patient()
    with online(barrow) as address:
        page, _ = seat_at(browser, barrow, address, REFEREE, PHONE)
        wait_until_settled(page)
        before = barrow.log.last()
        box = page.get_by_role("button", name="Clean up").bounding_box()
        at = box["x"] + 40, box["y"] + box["height"] / 2
        page.evaluate(IMPATIENT, [*at])
        page.mouse.click(*at)
        # what has come in its place takes no tap for a while, whether touched or pressed by a key
        page.wait_for_function("() => window.tapped?.length == 3")
        assert page.evaluate("() => window.tapped") == ["guarded"] * 3
        wait_until_settled(page)
        assert kinds(barrow, before) == ["CleanUp"]
        wait_until_settled(page)
        # and what ends something for everybody asks, naming who has not rested yet
        page.get_by_role("button", name="Begin round").click()
        expect(page.locator(".matter .why").first).to_have_text("Begin round?")
        expect(page.locator("section.matter").first).to_contain_text("may take a short rest before the next round.")
        assert kinds(barrow, before) == ["CleanUp"]
        page.get_by_role("link", name="Not now").click()
        wait_until_settled(page)
        page.get_by_role("button", name="Begin round").click()
        wait_until_settled(page)
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
        assert "grayscale" in page.locator("#now [data-part=state]").evaluate("each => getComputedStyle(each).filter")
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
        page.locator("dialog").get_by_role("button", name="15 → 20").click()
        expect(page.locator("#now")).to_contain_text("Brog's gold 15 → 20")


def test_the_first_card_that_is_tapped_leads_and_says_so(browser: Any, barrow: Served) -> None:
    expect = patient()
    with online(barrow) as address:
        page, _ = seat_at(browser, barrow, address, "Ines", PHONE)
        wait_until_settled(page)
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
        wait_until_settled(page)
        page.get_by_role("button", name="Eye for an Eye").click()
        expect(page.locator("#now")).to_contain_text("Brann selects Trample, then Eye for an Eye.")


#: Two fingers, one card after the other, `later` milliseconds apart: the second finger comes down where its card stood.
TWO_CARDS = """([first, second, later]) => {
    const cards = [...document.querySelectorAll('.matter button.card')];
    const card = (name) => cards.find((each) => each.innerText.includes(name));
    const { x, y, width, height } = card(second).getBoundingClientRect();
    const there = () => document.elementFromPoint(x + width / 2, y + height / 2);
    setTimeout(() => there().closest('button')?.click(), later);
    card(first).click();
}"""


@pytest.mark.parametrize(
    ("later", "answers_after"), [(0, 0), (150, 0), (600, 0), (150, 0.4)],
    ids=["at once", "before it settles", "once it has settled", "bad Wi-Fi"],
)  # fmt: skip
def test_two_cards_tapped_quickly_are_both_chosen(
    browser: Any, barrow: Served, later: int, answers_after: float
) -> None:
    def meddle(route: Any) -> None:
        time.sleep(answers_after)
        route.continue_()

    expect = patient()
    with online(barrow) as address:
        page, wrong = seat_at(browser, barrow, address, "Ines", PHONE, meddle)
        wait_until_settled(page)
        before = barrow.log.last()
        page.evaluate(TWO_CARDS, ["Trample", "Provoking Roar", later])
        expect(page.locator("#now")).to_contain_text("Brann selects Trample, then Provoking Roar.")
        expect(page.locator("dialog")).to_be_hidden()
        wait_until_settled(page)
        assert kinds(barrow, before) == ["Select"]
        assert wrong == []


def test_a_tap_survives_a_turn_that_comes_while_it_is_on_its_way(browser: Any, barrow: Served, shell: Shell) -> None:
    held: list[Any] = []
    expect = patient()
    with online(barrow) as address:
        page, _ = seat_at(browser, barrow, address, "Ines", PHONE, lambda route: held.append(route))
        wait_until_settled(page)

        def while_it_is_tapped(card: str, *typed: str) -> None:
            page.get_by_role("button", name=card).click()
            lines(barrow, shell, *typed)
            expect(page.locator("#now")).to_have_attribute("data-turn", str(barrow.log.last()))
            held.pop().continue_()

        while_it_is_tapped("Select Trample", "n Rain")
        expect(page.locator(".matter .why").first).to_contain_text("Trample leads with 72.")
        wait_until_settled(page)
        page.get_by_role("link", name="Not now").click()
        wait_until_settled(page)
        # and one that is too late says so beside what is there now
        while_it_is_tapped("Select Trample", "s brann eye roar")
        expect(page.locator(".would.refused")).to_contain_text("the table has moved on")
        expect(page.get_by_role("button", name="Select Trample")).to_have_count(0)


def test_leaving_the_table_asks_first(browser: Any, crypt: Served) -> None:
    expect = patient()
    with online(crypt) as address:
        page, _ = seat_at(browser, crypt, address, "Mia", PHONE)
        page.get_by_role("button", name="Leave the table").click()
        expect(page.locator("h1")).to_have_text("Leave the table?")
        page.get_by_role("link", name="Stay").click()
        expect(page.locator("#now")).to_contain_text("Brog")


def test_a_flip_is_reported_by_touching_the_cards_in_the_order_in_which_they_came(browser: Any, shell: Shell) -> None:
    expect = patient()
    shell.do("new Tower --rules deckahedron", "enrol Wren 2 3 2 player Kim cards=table")
    with table_online(shell) as (served_here, address):
        kim, wrong = seat_at(browser, served_here, address, "Kim", PHONE)
        kim.get_by_role("link", name="Flip", exact=True).click()
        kim.get_by_label("dexterity").check()
        cards = kim.get_by_role("group", name="The cards turned over")
        card = cards.locator("[data-card='17']")
        expect(card).to_contain_text("2\u00a0✔✔")
        card.click()
        expect(card).to_have_attribute("aria-pressed", "true")
        expect(kim.locator(".would")).to_have_text("Wren flips for Dexterity: 17 ✔.")
        # a second one too many is refused before it is done, and is put back by touching it again
        cards.locator("[data-card='3']").click()
        expect(kim.locator(".would.refused")).not_to_be_empty()
        cards.locator("[data-card='3']").click()
        kim.get_by_role("button", name="Do it").click()
        expect(kim.locator("#now")).to_contain_text("Wren flips for Dexterity: 17 ✔.")
        assert wrong == []


def test_a_deck_turn_that_is_undone_offers_to_keep_what_was_announced(browser: Any, shell: Shell) -> None:
    expect = patient()
    shell.do("new Tower --rules deckahedron", "enrol Wren 2 3 2 player Kim", "flip wren str", "flip wren dex")
    keep = "Yes, and keep the later results as they were announced"
    with table_online(shell) as (served_here, address):
        desk, wrong = seat_at(browser, served_here, address, REFEREE, DESK)
        cards = cards_of(served_here, 4)
        desk.goto(f"{address}/turn/3")
        desk.get_by_role("button", name="Undo T3").click()
        expect(desk.locator("dialog")).to_contain_text("undone")
        desk.locator("dialog").get_by_role("button", name=keep).click()
        expect(desk.locator("#now")).to_contain_text("Undoes T3")
        assert cards_of(served_here, 4) == cards
        assert wrong == []


#: The place of the middle of each visible element, and its height.
ROWS = """(all) => all.filter((each) => each.offsetParent !== null).map((each) => {
    const { top, height } = each.getBoundingClientRect();
    return Math.round(top + height / 2);
})"""


@pytest.mark.parametrize("letters", [100, 150, 200])
def test_large_letters_leave_the_menu_the_figures_and_the_bar_on_one_line_each(
    browser: Any, crypt: Served, shell: Shell, letters: int
) -> None:
    lines(crypt, shell, "d brog 1 --by Mia")
    with online(crypt) as address:
        page, _ = seat_at(browser, crypt, address, "Mia", PHONE)
        page.evaluate("size => { document.documentElement.style.fontSize = `${size}%` }", letters)

        def rows(selector: str) -> int:
            return len(set(page.locator(selector).evaluate_all(ROWS)))

        assert (rows("header nav a:visible"), rows(".vital .step"), rows(".foot summary, .foot button:visible")) == (
            1,
            1,
            1,
        )
        assert page.locator(".vital .step").count() == 2
        # the menu lies at the bottom, within reach of the thumb, and what is done upon it
        foot, menu = page.locator(".foot").bounding_box() or {}, page.locator(".menu").bounding_box() or {}
        assert menu["y"] + menu["height"] == PHONE["height"] and foot["y"] + foot["height"] == menu["y"]
        assert foot["height"] + menu["height"] < 0.25 * PHONE["height"]
        assert page.locator("header [aria-current=page]").inner_text() == "Table"
        # whatever is not on its line is behind More
        hidden = set(page.locator("header .wide").evaluate_all("all => all.map((each) => each.pathname)"))
        page.goto(f"{address}/more")
        assert page.locator("header [aria-current=page]").inner_text() == "More"
        behind = set(page.locator("main a").evaluate_all("all => all.map((each) => each.pathname)"))
        assert hidden == behind


@pytest.mark.parametrize("letters", [100, 150, 200])
def test_an_opened_line_leaves_the_table_in_sight(browser: Any, crypt: Served, shell: Shell, letters: int) -> None:
    lines(crypt, shell, "d brog 1 --by Mia")
    with online(crypt) as address:
        page, wrong = seat_at(browser, crypt, address, "Mia", PHONE)
        page.evaluate("size => { document.documentElement.style.fontSize = `${size}%` }", letters)
        page.locator(".typing summary").click()
        wait_until_settled(page)

        def rows(selector: str) -> int:
            return len(set(page.locator(selector).evaluate_all(ROWS)))

        # taking back stays beside what folds the line, and what does it beside the line
        in_row = page.locator(".foot summary, #back button:visible").evaluate_all(ROWS)
        assert max(in_row) - min(in_row) <= 1, in_row
        assert rows("#line-form .row > :visible") == 1
        assert page.locator(".foot").evaluate("each => each.offsetHeight / innerHeight") < 0.2
        for target in page.locator(".foot summary, .foot button:visible, #line").all():
            box = target.bounding_box() or {}
            assert min(box["width"], box["height"]) >= 44, target
            assert 0 <= box["x"] < box["x"] + box["width"] <= PHONE["width"]
        assert broken_words(page) == []
        # nothing lies upon another
        upon = """() => {
            const all = [...document.querySelectorAll('.foot summary, .foot button, #line')];
            return all.filter((each) => each.offsetParent).filter((each) => {
                const { x, y, width, height } = each.getBoundingClientRect();
                return !each.contains(document.elementFromPoint(x + width / 2, y + height / 2));
            }).map((each) => each.outerHTML);
        }"""
        assert page.evaluate(upon) == []
        assert wrong == []


def test_how_the_page_stands_hides_nothing_and_stays_in_sight(browser: Any, crypt: Served) -> None:
    expect = patient()
    with online(crypt) as address:
        page, _ = seat_at(browser, crypt, address, REFEREE, PHONE)
        page.evaluate("() => { document.documentElement.style.fontSize = '200%' }")
        expect(page.locator("body")).to_have_attribute("data-standing", "live")
        page.context.set_offline(True)
        strip = page.locator("#standing")
        expect(strip).to_contain_text("Offline since")
        page.evaluate("scrollTo(0, 0)")
        top = page.locator("#now").evaluate("each => each.getBoundingClientRect().top")
        assert strip.evaluate("each => each.getBoundingClientRect().bottom") <= top
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        assert strip.evaluate("each => each.getBoundingClientRect().top") == 0
        width = strip.evaluate("each => [each.getBoundingClientRect().left, each.getBoundingClientRect().right]")
        assert width == [0, PHONE["width"]]


def test_an_amount_has_room_for_what_it_comes_to(browser: Any, crypt: Served) -> None:
    with online(crypt) as address:
        page, _ = seat_at(browser, crypt, address, "Mia", PHONE)
        page.evaluate("() => { document.documentElement.style.fontSize = '200%' }")
        wait_until_settled(page)
        page.locator("a.step").first.click()
        patient()(page.locator("dialog .amounts button").first).to_be_visible()
        says = page.locator("dialog .amounts button span").first
        assert says.evaluate("each => each.getBoundingClientRect().width / innerWidth") > 0.6
        assert broken_words(page) == []


def test_a_preview_looks_old_while_the_next_one_is_on_its_way(browser: Any, crypt: Served) -> None:
    expect = patient()
    with online(crypt) as address:
        page, _ = seat_at(browser, crypt, address, "Mia", PHONE)
        page.goto(f"{address}/act/damage")
        would = page.locator("form.fields .would")
        page.locator("[name='f.amount']").fill("2")
        expect(would).to_contain_text("Brog is hit for 2")
        assert would.evaluate("each => getComputedStyle(each).opacity") == "1"
        held: list[Any] = []
        page.route("**/look", lambda route: held.append(route))
        page.locator("[name='f.amount']").fill("3")
        expect(would).to_have_css("opacity", "0.5")
        expect(would).to_contain_text("Brog is hit for 2")
        for _ in range(600):
            if held:
                break
            page.wait_for_timeout(10)
        held[0].continue_()
        expect(would).to_contain_text("Brog is hit for 3")
        expect(would).to_have_css("opacity", "1")


def test_what_a_form_showed_is_what_it_does(browser: Any, crypt: Served, shell: Shell) -> None:
    """A hit comes in between, and the page has followed the table: the form still shows the sentence of before."""
    expect = patient()
    with online(crypt) as address:
        page, wrong = seat_at(browser, crypt, address, "Mia", PHONE)
        page.goto(f"{address}/act/damage")
        page.locator("[name='f.amount']").fill("4")
        expect(page.locator("form.fields .would")).to_contain_text("has 7 hit points left.")
        lines(crypt, shell, "d brog 9")
        before = crypt.log.last()
        wait_until_settled(page)
        page.get_by_role("button", name="Do it").click()
        expect(page.locator("dialog")).to_contain_text("The table has moved on.")
        expect(page.locator("dialog")).to_contain_text("loses the last 2 hit points")
        assert crypt.log.last() == before
        # left alone, the form says what it comes to by now, and does that
        page.locator("dialog").get_by_role("link", name="Not now").click()
        expect(page.locator("form.fields .would")).to_contain_text("loses the last 2 hit points")
        wait_until_settled(page)
        page.get_by_role("button", name="Do it").click()
        expect(page.locator("#now")).to_contain_text("loses the last 2 hit points")
        assert wrong == []


def test_the_number_pad_belongs_to_the_field_that_was_touched_last(browser: Any, crypt: Served) -> None:
    """Dice that were meant for a rest went into its minutes, where the only pad stood."""
    with online(crypt) as address:
        page, wrong = seat_at(browser, crypt, address, "Mia", PHONE)
        page.goto(f"{address}/act/short-rest")
        page.locator("details.more summary").click()
        expect = patient()
        expect(page.locator("[name='f.rolled.Brog'] + .pad")).to_have_count(1)
        for name in ("f.minutes", "f.rolled.Brog"):
            page.locator(f"[name='{name}']").click()
            expect(page.locator(f"[name='{name}'] + .pad")).to_have_count(1)
            assert page.locator(".pad").count() == 1
            wait_until_settled(page)
        for key in ("6", "comma", "5"):
            page.locator(".pad").get_by_role("button", name=key, exact=True).click()
        expect(page.locator("form.fields .would")).to_contain_text("Brog rolls 6 5")
        assert page.locator("[name='f.minutes']").input_value() == ""
        assert wrong == []


def test_no_word_is_broken_on_the_halves_of_a_card(browser: Any, barrow: Served, shell: Shell) -> None:
    lines(barrow, shell, "s brann trample eye", "s ysa mana fire", "reveal", "e ysa")
    with online(barrow) as address:
        page, _ = seat_at(browser, barrow, address, "Ines", PHONE)
        patient()(page.locator(".halves").first).to_be_visible()
        for letters, side_by_side in ((100, True), (200, False)):
            page.evaluate("size => { document.documentElement.style.fontSize = `${size}%` }", letters)
            assert broken_words(page) == [], letters
            halves = page.locator(".halves").first.locator("button").evaluate_all(ROWS)
            # the halves, and below them the basic actions
            assert (len(set(halves)) == len(halves) / 2) is side_by_side, letters


def test_no_figure_of_a_sheet_leaves_it_where_letters_are_large(browser: Any, barrow: Served) -> None:
    with online(barrow) as address:
        page, _ = seat_at(browser, barrow, address, REFEREE, PHONE)
        page.goto(f"{address}/sheet/brann")
        page.evaluate("() => { document.documentElement.style.fontSize = '200%' }")
        beyond = """(all) => all.filter((each) =>
            each.getBoundingClientRect().right > each.closest('.sheet').getBoundingClientRect().right
        ).map((each) => each.ariaLabel)"""
        assert page.locator(".sheet .step").count() == 4
        assert page.locator(".sheet .step").evaluate_all(beyond) == []


@pytest.mark.parametrize("size", [PHONE, DESK])
def test_a_name_stands_on_the_line_of_its_figures(browser: Any, crypt: Served, size: Any) -> None:
    with online(crypt) as address:
        page, _ = seat_at(browser, crypt, address, REFEREE, size)
        # at one moment, as a notice that comes or goes above moves both
        names, figures = page.evaluate("""() => {
            const middle = (each) => {
                const text = document.createRange(); text.selectNodeContents(each);
                const [line] = text.getClientRects(); return line.top + line.height / 2; };
            return [".party dt a", ".party dd b:first-of-type"].map(
                (which) => [...document.querySelectorAll(which)].map(middle)); }""")
        assert len(names) == len(figures) > 1
        assert max(abs(name - figure) for name, figure in zip(names, figures, strict=True)) < 2, "pixels"


def test_the_line_is_near_the_menu_is_one_line_and_the_pad_is_three_by_four(browser: Any, crypt: Served) -> None:
    with online(crypt) as address:
        page, _ = seat_at(browser, crypt, address, REFEREE, PHONE)
        tops = (
            "() => [...document.querySelectorAll('header nav a')].filter((e) => e.offsetParent).map((e) => e.offsetTop)"
        )
        assert len(set(page.evaluate(tops))) == 1
        tabs = 0
        while not page.evaluate("() => document.activeElement.closest('details.typing') !== null"):
            page.keyboard.press("Tab")
            tabs += 1
        assert tabs <= 10
        page.goto(f"{address}/act/damage")
        keys = [key.bounding_box() or {} for key in page.locator(".pad").first.get_by_role("button").all()]
        assert [len({round(key[side]) for key in keys}) for side in ("x", "y")] == [3, 4]


def test_a_form_says_what_it_would_do_once_the_table_is_back_and_sends_nothing_unsaid(
    browser: Any, crypt: Served
) -> None:
    expect = patient()
    with online(crypt) as address:
        page, _ = seat_at(browser, crypt, address, "Mia", PHONE)
        page.goto(f"{address}/act/damage")
        page.context.set_offline(True)
        wait_until_settled(page)
        page.locator(".pad").first.get_by_role("button", name="3", exact=True).click()
        page.get_by_role("button", name="Do it").click()
        would = page.locator("form.fields .would")
        expect(would).to_contain_text("The table cannot be reached")
        page.context.set_offline(False)
        expect(would).to_have_text("Brog is hit for 3 and has 8 hit points left.")
        # a digit and the button at once: the sentence of the new figure stands there when it is sent
        page.evaluate(
            """() => { const amount = document.querySelector("[name='f.amount']"); amount.value = "5";
            amount.dispatchEvent(new Event("input", { bubbles: true })); amount.form.requestSubmit() }"""
        )
        expect(page.locator("#now")).to_contain_text("Brog is hit for 5 and has 6 hit points left.")


def test_a_form_without_a_choice_says_what_is_to_be_chosen_and_marks_it(browser: Any, tower: Served) -> None:
    expect = patient()
    with online(tower) as address:
        page, wrong = seat_at(browser, tower, address, "Mia", PHONE)
        page.goto(f"{address}/act/flip")
        before, group = tower.log.last(), page.locator("fieldset[data-required]").first
        for _ in range(2):
            with page.expect_response("**/look"):
                page.get_by_role("button", name="Do it").click()
            expect(page.locator("form.fields .would")).to_have_text(
                "Choose first: the attribute at whose rank the cards are read."
            )
            expect(group).to_have_class("unanswered")
        assert tower.log.last() == before
        with page.expect_response("**/look"):
            page.get_by_label("strength").check()
        expect(page.locator(".unanswered")).to_have_count(0)
        page.get_by_role("button", name="Do it").click()
        expect(page.locator("#now")).to_contain_text("Wren flips")
        assert wrong == []


#: A phone, the size of its text, and whether the button of a form stays in sight there while the rest is scrolled.
@pytest.mark.parametrize(
    ("size", "text", "stays"),
    [(PHONE, "100%", True), (PHONE, "200%", False), ({"width": 320, "height": 640}, "100%", False)],
    ids=["a phone", "large text", "a low phone"],
)
def test_the_button_of_a_form_covers_no_key_where_there_is_little_room(
    browser: Any, crypt: Served, size: dict[str, int], text: str, stays: bool
) -> None:
    with online(crypt) as address:
        page, _ = seat_at(browser, crypt, address, "Mia", size)
        page.goto(f"{address}/act/damage")
        page.evaluate("size => { document.documentElement.style.fontSize = size }", text)
        page.evaluate("() => { document.querySelector('details.more')?.setAttribute('open', '') }")
        page.locator("form.fields p").first.evaluate("field => { field.style.marginBottom = '100vh' }")
        page.evaluate("() => document.querySelector('.fields').scrollIntoView()")
        in_sight = page.locator(".fields .bar").evaluate("bar => bar.getBoundingClientRect().bottom < innerHeight")
        assert in_sight is stays


def test_after_an_answer_far_down_the_page_stands_where_the_table_does(browser: Any, barrow: Served) -> None:
    expect = patient()
    with online(barrow) as address:
        page, wrong = seat_at(browser, barrow, address, "Ines", {"width": 320, "height": 640})
        for name in (re.compile("^Select Trample"), re.compile("^Eye for an Eye")):
            card = page.get_by_role("button", name=name)
            card.evaluate("card => card.scrollIntoView({ block: 'start' })")
            wait_until_settled(page)
            card.click()
        expect(page.locator("#now [data-part=turns]")).to_contain_text("Brann selects Trample, then Eye for an Eye.")
        expect(page.locator("#now .chosen")).to_contain_text("Trample")
        expect(page.locator("#now .chosen")).to_be_in_viewport()
        assert wrong == []


def test_nothing_fades_while_a_page_settles_and_a_page_that_came_late_takes_taps_at_once(
    browser: Any, crypt: Served
) -> None:
    look = """() => [...document.querySelectorAll('main button, main summary')].map((each) => [
        each.classList.contains('settling'), getComputedStyle(each).opacity])"""
    with online(crypt) as address:
        page, _ = seat_at(browser, crypt, address, "Mia", PHONE)
        page.goto(f"{address}/act/damage")
        page.evaluate("() => document.querySelector('[type=submit]').classList.add('settling')")
        assert {opacity for _, opacity in page.evaluate(look)} == {"1"}

        def late(route: Any) -> None:
            time.sleep(0.8)
            route.continue_()

        # whoever waited this long for a page tapped long ago
        page.route("**/assets/**/settling.js", late)
        page.goto(f"{address}/act/short-rest")
        assert not any(settling for settling, _ in page.evaluate(look))
