"""The view (SQL tables) of a campaign for a command: the one in the cache folder, caught up; what is behind a turn."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from msgspec import Struct
from msgspec.structs import replace

from cli.store.folders import view_path
from cli.store.streams import StoredLog
from cli.terminal.background import chance_lines, ruling_line
from cli.terminal.screen import Span, complain
from domain.log.finding import Finding
from domain.system.rulesystem import RuleSystem
from projections.chronicle import Entry
from projections.secrecy import ANYBODY, TABLE, players_of
from projections.views.earlier_view import brought_back
from projections.views.targets import Target
from projections.views.turn_context import Rolls, RulingThen, rolls_of, rulings_then
from projections.views.view import View, has_same_rows, kept_view, passing_view, remove_view
from projections.views.why import Provenance, provenance

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


def provenance_for(
    view: View, system: RuleSystem, log: StoredLog, about: Target, most: int | None, upto: int, viewer: str | None
) -> Provenance:
    """The provenance of a value at turn `upto`, that of `view`, as a player sees it (None: the keeper)."""
    if viewer is None or not system.keeps_secrets:
        return provenance(view, system, about, most)
    from projections.views.seen_turn import is_open, seen_changes, seen_entries  # hardly any reading is for a player

    if not is_open(system, about, viewer):  # only a secret needs tables with what this player may know
        with viewing(log, system, upto, viewer) as own:
            return provenance(own, system, about, most)
    found = provenance(view, system, about, most)
    entries = seen_entries(system, log, upto, viewer, [turn for turn, _, _ in found.undone])
    undone = [(turn, undoer, entries[turn].sentence) for turn, undoer, _ in found.undone]
    return replace(found, links=seen_changes(view, system, log, upto, viewer, found.links), undone=undone)


# -- behind a turn, for `campaign log --with-why` ---------------------------------------------------------------------


class Background(Struct, frozen=True):
    """What is behind a turn: the paragraphs that it cites, the rulings on them, its dice and cards."""

    rules: tuple[str, ...]
    rulings: tuple[RulingThen, ...]
    chance: tuple[Rolls, ...]

    def in_words(self, system: RuleSystem) -> dict[str, Sequence[str]]:
        """The same by field as people read it: a sentence for each ruling, and for each purpose of dice and cards."""
        rulings = [ruling_line(system, ruling) for ruling in self.rulings]
        return {"rules": self.rules, "rulings": rulings, "chance": chance_lines(self.chance)}

    def lines(self, system: RuleSystem) -> Iterator[Span]:
        """A line for the paragraphs, for each purpose of dice and cards, and for each ruling."""
        words = self.in_words(system)
        yield from (Span(text, "dim") for text in filter(None, (", ".join(words["rules"]), *words["chance"])))
        yield from (Span(text, "yellow") for text in words["rulings"])


BackgroundOf = Callable[[Entry], Background]


@contextmanager
def backgrounds(log: StoredLog, system: RuleSystem, upto: int) -> Iterator[BackgroundOf]:
    """Yield what finds the background of an entry as of turn `upto`, and of entries that are recorded meanwhile.

    Rulings, dice and cards around a turn are nobody's secret.
    """
    with ExitStack() as stack:
        view, last = stack.enter_context(viewing(log, system, upto)), upto

        def background_of(entry: Entry) -> Background:
            nonlocal view, last
            if entry.turn > last:
                stack.close()
                view, last = stack.enter_context(viewing(log, system)), log.last()
            question = (entry.turn, entry.rules)
            return Background(
                entry.rules, rulings_then(view, system, [question])[question], tuple(rolls_of(view, entry.turn))
            )

        yield background_of
