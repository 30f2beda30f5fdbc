"""List what was taken back or amended, and why.

Each row is what one turn corrected, with what stood there before. An amendment that also took back later turns has two
rows.

Examples:
  campaign corrections
  campaign corrections --session S1
"""

from typing import Annotated

import msgspec
import typer

from cli.pages.rows import write_rows
from cli.shell.command_context import open_chosen, read_up_to
from cli.shell.reading import ReadOptions, reads
from cli.shell.selecting import OfSession, Since, Until, filters_of
from cli.shell.viewing import viewing
from domain.log.port import AsOf
from projections.filters import is_by
from projections.views.registers import corrections_made

COLUMNS = ("turn", "by", "at", "why", "what", "of", "sentence")


@reads(keeps_secrets=False)
def corrections(
    request: ReadOptions,
    session: OfSession = None,
    since: Since = None,
    until: Until = None,
    by: Annotated[str | None, typer.Option(help="Only what this person corrected.")] = None,
) -> None:
    with open_chosen(request.campaign) as (log, system):
        upto = read_up_to(log, request.at)
        log_then = AsOf(log, upto)
        filters = filters_of(log_then, session=session, since=since, until=until)
        with viewing(log, system, upto) as view:
            made = list(corrections_made(view, system, log_then, upto, filters))
    rows = [msgspec.to_builtins(correction) for correction in made if by is None or is_by(correction.by, by)]
    write_rows(request.screen, rows, request.form, COLUMNS)
    request.screen.flush(pager=True)
