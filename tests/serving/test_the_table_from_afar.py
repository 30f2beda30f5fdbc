"""What stands in the middle of the table and is read from two metres: each character once, and large."""

import re
from typing import Any

import pytest

from cli.serving.invitations import TABLE
from tests.kit.browsers import CHROMIUM, seat_at
from tests.kit.online import online
from tests.kit.phones import Phone, Served

TABLET, DESK = {"width": 820, "height": 1180}, {"width": 1440, "height": 900}


def cards(table: Phone) -> list[str]:
    """The words of each character's card."""
    found = re.findall(r'<li class="sheet.*?</li>', table.get("/").main, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]*>", " ", card).split()) for card in found]


def test_each_character_is_there_once_with_what_is_watched(crypt: Served) -> None:
    referee, table = crypt.phone("referee"), crypt.phone("table")
    for line in ("d brog 4", "rest ada", "enrol Ghoul level 1 rolled 3 side foe"):
        referee.says(line)
    brog, ada, pim, ghoul = cards(table)
    assert brog == "Brog Mia 7 of 12 hit points"
    assert "fatigue 1" in ada and pim == "Pim 3 of 6 hit points" and ghoul.startswith("Ghoul")
    main = table.get("/").main
    assert main.index(">Foes</h2>") < main.index("Ghoul</a>") and main.count('class="turn"') == 3


def test_whoever_is_out_of_it_has_a_word_and_no_bar(crypt: Served) -> None:
    crypt.phone("referee").says("retire pim")
    pim = cards(crypt.phone("table"))[2]
    assert pim == "Pim Retired"


def test_whose_turn_it_is_stands_out(barrow: Served) -> None:
    referee = barrow.phone("referee")
    for line in ("s brann trample eye", "s ysa mana fire", "reveal"):
        referee.says(line)
    main = barrow.phone("table").get("/").main
    acting = re.findall(r'aria-current="true"><a class="long" href="/sheet/(\w+)"', main)
    assert acting == [barrow.handler.state().table.order[0].character]


@pytest.mark.parametrize(("now", "colour"), [(6, "warning"), (7, "enough"), (3, "danger"), (4, "warning")])
def test_half_of_the_hit_points_is_a_warning_wherever_they_are_shown(crypt: Served, now: int, colour: str) -> None:
    crypt.phone("referee").says(f"override brog hp={now} as we played it")
    for seat, address in (("table", "/"), ("Jo", "/"), ("Mia", "/"), ("Jo", "/sheet/brog")):
        main = crypt.phone(seat).get(address).main
        (low, high), *_ = re.findall(rf'max="12" value="{now}" low="([\d.]+)" high="([\d.]+)"', main)
        shown = "danger" if now < float(low) else "warning" if now < float(high) else "enough"
        assert shown == colour, (seat, address)


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
@pytest.mark.parametrize("size", [TABLET, DESK])
def test_it_is_read_from_two_metres_without_scrolling(browser: Any, barrow: Served, size: dict[str, int]) -> None:
    with online(barrow) as address:
        page, _ = seat_at(browser, barrow, address, TABLE, size)
        points = page.locator(".crew .vital b").first
        letters = "each => parseFloat(getComputedStyle(each).fontSize)"
        assert points.evaluate(letters) >= 72
        for read in (".crew a", ".matter .why", ".table dd", ".turns li"):
            assert page.locator(read).first.evaluate(letters) >= 24, read
        assert page.evaluate("() => document.querySelector('#now').getBoundingClientRect().bottom <= innerHeight")
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
