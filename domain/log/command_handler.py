"""The command handler: an action in, a decided and appended turn out.

It holds the state after the last turn that it read. If another writer appends first, it reads on and decides again.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from domain.common.revisions import Amend, Conflicts, Redo, Undo
from domain.common.rulings import Ruling
from domain.log.backdating import NOW, Backdating, backdated
from domain.log.deciding import decide, with_names
from domain.log.effective_history import effective_history, restored_by
from domain.log.folding import counted, fold, last_change, note_turn, state_at
from domain.log.pending_draws import PendingDraws
from domain.log.port import AsOf, IdTaken, Log, NumberTaken, UncommittedLog
from domain.log.revising import Asked, Outcome, Revision
from domain.log.simulation import REAL_DRAWS, FaceDown, RealDraws, Simulation
from domain.log.snapshots import EVERY, nearest_base, snapshot_of
from domain.refusal import Conflict, Invalid, Refusal, ReportedShort, Unreported
from domain.registry import record_types, system_of
from domain.system.chance import COUNTED, Chance, draws
from domain.system.decision import Deciding
from domain.system.drafts import Draft
from domain.system.paragraphs import known_rule
from domain.system.pending import PendingDecision
from domain.system.state import Game
from domain.system.used_numbers import UsedNumbers
from domain.turn import Action, Event, StoredDrawn, Turn, TurnRedecided

#: How often a turn is decided again because somebody else was faster.
MOST_TRIES = 50
#: So many cards and dice are put into an example of what the table reports.
MOST_REPORTED = 60
#: What is said when that was not enough.
BUSY = "The log is busy: others kept writing first. Try again."
#: Actions that change how earlier turns read wherever they fold.
DECIDED_BY_REVISION = frozenset({Undo, Redo, Amend})


def _reaches_back(draft: Turn) -> bool:
    """Whether a draft turn changes how earlier turns read, or folds behind one of them."""
    action = draft.action
    if type(action) in DECIDED_BY_REVISION or draft.place is not None:
        return True
    return isinstance(action, Ruling) and action.since is not None


class Command(Struct, frozen=True):
    """An action with what is recorded beside it: who says so, when, under which id, where it folds, what it cites."""

    action: Action
    by: str | None = None
    at: datetime | None = None
    turn_id: str | None = None
    backdating: Backdating = NOW
    cites: tuple[str, ...] = ()


class CommandHandler:
    """Appends turns to one log. The clock, the ids and the seeds come from outside."""

    def __init__(
        self,
        log: Log,
        *,
        clock: Callable[[], datetime],
        new_id: Callable[[], str],
        new_seed: Callable[[], int],
        draw_source: RealDraws = REAL_DRAWS,
        pending_draws: PendingDraws | None = None,
    ) -> None:
        """`pending_draws` are those of this branch; default: none so far. `draw_source` says what is drawn."""
        self.log = log
        self.system = system_of(log.rules)
        self._clock, self._new_id, self._new_seed = clock, new_id, new_seed
        self._draw_source = draw_source
        self._pending_draws = PendingDraws() if pending_draws is None else pending_draws
        self._forget()

    def _forget(self) -> None:
        self._number = 0
        self._state: Game = self.system.opening()
        self._used = UsedNumbers()
        self._kept = 0
        #: The states after the latest turns that were taken one by one, each as it was when that turn was the last.
        self._recent: dict[int, Game] = {}

    @property
    def number(self) -> int:
        """The number of the last turn read."""
        return self._number

    def state(self) -> Game:
        """The state now. Not to be changed."""
        self.catch_up()
        return self._state

    def keepable(self) -> tuple[Game, UsedNumbers]:
        """The state now, with the numbers given out up to here. Not to be changed."""
        return self.state(), self._used

    def catch_up(self) -> None:
        """Read what was appended since; after a revision, go on from the nearest snapshot that it leaves alone."""
        last = self.log.last()
        if last == self._number:
            return
        effective = effective_history(self.log, last, after=self._number) if self._number else None
        if effective is None or effective.revisions or effective.reach:
            base = nearest_base(self.system, self.log, last, last)
            self._number, self._state, self._used, effective = base.turn, base.state, base.used, base.effective
            self._kept = self._number
        self._recent.clear()  # the latest of them is the very state that is folded on
        fold(self._state, counted(self.log.read(after=self._number, upto=last), self._used), effective)
        self._number = last
        if last - self._kept >= EVERY:
            self._keep_snapshot()

    def _keep_snapshot(self) -> None:
        """Keep a snapshot of the state now."""
        self.log.snapshots.keep(snapshot_of(self.log, self._number, self._state, self._used))
        self._kept = self._number

    def record(
        self,
        action: Action,
        *,
        by: str | None = None,
        at: datetime | None = None,
        turn_id: str | None = None,
        dry_run: bool = False,
        again: Turn | None = None,
        backdating: Backdating = NOW,
        cites: Sequence[str] = (),
    ) -> Outcome:
        """Decide the action and append it as one turn, folding where `telling` says that it happened.

        `turn_id` that is in the log already: that turn is the answer and nothing is appended. Raises
        Invalid, Refusal, Conflict, and what `Log.append` raises. A dry run appends nothing and returns
        conflicts instead of raising them. `again` is a turn of another branch whose chance is used once
        more. `cites` are the paragraphs that the table says it was played under.
        """
        if turn_id is not None and (known := self.log.find(turn_id)) is not None:
            return self._repeated(known, action)
        seed = self._new_seed() if again is None else again.seed
        identity, when = turn_id or self._new_id(), (at or self._clock()).isoformat()
        with ExitStack() as alone:
            for attempt in range(MOST_TRIES):
                if attempt:
                    # entered anew each time: whoever broke a connection ended what it held
                    alone.close()
                    alone.enter_context(self.log.alone())
                self.catch_up()
                draft = record_types(self.log.rules).turn(
                    number=self._number + 1,
                    id=identity,
                    at=when,
                    action=action,
                    events=(),
                    seed=seed,
                    by=by,
                    cites=self._cited(cites),
                    rules_version=self._new_version(),
                )
                draft = backdated(self.log, draft, backdating, keep_time=at is not None)
                with self._pending_draws.trying():
                    outcome, state = self._decide(draft, again, backdating.conflicts)
                    if dry_run:
                        return outcome
                    if outcome.conflicts:
                        raise Conflict(outcome.conflicts)
                try:
                    self.log.append(outcome.turn)
                except NumberTaken as taken:
                    # perhaps by this very turn: sent twice at once, or saved although it was not known
                    if (known := self.log.find(identity)) is not None:
                        return self._repeated(known, action)
                    if isinstance(taken, IdTaken):
                        raise self._elsewhere(identity) from None
                    continue
                self._pending_draws.paid()
                self.take(outcome.turn, state)
                return outcome
        raise Refusal(None, BUSY)

    def _cited(self, rules: Sequence[str]) -> tuple[str, ...]:
        own = self._state.campaign.paragraphs
        return tuple(dict.fromkeys(f"{self.system.cite} {known_rule(self.system, rule, own)}" for rule in rules))

    def record_together(self, lines: Sequence[Command], *, dry_run: bool = False) -> list[Outcome]:
        """Decide several actions that were entered as one line, and append all of them or none.

        Raises what `record` raises; a refusal says which of them it was.
        """
        with ExitStack() as alone:
            for attempt in range(MOST_TRIES):
                if attempt and not dry_run:
                    alone.close()
                    alone.enter_context(self.log.alone())
                uncommitted = UncommittedLog(self.log)
                deciding = self.on(uncommitted, pending_draws=self._pending_draws)
                with self._pending_draws.trying():
                    outcomes = [self._one_of(deciding, lines, at) for at in range(len(lines))]
                if len(lines) > 1:
                    first = uncommitted.added[0].number if uncommitted.added else None
                    uncommitted.added[:] = [replace(turn, together=first) for turn in uncommitted.added]
                made = {turn.id: turn for turn in uncommitted.added}
                outcomes = [replace(each, turn=made.get(each.turn.id, each.turn)) for each in outcomes]
                try:
                    if uncommitted.added and not dry_run:
                        self.log.append_all(uncommitted.added)
                except IdTaken:
                    elsewhere = (each.id for each in uncommitted.added if self.log.find(each.id) is None)
                    if (taken := next(filter(self.log.branch_of, elsewhere), None)) is not None:
                        raise self._elsewhere(taken) from None
                    continue
                except NumberTaken:
                    continue
                if not dry_run:
                    self._pending_draws.paid()
                return outcomes
        raise Refusal(None, BUSY)

    def _one_of(self, deciding: "CommandHandler", lines: Sequence[Command], at: int) -> Outcome:
        line = lines[at]
        try:
            return deciding.record(
                line.action, by=line.by, at=line.at, turn_id=line.turn_id, backdating=line.backdating, cites=line.cites
            )
        except (Refusal, Invalid) as error:
            if len(lines) == 1:
                raise
            which = f"Not done: {error.reason} ({at + 1} of {len(lines)})"
            raise (Refusal(error.rule, which) if isinstance(error, Refusal) else Invalid(which)) from None

    def _repeated(self, known: Turn, action: Action) -> Outcome:
        """The answer to a turn that is sent again. Raises Invalid if the turn of that id did something else."""
        if known.action != action and not self._comes_to(known, action):
            raise Invalid(
                f"The id {known.id[:40]!r} belongs to T{known.number}, which did something else; use another id."
            )
        return Outcome(known, repeated=True, restored=restored_by(self.log, known))

    def _elsewhere(self, turn_id: str) -> Invalid:
        branch = self.log.branch_of(turn_id)
        on = f"branch {branch}" if branch else "another branch"
        return Invalid(f"The id {turn_id[:40]!r} belongs to a turn on {on}; use another id.")

    def _comes_to(self, known: Turn, action: Action) -> bool:
        """Whether an action, as it was typed, is the one that this turn has on record."""
        then = self.on(AsOf(self.log, known.number - 1))
        try:
            return then.again(replace(known, action=action), chance=known.chance)[0].action == known.action
        except (Refusal, Invalid, Conflict):
            return False

    def again(self, turn: Turn, *, chance: Mapping[str, StoredDrawn]) -> tuple[Turn, Game]:
        """The turn after the last one read, decided again with this chance, and the state after it.

        Nothing is appended. Raises Refusal, Invalid, Conflict.
        """
        self.catch_up()
        if not _reaches_back(turn):
            decision = self._decided(turn, chance)
            events, record = tuple(decision.events), decision.chance.record()
            return replace(turn, action=decision.action, events=events, chance=record), decision.state
        conflicts: Conflicts | None = None
        if turn.place is not None:
            # how its conflicts were settled is on record where something came of it
            conflicts = "keep" if any(isinstance(e, TurnRedecided) and e.kept for e in turn.events) else "drop"
        outcome, state = self._decide(replace(turn, events=(), chance={}), replace(turn, chance=chance), conflicts)
        if outcome.conflicts:
            raise Conflict(outcome.conflicts)
        return outcome.turn, state

    def take(self, turn: Turn, state: Game | None) -> None:
        """Take a turn of the log as read, with the state after it; None: that is found out by reading."""
        if state is None:
            self._forget()
        else:
            note_turn(turn, self._used)
            self._state, self._number = state, turn.number
            self._recent[turn.number] = state
            self._recent.pop(turn.number - EVERY, None)
            if turn.number - self._kept >= EVERY:
                self._keep_snapshot()

    def _without_used_numbers(self, chance: Mapping[str, StoredDrawn]) -> dict[str, StoredDrawn]:
        """The chance of a turn of another branch, without numbers that this log has given out already."""
        return {
            key: drawn
            for key, drawn in chance.items()
            if not (key.endswith(COUNTED) and any(self._used.has(key, int(each)) for each in drawn.values))
        }

    def _new_version(self) -> int | None:
        """What the next turn says of the version of the rules that decides it: nothing where it is that of the last."""
        version = self.system.version
        return None if self._used.version in (version, 0) else version

    def fresh_id(self) -> str:
        """An id for a turn that is made elsewhere."""
        return self._new_id()

    def closing(self, number: int, action: Action, words: Sequence[Event]) -> Turn:
        """A turn that carries revision events only, with this command handler's clock and ids."""
        self.catch_up()
        return record_types(self.log.rules).turn(
            number=number,
            id=self._new_id(),
            at=self._clock().isoformat(),
            action=action,
            events=tuple(words),
            seed=self._new_seed(),
            rules_version=self._new_version(),
        )

    def on(
        self, log: Log, *, pending_draws: PendingDraws | None = None, draw_source: RealDraws | None = None
    ) -> "CommandHandler":
        """A command handler with the same clock and ids on another log, with the same source of draws or this one."""
        draw_source = self._draw_source if draw_source is None else draw_source
        return CommandHandler(
            log,
            clock=self._clock,
            new_id=self._new_id,
            new_seed=self._new_seed,
            draw_source=draw_source,
            pending_draws=pending_draws,
        )

    def simulating(self, draw_source: RealDraws, log: Log | None = None) -> "CommandHandler":
        """A command handler for previews, with another source of draws, on this log or on one that ends like it."""
        self.catch_up()
        other = CommandHandler(
            log or self.log, clock=self._clock, new_id=self._new_id, new_seed=self._new_seed, draw_source=draw_source
        )
        other._number, other._kept, other._state = self._number, self._number, self._state.copy()
        other._used = self._used.copy()
        return other

    def _decide(self, draft: Turn, again: Turn | None, conflicts: Conflicts | None) -> tuple[Outcome, Game]:
        if _reaches_back(draft):
            recorded = None if again is None else self._without_used_numbers(again.chance)
            revision = Revision(
                self.system,
                self.log,
                self._used,
                draft,
                conflicts=conflicts,
                recorded=recorded,
                draw_source=self._draw_source,
                pending_draws=self._pending_draws_for(recorded),
                recent=self._recent if self._draw_source is REAL_DRAWS else None,
            )
            # what the log comes to with the draft is known already: nobody folds it once more
            outcome, state = revision.outcome(), revision.after or self._state
            return replace(outcome, state=state), state
        decision = self._decided(draft, None if again is None else again.chance)
        chance = decision.chance
        events = tuple(decision.events)
        turn = replace(draft, action=decision.action, events=events, chance=chance.record(), seed=chance.seed)
        return Outcome(turn, draws={turn.number: chance.draws()}, state=decision.state), decision.state

    def _decided(self, turn: Turn, recorded: Mapping[str, StoredDrawn] | None) -> Deciding:
        """Decide a turn that changes no earlier one against the state now; `recorded` is the chance that it had."""
        state, seed = self._state, turn.seed
        known: Mapping[str, StoredDrawn] = self._without_used_numbers(recorded) if recorded else {}
        if self._draw_source is not REAL_DRAWS:
            state = state.copy()
            self._draw_source.veil(state)
            seed, known = self._draw_source.seed(turn), self._draw_source.chance(known)
        chance = Chance(seed, known, recorded is not None, self._used, pending_draws=self._pending_draws_for(recorded))
        return decide(self.system, state, turn.action, chance, turn.number, self._last_change)

    def _pending_draws_for(self, recorded: Mapping[str, StoredDrawn] | None) -> PendingDraws | None:
        """The pending draws, for a turn that is decided for the first time and for real; None for any other."""
        return self._pending_draws if recorded is None and self._draw_source is REAL_DRAWS else None

    def undecided(self, action: Action, backdating: Backdating = NOW) -> PendingDecision | None:
        """What the player still decides about an action before it is done; None: nothing that is known before."""
        self.catch_up()
        state = self._state
        try:
            if backdating:
                place = backdated(self.log, self._draft_of(action), backdating, keep_time=True).place
                state = state if place is None else state_at(self.system, self.log, place)
            meant = with_names(action, state)
        except (Refusal, Invalid):
            return None
        found: PendingDecision | None = meant.undecided(
            Draft(self.system, state, lambda: self._foreseen(action, backdating))
        )
        return found

    def undecided_once_drawn(self, action: Action) -> PendingDecision | None:
        """What the player decides about an action once chance has spoken, before anything of it is recorded.

        It is decided ahead with its own draws. They stay pending for the next try, as after a refusal: who leaves the
        question draws the same again.
        """
        self.catch_up()
        try:
            meant = with_names(action, self._state)
        except (Refusal, Invalid):
            return None
        found: PendingDecision | None = meant.undecided(
            Draft(self.system, self._state, lambda: self._drawn_ahead(action))
        )
        return found

    def reported(self, action: Action, error: Unreported | ReportedShort) -> Action | None:
        """The action with an example of everything that the table has to report of it, which can be done so.

        None: it is refused for another reason as well. Nothing is recorded; what was drawn stays pending.
        """
        for _ in range(MOST_REPORTED):
            action = replace(action, **error.example)
            try:
                self.record(action, dry_run=True)
                return action
            except (Unreported, ReportedShort) as further:
                error = further
            except (Refusal, Invalid, Conflict):
                return None
        return None

    def _drawn_ahead(self, action: Action) -> Sequence[Event]:
        """What an action comes to with its own draws, which stay pending; nothing where it is refused."""
        facts: Sequence[Event] = ()
        try:
            with self._pending_draws.trying():
                facts = self.record(action, dry_run=True).turn.facts
                raise Refusal(None, "Asked before it is done.")
        except (Refusal, Invalid, Conflict):
            return facts

    def _foreseen(self, action: Action, backdating: Backdating) -> Sequence[Event]:
        try:
            simulating = self.simulating(Simulation(1, FaceDown(self.system)))
            outcome = simulating.record(action, dry_run=True, backdating=backdating)
        except (Refusal, Invalid, Conflict):
            return ()
        return () if draws(outcome.turn.chance) else outcome.turn.facts

    def asked_of(self, action: Action) -> dict[int, Asked]:
        """What an undo, redo or amendment asks of earlier turns, with nothing decided again.

        Raises Refusal or Invalid as recording it would for the turns that it names.
        """
        self.catch_up()
        return self._revision_of(action).asked()

    def state_after(self, action: Action) -> Game | None:
        """The state that an undo, redo or amendment would leave; None if it rests on later turns that stand in its
        way, or on a draw.

        Nothing is appended. Raises Refusal or Invalid as recording it would.
        """
        self.catch_up()
        revision = self._revision_of(action)
        outcome = revision.outcome()
        return None if outcome.conflicts or outcome.draws else revision.after or self._state

    def _revision_of(self, action: Action) -> Revision:
        return Revision(self.system, self.log, self._used, self._draft_of(action), draw_source=self._draw_source)

    def _draft_of(self, action: Action) -> Turn:
        return record_types(self.log.rules).turn(
            number=self._number + 1, id="", at=self._clock().isoformat(), action=action, events=(), seed=0
        )

    def _last_change(self, character: str, name: str) -> int | None:
        return last_change(self.system, self.log, character, name)

    @property
    def used(self) -> UsedNumbers:
        """The numbers given out so far under each counted key, undone turns included."""
        return self._used
