"""What the page shows: sheets, turns, rules, why, when, evenings, and the way things went; whatever stands in them."""

import re

import pytest

from cli.shell import readings
from cli.shell.command_context import open_chosen
from cli.store.failures import Unopenable
from domain.common.notes import Note
from domain.osr.injuries import Damage
from tests.kit.on_disk import handler_of
from tests.kit.phones import Phone, Served, served
from tests.kit.shell import Shell

#: What a browser, a template or a terminal would take for something else than words.
HOSTILE = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"><svg onload=alert(1)>", "'-alert(1)-'",
    "{{ 7777*7777 }}{% raw %}", "</style><script>x</script>", "javascript:alert(1)", "&lt;b&gt;",
    "\u202eevil\u202c", "\x1b[31m",
)  # fmt: skip


def test_the_own_sheet_comes_first_and_the_party_in_brief(crypt: Served) -> None:
    page = crypt.phone("Mia").get("/").main
    assert page.index("Brog") < page.index("The others")
    assert "11" in page
    assert "Ada" in page.partition("The others")[2]
    assert "Brog" not in page.partition("The others")[2].partition("</dl>")[0]


def test_cards_lie_in_piles_with_what_their_halves_do(barrow: Served) -> None:
    page = barrow.phone("Ines").get("/").main
    # the hand stands on the page once: as the cards to choose from
    assert "Hand <span" not in page
    assert page.count('<span class="name">Trample</span>') == 1
    assert '<span class="figure">72</span> <span class="name">Trample</span>' in page
    assert "bottom ✕ lost" in page
    others = barrow.phone("Ines").get("/sheet/ysa").main
    assert "They lie face down." in others
    assert "Fire Orbs" not in others


def test_who_acts_for_several_reads_for_whom_a_button_is(barrow: Served) -> None:
    says = [form.says for form in barrow.phone("referee").get("/").forms]
    for button in ("Select Trample (Brann)", "Select Fire Orbs (Ysa)"):
        assert [text for text in says if text.startswith(button)], says


def test_what_is_for_nobody_else_is_on_no_page_of_the_table(barrow: Served) -> None:
    ines = barrow.phone("Ines")
    ines.says("s brann 1 2")
    table = barrow.phone("table")
    for address in ("/", "/log", "/at", "/sheet/brann", "/turn/6", "/why?of=brann.hand", "/recap"):
        assert "Trample" not in table.get(address).text, address
    assert "Trample" in barrow.phone("referee").get("/turn/6").main
    assert (
        "<bdi>Brann</bdi>: hand no longer has Trample and Eye for an Eye" in barrow.phone("referee").get("/turn/6").main
    )


def test_what_became_what_stays_on_one_line(crypt: Served) -> None:
    mia = crypt.phone("Mia")
    for line in ("track brog gold 15", "track brog gold 35"):
        mia.says(line)
    became = "gold 15\u00a0→\u00a035"
    for address in ("/", "/log", "/turn/6", "/when?if=brog.gold%20%3D%2035"):
        assert became in mia.get(address).main, address
    assert "gold 35\u00a0→\u00a020" in mia.typing("track brog gold 20")["would"]


def test_nothing_of_an_earlier_turn_is_touched(crypt: Served) -> None:
    crypt.phone("referee").says("track brog gold 15")
    for who in ("Mia", "referee"):
        assert 'class="step"' in crypt.phone(who).get("/").main
        earlier = crypt.phone(who).get("/at?turn=4").main
        assert ("11</b>" in earlier, 'class="step"' in earlier, "/touch/" in earlier) == (True, False, False), who


def test_who_is_not_here_tonight_is_marked(crypt: Served) -> None:
    crypt.phone("referee").says("absent pim the last train")
    for who in ("Mia", "referee", "table"):
        page = crypt.phone(who).get("/").main
        pim = page.partition('aria-label="The party"')[2].partition("</section>")[0].partition("Pim")[2]
        assert "absent" in pim, who
    assert "not here tonight" in crypt.phone("Mia").get("/sheet/pim").main
    assert "not here tonight" not in crypt.phone("Mia").get("/sheet/brog").main
    crypt.phone("referee").says("retire pim")
    pim = crypt.phone("Mia").get("/").main.partition("The others")[2].partition("Pim")[2].partition("</dl>")[0]
    assert ("retired" in pim, "meter" in pim) == (True, False)


