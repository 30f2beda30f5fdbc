"""A table on the terminal, its columns made narrower until it fits."""

from collections.abc import Sequence
from typing import Any

from cli.terminal.screen import Screen, Span, padded, safe, width

#: What does not fit a terminal is shown in columns that are narrower, but not narrower than this.
NARROWEST = 8


def print_table(screen: Screen, columns: Sequence[str], rows: Sequence[Sequence[Any]], indent: str = "") -> None:
    """Rows under their columns, numbers to the right."""
    if not rows:
        screen.line(indent, Span("No row.", "dim"))
        return
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(width(each) for each in column) for column in zip(columns, *cells, strict=True)]
    right = [all(isinstance(row[at], int | float | None) for row in rows) for at in range(len(columns))]
    if screen.laid_out:
        widths = fitted(widths, screen.columns - len(indent) - 2 * (len(widths) - 1))
    for style, row in [("bold", columns), *(("", row) for row in cells)]:
        line = "  ".join(_put(*each) for each in zip(row, widths, right, strict=True)).rstrip()
        screen.line(indent, Span(line, style), indent=None)


def fitted(widths: Sequence[int], columns: int) -> list[int]:
    """Widths that take no more than so many columns in all, the widest made narrower first, none under 8."""
    found = list(widths)
    while sum(found) > columns and max(found) > NARROWEST:
        found[found.index(max(found))] -= 1
    return found


def _put(text: str, columns: int, right: bool) -> str:
    shown = safe(text)
    if width(shown) > columns:
        while width(shown) >= columns:
            shown = shown[:-1]
        shown += "…"
    return " " * (columns - width(shown)) + shown if right else padded(shown, columns)


def _cell(value: Any) -> str:
    return "" if value is None else safe(str(value).replace("\n", " "))
