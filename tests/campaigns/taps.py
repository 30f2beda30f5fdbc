"""Whole evenings by taps alone: `uv run python -m tests.campaigns.taps --pictures FOLDER`.

One evening of each rule system, from an empty campaign, in real browsers: the referee's desk and two phones. Nothing
is typed but names, words and totals; everything else is touched. Prints how many turns came of how many taps and what
a hit and a round cost; with `--pictures` the pages are photographed on the way: on a phone, a tablet and a desk,
light and dark, and on the phone with text of 200 %; and on a phone with such text what an evening does not come by:
pages that are read, questions, refusals, a seat that ended. Exits with 1 where a page complained, a phone showed
another's cards, an act took too many taps, or fewer than 25 turns came of it.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from cli.serving.invitations import REFEREE, TABLE
from cli.shell.command_context import open_chosen
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.kit.browsers import CHROMIUM, DESK, PHONE, browser_running, seat_at, wait_until_settled
from tests.kit.on_disk import handler_of
from tests.kit.online import online
from tests.kit.phones import Served, served
from tests.kit.shell import Shell, shell_elsewhere
from tests.kit.thumbs import Thumb

#: What a page is photographed on, light and dark: the size of its screen, and of its letters in percent.
SCREENS = {
    "phone": (PHONE, 100),
    "tablet": ({"width": 820, "height": 1180}, 100),
    "desk": ({"width": 1440, "height": 900}, 100),
    "large": (PHONE, 200),
}
#: Milliseconds in which what settles comes into sight.
FADES = 200
#: Turns that an evening has at least.
ENOUGH = 25
#: What an act may cost in taps.
AT_MOST = {
    "a hit on oneself": 2,
    "a hit on three": 5,
    "a loss of Stamina": 2,
    "a round of Gloomhaven for one player": 8,
}


class Evening:
    """One table that begins empty: the desk, and a phone for each player who has sat down.

    `counts` holds what some acts cost in taps, `taps` all of them; `found` what must not be.
    """

    def __init__(self, browser: Any, table: Served, address: str, pictures: Path | None = None) -> None:
        self.browser, self.table, self.address, self.pictures = browser, table, address, pictures
        self.counts, self.faults, self.taps = dict[str, int](), list[str](), Counter[str]()
        self.thumbs: dict[str, Thumb] = {}
        self.desk = self.sits("referee", REFEREE, DESK)

    def sits(self, name: str, seat: str = "", size: Mapping[str, int] = PHONE) -> Thumb:
        """Somebody takes a seat with the link that the page of the referee shows."""
        self.table.serving.seats()
        self.thumbs[name] = Thumb(self.browser, self.table, self.address, seat or name, dict(size))
        return self.thumbs[name]

    def begins(self, title: str) -> Thumb:
        """The referee opens a session in the empty campaign: the desk, for what comes next."""
        self.look(self.desk, "01-empty")
        self.desk.link("Open a session", "main")
        self.desk.fills({"title": title})
        self.desk.sends()
        return self.desk

    @contextmanager
    def counting(self, label: str, *thumbs: Thumb) -> Iterator[None]:
        """Count the taps of somebody for something."""
        before = sum(thumb.taps for thumb in thumbs)
        yield
        self.costs(label, sum(thumb.taps for thumb in thumbs) - before)

    def costs(self, label: str, taps: int) -> None:
        """Keep what an act cost, and complain where it is more than it may."""
        self.counts[label] = taps
        if taps > AT_MOST[label]:
            self.faults.append(f"{label} takes {taps} taps, not {AT_MOST[label]}")

    def look(self, thumb: Thumb, name: str) -> None:
        """Pictures of the page, where somebody wants them."""
        if self.pictures is not None:
            photographed(thumb.page, self.pictures, f"{self.table.system.key}-{name}")

    def hides(self, thumb: Thumb, *cards: str) -> None:
        """A page that must not show these cards."""
        content = thumb.page.content()
        self.faults += [f"{card} is on another's page" for card in cards if card in content]


def photographed(page: Any, folder: Path, name: str, screens: Sequence[str] = tuple(SCREENS)) -> None:
    """Pictures of a page as it stands on each of these screens, whole, with the bar at its foot below everything."""
    before, typing = page.viewport_size, page.locator("details.typing")
    unfolded = [details.evaluate("each => each.open") for details in typing.all()]
    for screen in screens:
        size, letters = SCREENS[screen]
        page.set_viewport_size(size)
        page.evaluate("letters => { document.documentElement.style.fontSize = `${letters}%` }", letters)
        if before != PHONE:  # on a phone the line is folded
            typing.evaluate_all("(all, open) => all.forEach((each) => { each.open = open })", size != PHONE)
        wait_until_settled(page)
        page.wait_for_timeout(FADES)
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=str(folder / f"{name}-{screen}-{scheme}.png"), full_page=True)
    page.emulate_media(color_scheme="light")
    page.evaluate("document.documentElement.style.fontSize = ''")
    page.set_viewport_size(before)
    if before != PHONE:
        typing.evaluate_all("(all, open) => all.forEach((each, at) => { each.open = open[at] })", unfolded)


def beyond(browser: Any, pictures: Path) -> None:
    """Pictures of what an evening does not come by, on a phone with letters of twice the size."""

    def look(page: Any, name: str) -> None:
        photographed(page, pictures, f"beyond-{name}", ["large"])

    with shell_elsewhere() as shell, a_table(shell, "new Vault --rules osr") as (table, address):
        seated = Seats(browser, table, address)
        look(seated(TABLE), "empty-to-read")
        look(seated(REFEREE), "empty")
        shell.do(*CRYPT)
        table.serving.turns.came(table.log.last())
        referee, mia, jo, reader = (seated(name) for name in (REFEREE, "Mia", "Jo", TABLE))
        look(jo, "another-is-asked")
        look(mia, "asked")
        look(reader, "to-read")
        for name, address_of in READ.items():
            referee.goto(address + address_of)
            look(referee, name)
        jo.goto(f"{address}/act")
        look(jo, "what-can-be-done")
        jo.goto(f"{address}/act/damage")
        jo.locator("[name='f.amount']").fill("-3")
        jo.wait_for_selector(".would.refused:not(.old)")
        look(jo, "refused")
        jo.goto(address)
        jo.locator(".typing summary").click()
        jo.get_by_label("A line").fill("d brog 3")
        jo.wait_for_selector("#line-form .would.refused:not(.old)")
        look(jo, "a-line-refused")
        jo.get_by_label("A line").fill("d ada 3")
        jo.wait_for_selector("#line-form .would:not(.refused):not(.old):not(:empty)")
        look(jo, "a-line")
        jo.goto(address)
        jo.locator("a.step[aria-label^='Hit']").first.click()
        jo.wait_for_selector("dialog .amounts")
        look(jo, "a-figure")
        jo.goto(address)
        jo.get_by_role("button", name="Undo").click()
        jo.wait_for_selector("dialog .why")
        look(jo, "taken-back")
        jo.goto(address)
        jo.wait_for_selector("[data-standing=live]")
        table.invitations.revoke("Jo")
        shell.do("note The torch gutters.")
        table.serving.turns.came(table.log.last())
        jo.wait_for_selector("[data-standing=revoked]")
        look(jo, "revoked")
        jo.goto(address)
        look(jo, "without-a-seat")
        mia.context.set_offline(True)
        mia.wait_for_selector("[data-standing=offline]")
        look(mia, "offline")
        table.serving.turns.over = True
        reader.wait_for_selector("[data-standing=stopped]")
        look(reader, "stopped")
    with shell_elsewhere() as shell, a_table(shell, "new Barrow --rules gloomhaven") as (table, address):
        page = Seats(browser, table, address)(REFEREE)
        for name, address_of in {"first-the-class": "/act/enrol", "its-cards": "/act/enrol?class=brute"}.items():
            page.goto(address + address_of)
            look(page, name)


@contextmanager
def a_table(shell: Shell, new: str) -> Iterator[tuple[Served, str]]:
    """A new campaign behind a port: what is served, and its address."""
    shell.do(f"{new} --file table.campaign")
    with (
        open_chosen("table.campaign", write=True) as (log, system),
        served(log, system, handler_of(log)) as table,
        online(table) as address,
    ):
        yield table, address


class Seats:
    """Takes a seat on a phone of its own."""

    def __init__(self, browser: Any, table: Served, address: str) -> None:
        self.browser, self.table, self.address = browser, table, address

    def __call__(self, seat: str) -> Any:
        self.table.invitations.invite(seat)
        page, _ = seat_at(self.browser, self.table, self.address, seat, PHONE)
        page.wait_for_selector("[data-standing=live]")
        return page


#: Two players and a hireling in a crypt, one of them injured.
CRYPT = (
    "session open 'The crypt'",
    "enrol Brog --player Mia --level 2 --rolled 5,6",
    "enrol Ada --player Jo --level 2 --rolled 4,4",
    "enrol Pim --rolled 3",
    "track brog gold 15",
    "track brog gold 35",
    "ruling 6.4 'The old total may stay' --why 'it is faster' --set keep_higher=true --trial",
    "paragraph add H1 Torches 'A torch lasts six turns.'",
    "d ada 2 a ghoul --by Jo",
    "absent pim the last train",
    "d brog 14 the ghoul",
)
#: Pages that are read, and forms, by what a picture of them is called.
READ = {
    "log": "/log",
    "turn": "/turn/7",
    "at": "/at?turn=9",
    "rules": "/rules",
    "rule": "/rule/6.4",
    "ask": "/ask",
    "why": "/why?of=brog.gold",
    "figures": "/stats",
    "recap": "/recap",
    "more": "/more",
    "seats": "/seats",
    "not-found": "/turn/99",
    "ruling": "/act/ruling",
    "ruling-on": "/act/ruling?rule=6.6",
    "amend": "/act/amend?turn=T10",
    "damage": "/act/damage",
}


def osr(evening: Evening) -> Iterator[None]:
    """Three in a crypt: hits, an injury, rests, a ruling, what is kept beside the rules."""
    desk = evening.begins("The crypt")
    desk.link("Enrol somebody", "main")
    evening.look(desk, "02-enrol")
    desk.fills({"character": "Brog", "player": "Mia", "level": "2", "rolled": "5,6"})
    desk.sends()
    desk.form("enrol", character="Ada", player="Jo", level="2", rolled="4,4")
    desk.form("enrol", character="Pim", rolled="3")
    mia, jo = evening.sits("Mia"), evening.sits("Jo")
    evening.look(mia, "03-own")
    with evening.counting("a hit on oneself", mia):
        mia.touches("Hit", "hit points", "4")
    yield
    with evening.counting("a hit on three", desk):
        desk.touches("Hit", "hit points", "2", ("Ada", "Pim"))
    yield
    jo.form("note", text="The torch gutters.")
    jo.takes_back()
    yield
    desk.form("ruling", rule="6.4", text="We re-roll even at full", why="it is faster")
    desk.form("absent", "Pim", why="the last train")
    yield
    mia.form("short-rest", characters="Brog", **{"rolled.Brog": "3,4"})
    jo.touches("Short rest", "hit points", "Ada takes a short rest")
    evening.look(desk, "04-rested")
    mia.touches("Hit", "hit points", "12")
    evening.look(mia, "05-injured")
    evening.look(desk, "06-injured")
    mia.button("Injury saves", "#now section.matter")
    mia.page.wait_for_selector("form.fields")
    mia.fills({"strength": "30", "will": "30", "wound": "a broken rib"})
    evening.look(mia, "07-saves")
    mia.sends()
    yield
    desk.form("treat", "Brog")
    desk.form("track", character="Brog", name="gold", value="15")
    desk.form("track", name="day", value="1")
    mia.touches("More", "gold", "20")
    desk.touches("More", "day", "1")
    desk.form("roll", dice="2d6", what="the weather")
    desk.form("paragraph add", rule="H1", title="Torches", text="A torch lasts six turns.")
    desk.form("override", "Brog", **{"set.hp": "6", "why": "from the sheet"})
    mia.touches("Night", "fatigue", "Brog sleeps")
    desk.form("level-up", "Ada")
    jo.touches("Hit", "hit points", "3")
    evening.look(jo, "08-late")
    desk.form("session close", summary="They got away.")
    evening.look(desk, "09-closed")


def deckahedron(evening: Evening) -> Iterator[None]:
    """Two on the road: one deals cards at the table and taps those that came, for the other the log deals."""
    desk = evening.begins("The salt road")
    ranks = {"strength": "2", "dexterity": "3", "intelligence": "2"}
    desk.form("enrol", character="Wren", player="Kim", cards="table", **ranks)
    desk.form("enrol", character="Ash", player="Lou", **ranks)
    kim, lou = evening.sits("Kim"), evening.sits("Lou")
    evening.look(kim, "02-own")
    kim.opens("flip")
    kim.fills({"attribute": "dexterity", "flipped": ["17"], "attempt": "climb the wall"})
    evening.look(kim, "03-flip")
    kim.sends()
    yield
    lou.form("flip", attribute="strength")
    with evening.counting("a loss of Stamina", lou):
        lou.touches("Lose Stamina", "stamina", "2")
    yield
    lou.form("note", text="It rains.")
    lou.takes_back()
    desk.form("ruling", rule="17", text="It costs both", why="it is a strain too", **{"set.third_strain": "both"})
    yield
    lou.touches("Strain", "harm", "Ash")
    lou.touches("Wound", "wounds", "Ash")
    evening.look(lou, "04-hurt")
    kim.form("lose-stamina", points="1", flipped=["14"])
    desk.form("scene", scene="combat")
    desk.form("foe", foe="Troll", stamina="6")
    yield
    kim.form("attack", foe="Troll", foe_result="xx", flipped=["11"], rolled="3")
    lou.opens("attack")
    evening.look(lou, "05-attack")
    lou.link("Not now", "main")
    lou.page.wait_for_selector("#now")
    kim.form("flip", attribute="intelligence", flipped=["12"])
    lou.touches("Breather", "stamina", "dexterity")
    evening.look(desk, "06-fight")
    desk.form("scene", scene="haven")
    lou.touches("Rest", "harm", "8")
    lou.touches("Heal", "wounds", "1")
    desk.form("track", character="Ash", name="gold", value="15")
    lou.touches("Less", "gold", "5")
    desk.form("track", name="day", value="1")
    desk.form("effort", "Ash", what="studying", hours="2")
    desk.form("absent", "Wren", why="the last train")
    desk.form("flip", "Ash", attribute="strength", attempt="lift the cart")
    desk.form("session close", summary="The cart is free.")
    evening.look(desk, "07-closed")


def gloomhaven(evening: Evening) -> Iterator[None]:
    """Two rounds in secret: two phones choose their cards, and neither shows the other's before they are revealed."""
    desk = evening.begins("The barrow")
    desk.form("enrol", character="Brann", player="Ines", **{"class": "brute"})
    desk.form("enrol", character="Ysa", player="Marek", **{"class": "spellweaver"})
    ines, marek = evening.sits("Ines"), evening.sits("Marek")
    evening.look(ines, "01-own")
    desk.button("Begin scenario", "#now section.matter")
    desk.page.wait_for_selector("form.fields")
    desk.fills({"scenario": "1", "level": "1"})
    desk.sends()
    desk.does("Begin round")
    evening.look(ines, "02-choosing")
    before, hands = ines.taps, (("Trample", "Leaping Cleave"), ("Mana Bolt", "Flame Strike"))
    ines.chooses("Trample", "Leaping Cleave")
    evening.look(marek, "03-choosing")
    marek.chooses("Mana Bolt", "Flame Strike")
    evening.hides(ines, *hands[1])
    evening.hides(marek, *hands[0])
    evening.look(desk, "04-chosen")
    yield
    desk.does("Reveal")
    evening.look(marek, "05-turn")
    marek.takes_turn("Mana Bolt", "Flame Strike")
    ines.takes_turn("Leaping Cleave", "Trample")
    evening.costs("a round of Gloomhaven for one player", ines.taps - before)
    yield
    marek.touches("Hit", "hit points", "2", answers=["suffer 2"])
    evening.look(marek, "06-hit")
    marek.takes_back()
    desk.form("ruling", rule="53", text="Doors open by hand", why="we forget it")
    ines.form("note", text="The door is stuck.")
    yield
    desk.does("Clean up")
    evening.look(desk, "07-rests")
    marek.does("Short rest")
    desk.does("Begin round", "Begin round")
    evening.look(marek, "08-second-round")
    ines.chooses("Grab and Go", "Spare Dagger")
    marek.chooses("Frost Armor", "Impaling Eruption")
    evening.hides(ines, "Frost Armor", "Impaling Eruption")
    desk.does("Reveal")
    marek.takes_turn("Frost Armor", "Impaling Eruption")
    ines.takes_turn("Grab and Go", "Spare Dagger")
    desk.does("Clean up")
    ines.touches("Gain experience", "experience", "3")
    desk.form("track", name="day", value="1")
    desk.touches("More", "day", "1")
    desk.form("end-scenario", answers=["6 experience", "End scenario"], won="yes")
    evening.look(desk, "09-over")
    ines.touches("Gain gold", "gold", "10")
    desk.form("buy-item", "Brann", item="Minor Healing Potion")
    desk.form("absent", "Ysa", why="the last train")
    desk.form("session close", summary="The barrow is empty.")


