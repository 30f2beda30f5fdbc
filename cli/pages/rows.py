"""The writers of tabular results: text, CSV, Markdown, HTML, JSON and NDJSON, rows spread over lines, and ids."""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Any

from cli.pages.blocks import table_lines
from cli.pages.escaping import escape
from cli.pages.formats import Format
from cli.terminal.screen import Screen, Span, safe
from cli.terminal.table import print_spread, print_table
from domain.times import to_the_minute
from domain.values import as_written, assignments, in_words

#: Style of a page with a table: one wider than the page scrolls, and wraps on paper.
TABLE = """
body { max-width: none; } .table { overflow-x: auto; } td { min-width: 3rem; padding: .2rem .8rem .2rem 0; }
@media print { .table { overflow: visible; } td { min-width: 0; } }
"""

#: Tells a spreadsheet that the file is UTF-8; left out in a pipe.
BYTE_ORDER_MARK = "\ufeff"


def write_rows(screen: Screen, rows: Iterable[Mapping[str, Any]], form: Format, columns: Sequence[str]) -> None:
    """Print rows in any format: JSON and lines show all of each row, ids its first column, the others `columns`."""
    match form:
        case Format.text:
            cells = [
                [_to_the_minute(row, column) or _for_alignment(row.get(column)) for column in columns] for row in rows
            ]
            print_table(screen, columns, cells)
        case Format.json:
            screen.json(rows)
        case Format.ndjson:
            for row in rows:
                screen.json(row, pretty=False)
        case Format.csv:
            import csv  # no other format needs it, and each command waits for its imports

            out = io.StringIO()
            writer = csv.writer(out, lineterminator="\n")
            cells_of = ([_csv_cell(row.get(column)) for column in columns] for row in rows)
            for number, row_cells in enumerate(chain([list(columns)], cells_of)):  # one by one: more may be to come
                writer.writerow(row_cells)
                begins = BYTE_ORDER_MARK if not number and screen.begins_file else ""
                screen.raw(begins + safe(out.getvalue().removesuffix("\n"), lines=True))
                out.seek(0)
                out.truncate()
        case Format.md:
            for line in table_lines(
                columns, ([escape(_for_readers(row.get(name))) for name in columns] for row in rows)
            ):
                screen.raw(line)
        case Format.html:
            from cli.pages.html_page import document_lines

            for line in document_lines("campaign", TABLE, _table(rows, columns)):
                screen.raw(line)
        case Format.lines:
            print_spread(screen, ({column: _for_alignment(value) for column, value in row.items()} for row in rows))
        case Format.ids:
            first = columns[0] if columns else ""
            for row in rows:
                screen.line(f"{LETTERS.get(first, '')}{_as_plain(row.get(first))}", indent=None)


#: The letter that a number is typed with, by the column that it stands in.
LETTERS = {"turn": "T", "session": "S", "ruling": "R"}


def _table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> Iterator[str]:
    from cli.pages.html_page import escape_html

    heads = "".join(f"<th>{escape_html(column)}</th>" for column in columns)
    yield f'<div class="table"><table>\n<thead><tr>{heads}</tr></thead>'
    for row in rows:
        yield f"<tr>{''.join(f'<td>{escape_html(_for_readers(row.get(column)))}</td>' for column in columns)}</tr>"
    yield "</table></div>"


def write_facts(screen: Screen, facts: Mapping[str, Any], form: Format) -> None:
    """Print the named values of one thing in any format, text included."""
    if form in (Format.json, Format.ndjson):
        screen.json(facts, pretty=form is Format.json)
        return
    lines = {
        name: ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, Mapping) else str(value)
        for name, value in facts.items()
    }
    if form is Format.text:
        width = max(map(len, lines)) + 2
        for name, value in lines.items():
            screen.line(Span(f"{name:<{width}}", "dim"), value, indent=None)
    else:
        rows = [{"name": name, "value": value} for name, value in lines.items()]
        write_rows(screen, rows, form, ("name", "value"))


def _as_plain(value: Any) -> str:
    if value is None:
        return ""
    return as_written(value)


def _for_alignment(value: Any) -> Any:
    """A value in a table of text: numbers as they are, as they are aligned, and the rest in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, int | float) else _for_readers(value)


def _to_the_minute(row: Mapping[str, Any], column: str) -> str | None:
    """A moment as people read it; None for any other cell."""
    value = row.get(column)
    return to_the_minute(datetime.fromisoformat(value)) if column == "at" and isinstance(value, str) else None


def _for_readers(value: Any) -> str:
    """A value for readers: lists and mappings in words, nothing for an empty one."""
    if isinstance(value, Mapping) and not any(isinstance(item, list | tuple | Mapping) for item in value.values()):
        return assignments(value) if value else ""
    return (in_words(value) if value else "") if isinstance(value, list | tuple | Mapping) else _as_plain(value)


def _csv_cell(value: Any) -> str:
    """A CSV cell that no spreadsheet takes for a formula; some also read the full-width signs as formulas."""
    text = _as_plain(value)
    starts = text.lstrip(" ")[:1]
    return f"'{text}" if isinstance(value, str) and starts and starts in "=+-@\t\r\n＝＋－＠" else text
