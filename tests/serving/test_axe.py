"""No page or state of the page has a finding of axe-core, of any level: by day, by night, in forced colours.

Nor has it anything to tap that is too small for a thumb.

`axe/axe.min.js.gz` is axe-core 4.14.1 (MPL-2.0, its licence beside it). It is kept here, and not fetched, so that the
test runs without a network and says the same everywhere; nothing that is installed holds it.
"""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.serving.invitations import REFEREE, TABLE
from domain.common.sessions import SessionOpen
from tests.kit.browsers import CHROMIUM, DESK, PHONE, line_on, patient, seat_at, wait_until_settled
from tests.kit.online import online
from tests.kit.phones import Served

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")

AXE = gzip.decompress((Path(__file__).parent / "axe" / "axe.min.js.gz").read_bytes()).decode()
#: By day; by night and in forced colours the same page is shown once more, and only its colours are others.
OTHER_COLOURS: tuple[dict[str, Any], ...] = (
    {"color_scheme": "dark", "forced_colors": "none"}, {"color_scheme": "light", "forced_colors": "active"}
)  # fmt: skip
RUN = """async (options) => (await axe.run(document, {resultTypes: ['violations'], ...options})).violations.flatMap(
    (rule) => rule.nodes.map((node) => `${rule.id} (${rule.impact}): ${node.html.slice(0, 160)} ${node.failureSummary}`)
)"""
OF_COLOUR = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
#: Pages of a player and of the referee, under osr.
PAGES = (
    "/", "/act", "/act/damage", "/act/short-rest", "/act/note", "/act/amend", "/log", "/log?grep=torch",
    "/rules", "/rule/6.4", "/more",
    "/ask", "/why?of=brog.hp", "/when?if=brog.hp%20<%209", "/diff?of=T1..T5", "/at", "/at?turn=3", "/recap", "/recap/1",
    "/stats", "/stats/hp", "/turn/5", "/sheet/ada", "/touch/less?figure=hit%20points&who=Brog", "/nowhere", "/offline",
)  # fmt: skip
OF_REFEREE = (
    "/",
    "/seats",
    "/act/enrol",
    "/act/ruling",
    "/act/ruling?rule=6.4",
    "/act/override",
    "/act/check-sheet",
    "/query?sql=select%201",
    "/touch/less?figure=hit%20points&who=Brog&who=Ada",
)


#: What is too small for a thumb: less than 44 pixels high or wide. A link within a sentence is as high as its line.
SMALL = """() => {
    const typed = 'input:not([type=hidden], [type=checkbox], [type=radio])';
    const tapped = `a, button, summary, select, textarea, label.check, ${typed}`;
    const within = (each) => each.matches('a') && each.parentElement.textContent.trim() !== each.textContent.trim()
        && !each.parentElement.matches('nav, .row, .verbs');
    const all = [...document.querySelectorAll(tapped)].filter((each) => each.offsetParent && !each.matches('.skip'));
    return all.filter((each) => !within(each)).map((each) => [each, each.getBoundingClientRect()])
        .filter(([, box]) => box.width && Math.min(box.width, box.height) < 43.5)
        .map(([each, box]) => `too small, ${box.width} x ${box.height}: ${each.outerHTML.slice(0, 160)}`);
}"""


def findings(page: Any) -> list[str]:
    wait_until_settled(page)
    page.evaluate(AXE)
    found: list[str] = page.evaluate(RUN, {}) + page.evaluate(SMALL)
    for colours in OTHER_COLOURS:
        page.emulate_media(**colours)
        found += [f"{colours}: {finding}" for finding in page.evaluate(RUN, OF_COLOUR)]
    page.emulate_media(color_scheme="light", forced_colors="none")
    return [" ".join(finding.split()) for finding in found]


def hit(page: Any, line: str, says: str) -> None:
    line_on(page).fill(line)
    page.keyboard.press("Enter")
    patient()(page.locator("#now")).to_contain_text(says)
    wait_until_settled(page)