EVENINGS: Mapping[str, Callable[[Evening], Iterator[None]]] = {
    "osr": osr, "deckahedron": deckahedron, "gloomhaven": gloomhaven,
}  # fmt: skip


def played(browser: Any, shell: Shell, rules: str, pictures: Path | None = None, parts: int | None = None) -> Evening:
    """Play an evening, or its first `parts`; what came of it."""
    with a_table(shell, f"new Table --rules {rules}") as (table, address):
        evening = Evening(browser, table, address, pictures)
        for _ in islice(EVENINGS[rules](evening), parts):
            pass
        for name, thumb in evening.thumbs.items():
            evening.taps[name] = thumb.taps
            evening.faults += [f"{name}: {fault}" for fault in thumb.wrong]
            thumb.page.context.close()
        evening.counts["turns"] = table.log.last()
    return evening


def main(arguments: Sequence[str] | None = None) -> None:
    """Play the evenings. Exits with 1 where something was found, or too little was done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=Path, help="a folder for the pictures")
    parser.add_argument("--rules", choices=sorted(EVENINGS), action="append")
    options = parser.parse_args(arguments)
    if CHROMIUM is None:
        print("There is no Chromium here.")
        return
    if options.pictures is not None:
        options.pictures.mkdir(parents=True, exist_ok=True)
        options.pictures = options.pictures.resolve()
    sound = True
    with browser_running() as browser:
        for rules in options.rules or EVENINGS:
            with shell_elsewhere() as shell:
                evening = played(browser, shell, rules, options.pictures)
            turns = evening.counts.pop("turns")
            costs = ", ".join(f"{label}: {taps} taps" for label, taps in evening.counts.items())
            print(f"{rules}: {turns} turns by {evening.taps.total()} taps ({costs})", flush=True)
            for fault in evening.faults:
                print(f"  {fault}")
            sound = sound and turns >= ENOUGH and not evening.faults
        if options.pictures is not None and not options.rules:
            beyond(browser, options.pictures)
    if not sound:
        raise SystemExit(1)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