def test_each_page_has_its_own_address(crypt: Served) -> None:
    referee = crypt.phone("referee")
    for line in (
        "session open The crypt",
        "d brog 4 a ghoul",
        "ruling 6.4 The old total may stay set keep_higher=true",
        'paragraph revise 6.3 text="Tell it." we always did',
        "ruling 6.3 Nobody bleeds.",
    ):
        referee.says(line)
    phone = crypt.phone("Mia")
    for address, expected in {
        "/turn/6": "Brog is hit for 4 by a ghoul and has 7 hit points left.",
        "/rule/6.4": "The old total may stay",
        "/rule/OSR%206.4": "The old total may stay",
        "/rule/6.6": "settle them.",
        "/rules": "6.4",
        "/log": "Brog is hit for 4",
        "/log?upto=3": "Ada",
        "/why?of=brog.hp": "11\u00a0→\u00a07",
        "/when?if=brog.hp%20%3C%208": "still so",
        "/recap": "The crypt",
        "/recap/1": "The crypt",
        "/at?turn=4": "As of T4",
        "/at": "As of T9",
        "/sheet/bro": "Mia",
        "/act": "damage",
        "/ask": "Where does it come from?",
        "/log?grep=GHOUL": "Brog is hit for 4 by a ghoul",
        "/log?character=bro&session=S1": "Brog is hit for 4 by a ghoul",
        "/log?rule=6.4": "The old total may stay",
        "/log?by=Mia": "No turn matches.",
        "/rules?say=old+total": "6.4",
        "/diff?of=T5..T6": "11\u00a0→\u00a07",
        "/diff?of=T6..T6": "Nothing changed.",
        "/stats": "Who logged how much",
        "/stats/busiest-players": "referee",
        "/stats/hp": "<polyline",
    }.items():
        page = phone.get(address)
        assert (page.status, expected in page.main) == (200, True), (address, page.main)
    assert "has 7 hit points" not in phone.get("/at?turn=4").main
    rule = phone.get("/rule/6.3").main
    for expected in ("Worded like this since T8.", "<strong>in the rules</strong> What lost hit points", "reworded",
                 "<em>Why: we always did.</em>", "<p><strong>R2</strong> Nobody bleeds.</p>"):  # fmt: skip
        assert expected in rule, rule


@pytest.mark.parametrize(
    "address",
    [
        "/turn/0", "/turn/99", "/turn/999999999999999999999", "/rule/99.9", "/why?of=nobody.hp", "/why?of=brog.nothing",
        "/recap/9", "/recap/99999999999999999999", "/sheet/nobody", "/nowhere",
        "/act/nothing", "/turn/x",
        "/log?character=nobody", "/log?session=9", "/log?rule=99.9", "/diff?of=T9..T2",
        "/stats/nothing", "/known/nothing",
    ],
)  # fmt: skip
def test_what_is_not_there_is_told_so(crypt: Served, address: str) -> None:
    page = crypt.phone("Mia").get(address)
    assert page.status == 404, page
    assert 'role="alert"' in page.main


def test_what_was_asked_stands_above_the_answer(crypt: Served) -> None:
    phone = crypt.phone("Mia")
    phone.page = phone.says("when brog.hp < 3")
    assert "brog.hp &lt; 3" in phone.get(phone.page.headers["location"]).main
    page = phone.get("/rules?say=zzzz")
    assert (page.status, "No rule says that." in page.main, 'value="zzzz"' in page.main) == (200, True, True)
    assert "<b>Brog: hit points</b> 11 since" in phone.get("/why?of=brog.hp").main
    page = phone.get("/when?of=Brog.condition&how=%3E%3D&value=1")
    assert "Brog: condition is at least 1: that cannot be compared." in page.main


@pytest.mark.parametrize(
    ("address", "status"), [("/when?if=((", 422), ("/diff?of=x", 422), ("/query?sql=select+1", 409)]
)
def test_what_cannot_be_asked_is_told_so(crypt: Served, address: str, status: int) -> None:
    page = crypt.phone("Mia").get(address)
    assert page.status == status, page
    assert 'role="alert"' in page.main


@pytest.mark.parametrize(
    ("page", "status"),
    [("turn/", 404), ("recap/", 404), ("rule/", 404), ("sheet/", 404), ("log?session=", 422), ("log?upto=", 200),
     ("at?turn=", 200)],
)  # fmt: skip
def test_a_number_of_any_length_in_an_address_is_no_fault_of_the_program(crypt: Served, page: str, status: int) -> None:
    for length in (16, 19, 20, 400):
        assert crypt.phone("referee").get(f"/{page}{'9' * length}").status == status, length


