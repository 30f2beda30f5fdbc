"""The effective history: which turns stand, the outcome of each, and where it folds.

Revision events (`TurnUndone`, `TurnRedecided`) are about earlier turns only, and count while the turn that has them
stands. So they are applied in one pass from the newest turn to the oldest. The outcome of a turn is that of the latest
standing `TurnRedecided` about it, else its own events.

A turn folds at its number, or at its place: directly after another turn, and after those that fold there already.
That other turn may have a place itself, and it may be undone; so the folding order is a walk through a tree, whose
trunk is the turns that fold at their numbers. A place is set by the turn itself (a late entry), by an amendment of it
(a move), or by a ruling with `since`.
"""

from collections import Counter
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

#: The tags of the actions whose turns can have revision events or a place by the action itself: a log finds them by
#: their tags. Unlike `domain.common.revisions.REVISIONS` they include rulings, which may count from an earlier turn.
REVISING_TAGS = ("undo", "redo", "amend", "adopt", "ruling")
_NUMBER = attrgetter("number")


def revising_turns(log: Log, after: int = 0, upto: int | None = None) -> Iterator[Turn]:
    """The turns that can have revision events or a place, oldest first."""
    return merge(log.read(after, upto, REVISING_TAGS), _late_turns_of_other_tags(log, after, upto), key=_NUMBER)


def _late_turns_of_other_tags(log: Log, after: int, upto: int | None) -> Iterator[Turn]:
    """The late entries whose tag is not one of `REVISING_TAGS`."""
    return (turn for turn in log.late_turns(after, upto) if tag_of(type(turn.action)) not in REVISING_TAGS)


def reaches_back(action: Action, *, placed: bool) -> bool:
    """Whether a turn of this action may change the outcome of earlier ones: it revises them, or folds among them."""
    counts_from_earlier = isinstance(action, Ruling) and action.since is not None
    return placed or isinstance(action, REVISIONS) or counts_from_earlier


