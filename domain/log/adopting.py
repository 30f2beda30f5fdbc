"""Adopting a branch: its turns are appended to another log and decided there.

The standing turns after the fork are decided again, in order, with their recorded chance. Turns of the branch that
undid or amended turns before the fork do the same in the adopting log; revisions of the branch's own turns are applied
to these already. A turn that is not legal in the adopting log is a conflict. A branch that went on after it was adopted
(another copy of the campaign was joined again) is adopted from there: earlier turns are not appended twice.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack

from msgspec import Struct
from msgspec.structs import replace

from domain.common.revisions import REVISIONS, Adopt, Amend, Amended, Conflicts, Redo, Undo
from domain.common.rulings import Ruling
from domain.log.backdating import Backdating
from domain.log.command_handler import BUSY, MOST_TRIES, CommandHandler
from domain.log.effective_history import EffectiveTurn, effective_history, effective_turns, since_of
from domain.log.folding import without_used_numbers
from domain.log.port import Log, NumberTaken, UncommittedLog
from domain.refusal import Conflict, Invalid, LaterTurn, Refusal
from domain.registry import record_types
from domain.system.chance import Draw
from domain.system.field_schema import fields_of
from domain.system.state import Game
from domain.system.used_numbers import UsedNumbers
from domain.turn import Action, Event, Turn, TurnUndone


class Adoption(Struct, frozen=True):
    """The turns that adopt a branch, ending with the `Adopt` turn, and the branch's turns that are not legal here."""

    turns: tuple[Turn, ...]
    left_out: tuple[LaterTurn, ...]
    #: The numbers of conflicting turns that are taken over unchanged nevertheless.
    pinned_turns: frozenset[int]
    #: The state after them.
    state: Game
    #: The values that are drawn anew, by turn.
    draws: Mapping[int, tuple[Draw, ...]]

    @property
    def new_turns(self) -> tuple[Turn, ...]:
        """The turns without the `Adopt` turn."""
        return self.turns[:-1]


def append_adoption(
    handler: CommandHandler, branch: Log, name: str, fork: int, conflicts: Conflicts | None = None
) -> Adoption:
    """Append the adoption of a branch, decided again whenever another writer appends first.

    Raises what `decide_adoption` raises, Refusal if other writers were faster too often, NotSaved, MaybeSaved.
    """
    with ExitStack() as lock:
        for attempt in range(MOST_TRIES):
            if attempt:
                lock.close()
                lock.enter_context(handler.log.exclusive_access())
            adoption = decide_adoption(handler, branch, name, fork, conflicts)
            try:
                handler.log.append_all(adoption.turns)
            except NumberTaken:
                continue
            return adoption
    raise Refusal(None, BUSY)


def decide_adoption(
    handler: CommandHandler, branch: Log, name: str, fork: int, conflicts: Conflicts | None = None
) -> Adoption:
    """Decide the adoption of a branch's turns after `fork`, without appending it.

    Raises Conflict, with the numbers of the branch, unless `conflicts` is "drop" (conflicting turns are left out) or
    "keep" (they are taken over unchanged); Refusal for a branch with nothing to adopt.
    """
    new_log = UncommittedLog(handler.log)
    deciding = handler.for_log(new_log)
    pins: list[Event] = []
    left_out: list[LaterTurn] = []
    adopted_turns = _adopted_before(handler.log, branch, fork)
    numbers = {number: turn.number for number, turn in adopted_turns.items()}
    placed_here = set(adopted_turns)
    amendments = effective_history(branch).amendments if adopted_turns else {}
    # what was amended on the branch before it was adopted needs no amendment here
    amendable = {n: turn for n, turn in adopted_turns.items() if n not in amendments or amendments[n][1] != turn.action}
    draws: dict[int, tuple[Draw, ...]] = {}
    pinned_turns: set[int] = set()
    for original, place in _turns_of_branch(branch, fork):
        turns_here = amendable if isinstance(original.action, Amend) else adopted_turns
        action = None if original.number in adopted_turns else _action_here(original, fork, turns_here)
        if action is None:
            continue
        if place is None and original.place in placed_here and not isinstance(action, Ruling):
            place = numbers[original.place]
            placed_here.add(original.number)
        action = _with_turns(action, fork, numbers)
        try:
            branch_turn = replace(original.turn, chance=original.chance)
            backdating = Backdating(after=None if place is None else f"T{place}")
            outcome = deciding.record(
                action,
                by=original.turn.by,
                via=original.turn.via,
                at=original.turn.moment,
                branch_turn=branch_turn,
                backdating=backdating,
                cites=original.turn.cites,
            )
            draws |= {number: turn_draws for number, turn_draws in outcome.draws.items() if turn_draws}
            numbers[original.turn.number] = new_log.last()
        except (Refusal, Invalid) as error:
            rule = error.rule if isinstance(error, Refusal) else None
            hindrance = _hindrance_to_keeping(original, place, deciding.used_numbers) if conflicts == "keep" else None
            left_out.append(
                LaterTurn(
                    original.turn.number, rule, " ".join(reason for reason in (error.reason, hindrance) if reason)
                )
            )
            if conflicts == "keep" and hindrance is None:
                pinned_turns.add(original.turn.number)
                pins.append(_pin(new_log, original, handler.new_id()))
                numbers[original.turn.number] = new_log.last()
        except Conflict as conflict:
            left_out += [
                LaterTurn(original.turn.number, None, f"T{later.turn}: {later.reason}") for later in conflict.turns
            ]
    if left_out and conflicts is None:
        raise Conflict(left_out)
    if not new_log.new_turns:
        if adopted_turns and not left_out:
            raise Refusal(None, f"All of {name} was adopted already.")
        raise Refusal(None, "There is nothing on this branch to adopt.")
    adopt = Adopt(branch=name, turns=tuple(turn.number for turn in new_log.new_turns))
    new_log.append(deciding.adoption_turn(new_log.last() + 1, adopt, pins))
    return Adoption(tuple(new_log.new_turns), tuple(left_out), frozenset(pinned_turns), deciding.state(), draws)