@pytest.mark.parametrize(
    "address", ["/at?turn=x", "/at?turn=-1", "/at?turn=999", "/log?upto=x", "/log?upto=0", "/why?of="]
)
def test_what_cannot_be_read_as_a_turn_is_now(crypt: Served, address: str) -> None:
    assert crypt.phone("Mia").get(address).status == 200


def test_what_is_looked_for_goes_on_page_by_page(crypt: Served) -> None:
    for number in range(readings.MOST_FOUND + 3):
        crypt.handler.record(Note(text=f"A bell, the {number}th"))
    phone = crypt.phone("Mia")
    page = phone.get("/log?grep=bell")
    assert page.main.count('class="turn"') == readings.MOST_FOUND
    (earlier,) = re.findall(r'href="(/log[^"]*)">earlier', page.main)
    assert phone.get(earlier.replace("&amp;", "&")).main.count('class="turn"') == 3


def test_what_the_log_knows_besides_sheets_is_looked_up(barrow: Served) -> None:
    phone = barrow.phone("Ines")
    assert 'href="/known/class"' in phone.get("/ask").main
    assert 'href="/known/class/brute"' in phone.get("/known/class").main
    assert "Trample, initiative 72" in phone.get("/known/class/brute").main
    assert phone.get("/known/class/nobody").status == 404


def test_what_can_be_asked_is_chosen_in_the_words_of_the_sheet(crypt: Served) -> None:
    jo = crypt.phone("Jo")
    page = jo.get("/ask")
    # the own values come first, and nothing is typed as on the command line
    when, diff = (next(form for form in page.forms if form.action == to) for to in ("/when", "/diff"))
    assert "Ada: hit points" in page.main and page.main.index("Ada: hit points") < page.main.index("Brog: hit points")
    assert not re.search(r"<code>|hp &lt;|T5\.\.", page.main)
    assert {form.method for form in (when, diff)} == {"get"}
    crypt.handler.record(Damage(character="Ada", amount=6))
    last = crypt.log.last()
    assert f'href="/turn/{last}"' in jo.get("/why?of=Ada.hp").main
    found = jo.get("/when?of=Ada.hp&how=%3C&value=5").main
    assert f'href="/turn/{last}"' in found and "still so" in found
    assert '<option value="Ada.hp" selected>' in found and '<option value="&lt;" selected>is below</option>' in found
    assert "That was never true." in jo.get("/when?of=Ada.condition&how=%3D&value=dead").main
    assert "8\u00a0→\u00a02" in jo.get(f"/diff?since={last - 1}&upto=T{last}").main
    assert "8\u00a0→\u00a02" in jo.get(f"/diff?since=T{last - 1}").main
    # an option of the rules is what it decides
    rule = jo.get("/rule/6.4").main
    assert "keep_higher" not in rule and "keep the old total" in rule


def test_dice_that_were_drawn_again_are_told_of(crypt: Served) -> None:
    referee = crypt.phone("referee")
    for line in ("rest brog", "undo T5", "rest brog"):
        referee.post("/do", at=str(crypt.log.last()), line=line, sure="yes")
    assert (
        "T5 was undone, and T7 did the same again with a new draw. That is allowed, and the log keeps both."
        in referee.get("/stats/dice-fairness").main
    )


def test_long_tables_are_cut_short_and_that_is_said(crypt: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readings, "FEW_ROWS", 1)
    monkeypatch.setattr(readings, "MOST_ROWS", 2)
    referee = crypt.phone("referee")
    assert referee.get("/stats").main.partition("Fatigue over time")[2].partition("<h2>")[0].count("2 more.") == 1
    assert "1 more." in referee.get("/stats/fatigue-over-time").main
    asked = referee.get("/query?sql=select+turn+from+turns").main
    assert ("Only the first 2 rows are shown; ask for less." in asked, asked.count("<td>")) == (True, 2)


def test_whoever_keeps_the_log_asks_in_sql_and_nobody_else(barrow: Served) -> None:
    referee = barrow.phone("referee")
    assert "<td>Brann</td>" in referee.get("/query?sql=select+character+from+sheets").main
    assert referee.get("/query?sql=delete+from+sheets").status == 422
    assert "Ask its tables" in referee.get("/ask").main
    # figures count what others hold
    for name in ("Ines", "table"):
        for address in ("/query?sql=select+1", "/stats", "/stats/hp"):
            assert barrow.phone(name).get(address).status == 409, address
    assert "Hit points over turns" in referee.get("/stats").main


