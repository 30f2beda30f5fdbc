"""Where a value comes from is asked at the value itself: on the sheet, above it, in the party, and in the middle."""

import re

import pytest

from tests.kit.phones import Served


def reasons(page: str) -> set[str]:
    return set(re.findall(r'class="reason"[^>]*href="([^"]*)"', page))


@pytest.mark.parametrize("seat", ["Mia", "Jo", "referee", "table"])
def test_hit_points_lead_to_where_they_come_from(crypt: Served, seat: str) -> None:
    crypt.phone("referee").says("d brog 4 a ghoul")
    phone = crypt.phone(seat)
    (address,) = {found for found in reasons(phone.get("/").main) if found.endswith("Brog.hp")}
    assert "Brog is hit for 4 by a ghoul" in phone.get(address).main


@pytest.mark.parametrize("evening", ["crypt", "barrow", "tower"])
def test_each_reason_on_a_sheet_is_one(request: pytest.FixtureRequest, evening: str) -> None:
    served: Served = request.getfixturevalue(evening)
    referee = served.phone("referee")
    name = next(iter(served.handler.state().characters))
    referee.says(f'track {name} "a torch" 3')
    found = reasons(referee.get(f"/sheet/{name}").main)
    assert len(found) >= 4
    for address in found:
        page = referee.get(address)
        assert page.status == 200 and "is not there" not in page.main, address
    assert f"/why?of={name}.a%20torch" in found


def test_what_is_kept_from_others_has_no_reason_for_them(barrow: Served) -> None:
    barrow.phone("Ines").says("s brann 1 2")
    for address in reasons(barrow.phone("Marek").get("/sheet/brann").main):
        assert "Trample" not in barrow.phone("Marek").get(address).text


def test_wounds_and_marks_have_reasons_too(crypt: Served) -> None:
    referee = crypt.phone("referee")
    for line in ("d brog 4", "d brog 9", "saves brog 40 40 wound=arm effect=numb"):
        assert referee.says(line).status == 303, line
    sheet = referee.get("/sheet/brog").main
    assert {"/why?of=Brog.marks", "/why?of=Brog.wounds"} <= reasons(sheet), sheet


def test_the_dead_have_a_word_in_the_place_of_their_bar(crypt: Served) -> None:
    for line in ("d brog 12", "saves brog 1 1", "fate brog death"):
        assert crypt.phone("referee").says(line).status == 303, line
    for seat, address in (("Mia", "/"), ("Jo", "/"), ("Jo", "/sheet/brog"), ("referee", "/sheet/brog"), ("table", "/")):
        main = crypt.phone(seat).get(address).main
        assert re.search(">dead<", main, re.IGNORECASE), (seat, address)
        assert 'value="0" low' not in main and "0</b>" not in main, (seat, address)


@pytest.mark.parametrize(("evening", "words"), [("crypt", "Brog: hit points"), ("tower", "Wren: Stamina")])
def test_the_figure_of_each_character_is_asked_about_by_one_tap(
    request: pytest.FixtureRequest, evening: str, words: str
) -> None:
    phone = request.getfixturevalue(evening).phone("Mia")
    for address in ("/ask", "/why"):
        main = phone.get(address).main
        (found,) = re.findall(rf'href="(/why[^"]*)"[^>]*>{words}</a>', main)
        assert "since" in phone.get(found).main
        # whatever else stands on a sheet is behind one more
        (behind,) = re.findall(f"<summary>More of {words.partition(':')[0]}</summary>(.*?)</details>", main, re.DOTALL)
        others = re.findall(r'href="(/why[^"]*)"', behind)
        assert len(others) > 3 and found not in others and "since" in phone.get(others[0]).main
