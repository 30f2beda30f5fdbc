"""List the campaigns of a folder or on a server.

Examples:
  campaign list
"""

from pathlib import Path
from typing import Annotated, Any

import typer
from msgspec.structs import replace

from cli.pages.formats import Format
from cli.pages.rows import write_rows
from cli.shell import options
from cli.shell.campaigns import campaigns_of, copies_among
from cli.shell.choose import beginnings, choose
from cli.shell.reading import ReadOptions, reads
from cli.store.anywhere import campaigns_on
from cli.store.server.address import is_server, server_address
from cli.terminal.screen import Span, as_text, pad, width
from domain.refusal import Invalid


@reads(without=("at", "as_"))
def list_(
    request: ReadOptions,
    where: Annotated[
        str | None, typer.Argument(metavar="[FOLDER|URL]", help="Another folder, or a database on a server.")
    ] = None,
) -> None:
    form, screen = request.form, request.screen
    if where is not None and is_server(where):
        if request.campaign is not None:
            raise Invalid("Name one place: campaign list URL.")
        request, where = replace(request, campaign=where), None
    folder = Path(where) if where is not None else Path()
    if not folder.is_dir():
        raise Invalid(f"There is no folder {folder}.")
    rows: list[dict[str, Any]]
    copies: list[str] = []
    if request.campaign is None:
        campaigns = list(campaigns_of(folder))
        copies = copies_among(campaigns)
        rows = [
            {
                "campaign": as_text(campaign.file),
                "name": campaign.name,
                "rules": campaign.rules,
                "turn": campaign.turn,
                "current": campaign.current,
            }
            for campaign in campaigns
        ]
    elif is_server(request.campaign):
        rows = [{"campaign": where, "name": name} for where, name in campaigns_on(request.campaign).items()]
    else:
        raise Invalid(f"{request.campaign} is not a server; campaign list FOLDER lists the campaigns of a folder.")
    if form is not Format.text:
        write_rows(screen, rows, form, list(rows[0]) if rows else ("campaign", "name"))
    elif not rows:
        elsewhere = _elsewhere() if request.campaign is None else ""
        there = f" --in {server_address(request.campaign).at(None)}" if request.campaign else ""
        place = "here" if where is None and request.campaign is None else "there"
        raise options.NotFound(f"There is no campaign {place} yet.{elsewhere}\n{beginnings(there)}")
    else:
        wide = max(width(row["campaign"]) for row in rows)
        for row in rows:
            more = f"  {row['rules']}, T{row['turn']}" if row.get("turn") else ""
            mark = Span("* ", "bold green") if row.get("current") else "  "
            screen.line(mark, Span(pad(row["campaign"], wide), "bold"), f"  {row['name']}{more}", indent=None)
        if request.campaign is None and not any(row["current"] for row in rows) and (elsewhere := _elsewhere()):
            screen.line(elsewhere.lstrip(), indent=None)
        for sentence in copies:
            screen.line(sentence, indent=None)
    screen.flush()


def _elsewhere() -> str:
    """A further sentence about where the current campaign is; "" if there is none."""
    try:
        address = choose(None).address
    except Invalid:
        return ""
    how_to_list_them = (
        f"; campaign list -c {server_address(address).at(None)} lists those there" if is_server(address) else ""
    )
    return f" The current one is {as_text(address)}{how_to_list_them}."
