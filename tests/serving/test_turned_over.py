"""Cards and dice that somebody has seen are on the log, or wait there for the choice that they offer.

Nobody leaves them and plays on with what is known by then.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from cli.serving.invitations import REFEREE, seat_of
from domain.common.notes import Note
from domain.common.revisions import Undo
from domain.gloomhaven.damage import Damage
from domain.turn import Action
from tests.kit.browsers import CHROMIUM, PHONE, line_on, patient, seat_at, wait_until_settled
from tests.kit.online import online
from tests.kit.phones import Phone, Served
from tests.kit.shell import Shell

ATTACK = "fa wolf vv wren"
WHY = "The wolf&#39;s ✔✔ against Wren&#39;s ✗✗ offers a choice."


def sentences(tower: Served, after: int) -> list[str]:
    return [" ".join("".join(event.sentence()) for event in turn.facts) for turn in tower.log.read(after=after)]


def told(table: Served, action: Action) -> None:
    """Another process records something."""
    table.handler.record(action)
    table.serving.turns.came(table.log.last())


def asked(phone: Phone, line: str) -> str:
    """What somebody is asked for a line."""
    page = phone.says(line)
    assert page.status == 200, page
    return page.main


def test_what_was_turned_over_waits_for_its_choice_whatever_is_said_instead(tower: Served) -> None:
    before, keeper, mia, jo = tower.log.last(), tower.phone("referee"), tower.phone("Mia"), tower.phone("Jo")
    main = asked(keeper, ATTACK)
    assert WHY in main and "Not now" not in main
    # the same question comes for whatever else would be done, and nothing is
    for line in ("f wren str", "n Rain.", "fa wolf x wren", "undo"):
        main = asked(keeper, line)
        assert "has to be settled first" in main and WHY in main and "Not now" not in main, line
    for phone, line in ((mia, "f wren str"), (jo, "f ash str")):
        assert "has to be settled first" in phone.says(line).main
    assert tower.log.last() == before
    # it stands on the table, for whoever comes back to it
    page = keeper.get("/")
    assert WHY in page.main and WHY in mia.get("/").main
    keeper.tap("a Wound")
    assert "which gives Wren a Wound." in sentences(tower, before)[0]
    assert "has to be settled" not in keeper.says("n Rain.").main
    assert WHY not in mia.get("/").main


def test_taken_as_it_stands_it_is_recorded_as_it_was_shown(tower: Served) -> None:
    before, keeper = tower.log.last(), tower.phone("referee")
    asked(keeper, ATTACK)
    keeper.get("/")
    keeper.tap("the defender loses 1d4+1 Stamina")
    told = sentences(tower, before)
    assert len(told) == 1 and "✔✔ against ✗✗, which costs Wren" in told[0]


def test_a_turn_from_elsewhere_ends_the_question(tower: Served) -> None:
    keeper = tower.phone("referee")
    asked(keeper, ATTACK)
    # another process, which knows of no page
    tower.handler.record(Note(text="Rain."))
    assert WHY not in keeper.get("/").main
    assert keeper.says("n Hail.").status == 303


def test_the_only_foe_is_chosen_until_somebody_else_is(tower: Served) -> None:
    mia = tower.phone("Mia")
    form = mia.get("/act/attack").form("Look")
    assert ("f.foe", "wolf") in form.fields
    # whoever else could be attacked is asked for behind the rest, as is what is melee by itself
    needed, _, rest = mia.get("/act/attack").main.partition("<summary>More</summary>")
    assert 'value="wolf"' in needed and 'value="Ash"' not in needed and 'value="Ash"' in rest
    assert 'value="ranged"' not in needed and 'value="ranged"' in rest
    assert "Wren attacks the wolf" in mia.post("/look", [*form.fields, ("f.foe_result", "x")]).main
    assert "Wren attacks Ash" in mia.post("/look", [*form.fields, ("f.defender", "Ash")]).main


def test_at_no_foe_is_no_answer_to_whom_it_is_aimed_at(tower: Served) -> None:
    assert tower.phone("referee").says("foe bear 5").status == 303
    main = tower.phone("Mia").get("/act/attack").main
    foes = re.findall(r'name="f.foe" value="([^"]*)"( checked)?', main)
    assert foes == [("wolf", ""), ("bear", "")]


def test_a_hit_that_the_referee_tells_of_is_asked_on_the_phone_of_whom_it_hit(barrow: Served) -> None:
    keeper, ines, marek = barrow.phone("referee"), barrow.phone("Ines"), barrow.phone("Marek")
    before, why = barrow.log.last(), "Brann: suffer 3 damage, or negate it?"
    assert why in asked(keeper, "d brann 3")
    # others look on, and the referee has it where the tap was
    assert why in ines.get("/").main and why not in marek.get("/").main
    page = ines.tap("lose a card of the hand")
    assert page.status == 200 and barrow.log.last() == before
    ines.tap("Trample")
    assert "negates" in sentences(barrow, before)[0]
    assert why not in ines.get("/").main


def test_what_the_referee_leaves_goes_from_the_phone_of_whom_it_hit(barrow: Served) -> None:
    keeper, ines, before = barrow.phone("referee"), barrow.phone("Ines"), barrow.log.last()
    for line, why in (("d brann 3", "suffer 3 damage"), ("d brann 2", "suffer 2 damage")):
        page = keeper.says(line)
        assert why in ines.get("/").main
        # another player's question is not theirs to leave
        assert ines.post("/withdraw").status == 409 and why in ines.get("/").main
        leave = page.form("Not now")
        assert keeper.post(leave.action, leave.fields).status == 303
        assert why not in ines.get("/").main
    assert barrow.log.last() == before


def test_only_the_question_that_was_shown_is_left_and_not_by_who_only_reads(barrow: Served) -> None:
    keeper, ines = barrow.phone("referee"), barrow.phone("Ines")
    shown = keeper.says("d brann 3 a ghoul").form("Not now")
    later = keeper.says("d brann 3 a wolf").form("Not now")
    assert keeper.post(shown.action, shown.fields).status == 303
    assert "suffer 3 damage" in ines.get("/").main
    barrow.serving.view(seat_of(REFEREE)).permissions.only_reads = True
    assert keeper.post(later.action, later.fields).status == 409
    assert "suffer 3 damage" in ines.get("/").main


def test_what_was_turned_over_is_not_left(tower: Served) -> None:
    keeper = tower.phone("referee")
    assert "Not now" not in asked(keeper, ATTACK)
    keeper.post("/withdraw")
    assert WHY in keeper.get("/").main


def test_a_hit_does_not_hold_up_the_table(barrow: Served) -> None:
    keeper, marek = barrow.phone("referee"), barrow.phone("Marek")
    asked(keeper, "d brann 3")
    assert marek.says("n Rain.").status == 303
    assert "suffer 3 damage" not in barrow.phone("Ines").get("/").main


def test_a_card_that_is_drawn_again_is_paid_for_with_another(barrow: Served, shell: Shell) -> None:
    shell.do(
        "s brann trample eye",
        "s ysa mana fire",
        "reveal",
        "e ysa",
        "e brann",
        "clean-up",
        "gloomhaven short-rest brann",
    )
    barrow.serving.turns.came(barrow.log.last())
    ines, before = barrow.phone("Ines"), barrow.log.last()
    assert "negate" in asked(ines, "reroll-rest brann")
    ines.tap("lose a card of the hand")
    assert ines.page is not None
    ines.tap(next(form.says for form in ines.page.forms if form.action == "/do" and "Not now" not in form.says)[:12])
    assert barrow.log.last() == before + 1


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_an_attack_by_taps_cannot_be_left_once_the_cards_are_seen(browser: Any, tower: Served) -> None:
    expect = patient()
    with online(tower) as address:
        keeper, wrong = seat_at(browser, tower, address, REFEREE, PHONE)
        line_on(keeper).fill(ATTACK)
        keeper.keyboard.press("Enter")
        expect(keeper.locator("dialog")).to_contain_text("offers a choice")
        assert keeper.get_by_text("Not now").count() == 0
        keeper.keyboard.press("Escape")
        keeper.reload()
        wait_until_settled(keeper)
        expect(keeper.locator("#now")).to_contain_text("The wolf's ✔✔ against Wren's ✗✗ offers a choice.")
        keeper.get_by_role("button", name="a Wound").click()
        expect(keeper.locator("#now [data-part=turns]")).to_contain_text("gives Wren a Wound")
        assert wrong == []


@contextmanager
def asked_of_ines(browser: Any, barrow: Served) -> Iterator[tuple[Any, Any]]:
    """Her phone and the referee's, whose hit she is asked about; nothing may have gone wrong on either in the end."""
    with online(barrow) as address:
        ines, wrong = seat_at(browser, barrow, address, "Ines", PHONE)
        keeper, wrong_too = seat_at(browser, barrow, address, REFEREE, PHONE)
        line_on(keeper).fill("d brann 3")
        keeper.keyboard.press("Enter")
        patient()(ines.locator("#now")).to_contain_text("Brann: suffer 3 damage, or negate it?")
        yield ines, keeper
        assert wrong + wrong_too == []


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_a_hit_comes_to_the_phone_of_whom_it_hit_by_itself(browser: Any, barrow: Served) -> None:
    expect = patient()
    with asked_of_ines(browser, barrow) as (ines, keeper):
        wait_until_settled(ines)
        ines.get_by_role("button", name="suffer 3").click()
        expect(keeper.locator("#now [data-part=turns]")).to_contain_text("Brann suffers 3")


