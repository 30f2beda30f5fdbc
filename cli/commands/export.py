"""Write every turn as a line of JSON, or a table as CSV.

The lines hold every turn of the current branch, secrets included, and `campaign import` reads them. Use -O csv for a
spreadsheet. The last line is the seal of what was exported. `campaign backup` copies the other branches as well.

Examples:
  campaign export -o copy.ndjson
  campaign export -O csv
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated

import typer

from cli.pages.formats import Format
from cli.pages.rows import write_rows
from cli.shell import options
from cli.shell.command_context import open_chosen, read_up_to
from cli.shell.exchange import export_lines
from cli.shell.outfile import OutputFile, begins_file, write_whole
from cli.terminal.screen import Screen, as_text
from domain.log.hash_chain import seal_of
from domain.log.port import Log
from domain.refusal import Invalid
from domain.system.rulesystem import RuleSystem
from projections.chronicle_range import chronicle

#: Lines written at once.
AT_ONCE = 500
COLUMNS = (
    "turn", "session", "at", "by", "kind", "characters", "rules", "sentence", "standing", "undone_by",
)  # fmt: skip


class Shape(StrEnum):
    """What an export is written as."""

    ndjson = "ndjson"
    csv = "csv"


def export(
    at: options.At = None,
    as_: options.RefusedAs = None,
    output: Annotated[
        Shape, typer.Option("--output", "-O", help="Every turn, or the chronicle as a table.")
    ] = Shape.ndjson,
    output_file: OutputFile = None,
    campaign: options.Campaign = None,
) -> None:
    if as_ is not None:
        raise Invalid("An export holds everything and cannot keep secrets; use campaign log --as or recap --as.")
    with open_chosen(campaign, needs_rules=False) as (log, system):
        upto = read_up_to(log, at)
        # an exported branch becomes a campaign of its own, with other links
        on_main = log.stream_at(upto) == log.campaign_id
        seal = seal_of(upto, log.link(upto)) if on_main and output is Shape.ndjson else None
        screen = Screen(options.Color.never)
        if output_file is not None:
            screen.begins_file = begins_file(output_file)
        lines = (
            export_lines(log, system, upto, seal) if output is Shape.ndjson else _chronicle(screen, system, log, upto)
        )
        if output_file is not None:
            if write_whole(output_file, (f"{line}\n".encode() for line in lines)):
                turns_are = f"{upto} turns are" if upto > 1 else "1 turn is"
                report = Screen(options.Color.never)
                report.line(f"{turns_are} in {as_text(output_file)}.{f' Seal: {seal}' if seal else ''}", indent=None)
                report.flush()
            return
        for number, line in enumerate(lines, 1):
            screen.raw(line)
            if not number % AT_ONCE:
                screen.flush()
        screen.flush()


def _chronicle(screen: Screen, system: RuleSystem, log: Log, upto: int) -> Iterator[str]:
    rows = (
        entry.as_json()
        | {"kind": entry.kind, "characters": ", ".join(sorted(entry.characters)), "rules": ", ".join(entry.rules)}
        for entry in chronicle(system, log, upto)
    )
    write_rows(screen, rows, Format.csv, COLUMNS)
    yield from screen.drain()
