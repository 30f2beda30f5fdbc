"""A new campaign from what `campaign export` wrote.

It becomes the current one. All of it or nothing: a line that is not in order is named, and no file appears. Up to a
million turns of up to 16 MB each.
"""

from pathlib import Path
from typing import Annotated

import typer

from cli.shell import options
from cli.shell.exchange import Reading
from cli.shell.jsonlines import stream_of
from cli.terminal.screen import Screen


def import_(
    source: Annotated[str, typer.Argument(metavar="FILE", help="What campaign export wrote, or - for standard input.")],
    file: Annotated[
        Path | None, typer.Option("--file", "-f", help="Where to keep the campaign.", show_default=False)
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check every line and make nothing.", show_default=False)
    ] = False,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    from cli.shell.choose import remember, slug
    from cli.store.failures import Unopenable
    from cli.store.making import create

    screen = Screen(color)
    with stream_of(source) as stream:
        reading = Reading(stream)
        path = file or Path(f"{slug(reading.header.name)}.campaign")
        turns = reading.turns()
        if dry_run:
            if path.exists():
                raise Unopenable(f"There is a file {path.name} already; choose another name.", 2)
            for _ in turns:
                pass
        else:
            create(path, reading.header.campaign, next(turns), turns)
    header = reading.header
    turns_told = f"{header.turns} {'turn' if header.turns == 1 else 'turns'}"
    what = f"{turns_told} of {header.name}, under the rules of {header.rules}"
    if dry_run:
        screen.line(f"{what}: every line is in order. Without --dry-run they would go into {path}.")
    else:
        remember(path)
        screen.line(f"{what}, now in {path}.")
        screen.line("Next: campaign status")
    screen.flush()
