"""Real browsers at a table that is served: Chromium from the system, driven over its own protocol."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.kit.phones import Served

CHROMIUM = next((path for path in ("/usr/bin/chromium", "/usr/bin/chromium-browser") if os.access(path, os.X_OK)), None)
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync")
PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 900}


@contextmanager
def launched() -> Iterator[Any]:
    """A browser that loads nothing but what it is told to."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield found
        found.close()


def seat_at(
    browser: Any, table: Served, address: str, who: str, size: dict[str, int], **more: Any
) -> tuple[Any, list[str]]:
    """A page that has taken its seat, and whatever went wrong in it."""
    wrong: list[str] = []
    page = browser.new_context(viewport=size, **more).new_page()
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: None if request.url.startswith(address) else wrong.append(request.url))
    page.goto(f"{address}/in/{table.links.told[who]}")
    page.get_by_role("button", name="Sit down").click()
    page.wait_for_selector("#now")
    return page, wrong