class EffectiveHistory:
    """The effect of revising turns on the turns before them: outcomes and places, by turn number.

    It is made from the revising turns alone. All other turns come to their own events, and fold at their numbers.
    """

    def __init__(self, newest_first: Iterable[Turn], rules: str) -> None:
        self._rules = rules
        #: turn -> the standing turn that undid it
        self.undone_by: dict[int, int] = {}
        #: turn -> the standing turn that redecided it
        self.redecided_by: dict[int, int] = {}
        #: turn -> the place of its redecision among the events of that turn
        self._redecision_at: dict[int, int] = {}
        #: standing revising turn -> its events
        self._events: dict[int, Sequence[Event]] = {}
        #: turn -> (the turn that amended it, the action in force)
        self.amendments: dict[int, tuple[int, Action]] = {}
        #: turn -> the place that the latest standing amendment with a place gave it
        self.new_place: dict[int, int] = {}
        #: turn -> its place; without an entry it folds at its number
        self.place: dict[int, int] = {}
        #: turn that folds at its number -> the turns that fold directly after it, in order, undone ones included
        self.late: dict[int, list[Turn]] = {}
        #: undo, redo, amend and adopt turns, which have revision events only
        self.revisions: set[int] = set()
        #: turns with revision events; the events of all others are facts
        self.with_revision_events: set[int] = set()
        #: standing revising turn -> the first turn that it names
        self.reach: dict[int, int] = {}
        #: the turns with a place of their own, the latest first
        self.turns_with_place: list[Turn] = []
        #: every revising turn, standing or not -> the turns and places that it names; latest first
        self._targets: dict[int, list[int]] = {}
        for turn in newest_first:
            self._apply(turn)

    def _apply(self, turn: Turn) -> None:
        """Apply one revising turn. All later ones are applied already: the latest standing one counts."""
        number, action, place, since = turn.number, turn.action, turn.place, since_of(turn.action)
        if place is not None or since is not None:
            self.turns_with_place.append(turn)
        targets = self._apply_events(turn)
        if targets:
            self.with_revision_events.add(number)
        new_actions: Mapping[int, dict[str, Any]] = {}
        if isinstance(action, REVISIONS):
            self.revisions.add(number)
            if isinstance(action, Amend):
                new_actions = action.new_actions
        elif not targets and place is None and since is None:
            return  # true for most rulings
        targets += new_actions
        if number not in self.undone_by:
            for amended_turn, action_json in new_actions.items():
                if amended_turn not in self.amendments:
                    self.amendments[amended_turn] = (number, stored_action(self._rules, action_json))
            if isinstance(action, Amend) and place is not None:
                self.new_place.setdefault(action.turn, place)
                self.reach[number] = min(place + 1, *targets)
            elif targets:
                self.reach[number] = min(targets)
        # a state directly after a place does not include the turn that folds there
        amended_since = (new["since"] for new in new_actions.values() if new["type"] == "ruling" and new.get("since"))
        targets += [at for at in (since, place, *map(turn_on_record, amended_since)) if at is not None]
        if targets:
            self._targets[number] = targets

    def _apply_events(self, turn: Turn) -> list[int]:
        """Apply the revision events of a turn if it stands. Returns the turns that they name, standing or not."""
        number, targets, stands = turn.number, list[int](), turn.number not in self.undone_by
        for at, event in enumerate(turn.events):
            if not isinstance(event, REVISION_EVENTS):
                continue
            targets.append(event.turn)
            if not stands:
                continue
            if isinstance(event, TurnUndone):
                self.undone_by.setdefault(event.turn, number)
            elif event.turn not in self.redecided_by:
                self.redecided_by[event.turn], self._redecision_at[event.turn] = number, at
                self._events[number] = turn.events
        return targets

    def redecision(self, number: int) -> TurnRedecided | None:
        """The latest standing redecision of a turn; None if there is none."""
        redecided_by = self.redecided_by.get(number)
        if redecided_by is None:
            return None
        event = self._events[redecided_by][self._redecision_at[number]]
        assert isinstance(event, TurnRedecided)
        return event

    def find_places(self, turns: Iterable[Turn]) -> None:
        """Fill in `place`, `late` and `reach`. `turns` has all turns that may have a place, in order of number."""
        behind: dict[int, list[Turn]] = {}
        counting: set[int] = set()
        for turn in turns:
            number, since = turn.number, since_of(self.action(turn))
            if since is not None:
                counting.add(number)
                while since in counting:  # a ruling counts from a point of the log, not from another ruling
                    since -= 1
            own_place = self.new_place.get(number, None if number in self.revisions else turn.place)
            place = own_place if since is None else since
            if place is not None:
                self.place[number] = place
                behind.setdefault(place, []).append(turn)
        for trunk in behind:
            if trunk not in self.place:
                self.late[trunk] = list(_late_turns_behind(trunk, behind))
        for number in self.place:
            if self.stands(number):
                first = self.trunk(number) + 1
                self.reach[number] = min(first, self.reach.get(number, first))

    def fold_path(self, number: int) -> tuple[int, ...]:
        """The place of a turn as a path from its trunk turn; turns fold in the order of their paths."""
        place = self.place.get(number)
        return (number,) if place is None else (*self.fold_path(place), number)

    def trunk(self, number: int) -> int:
        """The trunk turn of a turn: itself, or the one after which it folds, directly or behind other late entries."""
        while number in self.place:
            number = self.place[number]
        return number

    @cached_property
    def changes(self) -> Sequence[tuple[int, int]]:
        """Each revising turn, standing or not, and the first turn whose outcome it may have changed.

        Undoing a revision reaches as far back as that revision did.
        """
        furthest: dict[int, int] = {}
        for number, targets in reversed(self._targets.items()):
            furthest[number] = min(min(first, furthest.get(first, first)) for first in targets)
        return tuple(furthest.items())

    def undone_among_named(self, number: int) -> frozenset[int]:
        """Of the turns that this revising turn names, those that do not stand; its events are not read again for it."""
        return frozenset(turn for turn in self._targets.get(number, ()) if turn in self.undone_by)

    def stands(self, number: int) -> bool:
        """Whether no standing turn undid it."""
        return number not in self.undone_by

    def facts(self, turn: Turn) -> tuple[Event, ...]:
        """The outcome of a standing turn."""
        redecision = self.redecision(turn.number)
        if redecision:
            return redecision.events
        return turn.facts if turn.number in self.with_revision_events else tuple(turn.events)

    def chance(self, turn: Turn) -> Mapping[str, Drawn]:
        """The dice and cards of the outcome of a turn."""
        redecision = self.redecision(turn.number)
        return chance_with_owners(redecision.chance if redecision else turn.chance)

    def action(self, turn: Turn) -> Action:
        """The action of a turn, as the latest standing amendment of it says."""
        amendment = self.amendments.get(turn.number)
        return amendment[1] if amendment else turn.action

    def kept(self, number: int) -> bool:
        """Whether the turn is pinned, so that it is never decided again."""
        redecision = self.redecision(number)
        return redecision is not None and redecision.kept