def _adopted_before(log: Log, branch: Log, fork: int) -> dict[int, Turn]:
    """The turns of the branch that the log adopted before: number on the branch -> turn of the log.

    One that was undone here since counts too, unless its adoption was undone. An adopted turn keeps its seed.
    """
    effective = effective_history(log)
    turns = {
        turn.seed: turn
        for adopting in log.read(after=fork, topics=("adopt",))
        if isinstance(adopting.action, Adopt) and effective.stands(adopting.number)
        for turn in log.read(min(adopting.action.turns) - 1, max(adopting.action.turns))
        if turn.number in adopting.action.turns
    }
    return {turn.number: turns[turn.seed] for turn in branch.read(after=fork) if turn.seed in turns} if turns else {}


def _hindrance_to_keeping(original: EffectiveTurn, place: int | None, used_numbers: UsedNumbers) -> str | None:
    """Why a turn of the branch cannot be taken over unchanged; None if it can."""
    if isinstance(original.action, REVISIONS):
        # without its revision events it would still amend the turn that it names
        return "It changes an earlier turn and had no effect here, so it cannot be kept."
    if place is not None:
        return "It is a late entry that later turns would rest on, so it cannot be kept."
    if len(without_used_numbers(original.chance, used_numbers)) < len(original.chance):
        return "It gave out a number that is taken here, so it cannot be kept."
    return None


def _turns_of_branch(branch: Log, fork: int) -> Iterator[tuple[EffectiveTurn, int | None]]:
    """The standing turns of the branch after its fork, in the order to decide them, with their place before the fork.

    Late entries among the branch's own turns come where they fold.
    """
    effective = effective_history(branch)
    late = {
        original.turn.number: original
        for original in effective_turns(branch, effective=effective)
        if original.place is not None
    }
    for original in effective_turns(branch, effective=effective):
        number = original.turn.number
        if number <= fork:
            continue
        if isinstance(original.action, Amend) and original.standing:
            yield original, original.turn.place
        elif original.place is None:
            here = [original, *(late[late_turn.number] for late_turn in effective.late.get(number, ()))]
            yield from ((turn, None) for turn in here if turn.standing)
        elif effective.trunk(number) <= fork and original.standing:
            place = original.place
            while place > fork:
                place = effective.place[place]
            yield original, None if since_of(original.action) == place else place


def _with_turns(action: Action, fork: int, numbers: Mapping[int, int]) -> Action:
    """The action with the new numbers of the branch's turns that it names, without those left out."""
    if isinstance(action, Undo | Amend):
        return action  # the turns that they name are before the fork
    changes: dict[str, object] = {}
    for field in fields_of(type(action)):
        numbers_there = getattr(action, field.name) if field.turn else None
        if isinstance(numbers_there, int):
            changes[field.name] = numbers_there if numbers_there <= fork else numbers.get(numbers_there)
        elif isinstance(numbers_there, tuple):
            changes[field.name] = tuple(
                n if n <= fork else numbers[n] for n in numbers_there if n <= fork or n in numbers
            )
    return replace(action, **changes) if changes else action


def _pin(log: UncommittedLog, original: EffectiveTurn, turn_id: str) -> Event:
    """Append a turn unchanged, and return the revision event that pins it."""
    number = log.last() + 1
    chance = dict(original.chance)
    log.append(
        replace(
            original.turn,
            number=number,
            id=turn_id,
            action=original.action,
            events=original.facts,
            chance=chance,
            place=None,
            together=None,
            rules_version=None,
        )
    )
    return record_types(log.rules).redecided(turn=number, events=original.facts, chance=chance, kept=True)


def _action_here(original: EffectiveTurn, fork: int, turns_here: Mapping[int, Turn]) -> Action | None:
    """The action to decide in the adopting log; None for a revision of the branch's own turns only."""
    action = original.action

    def here(numbers: Iterable[int]) -> tuple[int, ...]:
        return tuple(n if n <= fork else turns_here[n].number for n in numbers if n <= fork or n in turns_here)

    if isinstance(action, Undo):
        earlier = here(action.turns or ())
        return Undo(turns=earlier, why=action.why, conflicts=action.conflicts) if earlier else None
    if isinstance(action, Redo):
        undone_turns = [event.turn for event in original.events if isinstance(event, TurnUndone)]
        # the undone undos come first, followed by turns that were dropped because of them
        earlier = here(undone_turns[: action.last or 1])
        return Undo(turns=earlier) if earlier else None
    if isinstance(action, Adopt):
        return None
    if isinstance(action, Amend):
        amendments = {
            here_number: action_json
            for number, action_json in action.new_actions.items()
            for here_number in here((number,))
        }
        if not amendments:
            return None
        (first, action_json), *also = amendments.items()
        return replace(action, turn=first, action=action_json, also=tuple(Amended(*amendment) for amendment in also))
    since = since_of(action)
    if since is not None and since > fork:
        return replace(action, since=f"T{turns_here[since].number}" if since in turns_here else None)
    return action
