"""A long scroll on a phone made short: the newest turns, the party with its buttons, rules by their words."""

import re
from typing import Any

import pytest

from cli.serving.invitations import REFEREE
from domain.common.notes import Note
from tests.kit.browsers import CHROMIUM, DESK, PHONE, seat_at
from tests.kit.online import online
from tests.kit.phones import Served


def test_the_log_has_a_heading_for_each_session(crypt: Served) -> None:
    referee = crypt.phone("referee")
    for line in ("session open One", "n Rain.", "session close", "session open Two", "n Sun."):
        assert referee.says(line).status == 303, line
    main = referee.get("/log").main
    headings = re.findall(r'<li class="session">([^<]*)</li>', main)
    assert headings == ["Session 2", "Session 1", "Outside any session"]
    assert main.index("Session 2</li>") < main.index("Sun.") < main.index("Session 1</li>") < main.index("Rain.")


def test_rules_are_found_by_their_words_where_they_are_listed(crypt: Served) -> None:
    phone = crypt.phone("Mia")
    (form,) = (form for form in phone.get("/rules").forms if form.action == "/rules")
    assert (form.method, list(form.open)) == ("get", ["say"])
    found = phone.get("/rules?say=old+total").main
    assert 'value="old total"' in found and found.count('href="/rule/') < phone.get("/rules").main.count('href="/rule/')
    assert 'href="/rules">All rules</a>' in found


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_the_referee_has_the_whole_party_in_reach_of_a_thumb(browser: Any, crypt: Served) -> None:
    for number in range(12):
        crypt.handler.record(Note(text=f"Note {number}"))
    with online(crypt) as address:
        page, _ = seat_at(browser, crypt, address, REFEREE, PHONE)
        assert page.locator(".turns li:visible").count() == 5
        assert page.get_by_role("link", name="All turns").is_visible()
        first = page.get_by_role("link", name="Hit: Brog, hit points").first
        assert first.bounding_box()["y"] < PHONE["height"], "in the party, above the sheets"
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        first.click()
        assert page.locator("dialog .amounts button").first.inner_text().startswith("1")
        # on a desk the sheets stand beside the party, and the buttons on them
        page.set_viewport_size(DESK)
        assert page.get_by_role("link", name=re.compile("^Hit: ")).count() == 3
        assert page.locator(".turns li:visible").count() == 12


def test_a_save_is_asked_of_whoever_is_injured_alone(crypt: Served) -> None:
    referee = crypt.phone("referee")
    for line in ("d ada 30", "d pim 30"):
        assert referee.says(line).status == 303, line
    form = referee.get("/act/injury-saves").main
    assert [name for name in ("Brog", "Ada", "Pim") if f">{name}</a>" in form] == ["Ada", "Pim"]


def test_a_closed_session_is_told_of(crypt: Served) -> None:
    referee = crypt.phone("referee")
    for line, told in (("session open One", False), ("session close", True)):
        assert referee.says(line).status == 303, line
        for seat in ("Mia", "table"):
            assert ("no session is open" in crypt.phone(seat).get("/").main) is told
