"""The view of a campaign as a command asks it: the one kept on this machine, or one of its own."""

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cli.shell.options import NotFound
from cli.store.folders import cache_folder
from cli.store.layout import MAIN
from cli.store.streams import StoredLog
from cli.terminal.screen import complain
from domain.log.port import Log
from domain.naming import key_of
from domain.refusal import Unknown
from domain.system.rulesystem import RuleSystem
from projections.secrecy import ANYBODY, TABLE, player_meant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from domain.log.verifying import Finding
    from projections.views.view import Base, View


#: Reading so many turns takes long enough to say so.
MANY_TURNS = 20_000


def view_path(log: StoredLog) -> Path:
    """Where the view of a campaign is kept, one for each of its branches."""
    return _path_of(log.stream)


def _path_of(stream: str) -> Path:
    import hashlib

    # an id is free text; its hash is a file name everywhere
    name = hashlib.blake2b(stream.encode(), digest_size=12).hexdigest()
    return cache_folder() / "views" / f"{name}.sqlite"


def seen_by(log: Log, system: RuleSystem, as_: str | None) -> str | None:
    """The player whom --as names, spelt as on the sheets; None: the keeper. Raises NotFound: nobody is called so.

    `--as table` is what everybody at the table may know, unless a player is called so. `TABLE`, which no shell can
    spell, is how a screen that all look at asks.
    """
    if as_ is None:
        return None

    if as_ == TABLE:
        return TABLE
    try:
        return player_meant(system, log, as_)
    except Unknown as unknown:
        if key_of(as_) == "table":
            return ANYBODY
        raise NotFound(unknown.reason) from None


@contextmanager
def viewing(log: StoredLog, system: RuleSystem, upto: int | None = None, viewer: str | None = None) -> "Iterator[View]":
    """The view of a log as it stood at turn `upto` (None: now): the kept one, caught up, and brought back there.

    One for this command alone for a player from whom something is secret.
    """
    from projections.views.view import view_in_memory

    if viewer is not None and system.keeps_secrets:
        view = view_in_memory(log, system, upto, viewer)
    else:
        view = _kept(log, system)
        if upto is not None and upto != view.last():
            from projections.views.earlier import brought_back

            view = brought_back(view, log, system, upto)
    with view:
        yield view


def sessions_known(log: StoredLog, system: RuleSystem, upto: int) -> dict[int, tuple[int, int]]:
    """Every session that stands at turn `upto`, with its first and its last turn: from the kept view if there is one.

    To find them in the log takes all that ever spoke of other turns; to make a view takes longer still.
    """
    if view_path(log).exists():
        from projections.views.reading import sessions_in

        with viewing(log, system, upto) as view:
            return sessions_in(view)
    from domain.log.points import sessions_of

    return sessions_of(log, upto)


def session_known(log: StoredLog, system: RuleSystem, upto: int, number: int | None) -> tuple[int, tuple[int, int]]:
    """One of them alone (None: the last one), by its number. Raises Unknown, naming those there are."""
    from domain.log.points import session_named

    if view_path(log).exists():
        from projections.views.reading import session_in

        with viewing(log, system, upto) as view:
            found = session_in(view, number)
        if found is not None:
            return found
    known = sessions_known(log, system, upto)
    chosen = session_named(known, number)
    return chosen, known[chosen]


def _kept(log: StoredLog, system: RuleSystem) -> "View":
    from projections.views.view import kept_view

    with _base_of(log) as base:
        return kept_view(view_path(log), log, system, slow=_say_slow, base=base)


def view_differs(log: StoredLog, system: RuleSystem) -> "list[Finding]":
    """What is to be said of the kept view if it is not what the log comes to; then it is thrown away."""
    from domain.log.verifying import Finding
    from projections.views.view import kept_view, remove_view, tells_the_same, view_in_memory

    path = view_path(log)
    if not path.exists():
        return []
    with kept_view(path, log, system) as view, view_in_memory(log, system) as anew:
        if tells_the_same(view, anew):
            return []
    remove_view(path)
    return [Finding("The tables in the cache folder did not agree with the log and were thrown away.", kind="note")]


@contextmanager
def _base_of(log: StoredLog) -> "Iterator[Base | None]":
    """What a branch was made from, open; None if it has a view of its own, or that one has none."""
    stream = log.stream_at(log.fork) if log.fork else log.stream
    path = _path_of(stream)
    names = {log.campaign_id: MAIN, **{each.stream: each.name for each in log.branches()}}
    if stream == log.stream or stream not in names or view_path(log).exists() or not path.exists():
        yield None
        return
    from projections.views.view import Base

    with log.on(names[stream]) as base:
        yield Base(base, path, log.fork)


def _say_slow(turns: int) -> None:
    if turns > MANY_TURNS and sys.stderr.isatty():
        complain(f"Reading {turns:,} turns for the first time; this takes a moment.")
