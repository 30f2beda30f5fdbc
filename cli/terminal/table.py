"""Tables on the terminal, with columns narrowed until the table fits."""

from collections.abc import Sequence
from typing import Any

from cli.terminal.screen import Screen, Span, padded, safe, width

#: The width that columns are narrowed to at most.
NARROWEST = 8


def print_table(screen: Screen, columns: Sequence[str], rows: Sequence[Sequence[Any]], indent: str = "") -> None:
    """Print rows under their columns, numbers aligned to the right."""
    if not rows:
        screen.line(indent, Span("No row.", "dim"))
        return
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(width(cell) for cell in column) for column in zip(columns, *cells, strict=True)]
    right = [all(isinstance(row[at], int | float | None) for row in rows) for at in range(len(columns))]
    if screen.laid_out:
        widths = fitted(widths, screen.columns - len(indent) - 2 * (len(widths) - 1))
    for style, row in [("bold", columns), *(("", row) for row in cells)]:
        line = "  ".join(_put(*cell) for cell in zip(row, widths, right, strict=True)).rstrip()
        screen.line(indent, Span(line, style), indent=None)


def fitted(widths: Sequence[int], columns: int) -> list[int]:
    """The widths reduced to a sum of at most `columns`, the widest first, none below `NARROWEST`."""
    narrowed = list(widths)
    while sum(narrowed) > columns and max(narrowed) > NARROWEST:
        narrowed[narrowed.index(max(narrowed))] -= 1
    return narrowed


def _put(text: str, columns: int, right: bool) -> str:
    safe_text = safe(text)
    if width(safe_text) > columns:
        while width(safe_text) >= columns:
            safe_text = safe_text[:-1]
        safe_text += "…"
    return " " * (columns - width(safe_text)) + safe_text if right else padded(safe_text, columns)


def _cell(value: Any) -> str:
    return "" if value is None else safe(str(value).replace("\n", " "))
