"""Count what happened, in figures and pictures.

Rests, damage, dice, rules cited; hit points, fatigue and stamina as pictures.

Examples:
  campaign stats
  campaign stats damage-by-source
"""

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Annotated

from cli.pages.formats import Format
from cli.pages.rows import write_rows
from cli.shell import options
from cli.shell.command_context import open_chosen, read_up_to
from cli.shell.declaration import ArgumentSpec
from cli.shell.reading import ReadOptions, reads
from cli.shell.viewing import viewing
from cli.terminal.screen import Screen, Span, safe
from cli.terminal.table import print_table
from domain.naming import did_you_mean
from projections.views.named_queries import (
    FEW_ROWS,
    Course,
    NamedQuery,
    Plot,
    answer_to,
    columns_of,
    courses,
    named_queries,
    plots,
    points_of,
    sentences_of,
)
from projections.views.view import View

#: The colours of the lines in a picture, in the order of the characters.
COLORS = ("cyan", "yellow", "magenta", "green", "red", "blue")
#: Rows of a picture at most, and columns between two labels of the turns.
TALLEST, TICK = 12, 10


@reads(keeps_secrets=False)
def stats(
    request: ReadOptions,
    name: Annotated[
        str | None,
        ArgumentSpec(help="One question or picture (default: all).", autocompletion=options.complete_figures),
    ] = None,
) -> None:
    form, screen = request.form, request.screen
    with open_chosen(request.campaign) as (log, system):
        upto = read_up_to(log, request.at)
        with viewing(log, system, upto) as view:
            queries = named_queries(system.key)
            pictures = {key: plot for key, plot in plots(system.key).items() if courses(view, plot.field)}
            if name is not None and name not in (*queries, *pictures):
                choices = [*queries, *pictures]
                raise options.NotFound(
                    f"There is no question or picture {name!r}; {did_you_mean(name, choices, otherwise='')}"
                )
            chosen_queries = {key: query for key, query in queries.items() if name in (None, key)}
            selected_plots = {key: plot for key, plot in pictures.items() if name in (None, key)}
            if form is Format.text:
                if name is None:
                    names = ", ".join((*chosen_queries, *selected_plots))
                    screen.lines(screen.wrap([Span(f"One alone with campaign stats NAME: {names}", "dim")], indent=2))
                    screen.line()
                for title, query in chosen_queries.items():
                    _print_query(screen, view, title, query, whole=name is not None)
                for title, plot in selected_plots.items():
                    _print_plot(screen, title, plot, courses(view, plot.field))
            else:
                _write(screen, view, chosen_queries, selected_plots, form, alone=name is not None)
    screen.flush(pager=True)


def _write(
    screen: Screen,
    view: View,
    queries: dict[str, NamedQuery],
    selected_plots: dict[str, Plot],
    form: Format,
    *,
    alone: bool,
) -> None:
    answers = {name: answer_to(view, query) for name, query in queries.items()}
    for name, plot in selected_plots.items():
        answers[name] = points_of(view, plot)
    if alone:
        (rows,) = answers.values()
        write_rows(screen, rows, form, list(rows[0]) if rows else [])
    elif form is Format.json:
        screen.json(answers)
    else:
        rows = [{"question": name, **row} for name, answer in answers.items() for row in answer]
        write_rows(screen, rows, form, list(dict.fromkeys(column for row in rows for column in row)))


def _print_query(screen: Screen, view: View, name: str, query: NamedQuery, *, whole: bool) -> None:
    rows = answer_to(view, query)
    if not rows and not whole:
        return
    screen.line(Span(query.title, "bold cyan"), Span(f"  {name}", "dim"))
    first_rows = rows if whole else rows[:FEW_ROWS]
    columns = columns_of(rows)
    print_table(screen, columns, [[row[column] for column in columns] for row in first_rows], indent="  ")
    for sentence in sentences_of(view, name, first_rows):
        screen.line(f"  {sentence}")
    if len(first_rows) < len(rows):
        screen.line(Span(f"  … {len(rows) - len(first_rows)} more: campaign stats {name}", "dim"))
    screen.line()


def _print_plot(screen: Screen, name: str, plot: Plot, lines: Sequence[Course]) -> None:
    screen.line(Span(plot.title, "bold cyan"), Span(f"  {name}", "dim"))
    # without colours two lines in one picture could not be told apart
    for group in [lines] if screen.paints else [[line] for line in lines]:
        screen.raw(picture(screen, name, group))
        screen.line("  ", *(Span(f"{line.character}  ", COLORS[at % len(COLORS)]) for at, line in enumerate(group)))
    screen.line()


def picture(screen: Screen, name: str, lines: Sequence[Course]) -> str:
    """The courses from 0 up as a picture of text characters."""
    import plotille  # type: ignore[import-untyped]

    highest = max(value for line in lines for _, value in line.points)
    last = max(turn for line in lines for turn, _ in line.points)
    figure = plotille.Figure()
    # of a height that makes every label a whole number
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
        turns, values = zip(*_steps(_visible_points(line.points, dots=2 * figure.width)), strict=True)
        figure.plot(
            turns, values, lc=COLORS[number % len(COLORS)] if screen.paints else None, label=safe(line.character)
        )
    # an empty cell is U+2800, the blank Braille pattern
    return "\n".join(line.rstrip("\u2800 ") for line in str(figure.show()).splitlines())


def _visible_points(points: Sequence[tuple[int, int]], dots: int) -> Sequence[tuple[int, int]]:
    """The points that are visible in a picture of so many dots: of each dot its first, lowest, highest and last."""
    if len(points) <= 4 * dots:
        return points
    wide = points[-1][0] / dots
    visible: list[tuple[int, int]] = []
    for _, together in groupby(points, lambda point: int(point[0] / wide)):
        here = list(together)
        lowest, highest = min(here, key=itemgetter(1)), max(here, key=itemgetter(1))
        visible += sorted({here[0], lowest, highest, here[-1]})
    return visible


def _steps(points: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The points with a corner before each change, as a value holds until the next."""
    corners: list[tuple[int, int]] = []
    for turn, value in points:
        if corners:
            corners.append((turn, corners[-1][1]))
        corners.append((turn, value))
    return corners
