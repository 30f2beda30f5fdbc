"""The command handler: decides an action and appends it to the log as one turn.

It has the state after the last turn that it read. If another writer appends first, it catches up and decides again.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from functools import partial
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.choice import Choice
from domain.common.revisions import Conflicts
from domain.log.backdating import NOW, Backdating, backdate
from domain.log.deciding import decide
from domain.log.effective_history import effective_history, reaches_back, restored_by
from domain.log.folding import counting_numbers, fold, last_change, note_turn, state_at, without_used_numbers
from domain.log.pending_draws import PendingDraws
from domain.log.port import AsOf, IdTaken, Log, NumberTaken, UncommittedLog
from domain.log.revising import Outcome, Revision
from domain.log.simulation import REAL_DRAWS, DrawSource
from domain.log.snapshots import EVERY, nearest_base, snapshot_of
from domain.refusal import Conflict, Invalid, Refusal
from domain.registry import record_types, system_of
from domain.system.chance import Chance
from domain.system.decision import Deciding
from domain.system.drafts import with_more
from domain.system.paragraphs import known_rule
from domain.system.state import Game
from domain.system.used_numbers import UsedNumbers
from domain.turn import Action, Event, StoredDrawn, Turn, TurnRedecided

#: The maximum of tries to append a turn while other writers are faster.
MOST_TRIES = 50
#: The refusal after that many tries.
BUSY = "The log is busy: others kept writing first. Try again."


class Command(Struct, frozen=True):
    """An action with the other fields of its turn: who logs it, by what, when, the id, the place and the citations."""

    action: Action
    by: str | None = None
    at: datetime | None = None
    turn_id: str | None = None
    backdating: Backdating = NOW
    cites: tuple[str, ...] = ()
    via: Literal["assistant"] | None = None

    @property
    def reaches_back(self) -> bool:
        return reaches_back(self.action, placed=bool(self.backdating))


class CommandHandler:
    """Appends turns to one log. Clock, ids and seeds are injected."""

    def __init__(
        self,
        log: Log,
        *,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
        new_seed: Callable[[], int],
        draw_source: DrawSource = REAL_DRAWS,
        pending_draws: PendingDraws | None = None,
    ) -> None:
        """`pending_draws` are those of this branch, default none; `draw_source` decides what is drawn."""
        self.log = log
        self.system = system_of(log.rules)
        self.new_id = new_id
        self._clock, self._new_seed = clock, new_seed
        self._draw_source = draw_source
        self._pending_draws = PendingDraws() if pending_draws is None else pending_draws
        self._start_over()

    def _start_over(self) -> None:
        """Forget what was read; the next `catch_up` begins with the nearest snapshot."""
        #: The last turn that was read.
        self.number = 0
        self._state: Game = self.system.opening()
        #: The numbers given out so far, including those of undone turns.
        self.used_numbers = UsedNumbers()
        self._snapshot_number = 0
        #: The states after the latest turns that were taken one by one, each as of its own turn.
        self._recent: dict[int, Game] = {}

    def last(self) -> int:
        """The number of the last turn: that of the current state."""
        self.catch_up()
        return self.number

    def state(self) -> Game:
        """The current state; not to be modified."""
        self.catch_up()
        return self._state

    def catch_up(self) -> None:
        """Fold the turns appended since; after a revision, start from the nearest snapshot that is still valid."""
        last = self.log.last()
        if last == self.number:
            return
        effective = effective_history(self.log, last, after=self.number) if self.number else None
        if effective is None or effective.revisions or effective.reach:
            base = nearest_base(self.system, self.log, last, last)
            self.number, self._state, effective = base.turn, base.state, base.effective
            self.used_numbers = base.used_numbers
            self._snapshot_number = self.number
        self._recent.clear()  # the latest of them is the same object as the state that is folded on
        fold(self._state, counting_numbers(self.log.read(after=self.number, upto=last), self.used_numbers), effective)
        self.number = last
        if last - self._snapshot_number >= EVERY:
            self._store_snapshot()

    def _store_snapshot(self) -> None:
        """Store a snapshot of the current state."""
        self.log.snapshots.store(snapshot_of(self.log, self.number, self._state, self.used_numbers))
        self._snapshot_number = self.number

    def record(
        self,
        action: Action,
        *,
        by: str | None = None,
        at: datetime | None = None,
        turn_id: str | None = None,
        dry_run: bool = False,
        branch_turn: Turn | None = None,
        backdating: Backdating = NOW,
        cites: Sequence[str] = (),
        via: Literal["assistant"] | None = None,
    ) -> Outcome:
        """Handle the command of these parts. Raises what `handle` raises."""
        command = Command(action, by, at, turn_id, backdating, tuple(cites), via)
        return self.handle(command, dry_run=dry_run, branch_turn=branch_turn)

    def handle(self, command: Command, *, dry_run: bool = False, branch_turn: Turn | None = None) -> Outcome:
        """Decide the action of a command and append it as one turn, at the place that its backdating names.

        If its `turn_id` is in the log already, that turn is returned and nothing is appended (idempotent retry). A dry
        run appends nothing and returns conflicts instead of raising them. `branch_turn` is a turn of another branch
        whose chance is used. The citations are paragraphs that the table names. Raises Invalid, Refusal, Conflict, and
        what `Log.append` raises.
        """
        action, turn_id = command.action, command.turn_id
        if turn_id is not None and (earlier := self.log.find(turn_id)) is not None:
            return self._repetition(earlier, action)
        seed = self._new_seed() if branch_turn is None else branch_turn.seed
        identity, time = turn_id or self.new_id(), (command.at or self._clock()).isoformat()
        with ExitStack() as lock:
            for attempt in range(MOST_TRIES):
                if attempt:
                    # entered again each time, because a broken connection releases the lock
                    lock.close()
                    lock.enter_context(self.log.exclusive_access())
                self.catch_up()
                draft = self._draft(command, identity, seed, time)
                with self._pending_draws.trying():
                    outcome, state = self._decide(draft, branch_turn, command.backdating.conflicts)
                    if dry_run:
                        return outcome
                    if outcome.conflicts:
                        raise Conflict(outcome.conflicts)
                outcome = replace(outcome, turn=outcome.whole_turn, redecisions=())
                try:
                    self.log.append(outcome.turn)
                    lock.close()  # on a server that is when it is saved
                except NumberTaken as taken:
                    # perhaps by this very turn: sent twice at once, or saved by an append that seemed to fail
                    if (earlier := self.log.find(identity)) is not None:
                        return self._repetition(earlier, action)
                    if isinstance(taken, IdTaken):
                        raise self._id_on_branch(identity) from None
                    continue
                self._pending_draws.remove_spent_seeds()
                if outcome.first_changed is not None and outcome.first_changed <= self._snapshot_number:
                    self._snapshot_number = outcome.first_changed - 1  # no snapshot from there on is valid any more
                self.accept(outcome.turn, state)
                return outcome
        raise Refusal(None, BUSY)

    def _draft(self, command: Command, identity: str = "", seed: int = 0, time: str | None = None) -> Turn:
        """The next turn, at its place, with nothing decided. Raises Refusal or Invalid for a place that is none."""
        own = self._state.campaign.paragraphs
        draft = record_types(self.log.rules).turn(
            number=self.number + 1,
            id=identity,
            at=time or (command.at or self._clock()).isoformat(),
            action=command.action,
            events=(),
            seed=seed,
            by=command.by,
            cites=tuple(
                dict.fromkeys(f"{self.system.cite} {known_rule(self.system, rule, own)}" for rule in command.cites)
            ),
            via=command.via,
            rules_version=self._new_version(),
        )
        return backdate(self.log, draft, command.backdating, keep_time=command.at is not None)

    def record_together(self, commands: Sequence[Command], *, dry_run: bool = False) -> list[Outcome]:
        """Record several commands that were entered as one line, all of them or none.

        Raises what `record` raises; a refusal names the action.
        """
        with ExitStack() as lock:
            for attempt in range(MOST_TRIES):
                if attempt and not dry_run:
                    lock.close()
                    lock.enter_context(self.log.exclusive_access())
                new_log = UncommittedLog(self.log)
                deciding = self.for_log(new_log, pending_draws=self._pending_draws)
                with self._pending_draws.trying():
                    outcomes = [_handle_one(deciding, commands, at) for at in range(len(commands))]
                if len(commands) > 1:
                    first = new_log.new_turns[0].number if new_log.new_turns else None
                    new_log.new_turns[:] = [replace(turn, together=first) for turn in new_log.new_turns]
                turns_by_id = {turn.id: turn for turn in new_log.new_turns}
                outcomes = [
                    replace(outcome, turn=turns_by_id.get(outcome.turn.id, outcome.turn)) for outcome in outcomes
                ]
                try:
                    if new_log.new_turns and not dry_run:
                        self.log.append_all(new_log.new_turns)
                        lock.close()
                except IdTaken:
                    elsewhere = (turn.id for turn in new_log.new_turns if self.log.find(turn.id) is None)
                    if (turn_elsewhere := next(filter(self.log.branch_of, elsewhere), None)) is not None:
                        raise self._id_on_branch(turn_elsewhere) from None
                    continue
                except NumberTaken:
                    continue
                if not dry_run:
                    self._pending_draws.remove_spent_seeds()
                return outcomes
        raise Refusal(None, BUSY)

    def _repetition(self, earlier: Turn, action: Action) -> Outcome:
        """The outcome of a turn that is sent again. Raises Invalid if the turn of that id has another action."""
        if earlier.action != action and not self._resolves_to(earlier, action):
            raise Invalid(
                f"The id {earlier.id[:40]!r} belongs to T{earlier.number}, which did something else; use another id."
            )
        return Outcome(earlier, repeated=True, restored=restored_by(self.log, earlier))

    def _id_on_branch(self, turn_id: str) -> Invalid:
        """The error for an id that is in use on another branch."""
        branch = self.log.branch_of(turn_id)
        on = f"branch {branch}" if branch else "another branch"
        return Invalid(f"The id {turn_id[:40]!r} belongs to a turn on {on}; use another id.")

    def _resolves_to(self, earlier: Turn, action: Action) -> bool:
        """Whether an action, decided at this turn, is stored as the action of the turn (with names as enrolled)."""
        handler_then = self.for_log(AsOf(self.log, earlier.number - 1))
        try:
            turn_then, _ = handler_then.decide_as_next(replace(earlier, action=action), chance=earlier.chance)
        except (Refusal, Invalid, Conflict):
            return False
        return turn_then.action == earlier.action

    def decide_as_next(self, turn: Turn, *, chance: Mapping[str, StoredDrawn]) -> tuple[Turn, Game]:
        """Decide the next turn of the log again with this chance: the turn and the state after it.

        Nothing is appended. Raises Refusal, Invalid, Conflict.
        """
        self.catch_up()
        if not reaches_back(turn.action, placed=turn.place is not None):  # as nearly all that verifying decides again
            chance = without_used_numbers(chance, self.used_numbers) if chance else chance
            decision = self._decide_once(turn, chance, None)
            events, record = tuple(decision.events), decision.chance.record()
            return replace(turn, action=decision.action, events=events, chance=record), decision.state
        conflicts: Conflicts | None = None
        if turn.place is not None:
            # the answer to its conflicts can be seen from its revision events
            conflicts = "keep" if any(isinstance(e, TurnRedecided) and e.kept for e in turn.events) else "drop"
        outcome, state = self._decide(replace(turn, events=(), chance={}), replace(turn, chance=chance), conflicts)
        if outcome.conflicts:
            raise Conflict(outcome.conflicts)
        return outcome.whole_turn, state

    def accept(self, turn: Turn, state: Game | None) -> None:
        """Accept a turn of the log as read, with the state after it; None: the state is folded on demand."""
        if state is None:
            self._start_over()
        else:
            note_turn(turn, self.used_numbers)
            self._state, self.number = state, turn.number
            self._recent[turn.number] = state
            self._recent.pop(turn.number - EVERY, None)
            if turn.number - self._snapshot_number >= EVERY:
                self._store_snapshot()

    def _new_version(self) -> int | None:
        """The version of the rules to record on the next turn; None if it is that of the last one."""
        version = self.system.version
        return None if self.used_numbers.version in (version, 0) else version

    def adoption_turn(self, number: int, action: Action, revision_events: Sequence[Event]) -> Turn:
        """The turn that ends an adoption: nothing is decided for it, and its events pin turns that are kept."""
        self.catch_up()
        return record_types(self.log.rules).turn(
            number=number,
            id=self.new_id(),
            at=self._clock().isoformat(),
            action=action,
            events=tuple(revision_events),
            seed=self._new_seed(),
            rules_version=self._new_version(),
        )

    def for_log(
        self, log: Log, *, pending_draws: PendingDraws | None = None, draw_source: DrawSource | None = None
    ) -> "CommandHandler":
        """A handler with the same clock and ids for another log; `draw_source` default: the same."""
        draw_source = self._draw_source if draw_source is None else draw_source
        return CommandHandler(
            log,
            clock=self._clock,
            new_id=self.new_id,
            new_seed=self._new_seed,
            draw_source=draw_source,
            pending_draws=pending_draws,
        )

    def simulating(self, draw_source: DrawSource) -> "CommandHandler":
        """A handler for previews, on this log with another source of draws."""
        self.catch_up()
        simulator = CommandHandler(
            self.log, clock=self._clock, new_id=self.new_id, new_seed=self._new_seed, draw_source=draw_source
        )
        simulator.number, simulator._snapshot_number, simulator._state = self.number, self.number, self._state.copy()
        simulator.used_numbers = self.used_numbers.copy()
        return simulator

    def _decide(self, draft: Turn, branch_turn: Turn | None, conflicts: Conflicts | None) -> tuple[Outcome, Game]:
        """Decide a draft turn, with the turns that it revises: the outcome and the state after it."""
        chance_on_record = None if branch_turn is None else without_used_numbers(branch_turn.chance, self.used_numbers)
        # only a turn that is really decided for the first time uses up what is pending
        pending = self._pending_draws if branch_turn is None and self._draw_source is REAL_DRAWS else None
        if reaches_back(draft.action, placed=draft.place is not None):
            revision = Revision(
                self.system,
                self.log,
                self.used_numbers,
                draft,
                conflicts=conflicts,
                recorded_chance=chance_on_record,
                pending_draws=pending,
                recent=self._recent if self._draw_source is REAL_DRAWS else None,
            )
            # the revision has the state after the draft already, so that it need not be folded again
            outcome = revision.outcome(self._draw_source)
            state = outcome.state or self._state
            return replace(outcome, state=state), state
        decision = self._decide_once(draft, chance_on_record, pending)
        chance = decision.chance
        events = tuple(decision.events)
        turn = replace(draft, action=decision.action, events=events, chance=chance.record(), seed=chance.seed)
        return Outcome(turn, draws={turn.number: chance.draws()}, state=decision.state), decision.state

    def _decide_once(
        self, turn: Turn, chance_on_record: Mapping[str, StoredDrawn] | None, pending: PendingDraws | None
    ) -> Deciding:
        """Decide a turn that revises nothing against the current state, with its chance if it has one on record."""
        state, seed, known_chance = self._state, turn.seed, chance_on_record or {}
        if self._draw_source is not REAL_DRAWS:
            state = self._draw_source.reordered(state)
            seed, known_chance = self._draw_source.seed(turn), self._draw_source.chance(known_chance)
        chance = Chance(
            seed,
            known_chance,
            chance_on_record is not None,
            self.used_numbers,
            seed_of=None if pending is None else pending.seed,
        )
        return decide(self.system, state, turn.action, chance, turn.number, partial(last_change, self.system, self.log))

    def state_at_place(self, action: Action, backdating: Backdating) -> Game:
        """The state in which an action is decided at the place that `backdating` names. Raises Refusal, Invalid."""
        self.catch_up()
        place = self._draft(Command(action, backdating=backdating)).place if backdating else None
        return self._state if place is None else state_at(self.system, self.log, place)

    def facts_with_own_draws(self, action: Action) -> Sequence[Event]:
        """The facts of an action with its own draws, which stay pending; empty if it is refused."""
        facts: Sequence[Event] = ()
        try:
            with self._pending_draws.trying():
                facts = self.record(action, dry_run=True).turn.facts
                raise Refusal(None, "Asked before it is done.")
        except (Refusal, Invalid, Conflict):
            return facts

    def revision_of(self, command: Command) -> Revision | None:
        """The revision that a command would be; it is not recorded, and nothing is decided yet.

        None if it reaches back to no turn, or is in the log already. Raises Refusal or Invalid for turns that it cannot
        name.
        """
        self.catch_up()
        draft = self._draft(command)
        is_saved = command.turn_id is not None and self.log.find(command.turn_id) is not None
        if is_saved or not reaches_back(draft.action, placed=draft.place is not None):
            return None
        conflicts = command.backdating.conflicts
        return Revision(self.system, self.log, self.used_numbers, draft, conflicts=conflicts, recent=self._recent)


def one_of_several(reason: str, number: int, count: int) -> str:
    """The reason why one of several commands, and hence none of them, is done."""
    return f"Not done: {reason.removesuffix('.')} ({number} of {count})" if count > 1 else reason


def _handle_one(deciding: CommandHandler, commands: Sequence[Command], at: int) -> Outcome:
    """Handle the command at index `at`; a refusal says which of them it is about."""
    try:
        return deciding.handle(commands[at])
    except (Refusal, Invalid) as error:
        if len(commands) == 1:
            raise
        reason = one_of_several(error.reason, at + 1, len(commands))
        if not isinstance(error, Refusal):
            raise Invalid(reason) from None
        raise Refusal(error.rule, reason, error.choices or _the_other(deciding, commands, at)) from None


def _the_other(deciding: CommandHandler, commands: Sequence[Command], at: int) -> Sequence[Choice]:
    """Of two commands the one that can be done without that at index `at`: `d wen 5`, where `d brog wen 5` cannot."""
    other = commands[1 - at]
    if len(commands) > 2 or type(other.action) is not type(commands[at].action) or other.backdating:
        return ()
    if at == 0:
        try:
            deciding.handle(other)
        except (Refusal, Invalid):
            return ()
    return (with_more(other.action, ""),)
