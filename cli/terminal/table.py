"""Tables on the terminal, with columns narrowed until the table fits."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from msgspec.structs import replace

from cli.terminal.screen import Screen, Span, columns_of, pad, safe, syllables, width, wrap

#: The width that columns are narrowed to at most, and that of a word which is broken where it must.
NARROWEST, LONGEST_WORD = 8, 10


def print_table(screen: Screen, columns: Sequence[str], rows: Sequence[Sequence[Any]], indent: str = "") -> None:
    """Print rows under their columns, numbers aligned to the right.

    On a terminal cells are wrapped where they must; a table that would break words is printed a row at a time instead.
    """
    if not rows:
        screen.line(indent, Span("No rows.", "dim"))
        return
    cells = [[_cell(value) for value in row] for row in rows]
    in_columns = list(zip(columns, *cells, strict=True))
    widths = [max(map(width, column)) for column in in_columns]
    right = [all(isinstance(row[at], int | float | None) for row in rows) for at in range(len(columns))]
    if screen.laid_out:
        room = screen.columns - len(indent) - 2 * (len(widths) - 1)
        words = [max(map(_longest_word, column)) for column in in_columns]
        if sum(words) > room:
            told = [{name: cell for name, cell in zip(columns, row, strict=True) if cell} for row in cells]
            print_spread(screen, told, indent)
            return
        widths = fit_widths(widths, room, words)
    for style, row in [("bold", columns), *(("", row) for row in cells)]:
        pieces = [_pieces(cell, wide) for cell, wide in zip(row, widths, strict=True)]
        for parts in zip_longest(*pieces, fillvalue=""):
            line = "  ".join(map(_put, parts, widths, right)).rstrip()
            screen.line(indent, Span(line, style), indent=None)


def print_spread(screen: Screen, rows: Iterable[Mapping[str, Any]], indent: str = "") -> None:
    """Print each row as a line for each of its cells, with a blank line between rows."""
    for number, row in enumerate(rows):
        if number:
            screen.line()
        widest = max(map(len, row), default=0)
        for column, value in row.items():
            head = Span(f"{indent}{column:<{widest}}  ", "dim")
            screen.line(head, str(value), indent=len(indent) + widest + 2)


def _longest_word(cell: str) -> int:
    """The columns that a cell needs at least: those of its longest word, or of what that can be broken into."""
    words = (word if width(word) <= LONGEST_WORD else max(syllables(word), key=width) for word in cell.split())
    return min(max(map(width, words), default=0), 2 * LONGEST_WORD)


def print_columns(screen: Screen, rows: Sequence[Sequence[Span | str]], columns: int | None) -> None:
    """Print rows in columns, the first as their heads; with `columns` cells are wrapped where they are too wide."""
    widths = [max(columns_of((cell,)) for cell in cells) for cells in zip(*rows, strict=True)]
    if columns is not None:
        widths = fit_widths(widths, columns - 2 * (len(widths) - 1), [NARROWEST] * len(widths))
    for number, row in enumerate(rows):
        cells = [wrap((cell,), wide, 0) for cell, wide in zip(row, widths, strict=True)]
        for parts in zip_longest(*cells, fillvalue=()):
            line: list[Span] = []
            for part, wide in zip(parts, widths, strict=True):
                line += (replace(span, style="bold") if not number else span for span in part)
                line.append(Span(" " * (wide - columns_of(part) + 2)))
            screen.lines((line,))


def fit_widths(widths: Sequence[int], columns: int, least: Sequence[int]) -> list[int]:
    """The widths reduced to a sum of at most `columns`, the widest first, none below its `least`."""
    fit = list(widths)
    while sum(fit) > columns and (above := [at for at, wide in enumerate(fit) if wide > least[at]]):
        fit[max(above, key=fit.__getitem__)] -= 1
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
