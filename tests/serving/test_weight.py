"""What a page weighs on the wire, what browsers keep of it, and what they show where nobody answers."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from cli.serving.asset_files import KINDS, assets, version
from cli.serving.http_guard import FOR_EVER
from tests.kit.browsers import CHROMIUM, PHONE, patient, seat_at
from tests.kit.online import online
from tests.kit.phones import Phone, Reply, Served

#: Bytes on the wire: of any page that a player opens, of a sheet alone, and of everything when a phone first comes.
A_PAGE, A_SHEET, AT_FIRST = 12_000, 6_000, 60_000
PAGES = (
    "/", "/act", "/log", "/rules", "/more", "/ask", "/at", "/recap", "/stats", "/stats/hp", "/turn/5", "/rule/6.4",
    "/why?of=brog.hp", "/act/damage", "/act/short-rest", "/act/amend", "/now",
)  # fmt: skip


def packed(phone: Phone, address: str) -> Reply:
    reply: Reply = phone.served.run(phone._ask("GET", address, b"", {"accept-encoding": "gzip, br"}))
    return reply


def loads(page: str) -> list[str]:
    return re.findall(r"""<(?:script|link)\b[^>]*(?:src|href)="([^"]*)\"""", page)


@pytest.mark.parametrize("table", ["crypt", "barrow"])
def test_a_page_is_light(request: pytest.FixtureRequest, table: str) -> None:
    served: Served = request.getfixturevalue(table)
    player = next(name for name in served.invitations.unused_links if name in ("Mia", "Ines"))
    phone = served.phone(player)
    for _ in range(20):
        phone.says("n The torch gutters and the rain comes down on the roof of the mill.")
    for address in PAGES:
        reply = packed(phone, address)
        assert len(reply.body) <= A_PAGE, (address, len(reply.body))
    for sheet in ("/sheet/brog", "/sheet/brann"):
        assert len(packed(phone, sheet).body) <= A_SHEET, sheet


def test_a_phone_that_first_comes_loads_little(crypt: Served) -> None:
    page = packed(crypt.phone("Mia"), "/")
    text = gzip.decompress(page.body).decode()
    files = [packed(Phone(crypt), address) for address in loads(text)]
    modules = [packed(Phone(crypt), f"/assets/{version()}/{name}") for name in assets() if name.endswith(".js")]
    assert {reply.status for reply in (*files, *modules)} == {200}
    assert len(page.body) + sum(len(reply.body) for reply in (*files, *modules)) <= AT_FIRST


def test_what_never_changes_is_kept_for_ever_and_a_page_never(crypt: Served) -> None:
    phone = crypt.phone("Mia")
    page = phone.get("/")
    assert page.headers["cache-control"] == "no-store"
    for address in loads(page.text):
        assert version() in address and Phone(crypt).get(address).headers["cache-control"] == FOR_EVER, address
    gone = Phone(crypt).get(f"/assets/{'0' * 16}/style.css")
    assert (gone.status, gone.headers["cache-control"]) == (404, "no-store")


def test_every_page_has_a_title_of_its_own(crypt: Served) -> None:
    phone = crypt.phone("Mia")
    phone.says("d brog 4 a ghoul")
    pages = [page for page in PAGES if page != "/now" and phone.get(page).status == 200]
    titles = [phone.get(page).text.partition("<title>")[2].partition("</title>")[0] for page in pages]
    assert len(set(titles)) == len(titles) and all(title.endswith("Crypt") for title in titles), titles
    assert "<title>T5 Brog is hit for 4 by a ghoul and has 7 hit points left." in phone.get("/turn/5").text


def test_every_file_is_what_it_says(crypt: Served) -> None:
    manifest = json.loads(assets()["app.webmanifest"])
    assert manifest["display"] == "standalone"
    assert {icon["src"] for icon in manifest["icons"]} <= assets().keys()
    for name, content in assets().items():
        address = f"/assets/{version()}/{name}"
        plain, small = Phone(crypt).get(address), packed(Phone(crypt), address)
        assert plain.body == content and plain.headers["content-type"] == KINDS[Path(name).suffix]
        assert (gzip.decompress(small.body) if "content-encoding" in small.headers else small.body) == content


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_an_address_that_cannot_be_reached_says_so_on_a_page_of_ours(browser: Any, crypt: Served) -> None:
    expect = patient()
    with online(crypt) as address:
        mia, _ = seat_at(browser, crypt, address, "Mia", PHONE, service_workers="allow")
        mia.wait_for_function("() => navigator.serviceWorker.ready.then((found) => found.active.state === 'activated')")
        mia.context.set_offline(True)
        mia.goto(f"{address}/log")
        expect(mia.locator("h1")).to_have_text("You are offline")
        assert "Brog" not in mia.content()
        # with its style, and the way back
        assert mia.locator("body").evaluate("each => getComputedStyle(each).maxWidth") != "none"
        mia.context.set_offline(False)
        mia.get_by_role("link", name="Try again").click()
        expect(mia.locator("#now")).to_contain_text("Brog")


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_a_browser_finds_an_app_that_it_can_install(browser: Any, crypt: Served) -> None:
    with online(crypt) as address:
        mia, wrong = seat_at(browser, crypt, address, "Mia", PHONE, service_workers="allow")
        chrome = mia.context.new_cdp_session(mia)
        found = chrome.send("Page.getAppManifest")
        assert found["errors"] == [] and json.loads(found["data"])["display"] == "standalone"
        problems = chrome.send("Page.getInstallabilityErrors")["installabilityErrors"]
        # without a window of its own a browser has no place to install to
        assert [problem["errorId"] for problem in problems if problem["errorId"] != "in-incognito"] == []
        assert wrong == []
