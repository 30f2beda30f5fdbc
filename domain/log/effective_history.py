"""The effective history: which turns stand, what each of them comes to, and where it folds.

Revision events (`TurnUndone`, `TurnRedecided`) speak of earlier turns only, and count while the turn that carries them
stands. So they are read in one pass from the newest turn to the oldest. What a turn comes to is what the latest
standing turn that redecided it says, else its own events.

A turn folds at its number, or at its place: directly after another turn, behind every turn that folds there already.
That other turn may have a place itself, and it may be undone; so the order is a walk through a tree, whose trunk are
the turns that fold at their numbers. A place is named by the turn itself (a late entry), by an amendment of it (a
move), or by a ruling that counts from earlier on.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from heapq import heappop, heappush, merge
from itertools import chain
from math import inf
from operator import attrgetter
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from domain.common.revisions import REVISIONS, Amend, Redo, Undo
from domain.common.rulings import Ruling, turn_on_record
from domain.common.sessions import SessionClosed, SessionOpened
from domain.log.port import Log
from domain.log.upcasts import chance_with_owners
from domain.registry import tag_of
from domain.registry.uninstalled import stored_action
from domain.turn import REVISION_EVENTS, Action, Drawn, Event, Turn, TurnRedecided, TurnUndone

#: The tags of the actions that can carry revision events, or fold elsewhere than at their number.
REVISING = ("undo", "redo", "amend", "adopt", "ruling")
_NUMBER = attrgetter("number")


def revising_turns(log: Log, after: int = 0, upto: int | None = None) -> Iterator[Turn]:
    """Those of these turns that can carry revision events, or fold elsewhere than at their number, oldest first."""
    return merge(log.read(after, upto, REVISING), _other_kinds(log, after, upto), key=_NUMBER)


def revising_turns_back(log: Log, after: int = 0, upto: int | None = None) -> Iterator[Turn]:
    """The same, newest first, as they are weighed: none of them has to be kept in memory."""
    others = list(_other_kinds(log, after, upto))
    back = log.read_back(after, upto, REVISING)
    return merge(back, reversed(others), key=_NUMBER, reverse=True) if others else back


def _other_kinds(log: Log, after: int, upto: int | None) -> Iterator[Turn]:
    """Turns that name a place to fold at and are not among the revising ones by their tag."""
    return (turn for turn in log.placed(after, upto) if tag_of(type(turn.action)) not in REVISING)


def reaches_back(turn: Turn) -> bool:
    """Whether a turn may change how earlier ones read."""
    return turn.place is not None or isinstance(turn.action, REVISIONS) or since_of(turn.action) is not None


class EffectiveHistory:
    """What the revising turns make of the turns before them."""

    def __init__(self, newest_first: Iterable[Turn], rules: str) -> None:
        #: turn -> the standing turn that undid it
        self.undone: dict[int, int] = {}
        #: turn -> (the turn that redecided it, the event that says so)
        self.redecided: dict[int, tuple[int, TurnRedecided]] = {}
        #: turn -> (the turn that amended it, the action in force)
        self.amended: dict[int, tuple[int, Action]] = {}
        #: turn -> the place that the latest standing amendment to name one gave it
        self.moved: dict[int, int] = {}
        #: turn -> the turn directly after which it folds; not in it: it folds at its number
        self.place: dict[int, int] = {}
        #: turn that folds at its number -> those that fold behind it, in their order; undone ones too
        self.late: dict[int, list[Turn]] = {}
        #: undo, redo, amend and adopt turns: they carry revision events only
        self.revisions: set[int] = set()
        #: turns that carry revision events; the events of all others are facts
        self.with_revision_events: set[int] = set()
        #: standing revising turn -> the first turn that it names
        self.reach: dict[int, int] = {}
        #: the turns that name a place themselves, the latest first
        self.placed: list[Turn] = []
        #: every revising turn, standing or not -> the turns that it names, and where it or what it amends folds; latest
        #: first
        self._named: dict[int, list[int]] = {}
        for turn in newest_first:
            number, action, place, since = turn.number, turn.action, turn.place, since_of(turn.action)
            revision_events = [event for event in turn.events if isinstance(event, REVISION_EVENTS)]
            amended: Mapping[int, dict[str, Any]] = {}
            if place is not None or since is not None:
                self.placed.append(turn)
            if isinstance(action, REVISIONS):
                self.revisions.add(number)
                if isinstance(action, Amend):
                    amended = action.amended
            elif not revision_events and place is None and since is None:
                continue  # as most rulings
            if revision_events:
                self.with_revision_events.add(number)
            named = [event.turn for event in revision_events]
            named += amended
            if number not in self.undone:
                self._weigh(number, revision_events, rules, amended)
                if isinstance(action, Amend) and place is not None:
                    self.moved.setdefault(action.turn, place)
                    self.reach[number] = min(place + 1, *named)
                elif named:
                    self.reach[number] = min(named)
            # a state after the very turn that another folds behind lacks that other
            named += [each for each in (since, place, *map(_since_asked, amended.values())) if each is not None]
            if named:
                self._named[number] = named

    def _weigh(
        self, number: int, revision_events: Iterable[Event], rules: str, amended: Mapping[int, dict[str, Any]]
    ) -> None:
        """Note what a standing turn says of earlier ones, where no later turn says otherwise."""
        for event in revision_events:
            if isinstance(event, TurnUndone):
                self.undone.setdefault(event.turn, number)
            elif isinstance(event, TurnRedecided):
                self.redecided.setdefault(event.turn, (number, event))
        for each, asked in amended.items():
            if each not in self.amended:
                self.amended[each] = (number, stored_action(rules, asked))

    def find_places(self, turns: Iterable[Turn]) -> None:
        """Find where every turn folds that does not fold at its number; `turns` in order, others among them."""
        behind: dict[int, list[Turn]] = {}
        counting: set[int] = set()
        for turn in turns:
            number, since = turn.number, since_of(self.action(turn))
            if since is not None:
                counting.add(number)
                while since in counting:  # a ruling counts from a point of the log, not from another ruling
                    since -= 1
            named = self.moved.get(number, None if number in self.revisions else turn.place)
            place = named if since is None else since
            if place is not None:
                self.place[number] = place
                behind.setdefault(place, []).append(turn)
        for trunk in behind:
            if trunk not in self.place:
                self.late[trunk] = list(_walk(trunk, behind))
        for number in self.place:
            if self.stands(number):
                first = self.trunk(number) + 1
                self.reach[number] = min(first, self.reach.get(number, first))

    def way(self, number: int) -> tuple[int, ...]:
        """The path to where a turn folds, from the trunk on; turns fold in the order of their paths."""
        place = self.place.get(number)
        return (number,) if place is None else (*self.way(place), number)

    def trunk(self, number: int) -> int:
        """The turn at or behind whose number a turn folds."""
        while number in self.place:
            number = self.place[number]
        return number

    @cached_property
    def changes(self) -> Sequence[tuple[int, int]]:
        """Each revising turn, whether it stands or not, and the first turn whose reading it may have changed.

        Undoing a revision changes what that revision changed, however far back that lies.
        """
        furthest: dict[int, int] = {}
        for number, named in reversed(self._named.items()):
            furthest[number] = min(min(each, furthest.get(each, each)) for each in named)
        return tuple(furthest.items())

    def stands(self, number: int) -> bool:
        return number not in self.undone

    def facts(self, turn: Turn) -> tuple[Event, ...]:
        """What a standing turn comes to."""
        effective_turn = self.redecided.get(turn.number)
        if effective_turn:
            return effective_turn[1].events
        return turn.facts if turn.number in self.with_revision_events else turn.events

    def chance(self, turn: Turn) -> Mapping[str, Drawn]:
        """The chance in force for a turn."""
        effective_turn = self.redecided.get(turn.number)
        return chance_with_owners(effective_turn[1].chance if effective_turn else turn.chance)

    def action(self, turn: Turn) -> Action:
        """The action in force."""
        amended = self.amended.get(turn.number)
        return amended[1] if amended else turn.action

    def kept(self, number: int) -> bool:
        """Whether the turn is pinned: remembered, never decided again."""
        effective_turn = self.redecided.get(number)
        return effective_turn is not None and effective_turn[1].kept


def _walk(number: int, behind: Mapping[int, Sequence[Turn]]) -> Iterator[Turn]:
    """What folds behind a turn, with what folds behind that."""
    waiting = list(reversed(behind.get(number, ())))
    while waiting:
        turn = waiting.pop()
        yield turn
        waiting += reversed(behind.get(turn.number, ()))


def since_of(action: Action) -> int | None:
    """The turn directly after which a ruling counts, None for everything else."""
    return turn_on_record(action.since) if isinstance(action, Ruling) and action.since is not None else None


def _since_asked(asked: Mapping[str, Any]) -> int | None:
    """The same of an action that is on record inside another."""
    return turn_on_record(asked["since"]) if asked["type"] == "ruling" and asked.get("since") else None


def effective_history(
    log: Log, upto: int | None = None, draft: Turn | None = None, *, after: int = 0
) -> EffectiveHistory:
    """The effective history as of turn `upto`, with a draft turn added if there is one.

    Revision events point backward only: what is effective of the turns after `after` needs no turn before it.
    """
    revising = revising_turns_back(log, after, upto)
    return effective_history_of(log, revising if draft is None else chain((draft,), revising))


def effective_history_of(log: Log, newest_first: Iterable[Turn]) -> EffectiveHistory:
    """The same from revising turns, as `revising_turns_back` gives them."""
    effective = EffectiveHistory(newest_first, log.rules)
    placed = effective.placed[::-1]
    known = {turn.number for turn in placed}
    # a turn of any kind may have been moved, or amended into a ruling that counts from earlier on
    elsewhere = {number for number, (_, action) in effective.amended.items() if since_of(action) is not None}
    others = [
        turn
        for number in sorted((elsewhere | effective.moved.keys()) - known)
        for turn in log.read(after=number - 1, upto=number)
    ]
    effective.find_places(merge(placed, others, key=_NUMBER))
    return effective


class EffectiveTurn(Struct, frozen=True):
    """One turn as it reads now: the action in force, what it comes to, whether it stands and where it folds."""

    turn: Turn
    action: Action
    facts: tuple[Event, ...]
    #: the session it belongs to; 0 outside any
    session: int
    chance: Mapping[str, Drawn] = {}
    undone_by: int | None = None
    redecided_by: int | None = None
    kept: bool = False
    #: the turn directly after which it folds, if that is not its own place
    place: int | None = None
    #: of an amendment: each turn that it names -> the action that was in force before it, as JSON
    amended_from: Mapping[int, Mapping[str, Any]] = {}
    #: of a redo: the turns that stand again by it
    restored: tuple[int, ...] = ()

    @property
    def number(self) -> int:
        """The number of the recorded turn."""
        return self.turn.number

    @property
    def standing(self) -> bool:
        return self.undone_by is None

    @property
    def events(self) -> tuple[Event, ...]:
        """The facts as they read now, and the revision events of the turn itself."""
        return (*self.facts, *(event for event in self.turn.events if isinstance(event, REVISION_EVENTS)))


def effective_turns(
    log: Log, upto: int | None = None, effective: EffectiveHistory | None = None, *, after: int = 0, session: int = 0
) -> Iterator[EffectiveTurn]:
    """The turns after `after` in the order of the numbers, undone ones included; `session` was open then."""
    waiting: list[tuple[int, EffectiveTurn]] = []

    def turns_before(number: float) -> Iterator[EffectiveTurn]:
        while waiting and waiting[0][0] < number:
            effective_turn = heappop(waiting)[1]
            # a ruling that counts from earlier on was made on this evening all the same
            yield (
                effective_turn if since_of(effective_turn.action) is None else replace(effective_turn, session=session)
            )

    for effective_turn, then in _walked(log, effective or effective_history(log, upto), upto, after, session):
        if effective_turn.place is not None:
            heappush(waiting, (effective_turn.number, effective_turn))
        else:
            # a place lies before the number, so whoever has a lower one has been met
            yield from turns_before(effective_turn.number)
            yield effective_turn
        session = then
    yield from turns_before(inf)


def turns_as_folded(
    log: Log, upto: int | None = None, effective: EffectiveHistory | None = None, *, after: int = 0, session: int = 0
) -> Iterator[EffectiveTurn]:
    """The turns after `after` in the order in which they fold, undone ones included; `session` was open then."""
    return (
        effective_turn
        for effective_turn, _ in _walked(log, effective or effective_history(log, upto), upto, after, session)
    )


def _walked(
    log: Log, effective: EffectiveHistory, upto: int | None, after: int, session: int
) -> Iterator[tuple[EffectiveTurn, int]]:
    """The turns in the order in which they fold, each with the session that is open behind it."""
    amendments = _Amendments(log, effective)
    for turn in log.read(after=after, upto=upto):
        # one that folds behind a turn that is not read comes at its number
        if turn.number not in effective.place or effective.trunk(turn.number) <= after:
            effective_turn, session = _effective_turn(turn, effective, session)
            if isinstance(turn.action, Amend):
                effective_turn = replace(effective_turn, amended_from=amendments.before(turn, turn.action))
            elif isinstance(turn.action, Redo):
                effective_turn = replace(effective_turn, restored=restored_by(log, turn))
            yield effective_turn, session
        for each in effective.late.get(turn.number, ()):
            effective_turn, session = _effective_turn(each, effective, session)
            yield effective_turn, session


def restored_by(log: Log, redo: Turn) -> tuple[int, ...]:
    """The turns that stand again by a redo: those that the undone undos had taken back. None for any other turn."""
    if not isinstance(redo.action, Redo):
        return ()
    undos = [word.turn for word in redo.events if isinstance(word, TurnUndone)]
    return tuple(
        sorted(
            word.turn
            for number in undos
            for undo in log.read(number - 1, number)
            if isinstance(undo.action, Undo)
            for word in undo.events
            if isinstance(word, TurnUndone)
        )
    )


class _Amendments:
    """What turns asked before they were amended, looked up in the log at the first amendment that is met."""

    def __init__(self, log: Log, effective: EffectiveHistory) -> None:
        self._log, self._effective = log, effective
        #: turn -> its amendments so far: the turn that made it, and the action it gave
        self._given: dict[int, list[tuple[int, Mapping[str, Any]]]] | None = None

    def before(self, turn: Turn, amend: Amend) -> dict[int, Mapping[str, Any]]:
        """The action in force of each turn that an amendment names, before it."""
        if self._given is None:
            self._given = {}
            for earlier in self._log.read(upto=turn.number - 1, topics=("amend",)):
                if isinstance(earlier.action, Amend):
                    self._note(earlier.number, earlier.action)
        found = {number: self._in_force(number, turn.number) for number in amend.amended}
        self._note(turn.number, amend)
        return found

    def _note(self, by: int, amend: Amend) -> None:
        assert self._given is not None
        for number, action in amend.amended.items():
            self._given.setdefault(number, []).append((by, action))

    def _in_force(self, number: int, before: int) -> Mapping[str, Any]:
        assert self._given is not None
        given: Mapping[str, Any]
        for by, given in reversed(self._given.get(number, [])):
            if self._effective.undone.get(by, before) >= before:
                return given
        asked: dict[str, Any] = {}
        for turn in self._log.read(number - 1, number):
            asked = to_builtins(turn.action)
        return asked


def _effective_turn(turn: Turn, effective: EffectiveHistory, session: int) -> tuple[EffectiveTurn, int]:
    """A turn that folds while `session` is open, and the session that is open after it."""
    number = turn.number
    facts = effective.facts(turn)
    of = session
    for event in facts:
        if isinstance(event, SessionOpened):
            of = event.number
            session = of if effective.stands(number) else session
        elif isinstance(event, SessionClosed) and effective.stands(number):
            session = 0
    effective_turn = EffectiveTurn(
        turn,
        effective.action(turn),
        facts,
        of,
        effective.chance(turn),
        effective.undone.get(number),
        effective.redecided[number][0] if number in effective.redecided else None,
        effective.kept(number),
        effective.place.get(number),
    )
    return effective_turn, session