def _late_turns_behind(number: int, behind: Mapping[int, Sequence[Turn]]) -> Iterator[Turn]:
    """The turns that fold after a turn, depth first; `behind` has the turns directly after each."""
    waiting = list(reversed(behind.get(number, ())))
    while waiting:
        turn = waiting.pop()
        yield turn
        waiting += reversed(behind.get(turn.number, ()))


def since_of(action: Action) -> int | None:
    """The turn directly after which a ruling counts; None for any other action."""
    return turn_on_record(action.since) if isinstance(action, Ruling) and action.since is not None else None


def effective_history(
    log: Log, upto: int | None = None, draft: Turn | None = None, *, after: int = 0
) -> EffectiveHistory:
    """The effective history as of turn `upto`, with a draft turn added if given.

    With `after` only later turns are read; it is valid for these, because revision events point backward only.
    """
    # newest first and lazily, as they are applied
    revising, other_kinds = log.read_back(after, upto, REVISING_TAGS), list(_late_turns_of_other_tags(log, after, upto))
    if other_kinds:
        revising = merge(revising, reversed(other_kinds), key=_NUMBER, reverse=True)
    effective = EffectiveHistory(revising if draft is None else chain((draft,), revising), log.rules)
    placed_turns = effective.turns_with_place[::-1]
    placed_numbers = {turn.number for turn in placed_turns}
    # a turn of any kind may have been moved, or amended into a ruling with `since`
    elsewhere = {number for number, (_, action) in effective.amendments.items() if since_of(action) is not None}
    others = [
        turn
        for number in sorted((elsewhere | effective.new_place.keys()) - placed_numbers)
        for turn in log.read(after=number - 1, upto=number)
    ]
    effective.find_places(merge(placed_turns, others, key=_NUMBER))
    return effective


class EffectiveTurn(Struct, frozen=True):
    """One turn as it is effective: its action and outcome, whether it stands, and where it folds."""

    turn: Turn
    action: Action
    facts: tuple[Event, ...]
    #: The session it belongs to; 0 outside any.
    session: int
    chance: Mapping[str, Drawn] = {}
    undone_by: int | None = None
    redecided_by: int | None = None
    kept: bool = False
    #: the turn directly after which it folds; None: at its number
    place: int | None = None
    #: for an amendment: each amended turn -> its action before, as JSON
    amended_from: Mapping[int, Mapping[str, Any]] = {}
    #: for a redo: the turns that it restored
    restored: tuple[int, ...] = ()
    #: for an undo that keeps later results: each turn that it redecided -> its facts before
    facts_before: Mapping[int, tuple[Event, ...]] = {}
    #: of the turns that its revision events name, those that do not stand
    undone_among_named: frozenset[int] = frozenset()

    @property
    def number(self) -> int:
        """The number of the recorded turn."""
        return self.turn.number

    @property
    def standing(self) -> bool:
        return self.undone_by is None

    @property
    def events(self) -> Iterator[Event]:
        """The effective facts, and the revision events of the turn itself."""
        return chain(self.facts, (event for event in self.turn.events if isinstance(event, REVISION_EVENTS)))


