"""Set sheet fields by the referee's word, against the rules.

Examples:
  campaign override brog hp=9 he drank at the holy well
"""

from typing import Annotated

import typer

from cli.shell import options
from cli.shell.desk import perform
from cli.shell.words import sheet_values
from cli.terminal.screen import Screen


def override(
    character: options.OneCharacter,
    fields: Annotated[
        list[str],
        typer.Argument(
            metavar="FIELD=VALUE...",
            help="What to set.",
            autocompletion=options.complete_sheet_fields,
            show_default=False,
        ),
    ],
    why: Annotated[str, typer.Option("--why", help="The reason; it must be given.", show_default=False)],
    after: options.After = None,
    before: options.Before = None,
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
    late = options.told_late(after, before, options.settled(drop, keep))
    value = {"type": "override", "character": character, "set": sheet_values(fields), "why": why}
    perform(
        campaign,
        value,
        screen=Screen(color),
        as_json=json,
        by=by,
        when=when,
        dry_run=dry_run,
        yes=yes or not late,
        telling=late,
    )
