"""Count what happened, in figures and pictures.

Rests, damage, dice, rules cited; hit points, fatigue and stamina as pictures. --by counts losses, damage or a picture
by session, character, player or source.

Examples:
  campaign stats
  campaign stats lost --by session,character
  campaign stats hp --character brog -o brog.svg
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.pages.formats import Format
from cli.pages.rows import write_rows
from cli.pages.svg_plot import svg_file
from cli.shell import options
from cli.shell.command_context import open_chosen, read_up_to
from cli.shell.outfile import OutputFile, begins_file, deliver, write_whole
from cli.shell.reading import ReadOptions, reads
from cli.shell.selecting import OfCharacter, OfSession, Since, Until, filters_of
from cli.shell.viewing import viewing
from cli.terminal.screen import Screen, Span, as_text, safe
from cli.terminal.table import print_table
from domain.log.folding import state_at
from domain.log.port import AsOf, Log
from domain.naming import did_you_mean, listed
from domain.refusal import Invalid
from domain.system.rulesystem import RuleSystem
from projections.filters import Filters
from projections.recap_document import Curve
from projections.views.chronicle_queries import narrow
from projections.views.named_queries import (
    FEW_ROWS,
    GROUPS,
    NamedQuery,
    Plot,
    answer_to,
    changes_of,
    columns_of,
    courses,
    named_queries,
    plots,
    points_of,
    sentences_of,
    with_titles_of_cards,
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
        typer.Argument(help="One question or picture (default: all).", autocompletion=options.known("figures")),
    ] = None,
    by: Annotated[
        str | None, typer.Option("--by", metavar="COLUMNS", help="Count by session, character, player, source.")
    ] = None,
    session: OfSession = None,
    character: OfCharacter = None,
    since: Since = None,
    until: Until = None,
    output_file: OutputFile = None,
) -> None:
    form, screen = request.form, request.screen
    if output_file is not None:
        screen.begins_file = begins_file(output_file)
    with open_chosen(request.campaign) as (log, system):
        upto = read_up_to(log, request.at)
        log_then = AsOf(log, upto)
        filters = filters_of(
            log_then,
            lambda: state_at(system, log, upto).characters,
            session=session,
            character=character,
            since=since,
            until=until,
        )
        with viewing(log, system, upto) as view:
            if filters != Filters(last=upto):
                narrow(view, filters)
            queries = named_queries(system.key)
            pictures = {
                key: plot for key, plot in plots(system.key).items() if key == name or courses(view, plot.field)
            }
            if name is not None and name not in (*queries, *pictures):
                choices = [*queries, *pictures]
                raise options.NotFound(
                    f"There is no question or picture {name!r}; {did_you_mean(name, choices, otherwise='')}"
                )
            chosen_queries = {key: query for key, query in queries.items() if name in (None, key)}
            selected_plots = {key: plot for key, plot in pictures.items() if name in (None, key)}
            if output_file is not None and output_file.suffix.casefold() == ".svg":
                _draw(output_file, selected_plots, view, by, name)
                screen.line(f"The picture is in {as_text(output_file)}.", indent=None)
                screen.flush()
                return
            if by is not None:
                columns, query = _counted_by(by, name, chosen_queries, selected_plots)
                rows = answer_to(view, query, columns)
                write_rows(screen, rows, form, list(rows[0]) if rows else columns)
            elif form is Format.text:
                if name is None:
                    names = ", ".join((*chosen_queries, *selected_plots))
                    screen.line(Span(f"One alone with {screen.program}stats NAME: {names}", "dim"))
                    screen.line()
                for title, query in chosen_queries.items():
                    _print_query(
                        screen, view, title, query, _answer(view, log_then, system, query), whole=name is not None
                    )
                for title, plot in selected_plots.items():
                    _print_plot(screen, title, plot, courses(view, plot.field))
            else:
                answers = {key: _answer(view, log_then, system, query) for key, query in chosen_queries.items()}
                _write(screen, view, answers, selected_plots, form, alone=name is not None)
    deliver(screen, output_file, "The figures are", pager=True)


def _answer(view: View, log: Log, system: RuleSystem, query: NamedQuery) -> list[dict[str, Any]]:
    rows = answer_to(view, query)
    return with_titles_of_cards(system, state_at(system, log), rows) if rows and "card" in rows[0] else rows


def _counted_by(
    by: str, name: str | None, queries: Mapping[str, NamedQuery], pictures: Mapping[str, Plot]
) -> tuple[list[str], NamedQuery]:
    """The columns to count by and what is counted. Raises Invalid for anything that is not counted so."""
    if name is None:
        raise Invalid(f"--by is for one question or picture: campaign stats lost --by {by}")
    query = changes_of(pictures[name]) if name in pictures else queries[name]
    if not query.facts:
        raise Invalid(f"{name} is counted as it is; try campaign stats lost --by {by}")
    columns = [column.strip() for column in by.casefold().split(",") if column.strip()]
    unknown = [column for column in columns if column not in (*GROUPS, *query.by)]
    if unknown or not columns:
        raise Invalid(f"--by takes {listed(dict.fromkeys((*GROUPS, *query.by)))}, not {by[:60]!r}.")
    return list(dict.fromkeys(columns)), query


def _draw(file: Path, pictures: Mapping[str, Plot], view: View, by: str | None, name: str | None) -> None:
    """Write a picture as a file. Raises Invalid for what is none, NotFound where there is nothing to draw."""
    plot = pictures.get(name or "")
    if plot is None or by is not None:
        raise Invalid("One picture is drawn into a file: campaign stats hp -o hp.svg")
    lines = courses(view, plot.field)
    if not lines:
        raise options.NotFound("Nothing changed there, so there is nothing to draw.")
    write_whole(file, [svg_file(plot.title, lines, view.last()).encode()])


def _write(
    screen: Screen,
    view: View,
    answers: dict[str, list[dict[str, Any]]],
    selected_plots: dict[str, Plot],
    form: Format,
    *,
    alone: bool,
) -> None:
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


def _print_query(
    screen: Screen, view: View, name: str, query: NamedQuery, rows: list[dict[str, Any]], *, whole: bool
) -> None:
    if not rows and not whole:
        return
    screen.line(Span(query.title, "bold cyan"), Span(f"  {name}", "dim"))
    first_rows = rows if whole else rows[:FEW_ROWS]
    columns = columns_of(rows)
    print_table(screen, columns, [[row[column] for column in columns] for row in first_rows], indent="  ")
    for sentence in sentences_of(view, name, first_rows):
        screen.line(f"  {sentence}")
    if len(first_rows) < len(rows):
        screen.line(Span(f"  … {len(rows) - len(first_rows)} more: {screen.program}stats {name}", "dim"))
    screen.line()


def _print_plot(screen: Screen, name: str, plot: Plot, lines: Sequence[Curve]) -> None:
    """Print a picture below its title and the names of its lines."""
    # without colours two lines in one picture could not be told apart
    for group in [lines] if screen.paints else [[line] for line in lines]:
        names = (Span(f"  {line.character}", COLORS[at % len(COLORS)]) for at, line in enumerate(group))
        screen.line(Span(plot.title, "bold cyan"), Span(f"  {name}", "dim"), *names)
        screen.raw(picture(screen, name, group))
        screen.line()
    if not lines:
        screen.line(Span(plot.title, "bold cyan"), Span(f"  {name}", "dim"))
        screen.line("  ", Span("No rows.", "dim"))


def picture(screen: Screen, name: str, lines: Sequence[Curve]) -> str:
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