def effective_turns(
    log: Log, upto: int | None = None, effective: EffectiveHistory | None = None, *, after: int = 0, session: int = 0
) -> Iterator[EffectiveTurn]:
    """The turns after `after` by number, undone ones included; `session` is the one open at `after`."""
    waiting: list[tuple[int, EffectiveTurn]] = []

    def turns_before(number: float) -> Iterator[EffectiveTurn]:
        while waiting and waiting[0][0] < number:
            effective_turn = heappop(waiting)[1]
            # a ruling with `since` belongs to the session in which it was made
            yield (
                effective_turn if since_of(effective_turn.action) is None else replace(effective_turn, session=session)
            )

    for effective_turn, session_after in _in_fold_order(
        log, effective or effective_history(log, upto), upto, after, session
    ):
        if effective_turn.place is not None:
            heappush(waiting, (effective_turn.number, effective_turn))
        else:
            # a place is before the number, so all turns with lower numbers have been met
            yield from turns_before(effective_turn.number)
            yield effective_turn
        session = session_after
    yield from turns_before(inf)


def turns_as_folded(
    log: Log, upto: int | None = None, effective: EffectiveHistory | None = None, *, after: int = 0, session: int = 0
) -> Iterator[EffectiveTurn]:
    """The turns after `after` in folding order, undone ones included; `session` is the one open at `after`."""
    return (
        effective_turn
        for effective_turn, _ in _in_fold_order(log, effective or effective_history(log, upto), upto, after, session)
    )


def _in_fold_order(
    log: Log, effective: EffectiveHistory, upto: int | None, after: int, session: int
) -> Iterator[tuple[EffectiveTurn, int]]:
    """The turns in folding order, each with the session that is open after it."""
    amendments = _Amendments(log, effective, after)
    for turn in log.read(after=after, upto=upto):
        # a turn that folds after one that is not read comes at its number, where it neither opens nor closes a session
        is_folded_before = turn.number in effective.place and effective.trunk(turn.number) <= after
        if turn.number not in effective.place or is_folded_before:
            effective_turn, session_after = _effective_turn(turn, effective, session)
            session = session if is_folded_before else session_after
            if isinstance(turn.action, Amend):
                effective_turn = replace(effective_turn, amended_from=amendments.before(turn, turn.action))
            elif isinstance(turn.action, Redo):
                effective_turn = replace(effective_turn, restored=restored_by(log, turn))
            elif keeps_results(turn.action):
                effective_turn = replace(effective_turn, facts_before=_facts_before(log, turn))
            yield effective_turn, session
        for late_turn in effective.late.get(turn.number, ()):
            effective_turn, session = _effective_turn(late_turn, effective, session)
            yield effective_turn, session


def restored_by(log: Log, redo: Turn) -> tuple[int, ...]:
    """The turns that a redo restored: those that the undone undos had undone. Empty for any other turn."""
    if not isinstance(redo.action, Redo):
        return ()
    undos = [event.turn for event in redo.events if isinstance(event, TurnUndone)]
    return tuple(
        sorted(
            event.turn
            for number in undos
            for undo in log.read(number - 1, number)
            if isinstance(undo.action, Undo)
            for event in undo.events
            if isinstance(event, TurnUndone)
        )
    )


def keeps_results(action: Action) -> bool:
    """Whether an action is an undo that leaves later results as they were announced, where that can be."""
    return isinstance(action, Undo) and action.conflicts == "keep"


def _facts_before(log: Log, undo: Turn) -> dict[int, tuple[Event, ...]]:
    """The facts that each turn which an undo redecided had before it."""
    numbers = [event.turn for event in undo.events if isinstance(event, TurnRedecided)]
    before = effective_history(log, undo.number - 1) if numbers else None
    if before is None:
        return {}
    return {turn.number: before.facts(turn) for number in numbers for turn in log.read(number - 1, number)}


