"""Count what happened, in figures and pictures.

Rests, damage, dice, rules cited; hit points, fatigue and stamina as pictures.

Examples:
  campaign stats
  campaign stats damage-by-source
"""

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated

from cli.pages.rows import Format, write_rows
from cli.shell import options
from cli.shell.command_context import opened, read_up_to
from cli.shell.declaration import ArgumentSpec
from cli.shell.reading import ReadOptions, reads
from cli.shell.viewing import viewing
from cli.terminal.screen import Screen, Span, safe
from cli.terminal.table import print_table
from domain.naming import did_you_mean
from projections.views.named import FEW_ROWS, answered, columns_of, courses, named_queries, plots, said_of

if TYPE_CHECKING:
    from projections.views.named import Course, NamedQuery, Plot
    from projections.views.view import View


#: The colours of the lines in a picture, in the order of the characters.
COLORS = ("cyan", "yellow", "magenta", "green", "red", "blue")
#: Rows of a picture at most, and columns between two labels of the turns.
TALLEST, TICK = 12, 10


@reads(keeps_secrets=False)
def stats(
    asked: ReadOptions,
    name: Annotated[
        str | None,
        ArgumentSpec(help="One question or picture (default: all).", autocompletion=options.complete_figures),
    ] = None,
) -> None:
    form, screen = asked.form, asked.screen
    with opened(asked.campaign) as (log, system):
        upto = read_up_to(log, asked.at)
        with viewing(log, system, upto) as view:
            queries = named_queries(system.key)
            pictures = {each: plot for each, plot in plots(system.key).items() if courses(view, plot.field)}
            if name is not None and name not in (*queries, *pictures):
                known = [*queries, *pictures]
                raise options.NotFound(f"There is no question {name!r}; {did_you_mean(name, known, otherwise='')}")
            chosen = {each: query for each, query in queries.items() if name in (None, each)}
            drawn = {each: plot for each, plot in pictures.items() if name in (None, each)}
            if form is Format.text:
                if name is None:
                    names = ", ".join((*chosen, *drawn))
                    screen.lines(screen.wrap([Span(f"One alone with campaign stats NAME: {names}", "dim")], indent=2))
                    screen.line()
                for title, query in chosen.items():
                    _print_query(screen, view, title, query, whole=name is not None)
                for title, plot in drawn.items():
                    _print_plot(screen, title, plot, courses(view, plot.field))
            else:
                _write(screen, view, chosen, drawn, form, alone=name is not None)
    screen.flush(pager=True)


def _write(
    screen: Screen,
    view: "View",
    queries: "dict[str, NamedQuery]",
    drawn: "dict[str, Plot]",
    form: Format,
    *,
    alone: bool,
) -> None:
    answers = {name: answered(view, query) for name, query in queries.items()}
    for name, plot in drawn.items():
        answers[name] = [
            {"character": course.character, "turn": turn, plot.field: value}
            for course in courses(view, plot.field)
            for turn, value in course.points
        ]
    if alone:
        (rows,) = answers.values()
        write_rows(screen, rows, form, list(rows[0]) if rows else [])
    elif form is Format.json:
        screen.json(answers)
    else:
        rows = [{"question": name, **row} for name, each in answers.items() for row in each]
        write_rows(screen, rows, form, list(dict.fromkeys(column for row in rows for column in row)))


def _print_query(screen: Screen, view: "View", name: str, query: "NamedQuery", *, whole: bool) -> None:
    rows = answered(view, query)
    if not rows and not whole:
        return
    screen.line(Span(query.title, "bold cyan"), Span(f"  {name}", "dim"))
    shown = rows if whole else rows[:FEW_ROWS]
    columns = columns_of(rows)
    print_table(screen, columns, [[row[column] for column in columns] for row in shown], indent="  ")
    for sentence in said_of(view, name, shown):
        screen.line(f"  {sentence}")
    if len(shown) < len(rows):
        screen.line(Span(f"  … {len(rows) - len(shown)} more: campaign stats {name}", "dim"))
    screen.line()


def _print_plot(screen: Screen, name: str, plot: "Plot", lines: "Sequence[Course]") -> None:
    screen.line(Span(plot.title, "bold cyan"), Span(f"  {name}", "dim"))
    # without colours nobody could tell two lines apart
    for group in [lines] if screen.paints else [[line] for line in lines]:
        screen.raw(picture(screen, name, group))
        screen.line("  ", *(Span(f"{line.character}  ", COLORS[at % len(COLORS)]) for at, line in enumerate(group)))
    screen.line()


def picture(screen: Screen, name: str, lines: "Sequence[Course]") -> str:
    """The courses of numbers from 0 up as a picture of signs."""
    import plotille  # type: ignore[import-untyped]

    highest = max(value for line in lines for _, value in line.points)
    last = max(turn for line in lines for turn, _ in line.points)
    figure = plotille.Figure()
    # as many signs as make every label a whole number
    rise = max(1, -(-(highest + 1) // TALLEST))
    ticks = max(2, min(screen.columns - 24, 80) // TICK)
    figure.height, figure.width = -(-(highest + 1) // rise), ticks * TICK
    figure.set_y_limits(min_=0, max_=figure.height * rise)
    figure.set_x_limits(min_=0, max_=-(-max(last, 1) // ticks) * ticks)
    figure.color_mode, figure.with_colors = "names", screen.paints
    figure.x_label, figure.y_label = "turn", name
    figure.x_ticks_fkt = figure.y_ticks_fkt = lambda low, _high: f"{round(low)}"
    figure.origin = False
    for number, line in enumerate(lines):
        turns, values = zip(*_steps(_drawn(line.points, dots=2 * figure.width)), strict=True)
        figure.plot(
            turns, values, lc=COLORS[number % len(COLORS)] if screen.paints else None, label=safe(line.character)
        )
    # the signs of an empty picture are blanks of their own kind
    return "\n".join(line.rstrip("\u2800 ") for line in str(figure.show()).splitlines())


def _drawn(points: Sequence[tuple[int, int]], dots: int) -> Sequence[tuple[int, int]]:
    """What a picture of so many dots' width shows: of each dot its first point, the ends of its stroke, its last."""
    if len(points) <= 4 * dots:
        return points
    wide = points[-1][0] / dots
    found: list[tuple[int, int]] = []
    for _, together in groupby(points, lambda point: int(point[0] / wide)):
        here = list(together)
        lowest, highest = min(here, key=itemgetter(1)), max(here, key=itemgetter(1))
        found += sorted({here[0], lowest, highest, here[-1]})
    return found


def _steps(points: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """A line that goes along until the turn and then up or down."""
    found: list[tuple[int, int]] = []
    for turn, value in points:
        if found:
            found.append((turn, found[-1][1]))
        found.append((turn, value))
    return found