@pytest.mark.parametrize("answer", ["suffer 3", "Trample"])
def test_whoever_told_of_a_hit_hears_that_it_is_answered(barrow: Served, answer: str) -> None:
    keeper, ines = barrow.phone("referee"), barrow.phone("Ines")
    at, line = str(barrow.log.last()), "d brann 3"
    asked(keeper, line)

    def by_now() -> Any:
        return barrow.run(keeper.sending("/asked", [("at", at), ("line", line)], accept="application/json")).json()

    told(barrow, Note(text="Rain."))
    assert "suffer 3" in by_now()["asked"]
    asked(keeper, line)
    ines.get("/")
    if answer == "Trample":  # of the cards in hand
        ines.tap("lose a card of the hand")
    ines.tap(answer)
    (done,) = by_now()["done"]
    assert done["turn"] == barrow.log.last() and done["sentence"] in sentences(barrow, barrow.log.last() - 1)
    # what was recorded before it was asked is no answer to it, nor is anything where it is not said when that was
    asked_at, at = at, str(barrow.log.last())
    assert "suffer 3" in by_now()["asked"]
    at = "0"
    assert "suffer 3" in by_now()["asked"]
    # and what was taken back answers nothing any more
    at = asked_at
    assert "done" in by_now()
    barrow.handler.record(Undo())
    assert "suffer 3" in by_now()["asked"]


