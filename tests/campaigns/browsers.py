"""Whole evenings in real browsers: `uv run python -m tests.campaigns.browsers --drops 1000 --seed 1`.

Each example is played to its own sheets from four phones or more (one for each player, one in the middle of the table,
and where that is too few a second one for a player) and the laptop of whoever keeps the log, all of them real browsers.
Connections are dropped in between: an answer is lost on its way back, every connection there is is cut, a phone is out
of reach for a while. In the end every page has to show the last turn. Prints its seed and its counts.
"""

import argparse
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cli.serving import connections
from cli.serving.invitations import REFEREE, TABLE
from cli.shell.examples import examples
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.kit.browsers import CHROMIUM, DESK, PHONE, browser_running, line_on, seat_at
from tests.kit.evenings import Evening, recorded
from tests.kit.online import online
from tests.kit.phones import Phone, Served
from tests.kit.shell import shell_elsewhere

#: Milliseconds in which a page has to show something, however busy the machine is.
PATIENCE = 120_000
#: Phones at a table, at least.
PHONES = 4
#: Said by a phone that has tried for a while.
OUT_OF_REACH = "Tap again: it is done once."


class Cut(connections.Connection):
    """A connection that can be cut, whatever is under way on it."""

    there: "set[Cut]" = set()

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.there.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.there.discard(self)
        super().connection_lost(exc)

    @classmethod
    def all(cls) -> int:
        """Cut every connection that there is; how many."""
        connections = list(cls.there)
        for fault in connections:
            fault.loop.call_soon_threadsafe(fault.drop)
        return len(connections)


class InBrowsers(Evening):
    """An evening of which every line is typed and tapped in a browser."""

    def __init__(self, name: str, folder: Path, chance: Random, losing: float, browser: Any) -> None:
        super().__init__(name, folder, chance, losing)
        self.browser, self.drops = browser, Counter[str]()
        #: the pages of each seat
        self.pages: dict[str, list[Any]] = {}
        #: those whose next answer gets lost
        self.loses: set[Any] = set()

    def begin(self, stack: ExitStack, table: Served) -> None:
        self.address = stack.enter_context(online(table))
        for name, size in ((REFEREE, DESK), (TABLE, PHONE)):
            self._sits_down(table, name, size)

    def _sits_down(self, table: Served, name: str, size: dict[str, int]) -> None:
        table.invitations.invite(name)
        page, _ = seat_at(self.browser, table, self.address, name, size, self._meddled)
        page.set_default_timeout(PATIENCE)
        self.pages.setdefault(name, []).append(page)

    def _page(self, table: Served, seat: str) -> Any:
        """The page, or one of the two, at which somebody types."""
        name = REFEREE if seat == "referee" else seat
        if name not in self.pages or (name != REFEREE and len(self.pages[name]) < 2 and len(self.phones) < PHONES):
            self._sits_down(table, name, PHONE)
        return self.chance.choice(self.pages[name])

    @property
    def phones(self) -> list[Any]:
        """Every page but the laptop's."""
        return [page for name, pages in self.pages.items() if name != REFEREE for page in pages]

    def typed(self, table: Served, phones: dict[str, Phone], seat: str, line: str, signs: Sequence[str]) -> bool:  # noqa: ARG002
        page, before = self._page(table, seat), table.serving.turns.last
        self._shows(page, before)
        undo = self._dropped(page)
        line_on(page).fill(line)
        page.keyboard.press("Enter")
        undo()
        signs_left = list(signs)
        # the rules may ask, and what it changes may be shown; each leads on until the turn is there or is refused
        while True:
            page.wait_for_function(DONE, arg=before, timeout=PATIENCE, polling=50)
            if table.serving.turns.last > before:
                break
            # what was refused before something else was typed is read no more
            if refusals := page.locator(".would.refused:not(.old)").all_text_contents():
                if OUT_OF_REACH in refusals[0]:
                    self.drops["taps given up and tapped again"] += 1
                    page.get_by_role("button", name="Do it").first.click()
                    continue
                assert seat != "referee", (line, refusals)
                line_on(page).fill("")
                return False
            undo = self._dropped(page)
            # what is asked of a typed line lies over the page
            area = page.locator("dialog" if page.locator("dialog[open]").count() else "main")
            if signs_left and (area.locator(f"input[name=answer][value='{signs_left[0]}']").count()):
                sign = signs_left.pop(0)
                area.locator(f"form:has(input[name=answer][value='{sign}']) button").last.click()
            else:
                area.get_by_role("button", name="Do it").first.click()
            undo()
        if "/seats" in page.url:  # whoever was enrolled has a link there
            page.goto(self.address)
        # a page that asked goes back to the table by itself, unless the rules ask about what came of it
        page.wait_for_selector("#now, main ol.turns", timeout=PATIENCE)
        if not page.locator("#now").count() or page.locator("dialog[open]").count():
            page.goto(self.address)
        return True

    def sent(
        self,
        table: Served,
        phones: dict[str, Phone],  # noqa: ARG002
        seat: str,
        filling: tuple[str, str],
        signs: Sequence[str],
    ) -> bool:
        page, before = self._page(table, seat), table.serving.turns.last
        self._shows(page, before)
        fields = [("at", str(before)), filling, ("sure", "yes"), *(("answer", sign) for sign in signs)]
        status = page.evaluate(SEND, fields)
        if status == 409 and seat != "referee":
            return False
        assert status == 200, (filling, status)
        return True

    def _dropped(self, page: Any) -> Callable[[], None]:
        """Something breaks, or nothing; what mends it."""
        if self.chance.random() >= self.losing:
            return lambda: None
        self.lost += 1
        match self.chance.choice(("answer", "cut", "away")):
            case "answer":
                self.loses.add(page)
                return lambda: None
            case "cut":
                self.drops["connections cut"] += Cut.all()
                return lambda: None
            case _:
                self.drops["phones out of reach"] += 1
                page.context.set_offline(True)

                def back() -> None:
                    page.wait_for_timeout(self.chance.randrange(400))
                    page.context.set_offline(False)

                return back

    def _meddled(self, route: Any) -> None:
        """A tap on its way: its answer gets lost, where that is its turn."""
        page = route.request.frame.page
        if page not in self.loses:
            route.continue_()
            return
        self.loses.remove(page)
        self.drops["answers lost"] += 1
        route.fetch()
        route.abort()

    def _shows(self, page: Any, turn: int) -> None:
        """The page goes on by itself to this turn."""
        page.wait_for_function(SHOWN, arg=turn, timeout=PATIENCE, polling=50)

    def end(self, table: Served) -> None:
        last = table.log.last()
        assert len(self.phones) >= PHONES
        for page in (*self.pages[REFEREE], *self.phones):
            self._shows(page, last)
            assert re.search(rf'id="T{last}"', page.content())
            page.context.close()


