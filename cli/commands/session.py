"""Open or close a session."""

from typing import Annotated

import typer

from cli.shell import options
from cli.shell.desk import perform
from cli.terminal.screen import Screen


def open_(
    title: Annotated[str | None, typer.Argument(help="What the evening is called.", show_default=False)] = None,
    number: Annotated[int | None, typer.Option(help="Its number (default: the next).", show_default=False)] = None,
    date: Annotated[str | None, typer.Option(help="The date, as you like to write it.", show_default=False)] = None,
    place: Annotated[str | None, typer.Option(help="Where.", show_default=False)] = None,
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
    """Open the next session.

    Examples:
      campaign session open "The crypt"
      campaign session open The crypt
    """
    late = options.told_late(after, before, options.settled(drop, keep))
    value = {"type": "session.open", "title": title, "number": number, "date": date, "place": place}
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


def close(
    summary: Annotated[str | None, typer.Argument(help="How it ended.", show_default=False)] = None,
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
    """Close the open session, and say the seal of the log to write down.

    Examples:
      campaign session close
      campaign session close The mill is drained
    """
    late = options.told_late(after, before, options.settled(drop, keep))
    value = {"type": "session.close", "summary": summary}
    perform(
        campaign,
        value,
        screen=Screen(color),
        as_json=json,
        by=by,
        when=when,
        dry_run=dry_run,
        yes=yes or not late,
        asks=not yes,
        telling=late,
        seal=True,
    )


COMMANDS = {"open": open_, "close": close}
