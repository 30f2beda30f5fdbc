"""The view of a campaign as a command asks it: the one kept on this machine, or one of its own."""

import hashlib
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cli.store.file import CampaignFile
from cli.store.kept import cache_folder
from cli.terminal.screen import complain
from domain.system.rulesystem import RuleSystem

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