@pytest.mark.parametrize(("first", "other"), [("referee", "Ines"), ("Ines", "referee")])
def test_a_hit_that_somebody_else_has_answered_meanwhile_is_not_told_twice(
    barrow: Served, first: str, other: str
) -> None:
    barrow.phone("referee").says("d brann 3")
    one, two = barrow.phone(first), barrow.phone(other)
    one.page, two.page = (
        phone.get("/") if name == "Ines" else phone.says("d brann 3") for phone, name in ((one, first), (two, other))
    )
    two.tap("lose a card of the hand")
    one.tap("suffer 3")
    last = barrow.log.last()
    assert "That was done already" in two.tap("Trample").main
    assert barrow.log.last() == last


def test_what_is_asked_about_an_earlier_hit_is_of_the_hand_that_was_held_then(barrow: Served) -> None:
    keeper = barrow.phone("referee")
    for line in ("n Rain.", "damage brann 3 lose_hand=trample", "n Hail."):
        assert keeper.says(line).status == 303
    keeper.page = keeper.says("d brann 2 after T6")
    cards = [form.says.partition(":")[0] for form in keeper.tap("lose a card of the hand").forms]
    assert "Trample" in cards and len(cards) == len(set(cards))


@pytest.mark.parametrize("line", ["d brann,ysa 3", "d brann 3 after T4"])
def test_a_hit_of_several_or_of_earlier_is_answered_where_it_was_told(barrow: Served, line: str) -> None:
    keeper, ines = barrow.phone("referee"), barrow.phone("Ines")
    assert "suffer 3 damage" in asked(keeper, line)
    # her answer would be recorded alone, and as of now
    assert "suffer 3 damage" not in ines.get("/").main


