"""`campaign status`: the sheets, now or at any point."""

from typing import Any

from cli.shell import options
from cli.shell.desk import opened, point_in
from cli.shell.options import Format
from cli.store.file import MAIN
from cli.terminal.screen import Line, Screen, Span, padded, width
from domain.naming import called, find_name
from domain.system.seam import Bar, Marks, Pips, Row, RuleSystem, Words
from projections.sheets import state_as_now, status_of

TONES = {"plain": "", "good": "green", "bad": "bold red", "faint": "dim"}
LONGEST_BAR = 30


def status(
    character: options.Character = None,
    at: options.At = None,
    as_now: options.AsNow = False,
    as_: options.As = None,
    output: options.Output = Format.text,
    json: options.Json = False,
    campaign: options.Campaign = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    """The sheets of all characters or of one, now or at any point."""
    from domain.log.folding import state_at

    form = Format.json if json else output
    screen = Screen(color)
    with opened(campaign) as (log, system):
        point = options.found(lambda: point_in(log, at))
        state = state_as_now(system, log, point) if as_now else state_at(system, log, point)
        value = status_of(log, system, state, point, as_)
        if log.branch != MAIN:
            value["campaign"]["branch"] = log.branch
        sheets = value["characters"]
        if character is not None:
            name = options.found(lambda: find_name(character, sheets))
            value["characters"] = sheets = {name: sheets[name]}
        match form:
            case Format.json:
                screen.json(value)
            case Format.text:
                _print(screen, system, state, value, alone=character is not None, now=point == log.last())
            case _:
                from cli.pages.rows import write_rows

                rows = [{"character": name, **sheet} for name, sheet in sheets.items()]
                write_rows(screen, rows, form, list(rows[0]) if rows else ["character"])
    screen.flush(pager=True)


def _print(screen: Screen, system: RuleSystem, state: Any, value: dict[str, Any], *, alone: bool, now: bool) -> None:
    about = value["campaign"]
    session = f" · session {about['session']}" if about["session"] else ""
    branch = f" · on {about['branch']}" if "branch" in about else ""
    screen.line(
        Span(about["name"], "bold"),
        Span(f" · {about['rules']}{branch} · {'' if now else 'as of '}T{about['turn']}{session}", "dim"),
    )
    defaults = system.options()
    changed = [name for name, each in value["options"].items() if each != getattr(defaults, name)]
    if changed and not alone:
        from projections.difference import told

        shown = ", ".join(f"{name} = {told(value['options'][name])}" for name in changed)
        screen.line(Span(f"ruled: {shown}", "dim"))
    if not alone:
        _print_rows(screen, system.drawn_table(state))
    if now and not alone:
        of_characters = {matter for name in value["characters"] for matter in system.open_matters(state, name)}
        for matter in system.table_matters(state):
            if matter not in of_characters:
                screen.line(Span(f"  {matter}", "yellow"), indent=None)
    if not value["characters"]:
        screen.line(f"Nobody is enrolled yet. Next: campaign {system.key} enrol --help")
    for name, sheet in value["characters"].items():
        player = f"  ({sheet['player']})" if sheet.get("player") else ""
        screen.line()
        screen.line(Span(called(name), "bold cyan"), Span(player, "dim"))
        _print_rows(screen, system.drawn(state, name, sheet))
        for matter in system.open_matters(state, name) if now else ():
            screen.line(Span(f"  {matter}", "yellow"), indent=None)


def _print_rows(screen: Screen, rows: Any) -> None:
    label_width = max((width(label) for label, _ in rows), default=0) + 2
    for label, bits in rows:
        line = row_line((label, bits), label_width)
        screen.lines(screen.wrap(line, indent=label_width + 2))


def row_line(row: Row, label_width: int) -> Line:
    """One row of a sheet, its label in a column of its own."""
    label, bits = row
    line: list[Span | str] = [Span("  " + padded(label, label_width), "dim")]
    for number, bit in enumerate(bits):
        between_words = number and isinstance(bit, Words) and isinstance(bits[number - 1], Words)
        line += [Span(" · ", "dim")] if between_words else [" "] if number else []
        match bit:
            case Bar():
                line += _bar(bit)
            case Pips():
                line += [
                    Span("●" * bit.full, "bold"),
                    Span("○" * max(0, bit.of - bit.full), "dim"),
                    f" {bit.full}/{bit.of}",
                ]
            case Marks():
                line += [Span("|" * min(bit.count, LONGEST_BAR), "bold yellow"), f" {bit.count}" if bit.count else "0"]
            case Words():
                line += [Span(bit.text, TONES[bit.tone])]
    return line


def _bar(bar: Bar) -> list[Span | str]:
    length = min(bar.full, LONGEST_BAR)
    filled = round(length * min(bar.now, bar.full) / bar.full) if bar.full else 0
    filled = max(filled, 1) if bar.now else 0
    share = bar.now / bar.full if bar.full else 0
    style = "green" if share > 0.5 else "yellow" if share > 0.25 else "red"
    return [Span("█" * filled, style), Span("░" * (length - filled), "dim"), f" {bar.now}/{bar.full}"]
