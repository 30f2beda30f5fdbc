"""What a tap does: previewed first, asked where the rules ask, done once, and only what the seat may do."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from cli.serving.field_controls import is_filled_in
from cli.store import layout
from domain import common
from domain.common.sessions import SessionOpen
from domain.log.effective_history import REVISING_TAGS
from domain.registry import system_of, tag_of
from domain.system.field_schema import fields_of
from tests.kit.phones import Phone, Served
from tests.kit.shell import Shell
from tests.serving.conftest import evening


def latest(served: Served) -> tuple[str | None, str]:
    (turn,) = served.log.read(after=served.log.last() - 1)
    return turn.by, " ".join("".join(event.sentence()) for event in turn.facts)


def test_a_line_is_looked_at_and_then_done(crypt: Served) -> None:
    phone, before = crypt.phone("Mia"), crypt.log.last()
    phone.get("/")
    page = phone.tap("Look", line="d brog 4 a ghoul")
    assert "Brog is hit for 4 by a ghoul and has 7 hit points left." in page.main
    assert crypt.log.last() == before
    page = phone.tap("Do it")
    assert latest(crypt) == ("Mia", "Brog is hit for 4 by a ghoul and has 7 hit points left.")
    assert "7 hit points left" in page.main


def test_somebody_elses_line_is_asked_about_with_whose_it_is(crypt: Served) -> None:
    crypt.phone("Mia").says("d brog 1")
    turn, keeper = crypt.log.last(), crypt.phone("referee")
    page = keeper.post("/do", {"at": str(turn), "line": "u"})
    assert f"T{turn} is Mia&#39;s line. Undo it?" in page.main and crypt.log.last() == turn
    keeper.says("d brog 1")
    page = keeper.post("/do", {"at": str(turn + 1), "line": f"T{turn} amount=2"})
    assert f"T{turn} is Mia&#39;s line. Change it?" in page.main and crypt.log.last() == turn + 1


def test_nothing_random_is_shown_before_it_is_done(crypt: Served) -> None:
    phone = crypt.phone("Mia")
    for _ in range(5):
        phone.get("/")
        assert "rolls 2d6 for Brog&#39;s re-roll." in phone.tap("Look", line="rest brog").main


def test_a_tap_that_is_sent_twice_is_one_turn(crypt: Served) -> None:
    phone = crypt.phone("Mia")
    tap = {"at": str(crypt.log.last()), "line": "d brog 1"}
    assert phone.post("/do", tap).status == 303
    last = crypt.log.last()
    again = phone.post("/do", tap)
    assert "That was done already" in again.main
    assert crypt.log.last() == last
    # the same said of the table as it is now is another turn; by somebody else it is one too
    assert phone.post("/do", tap | {"at": str(last)}).status == 303
    assert crypt.log.last() == last + 1


def test_a_tap_is_one_turn_across_a_new_start_of_the_server(crypt: Served) -> None:
    phone = crypt.phone("Mia")
    tap = {"at": str(crypt.log.last()), "line": "rest brog"}
    assert phone.post("/do", tap).status == 303
    last = crypt.log.last()
    with Served.again(crypt) as later:
        again = Phone(later)
        again.cookies = phone.cookies
        assert "That was done already" in again.post("/do", tap).main
    assert crypt.log.last() == last


def test_a_line_for_several_is_several_turns_once(crypt: Served) -> None:
    phone = crypt.phone("referee")
    tap = {"at": str(crypt.log.last()), "line": "d brog,ada 1 fireball"}
    before = crypt.log.last()
    assert phone.post("/do", tap).status == 303
    assert crypt.log.last() == before + 2
    assert phone.post("/do", tap).main.count('class="turn"') == 2
    assert crypt.log.last() == before + 2


def test_a_tap_asks_the_log_for_its_end_once_and_for_its_turn_once(crypt: Served) -> None:
    phone, asked = crypt.phone("Mia"), list[str]()
    crypt.phone("Jo").says("n Rain")
    ask = crypt.log.ask

    def counting(select: str, *parameters: int | str) -> list[tuple[Any, ...]]:
        asked.append(select)
        return ask(select, *parameters)

    crypt.log.ask = counting  # type: ignore[method-assign]
    phone.says("d brog 1")
    assert asked.count(layout.LAST_TURN) == 2, "beside the kit, which asks for the end to send it"
    turns = [select for select in asked if select == layout.segment((), REVISING_TAGS)]
    assert len(turns) == 1, "what is answered and what every page is told are worked out together"


def test_two_taps_at_once_are_two_turns(crypt: Served) -> None:
    mia, jo = crypt.phone("Mia"), crypt.phone("Jo")
    before = crypt.log.last()

    async def both() -> None:
        at = ("at", str(before))
        await asyncio.gather(
            mia.sending("/do", [at, ("line", "d brog 1")]), jo.sending("/do", [at, ("line", "d ada 1")])
        )

    crypt.run(both())
    assert crypt.log.last() == before + 2


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("d ada 1", "Mia does not play Ada."),
        ("d brog,ada 1", "Mia does not play Ada."),
        ("d pim 1", "Mia does not play Pim."),
        ("d", "damage needs character: Brog; and amount: points of damage. Like: d Brog 1."),
        ("override brog hp=1 because", "override is for whoever keeps the log."),
        ("enrol Wen", "enrol is for whoever keeps the log."),
        ("session open", "session open is for whoever keeps the log."),
        ("ruling 6.4 We re-roll", "ruling is for whoever keeps the log."),
        ("undo T2", "You may undo your own last line, and no other."),
        ("undo T2 conflicts=drop", "Later turns rest on it; whoever keeps the log can settle that."),
        ("redo", "You can restore what you undid last, as long as you have recorded nothing since."),
        ("redo T2", "You can restore what you undid last, as long as you have recorded nothing since."),
        ("T2 level=1", "Earlier turns are changed by whoever keeps the log."),
        ("amend T2 level=1", "Earlier turns are changed by whoever keeps the log."),
        ("d brog 1 --by Jo", "by is for whoever keeps the log; leave it out."),
        ("d brog 1 --after T2", "after is for whoever keeps the log; leave it out."),
    ],
)
def test_a_player_acts_for_the_own_characters(crypt: Served, line: str, sentence: str) -> None:
    phone, before = crypt.phone("Mia"), crypt.log.last()
    for answer in (phone.says(line), phone.post("/look", at="1", line=line)):
        assert answer.status == (422 if "needs" in sentence else 409), answer
        assert sentence in answer.main
    assert crypt.log.last() == before


def test_the_referee_acts_for_all(crypt: Served) -> None:
    phone = crypt.phone("referee")
    assert phone.says("d ada 1").status == 303
    assert latest(crypt)[0] == "referee"
    assert phone.says("session open The crypt").status == 303


def test_a_file_is_never_read_for_a_line(barrow: Served) -> None:
    before = barrow.log.last()
    for name in ("referee", "Ines"):
        answer = barrow.phone(name).says("enrol Zed class brute class-data /etc/passwd")
        assert answer.status == 422
        assert "root:" not in answer.main
    assert barrow.log.last() == before


@pytest.mark.parametrize("name", ["table", "Mia"])
def test_a_page_that_reads_does_nothing(crypt: Served, name: str) -> None:
    with Served.again(crypt, readonly=True) as reading:
        phone, before = reading.phone(name), crypt.log.last()
        page = phone.get("/")
        assert [form.action for form in page.forms] == ["/leave"]
        for answer in (phone.says("d brog 1"), phone.post("/look", at="1", line="d brog 1")):
            assert (answer.status, "You can only read here." in answer.main) == (409, True)
        assert crypt.log.last() == before


def test_the_own_last_line_is_taken_back_once_it_was_shown(crypt: Served) -> None:
    phone = crypt.phone("Mia")
    phone.says("d brog 4")
    crypt.phone("Jo").says("d ada 1")
    phone.get("/")
    before = crypt.log.last()
    page = phone.tap("Undo T5")
    assert "undone" in page.main
    assert "hp" in page.main
    assert crypt.log.last() == before
    phone.tap("Do it")
    assert latest(crypt)[0] == "Mia"
    assert crypt.log.last() == before + 1
    # the line before it is not the last one any more, and Jo's is not hers
    answer = phone.says("undo T6")
    assert "You may undo your own last line, and no other." in answer.main


@pytest.mark.parametrize("seat", ["Mia", "referee"])
def test_whoever_has_undone_a_line_is_offered_to_restore_it_and_to_undo_no_more(crypt: Served, seat: str) -> None:
    phone = crypt.phone(seat)
    for amount in (4, 2):
        assert phone.says(f"d brog {amount}").status == 303
    last = crypt.log.last()
    phone.get("/")
    phone.tap(f"Undo T{last}")
    if seat == "Mia":
        phone.tap("Do it")
    assert crypt.handler.state().characters["Brog"].hp == 7
    page = phone.get("/")
    offered = [form.says for form in page.forms if form.says.startswith(("Undo", "Redo"))]
    assert offered == [f"Redo T{last} …"]
    # whatever is done next can be undone again
    phone.says("n Rain.")
    offered = [form.says for form in phone.get("/").forms if form.says.startswith(("Undo", "Redo"))]
    assert offered == [f"Undo T{crypt.log.last()} …"]


@pytest.mark.parametrize("last_done", ["d brog 4", "undo"])
@pytest.mark.parametrize("seat", ["Mia", "referee"])
def test_what_an_earlier_evening_was_is_not_offered_to_be_undone(crypt: Served, seat: str, last_done: str) -> None:
    phone = crypt.phone(seat)

    def offered() -> list[str]:
        return [form.says for form in phone.get("/").forms if form.says.startswith(("Undo", "Redo"))]

    for line in ("d brog 1", "d brog 1"):
        phone.says(line)
    phone.page = phone.says(last_done)
    if seat == "Mia" and last_done == "undo":
        phone.tap("Do it")
    assert offered() != []
    crypt.handler.record(SessionOpen(), by="Jo")
    assert offered() == []
    # what is done from now on can be
    phone.says("n Rain.")
    assert offered() == [f"Undo T{crypt.log.last()} …"]


def test_the_own_last_line_is_changed_restored_and_dice_are_rolled_by_players(crypt: Served) -> None:
    phone = crypt.phone("Mia")
    phone.says("d brog 4")
    turn = crypt.log.last()
    crypt.phone("Jo").says("roll 2d6 for the weather")
    assert latest(crypt)[0] == "Jo"
    answer = phone.says(f"T{turn + 1} dice=3d6")
    assert answer.status == 409 and f"You may change your own last line, T{turn}, and no other." in answer.main
    # a line, and the form that the turn's page leads to
    phone.page = phone.says(f"T{turn} 3")
    assert "now: Brog is hit for 3 and has 8 hit points left." in phone.page.main and crypt.log.last() == turn + 1
    phone.tap("Do it")
    assert crypt.handler.state().characters["Brog"].hp == 8
    assert f"/act/amend?turn=T{turn}" in phone.get(f"/turn/{turn}").main
    assert "Amend" not in phone.get(f"/turn/{turn + 1}").main
    assert phone.get(f"/act/amend?turn=T{turn}").status == 200
    # undo takes the latest line back, which is the amendment; beside the hit nothing else is meant by it
    amendment = crypt.log.last()
    undo = f"Undo T{amendment}, the amendment of T{turn} …"
    assert phone.get(f"/turn/{turn}").form("Undo").says == undo
    referees = crypt.phone("referee").get(f"/turn/{turn}").form("Undo")
    assert (referees.says, ("line", f"undo T{amendment}") in referees.fields) == (undo, True)
    assert phone.get("/").form("Undo").says == undo
    phone.tap("Undo")
    phone.tap("Do it")
    assert crypt.handler.state().characters["Brog"].hp == 7
    phone.get("/")
    phone.tap("Redo")
    phone.tap("Do it")
    assert crypt.handler.state().characters["Brog"].hp == 8
    assert "Redo" not in phone.get("/").main


def test_what_others_built_upon_is_left_to_the_referee(crypt: Served) -> None:
    mia, referee = crypt.phone("Mia"), crypt.phone("referee")
    mia.says("d brog 14 dc 12")
    turn = crypt.log.last()
    assert referee.says("saves brog 15 15").status == 303
    mia.get("/")
    answer = mia.tap(f"Undo T{turn}")
    assert (answer.status, "whoever keeps the log can settle that" in answer.main) == (409, True)
    before = crypt.log.last()
    assert "Do it" in referee.says(f"undo T{turn} conflicts=drop").main
    referee.page = referee.says(f"undo T{turn}")
    assert (
        f"A later turn would no longer be legal. T{turn + 1}: Brog has no injury to save against" in referee.page.main
    )
    assert crypt.log.last() == before
    assert "Brog: " in referee.tap("drop it").main and crypt.log.last() == before, "what comes of the answer is shown"
    referee.tap("Do it")
    assert crypt.log.last() == before + 1
    assert crypt.handler.state().characters["Brog"].injury is None


def test_what_the_rules_ask_is_asked_and_answered_by_taps(barrow: Served) -> None:
    phone = barrow.phone("Ines")
    page = phone.get("/")
    assert "Brann has not selected any cards yet." in page.main
    phone.tap("Select Trample")
    before = barrow.log.last()
    page = phone.tap("Eye for an Eye")
    assert barrow.log.last() == before + 1
    assert "Brann selects Trample, then Eye for an Eye." in page.main
    assert "Ines has chosen, 1 of 2 at the table." in barrow.phone("table").get("/").main


def test_a_rest_is_offered_on_the_phone_of_whose_it_is(barrow: Served, shell: Shell) -> None:
    """All read who may rest, and anybody begins the next round."""
    shell.do("s brann trample eye", "s ysa mana fire", "reveal", "e ysa", "e brann", "clean-up")
    barrow.serving.turns.came(barrow.log.last())

    def rests(seat: str) -> list[str]:
        says = [form.says for form in barrow.phone(seat).get("/").forms]
        assert any(button.startswith("Begin round") for button in says)
        return [button.partition(" takes")[0] for button in says if button.startswith("Short rest")]

    # a button that comes to nothing known would say its name alone
    assert rests("Ines") == ["Short restBrann"]
    assert rests("Marek") == ["Short restYsa"]
    assert rests("referee") == ["Short rest (Brann)Brann", "Short rest (Ysa)Ysa"]
    assert "may take a short rest before the next round." in barrow.phone("Marek").get("/").main


def test_a_round_of_one_player_is_eight_taps(barrow: Served) -> None:
    """Two cards, top, bottom, a hit (its form, a number, suffer it), the end of the turn."""
    phone, before = barrow.phone("Ines"), barrow.log.last()
    taps = 0

    def tap(says: str, **filled_in: str) -> None:
        nonlocal taps
        taps += 1
        assert phone.tap(says, **filled_in).status == 200

    phone.get("/")
    tap("Select Trample")
    tap("Provoking Roar")
    barrow.phone("Marek").says("s ysa 63 64")
    barrow.phone("referee").says("rev")
    for line in ("t ysa 63", "b ysa 64", "e ysa"):
        barrow.phone("Marek").says(line)
    phone.get("/")
    tap("Perform Trample, top")
    tap("Perform Provoking Roar, bottom")
    phone.get("/act/damage")
    taps += 2  # the form is opened, the number tapped; with script it is looked at by itself
    phone.tap("Look", **{"f.amount": "3"})
    tap("suffer")
    tap("End turn")
    assert [turn.by for turn in barrow.log.read(after=before)].count("Ines") == 5
    assert taps == 8


def test_what_the_rules_ask_first_is_asked_while_it_is_looked_at(barrow: Served) -> None:
    phone, before = barrow.phone("Ines"), barrow.log.last()
    answer = phone.typing("d brann 3")
    assert "suffer" in answer["would"]
    says = [form.says for form in phone.post("/look", at=str(before), line="d brann 3").forms if form.action == "/do"]
    assert len(says) == answer["asked"].count("<button") > 1
    assert phone.typing("n The torch gutters")["asked"] == ""
    assert barrow.log.last() == before


def test_a_line_is_completed_while_it_is_typed(barrow: Served) -> None:
    phone = barrow.phone("Ines")

    def ways(line: str, phone: Phone = phone) -> list[str]:
        return re.findall(r'data-line="([^"]*)"', phone.typing(line)["ways"])

    assert ways("dam") == ["damage ", "summon-damage ", "draw-modifier "]
    # a player acts for the own characters, and asks about everybody
    assert ways("damage") == ways("damage ") == ["damage Brann "]
    assert ways("why ") == ["why Brann ", "why Ysa "]
    assert ways("n about=") == ["n about=Brann ", "n about=Ysa "]
    assert not [way for line in ("enr", "rev") for way in ways(line) if way.startswith(line)]
    assert ways("enrol") == ways("session") == ways("u") == ways("undo ") == []
    assert ways("select bra") == ["select Brann "]
    assert ways("select brann sp") == [
        "select brann &#34;Spare Dagger&#34; ",
        "select brann &#34;Sweeping Blow&#34; ",
    ]
    # no card of somebody else's hand; nothing of an earlier turn; nothing of nothing
    assert ways("select ysa fi") == []
    assert ways("T2 ") == ways("amend T2 ") == ways("") == []
    # whoever keeps the log may do both
    referee = barrow.phone("referee")
    assert ways("damage ", referee) == ["damage Brann ", "damage Ysa ", "damage all ", "damage party "]
    assert ways("enr", referee)[0] == "enrol "
    assert ways("select ysa fi", referee)[0] == "select ysa &#34;Fire Orbs&#34; "
    assert "T2 player=" in ways("T2 ", referee)


def test_damage_is_suffered_or_negated(barrow: Served) -> None:
    phone, before = barrow.phone("Ines"), barrow.log.last()
    page = phone.says("d brann 3")
    assert next(form.says for form in page.forms if form.action == "/do").startswith("suffer")
    assert barrow.log.last() == before
    phone.page = page
    phone.tap("suffer")
    assert barrow.log.last() == before + 1
    assert "Brann suffers 3 damage and has 7 hit points." in latest(barrow)[1]


def test_what_cannot_be_chosen_any_more_is_told_so(barrow: Served) -> None:
    phone, other = barrow.phone("Ines"), barrow.phone("Ines", "10.0.0.3")
    phone.get("/")
    chosen = phone.page
    other.says("d brann 1 lose_hand=trample")
    phone.page = chosen
    answer = phone.tap("Select Trample")
    assert (answer.status, "the table has moved on" in answer.main) == (409, True)


def test_what_the_rules_ask_when_chance_has_spoken_is_a_part_of_the_turn(crypt: Served) -> None:
    assert crypt.phone("referee").says("ruling 6.4 The old total may stay --set keep_higher=true").status == 303
    phone, before = crypt.phone("Mia"), crypt.log.last()
    page = phone.says("rest brog")
    assert crypt.log.last() == before, "it is asked before anything is recorded"
    phone.page = page
    phone.tap("Brog keeps 11")
    assert crypt.log.last() == before + 1
    assert crypt.handler.state().characters["Brog"].hp == 11


def test_a_form_says_what_it_would_do(crypt: Served) -> None:
    phone = crypt.phone("Mia")
    page = phone.get("/act/damage")
    assert "Brog" in page.main
    assert "Ada" not in page.main
    assert "Points of damage is missing." in phone.tap("Look").main
    phone.get("/act/damage")
    assert "has 7 hit points left." in phone.tap("Look", **{"f.amount": "4", "f.source": "a ghoul"}).main
    phone.tap("Do it")
    assert latest(crypt) == ("Mia", "Brog is hit for 4 by a ghoul and has 7 hit points left.")


def test_dice_and_boxes_of_a_form(crypt: Served) -> None:
    phone = crypt.phone("Mia")
    phone.get("/act/short-rest")
    page = phone.tap("Look", **{"f.rolled.Brog": "6,5"})
    assert "Brog rolls 6 5" in page.main
    assert phone.get("/act/enrol").status == 404
    assert phone.get("/act/nothing").status == 404
    assert phone.get("/act/campaign.start").status == 404


def test_a_question_leads_to_its_page(crypt: Served) -> None:
    phone = crypt.phone("Mia")
    for line, address in {
        "why brog": "/why?of=Brog.hp", "T2": "/turn/2", "show 2": "/turn/2", "rules 6.4": "/rule/6.4", "log": "/log",
        "status ada": "/sheet/ada", "recap 1": "/recap/1", "help": "/act",
        "when brog.hp < 3": "/when?if=brog.hp%20%3C%203", "log --grep 'a ghoul'": "/log?grep=a+ghoul",
        "log brog --session 1": "/log?character=brog&session=1", "rules total": "/rules?say=total",
        "diff T2..T3": "/diff?of=T2..T3", "stats": "/stats", "stats hp": "/stats/hp", "recap S2": "/recap/2",
    }.items():  # fmt: skip
        assert phone.says(line).headers.get("location") == address, line
    assert phone.says("query select 1").status == 422
    assert phone.says("export").status == 422
    assert crypt.phone("referee").says("query select 1").headers.get("location") == "/query?sql=select%201"
    for line in ("log --since yesterday", "log --follow", "log -c /etc/passwd", "log --as Jo", "log T1..T2 brog"):
        assert phone.says(line).status == 409, line


@pytest.mark.parametrize("line", ["", "xyzzy", "d brog", "d brog x", "session", '"'])
def test_whatever_is_typed_is_answered_with_a_sentence(crypt: Served, line: str) -> None:
    phone = crypt.phone("Mia")
    for answer in (phone.says(line), phone.post("/look", at="1", line=line)):
        assert answer.status == 422 and 'role="alert"' in answer.main, answer


@pytest.mark.parametrize("line", ["T99999999999", "d brog 1 " + "=" * 50])
def test_numbers_and_words_of_any_length_are_typed(crypt: Served, line: str) -> None:
    phone = crypt.phone("Mia")
    assert (phone.post("/look", at="1", line=line).status, phone.says(line).status) == (200, 303)


@pytest.mark.parametrize(
    "action", ["{", "[]", '"x"', "{}", '{"type":"campaign.start"}', '{"type":"osr.damage"}', "[" * 5000, '{"type":1}']
)
def test_whatever_is_sent_as_an_action_is_answered_with_a_sentence(crypt: Served, action: str) -> None:
    phone, before = crypt.phone("Mia"), crypt.log.last()
    answer = phone.post("/do", at="1", action=action)
    assert answer.status == 422, answer
    assert crypt.log.last() == before


def test_a_form_asks_for_no_field_that_holds_records() -> None:
    left_out = {
        (tag_of(kind), field.key)
        for rules in ("osr", "deckahedron", "gloomhaven")
        for kind in (*common.ACTIONS, *system_of(rules).actions)
        for field in fields_of(kind)
        if not is_filled_in(field)
    }
    assert left_out == {
        ("campaign.start", "inherits"), ("amend", "also"), ("adopt", "conflicts"), ("amend", "conflicts"),
        ("undo", "conflicts"), ("redo", "conflicts"), ("ruling", "conflicts"),
        ("gloomhaven.learn", "cards"), ("gloomhaven.learn", "items"), ("gloomhaven.learn", "classes"),
    }  # fmt: skip


def test_a_hit_that_is_touched_is_suffered_or_negated(barrow: Served) -> None:
    """The rules ask about it as they do for the form: nobody is exhausted who could have lost a card instead."""
    phone = barrow.phone("Ines")
    page = phone.get("/touch/less?figure=hit%20points&who=Brann")
    assert "/act/damage?for=Brann" in page.main
    before = barrow.log.last()
    page = phone.tap("10 suffer 10 damage, or negate it?")
    assert barrow.log.last() == before
    assert [form.says.split(",")[0] for form in page.forms if form.action == "/do"] == [
        "suffer 10 and be exhaustedBrann suffers 10 damage. Brann has no hit points left and is exhausted.",
        "lose a card of the hand",
    ]
    phone.get("/touch/less?figure=hit%20points&who=Brann")
    phone.tap("3 suffer 3 damage, or negate it?")
    phone.tap("suffer 3, 7 hit points left")
    assert latest(barrow) == ("Ines", "Brann suffers 3 damage and has 7 hit points.")
    # another's figure is not touched, nor one that is not there
    assert phone.get("/touch/less?figure=hit%20points&who=Ysa").status == 409
    assert phone.get("/touch/less?figure=luck&who=Brann").status == 404
    assert barrow.phone("table").get("/touch/less?figure=hit%20points&who=Brann").status == 409


def test_a_button_can_be_done(barrow: Served) -> None:
    """No button of a round stands for what can only be refused: the chosen card, the other top, a rest to re-roll."""
    ines, referee = barrow.phone("Ines"), barrow.phone("referee")

    def buttons() -> list[str]:
        return [form.says for form in ines.page.forms] if ines.page is not None else []

    ines.get("/")
    ines.tap("Select Trample")
    assert not [button for button in buttons() if "Trample" in button]
    ines.tap("Provoking Roar")
    for line in ("s ysa mana fire", "rev", "t ysa mana", "b ysa fire", "e ysa"):
        assert referee.says(line).status == 303, line
    ines.get("/")
    ines.tap("Perform Trample, top")
    assert [button for button in buttons() if "bottom" in button.lower()]
    assert not [button for button in buttons() if re.search(r"\btop\b", button, re.IGNORECASE)]
    assert "reroll-rest" not in referee.get("/act").main


def test_what_was_shown_is_asked_again_where_it_would_come_out_otherwise(crypt: Served) -> None:
    """A button says 7 hit points left; by the time it is tapped a hit has made that another sentence."""
    mia, referee = crypt.phone("Mia"), crypt.phone("referee")
    mia.get("/touch/less?figure=hit%20points&who=Brog")
    referee.says("d brog 6")
    before = crypt.log.last()
    page = mia.tap("4 Brog is hit for 4 and has 7 hit points left.")
    assert crypt.log.last() == before
    assert "The table has moved on. This is what it comes to now:" in page.main
    assert "Brog is hit for 4 and has 1 hit point left." in page.main
    mia.tap("Do it")
    assert latest(crypt) == ("Mia", "Brog is hit for 4 and has 1 hit point left.")
    assert crypt.log.last() == before + 1


def test_what_comes_to_the_same_is_not_asked_again(crypt: Served) -> None:
    mia = crypt.phone("Mia")
    mia.get("/touch/less?figure=hit%20points&who=Brog")
    crypt.phone("Jo").says("d ada 1")
    before = crypt.log.last()
    mia.tap("4 Brog is hit for 4 and has 7 hit points left.")
    assert crypt.log.last() == before + 1


def test_a_form_that_was_looked_at_is_asked_again_where_it_would_come_out_otherwise(crypt: Served) -> None:
    mia, referee = crypt.phone("Mia"), crypt.phone("referee")
    mia.get("/act/damage")
    assert "has 7 hit points left." in mia.tap("Look", **{"f.amount": "4"}).main
    referee.says("d brog 9")
    before = crypt.log.last()
    assert "loses the last 2 hit points" in mia.tap("Do it").main
    assert crypt.log.last() == before
    # and once more while that is looked at
    referee.says("rest brog 6 6")
    before = crypt.log.last()
    assert "The table has moved on." in mia.tap("Do it").main
    assert crypt.log.last() == before


def test_a_script_sends_what_it_showed(crypt: Served) -> None:
    mia, referee = crypt.phone("Mia"), crypt.phone("referee")
    line = "d brog 4"
    told = mia.typing(line)
    referee.says("d brog 9")
    before = crypt.log.last()
    # the page has followed the table meanwhile, but the sentence under the line has not
    page = mia.post("/do", at=str(before), line=line, fingerprint=told["fingerprint"])
    assert "loses the last 2 hit points" in page.main
    assert crypt.log.last() == before
    # a line that nobody looked at before is done as it stands
    assert mia.post("/do", at=str(before), line=line).status == 303


def test_a_line_for_several_that_was_looked_at_is_asked_again(crypt: Served) -> None:
    referee = crypt.phone("referee")
    referee.get("/touch/less?figure=hit%20points&who=Brog&who=Ada")
    assert "Ada is hit for 2 and has 6 hit points left." in referee.tap("2").main
    crypt.phone("Jo").says("d ada 5")
    before = crypt.log.last()
    assert "Ada is hit for 2 and has 1 hit point left." in referee.tap("Do it").main
    assert crypt.log.last() == before
    referee.tap("Do it")
    assert crypt.log.last() == before + 2


def test_what_an_undo_changes_is_shown_again_where_it_changes_more_by_then(crypt: Served) -> None:
    mia, referee = crypt.phone("Mia"), crypt.phone("referee")
    mia.says("d brog 4")
    mia.get("/")
    mia.tap(f"Undo T{crypt.log.last()}")
    shown = mia.page
    referee.says("d brog 6")
    before = crypt.log.last()
    mia.page = shown
    assert "has 5 hit points left" in mia.tap("Do it").main
    assert crypt.log.last() == before
    mia.tap("Do it")
    assert crypt.log.last() == before + 1


def test_an_answer_to_the_rules_is_asked_again_where_it_comes_to_something_else(barrow: Served) -> None:
    ines, referee = barrow.phone("Ines"), barrow.phone("referee")
    ines.page = ines.says("d brann 3")
    assert "Brann suffers 3 damage and has 7 hit points." in ines.page.main
    referee.page = referee.says("d brann 5")
    referee.tap("suffer")
    asked = barrow.log.last()
    page = ines.tap("suffer")
    assert barrow.log.last() == asked
    assert "has 2 hit points" in page.main


def test_a_line_for_two_is_undone_whole(crypt: Served) -> None:
    """One line made two turns, and undo takes what was said together, as it does in the line."""
    referee = crypt.phone("referee")
    referee.says("d brog,ada 2")
    last = crypt.log.last()
    referee.get("/")
    referee.tap(f"Undo T{last - 1} and T{last}")
    assert [crypt.handler.state().characters[name].hp for name in ("Brog", "Ada")] == [11, 8]
    # the page of a turn is about that one
    referee.says("redo")
    assert referee.get(f"/turn/{last}").form(f"Undo T{last} …").fields[-1] == ("line", f"undo T{last}")


def test_a_player_undoes_the_whole_of_the_own_last_line_or_one_turn_of_it(crypt: Served) -> None:
    assert crypt.phone("referee").says("enrol Wen player=Mia rolled=3").status == 303
    mia = crypt.phone("Mia")
    assert mia.says("d brog,wen 1").status == 303
    last = crypt.log.last()
    assert mia.get(f"/turn/{last}").form(f"Undo T{last} …")
    mia.get("/")
    mia.tap(f"Undo T{last - 1} and T{last}")
    mia.tap("Do it")
    assert crypt.handler.state().characters["Brog"].hp == 11
    assert crypt.handler.state().characters["Wen"].hp == 3


def test_death_is_asked_about_once_more(crypt: Served) -> None:
    mia = crypt.phone("Mia")
    for line in ("d brog 12", "saves brog 1 20"):
        crypt.phone("referee").says(line)
    before = crypt.log.last()
    page = mia.get("/")
    assert '<button type="submit" class="grave">' in page.main
    assert page.main.count('class="grave"') == 1
    page = mia.tap("death")
    assert crypt.log.last() == before
    assert '<p class="why">Death?</p>' in page.main
    assert "Brog dies of the injury" in page.main
    mia.tap("Death")
    assert crypt.handler.state().characters["Brog"].condition == "dead"


def test_dice_of_a_rest_have_a_field_for_each_who_rests(crypt: Served) -> None:
    mia = crypt.phone("Mia")
    page = mia.get("/act/short-rest")
    first = page.main.partition("<details")[0]
    assert 'name="f.rolled.Brog"' in first
    assert "How long it lasts, in minutes" in page.main
    assert "Brog rolls 6 5" in mia.tap("Look", **{"f.rolled.Brog": "6 5"}).main
    mia.tap("Do it")
    (turn,) = crypt.log.read(after=crypt.log.last() - 1)
    assert (turn.action.minutes, turn.action.rolled) == (10, {"Brog": (6, 5)})  # type: ignore[attr-defined]


def test_the_card_that_was_drawn_is_tapped_where_the_table_keeps_the_deck(barrow: Served) -> None:
    referee, marek = barrow.phone("referee"), barrow.phone("Marek")
    for line in ("s brann trample eye", "s ysa fire mana", "rev", "t ysa fire", "attack ysa 2"):
        assert referee.says(line).status == 303, line
    marek.get("/")
    page = marek.tap("Draw modifier")
    first = page.main.partition("<details")[0]
    assert [f'value="{card}"' in first for card in ("+0", "+1", "-1", "+2", "-2", "2x", "null")] == [True] * 7
    assert "Another, by its name" in first
    assert "the log keeps" not in first
    shown = marek.page
    assert "Choose first: what the card says." in marek.tap("Look").main
    marek.page = shown
    # as it would be typed in the line
    assert "Ysa draws +1." in marek.tap("Look", **{"f.modifier": "modifier=+1"}).main
    marek.tap("Do it")
    assert latest(barrow) == ("Marek", "Ysa draws +1.")
    # where the log keeps the deck, nothing has to be said
    referee.says("modifiers ysa deck")
    assert referee.says("attack ysa 2").status == 303
    page = marek.get("/act/draw-modifier")
    assert "drawn from the deck that the log keeps" in page.main


def test_what_a_major_wound_is_can_be_said_where_it_is_asked(crypt: Served) -> None:
    mia = crypt.phone("Mia")
    for line in ("d brog 12", "saves brog 1 20"):
        crypt.phone("referee").says(line)
    mia.get("/")
    mia.tap("major wound")
    page = mia.tap("describe it")
    assert 'name="f.wound"' in page.main.partition("<details")[0]
    form = page.form("Look")
    told = crypt.run(mia.sending("/look", form.fields, accept="application/json")).json()
    assert "describe it" not in told["asked"]
    assert "leave it open" in told["asked"]


def test_what_a_form_is_filled_with_stands_in_no_address(crypt: Served) -> None:
    mia = crypt.phone("Mia")
    mia.says("d brog 30")
    page = mia.says("saves brog strength=14")
    page = mia.post("/do", dict(page.form("the total of the will save").fields))
    assert (page.status, page.headers.get("location")) == (200, None)
    assert ("f.strength", "14") in page.form("Look").fields
    # what is reloaded, and what a proxy writes down, says whose form it is and nothing more
    assert page.headers["content-location"] == "/act/injury-saves?for=Brog"
    assert ("f.strength", "14") not in mia.get("/act/injury-saves?for=Brog&strength=14").form("Look").fields
    sent = dict(page.form("Look").fields) | {"f.will": "2"}
    assert mia.post("/do", sent).status == 303
    assert latest(crypt)[1].startswith("Brog's strength save fails: 14 against")


def test_anybody_fills_in_what_the_table_as_a_whole_waits_for(begun: Path, shell: Shell) -> None:
    with evening("barrow", begun, shell) as table:
        table.phone("referee").post("/do", at=str(table.log.last()), line="undo T4..T5", sure="yes")
        ines = table.phone("Ines")
        ines.get("/")
        page = ines.tap("Begin scenario")
        assert page.status == 200, page.main
        # its cards are dealt anew, so nothing is told of them before: what is typed in a line is said in words
        sent = dict(page.form("Look").fields) | {"f.scenario": "The barrow gate"}
        assert "Begin scenario The barrow gate" in ines.post("/look", sent).main
        assert ines.post("/do", dict(page.form("Look").fields) | {"f.scenario": "The barrow gate"}).status == 303
        assert latest(table) == (
            "Ines",
            "Scenario The barrow gate begins for Brann and Ysa. No level was given: a money token is worth 1 gold.",
        )
        assert ines.get("/act/session%20open").status == 404


def test_the_values_of_what_is_missing_are_read_in_words(crypt: Served) -> None:
    mia = crypt.phone("Mia")
    mia.says("d brog 30")
    mia.says("saves brog 1 1")
    page = mia.says("fate brog")
    assert [form.says for form in page.forms if form.action == "/do"] == ["death", "major wound"]
    assert ("line", "fate brog major_wound") in page.form("major wound").fields
