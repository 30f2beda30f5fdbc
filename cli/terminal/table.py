"""Tables on the terminal, with columns narrowed until the table fits."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

from msgspec.structs import replace

from cli.terminal.screen import Screen, Span, columns_of, pad, safe, width, wrap

#: The width that columns are narrowed to at most.
NARROWEST = 8


def print_table(screen: Screen, columns: Sequence[str], rows: Sequence[Sequence[Any]], indent: str = "") -> None:
    """Print rows under their columns, numbers aligned to the right; on a terminal cells are wrapped where they must."""
    if not rows:
        screen.line(indent, Span("No rows.", "dim"))
        return
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(width(cell) for cell in column) for column in zip(columns, *cells, strict=True)]
    right = [all(isinstance(row[at], int | float | None) for row in rows) for at in range(len(columns))]
    if screen.laid_out:
        widths = fit_widths(widths, screen.columns - len(indent) - 2 * (len(widths) - 1))
    for style, row in [("bold", columns), *(("", row) for row in cells)]:
        pieces = [_pieces(cell, wide) for cell, wide in zip(row, widths, strict=True)]
        for parts in zip_longest(*pieces, fillvalue=""):
            line = "  ".join(map(_put, parts, widths, right)).rstrip()
            screen.line(indent, Span(line, style), indent=None)


def print_columns(screen: Screen, rows: Sequence[Sequence[Span | str]], columns: int | None) -> None:
    """Print rows in columns, the first as their heads; with `columns` cells are wrapped where they are too wide."""
    widths = [max(columns_of((cell,)) for cell in cells) for cells in zip(*rows, strict=True)]
    if columns is not None:
        widths = fit_widths(widths, columns - 2 * (len(widths) - 1))
    for number, row in enumerate(rows):
        cells = [wrap((cell,), wide, 0) for cell, wide in zip(row, widths, strict=True)]
        for parts in zip_longest(*cells, fillvalue=()):
            line: list[Span] = []
            for part, wide in zip(parts, widths, strict=True):
                line += (replace(span, style="bold") if not number else span for span in part)
                line.append(Span(" " * (wide - columns_of(part) + 2)))
            screen.lines((line,))


def fit_widths(widths: Sequence[int], columns: int) -> list[int]:
    """The widths reduced to a sum of at most `columns`, the widest first, none below `NARROWEST`."""
    fit = list(widths)
    while sum(fit) > columns and max(fit) > NARROWEST:
        fit[fit.index(max(fit))] -= 1
    return fit


def _pieces(text: str, columns: int) -> list[str]:
    """The text in pieces of at most so many columns."""
    if width(text) <= columns:
        return [text]
    return ["".join(part.text for part in line) for line in wrap((text,), columns, 0)]


def _put(text: str, columns: int, right: bool) -> str:
    return " " * (columns - width(text)) + text if right else pad(text, columns)


def _cell(value: Any) -> str:
    return "" if value is None else safe(str(value).replace("\n", " "))
