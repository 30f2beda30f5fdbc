"""The line to type in, its mask for what is typed unseen, and how a widget offers its keys to the app."""

from collections.abc import Sequence
from typing import Protocol, cast

from rich.highlighter import Highlighter
from rich.text import Text
from textual import events
from textual.binding import Binding
from textual.widget import Widget
from textual.widgets import Input
from textual.widgets.input import Selection

from cli.table.guide import Guide
from cli.terminal.screen import width

#: The keys that edit the line, with Textual's action for each.
EDITING = {
    key.strip(): binding.action
    for binding in Input.BINDINGS
    if isinstance(binding, Binding)
    for key in binding.key.split(",")
}


class UnseenMask(Highlighter):
    """Masks what is typed about face-down cards; where the guide hides, everything."""

    def __init__(self, guide: Guide) -> None:
        self._guide = guide

    def highlight(self, text: Text) -> None:
        """Replace every secret character with a dot."""
        mask_start = 0 if self._guide.hides_line else self._guide.table.unseen_from(text.plain)
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
    """The line to type in; what its keys do beside editing is the guide's."""

    def follow(self, guide: Guide) -> None:
        """Show the guide's line; one that gives way is selected."""
        with self.prevent(Input.Changed):
            if self.value != guide.text:
                self.value = guide.text
            if guide.gives_way:
                self.selection = Selection(
                    guide.replaced_from, guide.cursor if guide.asked is not None else len(self.value)
                )
            elif (self.cursor_position, self.selection.is_empty) != (guide.cursor, True):
                self.cursor_position = guide.cursor

    async def on_key(self, event: events.Key) -> None:
        if await self.is_taken(event):
            return
        # in the order of the keys, not as bindings, which run beside the input
        action = EDITING.get(event.key)
        if action is not None:
            event.prevent_default()
            event.stop()
            await self.run_action(action)

    def on_paste(self, event: events.Paste) -> None:
        """Several pasted lines are done in order; Textual's widget would drop all but the first."""
        lines = event.text.splitlines()
        if len(lines) > 1:
            event.prevent_default()
            event.stop()
            self.play.paste(lines, whole=event.text.endswith(("\n", "\r")))
