"""What stands: which turns count, what they come to, and where they fold.

A turn stands unless a standing later turn says that it is undone; so the words are weighed in one pass from
the newest turn to the oldest. The outcome of a turn is what the latest standing turn that redecided it says,
else its own facts.

A turn folds at its number, or at its place: directly after another turn, behind every turn that folds there
already. That other turn may itself have a place, and an undone turn is one to fold behind like any other; so
the order is the walk of a tree, whose trunk are the turns that fold at their numbers. A place is named by
the turn itself (told late), by an amendment of it (moved), or by a ruling that counts from earlier on.
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

from domain.common.revisions import REVISIONS, Amend
from domain.common.rulings import Ruling, turn_on_record
from domain.common.sessions import SessionClosed, SessionOpened
from domain.log.port import Log
from domain.log.upcasts import chance_with_owners
from domain.system.registry import tag_of
from domain.system.uninstalled import stored_action
from domain.turn import REVISION_EVENTS, Action, Drawn, Event, Turn, TurnRedecided, TurnUndone

#: The tags of the actions that can carry words about earlier turns, or fold elsewhere than at their number.
REVISING = ("undo", "redo", "amend", "adopt", "ruling")
_NUMBER = attrgetter("number")


def revising_turns(log: Log, after: int = 0, upto: int | None = None) -> Iterator[Turn]:
    """Those of these turns that can carry words about earlier ones, or fold elsewhere than at their number."""
    return merge(log.read(after, upto, REVISING), _other_kinds(log, after, upto), key=_NUMBER)


def revising_turns_back(log: Log, after: int = 0, upto: int | None = None) -> Iterator[Turn]:
    """The same, the newest first: as they are weighed, so that none need be held that was."""
    others = list(_other_kinds(log, after, upto))
    back = log.read_back(after, upto, REVISING)
    return merge(back, reversed(others), key=_NUMBER, reverse=True) if others else back


def _other_kinds(log: Log, after: int, upto: int | None) -> Iterator[Turn]:
    """Turns that name a place to fold at and are not read among those that speak."""
    return (turn for turn in log.placed(after, upto) if tag_of(type(turn.action)) not in REVISING)


def reaches_back(turn: Turn) -> bool:
    """Whether a turn may change how earlier ones read."""
    return turn.place is not None or isinstance(turn.action, REVISIONS) or since_of(turn.action) is not None


class EffectiveHistory:
    """What the turns that speak of earlier turns make of them."""

    def __init__(self, newest_first: Iterable[Turn], rules: str) -> None:
        #: turn -> the standing turn that undid it
        self.undone: dict[int, int] = {}
        #: turn -> (the turn that redecided it, its word)
        self.retold: dict[int, tuple[int, TurnRedecided]] = {}
        #: turn -> (the turn that amended it, the action in force)
        self.amended: dict[int, tuple[int, Action]] = {}
        #: turn -> the place that the latest standing amendment to name one gave it
        self.moved: dict[int, int] = {}
        #: turn -> the turn directly after which it folds; not in it: it folds at its number
        self.place: dict[int, int] = {}
        #: turn that folds at its number -> those that fold behind it, in their order; undone ones too
        self.late: dict[int, list[Turn]] = {}
        #: undo, redo, amend and adopt turns: they carry words only
        self.revisions: set[int] = set()
        #: turns that carry words; the events of all others are facts
        self.worded: set[int] = set()
        #: standing turn that speaks -> the first turn it names
        self.reach: dict[int, int] = {}
        #: the turns that name a place themselves, the latest first
        self.placed: list[Turn] = []
        #: turn that ever spoke -> what it names, and where it or what it amends folds; the latest first
        self._named: dict[int, list[int]] = {}
        for turn in newest_first:
            number, action, place, since = turn.number, turn.action, turn.place, since_of(turn.action)
            words = [event for event in turn.events if isinstance(event, REVISION_EVENTS)]
            amended: Mapping[int, dict[str, Any]] = {}
            if place is not None or since is not None:
                self.placed.append(turn)
            if isinstance(action, REVISIONS):
                self.revisions.add(number)
                if isinstance(action, Amend):
                    amended = action.amended
            elif not words and place is None and since is None:
                continue  # as most rulings
            if words:
                self.worded.add(number)
            named = [word.turn for word in words]
            named += amended
            if number not in self.undone:
                self._weigh(number, words, rules, amended)
                if isinstance(action, Amend) and place is not None:
                    self.moved.setdefault(action.turn, place)
                    self.reach[number] = min(place + 1, *named)
                elif named:
                    self.reach[number] = min(named)
            # a state after the very turn that another folds behind lacks that other
            named += [each for each in (since, place, *map(_since_asked, amended.values())) if each is not None]
            if named:
                self._named[number] = named

    def _weigh(self, number: int, words: Iterable[Event], rules: str, amended: Mapping[int, dict[str, Any]]) -> None:
        """Believe what a standing turn says of earlier ones, where no later turn says otherwise."""
        for word in words:
            if isinstance(word, TurnUndone):
                self.undone.setdefault(word.turn, number)
            elif isinstance(word, TurnRedecided):
                self.retold.setdefault(word.turn, (number, word))
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
        """The way to where a turn folds, from the trunk on: these are in the order in which the turns fold."""
        place = self.place.get(number)
        return (number,) if place is None else (*self.way(place), number)

    def trunk(self, number: int) -> int:
        """The turn at or behind whose number a turn folds."""
        while number in self.place:
            number = self.place[number]
        return number

    @cached_property
    def changes(self) -> Sequence[tuple[int, int]]:
        """Each turn that ever spoke, whether it stands or not, and the first turn whose reading it may have changed.

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
        told = self.retold.get(turn.number)
        if told:
            return told[1].events
        return turn.facts if turn.number in self.worded else turn.events

    def chance(self, turn: Turn) -> Mapping[str, Drawn]:
        """The chance in force for a turn."""
        told = self.retold.get(turn.number)
        return chance_with_owners(told[1].chance if told else turn.chance)

    def action(self, turn: Turn) -> Action:
        """The action in force."""
        amended = self.amended.get(turn.number)
        return amended[1] if amended else turn.action

    def kept(self, number: int) -> bool:
        """Whether the turn is pinned: remembered, never decided again."""
        told = self.retold.get(number)
        return told is not None and told[1].kept


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
    """Weigh the words of the log as of turn `upto`, with a draft turn added if there is one.

    Words point backward only: of the turns after `after` it takes no more than those to know what stands.
    """
    speakers = revising_turns_back(log, after, upto)
    return effective_history_of(log, speakers if draft is None else chain((draft,), speakers))