#: The page shows a turn, and waits for no answer.
SHOWN = """(turn) => Number(document.getElementById('now')?.dataset.turn) >= turn
    && !document.querySelector('form[data-busy]')"""
#: What a form of the page would send, sent by the page; the status of the page that it leads to.
SEND = "async fields => (await fetch('/do', {method: 'POST', body: new URLSearchParams(fields)})).status"
#: The page tells that something came of a line: a turn, a question, what it changes, or why not.
DONE = """(before) => !document.querySelector('form[data-busy]') && (
    Number(document.getElementById('now')?.dataset.turn) > before
    || location.pathname === '/seats'
    || document.querySelector('dialog[open] form')
    || (!document.getElementById('now') && document.querySelector('main form.tap button, main ol.turns'))
    || document.querySelector('.would.refused:not(.old)')?.textContent)"""


def played(folder: Path, seed: int, losing: float, browser: Any) -> tuple[int, bool]:
    """Play each example in browsers; how many connections were dropped, and whether all came to the same sheets."""
    folder.mkdir()
    drops, all_same = 0, True
    for name in sorted(examples()):
        evening = InBrowsers(name, folder, Random(seed), losing, browser)
        same = evening.play() == recorded(name)
        drop_counts = ", ".join(f"{times} {kind}" for kind, times in sorted(evening.drops.items()))
        sheets = "the same sheets" if same else "other sheets"
        print(f"{name}: seed {seed}, {len(evening.phones)} phones and a laptop, {evening.by_players} lines by players; "
              f"{drop_counts}; {sheets}", flush=True)  # fmt: skip
        drops, all_same = drops + evening.drops.total(), all_same and same
    return drops, all_same


def main(arguments: Sequence[str] | None = None) -> None:
    """Play until so many connections were dropped. Exits with 1 where an evening came to other sheets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drops", type=int, default=200)
    parser.add_argument("--losing", type=float, default=0.3, help="how often something breaks before a tap")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if CHROMIUM is None:
        print("There is no Chromium here.")
        return
    with shell_elsewhere() as shell, pytest.MonkeyPatch.context() as patch, browser_running() as browser:
        patch.setattr(connections, "Connection", Cut)
        drops, seed, sound = 0, options.seed, True
        while drops < options.drops and sound:
            more, sound = played(shell.folder / str(seed), seed, options.losing, browser)
            drops, seed = drops + more, seed + 1
        print(f"{drops:,} connections dropped in all, {'nothing lost or doubled' if sound else 'SOMETHING DIFFERS'}")
    if not sound:
        raise SystemExit(1)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
