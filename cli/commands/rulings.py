"""List the rulings and how often they decided.

Examples:
  campaign rulings
  campaign rulings --in-force
"""

from typing import Annotated

import msgspec
import typer

from cli.pages.rows import write_rows
from cli.shell.command_context import open_chosen, read_up_to
from cli.shell.reading import ReadOptions, reads
from cli.shell.selecting import OfSession, Since, Until, filters_of
from cli.shell.viewing import viewing
from domain.log.folding import state_at
from domain.log.port import AsOf
from projections.views.registers import rulings_on_record

COLUMNS = (
    "ruling", "turn", "session", "rule", "text", "why", "options", "trial", "in_force", "ended_by", "decided", "by",
)  # fmt: skip


@reads(keeps_secrets=False)
def rulings(
    request: ReadOptions,
    in_force: Annotated[bool, typer.Option("--in-force", help="Only those that hold now.")] = False,
    trials: Annotated[bool, typer.Option("--trials", help="Only those on trial.")] = False,
    session: OfSession = None,
    since: Since = None,
    until: Until = None,
) -> None:
    with open_chosen(request.campaign) as (log, system):
        upto = read_up_to(log, request.at)
        filters = filters_of(AsOf(log, upto), session=session, since=since, until=until)
        with viewing(log, system, upto) as view:
            made = rulings_on_record(view, state_at(system, log, upto), filters)
    rows = [
        msgspec.to_builtins(ruling)
        for ruling in made
        if (ruling.in_force or not (in_force or trials)) and (not trials or (ruling.trial and ruling.kept_by is None))
    ]
    write_rows(request.screen, rows, request.form, COLUMNS)
    request.screen.flush(pager=True)
