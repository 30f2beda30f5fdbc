"""Revising: the effect on later turns of a draft turn that revises earlier ones, or folds among them.

Undo, redo, amend, a late entry and a ruling with `since` are one procedure: compare the effective history with and
without the draft turn; from the first place where they differ, decide every standing turn again, in folding order and
with its recorded chance; and add a revision event for each outcome that differs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, partial
from itertools import chain
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.common.revisions import Amend, Conflicts, Redo
from domain.common.sheets import Override, SheetCheck
from domain.log.deciding import decide, with_names
from domain.log.effective_history import (
    EffectiveHistory,
    effective_history,
    restored_by,
    revising_turns,
)
from domain.log.folding import fold, last_change, note_numbers
from domain.log.packed_list import PackedList, packed_events
from domain.log.pending_draws import PendingDraws
from domain.log.port import Log
from domain.log.revision_draft import RevisionDraft, as_read_back
from domain.log.simulation import REAL_DRAWS, RealDraws
from domain.log.snapshots import nearest_base
from domain.log.upcasts import chance_with_owners
from domain.refusal import Invalid, LaterTurn, Refusal
from domain.registry import record_types
from domain.system.chance import Chance, Draw
from domain.system.decision import Decision
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.system.used_numbers import UsedNumbers
from domain.turn import Action, Event, StoredDrawn, Turn, TurnRedecided, TurnUndone


class ChangedTurn(Struct, frozen=True, gc=False, array_like=True):
    """The outcome of one turn before and after the revision; None: it does not stand."""

    turn: int
    before: tuple[Event, ...] | None
    after: tuple[Event, ...] | None
    #: In a preview what it would draw, and whether `after` depends on draws, its own or earlier ones.
    draws: tuple[Draw, ...] = ()
    open: bool = False


def packed_changes(rules: str, changes: Iterable[ChangedTurn] = ()) -> PackedList[ChangedTurn]:
    """A list for the changes of a log under these rules: there may be as many as turns."""
    return PackedList[ChangedTurn](changed_turn_of(rules), changes)


@cache
def changed_turn_of(rules: str) -> type[ChangedTurn]:
    """The type of a change with the facts of these rules, as it is packed."""
    facts: Any = tuple[record_types(rules).fact, ...] | None  # type: ignore[misc]
    kind: Any = msgspec.defstruct(
        "ChangedTurn", [("before", facts), ("after", facts)], bases=(ChangedTurn,), frozen=True
    )
    return cast(type[ChangedTurn], kind)


class Outcome(Struct, frozen=True):
    """A decided turn, its changes of earlier turns, and its conflicts with later turns (dry runs only)."""

    #: In a dry run without the revision events for outcomes that differ: there may be as many as turns.
    turn: Turn
    changed: Sequence[ChangedTurn] = ()
    conflicts: tuple[LaterTurn, ...] = ()
    #: In a dry run the events that the turn lacks, and the rules that they are of.
    redecisions: Sequence[Event] = ()
    rules: str = ""
    #: Whether the turn was in the log already: a retry with the same id.
    repeated: bool = False
    #: The values that each decided turn drew and had not on record, by number.
    draws: Mapping[int, tuple[Draw, ...]] = {}
    #: The earlier turns that are moved, with their new place; None: their number.
    moved: Mapping[int, int | None] = {}
    #: The turns that a redo restores.
    restored: tuple[int, ...] = ()
    #: The state after it.
    state: Game | None = None
    #: The first turn that it may have changed; None: it changes no earlier one.
    first_changed: int | None = None

    @property
    def whole_turn(self) -> Turn:
        """The turn as it is appended, with all its events."""
        turn, rules = self.turn, self.rules
        if not self.redecisions:
            return turn
        return replace(turn, events=packed_events(rules, chain(turn.events, self.redecisions)))


class _RevisionFalls(Exception):
    """A turn that is no longer legal has revision events, which lose their effect with it."""

    def __init__(self, turn: LaterTurn) -> None:
        super().__init__()
        self.turn = turn


#: Actions whose turns are never decided again, because they record what the table agreed on.
AGREED = (Override, SheetCheck)
#: What a revising turn itself does to an earlier one.
Asked = Literal["undone", "restored", "amended"]


class Revision:
    """The revision of a log by one draft turn that revises earlier turns, or folds before later ones."""

    def __init__(
        self,
        system: RuleSystem,
        log: Log,
        used: UsedNumbers,
        draft: Turn,
        *,
        conflicts: Conflicts | None = None,
        recorded: Mapping[str, StoredDrawn] | None = None,
        draw_source: RealDraws = REAL_DRAWS,
        pending_draws: PendingDraws | None = None,
        recent: Mapping[int, Game] | None = None,
    ) -> None:
        """`conflicts` is the answer for conflicts if the draft's action has none.

        `recorded` is the chance of a turn of another branch, to be used for the draft. `draw_source` decides what is
        drawn, and the order of face-down cards. The draft uses `pending_draws` first. `recent` are states by turn,
        each as of that turn.
        """
        self._draw_source, self._pending_draws, self._recent = draw_source, pending_draws, recent or {}
        self.log, self.system = log, system
        how_to_settle: Conflicts | None = getattr(draft.action, "conflicts", None)
        self.settle = how_to_settle or conflicts
        #: Whether later turns turn up the cards again that were announced at the table. Only if the action itself
        #: says so, because the answer for a late entry is not recorded.
        self._as_announced = how_to_settle == "keep"
        self.recorded = recorded
        self._given_out = used
        self._redecided_kind, self._changed_turn = record_types(log.rules).redecided, changed_turn_of(log.rules)
        self._revision_draft = RevisionDraft(log, draft)
        self.last, self.draft = self._revision_draft.last, self._revision_draft.turn
        #: The turns that the draft itself amends.
        self._amended = frozenset(draft.action.amended) if isinstance(draft.action, Amend) else frozenset()
        #: Late entries that are not legal any more, so that their revision events lose their effect.
        self.fallen: list[LaterTurn] = []
        self._begin()

    def _begin_with_everything(self) -> None:
        """Start again with the effective history of the whole log."""
        self._revision_draft.read_everything()
        self._begin()

    @property
    def old(self) -> EffectiveHistory:
        """The effective history without the draft."""
        return self._revision_draft.effective

    def _begin(self) -> None:
        """Reset the results, for the draft as it is now."""
        self.new = self._revision_draft.history(self.draft)
        # a copy, because a dry run or a conflict does not use numbers up
        self.used = self._given_out.copy()
        self.redecisions = PackedList[Event](record_types(self.log.rules).event)
        self.changed = packed_changes(self.log.rules)
        #: A turn that is moved, itself or behind one that is, is met at its old place and at its new one: where it is
        #: in `changed`.
        self._moved_in_changed: dict[int, int] = {}
        self.conflicts: list[LaterTurn] = []
        #: The state after the draft; None if it is the same as before.
        self.after: Game | None = None
        self.draws: dict[int, tuple[Draw, ...]] = {}
        self.draft_facts: tuple[Event, ...] = ()
        self.draft_chance: dict[str, StoredDrawn] = {}

    # -- deciding again ----------------------------------------------------------------------------------

    def outcome(self) -> Outcome:
        """The draft turn with all revision events, and the changes it makes."""
        while fallen := self._decide_all():
            # its revisions lose their effect too, so that turns further back change
            self.fallen.append(fallen)
            self.draft = replace(self.draft, events=(*self.draft.events, TurnUndone(fallen.turn)))
            self._begin_with_everything()
        turn = replace(
            self.draft,
            events=(*self.draft_facts, *self.draft.events),
            chance={**self.draft.chance, **self.draft_chance},
        )
        conflicts = [*self.conflicts, *(() if self.settle == "drop" else self.fallen)]
        in_the_way = tuple(sorted(conflicts, key=lambda conflict: conflict.turn))
        restored = restored_by(self.log, turn)
        return Outcome(
            turn,
            self._changed(),
            in_the_way,
            self.redecisions,
            self.log.rules,
            draws=self.draws,
            moved=self._moved(),
            restored=restored,
            first_changed=dict(self.new.changes).get(self.draft.number),
        )

    def _changed(self) -> Sequence[ChangedTurn]:
        """The changes of earlier turns; a turn that is moved may come to the same at its new place."""
        moves = [self.changed[at] for at in self._moved_in_changed.values()]
        if all(change.before != change.after for change in moves):
            return self.changed
        return tuple(change for change in self.changed if change.before != change.after)

    def _moved(self) -> dict[int, int | None]:
        """The turns that are moved by an amendment, or back by undoing one."""
        old, new = self.old, self.new
        numbers = sorted(number for number in old.moved.keys() | new.moved.keys() if old.stands(number))
        return {
            number: new.place.get(number)
            for number in numbers
            if new.stands(number) and old.place.get(number) != new.place.get(number)
        }

    def _decide_all(self) -> LaterTurn | None:
        """Decide again all turns that need it; stop at a revising turn that is no longer legal, and return it."""
        first, furthest = self.draft.number, 0
        for number in self._differing():
            places = self._places(number)
            first, furthest = min(first, *places), max(furthest, *places)
        if self._revision_draft.known_after and first <= self._revision_draft.known_after:
            # a ruling folds further back than its `since`, or a turn folds after one that is a late entry itself
            self._begin_with_everything()
            return self._decide_all()
        try:
            if furthest:
                self._walk(first, furthest)
        except _RevisionFalls as falls:
            return falls.turn
        return None

    def asked(self) -> dict[int, Asked]:
        """What the draft itself does to earlier turns, before anything is decided again."""
        action, old, new = self.draft.action, self.old.undone.keys(), self.new.undone.keys()
        if isinstance(action, Amend):
            return dict.fromkeys(action.amended, "amended")
        # a redo undoes an undo; its targets are the turns of that undo
        undone_by_draft = {event.turn for event in self.draft.events if isinstance(event, TurnUndone)}
        differing = (old ^ new) - (undone_by_draft if isinstance(action, Redo) else set())
        return {number: "undone" if number in new else "restored" for number in sorted(differing)}

    def _differing(self) -> Iterator[int]:
        """The turns that the two histories differ about, perhaps more than once."""
        for history in (self.old, self.new):
            for about in (history.undone, history.redecided, history.amended, history.place):
                yield from filter(self._differs, about)

    def _differs(self, number: int) -> bool:
        """Whether the two histories differ about a turn."""
        old, new = self.old, self.new
        return (
            (number in old.undone) != (number in new.undone)
            or old.redecided.get(number) != new.redecided.get(number)
            or old.amended.get(number) != new.amended.get(number)
            or old.place.get(number) != new.place.get(number)
        )

    def _places(self, number: int) -> tuple[int, int]:
        """The trunk turns at or after which a turn folds in the two histories."""
        return self.old.trunk(number), self.new.trunk(number)

    def _settled(self) -> int:
        """The last turn that no standing revision reaches across: turns up to it are not decided again."""
        settled = self.draft.number - 1
        for number, first in sorted(self.new.reach.items(), reverse=True):
            if first <= settled < number:
                settled = first - 1
        return settled

    def _walk(self, first: int, furthest: int) -> None:
        # before the first difference the two histories are the same
        before = self._as_of(first - 1)
        self._draw_source.veil(before)
        after = before.copy()
        settled, simulated, special = self._settled(), self._draw_source is not REAL_DRAWS, self._special()
        for place, turn, stood, stands in self._in_order(first, special):
            number = turn.number
            same_ground = before == after
            if same_ground and place > furthest:
                return
            if number not in special:  # as nearly all of them: in both histories it comes to its own events
                for event in turn.events:
                    event.fold(before)
                if simulated:
                    self._draw_source.veil(before)
                if same_ground or number <= settled or number == 1 or isinstance(turn.action, AGREED):
                    self._remember(after, turn.events)
                else:
                    events = tuple(turn.events)
                    after = self._decide_again(turn, after, turn.action, turn.chance, events, events)
                continue
            events_before = self.old.facts(turn) if stood else None
            if events_before:
                self._remember(before, events_before)
            if not stands:
                self._note_change(number, events_before, None)
            elif number == self.draft.number:
                after = self._decide_draft(after, turn)
            elif number <= settled or self._pinned(turn) or (same_ground and stood and not self._differs(number)):
                events_now = self.new.facts(turn)
                self._remember(after, events_now)
                self._note_change(number, events_before, events_now)
            else:
                after = self._decide_again(
                    turn, after, self.new.action(turn), self.new.chance(turn), events_before, self.new.facts(turn)
                )
        self.after = after

    def _as_of(self, turn: int) -> Game:
        """The state after a turn, with all later revisions."""
        recent = self._recent.get(turn)
        # a recent state is valid unless a later turn has revised what it was folded from
        if recent is not None and not any(number > turn >= first for number, first in self.old.changes):
            return recent.copy()
        whole = None if self._revision_draft.known_after else self.old
        base = nearest_base(self.system, self.log, turn, self.last, whole)
        fold(base.state, self.log.read(base.turn, turn), base.effective)
        return base.state

    def _special(self) -> Set[int]:
        """The turns whose outcome or place in either history is not simply their own."""
        special = {self.draft.number}
        for reading in (self.old, self.new):
            special.update(reading.undone, reading.redecided, reading.amended, reading.place, reading.late)
            special.update(reading.revisions, reading.with_revision_events)
        return special

    def _in_order(self, first: int, special: Set[int]) -> Iterator[tuple[int, Turn, bool, bool]]:
        """The turns from a place on in folding order: (place, turn, stood before, stands now)."""
        old, new = self.old, self.new
        for turn in self.log.read(after=first - 1, upto=self.last):
            number = turn.number
            if number not in special:
                yield number, turn, True, True
                continue
            stood = number not in old.undone and number not in old.place
            stands = number not in new.undone and number not in new.place
            if (stood or stands) and number not in old.revisions:
                yield number, turn, stood, stands
            if number in old.late or number in new.late:
                for late, was_here, is_here in _side_by_side(old.late.get(number, ()), new.late.get(number, ())):
                    stood, stands = was_here and old.stands(late.number), is_here and new.stands(late.number)
                    if stood or stands:
                        yield number, late, stood, stands

    def _remember(self, state: Game, facts: Sequence[Event]) -> None:
        for event in facts:
            event.fold(state)
        if self._draw_source is not REAL_DRAWS:
            self._draw_source.veil(state)

    def _pinned(self, turn: Turn) -> bool:
        number = turn.number
        pinned = isinstance(self.new.action(turn), AGREED) or self.new.kept(number)
        return number == 1 or (pinned and number not in self._amended)

    def _note_change(self, number: int, before: tuple[Event, ...] | None, after: tuple[Event, ...] | None) -> None:
        at = self._moved_in_changed.get(number)
        if at is not None:
            earlier = self.changed[at]
            before = earlier.before if before is None else before
            after = earlier.after if after is None else after
            self.changed[at] = self._changed_turn(number, before, after)
        elif before != after:
            if self.old.trunk(number) != self.new.trunk(number):
                self._moved_in_changed[number] = len(self.changed)
            self.changed.append(self._changed_turn(number, before, after))

    def _decide_draft(self, after: Game, turn: Turn) -> Game:
        recorded = self._draw_source.chance(self.recorded or {})
        lenient = self.recorded is not None
        chance = Chance(
            self._draw_source.seed(turn), recorded, lenient=lenient, used=self.used, pending_draws=self._pending_draws
        )
        decision = decide(self.system, after, turn.action, chance, turn.number, partial(self._last_change, turn.number))
        if draws := chance.draws():
            self.draws[turn.number] = draws
        seed = self.draft.seed if self._pending_draws is None else chance.seed
        self.draft = replace(self.draft, action=decision.action, seed=seed)
        self.draft_facts, self.draft_chance = tuple(decision.events), chance.record()
        note_numbers(self.draft_chance, self.used)
        return decision.state

    def _decide_again(
        self,
        turn: Turn,
        after: Game,
        action: Action,
        recorded: Mapping[str, StoredDrawn],
        events_before: tuple[Event, ...] | None,
        events_now: tuple[Event, ...],
    ) -> Game:
        """Decide one turn again in the state `after`, and return the state after it.

        `action` and `recorded` are its effective action and chance; `events_before` and `events_now` its outcome in
        the two histories (None: it did not stand).
        """
        number, amends = turn.number, turn.number in self._amended
        try:
            if amends:
                decision = self._decide_amended(turn, after)
            else:
                seed, recorded = turn.seed, chance_with_owners(recorded) if recorded else recorded
                if self._draw_source is not REAL_DRAWS:
                    seed, recorded = self._draw_source.seed(turn), self._draw_source.chance(recorded)
                    action = self._draw_source.action(action, after)
                decision = decide(self.system, after, action, Chance(seed, recorded, True, self.used), number)
                if self._as_announced and cards_differ(self.system, events_now, decision.events):
                    announced = {**recorded, **self.system.as_reports(events_now)}
                    decision = decide(self.system, after, action, Chance(seed, announced, True, self.used), number)
        except (Refusal, Invalid) as error:
            if amends:
                raise
            return self._in_the_way(turn, error, after, events_now, events_before)
        events, chance = tuple(decision.events), decision.chance
        for key, numbers in chance.given_out.items():
            self.used.add(key, numbers)
        if draws := chance.draws():
            self.draws[number] = draws
        if amends or events != events_now:
            self.redecisions.append(self._redecided(number, events, chance.record()))
        if events != events_before or number in self._moved_in_changed:
            self._note_change(number, events_before, events)
        return decision.state

    def _decide_amended(self, turn: Turn, after: Game) -> Decision[Any, Any, Any]:
        """Decide the amended turn with its new action; an unchanged action is just decided again."""
        action = with_names(self.new.action(turn), after)
        own = UsedNumbers()
        note_numbers(turn.chance, own)
        for redecision in self._redecisions_of(turn.number):
            note_numbers(redecision.chance, own)
        chance = Chance(
            self._draw_source.seed(turn),
            self._draw_source.chance(self.new.chance(turn)),
            lenient=action == self.old.action(turn),
            used=self.used,
            own=own,
        )
        decision = decide(self.system, after, action, chance, turn.number, partial(self._last_change, turn.number))
        amend = self.draft.action
        assert isinstance(amend, Amend)
        self.draft = replace(self.draft, action=amend.with_actions({turn.number: as_read_back(decision.action)}))
        return decision

    def _redecisions_of(self, number: int) -> Iterator[TurnRedecided]:
        """Every `TurnRedecided` about a turn, by standing turns and by others."""
        for turn in revising_turns(self.log, self._revision_draft.known_after, self.last):
            for event in turn.events:
                if isinstance(event, TurnRedecided) and event.turn == number:
                    yield event

    def _last_change(self, before: int, character: str, name: str) -> int | None:
        whole = (
            effective_history(self.log, self.last, draft=self.draft) if self._revision_draft.known_after else self.new
        )
        return last_change(self.system, self.log, character, name, before, whole)

    def _redecided(
        self, number: int, events: tuple[Event, ...], chance: dict[str, StoredDrawn], *, kept: bool = False
    ) -> TurnRedecided:
        kind = self._redecided_kind
        return kind(turn=number, events=events, chance=chance, kept=kept)

    def _in_the_way(
        self,
        turn: Turn,
        error: Refusal | Invalid,
        after: Game,
        events_now: tuple[Event, ...],
        events_before: tuple[Event, ...] | None,
    ) -> Game:
        if self.settle == "keep":
            self.redecisions.append(self._redecided(turn.number, events_now, dict(self.new.chance(turn)), kept=True))
            self._remember(after, events_now)
            self._note_change(turn.number, events_before, events_now)
            return after
        if turn.number in self.new.with_revision_events:
            raise _RevisionFalls(_later_turn(turn, error))
        if self.settle == "drop":
            self.redecisions.append(TurnUndone(turn.number))
        else:
            self.conflicts.append(_later_turn(turn, error))
        self._note_change(turn.number, events_before, None)
        return after


def cards_differ(system: RuleSystem, before: Sequence[Event] | None, after: Sequence[Event] | None) -> bool:
    """Whether a turn that stands before and after turns up other cards than were announced at the table."""
    if before is None or after is None:
        return False
    return [system.turned_up(event) for event in before] != [system.turned_up(event) for event in after]


def _later_turn(turn: Turn, error: Refusal | Invalid) -> LaterTurn:
    """The conflict of a turn with the error of deciding it again."""
    return LaterTurn(turn.number, error.rule if isinstance(error, Refusal) else None, error.reason)


def _side_by_side(old: Sequence[Turn], new: Sequence[Turn]) -> Iterator[tuple[Turn, bool, bool]]:
    """The turns that fold after one turn in two histories, merged: (turn, in the old one, in the new one)."""
    numbers = [turn.number for turn in old]
    still = set(numbers)
    at = 0
    for turn in new:
        while turn.number in still and numbers[at] != turn.number:
            # of two turns that changed order the first one comes at its old place, and again at its new one
            still.discard(numbers[at])
            yield old[at], True, False
            at += 1
        in_both = turn.number in still
        yield turn, in_both, True
        if in_both:
            still.discard(turn.number)
            at += 1
    for turn in old[at:]:
        yield turn, True, False
