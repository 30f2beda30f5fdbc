"""Make a campaign from what `campaign export` wrote.

It becomes the current campaign. It is imported whole or not at all: if a line is not in order, you are told which.
Turns that do not verify (see campaign verify) are refused too, unless you add --unverified; then a note in the log says
so. A note also names the turns that were taken on trust, because an older version of the rules decided them. There is
room for a million turns of up to 16 MB each. With --in it goes to a server; a campaign file goes there as it is, with
its branches, its bytes and its links.

Examples:
  campaign import the-mill.ndjson --file again.campaign
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from cli.shell import options
from cli.shell.choose import slug
from cli.shell.command_context import current_from_now, handler_for
from cli.shell.exchange import ExportReader
from cli.shell.jsonlines import stream_of
from cli.shell.partial_failure import report_saved
from cli.store.anywhere import copy_to, open_log
from cli.store.checking import findings_in
from cli.store.failures import Unopenable
from cli.store.file import open_campaign
from cli.store.header import is_campaign
from cli.store.making import create
from cli.store.server.address import server_address
from cli.store.stored_log import StoredLog
from cli.terminal.screen import Screen, Span, as_text
from domain.common.notes import Note
from domain.log.finding import Finding
from domain.log.folding import state_at
from domain.log.hash_chain import Seal
from domain.log.verifying import ON_TRUST
from domain.naming import quantity
from domain.refusal import Invalid
from domain.registry import system_of

#: Characters at most of the note that names turns taken on trust, of which there may be very many.
LONGEST_NOTE = 2_000


def import_(
    source: Annotated[str, typer.Argument(metavar="FILE", help="What campaign export wrote, or - for standard input.")],
    file: Annotated[Path | None, typer.Option("--file", "-f", help="Where to keep the campaign.")] = None,
    server: options.In = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check every line, and make nothing.")] = False,
    unverified: Annotated[
        bool, typer.Option("--unverified", help="Take turns that do not verify, and say so.")
    ] = False,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    screen = Screen(color)
    if file is not None and server is not None:
        raise Invalid("A campaign lies in a file or on a server: leave out --file or --in.")
    if is_campaign(source):
        _import_file(source, server, screen, dry_run=dry_run, unverified=unverified)
        return
    findings: list[Finding] = []

    def check(new: Path) -> None:
        with open_campaign(new) as log:
            findings.extend(
                _check_turns(log, [reading.seal] if reading.seal is not None else [], unverified=unverified)
            )

    with stream_of(source) as stream:
        reading = ExportReader(stream)
        path = file or Path(f"{slug(reading.header.name)}.campaign")
        turns = reading.turns()
        where = as_text(path)
        if dry_run or server is not None:
            if dry_run and server is None and path.exists():
                raise Unopenable(f"There is a file {path.name} already; choose another name.", 2)
            with TemporaryDirectory() as folder:
                passing = Path(folder, "import.campaign")
                create(
                    passing, reading.header.campaign, next(turns), turns, stored_bytes=reading.stored_bytes, check=check
                )
                if server is not None and not dry_run:
                    with open_campaign(passing) as log:
                        where = copy_to(server, log, reading.header.name, slug(reading.header.name))
        else:
            create(path, reading.header.campaign, next(turns), turns, stored_bytes=reading.stored_bytes, check=check)
    header = reading.header
    count = quantity(header.turns, "turn")
    subject = f"{count} of {header.name}, under the rules of {header.rules}"
    if dry_run:
        into = server_address(server).database if server is not None else str(path)
        screen.line(f"{subject}: every line is in order. Without --dry-run they would go into {into}.")
        for finding in findings:
            screen.line(Span(finding.sentence, "red" if _is_damage(finding) else "yellow"))
        screen.flush()
        return
    _report(screen, subject, where, findings)


def _import_file(source: str, server: str | None, screen: Screen, *, dry_run: bool, unverified: bool) -> None:
    """Copy a campaign file to a server as it is, with its branches, bytes and links. Raises Invalid without server."""
    if server is None:
        raise Invalid(f"{source} is a campaign already: campaign use {source}. With --in URL it goes to a server.")
    with open_campaign(source) as log:
        findings = _check_turns(log, [], unverified=unverified)
        name = state_at(system_of(log.rules), log, 1).campaign.name
        subject = f"{quantity(log.last(), 'turn')} of {name}, under the rules of {log.rules}"
        if dry_run:
            into = server_address(server).database
            screen.line(f"{subject}: every turn is in order. Without --dry-run they would go into {into}.")
            screen.flush()
            return
        where = copy_to(server, log, name, slug(name))
    _report(screen, subject, where, findings)


def _check_turns(log: StoredLog, seals: Sequence[Seal], *, unverified: bool) -> list[Finding]:
    """The findings to report about a log. Raises Invalid for newer turns, and for damage unless `unverified`."""
    findings = [finding for finding in findings_in(log, seals) if finding.kind != "note"]
    refused_turn = next(
        (finding for finding in findings if finding.kind == "newer" or (_is_damage(finding) and not unverified)), None
    )
    if refused_turn is None:
        return findings
    way = "; --unverified takes it all the same and says so" if _is_damage(refused_turn) else ""
    raise Invalid(f"{refused_turn.sentence} Nothing was imported{way}.")


def _is_damage(finding: Finding) -> bool:
    return finding.kind == "damage"


def _report(screen: Screen, subject: str, where: str, findings: Sequence[Finding]) -> None:
    with report_saved(lambda: f"{subject}, now in {where}"), current_from_now(where):
        screen.line(f"{subject}, now in {where}.")
        damage = [finding for finding in findings if _is_damage(finding)]
        sentences = [finding.sentence for finding in findings if finding.kind in ON_TRUST]
        notes = []
        if damage:
            notes.append(f"Imported although {len(damage)} things in it do not verify, the first: {damage[0].sentence}")
        if sentences:
            notes.append(f"Imported on trust: {' '.join(sentences)}"[:LONGEST_NOTE])
        if notes:
            with open_log(where, write=True) as log:
                handler = handler_for(log)
                for text in notes:
                    handler.record(Note(text=text))
            for text in notes:
                screen.line(Span(text, "red" if damage else "yellow"))
        screen.line("Next: campaign status")
        screen.flush()
