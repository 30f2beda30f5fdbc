"""List the sessions, who was there, and their seals.

Examples:
  campaign sessions
  campaign sessions --since 2026-10-01 -O csv
"""

from typing import Any

import msgspec

from cli.pages.rows import write_rows
from cli.shell.command_context import open_chosen, read_up_to
from cli.shell.reading import ReadOptions, reads
from cli.shell.selecting import Since, Until, filters_of
from cli.shell.viewing import viewing
from domain.log.folding import state_at
from domain.log.hash_chain import seal_of
from domain.log.port import AsOf
from projections.views.registers import sessions_held

COLUMNS = ("session", "title", "date", "place", "opened", "closed", "turns", "present", "absent", "seal")


@reads(keeps_secrets=False)
def sessions(request: ReadOptions, since: Since = None, until: Until = None) -> None:
    with open_chosen(request.campaign) as (log, system):
        upto = read_up_to(log, request.at)
        filters = filters_of(AsOf(log, upto), since=since, until=until)
        with viewing(log, system, upto) as view:
            held = sessions_held(view, system, log, state_at(system, log, upto), filters)
        rows: list[dict[str, Any]] = [
            {**msgspec.to_builtins(session), "seal": str(seal_of(session.last, log.link(session.last)))}
            for session in held
        ]
    write_rows(request.screen, rows, request.form, COLUMNS)
    request.screen.flush(pager=True)
