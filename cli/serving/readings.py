"""What goes through the whole log: one turn, a paragraph, where a value comes from, since when, an evening.

Each is asked of a log, its rules and a viewer (None: the keeper), as the reading commands are.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cli.shell.viewing import viewing
from cli.store.streams import StoredLog
from cli.terminal.background import told_chance, told_ruling
from domain.log.folding import state_at
from domain.log.links import sealed
from domain.log.points import session_named, sessions_of
from domain.refusal import Unknown
from domain.system.paragraphs import known_rule
from domain.system.rulesystem import RuleSystem
from projections.chronicle import Entry
from projections.filters import Filters
from projections.recap import Recap, recap_of
from projections.rulebook import Living, Rulebook, rulebook_of
from projections.views.conditions import parsed, times
from projections.views.reading import entries
from projections.views.why import Altered, Change, Target, chain, said_about, target

#: Links of a chain that are told.
NEWEST = 40


class Turned(Struct, frozen=True):
    """One turn whole, with what had a say in it and what it changed."""

    entry: Entry
    rulings: Sequence[str]
    chance: Sequence[str]
    changes: Sequence[Altered]


class Chained(Struct, frozen=True):
    """A value, and the turns that made it, newest first."""

    about: Target
    links: Sequence[Change]
    left_out: bool


class Since(Struct, frozen=True):
    """A turn at which something became so; `until`: the one at which it was no longer."""

    turn: int
    until: int | None
    sentence: str


def turn(log: StoredLog, system: RuleSystem, viewer: str | None, number: int) -> Turned:
    """One turn. Raises Unknown if there is none of this number."""
    if not 0 < number <= log.last():
        raise Unknown("turn", number, f"There is no turn T{number}; the last one is T{log.last()}")
    with viewing(log, system, None, viewer) as view:
        (entry,) = entries(view, Filters(first=number, last=number))
        said = said_about(view, system, number, entry.rules)
        return Turned(entry, [told_ruling(each) for each in said.rulings], told_chance(said.chance), said.changes)


def rules(log: StoredLog, system: RuleSystem, viewer: str | None) -> Rulebook:  # noqa: ARG001
    """The paragraphs with what was said about each: words of the table, of which none is anybody's secret."""
    return rulebook_of(system, log, log.last())


def rule(log: StoredLog, system: RuleSystem, viewer: str | None, number: str) -> Living:
    """One paragraph. Raises Unknown if there is none of this number."""
    book = rules(log, system, viewer)
    meant = known_rule(system, number, state_at(system, log).campaign.paragraphs)
    return next(each for each in book.paragraphs if each.rule == meant)


def why(log: StoredLog, system: RuleSystem, viewer: str | None, what: str) -> Chained:
    """Where a value comes from. Raises Invalid, Refusal for what is no value."""
    with viewing(log, system, None, viewer) as view:
        state = state_at(system, log) if system.piles is not None else system.opening()
        about = target(view, system, state, what)
        links = chain(view, system, about, NEWEST + 1)
        left_out, links = len(links) > NEWEST, links[:NEWEST]
    field = ".".join((about.field, *about.inside))

    def words(value: Any) -> Any:
        return system.in_words(state, about.character, field, value)

    return Chained(about, [replace(each, old=words(each.old), new=words(each.new)) for each in links], left_out)


def when(log: StoredLog, system: RuleSystem, viewer: str | None, condition: str) -> list[Since]:
    """Since when something is so, newest first. Raises Invalid, Refusal for what is no condition."""
    with viewing(log, system, None, viewer) as view:
        meant = parsed(condition, lambda text: target(view, system, None, text))
        return [
            Since(each.turn, each.until, view.ask("SELECT sentence FROM turns WHERE turn = ?", each.turn)[0][0])
            for each in times(view, meant)
        ]


def recap(log: StoredLog, system: RuleSystem, viewer: str | None, number: int | None) -> Recap:
    """One evening; None: the last one. Raises Unknown if there is none of this number."""
    told = recap_of(system, log, session_named(sessions_of(log), number), viewer=viewer)
    if log.is_linked and not (viewer is not None and system.keeps_secrets):
        return replace(told, seal=str(sealed(told.last, log.link(told.last))))
    return told
