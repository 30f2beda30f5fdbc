"""The line to type in, its mask for what is chosen face down, and how a widget offers its keys to the app."""

from collections.abc import Sequence
from typing import Protocol, cast

from rich.highlighter import Highlighter
from rich.text import Text
from textual import events
from textual.binding import Binding
from textual.widget import Widget
from textual.widgets import Input

from cli.table.table import OpenTable
from cli.terminal.screen import width

#: Textual's actions on the clipboard; they do with the line what typing does.
CLIPBOARD = ("copy", "cut", "paste")

#: The keys that edit the line, with Textual's action for each.
EDITING = {
    key.strip(): binding.action
    for binding in Input.BINDINGS
    if isinstance(binding, Binding)
    for key in binding.key.split(",")
}


class FaceDownMask(Highlighter):
    """Masks what is typed about face-down cards; with `all` set, everything."""

    def __init__(self, table: OpenTable) -> None:
        self.table, self.all = table, False

    def highlight(self, text: Text) -> None:
        """Replace every secret character with a dot."""
        mask_start = 0 if self.all else self.table.unseen_from(text.plain)
        if mask_start is not None:
            text.plain = text.plain[:mask_start] + "".join("•" * width(sign) for sign in text.plain[mask_start:])


class KeyHandler(Protocol):
    """What the app does with keys, the mouse wheel and pasted text."""

    point: int | None

    async def takes(self, event: events.Key) -> bool:
        """Handle a key; whether it was taken."""

    def paste(self, lines: Sequence[str], *, whole: bool) -> None:
        """Do pasted lines in order."""

    def move(self, turns: int) -> None:
        """Move the point in sight by so many turns."""

    def type(self, text: str) -> None:
        """Insert in the line what was typed while another widget had the focus."""

    def show_ways(self) -> None:
        """Show how the line may go on."""


class TableWidget(Widget):
    """A widget that offers its keys to the app first, and handles only those that it does not take."""

    @property
    def play(self) -> KeyHandler:
        return cast("KeyHandler", self.app)

    async def is_taken(self, event: events.Key) -> bool:
        """Whether the app took the key; the widget ignores it then."""
        if is_taken := await self.play.takes(event):
            event.prevent_default()
            event.stop()
        return is_taken


class LineInput(Input, TableWidget):
    """The line to type in. While a question is open a key answers it."""

    #: whether the line was not done and nothing has changed it since: it is selected, and typing replaces it
    gives_way = False

    def keep(self, text: str) -> None:
        """Keep a line that was not done: typing replaces it, Space and the keys that edit go on at its end."""
        self.value = text
        self.select_all()
        self.gives_way = bool(text)

    def take_up(self, character: str | None) -> bool:
        """Go on at the end of a line that gives way; whether the key is done: a second space is not typed."""
        self.cursor_position = len(self.value)
        return character == " " and self.value.endswith((" ", "="))

    def watch_selection(self) -> None:
        """A line gives way no longer once the cursor was moved in it, or something was typed over it."""
        if self.gives_way:
            self.gives_way = False
            self.play.show_ways()

    async def on_key(self, event: events.Key) -> None:
        if await self.is_taken(event):
            return
        action = EDITING.get(event.key)
        edits = action is not None and action not in CLIPBOARD
        if self.gives_way and (edits or event.character == " ") and self.take_up(event.character):
            event.prevent_default()
            event.stop()
        if action is not None:
            event.stop()
            await self.run_action(action)

    def on_paste(self, event: events.Paste) -> None:
        """Several pasted lines are done in order; Textual's widget would drop all but the first."""
        lines = event.text.splitlines()
        if len(lines) > 1:
            event.prevent_default()
            event.stop()
            self.play.paste(lines, whole=event.text.endswith(("\n", "\r")))
