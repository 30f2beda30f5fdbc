"""Conversion of lines to Textual's text, and their layout in rows and columns."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rich.text import Text
from textual.widgets import Static

from cli.line.guiding import Candidate, Slot
from cli.table.replies import KeyChoice, Proposal
from cli.terminal.screen import Line, Span, columns_of, safe, truncate, width, wrap
from cli.terminal.sheet import bits_line
from domain.system.rows import Row
from domain.system.state import Game

#: The question that lists everything that waits, where not all of it fits.
MORE = "status"
#: Rows at most for the state of the table.
MOST_STATE = 2


def text_of(line: Line) -> Text:
    """A line as Rich text; nothing in it is taken for markup or a control code."""
    text = Text(no_wrap=True)
    # neighbouring parts of one style become one segment for the terminal
    for style, parts in groupby(line, key=lambda part: part.style if isinstance(part, Span) else ""):
        text.append("".join(safe(part.text if isinstance(part, Span) else part) for part in parts), style)
    return text


def rows_of(lines: Iterable[Line]) -> Text:
    """Lines below each other as one text."""
    return Text("\n").join(map(text_of, lines))


def side_by_side(first: Line, others: Iterable[Line], columns: int, *, hanging: int | None = None) -> list[Line]:
    """Rows of unbroken pieces beside each other; a piece that does not fit begins an indented row.

    A piece wider than a row is cut. With `hanging` it is wrapped, its further rows indented by so many columns, and has
    its rows for itself.
    """
    rows: list[list[Span | str]] = [list(truncate(first, columns))]
    position = columns_of(rows[0])
    below = "  " if position else ""
    for other in others:
        room = columns - len(below)
        piece, *further = [truncate(other, room)] if hanging is None else wrap(other, room, hanging)
        gap = "  " if position else ""
        if position and (further or position + len(gap) + columns_of(piece) > columns):
            rows.append([below, *piece])
            position = len(below) + columns_of(piece)
        else:
            rows[-1] += [gap, *piece]
            position += len(gap) + columns_of(piece)
        rows += ([below, *row] for row in further)
        position = columns if further else position
    return list(rows)


def with_answers(
    why: Line,
    answers: Iterable[KeyChoice | Proposal],
    columns: int,
    *,
    brackets: tuple[str, str] = ("[", "]"),
    whole: bool = True,
) -> list[Line]:
    """A question and its answers in one row if they fit, else below it; a long answer is wrapped behind its key.

    Without `whole` an answer takes one row at most.
    """
    opening, closing = brackets
    question = wrap(why, columns, 0) if columns_of(why) else []
    rows_of_answers: list[Line] = [
        [Span(f"{opening}{answer.key}{closing} ", "bold yellow"), answer.says] for answer in answers
    ]
    hanging = width(opening) + 1 + width(closing) + 1
    if len(question) == 1 and len(row := side_by_side(question[0], rows_of_answers, columns)) == 1:
        return row
    return [*question, *side_by_side([], rows_of_answers, columns, hanging=hanging if whole else None)]


def asked_rows(why: Line, answers: Sequence[KeyChoice], most: int, columns: int) -> list[Line]:
    """The rows of an open question; answers are cut short where they are too many, so that every key is in sight."""
    rows = with_answers(why, answers, columns)
    return rows if len(rows) <= most else at_most(with_answers(why, answers, columns, whole=False), most, columns)


def first_of(decisions: Iterable[Sequence[Line]], most: int) -> list[Line]:
    """The rows of the first decisions that fit in `most` rows, and how many more there are."""
    rows: list[Line] = []
    remaining = list(decisions)
    while remaining and len(rows) + len(remaining[0]) + (len(remaining) > 1) <= most:
        rows += remaining.pop(0)
    if remaining and not rows:
        rows += remaining.pop(0)[: most - bool(remaining)]
    return [*rows, [Span(f"and {len(remaining)} more: {MORE}", "dim")]] if remaining else rows


def slot_row(verb: str, slots: Sequence[Slot], open_: str | None, columns: int) -> Line:
    """The fields of a verb in their order: what fills them, or their names, the one that is lit among them.

    Optional ones that nothing fills give way where the row is too narrow; the open one never does.
    """
    pieces: list[tuple[bool, Span]] = []
    for slot in slots:
        is_open = slot.key == open_
        name = f"{slot.label}…" if slot.words else slot.label
        text = slot.text or (f"‹{name}›" if slot.required or is_open else f"[{name}]")
        style = "reverse" if is_open else "" if slot.text else "bold" if slot.required else "dim"
        pieces.append((bool(is_open or slot.text or slot.required), Span(text, style)))
    needed = [piece for stays, piece in pieces if stays]
    row: list[Span | str] = [Span(verb, "bold")]
    room = columns - width(verb) - sum(width(piece.text) + 1 for piece in needed) - 2
    is_cut = False
    for stays, piece in pieces:
        if not stays:
            room -= width(piece.text) + 1
            is_cut = is_cut or room < 0
            if room < 0:
                continue
        row += [" ", piece]
    return list(truncate([*row, Span(" …", "dim") if is_cut else ""], columns))


def candidate_rows(candidates: Sequence[Candidate], chosen: int | None, most: int, columns: int) -> list[Line]:
    """Candidates under one another, each with its short name and what it is; as many as fit around the chosen one."""
    first = 0 if chosen is None else max(0, min(chosen - most // 2, len(candidates) - most))
    seen = candidates[first : first + most]
    names = min(max((width(candidate.label or candidate.text) for candidate in seen), default=0), columns // 2)
    shorts = max((width(candidate.short) for candidate in seen), default=0)
    rows: list[Line] = []
    said_above = ""
    for at, candidate in enumerate(seen, first):
        is_chosen, cannot = at == chosen, bool(candidate.reason)
        text = "".join(part.text for part in truncate([candidate.label or candidate.text], names))
        row: list[Span | str] = [
            Span("▸ " if is_chosen else "  ", "bold yellow"),
            Span(text + " " * (names - width(text)), "reverse" if is_chosen else "dim" if cannot else "bold"),
        ]
        if shorts:
            row.append(Span(f"  {candidate.short:<{shorts}}", "dim" if cannot else "yellow"))
        # what a description repeats is left out, but neither a value nor what is said of somebody
        is_again = candidate.help == said_above and " " in candidate.help and not candidate.text.endswith("=")
        help_ = "" if is_again else candidate.help
        said_above = candidate.help
        row.append(Span(f"  {candidate.reason or help_}", "dim italic" if cannot else "dim"))
        rows.append(row)
    rows = [list(truncate(row, columns, between_words=True)) for row in rows]
    if rows and len(candidates) > first + len(seen):
        more = f"  … {len(candidates) - first - len(seen)} more"
        rows[-1] = [*truncate(rows[-1], columns - width(more), between_words=True), Span(more, "dim")]
    return rows


def at_most(rows: Sequence[Line], most: int, columns: int, ending: Line = ()) -> list[Line]:
    """The first `most` rows, the last with an ellipsis if there are more, and with an ending that is never cut."""
    if len(rows) <= most and not ending:
        return list(rows)
    rest = [part for row in rows[most:] for part in (" ", *row)]
    last = truncate([*rows[most - 1], *rest], columns - columns_of(ending), between_words=True)
    return [*rows[: most - 1], [*last, *ending]]


def unbroken_pieces(rows: Iterable[Row], columns: int) -> Iterator[Line]:
    """What the whole table keeps, as pieces that stay in one row: a label with its bits if they fit, else each bit."""
    for label, bits in rows:
        row = [Span(f"{label} ", "dim"), *bits_line(bits)]
        if columns_of(row) <= columns:
            yield row
        else:
            yield [Span(label, "dim")]
            yield from (bits_line([bit]) for bit in bits)


def state_rows(state: Game, point: int, pieces: Sequence[Line], columns: int) -> list[Line]:
    """The state of the table: first what matters at this moment, last name, turn and session.

    In one row, if the session and the name are all that it costs; otherwise whole, in two. Where they take more, the
    turn stays, and the rest goes on as far as it fits.
    """
    session = f" · session {state.campaign.session}" if state.campaign.session else ""
    dot = Span("· ", "dim")
    separator = [dot] if pieces else []
    name = Span(state.campaign.name, "bold")
    endings = [[*separator, name, Span(f" · T{point}{beside}", "dim")] for beside in (session, "")]
    endings.append([*separator, Span(f"T{point}", "dim")])
    layouts = [side_by_side([], [*pieces, ending], columns) for ending in endings]
    rows = next((rows for most in (1, MOST_STATE) for rows in layouts if len(rows) <= most), None)
    if rows is None:
        return at_most(side_by_side([], pieces, columns), MOST_STATE, columns, [" ", *endings[-1]])
    if len(rows) > 1 and dot in rows[-1][:2]:  # it parts nothing where it begins a row, behind the indentation
        rows[-1] = [part for part in rows[-1] if part != dot]
    return rows


def in_a_row(parts: Iterable[str], columns: int) -> str:
    """As many of these as fit in so many columns; an empty one takes none."""
    row = ""
    for part in filter(None, parts):
        longer = f"{row}   {part}" if row else part
        row = longer if width(longer) <= columns else row
    return row


def row_count(widget: Static) -> int:
    """How many rows a widget takes with its present content; 0 if it is hidden."""
    return str(widget.render()).count("\n") + 1 if widget.display else 0
