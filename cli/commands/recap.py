"""Read an evening as a story.

Who was there, what happened, where it turned, what was decided, how hit points went, what changed on the sheets, and
what was set right. On a terminal it is laid out to be read, elsewhere it is Markdown; -O html is one page that needs
nothing else. It ends with the seal of the evening's last turn.

Examples:
  campaign recap
  campaign recap S1 -O html -o evening.html
"""

from enum import StrEnum
from typing import Annotated

import typer

from cli.pages import recap as pages
from cli.pages.blocks import print_blocks
from cli.shell import options
from cli.shell.command_context import open_chosen, read_up_to, seen_by, session_of
from cli.shell.outfile import OutputFile, deliver
from cli.shell.reading import ReadOptions, reads
from domain.log.points import session_at
from domain.log.port import AsOf
from domain.refusal import Invalid
from projections.recap import recap_of


class RecapFormat(StrEnum):
    """The formats of a recap."""

    text = "text"
    md = "md"
    html = "html"
    json = "json"


@reads(without=("output", "color"))
def recap(
    request: ReadOptions,
    session: options.Session = None,
    output: Annotated[
        RecapFormat | None, typer.Option("--output", "-O", help="How to write it (a terminal: text; else md).")
    ] = None,
    output_file: OutputFile = None,
    full: Annotated[bool, typer.Option("--full", help="With every turn of the evening.")] = False,
) -> None:
    screen = request.screen
    if request.as_json and output is not None:
        raise Invalid("Give --json or -O, not both.")
    read_here = screen.read_here and output_file is None
    form = RecapFormat.json if request.as_json else output or (RecapFormat.text if read_here else RecapFormat.md)
    with open_chosen(request.campaign) as (store, system):
        log = AsOf(store, read_up_to(store, request.at))
        number = session_of(log, session) if session is not None else None
        evening_number, bounds = options.or_not_found(lambda: session_at(store, log.last(), number))
        viewer = seen_by(store, system, request.as_)
        evening = recap_of(system, log, evening_number, viewer=viewer, bounds=bounds, sealed=store.is_linked)
    match form:
        case RecapFormat.json:
            screen.json(evening.as_json())
        case RecapFormat.html:
            screen.raw(pages.page(evening))
        case RecapFormat.text:
            print_blocks(screen, pages.blocks_of(evening, full=full))
        case RecapFormat.md:
            screen.raw(pages.markdown_of(evening, full=full))
    paged = form in (RecapFormat.text, RecapFormat.md)
    deliver(screen, output_file, f"The recap of session {evening.session} is", pager=paged)
