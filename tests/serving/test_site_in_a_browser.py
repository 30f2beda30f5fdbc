"""The pages of a campaign, opened from files in a browser: on a phone, at a desk, on paper, by night."""

from pathlib import Path
from typing import Any

import pytest

from cli.shell.examples import examples
from tests.kit.browsers import CHROMIUM, DESK, PAPER, PHONE, too_wide
from tests.kit.shell import Shell
from tests.serving.test_browser import shot

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


def opened(browser: Any, page: Path, size: dict[str, int], **more: Any) -> tuple[Any, list[str]]:
    """A page of the site from its file, and whatever went wrong in it or was asked for besides."""
    wrong: list[str] = []
    found = browser.new_context(viewport=size, **more).new_page()
    found.on("console", lambda message: wrong.append(message.text))
    found.on("pageerror", lambda error: wrong.append(str(error)))
    found.on("request", lambda request: None if request.url.startswith("file:") else wrong.append(request.url))
    found.goto(page.resolve().as_uri())
    return found, wrong


@pytest.mark.parametrize("name", sorted(examples()))
def test_every_page_of_an_example_fits_phone_desk_and_paper(browser: Any, shell: Shell, name: str) -> None:
    shell.run("demo", name).ok()
    shell.run("site", "pages", "-c", f"campaign-demo/{name}.campaign").ok()
    pages = sorted((shell.folder / "pages").rglob("*.html"))
    page, wrong = opened(browser, pages[0], PHONE)
    for path in pages:
        page.goto(path.resolve().as_uri())
        for kind, size in {"phone": PHONE, "desk": DESK, **PAPER}.items():
            page.emulate_media(media="print" if kind in PAPER else "screen")
            page.set_viewport_size(size)
            assert too_wide(page) == [], (path.name, kind)
            shot(page, f"{name}-{path.parent.name}-{path.stem}-{kind}")
    assert wrong == []


def test_a_link_to_a_turn_unfolds_what_it_lies_in(browser: Any, shell: Shell) -> None:
    shell.run("demo", "drowned-chapel").ok()
    shell.run("site", "pages", "-c", "campaign-demo/drowned-chapel.campaign").ok()
    (brog,) = (shell.folder / "pages" / "characters").glob("brog-*.html")
    page, wrong = opened(browser, brog, PHONE)
    page.get_by_role("link", name="T34").click()
    page.wait_for_url("**/session-2.html#T34")
    assert page.locator("li", has=page.locator("#T34")).is_visible()
    page.get_by_role("link", name="The Drowned Chapel").click()
    page.wait_for_url("**/index.html")
    assert wrong == []
