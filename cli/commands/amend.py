"""Correct an earlier turn: its action with other fields.

Without a turn it is the latest, and a number alone is its first number: campaign amend 2. An empty value leaves a
field out; behind = stands a whole line instead: campaign amend T4 = damage brog 2.
"""

from typing import Annotated

import typer

from cli.shell import options
from cli.shell.desk import opened, record, scribe_for
from cli.shell.words import turn_number
from cli.terminal.screen import Screen
from domain.system.registry import action_from


def amend(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[T4] FIELD=VALUE...",
            help="The turn, and what it should be.",
            autocompletion=options.complete_amendment,
            show_default=False,
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FIELD=VALUE", help="A field of its action.", show_default=False),
    ] = None,
    why: options.Why = None,
    drop: options.Drop = False,
    keep: options.Keep = False,
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
    campaign: options.Campaign = None,
    by: options.By = None,
    when: options.When = None,
    json: options.Json = False,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    from cli.line.understanding import amending
    from cli.line.values import Context
    from cli.line.words import given

    screen, conflicts = Screen(color), options.settled(drop, keep)
    said = list(words or ())
    if said and not said[0].startswith("@") and (set_ or (len(said) > 1 and said[0].isdecimal())):
        said[0] = f"T{turn_number(said[0])}"  # beside a field it can be nothing else
    with opened(campaign, write=True) as (log, system):
        scribe = scribe_for(log)
        value = amending(given([*said, *(set_ or ())]), 0, Context(system, scribe.state(), log))
        beside = {"why": why, "conflicts": conflicts}
        action = action_from(log.rules, {**value, **{key: each for key, each in beside.items() if each is not None}})
        record(scribe, action, screen=screen, as_json=json, by=by, when=when, dry_run=dry_run, yes=yes)
