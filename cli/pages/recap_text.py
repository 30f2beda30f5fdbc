"""A recap to be read on a terminal: the same as the page, without its marks."""

from collections.abc import Iterator, Sequence

from cli.pages.recap_markdown import circumstances, note_about, ruling_words, text_plot, there
from cli.terminal.screen import Screen, Span, spans
from domain.naming import called, ended
from projections.recap import Moment, Recap, Ruled, Sheets


def print_recap(screen: Screen, recap: Recap) -> None:
    """The whole recap, wrapped to the window."""
    title = f": {recap.title}" if recap.title else ""
    screen.line(Span(f"{recap.campaign}, session {recap.session}{title}", "bold"))
    screen.line(Span(" · ".join(circumstances(recap)), "dim"))
    if recap.summary:
        screen.line()
        screen.lines(screen.wrap([Span(recap.summary, "italic")], indent=0))
    _section(screen, "Who was there", [(None, [line]) for line in there(recap)])
    _section(
        screen,
        "What happened",
        [(line.turn, spans(line.parts, "bold" if line.opens_part else "")) for line in recap.lines],
    )
    for heading, moments in (("Turning points", recap.moments), ("Corrections", recap.corrections)):
        _section(screen, heading, [(each.turn, _moment(each)) for each in moments])
    _section(screen, "Rulings", [(each.turn, [_ruling(each)]) for each in recap.rulings])
    _section(screen, "Notes", [(None, [f"{ended(each.text)} ({note_about(each)})"]) for each in recap.notes])
    plot = list(text_plot(recap.curves, higher_is_worse=recap.higher_is_worse))
    if plot:
        _heading(screen, f"{recap.measure.capitalize()} over the evening")
        screen.lines([f"  {line}"] for line in plot)
    if any(field.changed for sheet in recap.sheets for field in sheet.fields):
        _heading(screen, "What changed on the sheets")
        for sheet in recap.sheets:
            if any(field.changed for field in sheet.fields):
                screen.lines(screen.wrap(list(_changes(sheet)), indent=4))
    if recap.seal is not None:
        screen.line()
        screen.line(Span(f"Seal: {recap.seal}", "dim"), indent=None)


def _heading(screen: Screen, text: str) -> None:
    screen.line()
    screen.line(Span(text, "bold cyan"))


def _section(screen: Screen, title: str, items: Sequence[tuple[int | None, Sequence[Span | str]]]) -> None:
    if not items:
        return
    _heading(screen, title)
    digits = max(len(str(turn or "")) for turn, _ in items) + 1
    for turn, parts in items:
        start = Span(f"  {f'T{turn}':>{digits}}  ", "dim") if turn is not None else "  "
        screen.lines(screen.wrap([start, *parts], indent=digits + 4 if turn is not None else 4))


def _moment(moment: Moment) -> list[Span | str]:
    return [Span(f"{moment.what}.", "bold"), f" {moment.sentence}"]


def _ruling(ruled: Ruled) -> str:
    what, why, sets = ruling_words(ruled)
    return f"{what}{f' Why: {why}' if why else ''}{f' ({sets})' if sets else ''}"


def _changes(sheet: Sheets) -> Iterator[Span | str]:
    player = f" ({sheet.player})" if sheet.player else ""
    yield Span(f"  {called(sheet.character)}", "bold")
    changed = (field for field in sheet.fields if field.changed)
    steps = (f"{field.name.replace('_', ' ')} {field.before or '–'} → {field.after or '–'}" for field in changed)
    yield f"{player}: {', '.join(steps)}"
