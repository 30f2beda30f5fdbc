"""Find when a condition became true, now and before.

The first and each later turn where a condition became true; exit code 1 if it never did. Fields are compared with
<, <=, >, >=, =, != or contains; and, or, not and parentheses join conditions.
any means any of the characters.

Examples:
  campaign when 'brog.hp < 5'
  campaign when 'seg.condition = collapsed or seg.hp = 0'
  campaign when 'any.hp = 0'
"""

from typing import Annotated, Any

import typer

from cli.pages.formats import Format
from cli.pages.rows import write_rows
from cli.shell import options
from cli.shell.command_context import open_chosen, read_up_to, seen_by
from cli.shell.ending import Ended
from cli.shell.reading import ReadOptions, reads
from cli.shell.viewing import viewing
from cli.terminal.screen import Screen, Span
from projections.views.conditions import TrueSpan, example_for, parse, times
from projections.views.view import View
from projections.views.why import characters_in, target


@reads()
def when(
    request: ReadOptions,
    condition: Annotated[
        list[str],
        typer.Argument(
            metavar="CONDITION",
            help="Like 'brog.hp < 3 and brog.fatigue > 1'.",
            autocompletion=options.complete_sheet_values,
        ),
    ],
) -> None:
    form, screen = request.form, request.screen
    with open_chosen(request.campaign) as (log, system):
        upto = read_up_to(log, request.at)
        with viewing(log, system, upto, seen_by(log, system, request.as_)) as view:
            like, names = example_for(view, system), characters_in(view)
            text = " ".join(condition)
            parsed_condition = options.or_not_found(
                lambda: parse(text, lambda text: target(view, system, None, text), like, names)
            )
            rows = [_time_json(view, time) for time in times(view, parsed_condition)]
        if form is not Format.text:
            write_rows(screen, rows, form, ("turn", "session", "until", "sentence"))
        else:
            _print_times(screen, rows)
    screen.flush(pager=True)
    if not rows:
        if form is Format.text:
            raise options.NotFound("That was never true.")
        raise Ended(1)


def _time_json(view: View, span: TrueSpan) -> dict[str, Any]:
    session, sentence = view.ask("SELECT session, sentence FROM turns WHERE turn = ?", span.turn)[0]
    return {"turn": span.turn, "session": session, "until": span.until, "sentence": sentence}


def _print_times(screen: Screen, rows: list[dict[str, Any]]) -> None:
    digits = max((len(str(row["turn"])) for row in rows), default=1) + 1
    for row in rows:
        until = Span(f"  (until T{row['until']})" if row["until"] else "  (still so)", "dim")
        mark = f"T{row['turn']}"
        number = Span(f"{mark:>{digits}}", "cyan")
        screen.lines(screen.wrap([number, "  ", row["sentence"], until], indent=digits + 2))
