"""The parts of the screen that get keys: the line to type in, and the chronicle."""

from collections.abc import Sequence
from typing import Protocol, cast

from rich.highlighter import Highlighter
from rich.text import Text
from textual import events
from textual.binding import Binding
from textual.widget import Widget
from textual.widgets import Input, OptionList

from cli.table.table import OpenTable
from cli.terminal.screen import width

#: The keys that only change the line, with what each does to it.
EDITING = {
    key.strip(): binding.action
    for binding in Input.BINDINGS
    if isinstance(binding, Binding)
    for key in binding.key.split(",")
}


class Unseen(Highlighter):
    """What is typed of cards that lie face down is not shown."""

    def __init__(self, table: OpenTable) -> None:
        self.table, self.all = table, False

    def highlight(self, text: Text) -> None:
        """Put a dot in the place of every sign that nobody is to see."""
        shown = 0 if self.all else self.table.unseen_from(text.plain)
        if shown is not None:
            text.plain = text.plain[:shown] + "".join("•" * width(sign) for sign in text.plain[shown:])


class TakesKeys(Protocol):
    """What the screen does with keys, wheels and pasted text."""

    point: int | None

    async def takes(self, event: events.Key) -> bool:
        """Whether a key does something, or answers what is open."""

    def paste(self, lines: Sequence[str], *, whole: bool) -> None:
        """Type lines that were pasted, each with its Enter."""

    def move(self, turns: int) -> None:
        """The sheets as they were some turns earlier, or later up to now."""

    def type(self, text: str) -> None:
        """Go on in the line with what was typed elsewhere."""


class OfTheTable(Widget):
    """A part of the screen that gets keys; those that the table takes are nothing to the widget any more."""

    @property
    def play(self) -> TakesKeys:
        return cast("TakesKeys", self.app)

    async def is_taken(self, event: events.Key) -> bool:
        """Whether the table takes a key."""
        if taken := await self.play.takes(event):
            event.prevent_default()
            event.stop()
        return taken


class LineInput(Input, OfTheTable):
    """The line to type in. While the rules ask something, a key answers; in an empty line, a digit picks a way."""

    async def on_key(self, event: events.Key) -> None:
        if not await self.is_taken(event) and event.key in EDITING:
            event.stop()
            await self.run_action(EDITING[event.key])

    def on_paste(self, event: events.Paste) -> None:
        """Several lines are done one after the other; by itself the widget would drop all but the first."""
        lines = event.text.splitlines()
        if len(lines) > 1:
            event.prevent_default()
            event.stop()
            self.play.paste(lines, whole=event.text.endswith(("\n", "\r")))


class Chronicle(OptionList, OfTheTable):
    """The turns. The wheel moves the point that one looks at."""

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._moves("earlier", event)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._moves("later", event)

    def _moves(self, to: str, event: events.MouseEvent) -> None:
        event.stop()
        event.prevent_default()
        self.play.move(-1 if to == "earlier" else 1)

    def on_resize(self) -> None:
        """What is new stays in sight when the rows below take more room."""
        if self.play.point is None and not self.has_focus:
            self.scroll_end(animate=False)

    async def on_key(self, event: events.Key) -> None:
        if not await self.is_taken(event) and event.character is not None and event.character.isprintable():
            # whoever begins to type means the line
            self.play.type(event.character)
            event.prevent_default()
            event.stop()
