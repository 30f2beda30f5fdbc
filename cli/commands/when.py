"""Find when a condition became true, now and before.

The first and each later turn where a condition became true; exit code 1 if it never did. Fields are compared with
<, <=, >, >=, =, != or contains; and, or, not and parentheses join conditions.
any means any of the characters.

Examples:
  campaign when 'brog.hp < 5'
  campaign when 'seg.condition = collapsed or seg.hp = 0'
  campaign when 'any.hp = 0'
"""

from typing import Annotated

import typer
from msgspec import to_builtins

from cli.pages.formats import Format
from cli.pages.rows import write_rows
from cli.shell import options
from cli.shell.command_context import open_chosen, read_up_to, seen_by
from cli.shell.ending import Ended
from cli.shell.reading import ReadOptions, reads
from cli.shell.viewing import viewing
from cli.terminal.screen import Span
from projections.views.conditions import times_of


@reads()
def when(
    request: ReadOptions,
    condition: Annotated[
        list[str],
        typer.Argument(
            metavar="CONDITION",
            help="Like 'brog.hp < 3 and brog.fatigue > 1'.",
            autocompletion=options.known("sheet_values"),
        ),
    ],
) -> None:
    form, screen = request.form, request.screen
    with open_chosen(request.campaign) as (log, system):
        upto = read_up_to(log, request.at)
        with viewing(log, system, upto, seen_by(log, system, request.as_)) as view:
            spans = options.or_not_found(lambda: times_of(view, system, " ".join(condition)))
        if form is not Format.text:
            write_rows(screen, map(to_builtins, spans), form, ("turn", "session", "until", "sentence"))
        digits = max((len(str(span.turn)) for span in spans), default=1) + 1
        for span in spans if form is Format.text else ():
            until = Span(f"  (until T{span.until})" if span.until else "  (still so)", "dim")
            number = Span(f"{f'T{span.turn}':>{digits}}", "cyan")
            screen.line(number, "  ", span.sentence, until, indent=digits + 2)
    screen.flush(pager=True)
    if not spans:
        if form is Format.text:
            raise options.NotFound("That was never true.")
        raise Ended(1)
