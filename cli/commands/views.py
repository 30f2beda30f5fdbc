"""`campaign views`: the tables that questions are asked of, where they lie and how to make them anew."""

import hashlib
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from cli.shell import options
from cli.shell.desk import opened
from cli.shell.options import Format
from cli.store.file import CampaignFile
from cli.store.kept import cache_folder
from cli.terminal.screen import Screen, complain
from domain.system.seam import RuleSystem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from projections.views.view import View

#: Reading so many turns takes long enough to say so.
MANY_TURNS = 20_000


def view_path(log: CampaignFile) -> Path:
    """Where the view of a campaign is kept, one for each of its branches."""
    # an id is free text; its hash is a file name everywhere
    name = hashlib.blake2b(log.stream.encode(), digest_size=12).hexdigest()
    return cache_folder() / "views" / f"{name}.sqlite"


@contextmanager
def viewing(
    log: CampaignFile, system: RuleSystem, upto: int | None = None, viewer: str | None = None
) -> "Iterator[View]":
    """The view of a log: the kept one, caught up, or one for this command if it is of another point or for a player."""
    from projections.views.view import kept_view, view_in_memory

    if viewer is None and (upto is None or upto == log.last()):
        view = kept_view(view_path(log), log, system, slow=_say_slow)
    else:
        view = view_in_memory(log, system, upto, viewer)
    with view:
        yield view


def _say_slow(turns: int) -> None:
    if turns > MANY_TURNS and sys.stderr.isatty():
        complain(f"Reading {turns:,} turns for the first time; this takes a moment.")


def group() -> Any:
    """`campaign views` with its commands."""
    from typer.main import get_command

    app = typer.Typer(
        help="The tables that questions are asked of.",
        rich_markup_mode=None,
        add_completion=False,
        no_args_is_help=True,
    )
    app.command("path", help="Where the view of this campaign lies.")(path)
    app.command("rebuild", help="Make the view anew from the log; nothing is lost by it.")(rebuild)
    return get_command(app)


def path(
    output: options.Output = Format.text,
    json: options.Json = False,
    campaign: options.Campaign = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    """Where the view of this campaign lies, and how far it has come."""
    screen = Screen(color)
    with opened(campaign) as (log, system), viewing(log, system) as view:
        _say(screen, view, log, Format.json if json else output)


def rebuild(
    output: options.Output = Format.text,
    json: options.Json = False,
    campaign: options.Campaign = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    """Make the view anew from the log."""
    from projections.views.view import remove_view

    screen = Screen(color)
    with opened(campaign) as (log, system):
        remove_view(view_path(log))
        with viewing(log, system) as view:
            _say(screen, view, log, Format.json if json else output)


def _say(screen: Screen, view: "View", log: CampaignFile, form: Format) -> None:
    from cli.pages.rows import write_rows

    kept = view_path(log)
    (turns,) = view.ask("SELECT count(*) FROM turns")[0]
    row = {"path": str(kept) if view.path == kept else None, "turns": turns, "bytes": _size(view.path)}
    if form is not Format.text:
        write_rows(screen, [row], form, list(row))
    elif row["path"] is None:
        raise options.NotFound(f"No view can be kept in {kept.parent}; one is made for each command instead.")
    else:
        screen.line(str(kept))
    screen.flush()


def _size(path: Path | None) -> int:
    return path.stat().st_size if path is not None else 0
