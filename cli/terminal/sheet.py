"""A sheet on the terminal: its rows of bars, pips, marks and words."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from cli.terminal.screen import Line, Screen, Span, columns_of, cut, padded, width
from domain.naming import called
from domain.system.rows import Bar, Bit, Marks, Phrase, Pips, Row
from domain.system.rulesystem import RuleSystem

TONES = {"plain": "", "good": "green", "bad": "bold red", "faint": "dim"}
LONGEST_BAR = 30
#: In the brief lines of a party, the shorter the more there is to say.
SHORT_BARS = (12, 8, 4)
#: Columns for a name there; a longer one ends with an ellipsis.
LONGEST_NAME = 20
#: Columns before what stands below a name, where it has no room beside it.
BELOW = 2


def print_rows(screen: Screen, rows: Any) -> None:
    """The rows of a sheet, their labels in one column."""
    label_width = max((width(label) for label, _ in rows), default=0) + 2
    for label, bits in rows:
        line = row_line((label, bits), label_width)
        screen.lines(screen.wrap(line, indent=label_width + 2))


def row_line(row: Row, label_width: int) -> Line:
    """One row of a sheet, its label in a column of its own."""
    label, bits = row
    return [Span("  " + padded(label, label_width), "dim"), *bits_line(bits, LONGEST_BAR)]


#: How many lines those have who act, and everybody else, from the most room to the least.
OPENED = ((4, 4), (4, 2), (2, 2), (4, 1), (2, 1), (1, 1))


def brief_lines(
    system: RuleSystem,
    state: Any,
    sheets: Mapping[str, Any],
    changed: Collection[str] = (),
    *,
    columns: int,
    acting: str | None = None,
    rows: int | None = None,
) -> list[Line]:
    """The party in brief, the names in one column: who just changed is marked, and otherwise who is to act.

    Who is out of it folds away. Bars are as long as leaves room for the words beside them, each line by itself. Lines
    below that need more begin at the left; none is longer than there are columns. Where that takes more than so many
    `rows`, everybody keeps fewer lines, and `acting` the most.
    """
    away = folded_away(system, state, sheets)
    briefs = {name: system.brief_rows(state, name, sheet) for name, sheet in sheets.items() if name not in away}
    shown = {name: "".join(part.text for part in cut([called(name)], LONGEST_NAME)) for name in sheets}
    across = max((width(shown[name]) for name, each in briefs.items() if each), default=0) + 2
    room = None if rows is None else rows - bool(away)

    def lines_of(name: str, brief: Sequence[Sequence[Bit]]) -> list[Line]:
        new, acts = name in changed, name == acting
        mark = Span("▶ ", "bold green") if acts else Span("▸ " if new else "  ", "bold yellow")
        named = Span(padded(shown[name], across), "bold yellow" if new else "bold cyan")

        def laid(longest: int, indent: int) -> Iterator[Line]:
            for number, bits in enumerate(brief):
                start = ["  ", " " * indent] if number else [mark, named]
                yield [*start, *bits_line(bits, longest, in_column=True)]

        ways = [(bar, indent) for indent in (across, min(across, BELOW)) for bar in SHORT_BARS]
        return next((found for way in ways if _fit(found := list(laid(*way)), columns)), list(laid(*ways[-1])))

    whole = {name: lines_of(name, brief) for name, brief in briefs.items()}
    for opened, closed in OPENED:
        found = [line for name, lines in whole.items() for line in lines[: opened if name == acting else closed]]
        if room is None or len(found) <= room:
            break
    if away:
        found.append([folded_line(away)])
    return [cut(line, columns) for line in found]


def folded_away(system: RuleSystem, state: Any, sheets: Mapping[str, Any]) -> dict[str, str]:
    """Those who are out of it, and why: the dead, the retired, beaten foes. They share one line at the end."""
    found = {}
    for name, sheet in sheets.items():
        fallen = system.fallen(state, name)
        if sheet.get("away") == "retired":
            found[name] = "retired"
        elif fallen is not None and (system.is_foe(state, name) or not system.brief_rows(state, name, sheet)):
            found[name] = fallen
    return found


def folded_line(folded: Mapping[str, str]) -> Span:
    """The one line of those who are out of it."""
    return Span(f"  {', '.join(f'{called(name)} ({why})' for name, why in folded.items())}", "dim")


def _fit(lines: Sequence[Line], columns: int) -> bool:
    return all(columns_of(line) <= columns for line in lines)


def bits_line(bits: Sequence[Bit], longest: int = SHORT_BARS[0], *, in_column: bool = False) -> list[Span | str]:
    """What stands on one line, painted; `in_column`: bars take as much room as the longest, pips say no number."""
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
    filled = round(length * min(bar.now, bar.full) / bar.full) if bar.full else 0
    filled = max(filled, 1) if bar.now else 0
    share = bar.now / bar.full if bar.full else 0
    style = "green" if share > 0.5 else "yellow" if share > 0.25 else "red"
    return [
        Span("█" * filled, style),
        Span("░" * (length - filled), "dim"),
        f"{' ' * (columns - length)} {bar.now}/{bar.full}",
    ]
