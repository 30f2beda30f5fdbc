"""Real browsers at a table that is served: Chromium from the system, driven over its own protocol."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.kit.phones import Served

CHROMIUM = next((path for path in ("/usr/bin/chromium", "/usr/bin/chromium-browser") if os.access(path, os.X_OK)), None)
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync")
PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 900}
#: What a page may fill of a sheet of paper between margins of 16 mm, in pixels of 1/96 inch.
PAPER = {"A4": {"width": 672, "height": 1000}, "Letter": {"width": 695, "height": 930}}


@contextmanager
def browser_running() -> Iterator[Any]:
    """A browser that loads nothing but what it is told to."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


def seat_at(
    browser: Any,
    table: Served,
    address: str,
    seat: str,
    size: dict[str, int],
    meddle: Callable[[Any], None] | None = None,
    **more: Any,
) -> tuple[Any, list[str]]:
    """A page that has taken its seat, and whatever went wrong in it.

    `meddle` has every tap on its way. It stands there before the page is loaded: a page that is there already is told
    of it by another road than its keys and taps, which may come first.
    """
    wrong: list[str] = []
    # a worker would come between the page and what is meddled with
    page = browser.new_context(**{"viewport": size, "service_workers": "block", **more}).new_page()
    page.on("console", lambda said: wrong.append(said.text) if is_wrong(said) else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith(address) else wrong.append(request.url))
    if meddle is not None:
        page.route("**/do", meddle)
    page.goto(f"{address}/in/{table.invitations.unused_links[seat]}")
    page.get_by_role("button", name="Sit down").click()
    page.wait_for_selector("#now")
    page.wait_for_load_state()  # a tap before the script is there opens a page of its own
    return page, wrong


def is_wrong(said: Any) -> bool:
    """Whether a message tells of something wrong with the page, and not of what drives the browser."""
    return said.type in ("error", "warning") and "blocked by Playwright" not in said.text


def wait_until_settled(page: Any) -> None:
    """Wait until whatever has just come on the page takes taps."""
    page.wait_for_function("() => !document.querySelector('.settling')")


def line_on(page: Any) -> Any:
    """Where a line is typed, unfolded."""
    if not page.locator("details.typing").evaluate("each => each.open"):
        page.locator("details.typing").evaluate("each => { each.open = true }")
    return page.get_by_label("A line")


def too_wide(page: Any) -> list[str]:
    """What reaches beyond the width of the page, with every part of it that folds unfolded."""
    widest: list[str] = page.evaluate(
        """() => {
            for (const each of document.querySelectorAll('details')) each.open = true;
            const width = document.documentElement.clientWidth;
            const all = [...document.querySelectorAll('body *')].filter((each) => each.getBoundingClientRect().width);
            const out = all.filter((each) => {
                const box = each.getBoundingClientRect();
                const cut = each.clientWidth && !each.ownerSVGElement && each.scrollWidth > each.clientWidth + 1;
                return box.right > width + 1 || box.left < -1 || (cut && getComputedStyle(each).display != 'inline');
            });
            const wider = document.documentElement.scrollWidth > width ? ['the page'] : [];
            return [...wider, ...out.map((each) => `${each.tagName} ${each.textContent.slice(0, 40)}`)];
        }"""
    )
    return widest


def broken_words(page: Any) -> list[str]:
    """The words on the page that are broken in the middle, with every part of it that folds unfolded."""
    words: list[str] = page.evaluate(
        """() => {
            for (const each of document.querySelectorAll('details')) each.open = true;
            const found = [], range = document.createRange();
            const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            while (texts.nextNode()) {
                const text = texts.currentNode, inside = text.parentElement;
                if (!inside.getClientRects().length || inside.closest('.long, script, style, option')) continue;
                for (const { 0: word, index } of text.data.matchAll(/[^\\s\\-/]{2,}/g)) {
                    range.setStart(text, index);
                    range.setEnd(text, index + word.length);
                    const lines = [...range.getClientRects()].filter((each) => each.width);
                    if (lines.length && Math.max(...lines.map((each) => each.top)) >= lines[0].bottom) found.push(word);
                }
            }
            return found;
        }"""
    )
    return words


def patient() -> Any:
    """What waits for something to be shown, however busy the machine is; by itself it waits for five seconds."""
    from playwright.sync_api import expect

    expect.set_options(timeout=60_000)
    return expect
