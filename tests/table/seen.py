"""The screen of the table, played by a script."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from time import process_time
from typing import Any

import pytest
from textual.events import Key, MouseEvent
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Static

from cli.shell.command_context import handler_for, open_chosen
from cli.table.chronicle import Chronicle
from cli.table.screen import PlayApp
from cli.table.table import OpenTable
from cli.table.widgets import LineInput, UnseenMask
from cli.terminal.screen import width
from tests.kit.shell import Shell

SIZES = [(80, 24), (120, 40)]
#: What stands on the screen beside the chronicle and the line.
PARTS = ("party-lines", "state", "answer-lines", "waiting", "slots", "preview", "list", "bar")
#: Rows that some of them keep, whatever they show.
KEPT = {"slots": 1, "preview": 2, "list": 8, "bar": 1}
#: Seconds between two paintings of a screen on which something has changed.
PAINTS = 0.003
#: Seconds without anything to do, then rounds of the loop for what one thing leads to.
REST, ROUNDS = 0.007, 10
#: Seconds of the processor that these take by themselves.
IDLE = 0.001


async def at_rest(_: float = 0) -> None:
    """Wait until all that was begun is done and painted: as Textual does, whose screens are painted less often."""
    busy = IDLE
    while busy >= IDLE:
        began = process_time()
        await asyncio.sleep(REST)
        for _round in range(ROUNDS):
            await asyncio.sleep(0)
        busy = process_time() - began


class Table:
    """A campaign on the screen."""

    def __init__(self, shell: Shell, size: tuple[int, int], viewer: str | None = None) -> None:
        self.shell, self.size, self.viewer = shell, size, viewer

    def play(self, script: Callable[["Seen"], Awaitable[None]]) -> None:
        async def evening() -> None:
            with self.sitting() as sitting:
                app = PlayApp(sitting)
                async with app.run_test(size=self.size) as pilot:
                    await pilot.pause()
                    await script(Seen(app, pilot))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("textual.screen.UPDATE_PERIOD", PAINTS)
            for waiting in ("textual.app", "textual.pilot"):
                patch.setattr(f"{waiting}.wait_for_idle", at_rest)
            asyncio.run(evening())

    @contextmanager
    def sitting(self) -> Iterator[OpenTable]:
        """The same without a screen."""
        with open_chosen(None, write=True) as (log, system):
            paints = "NO_COLOR" not in os.environ
            yield OpenTable(
                log, system, handler_for(log), address=log.address, viewer=self.viewer, paints=paints, hints=False
            )


class Seen:
    """What is on the screen, and hands on the keys."""

    def __init__(self, app: PlayApp, pilot: Pilot[Any]) -> None:
        self.app, self.pilot = app, pilot

    async def type(self, text: str, *keys: str) -> None:
        line = self.app.query_one(LineInput)
        line.value = text
        line.cursor_position = len(text)
        await self.pilot.pause()
        await self.press(*keys)

    async def press(self, *keys: str) -> None:
        """Press keys; signs that follow each other come at once, any other key when all is at rest."""
        for are_signs, run in groupby(keys, lambda key: len(key) == 1):
            if are_signs:
                self.strike(*run)
                await self.pilot.pause()
            else:
                await self.pilot.press(*run)
        await self.pilot.pause()

    def strike(self, *keys: str) -> None:
        """Press keys that come before anything is drawn."""
        for key in keys:
            self.app.post_message(Key({"\n": "enter", " ": "space"}.get(key, key), key))

    async def wheel(self, over: Widget, way: Callable[..., MouseEvent]) -> None:
        over.post_message(way(over, 1, 1, 0, 0, 0, False, False, False))
        await self.pilot.pause()

    def of(self, name: str) -> str:
        return str(self.app.query_one(f"#{name}", Static).render())

    @property
    def chronicle(self) -> list[str]:
        """Each turn as one line, whatever room there is."""
        return [
            " ".join(sentence.split()).replace(" ", "  ", 1) if sentence[:1] == "T" else sentence
            for sentence in self.turns
        ]

    @property
    def turns(self) -> list[str]:
        """Each turn as it stands there."""
        listed = self.app.query_one(Chronicle)
        return [str(listed.get_option_at_index(at).prompt).strip() for at in range(listed.option_count)]

    @property
    def answer(self) -> str:
        """What is told apart from the turns; nothing where it is closed."""
        return self.of("answer-lines") if self.app.query_one("#answer").display else ""

    @property
    def line(self) -> str:
        return self.app.query_one(LineInput).value

    @property
    def line_as_shown(self) -> str:
        """The line with dots where it is unseen."""
        return str(UnseenMask(self.app.guide)(self.line))

    def everything(self) -> str:
        """All the words on the screen."""
        return "\n".join([*map(self.of, PARTS), *self.turns, self.line_as_shown])

    def fits(self) -> None:
        """Nothing is broken by the screen or reaches beyond it; what is cut says so (an ellipsis, or a bar)."""
        columns, rows = self.app.size
        for name in PARTS:
            shown = self.app.query_one(f"#{name}", Static)
            lines = self.of(name).splitlines()
            assert all(width(row) <= columns - 2 for row in lines), (name, lines)
            # the rows around the line stay where they are while one types
            rows_there = max(len(lines), KEPT.get(name, 1))
            assert not shown.display or shown.size.height in (rows_there, 0), (name, shown.size, lines)
        listed = self.app.query_one(Chronicle)
        assert all(width(row) <= columns - 1 for sentence in self.turns for row in sentence.splitlines()), self.turns
        assert self.app.query_one("#middle").size.height >= 3, self.everything()
        assert listed.size.height >= 3 or self.answer
        # the party is scrolled where it takes more rows than there are; the state of the table is not cut short
        assert self.app.query_one("#party").size.height >= min(2, len(self.of("party-lines").splitlines()))
        cut = [row for row in self.of("party-lines").splitlines() if row.endswith("…") and not row.endswith("NAME …")]
        assert columns < 80 or not cut
        assert columns < 80 or "…" not in self.of("state").partition("\n")[0], self.of("state")
        assert self.app.query_one(LineInput).region.height == 1
        assert self.app.query_one("#preview", Static).region.bottom <= rows
        assert self.app.query_one(LineInput).region.bottom <= rows
