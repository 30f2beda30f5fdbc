"""Revising: the effect on later turns of a draft turn that revises earlier ones, or folds among them.

Undo, redo, amend, a late entry and a ruling with `since` are one procedure: compare the effective history with and
without the draft turn; from the first place where they differ, decide every standing turn again, in folding order and
with its recorded chance; and add a revision event for each outcome that differs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import partial
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.common.revisions import Amend, Conflicts, Redo
from domain.common.sheets import Override, SheetCheck
from domain.log.deciding import decide, with_names
from domain.log.effective_history import effective_history, restored_by, revising_turns
from domain.log.folding import fold, last_change, note_numbers
from domain.log.pending_draws import PendingDraws
from domain.log.port import Log
from domain.log.revision_draft import RevisionDraft, as_read_back
from domain.log.simulation import REAL_DRAWS, DrawSource
from domain.log.snapshots import nearest_base
from domain.log.upcasts import chance_with_owners
from domain.refusal import Invalid, LaterTurn, Refusal
from domain.registry import record_types
from domain.system.chance import Chance, Draw
from domain.system.decision import Deciding, Decision
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
    #: What is certain of `after` although it is open.
    certain: tuple[Event, ...] = ()


class Outcome(Struct, frozen=True):
    """A decided turn, its changes of earlier turns, and its conflicts with later turns (dry runs only)."""

    #: In a dry run without the revision events for outcomes that differ: there may be as many as turns.
    turn: Turn
    changed: Sequence[ChangedTurn] = ()
    conflicts: tuple[LaterTurn, ...] = ()
    #: In a dry run the events that the turn lacks.
    redecisions: Sequence[Event] = ()
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
        return replace(self.turn, events=(*self.turn.events, *self.redecisions))


#: Actions whose turns are never decided again, because they record what the table agreed on.
NEVER_REDECIDED = (Override, SheetCheck)
#: What a revising turn itself does to an earlier one, before anything is decided again.
DirectChange = Literal["undone", "restored", "amended"]


class Revision:
    """The revision of a log by one draft turn that revises earlier turns, or folds before later ones."""

    def __init__(
        self,
        system: RuleSystem,
        log: Log,
        used_numbers: UsedNumbers,
        draft: Turn,
        *,
        conflicts: Conflicts | None = None,
        recorded_chance: Mapping[str, StoredDrawn] | None = None,
        pending_draws: PendingDraws | None = None,
        recent: Mapping[int, Game] | None = None,
    ) -> None:
        """Find what the draft revises; nothing is decided yet. Raises Refusal for turns that cannot be revised so.

        `conflicts` is the answer for conflicts if the draft's action has none. `recorded_chance` is the chance of a
        turn of another branch, to be used for the draft. The draft uses `pending_draws` first. `recent` are states by
        turn, each as of that turn.
        """
        self.pending_draws, self._recent = pending_draws, recent or {}
        self.log, self.system, self.used_numbers = log, system, used_numbers
        own_answer: Conflicts | None = getattr(draft.action, "conflicts", None)
        #: What to do with later turns that are not legal any more: "drop", "keep", or None to list them.
        self.conflict_answer = own_answer or conflicts
        #: The source of draws whose revision events are wanted.
        self.main_source = REAL_DRAWS
        #: Whether later turns turn up the cards again that were announced at the table. Only if the action itself
        #: says so, because the answer for a late entry is not recorded.
        self.keeps_announced_cards = own_answer == "keep"
        self.recorded_chance = recorded_chance
        self._revision_draft = RevisionDraft(log, draft)
        self.last, self.draft = self._revision_draft.last, self._revision_draft.turn
        #: The turns that the draft itself amends.
        self.amended_turns = frozenset(draft.action.new_actions) if isinstance(draft.action, Amend) else frozenset()
        self._compare()

    def _compare(self) -> None:
        """Read the effective histories without the draft and with it, and after which turn they are known."""
        read = self._revision_draft
        self.old, self.new, self.known_after = read.effective, read.history(self.draft), read.known_after

    def _compare_everything(self) -> None:
        self._revision_draft.read_everything()
        self._compare()

    # -- deciding again ----------------------------------------------------------------------------------

    def outcome(self, draw_source: DrawSource = REAL_DRAWS) -> Outcome:
        """The draft turn with all revision events, and the changes it makes. Raises Refusal and Invalid.

        `draw_source` decides what is drawn, and the order of face-down cards.
        """
        (outcome,) = self.outcomes((draw_source,))
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def outcomes(self, draw_sources: Sequence[DrawSource]) -> list[Outcome | Refusal | Invalid]:
        """The outcome or the error with each of these sources; only one if it is the same with all of them.

        Only the outcome with the first source has the revision events.
        """
        self.main_source = draw_sources[0]
        outcomes: dict[int, Outcome | Refusal | Invalid] = {}
        waiting = [(self.draft, list[LaterTurn](), draw_sources)]
        while waiting:
            self.draft, illegal_late_entries, sources = waiting.pop()
            if illegal_late_entries:
                self._compare_everything()
            for replay in self._replays(sources):
                if replay.illegal_late_entry is None:
                    outcome = replay.error or self._outcome(replay, illegal_late_entries)
                    outcomes[draw_sources.index(replay.draw_source)] = outcome
                else:
                    # its revisions lose their effect too, so that turns further back change
                    further = TurnUndone(replay.illegal_late_entry.turn)
                    draft = replace(replay.draft, events=(*replay.draft.events, further))
                    waiting.append((draft, [*illegal_late_entries, replay.illegal_late_entry], replay.draw_sources))
        return [outcomes[at] for at in sorted(outcomes)]

    def _outcome(self, replay: "Replay", illegal_late_entries: Sequence[LaterTurn]) -> Outcome:
        """What a replay came to; `illegal_late_entries` are those that it found before."""
        turn = replace(
            replay.draft,
            events=(*replay.draft_facts, *replay.draft.events),
            chance={**replay.draft.chance, **replay.draft_chance},
        )
        conflicts = [*replay.conflicts, *(() if self.conflict_answer == "drop" else illegal_late_entries)]
        all_conflicts = tuple(sorted(conflicts, key=lambda conflict: conflict.turn))
        return Outcome(
            turn,
            replay.changes(),
            all_conflicts,
            replay.redecisions,
            draws=replay.draws,
            moved=self._moved(),
            restored=restored_by(self.log, turn),
            state=replay.after,
            first_changed=dict(self.new.changes).get(self.draft.number),
        )

    def _moved(self) -> dict[int, int | None]:
        """The turns that are moved by an amendment, or back by undoing one."""
        old, new = self.old, self.new
        numbers = sorted(number for number in old.new_place.keys() | new.new_place.keys() if old.stands(number))
        return {
            number: new.place.get(number)
            for number in numbers
            if new.stands(number) and old.place.get(number) != new.place.get(number)
        }

    def _replays(self, draw_sources: Sequence[DrawSource]) -> list["Replay"]:
        """Decide again all turns that need it, with each of these sources."""
        first, furthest = self.draft.number, 0
        for number in self._differing():
            places = (self.old.trunk(number), self.new.trunk(number))
            first, furthest = min(first, *places), max(furthest, *places)
        if self.known_after and first <= self.known_after:
            # a ruling folds further back than its `since`, or a turn folds after one that is a late entry itself
            self._compare_everything()
            return self._replays(draw_sources)
        if not furthest:
            return [Replay(self, draw_sources, self.system.opening())]
        return self._decide_from(first, furthest, draw_sources)

    def direct_changes(self) -> dict[int, DirectChange]:
        """The turns that the draft itself undoes, restores or amends, before anything is decided again."""
        action, old, new = self.draft.action, self.old.undone_by.keys(), self.new.undone_by.keys()
        if isinstance(action, Amend):
            return dict.fromkeys(action.new_actions, "amended")
        # a redo undoes an undo; its targets are the turns of that undo
        undone_by_draft = {event.turn for event in self.draft.events if isinstance(event, TurnUndone)}
        differing = (old ^ new) - (undone_by_draft if isinstance(action, Redo) else set())
        return {number: "undone" if number in new else "restored" for number in sorted(differing)}

    def _differing(self) -> Iterator[int]:
        """The turns that the two histories differ about, perhaps more than once."""
        for history in (self.old, self.new):
            for about in (history.undone_by, history.redecided_by, history.amendments, history.place):
                yield from filter(self._differs, about)

    def _differs(self, number: int) -> bool:
        old, new = self.old, self.new
        return (
            (number in old.undone_by) != (number in new.undone_by)
            or old.redecided_by.get(number) != new.redecided_by.get(number)
            or old.amendments.get(number) != new.amendments.get(number)
            or old.place.get(number) != new.place.get(number)
        )

    def _last_out_of_reach(self) -> int:
        """The last turn that no standing revision reaches across: turns up to it are never decided again."""
        last_out_of_reach = self.draft.number - 1
        for number, first in sorted(self.new.reach.items(), reverse=True):
            if first <= last_out_of_reach < number:
                last_out_of_reach = first - 1
        return last_out_of_reach

    def _decide_from(self, first: int, furthest: int, draw_sources: Sequence[DrawSource]) -> list["Replay"]:
        """Decide the turns from place `first` on again; behind `furthest` only while the draft makes a difference.

        `before` is folded along with the replays: it is the state without the draft. While a replay is in the same
        state, a turn about which the two histories agree need not be decided; behind `furthest` the replay is over.
        """
        before = self._as_of(first - 1)  # up to here the two histories are the same
        # what lies face down may come to light at once, so that no replay stands for another
        groups = [(source,) for source in draw_sources] if draw_sources[0].reorders else [draw_sources]
        replays = [Replay(self, group, before) for group in groups]
        draft, old, new = self.draft.number, self.old, self.new
        last_out_of_reach, special = self._last_out_of_reach(), self._special()
        for place, turn, stood, stands in self._in_fold_order(first, special):
            number, action, recorded_chance = turn.number, turn.action, turn.chance
            is_never_redecided = number <= last_out_of_reach
            events_before: tuple[Event, ...] | None
            events_now: tuple[Event, ...] | None
            if number not in special:  # as nearly all of them: in both histories it comes to its own events
                stays = True
                events_before = events_now = tuple(turn.events)
                recorded_chance = chance_with_owners(recorded_chance) if recorded_chance else recorded_chance
                is_never_redecided = is_never_redecided or number == 1 or isinstance(action, NEVER_REDECIDED)
            else:
                stays = stood and not self._differs(number)
                events_before = old.facts(turn) if stood else None
                events_now = new.facts(turn) if stands and number != draft else None
                if number == draft:
                    recorded_chance = self.recorded_chance or {}
                elif stands:
                    action, recorded_chance = new.action(turn), new.chance(turn)
                    pinned = isinstance(action, NEVER_REDECIDED) or new.kept(number)
                    is_never_redecided |= number == 1 or (pinned and number not in self.amended_turns)
            results: list[DecisionResult] = []
            for replay in replays:  # and those that begin to differ from one of them meanwhile
                if replay.is_over:
                    continue
                is_same = replay.draw_source.equals_reordered(replay.state, before)
                if is_same and place > furthest:
                    replay.is_over = True
                elif events_now is None and number != draft:
                    replay.note_change(number, events_before, None)
                elif events_now is not None and (is_never_redecided or (is_same and stays)):
                    replay.remember(number, events_before, events_now)
                else:
                    result = replay.decide(turn, action, recorded_chance, events_now, results)
                    if result.has_drawn:
                        replays += replay.divide()
                    replay.accept(turn, result, events_before, events_now)
            for event in events_before or ():
                event.fold(before)
            if replays[0].is_over and all(replay.is_over for replay in replays):
                return replays
        for replay in replays:
            replay.after = None if replay.is_over else replay.state
        return replays

    def _as_of(self, turn: int) -> Game:
        """The state after a turn, with all later revisions."""
        recent = self._recent.get(turn)
        # a recent state is valid unless a later turn has revised what it was folded from
        if recent is not None and not any(number > turn >= first for number, first in self.old.changes):
            return recent.copy()
        whole = None if self.known_after else self.old
        base = nearest_base(self.system, self.log, turn, self.last, whole)
        fold(base.state, self.log.read(base.turn, turn), base.effective)
        return base.state

    def _special(self) -> Set[int]:
        """The turns whose outcome or place in either history is not simply their own."""
        special = {self.draft.number}
        for history in (self.old, self.new):
            special.update(history.undone_by, history.redecided_by, history.amendments, history.place, history.late)
            special.update(history.revisions, history.with_revision_events)
        return special

    def _in_fold_order(self, first: int, special: Set[int]) -> Iterator[tuple[int, Turn, bool, bool]]:
        """The turns from a place on in folding order: (place, turn, stood before, stands now)."""
        old, new = self.old, self.new
        for turn in self.log.read(after=first - 1, upto=self.last):
            number = turn.number
            if number not in special:
                yield number, turn, True, True
                continue
            stood = number not in old.undone_by and number not in old.place
            stands = number not in new.undone_by and number not in new.place
            if (stood or stands) and number not in old.revisions:
                yield number, turn, stood, stands
            if number in old.late or number in new.late:
                for late, was_here, is_here in _side_by_side(old.late.get(number, ()), new.late.get(number, ())):
                    stood, stands = was_here and old.stands(late.number), is_here and new.stands(late.number)
                    if stood or stands:
                        yield number, late, stood, stands


class DecisionResult(Struct, frozen=True):
    """The result of deciding a turn again: a decision, or the error."""

    value: Deciding | Refusal | Invalid
    #: Whether it drew, so that another source of draws may come to something else in the same state.
    has_drawn: bool
    #: The state that it was decided in, and the chance that was on record.
    state: Game
    recorded_chance: Mapping[str, StoredDrawn]


class Replay:
    """The turns decided again with one source of draws: the state, the outcomes that differ, and the conflicts."""

    def __init__(self, revision: Revision, draw_sources: Sequence[DrawSource], before: Game) -> None:
        """All of these sources come to the same so far; the first is used. `before` is the state before all."""
        self._revision, self.draw_sources, self.draw_source = revision, draw_sources, draw_sources[0]
        self.draft = revision.draft
        self.draft_facts: tuple[Event, ...] = ()
        self.draft_chance: dict[str, StoredDrawn] = {}
        # a copy, because a dry run or a conflict does not use numbers up
        self.used_numbers = revision.used_numbers.copy()
        self._redecided_kind = record_types(revision.log.rules).redecided
        #: The revision events for outcomes that differ, if they are wanted.
        self.redecisions: list[Event] = []
        self._has_events = self.draw_source is revision.main_source
        self._changed: list[ChangedTurn] = []
        #: A turn that is moved, itself or behind one that is, is met at its old place and at its new one: where it is
        #: in `_changed`.
        self._moved_in_changed: dict[int, int] = {}
        self.conflicts: list[LaterTurn] = []
        self.draws: dict[int, tuple[Draw, ...]] = {}
        #: The state after the last turn that was decided.
        self.state = self.draw_source.reordered(before).copy()
        #: The state after all of them; None if it is the same as before.
        self.after: Game | None = None
        #: Whether no further turn is decided.
        self.is_over = False
        #: The error of the draft, or of a turn that it amends.
        self.error: Refusal | Invalid | None = None
        #: A late entry that is not legal any more. Its revision events lose their effect, so all is decided anew.
        self.illegal_late_entry: LaterTurn | None = None

    def divide(self) -> list["Replay"]:
        """A replay for each of the other sources, from here on."""
        others = [Replay(self._revision, (source,), self.state) for source in self.draw_sources[1:]]
        self.draw_sources = (self.draw_source,)
        for other in others:
            other.draft, other.draft_facts, other.draft_chance = self.draft, self.draft_facts, dict(self.draft_chance)
            other.used_numbers, other._changed = self.used_numbers.copy(), self._changed.copy()
            other._moved_in_changed, other.conflicts = dict(self._moved_in_changed), list(self.conflicts)
            other.draws = dict(self.draws)
        return others

    def changes(self) -> Sequence[ChangedTurn]:
        """The changes of earlier turns; a turn that is moved may come to the same at its new place."""
        moves = [self._changed[at] for at in self._moved_in_changed.values()]
        if all(change.before != change.after for change in moves):
            return self._changed
        return tuple(change for change in self._changed if change.before != change.after)

    def remember(self, number: int, before: tuple[Event, ...] | None, now: tuple[Event, ...]) -> None:
        """Fold a turn that is not decided again, with its outcome in the history with the draft."""
        for event in now:
            event.fold(self.state)
        self.state = self.draw_source.reordered(self.state)
        if before is not now:
            self.note_change(number, before, now)

    def note_change(self, number: int, before: tuple[Event, ...] | None, after: tuple[Event, ...] | None) -> None:
        """Note the outcome of a turn if it differs; None: it does not stand."""
        at = self._moved_in_changed.get(number)
        if at is not None:
            earlier = self._changed[at]
            before = earlier.before if before is None else before
            after = earlier.after if after is None else after
            self._changed[at] = ChangedTurn(number, before, after)
        elif before != after:
            if self._revision.old.trunk(number) != self._revision.new.trunk(number):
                self._moved_in_changed[number] = len(self._changed)
            self._changed.append(ChangedTurn(number, before, after))

    # -- one turn ----------------------------------------------------------------------------------------

    def decide(
        self,
        turn: Turn,
        action: Action,
        recorded_chance: Mapping[str, StoredDrawn],
        events_now: tuple[Event, ...] | None,
        results: list[DecisionResult],
    ) -> DecisionResult:
        """Decide one turn with its effective action and chance; the replay does not change yet.

        `events_now` is its outcome in the effective history with the draft; None for the draft. `results` is
        what it came to in other replays.
        """
        source, revision, number = self.draw_source, self._revision, turn.number
        if number == revision.draft.number or number in revision.amended_turns:
            return self._decide_new_action(turn, action, recorded_chance)
        recorded_chance, action = source.chance(recorded_chance), source.action(action, self.state)
        for earlier in results:
            if earlier.recorded_chance is recorded_chance and earlier.state == self.state:
                assert isinstance(earlier.value, Decision)
                return replace(earlier, value=replace(earlier.value, state=earlier.value.state.copy()))
        result = self._attempt(
            turn, action, recorded_chance, Chance(source.seed(turn), recorded_chance, True, self.used_numbers)
        )
        if revision.keeps_announced_cards and isinstance(result.value, Decision):
            assert events_now is not None
            if cards_differ(revision.system, events_now, result.value.events):
                announced = {**recorded_chance, **revision.system.as_reports(events_now)}
                again = self._attempt(
                    turn, action, recorded_chance, Chance(source.seed(turn), announced, True, self.used_numbers)
                )
                result = replace(again, has_drawn=result.has_drawn or again.has_drawn)
        # the next number to give out depends on the turns before, which may have drawn
        if not result.has_drawn and isinstance(result.value, Decision) and not result.value.chance.given_out:
            results.append(result)
        return result

    def _decide_new_action(
        self, turn: Turn, action: Action, recorded_chance: Mapping[str, StoredDrawn]
    ) -> DecisionResult:
        """Decide the draft, or an amended turn with its new action; an unchanged action is just decided again."""
        source, revision, own = self.draw_source, self._revision, UsedNumbers()
        chance = Chance(
            source.seed(turn),
            source.chance(recorded_chance),
            lenient=revision.recorded_chance is not None,
            used_numbers=self.used_numbers,
            own=own,
        )
        if turn.number == revision.draft.number:
            chance.seed_of = None if revision.pending_draws is None else revision.pending_draws.seed
        else:
            note_numbers(turn.chance, own)
            for revising in revising_turns(revision.log, revision.known_after, revision.last):
                for event in revising.events:  # those of turns that do not stand too
                    if isinstance(event, TurnRedecided) and event.turn == turn.number:
                        note_numbers(event.chance, own)
            try:
                chance.lenient = with_names(action, self.state) == revision.old.action(turn)
            except (Refusal, Invalid) as error:
                return DecisionResult(error, False, self.state, recorded_chance)
        return self._attempt(turn, action, recorded_chance, chance, partial(self._last_change, turn.number))

    def _attempt(
        self,
        turn: Turn,
        action: Action,
        recorded_chance: Mapping[str, StoredDrawn],
        chance: Chance,
        last_change: Callable[[str, str], int | None] | None = None,
    ) -> DecisionResult:
        """Decide a turn in the state of this replay; an error of the rules is a result too."""
        value: Deciding | Refusal | Invalid
        try:
            value = decide(self._revision.system, self.state, action, chance, turn.number, last_change)
        except (Refusal, Invalid) as error:
            value = error
        return DecisionResult(value, bool(chance.draws()), self.state, recorded_chance)

    def _last_change(self, before: int, character: str, name: str) -> int | None:
        revision = self._revision
        whole = (
            effective_history(revision.log, revision.last, draft=self.draft) if revision.known_after else revision.new
        )
        return last_change(revision.system, revision.log, character, name, before, whole)

    def accept(
        self,
        turn: Turn,
        result: DecisionResult,
        events_before: tuple[Event, ...] | None,
        events_now: tuple[Event, ...] | None,
    ) -> None:
        """Go on from what deciding a turn came to.

        `events_before` and `events_now` are its outcome in the two effective histories; None: it does not stand.
        """
        revision, number, decision = self._revision, turn.number, result.value
        amends = number in revision.amended_turns
        if not isinstance(decision, Decision):
            if amends or events_now is None:
                self.error, self.is_over = decision, True
            else:
                self._note_conflict(turn, decision, events_before, events_now)
            return
        self.state, events, chance = decision.state, tuple(decision.events), decision.chance
        if result.has_drawn and (draws := chance.draws()):
            self.draws[number] = draws
        if events_now is None:
            seed = self.draft.seed if revision.pending_draws is None else chance.seed
            self.draft = replace(self.draft, action=decision.action, seed=seed)
            self.draft_facts, self.draft_chance = events, chance.record()
            note_numbers(self.draft_chance, self.used_numbers)
            return
        if amends:
            amend = self.draft.action
            assert isinstance(amend, Amend)
            self.draft = replace(self.draft, action=amend.with_actions({number: as_read_back(decision.action)}))
        for key, numbers in chance.given_out.items():
            self.used_numbers.add(key, numbers)
        if amends or events != events_now:
            self._redecide(number, events, chance.record())
        if events != events_before or number in self._moved_in_changed:
            self.note_change(number, events_before, events)

    def _redecide(
        self, number: int, events: tuple[Event, ...], chance: dict[str, StoredDrawn], *, kept: bool = False
    ) -> None:
        """Add the revision event for the new outcome of a turn."""
        if self._has_events:
            self.redecisions.append(self._redecided_kind(turn=number, events=events, chance=chance, kept=kept))

    def _note_conflict(
        self,
        turn: Turn,
        error: Refusal | Invalid,
        events_before: tuple[Event, ...] | None,
        events_now: tuple[Event, ...],
    ) -> None:
        """Go on from a later turn that is not legal any more, as the answer for conflicts says."""
        revision, number = self._revision, turn.number
        if revision.conflict_answer == "keep":
            self._redecide(number, events_now, dict(revision.new.chance(turn)), kept=True)
            self.remember(number, events_before, events_now)
            return
        if number in revision.new.with_revision_events:
            self.illegal_late_entry, self.is_over = _later_turn(turn, error), True
            return
        if revision.conflict_answer == "drop":
            if self._has_events:
                self.redecisions.append(TurnUndone(number))
        else:
            self.conflicts.append(_later_turn(turn, error))
        self.note_change(number, events_before, None)


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
