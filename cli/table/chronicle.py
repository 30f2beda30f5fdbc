"""The list of turns on the table's screen: which of them are loaded, and how each is laid out in rows."""

from collections.abc import Iterable
from itertools import takewhile

from textual import events
from textual.widgets import OptionList
from textual.widgets.option_list import Option, OptionDoesNotExist

from cli.table.layout import rows_of
from cli.table.table import OpenTable
from cli.table.widgets import TableWidget
from cli.terminal.screen import Line, Span, spans, wrap
from domain.common.revisions import REVISIONS
from domain.registry import tag_of
from projections.chronicle import Entry
from projections.sentences import by_person

#: Turns that are loaded at a time, half of them before the point in sight and half after it.
LOADED = 300
#: The tags of the actions that revise earlier turns.
REVISING = tuple(tag_of(kind) for kind in REVISIONS)


def digits_of(last: int) -> int:
    """Columns for the numbers of turns up to `last`; at least those of T10."""
    return max(2, len(str(last))) + 1


def entry_rows(entry: Entry, digits: int, columns: int) -> list[Line]:
    """The rows of a turn: its number, then a sentence for each character that does something, and who recorded it."""
    late = f", late entry, after T{entry.place}" if entry.mark else ""
    *above, last = by_person(entry.parts) if entry.standing else [()]
    body = spans(last) if entry.standing else [Span(f"✗ {entry.sentence}", "dim strike")]
    by = [Span(f" ({who})", "dim")] if (who := entry.recorded_by) else []
    indent = digits + 2
    rows: list[Line] = []
    begins: Line = [Span(f"{f'T{entry.turn}':>{digits}}", "cyan"), Span(late, "yellow"), "  "]
    for sentence in above:
        rows += wrap([*begins, *spans(sentence)], columns, indent)
        begins = [" " * indent]
    return rows + wrap([*begins, *body, *by], columns, indent)


class Chronicle(OptionList, TableWidget):
    """The list of turns. The mouse wheel moves the point in sight, which the app knows."""

    def __init__(self, table: OpenTable) -> None:
        super().__init__(id="chronicle")
        self._table = table
        #: the last turn that was read from the log
        self.last_read = 0
        #: the range of turns that are loaded: after the first number, up to the second
        self._after, self._upto = 0, 0
        self._digits = digits_of(0)

    def holds(self, point: int | None) -> bool:
        """Whether the turns around a point are loaded; None stands for the present."""
        return self._upto >= self.last_read if point is None else self._after < point <= self._upto

    def reload(self, columns: int) -> None:
        """Load the turns around the point in sight, as revisions change how earlier turns read."""
        point = self.play.point
        self.clear_options()
        self.last_read = self._table.log.last()
        self._digits = digits_of(self.last_read)
        upto = self.last_read if point is None else min(point + LOADED // 2, self.last_read)
        self._after = max(0, upto - LOADED)
        self._append(takewhile(lambda entry: entry.turn <= upto, self._table.chronicle(self._after)), columns)
        if point is not None:
            self.highlighted = self.row_of(point)

    def append_new(self, columns: int) -> None:
        """Append the turns behind the last one read; reload if one of them revises earlier turns."""
        entries = list(self._table.chronicle(self.last_read))
        if (
            self._upto < self.last_read
            or digits_of(self._table.log.last()) > self._digits
            or any(entry.kind in REVISING or entry.place is not None for entry in entries)
        ):
            self.reload(columns)
        else:
            self._append(entries, columns)

    def _append(self, entries: Iterable[Entry], columns: int) -> None:
        options = []
        for entry in entries:
            options.append(Option(rows_of(entry_rows(entry, self._digits, columns)), id=f"T{entry.turn}"))
            self._upto = entry.turn
        self.last_read = max(self.last_read, self._upto)
        self.add_options(options)
        if self.play.point is None:
            self.to_the_end()

    def row_of(self, turn: int) -> int | None:
        """The index of a turn in the list; None if it is not loaded."""
        try:
            return self.get_option_index(f"T{turn}")
        except OptionDoesNotExist:
            return None

    def to_the_end(self) -> None:
        """Show the newest turn, with none highlighted."""
        self.highlighted = None
        self.scroll_end(animate=False)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._move_point("earlier", event)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._move_point("later", event)

    def _move_point(self, to: str, event: events.MouseEvent) -> None:
        event.stop()
        event.prevent_default()
        self.play.move(-1 if to == "earlier" else 1)

    def on_resize(self) -> None:
        """Keep the newest turn in sight when the rows below take more room."""
        if self.play.point is None and not self.has_focus:
            self.scroll_end(animate=False)

    async def on_key(self, event: events.Key) -> None:
        if not await self.is_taken(event) and event.character is not None and event.character.isprintable():
            # a typed character belongs in the line
            self.play.type(event.character)
            event.prevent_default()
            event.stop()
