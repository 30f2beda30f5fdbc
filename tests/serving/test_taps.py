"""What is done all evening takes few taps, counted in a browser: filling in a field counts as one too."""

from typing import Any

import pytest

from cli.serving.invitations import REFEREE
from tests.kit.browsers import CHROMIUM, PHONE, patient, seat_at, wait_until_settled
from tests.kit.online import online
from tests.kit.phones import Served

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")


class Thumb:
    """Somebody's thumb on a phone, and how often it came down."""

    def __init__(self, page: Any) -> None:
        self.page, self.taps = page, 0

    def tap(self, role: str, name: str, within: str = "body") -> None:
        wait_until_settled(self.page)
        self.page.locator(within).get_by_role(role, name=name).first.click()
        self.taps += 1

    def fill(self, name: str, text: str) -> None:
        self.page.locator(f"[name='f.{name}']").fill(text)
        self.taps += 1

    def shows(self, text: str) -> int:
        """How many taps it took until the table says so."""
        patient()(self.page.locator("#now [data-part=turns]")).to_contain_text(text)
        return self.taps


@pytest.fixture
def thumbs(browser: Any, crypt: Served) -> Any:
    with online(crypt) as address:
        yield lambda seat: Thumb(seat_at(browser, crypt, address, seat, PHONE)[0])


def test_a_rest_with_own_dice_is_three_taps(thumbs: Any) -> None:
    mia = thumbs("Mia")
    mia.tap("link", "Short rest", ".verbs")
    mia.fill("rolled.Brog", "5 4")
    mia.tap("button", "Do it")
    assert mia.shows("rolls 5 4") <= 3


def test_a_hit_that_injures_with_both_saves_is_six(thumbs: Any) -> None:
    mia = thumbs("Mia")
    mia.tap("link", "Hit: Brog")
    mia.tap("button", "12", "dialog")
    mia.tap("button", "Injury saves")
    mia.fill("strength", "30")
    mia.fill("will", "30")
    mia.tap("button", "Do it")
    assert mia.shows("strength save passes") <= 6


def test_a_new_number_on_a_sheet_is_four(thumbs: Any) -> None:
    mia = thumbs("Mia")
    mia.tap("link", "Track something")
    mia.fill("name", "torches")
    mia.fill("value", "6")
    mia.tap("button", "Do it")
    assert mia.shows("torches") <= 4


def test_what_the_referee_tracks_is_of_whose_sheet_it_stands_on(thumbs: Any) -> None:
    keeper = thumbs(REFEREE)
    keeper.tap("link", "Track something for Ada")
    keeper.fill("name", "torches")
    keeper.fill("value", "6")
    keeper.tap("button", "Do it")
    keeper.shows("Ada's torches: 6.")


def test_somebody_new_is_four(thumbs: Any, crypt: Served) -> None:
    keeper = thumbs(REFEREE)
    keeper.tap("link", "Enrol")
    keeper.fill("character", "Wen")
    keeper.fill("player", "Kit")
    keeper.tap("button", "Do it")
    patient()(keeper.page.locator("main")).to_contain_text("Kit takes this photo, or opens this link.")
    assert (keeper.taps, "wen" in str(crypt.handler.state().characters).lower()) == (4, True)


def test_a_potion_that_no_rule_knows_is_four(thumbs: Any) -> None:
    keeper = thumbs(REFEREE)
    keeper.tap("link", "Set by hand for Brog")
    keeper.fill("set.hp", "9")
    keeper.fill("why", "a potion of the temple")
    keeper.tap("button", "Do it")
    assert keeper.shows("Override: Brog's hp") <= 4