def test_whatever_stands_in_the_log_is_shown_as_words(crypt: Served) -> None:
    referee = crypt.phone("referee")
    for text in HOSTILE:
        crypt.handler.record(Note(text=text, rule="6.4"))
        crypt.handler.record(Note(text=text, about="Brog"))
    referee.says('enrol "<b>Bob</b>" player "<i>Zoe</i>"')
    last = crypt.log.last()
    turns = [f"/turn/{number}" for number in range(last - 6, last)]
    pages = [
        "/",
        "/log",
        "/log?grep=script",
        "/ask",
        "/stats",
        "/stats/hp",
        "/diff?of=T1..@",
        "/log?by=<b>",
        "/rule/6.4",
        "/seats",
        "/why",
        "/act/damage?for=<b>",
        *turns,
    ]
    for address in pages:
        text = referee.get(address).text.replace('<script src="/assets/', "")
        assert not re.search(r"<script|<img|<svg onload|<b>Bob|<i>Zoe|60481729|\x1b|\u202e", text), address


def test_a_log_that_cannot_be_reached_is_told_so_and_comes_back(crypt: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    phone, referee = crypt.phone("Mia"), crypt.phone("referee")
    crypt.handler.record(Note(text="Somebody else's"))

    def gone(*_: object) -> None:
        raise Unopenable("The server club cannot be reached: nothing answers there.", 6)

    with monkeypatch.context() as patch:
        patch.setattr(crypt.log, "last", gone)
        patch.setattr(crypt.log, "on", gone)
        answers = [
            phone.get("/"),
            referee.get("/turn/2"),
            phone.get("/why?of=brog.hp"),
            phone.post("/do", line="n Hello"),
        ]
        for answer in answers:
            assert (answer.status, "The log cannot be read right now. Try again." in answer.main) == (503, True), answer
    assert "Somebody else" in phone.get("/").main


def test_a_name_that_is_a_page_is_still_a_name(crypt: Served) -> None:
    referee = crypt.phone("referee")
    assert referee.says('enrol "a/b ? c"').status == 303
    link = re.search(r'href="(/sheet/a[^"]*)"', referee.get("/").main)
    assert link is not None
    assert referee.get(link[1]).status == 200


def test_the_party_names_each_figure(shell: Shell) -> None:
    shell.do("new Road --rules deckahedron", "enrol Wren 2 3 2 player Kim", "enrol Ash 2 3 2", "strain ash a sprain")
    with open_chosen(None, write=True) as (log, system), served(log, system, handler_of(log)) as road:
        others = road.phone("Kim").get("/").main.partition("The others")[2].partition("</dl>")[0]
    words = " ".join(re.sub(r"<[^>]*>", " ", others).split())
    assert re.fullmatch(r"Ash \d+ /10 deck \d+ harm ●○ 1 of 2", words)


@pytest.mark.parametrize("rules", ["osr", "deckahedron", "gloomhaven"])
def test_an_empty_table_offers_each_beginning_once(shell: Shell, rules: str) -> None:
    shell.do(f"new Table --rules {rules}")
    with open_chosen(None, write=True) as (log, system), served(log, system, handler_of(log)) as empty:
        page = empty.phone("referee").get("/").main
    assert [page.count(f'href="/act/{verb}"') for verb in ("enrol", "session%20open")] == [1, 1]


def test_what_a_ruling_sets_stands_there_in_words(crypt: Served) -> None:
    referee = crypt.phone("referee")
    referee.says("ruling 6.4 We keep the old total keep_higher=true")
    turn = crypt.log.last()
    assert "We keep the old total. [keep higher: yes]" in referee.get("/").main
    for address in ("/", f"/turn/{turn}", "/log", "/rule/6.4"):
        page = crypt.phone("Mia").get(address).main
        assert "keep higher: yes" in page or address == "/rule/6.4", address
        assert "keep_higher = true" not in page and "keep_higher=true" not in page, address
    # what can be typed is beside it, for whoever types
    assert "still costs fatigue: <b>yes</b> (R1)" in crypt.phone("Mia").get("/rule/6.4").main
    # words of a note are words
    referee.says("note keep [keep_higher = true] in mind")
    assert "keep [keep_higher = true] in mind" in referee.get("/").main


def test_the_words_that_a_line_may_go_on_with_are_words(barrow: Served) -> None:
    ways = barrow.phone("Ines").typing("perform brann Trample top ")["ways"]
    assert ">condition met<" in ways and ">abilities used …<" in ways and "condition_met</button>" not in ways


def test_a_used_link_offers_no_way_that_leads_nowhere(crypt: Served) -> None:
    token = crypt.invitations.unused_links["Jo"]
    crypt.phone("Jo")
    page = Phone(crypt).get(f"/in/{token}")
    assert page.status == 403 and "<a " not in page.main
