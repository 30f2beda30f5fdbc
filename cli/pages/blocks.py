"""A page for reading as blocks of text, written as Markdown or laid out on a terminal.

The text of a block is what it says, word for word: only what writes it down knows what has to be escaped there. HTML is
made from the Markdown (`cli.pages.markdown`). A terminal needs neither: whatever reads Markdown, and Rich, take longer
to import than the page takes to be told.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from msgspec import Struct

from cli.pages.escaping import escape, prose
from cli.terminal.screen import Line, Screen, Span, framed, safe, spans, truncate, wrap
from cli.terminal.table import print_columns
from domain.turn import Struck

#: The address of a turn, by its number.
Link = Callable[[int], str]
#: Columns that text takes at most on a terminal, however wide it is: longer lines are hard to read.
WIDEST = 100
#: One for each curve; also distinguishable without telling red from green.
COLOURS = ("bright_blue", "yellow", "cyan", "magenta", "white", "bright_yellow", "blue", "bright_magenta")


class Strong(str):
    """Words that stand out."""


class Reference(Struct, frozen=True):
    """The turn that something was read in, in parentheses or as a link: "T5 to T7"."""

    words: str
    turn: int


#: Words, one after the other: plain, `Strong`, or `Struck` where they no longer count.
Pieces = Sequence[str | Reference]


class HeadingBlock(Struct, frozen=True):
    """A heading; that of the page has level 1."""

    text: str
    level: int


class ParagraphBlock(Struct, frozen=True):
    """A paragraph; a `faint` one is less important."""

    pieces: Pieces
    faint: bool = False


class ProseBlock(Struct, frozen=True):
    """What somebody wrote, in the paragraphs and lines in which it was written."""

    text: str
    reference: Reference | None = None
    quoted: bool = False


class ListItem(Struct, frozen=True):
    """One item of a list; `turn` is the turn that it stands for, to which a link may lead."""

    pieces: Pieces
    turn: int | None = None


class ListBlock(Struct, frozen=True):
    """A list; with `folded_as` a page shows only these words of it until it is unfolded."""

    items: Iterable[ListItem]
    folded_as: str | None = None


class FigureBlock(Struct, frozen=True):
    """A picture made of signs: a row for each curve, signs that begin with a blank below it, and a legend."""

    name: str
    rows: Sequence[str]


class DataTable(Struct, frozen=True):
    """Rows under their heads."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


Block = HeadingBlock | ParagraphBlock | ProseBlock | ListBlock | FigureBlock | DataTable


# -- Markdown ----------------------------------------------------------------------------------------------


def as_markdown(blocks: Iterable[Block], link: Link | None = None, *, fenced: bool = False) -> str:
    """The blocks as Markdown; without `link` turns are named but not linked.

    It is read as it is, too: a figure is an indented block, and nothing is HTML. `fenced` makes it the source of a
    page, with each figure under its name, for what paints a picture instead, and with lists that are folded.
    """
    return "\n".join(line for block in blocks for line in ("", *_as_markdown(block, link, fenced))).strip("\n")


def _as_markdown(block: Block, link: Link | None, fenced: bool) -> Iterator[str]:
    match block:
        case HeadingBlock(text, level):
            yield f"{'#' * level} {escape(text)}"
        case ParagraphBlock(pieces, faint):
            text = in_markdown(pieces, link)
            yield f"*{text}*" if faint else text
        case ProseBlock(text, reference, is_quote):
            words = prose(text)
            if reference is not None:
                words = f"{words} {in_markdown((reference,), link)}"
            yield from (f"> {line}" for line in words.split("\n")) if is_quote else (words,)
        case ListBlock(items, folded_as) if folded_as is None or not fenced:
            yield from (f"- {_item(item, link)}" for item in items)
        case ListBlock(items, folded_as):
            yield from (f"<details><summary>{folded_as}</summary>", "")
            yield from (f"- {_item(item, link)}" for item in items)
            yield from ("", "</details>")
        case FigureBlock(name, rows):
            drawn = [safe(row) for row in rows]
            yield from (f"````figure {name}", *drawn, "````") if fenced else (f"    {row}".rstrip() for row in drawn)
        case DataTable(heads, rows):
            cells = ([in_markdown((cell,), link) for cell in row] for row in rows)
            yield from table_lines(list(map(escape, heads)), cells)


