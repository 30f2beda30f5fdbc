"""Sheets on the terminal: rows of bars, pips, marks and words, and the brief lines of a whole party."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from cli.terminal.screen import Line, Screen, Span, columns_of, pad, truncate, width
from domain.naming import called
from domain.system.rows import Bar, Bit, Marks, Phrase, Pips, Row
from domain.system.rulesystem import RuleSystem

TONES = {"plain": "", "good": "green", "bad": "bold red", "faint": "dim"}
LONGEST_BAR = 30
#: Lengths of bars in brief lines, tried until a line fits.
SHORT_BARS = (12, 8, 4)
#: Columns for a name in brief lines; a longer one ends with an ellipsis.
LONGEST_NAME = 20
#: Indent of lines below a name if they do not fit beside it.
BELOW = 2


def print_rows(screen: Screen, rows: Sequence[Row]) -> None:
    """Print the rows of a sheet, their labels in one column."""
    label_width = max((width(label) for label, _ in rows), default=0) + 2
    for label, bits in rows:
        line = row_line((label, bits), label_width)
        screen.line(*line, indent=label_width + 2)


def row_line(row: Row, label_width: int) -> Line:
    """One row of a sheet, its label padded to `label_width`."""
    label, bits = row
    return [Span("  " + pad(label, label_width), "dim"), *bits_line(bits, LONGEST_BAR)]


#: Lines for whoever acts and for everybody else, tried from the most room to the least.
LINES_EACH = ((4, 4), (4, 2), (2, 2), (4, 1), (2, 1), (1, 1))


def brief_lines(
    system: RuleSystem,
    state: Any,
    sheets: Mapping[str, Any],
    changes: Collection[str] = (),
    *,
    columns: int,
    acting: str | None = None,
    rows: int | None = None,
) -> list[Line]:
    """The party in brief lines, the names in one column, with marks for who acts or has just changed.

    Characters out of play share one line at the end. Bars are shortened so that the words beside them fit, each line by
    itself; lines below a name may begin further left, and none is longer than `columns`. With more than `rows` lines
    everybody keeps fewer, `acting` the most.
    """
    away = ends_of_those_out(system, state, sheets)
    briefs = {name: system.brief_rows(state, name, sheet) for name, sheet in sheets.items() if name not in away}
    names = {name: "".join(part.text for part in truncate([called(name)], LONGEST_NAME)) for name in sheets}
    across = max((width(names[name]) for name, brief in briefs.items() if brief), default=0) + 2
    room = None if rows is None else rows - bool(away)

    def lines_of(name: str, brief: Sequence[Sequence[Bit]]) -> list[Line]:
        new, acts = name in changes, name == acting
        mark = Span("▶ ", "bold green") if acts else Span("▸ " if new else "  ", "bold yellow")
        title = Span(pad(names[name], across), "bold yellow" if new else "bold cyan")

        def layout_lines(longest: int, indent: int) -> Iterator[Line]:
            for number, bits in enumerate(brief):
                start = ["  ", " " * indent] if number else [mark, title]
                yield [*start, *bits_line(bits, longest, in_column=True)]

        for indent, longest in product((across, min(across, BELOW)), SHORT_BARS):
            lines = list(layout_lines(longest, indent))
            if all(columns_of(line) <= columns for line in lines):
                break
        return lines

    lines_by_name = {name: lines_of(name, brief) for name, brief in briefs.items()}
    for most, others in LINES_EACH:
        party = [line for name, lines in lines_by_name.items() for line in lines[: most if name == acting else others]]
        if room is None or len(party) <= room:
            break
    if away:
        party.append([out_of_play_line(away)])
    return [truncate(line, columns) for line in party]


def ends_of_those_out(system: RuleSystem, state: Any, sheets: Mapping[str, Any]) -> dict[str, str]:
    """The characters out of play with the reason: the dead, the retired, beaten foes."""
    ends = {}
    for name, sheet in sheets.items():
        end = system.fallen(state, name)
        if sheet.get("away") == "retired":
            ends[name] = "retired"
        elif end is not None and (system.is_foe(state, name) or not system.brief_rows(state, name, sheet)):
            ends[name] = end
    return ends


def out_of_play_line(reasons: Mapping[str, str]) -> Span:
    """The line of the characters out of play."""
    return Span(f"  {', '.join(f'{called(name)} ({why})' for name, why in reasons.items())}", "dim")


def bits_line(bits: Sequence[Bit], longest: int = SHORT_BARS[0], *, in_column: bool = False) -> list[Span | str]:
    """The spans of one line; `in_column` pads bars to the longest and leaves out the numbers of pips."""
    line: list[Span | str] = []
    for number, bit in enumerate(bits):
        between_words = number and isinstance(bit, Phrase) and isinstance(bits[number - 1], Phrase)
        line += [Span(" · ", "dim")] if between_words else [" "] if number else []
        match bit:
            case Bar():
                line += _bar(bit, longest, longest if in_column else 0)
            case Pips():
                line += [
                    Span("●" * bit.full, "bold"),
                    Span("○" * max(0, bit.of - bit.full), "dim"),
                    "" if in_column else f" {bit.full}/{bit.of}",
                ]
            case Marks():
                line += [Span("|" * min(bit.count, longest), "bold yellow"), f" {bit.count}" if bit.count else "0"]
            case Phrase():
                line += [Span(bit.text, TONES[bit.tone])]
    return line


def _bar(bar: Bar, longest: int, columns: int) -> list[Span | str]:
    length = min(bar.full, longest)
    full_columns = round(length * min(bar.now, bar.full) / bar.full) if bar.full else 0
    full_columns = max(full_columns, 1) if bar.now else 0
    style = "green" if bar.now > bar.half else "yellow" if bar.now > bar.quarter else "red"
    return [
        Span("█" * full_columns, style),
        Span("░" * (length - full_columns), "dim"),
        f"{' ' * (columns - length)} {bar.now}/{bar.full}",
    ]
