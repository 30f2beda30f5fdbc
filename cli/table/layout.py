"""Lines as Textual paints them: below each other, side by side, at most so many."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from rich.text import Text
from textual.widgets import Static

from cli.line.completing import Completion
from cli.terminal.screen import Line, Span, columns_of, cut, safe
from domain.system.type_descriptions import either


def text_of(line: Line) -> Text:
    """A line as Textual paints it; nothing in it can be taken for markup or a code."""
    text = Text(no_wrap=True)
    # words that look the same go to the terminal in one piece
    for style, parts in groupby(line, key=lambda part: part.style if isinstance(part, Span) else ""):
        text.append("".join(safe(part.text if isinstance(part, Span) else part) for part in parts), style)
    return text


def rows_of(lines: Iterable[Line]) -> Text:
    """Lines below each other."""
    return Text("\n").join(map(text_of, lines))


def side_by_side(first: Line, others: Iterable[Line], columns: int) -> list[Line]:
    """Things beside each other, none of them broken: what does not fit goes on below, indented."""
    rows: list[list[Span | str]] = [list(cut(first, columns))]
    used = columns_of(rows[0])
    below = "  " if used else ""
    for other in others:
        told = cut(other, columns - len(below))
        if used + 2 + columns_of(told) > columns:
            rows.append([below, *told])
            used = len(below) + columns_of(told)
        else:
            gap = "  " if used else ""
            rows[-1] += [gap, *told]
            used += len(gap) + columns_of(told)
    return list(rows)


def ways_told(found: Sequence[Completion]) -> list[Line]:
    """Each way to go on with what it is; what holds for several in a row stands behind the last of them."""
    beyond = [*(way.help for way in found), ""][1:]
    return [
        [Span(way.text, "bold"), Span(f" {way.help}" if way.help and way.help != after else "", "dim")]
        for way, after in zip(found, beyond, strict=True)
    ]


def keys_told(keys: Sequence[str]) -> str:
    """The keys that are possible: "1 to 9 or 0", "y or n"."""
    runs: list[list[str]] = []
    for key in keys:
        if runs and key.isdecimal() and ord(key) == ord(runs[-1][-1]) + 1:
            runs[-1].append(key)
        else:
            runs.append([key])
    return either(part for run in runs for part in (run if len(run) < 3 else [f"{run[0]} to {run[-1]}"]))


def at_most(rows: Sequence[Line], most: int, columns: int) -> list[Line]:
    """So many rows; where there are more the last one says so."""
    if len(rows) <= most:
        return list(rows)
    return [*rows[: most - 1], [*cut(rows[most - 1], columns - 2), Span(" …", "bold")]]


def digits_of(last: int) -> int:
    """How many columns numbers of turns take up to one; few evenings end before T10."""
    return max(2, len(str(last))) + 1


def rows_taken(shown: Static) -> int:
    """How many rows something takes, with what was last put there."""
    return str(shown.render()).count("\n") + 1 if shown.display else 0