def table_lines(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table of cells that are Markdown already."""
    yield f"|{'|'.join(f' {head} ' if head else ' ' for head in heads)}|"
    yield f"|{'---|' * len(heads)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _item(item: ListItem, link: Link | None) -> str:
    place = f'<a id="T{item.turn}"></a>' if item.turn is not None and link is not None else ""
    return f"{place}{in_markdown(item.pieces, link)}"


def in_markdown(pieces: Pieces, link: Link | None = None) -> str:
    """Words within a line as Markdown."""
    return "".join(_piece(piece, link) for piece in pieces)


def _piece(piece: str | Reference, link: Link | None) -> str:
    if isinstance(piece, Reference):
        words = escape(piece.words)
        return f"({words})" if link is None else f"[{words}]({link(piece.turn)})"
    mark = "~~" if isinstance(piece, Struck) else "**" if isinstance(piece, Strong) else ""
    return framed(escape(piece), mark, mark) if mark else escape(piece)


# -- terminal ----------------------------------------------------------------------------------------------


def print_blocks(screen: Screen, blocks: Iterable[Block]) -> None:
    """Print the blocks one below the other for the width of the screen, in colours if the screen has them."""
    columns = min(screen.columns, WIDEST)
    for number, block in enumerate(blocks):
        if number:
            screen.line()
        match block:
            case HeadingBlock(text, level):
                screen.lines(wrap((Span(_on_one_line(text), "bold cyan" if level == 2 else "bold"),), columns, 0))
            case ParagraphBlock(pieces, faint):
                screen.lines(wrap(screen.legible(_as_line(pieces, "dim" if faint else "")), columns, 0))
            case ProseBlock():
                _print_prose(screen, block, columns)
            case ListBlock(items):
                for item in items:
                    rows = wrap(screen.legible(_as_line(item.pieces)), columns - 3, 0)
                    screen.lines((Span("   " if at else " • ", "bold"), *row) for at, row in enumerate(rows))
            case FigureBlock(_, rows):
                screen.lines(truncate(row, columns) for row in _painted_rows(rows))
            case DataTable(heads, rows):
                print_columns(screen, [_as_line(heads), *map(_as_line, rows)], columns)


def _on_one_line(text: str) -> str:
    return text.replace("\n", " ")


def _as_line(pieces: Pieces, style: str = "") -> list[Span]:
    """The pieces as they are painted."""
    line: list[Span] = []
    for piece in pieces:
        if isinstance(piece, Reference):
            line.append(Span(f"({_on_one_line(piece.words)})", style))
        elif isinstance(piece, Struck):
            line += spans((Struck(_on_one_line(piece)),))
        else:
            line.append(Span(_on_one_line(piece), "bold" if isinstance(piece, Strong) else style))
    return line


def _print_prose(screen: Screen, block: ProseBlock, columns: int) -> None:
    """Print what somebody wrote, each of its lines on its own; what is quoted stands behind a bar."""
    source_lines = [line.strip() for line in block.text.strip().split("\n")]
    # lines between empty ones; however many of these there are, one is printed
    kept_lines = [line for has_text, lines in groupby(source_lines, bool) for line in (lines if has_text else ("",))]
    if block.reference is not None:
        kept_lines[-1] = f"{kept_lines[-1]} ({block.reference.words})"
    bar, style = (Span("▌ ", "italic"),) if block.quoted else (), "italic" if block.quoted else ""
    for line in kept_lines:
        screen.lines((*bar, *row) for row in wrap((Span(line, style),), columns - 2 * len(bar), 0))


def _painted_rows(rows: Sequence[str]) -> Iterator[Line]:
    """The rows of a figure in the colours of their curves, its legend faint."""
    curve, is_legend = -1, False
    for row in rows:
        is_legend = is_legend or not row
        curve += not is_legend and not row.startswith(" ")  # below a row stand its signs
        yield (Span(row, "dim" if is_legend else COLOURS[curve % len(COLOURS)]),)
