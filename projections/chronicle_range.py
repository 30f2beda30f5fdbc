"""A range of the chronicle, and the titles of its sessions, read without the whole log before it."""

from collections.abc import Collection, Iterator

from domain.common.sessions import SessionOpened
from domain.log.effective_history import effective_history, effective_turns, since_of
from domain.log.folding import state_before
from domain.log.points import session_turns
from domain.log.port import Log
from domain.system.rulesystem import RuleSystem
from projections.chronicle import Entry, entry_of


def entries_between(
    system: RuleSystem, log: Log, upto: int, first: int, last: int, among: Collection[int] | None = None
) -> Iterator[Entry]:
    """The turns from `first` to `last` as the log reads at turn `upto`, without secrecy; only those `among` if given.

    They are those of `chronicle`, but of the log before them only what they speak of is read, and what is open there.
    """
    known_after = first
    while True:
        # what a turn amends may have been amended before, and where it folds, another turn may fold
        effective = effective_history(log, upto, after=known_after - 1)
        furthest = min((reached for _, reached in effective.changes), default=first)
        if furthest >= known_after:
            break
        known_after = furthest
    start = first
    while trunks := [
        trunk
        for trunk, turns in effective.late.items()
        if trunk < start
        and any(start <= turn.number <= last and since_of(effective.action(turn)) is None for turn in turns)
    ]:
        start = min(trunks)  # a late entry belongs to the session that is open at its place
    session = state_before(system, log, start, upto).campaign.session or 0
    for current in effective_turns(log, last, effective, after=start - 1, session=session):
        if first <= current.number <= last and (among is None or current.number in among):
            yield entry_of(system, current)


def session_titles(log: Log, upto: int, sessions: Collection[int] | None = None) -> dict[int, str]:
    """The titles of the standing sessions by number; only of these sessions if given."""
    titles, missing = dict[int, str](), {*(sessions or ())} - {0}
    for turn in log.read_back(0, upto, ("session.open",)) if missing else ():
        if missing.isdisjoint(event.number for event in turn.events if isinstance(event, SessionOpened)):
            continue
        effective = effective_history(log, upto, after=turn.number - 1)
        for event in effective.facts(turn) if effective.stands(turn.number) else ():
            if isinstance(event, SessionOpened):
                missing.discard(event.number)
                titles |= {event.number: event.title} if event.title is not None else {}
        if not missing:
            break
    if sessions is not None and not missing:
        return titles
    effective = effective_history(log, upto)
    return {
        event.number: event.title
        for turn in session_turns(log, upto, effective)
        for event in effective.facts(turn)
        if isinstance(event, SessionOpened) and event.title is not None
    }