def previewed(page: Any) -> None:
    line_on(page).fill("d brog 2")
    patient()(page.locator("#line-form .would")).to_contain_text("Brog is hit for 2")


def asked(page: Any) -> None:
    page.locator("a.step").first.click()
    patient()(page.locator("dialog .amounts button").first).to_be_visible()
    wait_until_settled(page)


def taken_back(page: Any) -> None:
    page.get_by_role("button", name="Undo").click()
    patient()(page.locator("dialog")).to_contain_text("undone")
    wait_until_settled(page)


def offline(page: Any) -> None:
    page.context.set_offline(True)
    patient()(page.locator("#standing")).to_contain_text("Offline since")


STATES: tuple[Callable[[Any], None], ...] = (previewed, asked, taken_back, offline)


def test_no_page_has_a_finding(browser: Any, crypt: Served) -> None:
    found: list[str] = []
    crypt.handler.record(SessionOpen(title="The crypt"))
    with online(crypt) as address:
        for seat, size, pages in (("Mia", PHONE, PAGES), (REFEREE, DESK, OF_REFEREE)):
            page, _ = seat_at(browser, crypt, address, seat, size, reduced_motion="reduce")
            if seat == "Mia":
                hit(page, "d brog 4 a ghoul", "has 7 hit points left")
            for path in pages:
                page.goto(address + path)
                found += [f"{path} {finding}" for finding in findings(page)]
            if seat != "Mia":
                continue
            for state in STATES:
                page.goto(address)
                wait_until_settled(page)
                state(page)
                found += [f"{state.__name__} {finding}" for finding in findings(page)]
            page.context.set_offline(False)
            hit(page, "d brog 20", "Brog is injured")
            found += [f"injured {finding}" for finding in findings(page)]
        door = browser.new_context(viewport=PHONE, reduced_motion="reduce").new_page()
        door.goto(f"{address}/in/{crypt.invitations.invite('Jo')}")
        found += [f"the door {finding}" for finding in findings(door)]
    assert not found, "\n".join(found)


def test_no_page_with_cards_has_a_finding(browser: Any, barrow: Served) -> None:
    expect, found = patient(), list[str]()
    with online(barrow) as address:
        page, _ = seat_at(browser, barrow, address, "Ines", PHONE, reduced_motion="reduce")
        for path in ("/", "/act/damage", "/act/select", "/sheet/brann"):
            page.goto(address + path)
            found += [f"{path} {finding}" for finding in findings(page)]
        page.goto(address)
        wait_until_settled(page)
        page.get_by_role("button", name="Select Trample").click()
        expect(page.locator(".leads")).to_be_visible()
        wait_until_settled(page)
        found += [f"leading {finding}" for finding in findings(page)]
        page.get_by_role("button", name="Eye for an Eye").click()
        expect(page.locator("#now")).to_contain_text("Brann selects Trample, then Eye for an Eye.")
        wait_until_settled(page)
        found += [f"selected {finding}" for finding in findings(page)]
        table, _ = seat_at(browser, barrow, address, TABLE, DESK, reduced_motion="reduce")
        found += [f"the table {finding}" for finding in findings(table)]
    assert not found, "\n".join(found)


def test_no_page_with_flips_has_a_finding(browser: Any, tower: Served) -> None:
    expect, found = patient(), list[str]()
    with online(tower) as address:
        page, _ = seat_at(browser, tower, address, "Mia", PHONE, reduced_motion="reduce")
        for path in ("/", "/act", "/act/attack", "/act/flip", "/sheet/wren"):
            page.goto(address + path)
            found += [f"{path} {finding}" for finding in findings(page)]
        keeper, _ = seat_at(browser, tower, address, REFEREE, DESK, reduced_motion="reduce")
        line_on(keeper).fill("fa wolf vv wren")
        keeper.keyboard.press("Enter")
        expect(keeper.locator("dialog")).to_contain_text("offers a choice")
        found += [f"asked {finding}" for finding in findings(keeper)]
        page.goto(address)
        found += [f"turned over {finding}" for finding in findings(page)]
    assert not found, "\n".join(found)