def test_a_hit_that_puts_somebody_out_is_answered_by_it(barrow: Served) -> None:
    keeper, ines = barrow.phone("referee"), barrow.phone("Ines")
    at, line = str(barrow.log.last()), "d brann 30"
    asked(keeper, line)
    ines.get("/")
    ines.tap("suffer 30")
    assert barrow.log.last() > int(at)
    reply = barrow.run(keeper.sending("/asked", [("at", at), ("line", line)], accept="application/json")).json()
    assert "30" in reply["done"][0]["sentence"]


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
@pytest.mark.parametrize(
    ("told_by", "asks", "answer", "becomes"),
    [
        ("line", "suffer 3 damage, or negate it?", "suffer 3", "Brann suffers 3"),
        ("form", "Trample", "Trample", "Brann negates an attack of 3"),
    ],
)
def test_a_hit_that_was_answered_on_a_phone_leaves_nothing_to_send_again(
    browser: Any, barrow: Served, told_by: str, asks: str, answer: str, becomes: str
) -> None:
    expect = patient()
    with online(barrow) as address:
        ines, wrong = seat_at(browser, barrow, address, "Ines", PHONE)
        keeper, wrong_too = seat_at(browser, barrow, address, REFEREE, PHONE)
        if told_by == "line":
            line_on(keeper).fill("d brann 3")
            keeper.keyboard.press("Enter")
        else:
            keeper.goto(f"{address}/act/damage?for=Brann")
            keeper.locator("[name='f.amount']").fill("3")
            keeper.get_by_role("button", name="lose a card of the hand").click()
        expect(keeper.locator("dialog")).to_contain_text(asks)
        expect(ines.locator("#now")).to_contain_text(asks)
        wait_until_settled(ines)
        ines.locator("[data-part='open question']").get_by_role("button", name=answer).click()
        expect(keeper.locator("dialog")).to_be_hidden()
        if told_by == "line":
            expect(keeper.locator("#line-form .would")).to_have_text(re.compile(f"has its answer: {becomes}"))
        expect(keeper.locator("#now [data-part=turns]")).to_contain_text(becomes)
        expect(line_on(keeper)).to_have_value("")
        assert wrong + wrong_too == []


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
@pytest.mark.parametrize("leave", ["button", "key"])
def test_a_hit_that_the_referee_leaves_goes_from_an_open_page(browser: Any, barrow: Served, leave: str) -> None:
    expect = patient()
    with asked_of_ines(browser, barrow) as (ines, keeper):
        wait_until_settled(keeper)
        if leave == "key":
            keeper.keyboard.press("Escape")
        else:
            keeper.get_by_role("button", name="Not now").click()
        expect(ines.locator("#now")).not_to_contain_text("suffer 3 damage")
        expect(keeper.locator("dialog")).to_be_hidden()


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
@pytest.mark.parametrize(
    ("elsewhere", "says", "line"),
    [
        ({"amount": 1}, "That question has its answer: Brann suffers 1", ""),
        ({"amount": 1, "lose_hand": 1}, "That question has its answer: Brann negates", ""),
        ({"amount": 4}, "that question is over", "damage brann 1"),
    ],
    ids=["as one of its answers", "as another of them", "so that it is another question"],
)
def test_a_question_over_the_page_closes_with_the_turn_that_ends_it(
    browser: Any, barrow: Served, elsewhere: dict[str, Any], says: str, line: str
) -> None:
    expect = patient()
    with online(barrow) as address:
        ines, wrong = seat_at(browser, barrow, address, "Ines", PHONE)
        line_on(ines).fill("damage brann 1")
        ines.keyboard.press("Enter")
        expect(ines.locator("dialog")).to_contain_text("suffer 1 damage, or negate it?")
        # what has nothing to do with it leaves it alone
        told(barrow, Note(text="Rain."))
        expect(ines.locator("#now [data-part=turns]")).to_contain_text("Rain.")
        ines.wait_for_load_state("networkidle")
        expect(ines.locator("dialog")).to_be_visible()
        told(barrow, Damage(character="Brann", **elsewhere))
        expect(ines.locator("dialog")).to_be_hidden()
        expect(ines.locator("#line-form .would")).to_contain_text(says)
        expect(line_on(ines)).to_have_value(line)
        expect(ines.locator("#line-form .matter")).to_be_hidden()
        # and the next line can be typed
        last = barrow.log.last()
        line_on(ines).fill("n Hail.")
        ines.keyboard.press("Enter")
        expect(ines.locator("#now")).to_have_attribute("data-turn", str(last + 1))
        assert wrong == []


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
def test_a_line_is_gone_once_its_question_is_answered_over_the_page(browser: Any, barrow: Served) -> None:
    expect = patient()
    with online(barrow) as address:
        ines, wrong = seat_at(browser, barrow, address, "Ines", PHONE)
        for last in ("suffer 1", "Trample"):
            line_on(ines).fill("damage brann 1")
            ines.keyboard.press("Enter")
            if last != "suffer 1":  # the answer asks which card
                ines.locator("dialog").get_by_role("button", name="lose a card of the hand").click()
            ines.locator("dialog").get_by_role("button", name=re.compile(last)).click()
            expect(ines.locator("dialog")).to_be_hidden()
            expect(line_on(ines)).to_have_value("")
        assert wrong == []
