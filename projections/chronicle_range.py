"""The chronicle, or a range of it that is read without the log before it, and the titles of its sessions."""

from bisect import bisect_left
from collections.abc import Collection, Iterator
from heapq import heappop, heappush
from operator import itemgetter

from msgspec.structs import replace

from domain.common.sessions import SessionOpened
from domain.log.effective_history import EffectiveHistory, EffectiveTurn, effective_history, effective_turns, since_of
from domain.log.folding import state_at, state_before, steps
from domain.log.points import NEAR_THE_END, session_changes, session_turns
from domain.log.port import Log
from domain.system.rulesystem import RuleSystem
from domain.turn import Turn
from projections.chronicle import Entry, entry_for, entry_of


def history_from(log: Log, upto: int, first: int) -> tuple[EffectiveHistory, int]:
    """The effective history at turn `upto` of the turns from one on, and the first turn for which it is complete.

    What a turn amends may have been amended before, and where it folds, another turn may fold.
    """
    known_from = first
    while True:
        effective = effective_history(log, upto, after=known_from - 1)
        furthest = min((reached for _, reached in effective.changes), default=first)
        if furthest >= known_from:
            return effective, known_from
        known_from = furthest


def entries_between(
    system: RuleSystem,
    log: Log,
    upto: int,
    first: int,
    last: int,
    among: Collection[int] | None = None,
    *,
    viewer: str | None = None,
) -> Iterator[Entry]:
    """The turns from `first` to `last` as the log reads at turn `upto`; only those `among` if given.

    As this viewer may see them (None: the keeper). Of the log before them only what they speak of is read, and what is
    open there.
    """
    effective, known_from = history_from(log, upto, first)
    # a state is folded where its snapshots are still valid; from there on the turns of the sessions are enough
    before = state_before(system, log, known_from, upto).campaign.session if known_from > 2 else None
    sessions = [((), before or 0), *session_changes(log, effective, known_from - 1)]

    def session_of(current: EffectiveTurn) -> int:
        """The session that a turn opens, or else the one that is open at its place; for a ruling, where it was made."""
        for event in current.facts:
            if isinstance(event, SessionOpened):
                return event.number
        way = effective.fold_path(current.number) if since_of(current.action) is None else (current.number,)
        return sessions[bisect_left(sessions, way, key=itemgetter(0)) - 1][1]

    def is_asked_for(number: int) -> bool:
        return first <= number <= last and (among is None or number in among)

    if viewer is None or not system.keeps_secrets:
        for current in effective_turns(log, last, effective, after=first - 1):
            if is_asked_for(current.number):
                yield entry_of(system, replace(current, session=session_of(current)))
        return
    # what a player may see of a turn rests on the state after it, at its place
    start = min([first, *(effective.trunk(number) for number in effective.place if is_asked_for(number))])
    now, state = state_at(system, log, upto), state_before(system, log, start, upto)
    waiting: list[tuple[int, Entry]] = []
    for current, after in steps(system, log, last, effective, after=start - 1, state=state):
        if is_asked_for(current.number):
            entry = entry_for(system, replace(current, session=session_of(current)), after, now, viewer)
            heappush(waiting, (current.number, entry))
        # a place is before the number, so behind a turn at its number all with lower numbers have been met
        while waiting and current.place is None and waiting[0][0] <= current.number:
            yield heappop(waiting)[1]
    yield from (entry for _, entry in sorted(waiting, key=itemgetter(0)))


def chronicle(
    system: RuleSystem, log: Log, upto: int | None = None, viewer: str | None = None, *, after: int = 0
) -> Iterator[Entry]:
    """Every turn later than `after` up to `upto` (None: the last), by number, as `viewer` may see it."""
    end = log.last() if upto is None else upto
    return entries_between(system, log, end, after + 1, end, viewer=viewer)


def session_titles(log: Log, upto: int, sessions: Collection[int] | None = None) -> dict[int, str]:
    """The titles of the standing sessions by number; only of these sessions if given."""
    titles, missing = dict[int, str](), {*(sessions or ())} - {0}
    for turn in _openings_back(log, upto) if missing else ():
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


def _openings_back(log: Log, upto: int) -> Iterator[Turn]:
    """The turns that open sessions, newest first; looked for in growing steps, as no index has them."""
    end, width = upto, NEAR_THE_END
    while end > 0:
        after = max(0, end - width)
        yield from log.read_back(after, end, ("session.open",))
        end, width = after, 2 * width
