"""The view (SQL tables) of a campaign for a command: the one in the cache folder caught up, or one in memory."""

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cli.shell.options import NotFound
from cli.store.folders import cache_folder
from cli.store.layout import MAIN
from cli.store.streams import StoredLog
from cli.terminal.screen import complain
from domain.log.points import find_session, sessions_of
from domain.log.port import Log
from domain.naming import key_of
from domain.refusal import Unknown
from domain.system.rulesystem import RuleSystem
from projections.secrecy import ANYBODY, TABLE, find_player

if TYPE_CHECKING:
    from collections.abc import Iterator

    from domain.log.verifying import Finding
    from projections.views.view import Base, View


#: Turns from which on the first reading is announced, as it takes a while.
MANY_TURNS = 20_000


def view_path(log: StoredLog) -> Path:
    """The path of the view of the current branch of a campaign."""
    return _path_of(log.stream)


def _path_of(stream: str) -> Path:
    import hashlib

    # hashed, as an id is free text and may be no valid file name
    name = hashlib.blake2b(stream.encode(), digest_size=12).hexdigest()
    return cache_folder() / "views" / f"{name}.sqlite"


def seen_by(log: Log, system: RuleSystem, as_: str | None) -> str | None:
    """The player named by --as, spelled as on the sheets; None for the keeper. Raises NotFound for an unknown name.

    `--as table` means what everybody at the table may know, unless a player is called so. `TABLE`, which cannot be
    typed on a shell, is passed for a screen that everybody looks at.
    """
    if as_ is None:
        return None

    if as_ == TABLE:
        return TABLE
    try:
        return find_player(system, log, as_)
    except Unknown as unknown:
        if key_of(as_) == "table":
            return ANYBODY
        raise NotFound(unknown.reason) from None


@contextmanager
def viewing(log: StoredLog, system: RuleSystem, upto: int | None = None, viewer: str | None = None) -> "Iterator[View]":
    """Yield the view of a log as of turn `upto` (None: now), limited to what `viewer` may know.

    For the keeper the view in the cache folder is caught up, and copied and reverted for an earlier turn; for a player
    with secrets kept from them it is made in memory.
    """
    from projections.views.view import view_in_memory

    if viewer is not None and system.keeps_secrets:
        view = view_in_memory(log, system, upto, viewer)
    else:
        view = _caught_up_view(log, system)
        if upto is not None and upto != view.last():
            from projections.views.earlier_view import brought_back

            view = brought_back(view, log, system, upto)
    with view:
        yield view


def sessions_in_view(log: StoredLog, system: RuleSystem, upto: int) -> dict[int, tuple[int, int]]:
    """Every session as of turn `upto` with its first and last turn, from the view in the cache folder if there is one.

    Finding them in the log needs the whole effective history; making a view for it would take even longer.
    """
    if os.access(view_path(log), os.R_OK):
        from projections.views.chronicle_queries import sessions_in

        with viewing(log, system, upto) as view:
            return sessions_in(view)
    return sessions_of(log, upto)


def session_in_view(log: StoredLog, system: RuleSystem, upto: int, number: int | None) -> tuple[int, tuple[int, int]]:
    """One session by its number (None: the last) with its first and last turn. Raises Unknown, naming those known."""
    if os.access(view_path(log), os.R_OK):
        from projections.views.chronicle_queries import session_in

        with viewing(log, system, upto) as view:
            session = session_in(view, number)
        if session is not None:
            return session
    sessions = sessions_in_view(log, system, upto)
    number = find_session(sessions, number)
    return number, sessions[number]


def _caught_up_view(log: StoredLog, system: RuleSystem) -> "View":
    from projections.views.view import kept_view

    with _base_of(log) as base:
        return kept_view(view_path(log), log, system, slow=_say_slow, base=base)


def view_differs(log: StoredLog, system: RuleSystem) -> "list[Finding]":
    """A finding if the view in the cache folder differs from one made anew; the view is deleted then."""
    from domain.log.verifying import Finding
    from projections.views.view import has_same_rows, kept_view, passing_view, remove_view

    path = view_path(log)
    if not os.access(path, os.R_OK):
        return []
    with kept_view(path, log, system) as view, passing_view(log, system) as anew:
        if has_same_rows(view, anew):
            return []
    remove_view(path)
    return [Finding("The tables in the cache folder did not agree with the log and were thrown away.", kind="note")]


@contextmanager
def _base_of(log: StoredLog) -> "Iterator[Base | None]":
    """The base of a branch, open, if the base has a view and the branch has none yet; None otherwise."""
    stream = log.stream_at(log.fork) if log.fork else log.stream
    path = _path_of(stream)
    names = {log.campaign_id: MAIN, **{branch.stream: branch.name for branch in log.branches()}}
    if (
        stream == log.stream
        or stream not in names
        or os.access(view_path(log), os.R_OK)
        or not os.access(path, os.R_OK)
    ):
        yield None
        return
    from projections.views.view import Base

    with log.on(names[stream]) as base:
        yield Base(base, path, log.fork)


def _say_slow(turns: int) -> None:
    if turns > MANY_TURNS and sys.stderr.isatty():
        complain(f"Reading {turns:,} turns for the first time; this takes a moment.")