def effective_history_of(log: Log, newest_first: Iterable[Turn]) -> EffectiveHistory:
    """The same of turns that speak, as `revising_turns_back` gives them."""
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
    """One turn as the log tells it: what was asked, what it comes to, whether and where it stands."""

    turn: Turn
    action: Action
    facts: tuple[Event, ...]
    #: the session it belongs to; 0 outside any
    session: int
    chance: Mapping[str, Drawn] = {}
    undone_by: int | None = None
    retold_by: int | None = None
    kept: bool = False
    #: the turn directly after which it folds, if that is not its own place
    place: int | None = None
    #: of an amendment: each turn that it names -> the action that was in force before it, as JSON
    amended_from: Mapping[int, Mapping[str, Any]] = {}

    @property
    def standing(self) -> bool:
        return self.undone_by is None

    @property
    def events(self) -> tuple[Event, ...]:
        """Facts as they now read, and the words that the turn said."""
        return (*self.facts, *(event for event in self.turn.events if isinstance(event, REVISION_EVENTS)))


def effective_turns(
    log: Log, upto: int | None = None, effective: EffectiveHistory | None = None, *, after: int = 0, session: int = 0
) -> Iterator[EffectiveTurn]:
    """The turns after `after` in the order of the numbers, undone ones included; `session` was open then."""
    waiting: list[tuple[int, EffectiveTurn]] = []

    def told_before(number: float) -> Iterator[EffectiveTurn]:
        while waiting and waiting[0][0] < number:
            told = heappop(waiting)[1]
            # a ruling that counts from earlier on was made on this evening all the same
            yield told if since_of(told.action) is None else replace(told, session=session)

    for told, then in _walked(log, effective or effective_history(log, upto), upto, after, session):
        if told.place is not None:
            heappush(waiting, (told.turn.number, told))
        else:
            # a place lies before the number, so whoever has a lower one has been met
            yield from told_before(told.turn.number)
            yield told
        session = then
    yield from told_before(inf)


def turns_as_folded(
    log: Log, upto: int | None = None, effective: EffectiveHistory | None = None, *, after: int = 0, session: int = 0
) -> Iterator[EffectiveTurn]:
    """The turns after `after` in the order in which they fold, undone ones included; `session` was open then."""
    return (told for told, _ in _walked(log, effective or effective_history(log, upto), upto, after, session))


def _walked(
    log: Log, effective: EffectiveHistory, upto: int | None, after: int, session: int
) -> Iterator[tuple[EffectiveTurn, int]]:
    """The turns in the order in which they fold, each with the session that is open behind it."""
    amendments = _Amendments(log, effective)
    for turn in log.read(after=after, upto=upto):
        # what folds behind a turn that is not read comes at its number
        if turn.number not in effective.place or effective.trunk(turn.number) <= after:
            told, session = _told(turn, effective, session)
            if isinstance(turn.action, Amend):
                told = replace(told, amended_from=amendments.before(turn, turn.action))
            yield told, session
        for each in effective.late.get(turn.number, ()):
            told, session = _told(each, effective, session)
            yield told, session


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


def _told(turn: Turn, effective: EffectiveHistory, session: int) -> tuple[EffectiveTurn, int]:
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
    told = EffectiveTurn(
        turn,
        effective.action(turn),
        facts,
        of,
        effective.chance(turn),
        effective.undone.get(number),
        effective.retold[number][0] if number in effective.retold else None,
        effective.kept(number),
        effective.place.get(number),
    )
    return told, session
