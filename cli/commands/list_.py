"""The campaigns of this folder, or of a server.

Examples:
  campaign list
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from cli.pages.rows import Format, write_rows
from cli.shell import options
from cli.shell.campaigns import campaigns_of
from cli.shell.reading import Inquiry, reads
from cli.store.anywhere import on_server
from cli.store.server.address import is_server, server_address
from cli.terminal.screen import Span, as_text, padded, width
from domain.refusal import Invalid


@reads(without=("at", "as_"))
def list_(
    asked: Inquiry,
    folder: Annotated[Path | None, typer.Argument(help="Another folder.", show_default=False)] = None,
) -> None:
    form, screen = asked.form, asked.screen
    rows: list[dict[str, Any]]
    if asked.campaign is None:
        rows = [
            {
                "campaign": as_text(each.file),
                "name": each.name,
                "rules": each.rules,
                "turn": each.turn,
                "current": each.current,
            }
            for each in campaigns_of(folder or Path())
        ]
    elif is_server(asked.campaign):
        rows = [{"campaign": where, "name": name} for where, name in on_server(asked.campaign).items()]
    else:
        raise Invalid(f"{asked.campaign} is no server; campaign list FOLDER lists the campaigns of a folder.")
    if form is not Format.text:
        write_rows(screen, rows, form, list(rows[0]) if rows else ("campaign", "name"))
    elif not rows:
        there = f" --in {server_address(asked.campaign).at(None)}" if asked.campaign else ""
        raise options.NotFound(
            f'There is no campaign there yet; start one with campaign new "Name" --rules osr{there}.'
        )
    else:
        wide = max(width(row["campaign"]) for row in rows)
        for row in rows:
            more = f"  {row['rules']}, T{row['turn']}" if row.get("turn") else ""
            mark = Span("* ", "bold green") if row.get("current") else "  "
            screen.line(mark, Span(padded(row["campaign"], wide), "bold"), f"  {row['name']}{more}", indent=None)
    screen.flush()
