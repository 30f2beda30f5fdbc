"""A new campaign from what `campaign export` wrote.

It becomes the current one. All of it or nothing: a line that is not in order is named, and no file appears; nor does
it for turns that do not verify (see campaign verify), unless --unverified, and then the first note says so for ever.
Up to a million turns of up to 16 MB each.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from cli.shell import options
from cli.shell.desk import scribe_for
from cli.shell.exchange import Reading
from cli.shell.jsonlines import stream_of
from cli.store.checking import verified
from cli.store.file import open_campaign
from cli.terminal.screen import Screen, Span
from domain.common.notes import Note
from domain.log.verifying import Finding
from domain.refusal import Invalid


def import_(
    source: Annotated[str, typer.Argument(metavar="FILE", help="What campaign export wrote, or - for standard input.")],
    file: Annotated[
        Path | None, typer.Option("--file", "-f", help="Where to keep the campaign.", show_default=False)
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check every line and make nothing.", show_default=False)
    ] = False,
    unverified: Annotated[
        bool, typer.Option("--unverified", help="Take turns that do not verify, and say so.", show_default=False)
    ] = False,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    from cli.shell.choose import remember, slug
    from cli.store.failures import Unopenable
    from cli.store.making import create

    damage: list[Finding] = []

    def check(new: Path) -> None:
        with open_campaign(new) as log:
            seals = [reading.seal] if reading.seal is not None else []
            damage.extend(finding for finding in verified(log, seals) if finding.kind == "damage")
        if damage and not unverified:
            raise Invalid(f"{damage[0].sentence} Nothing was imported; --unverified takes it all the same and says so.")

    screen = Screen(color)
    with stream_of(source) as stream:
        reading = Reading(stream)
        path = file or Path(f"{slug(reading.header.name)}.campaign")
        turns = reading.turns()
        if dry_run:
            if path.exists():
                raise Unopenable(f"There is a file {path.name} already; choose another name.", 2)
            with TemporaryDirectory() as folder:
                create(Path(folder, path.name), reading.header.campaign, next(turns), turns, check=check)
        else:
            create(path, reading.header.campaign, next(turns), turns, check=check)
    header = reading.header
    turns_told = f"{header.turns} {'turn' if header.turns == 1 else 'turns'}"
    what = f"{turns_told} of {header.name}, under the rules of {header.rules}"
    if dry_run:
        screen.line(f"{what}: every line is in order. Without --dry-run they would go into {path}.")
    else:
        remember(path)
        screen.line(f"{what}, now in {path}.")
        if damage:
            with open_campaign(path, write=True) as log:
                said = f"Imported although {len(damage)} things in it do not verify, the first: {damage[0].sentence}"
                scribe_for(log).record(Note(text=said))
            screen.line(Span(said, "red"))
        screen.line("Next: campaign status")
    screen.flush()
