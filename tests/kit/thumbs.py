"""A thumb on a phone: a page in a real browser on which nothing is typed but names and words, each tap counted."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.kit.browsers import patient, seat_at, wait_until_settled
from tests.kit.phones import Served

#: What is filled in: a text, or several values of one field.
Filling = str | Sequence[str]


class Thumb:
    """One person at one page; `taps` counts what was touched since it was last set to 0."""

    def __init__(self, browser: Any, table: Served, address: str, seat: str, size: dict[str, int], **more: Any) -> None:
        self.table, self.address = table, address
        self.page, self.wrong = seat_at(browser, table, address, seat, size, **more)
        self.page.set_default_timeout(8_000)
        self.taps = 0

    def tap(self, element: Any) -> None:
        """Touch one thing, once it takes taps."""
        element.click()
        self.taps += 1

    def button(self, says: str, within: str = "body") -> None:
        """Touch the button whose text begins so."""
        self.tap(self.page.locator(within).get_by_role("button", name=re.compile(f"^{re.escape(says)}")).first)

    def link(self, says: str, within: str = "body") -> None:
        """Touch the link whose text begins so."""
        self.tap(self.page.locator(within).get_by_role("link", name=re.compile(f"^{re.escape(says)}")).first)

    def recorded(self, before: int) -> None:
        """Wait until the page shows a later turn than this one."""
        self.page.wait_for_function(
            "turn => location.pathname === '/seats' || Number(document.getElementById('now')?.dataset.turn) > turn",
            arg=before,
        )
        if "/seats" in self.page.url:  # whoever was enrolled has a link there
            self.page.goto(self.address)
        wait_until_settled(self.page)

    def does(self, says: str, *then: str) -> None:
        """Touch a button of what the table waits for, and the answers to what is asked after it."""
        before = self.table.log.last()
        self.button(says, "#now section.matter")
        for value in then:
            self.page.wait_for_selector("dialog[open] :text('Not now'), #now section.matter :text('Not now')")
            wait_until_settled(self.page)
            self.button(value, "dialog[open], #now section.matter")
        self.recorded(before)

    def chooses(self, *cards: str) -> None:
        """Touch cards of what the table waits for, one after the other; the last one does it."""
        before = self.table.log.last()
        for count, card in enumerate(cards):
            if count:
                self.page.wait_for_selector(
                    f"#now section.matter .card:has-text('{cards[count - 1]}'):has-text('leads')"
                )
            wait_until_settled(self.page)
            self.tap(self.page.locator("#now section.matter button.card", has_text=card).first)
        self.recorded(before)

    def half(self, card: str, half: str) -> None:
        """Touch one half of a card of what the table waits for, or the button for it where nothing else is left."""
        before = self.table.log.last()
        matter = self.page.locator("#now section.matter")
        on_the_card = matter.locator(".card", has_text=card).get_by_role("button", name=re.compile(rf"\b{half}\b"))
        alone = matter.get_by_role("button", name=re.compile(rf"^Perform {re.escape(card)}, {half.lower()}"))
        self.tap(on_the_card.or_(alone).first)
        self.recorded(before)

    def takes_turn(self, top: str, bottom: str) -> None:
        """The top half of one card, the bottom half of another, and the end of the turn."""
        self.half(top, "Top")
        self.half(bottom, "Bottom")
        self.does("End turn")

    def opens(self, verb: str, owner: str = "") -> None:
        """Go from the table to the form of an action, and choose whom it is about."""
        words = verb.replace("-", " ")
        at_hand = self.page.locator(".verbs a.verb", has_text=re.compile(f"^{re.escape(words)}$", re.IGNORECASE))
        if at_hand.count():
            self.tap(at_hand.first)
        else:
            self.link("More …", ".verbs")
            self.page.wait_for_url("**/act")
            self.tap(
                self.page.locator("main li a b", has_text=re.compile(f"^{re.escape(words)}$", re.IGNORECASE)).first
            )
        self.page.wait_for_url(re.compile(r"/act/."))
        chips = self.page.locator("main .chips a")
        if owner and chips.count() and chips.filter(has_text=owner).first.get_attribute("aria-current") != "true":
            self.tap(chips.filter(has_text=owner).first)
            self.page.wait_for_selector(f".chips a[aria-current]:has-text('{owner}')")

    def fills(self, fields: Mapping[str, Filling]) -> None:
        """Fill in the form that is open: boxes and digits are touched, words typed."""
        if self.page.locator("main .picks").count():
            picks = [f"main .picks a[href$='?{name}={value}']" for name, value in fields.items()]
            self.tap(self.page.locator(",".join(picks)))
            self.page.wait_for_selector("form.fields")
        for name, value in fields.items():
            cards = self.page.locator(f"main .deal:has([name='f.{name}']) .cards")
            for one_value in (value,) if isinstance(value, str) else value:
                if cards.count():
                    self.tap(cards.locator(f"[data-card='{one_value}']"))
                else:
                    self._fills(f"f.{name}", one_value)

    def _fills(self, name: str, value: str) -> None:
        box = self.page.locator(f"main form.fields [name='{name}']")
        if box.first.get_attribute("type") == "hidden":
            return
        summary = self.page.locator(f"main details.more:not([open]):has([name='{name}']) > summary")
        if summary.count():
            self.tap(summary)
        if box.first.get_attribute("type") in ("radio", "checkbox"):
            box = self.page.locator(f"main form.fields [name='{name}'][value='{value}']")
            if not box.is_checked():
                self.tap(box)
        elif box.first.get_attribute("data-pad") and re.fullmatch(r"[\d, ]+", value):
            pad = self.page.locator(f"main form.fields [name='{name}'] + .pad")
            if not pad.count():
                self.tap(box)
            for digit in value.replace(" ", ","):
                self.tap(pad.get_by_role("button", name="comma" if digit == "," else digit, exact=True))
        else:
            self.taps += 1
            box.fill(value)

    def sends(self, *answers: str) -> None:
        """Do what the form says, and answer what the rules ask first."""
        before = self.table.log.last()
        expect = patient()
        expect(self.page.locator("form.fields .would:not(.refused)").first).not_to_be_empty()
        if answers and self.page.locator("form.fields .matter button").count():
            self.button(answers[0], "form.fields .matter")
            answers = answers[1:]
        elif self.page.locator("form.fields .matter button").count():
            self.tap(self.page.locator("form.fields .matter button").first)
        else:
            self.button("Do it", "form.fields")
        for answer in answers:
            self.button(answer, "dialog[open], main")
        self.recorded(before)

    def form(self, verb: str, owner: str = "", answers: Sequence[str] = (), **fields: Filling) -> None:
        """An action by its form, from the table and back to it."""
        self.opens(verb, owner)
        self.fills(fields)
        self.sends(*answers)

    def touches(
        self, way: str, figure: str, amount: str, other_figures: Sequence[str] = (), answers: Sequence[str] = ()
    ) -> None:
        """Touch a figure, the others whom it is about too, how much, and what the rules ask about it."""
        before = self.table.log.last()
        self.tap(self.page.locator(f"a.step[aria-label^='{way}'][aria-label$='{figure}']").first)
        for figure_too in other_figures:
            self.link(figure_too, "dialog .chips")
            self.page.wait_for_selector(f"dialog .chips a[aria-pressed=true]:has-text('{figure_too}')")
        self.tap(self.page.locator("dialog .amounts button", has_text=re.compile(rf"^\s*{re.escape(amount)}")).first)
        if other_figures:
            self.button("Do it", "dialog")
        for answer in answers:
            self.button(answer, "dialog[open]")
        self.recorded(before)

    def takes_back(self) -> None:
        """Take back the own last line, after seeing what that changes."""
        before = self.table.log.last()
        self.button("Undo", "#back")
        self.button("Do it", "dialog")
        self.recorded(before)
