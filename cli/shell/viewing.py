"""The view (SQL tables) of a campaign for a command: the one in the cache folder, caught up."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from cli.store.folders import view_path
from cli.store.stored_log import StoredLog
from cli.terminal.screen import complain
from domain.log.finding import Finding
from domain.system.rulesystem import RuleSystem
from projections.secrecy import ANYBODY, TABLE, players_of
from projections.views.earlier_view import brought_back
from projections.views.view import View, has_same_rows, kept_view, passing_view, remove_view

#: Turns from which on the first reading is announced, as it takes a while.
MANY_TURNS = 20_000


@contextmanager
def viewing(log: StoredLog, system: RuleSystem, upto: int | None = None, viewer: str | None = None) -> Iterator[View]:
    """Yield the view of a log as of turn `upto` (None: now), limited to what `viewer` may know.

    The cache folder has one for the keeper, and one for each player who asked and from whom secrets are kept.
    """
    viewer = viewer if system.keeps_secrets else None
    view = kept_view(view_path(log.stream, viewer), log, system, viewer, slow=_say_slow)
    if upto is not None and upto != view.last():
        view = brought_back(view, log, system, upto, viewer)
    with view:
        yield view


@contextmanager
def viewing_file(log: StoredLog, system: RuleSystem, upto: int) -> Iterator[View]:
    """Yield the view of a log as of turn `upto` in a file of its own, which another process can read."""
    with viewing(log, system) as view:
        if upto == view.last():
            yield view
            return
        with passing_view(log, system, upto, kept=view) as earlier:
            yield earlier


def view_differs(log: StoredLog, system: RuleSystem) -> list[Finding]:
    """A finding if a view in the cache folder differs from one made anew; such a view is deleted."""
    players = (*players_of(system, log), TABLE, ANYBODY) if system.keeps_secrets else ()
    differing = False
    for viewer in (None, *players):
        path = view_path(log.stream, viewer)
        if not os.access(path, os.R_OK):
            continue
        with kept_view(path, log, system, viewer) as view:
            view.connection.execute("BEGIN")  # another command may catch it up meanwhile
            with passing_view(log, system, view.last(), viewer) as anew:
                is_same = has_same_rows(view, anew)
        if not is_same:
            remove_view(path)
            differing = True
    if not differing:
        return []
    return [Finding("The tables in the cache folder did not agree with the log and were thrown away.", kind="note")]


def _say_slow(turns: int) -> None:
    if turns > MANY_TURNS and sys.stderr.isatty():
        complain(f"Reading {turns:,} turns for the first time; this takes a moment.")