class _Amendments:
    """The actions of turns before they were amended, for a walk over the turns after one.

    An amendment comes later than the turns that it names, so that earlier ones are read from these on only.
    """

    def __init__(self, log: Log, effective: EffectiveHistory, after: int) -> None:
        self._log, self._effective = log, effective
        #: turn -> its amendments so far, as (amending turn, new action)
        self._amendments_by_turn: dict[int, list[tuple[int, Mapping[str, Any]]]] = {}
        #: All amendments later than this turn are known, up to where the walk is.
        self._known_after = after

    def before(self, turn: Turn, amend: Amend) -> dict[int, Mapping[str, Any]]:
        """The effective action, before an amendment, of each turn that it names."""
        self._read_after(min(amend.new_actions))
        actions_before = {number: self._in_force(number, turn.number) for number in amend.new_actions}
        self._note(turn.number, amend)
        return actions_before

    def _read_after(self, first: int) -> None:
        """Read the amendments of turn `first` and later ones."""
        if first >= self._known_after:
            return
        later, self._amendments_by_turn = self._amendments_by_turn, {}
        for turn in self._log.read(first, self._known_after, topics=("amend",)):
            if isinstance(turn.action, Amend):
                self._note(turn.number, turn.action)
        for number, amendments in later.items():
            self._amendments_by_turn.setdefault(number, []).extend(amendments)
        self._known_after = first

    def _note(self, amendment: int, amend: Amend) -> None:
        for number, action in amend.new_actions.items():
            self._amendments_by_turn.setdefault(number, []).append((amendment, action))

    def _in_force(self, number: int, before: int) -> Mapping[str, Any]:
        action: Mapping[str, Any]
        for amendment, action in reversed(self._amendments_by_turn.get(number, [])):
            if self._effective.undone_by.get(amendment, before) >= before:
                return action
        action_json: dict[str, Any] = {}
        for turn in self._log.read(number - 1, number):
            action_json = to_builtins(turn.action)
        return action_json


def _effective_turn(turn: Turn, effective: EffectiveHistory, session: int) -> tuple[EffectiveTurn, int]:
    """The effective turn, folded while `session` is open, and the session that is open after it."""
    number = turn.number
    facts = effective.facts(turn)
    session_of_turn = session
    for event in facts:
        if isinstance(event, SessionOpened):
            session_of_turn = event.number
            session = session_of_turn if effective.stands(number) else session
        elif isinstance(event, SessionClosed) and effective.stands(number):
            session = 0
    effective_turn = EffectiveTurn(
        turn,
        effective.action(turn),
        facts,
        session_of_turn,
        _chance_as_reported(turn, effective),
        effective.undone_by.get(number),
        effective.redecided_by.get(number),
        effective.kept(number),
        effective.place.get(number),
        undone_among_named=effective.undone_among_named(number),
    )
    return effective_turn, session


def _chance_as_reported(turn: Turn, effective: EffectiveHistory) -> Mapping[str, Drawn]:
    """The chance of a turn, in which only what the table did report is reported.

    A turn that was decided again with the cards that had been announced has these on record as if they were.
    """
    chance = effective.chance(turn)
    if turn.number not in effective.redecided_by or turn.number in effective.amendments:
        return chance
    reported: dict[str, Counter[int | str]] = {}
    for draw in chance_with_owners(turn.chance).values():
        reported.setdefault(draw.whose, Counter()).update(draw.values[: draw.reported])
    really = {
        key: tuple((Counter(draw.values[: draw.reported]) & reported.get(draw.whose, Counter())).elements())
        for key, draw in chance.items()
    }
    return {
        key: replace(draw, values=(*really[key], *draw.values[draw.reported :]), reported=len(really[key]))
        for key, draw in chance.items()
        if really[key] or draw.reported < len(draw.values) or not draw.values
    }
