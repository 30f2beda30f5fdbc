"""Append the turns of a branch here, all of them or none.

They are decided here, with the dice and cards they had.

Examples:
  campaign adopt plan
"""

from typing import Annotated

import typer

from cli.shell import options
from cli.shell.desk import opened, scribe_for
from cli.store.layout import MAIN
from cli.terminal.screen import Screen, Span
from domain.refusal import Invalid, Refusal


def adopt(
    name: Annotated[
        str, typer.Argument(help="The branch.", autocompletion=options.complete_branches, show_default=False)
    ],
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
    from cli.store.branches import must_be_a_branch, shared
    from cli.terminal.answers import answer_json, print_entry
    from domain.log.adopting import adopted
    from projections.chronicle import chronicle

    screen = Screen(color)
    with opened(campaign, write=True) as (log, system):
        must_be_a_branch(log, name)
        if name in (log.branch, MAIN):
            raise Invalid(f"You are on {log.branch}; adopt another branch, like campaign adopt plan.")
        with log.on(name) as line:
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
