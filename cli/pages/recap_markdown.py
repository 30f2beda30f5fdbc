"""A recap as Markdown. Every word of the log passes `markdown`, so that none of it can mark anything up."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from cli.pages.rows import markdown
from cli.terminal.screen import padded, width
from domain.naming import called, ended, listed
from domain.turn import Sentence, Struck
from domain.values import assigned
from projections.recap import Curve, Moment, Recap, Ruled, Sheets, TurnInWords, Written

BLOCKS = "▁▂▃▄▅▆▇█"
MOST_COLUMNS = 60


def page(recap: Recap) -> str:
    """The whole recap."""
    return "\n".join(_parts(recap))


def _parts(recap: Recap) -> Iterator[str]:
    yield f"# {heading(recap)}"
    yield ""
    yield markdown(" · ".join(circumstances(recap)))
    if recap.summary:
        yield ""
        yield f"> {markdown(recap.summary)}"
    yield from _section("Who was there", [*map(markdown, there(recap))])
    yield from _happened(recap.lines)
    yield from _section("Turning points", [*map(_moment, recap.moments)])
    yield from _section("Corrections", [*map(_moment, recap.corrections)])
    yield from _section("Rulings", [*map(_ruling, recap.rulings)])
    yield from _section("Notes", [*map(_note, recap.notes)])
    plot = list(text_plot(recap.curves, higher_is_worse=recap.higher_is_worse))
    if plot:
        yield from ("", f"## {recap.measure.capitalize()} over the evening", "")
        # an indented block: nothing in it is marked up, and nothing in it can end it
        yield from (f"    {line}" for line in plot)
    if recap.sheets:
        yield from ("", "## Sheets before and after")
        for sheet in recap.sheets:
            yield from _sheet(sheet)
    if recap.seal is not None:
        yield ""
        yield f"Seal: {recap.seal}"


def heading(recap: Recap) -> str:
    """The title of the page, as Markdown."""
    title = f": {markdown(recap.title)}" if recap.title else ""
    return f"{markdown(recap.campaign)}, session {recap.session}{title}"


def circumstances(recap: Recap) -> list[str]:
    """When, where, under which rules, and which turns."""
    return [
        recap.date or recap.began.strftime("%Y-%m-%d"),
        *([recap.place] if recap.place else []),
        recap.rules,
        f"T{recap.first} to T{recap.last}{', still open' if recap.open else ''}",
    ]


def there(recap: Recap) -> list[str]:
    """Who took part: players with their characters, then the others."""
    found = [f"{player} with {listed(map(called, names))}" for player, names in recap.players.items()]
    if recap.others:
        found.append(listed(map(called, recap.others)))
    return found


def _happened(lines: Sequence[TurnInWords]) -> Iterator[str]:
    """Turn by turn, with a heading where a part of the evening begins."""
    yield from ("", "## What happened") if lines else ()
    within = False
    for line in lines:
        told = f"{sentence(line.parts)} (T{line.turn})"
        if line.opens_part:
            yield from ("", f"### {told}")
        else:
            yield from () if within else ("",)
            yield f"- {told}"
        within = not line.opens_part


def _section(title: str, items: Sequence[str]) -> Iterator[str]:
    if items:
        yield from ("", f"## {title}", "")
        yield from (f"- {item}" for item in items)


def sentence(parts: Sentence) -> str:
    """A sentence, what does not count struck through."""
    return "".join(
        f"{' ' if part[:1] == ' ' else ''}~~{markdown(part.strip())}~~{' ' if part[-1:] == ' ' else ''}"
        if isinstance(part, Struck) and part.strip()
        else markdown(part)
        for part in parts
    )


def _moment(moment: Moment) -> str:
    return f"**T{moment.turn}** {markdown(moment.what)}. {markdown(moment.sentence)}"


def ruling_words(ruled: Ruled) -> tuple[str, str, str]:
    """What was ruled, why, and which options hold."""
    if ruled.sentence is not None:
        return ruled.sentence, "", ""
    if ruled.ended:
        what = f"R{ruled.ruling} ends."
    else:
        what = f"R{ruled.ruling} on {ruled.rule}{' (on trial)' if ruled.trial else ''}: {ended(ruled.text or '')}"
    sets = assigned(ruled.sets)
    return what, ended(ruled.why) if ruled.why else "", sets if ruled.sets else ""


def _ruling(ruled: Ruled) -> str:
    what, why, sets = ruling_words(ruled)
    reason = f" Why: {markdown(why)}" if why else ""
    return f"{markdown(what)}{reason}{f' ({markdown(sets)})' if sets else ''} (T{ruled.turn})"


def note_about(note: Written) -> str:
    """Who wrote it and what it is about, with its turn."""
    on = [
        *([called(note.about)] if note.about else []),
        *([f"rule {note.rule}"] if note.rule else []),
        *([f"T{note.on}"] if note.on else []),
    ]
    by = f", {note.by}" if note.by else ""
    return f"T{note.turn}{by}{f', on {listed(on)}' if on else ''}"


def _note(note: Written) -> str:
    return f"{markdown(ended(note.text))} ({markdown(note_about(note))})"


def _sheet(sheet: Sheets) -> Iterator[str]:
    player = f" ({markdown(sheet.player)})" if sheet.player else ""
    yield from ("", f"### {markdown(called(sheet.character))}{player}", "", "| | before | after |", "|---|---|---|")
    for field in sheet.fields:
        name = markdown(field.name.replace("_", " "))
        before, after = (markdown(each) if each is not None else "–" for each in (field.before, field.after))
        yield f"| {name} | {before} | {f'**{after}**' if field.changed else after} |"


def text_plot(curves: Sequence[Curve], *, higher_is_worse: bool) -> Iterator[str]:
    """One row of blocks for each character, all to one scale, with the first and the last value."""
    turns = sorted({turn for curve in curves for turn, _ in curve.points})
    most = max((value for curve in curves for _, value in curve.points), default=0)
    if not turns or most <= 0:
        return
    label = max(width(called(curve.character)) for curve in curves)
    digits = len(str(most))
    for curve in curves:
        values = _fitted(_at_each(curve, turns), worst=max if higher_is_worse else min)
        blocks = "".join(" " if value is None else _block(value, most) for value in values)
        first, last = curve.points[0][1], curve.points[-1][1]
        yield f"{padded(called(curve.character), label)}  {first:>{digits}} {blocks} {last}"


def _block(value: int, most: int) -> str:
    return "_" if value <= 0 else BLOCKS[(value * len(BLOCKS) - 1) // most]


def _at_each(curve: Curve, turns: Sequence[int]) -> list[int | None]:
    """The value that held at each of these turns; None before there was one."""
    values: list[int | None] = []
    known = dict(curve.points)
    for turn in turns:
        values.append(known.get(turn, values[-1] if values else None))
    return values


def _fitted(values: list[int | None], worst: Callable[[Iterable[int]], int]) -> list[int | None]:
    """At most so many columns: where several turns share one, the worst value shows."""
    if len(values) <= MOST_COLUMNS:
        return values
    fitted: list[int | None] = []
    for column in range(MOST_COLUMNS):
        share = values[column * len(values) // MOST_COLUMNS : (column + 1) * len(values) // MOST_COLUMNS]
        known = [value for value in share if value is not None]
        fitted.append(worst(known) if known else None)
    return fitted
