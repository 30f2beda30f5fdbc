"""Adopting a branch: its turns appended where they are adopted, and decided there.

What stands on the branch after its fork is decided again, in order, with the chance it had. Turns of the
branch that took back or amended what lies before the fork do the same to the log that adopts; what the
branch did to its own turns is in them already. A turn that is not legal there is a conflict.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack

from msgspec import Struct
from msgspec.structs import replace

from domain.common.revisions import REVISIONS, Adopt, Amend, Amended, Conflicts, Redo, Undo
from domain.log.backdating import Backdating
from domain.log.command_handler import BUSY, MOST_TRIES, CommandHandler
from domain.log.effective_history import EffectiveTurn, effective_history, effective_turns, since_of
from domain.log.port import Log, NumberTaken, UncommittedLog
from domain.refusal import Conflict, Invalid, LaterTurn, Refusal
from domain.registry import record_types
from domain.system.chance import COUNTED, Draw
from domain.system.field_schema import fields_of
from domain.system.state import Game
from domain.system.used_numbers import UsedNumbers
from domain.turn import Action, Event, Turn, TurnUndone


class Adoption(Struct, frozen=True):
    """The turns that adopt a branch, the last of which says so, and those of the branch that are not legal here."""

    turns: tuple[Turn, ...]
    left_out: tuple[LaterTurn, ...]
    #: Those of them that are taken over all the same, as they were.
    kept: frozenset[int]
    #: The state that they leave.
    state: Game
    #: What they draw anew, by the numbers of the turns that do.
    draws: Mapping[int, tuple[Draw, ...]]

    @property
    def played(self) -> tuple[Turn, ...]:
        """Those that were played on the branch."""
        return self.turns[:-1]


def adopt(handler: CommandHandler, branch: Log, name: str, fork: int, conflicts: Conflicts | None = None) -> Adoption:
    """Append what adopting a branch comes to; decided again as long as somebody else appends first.

    Raises what `adopted` raises, Refusal if others kept coming first, NotSaved, MaybeSaved.
    """
    with ExitStack() as alone:
        for attempt in range(MOST_TRIES):
            if attempt:
                alone.close()
                alone.enter_context(handler.log.alone())
            adoption = adopted(handler, branch, name, fork, conflicts)
            try:
                handler.log.append_all(adoption.turns)
            except NumberTaken:
                continue
            return adoption
    raise Refusal(None, BUSY)


def adopted(handler: CommandHandler, branch: Log, name: str, fork: int, conflicts: Conflicts | None = None) -> Adoption:
    """What adopting what a branch did after `fork` comes to. Nothing is appended.

    Raises Conflict, its turns numbered as on the
    branch, unless `conflicts` is "drop" (they are left out) or "keep" (they are taken over as they were);
    Refusal for a branch with nothing to adopt.
    """
    uncommitted = UncommittedLog(handler.log)
    deciding = handler.on(uncommitted)
    kept: list[Event] = []
    left_out: list[LaterTurn] = []
    numbers: dict[int, int] = {}
    draws: dict[int, tuple[Draw, ...]] = {}
    kept_there: set[int] = set()
    for original, place in _as_played(branch, fork):
        action = _as_adopted(original, fork)
        if action is None:
            continue
        action = _with_turns(action, fork, numbers)
        try:
            again = replace(original.turn, chance=original.chance)
            backdating = Backdating(after=None if place is None else f"T{place}")
            outcome = deciding.record(
                action,
                by=original.turn.by,
                at=original.turn.moment,
                again=again,
                backdating=backdating,
                cites=original.turn.cites,
            )
            draws |= {number: each for number, each in outcome.draws.items() if each}
            numbers[original.turn.number] = uncommitted.last()
        except (Refusal, Invalid) as error:
            rule = error.rule if isinstance(error, Refusal) else None
            hindrance = _not_to_be_kept(original, place, deciding.used) if conflicts == "keep" else None
            left_out.append(
                LaterTurn(original.turn.number, rule, " ".join(each for each in (error.reason, hindrance) if each))
            )
            if conflicts == "keep" and hindrance is None:
                kept_there.add(original.turn.number)
                kept.append(_kept(uncommitted, original, handler.fresh_id()))
                numbers[original.turn.number] = uncommitted.last()
        except Conflict as conflict:
            left_out += [
                LaterTurn(original.turn.number, None, f"T{each.turn}: {each.reason}") for each in conflict.turns
            ]
    if left_out and conflicts is None:
        raise Conflict(left_out)
    if not uncommitted.added:
        raise Refusal(None, "There is nothing on this branch to adopt.")
    uncommitted.append(
        deciding.closing(uncommitted.last() + 1, Adopt(branch=name, turns=_numbers(uncommitted.added)), kept)
    )
    return Adoption(tuple(uncommitted.added), tuple(left_out), frozenset(kept_there), deciding.state(), draws)


def _not_to_be_kept(original: EffectiveTurn, place: int | None, used: UsedNumbers) -> str | None:
    """Why a turn of the branch cannot be taken over as it was; None: it can."""
    if isinstance(original.action, REVISIONS):
        # kept without its words it would still be the action of the turn that it names
        return "It changes an earlier turn and had no effect here, so it cannot be kept."
    if place is not None:
        return "It is a late entry that later turns would rest on, so it cannot be kept."
    counted = (
        (key, int(value)) for key, each in original.chance.items() if key.endswith(COUNTED) for value in each.values
    )
    if any(used.has(key, number) for key, number in counted):
        return "It gave out a number that is taken here, so it cannot be kept."
    return None


def _as_played(branch: Log, fork: int) -> Iterator[tuple[EffectiveTurn, int | None]]:
    """What stands of the branch after its fork, in the order in which to do it, each with its place before the fork.

    What was told late of the branch itself is done where it folds.
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
            here = [original, *(late[each.number] for each in effective.late.get(number, ()))]
            yield from ((each, None) for each in here if each.standing)
        elif effective.trunk(number) <= fork and original.standing:
            place = original.place
            while place > fork:
                place = effective.place[place]
            yield original, None if since_of(original.action) == place else place


