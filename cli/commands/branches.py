"""`branch`, `switch` and `adopt`: a line of play tried out beside the campaign, and kept or dropped."""

from typing import Annotated

import typer

from cli.shell import options
from cli.shell.desk import opened, point_in, scribe_for
from cli.shell.options import Format
from cli.store.file import MAIN, CampaignFile, open_campaign
from cli.terminal.screen import Screen, Span
from domain.refusal import Invalid, Refusal


def complete_branches(incomplete: str) -> list[str]:
    """The branches whose names begin so."""
    from cli.shell.completion import branches

    return branches(incomplete)


def branch(
    name: Annotated[str | None, typer.Argument(help="What to call it.", show_default=False)] = None,
    at: Annotated[
        str | None, typer.Argument(metavar="[@POINT]", help="Where it begins (default: now).", show_default=False)
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List the branches.", show_default=False)] = False,
    delete: Annotated[
        str | None,
        typer.Option("--delete", help="Forget a branch.", autocompletion=complete_branches, show_default=False),
    ] = None,
    output: options.Output = Format.text,
    json: options.Json = False,
    campaign: options.Campaign = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    """Begin a line of play of its own at a point of this one, and switch to it. Without a name: list them."""
    from cli.store.branches import delete_branch, make_branch, switch_to

    screen = Screen(color)
    if delete is not None and (name is not None or list_):
        raise Invalid("Either begin a branch, or list them, or delete one.")
    with opened(campaign, write=name is not None or delete is not None) as (log, _):
        if delete is not None:
            delete_branch(log, delete)
            screen.line(f"{delete} is forgotten; what was played on it stays in the file.")
        elif name is None or list_:
            _list(screen, log, Format.json if json else output)
        else:
            fork = log.last() if at is None else point_in(log, at[1:] if at[:1] == "@" and at[1:2] in "TtSs" else at)
            made = make_branch(log, name, fork)
            switch_to(log, made.name)
            screen.line(f"You are on {made.name} now, which begins after T{fork} of {log.branch}.")
            screen.line(f"Next: campaign switch {log.branch} goes back, campaign adopt {made.name} takes it over.")
    screen.flush()


def _list(screen: Screen, log: CampaignFile, form: Format) -> None:
    from cli.pages.rows import write_rows

    rows = []
    for name in [MAIN, *(each.name for each in log.branches())]:
        with open_campaign(log.path, branch=name) as line:
            rows.append({"branch": name, "current": name == log.branch, "fork": line.fork, "turn": line.last()})
    if form is not Format.text:
        write_rows(screen, rows, form, ("branch", "current", "fork", "turn"))
        return
    for row in rows:
        begins = f"begins after T{row['fork']}, " if row["fork"] else ""
        mark = Span("* ", "bold green") if row["current"] else "  "
        screen.line(mark, Span(str(row["branch"]), "bold"), f"  {begins}now at T{row['turn']}")


def switch(
    name: Annotated[
        str, typer.Argument(help="The branch; main is the campaign itself.", autocompletion=complete_branches)
    ],
    campaign: options.Campaign = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    """Read and play on another branch from now on."""
    from cli.store.branches import switch_to

    screen = Screen(color)
    with opened(campaign, write=True) as (log, _):
        switch_to(log, name)
        with open_campaign(log.path, branch=name) as line:
            screen.line(f"You are on {name} now, at T{line.last()}.")
    screen.flush()


def adopt(
    name: Annotated[str, typer.Argument(help="The branch.", autocompletion=complete_branches, show_default=False)],
    drop: Annotated[
        bool, typer.Option("--drop", help="Leave out turns that are not legal here.", show_default=False)
    ] = False,
    keep: Annotated[
        bool, typer.Option("--keep", help="Take over turns that are not legal here as they were.", show_default=False)
    ] = False,
    dry_run: options.DryRun = False,
    json: options.Json = False,
    campaign: options.Campaign = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    """Append the turns of a branch here, decided here, with the dice and cards they had. All of them, or none."""
    from cli.store.branches import must_be_a_branch
    from cli.terminal.answers import answer_json, print_entry
    from domain.log.adopting import adopted
    from projections.chronicle import chronicle

    screen = Screen(color)
    with opened(campaign, write=True) as (log, system):
        must_be_a_branch(log, name)
        if name in (log.branch, MAIN):
            raise Invalid(f"You are on {log.branch}; adopt another branch, like campaign adopt plan.")
        with open_campaign(log.path, branch=name) as line:
            fork = shared(log, line)
            turns, left_out = adopted(scribe_for(log), line, name, fork, options.settled(drop, keep))
        if not dry_run:
            log.append_all(turns)
        if json:
            for turn in turns:
                screen.json(answer_json(system, turn), pretty=False)
        else:
            for later in left_out:
                how = "Kept as it was" if keep else "Left out"
                screen.line(Span(f"{how}: T{later.turn} of {name}: {Refusal(later.rule, later.reason)}", "yellow"))
            if dry_run:
                screen.line(f"{len(turns)} turns of {name} would be appended.")
            else:
                screen.line(f"{len(turns)} turns of {name} are turns of {log.branch} now:")
                for entry in chronicle(system, log):
                    if entry.turn >= turns[0].number:
                        print_entry(screen, entry)
    screen.flush()
    if dry_run:
        raise typer.Exit(1 if turns else 0)


def shared(log: CampaignFile, line: CampaignFile) -> int:
    """The last turn that two lines of play have in common."""
    fork = min(log.last(), line.last())
    while fork and log.stream_at(fork) != line.stream_at(fork):
        fork -= 1
    return fork
