"""Begin a branch, a line of play of its own, or list them.

It begins at a point of this line of play, and you go on there. Without a name, list the branches.

Examples:
  campaign branch
  campaign branch what-if @T20
"""

from typing import Annotated

import typer

from cli.pages.formats import Format
from cli.pages.rows import write_rows
from cli.shell import options
from cli.shell.command_context import open_chosen, point_in
from cli.shell.reading import ReadOptions, reads
from cli.store import layout
from cli.store.branches import delete_branch, make_branch
from cli.store.layout import MAIN
from cli.store.stored_log import StoredLog
from cli.terminal.screen import Screen, Span
from domain.naming import reads_as_point
from domain.refusal import Invalid


@reads(without=("at", "as_"))
def branch(
    request: ReadOptions,
    name: Annotated[str | None, typer.Argument(help="What to call it.")] = None,
    at: Annotated[str | None, typer.Argument(metavar="[@POINT]", help="Where it begins (default: now).")] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the branches.")] = False,
    delete: Annotated[
        str | None, typer.Option("--delete", help="Forget a branch.", autocompletion=options.known("branches"))
    ] = None,
) -> None:
    screen = request.screen
    if delete is not None and (name is not None or list_):
        raise Invalid("Begin a branch, list them or delete one: only one of these.")
    with open_chosen(request.campaign, write=name is not None or delete is not None) as (log, _):
        if delete is not None:
            delete_branch(log, delete)
            screen.line(f"{delete} is forgotten; what was played on it stays recorded.")
        elif name is None or list_:
            _list(screen, log, request.form)
        else:
            # here a point may have a leading @: @T4 is T4
            is_marked = at is not None and at[:1] == "@" and reads_as_point(at[1:])
            fork = point_in(log, at[1:] if at is not None and is_marked else at)
            new_branch = make_branch(log, name, fork, switch=True)
            screen.line(f"You are on {new_branch.name} now, which begins after T{fork} of {log.branch}.")
            screen.line(
                f"Next: campaign switch {log.branch} goes back, campaign adopt {new_branch.name} takes it over."
            )
        screen.flush()


def _list(screen: Screen, log: StoredLog, form: Format) -> None:
    last: dict[str, int | None] = dict(log.ask(layout.LAST_TURNS))
    (own,) = log.ask(layout.LAST_TURN, log.campaign_id)
    rows = [{"branch": MAIN, "current": log.branch == MAIN, "fork": 0, "turn": own[0]}]
    for branch in log.branches():
        turn = last.get(branch.name) or branch.fork
        rows.append({"branch": branch.name, "current": branch.name == log.branch, "fork": branch.fork, "turn": turn})
    if form is not Format.text:
        write_rows(screen, rows, form, ("branch", "current", "fork", "turn"))
        return
    for row in rows:
        begins = f"begins after T{row['fork']}, " if row["fork"] else ""
        mark = Span("* ", "bold green") if row["current"] else "  "
        screen.line(mark, Span(str(row["branch"]), "bold"), f"  {begins}now at T{row['turn']}")