def _with_turns(action: Action, fork: int, numbers: Mapping[int, int]) -> Action:
    """The action with the turns of the branch that it speaks of under their new numbers, without those left out."""
    if isinstance(action, Undo | Amend):
        return action  # what they name lies before the fork
    changes: dict[str, object] = {}
    for field in fields_of(type(action)):
        said = getattr(action, field.name) if field.turn else None
        if isinstance(said, int):
            changes[field.name] = said if said <= fork else numbers.get(said)
        elif isinstance(said, tuple):
            changes[field.name] = tuple(n if n <= fork else numbers[n] for n in said if n <= fork or n in numbers)
    return replace(action, **changes) if changes else action


def _numbers(turns: Sequence[Turn]) -> tuple[int, ...]:
    return tuple(turn.number for turn in turns)


def _kept(uncommitted: UncommittedLog, original: EffectiveTurn, turn_id: str) -> Event:
    """Take a turn over as it was, and give the word that pins it."""
    number = uncommitted.last() + 1
    chance = dict(original.chance)
    uncommitted.append(
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
    return record_types(uncommitted.rules).redecided(turn=number, events=original.facts, chance=chance, kept=True)


def _as_adopted(original: EffectiveTurn, fork: int) -> Action | None:
    """What to do where the branch is adopted; None for what the branch only did to turns of its own."""
    action = original.action
    if isinstance(action, Undo):
        earlier = tuple(turn for turn in action.turns or () if turn <= fork)
        return Undo(turns=earlier, why=action.why, conflicts=action.conflicts) if earlier else None
    if isinstance(action, Redo):
        undone = [event.turn for event in original.events if isinstance(event, TurnUndone)]
        # the undos come first, and behind them what was dropped because of it
        earlier = tuple(turn for turn in undone[: action.last or 1] if turn <= fork)
        return Undo(turns=earlier) if earlier else None
    if isinstance(action, Adopt):
        return None
    if isinstance(action, Amend):
        before_fork = {number: asked for number, asked in action.amended.items() if number <= fork}
        if not before_fork:
            return None
        (first, asked), *also = before_fork.items()
        return replace(action, turn=first, action=asked, also=tuple(Amended(*each) for each in also))
    since = since_of(action)
    if since is not None and since > fork:
        return replace(action, since=None)  # what counts from a turn has this field
    return action
