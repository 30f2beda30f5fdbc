"""Trials: the log under a ruling compared with the same log without it.

Both are dry runs: one undoes the ruling, one makes it count from the beginning. The turns are decided again as the
table would have played them: fields that have a meaning under the ruling only are left out, and a turn that would be
illegal is reported and skipped. Nothing is appended.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Protocol, TypeVar

import msgspec
from msgspec import Struct

from domain.common.revisions import Undo
from domain.common.rulings import Ruling
from domain.log.command_handler import CommandHandler
from domain.log.effective_history import effective_turns
from domain.log.port import AsOf, Log
from domain.log.revising import ChangedTurn
from domain.log.simulation import WithoutIdleFields
from domain.naming import quantity
from domain.refusal import Conflict, Invalid, LaterTurn, Refusal
from domain.registry import system_of
from domain.system.rulesystem import RuleSystem
from domain.values import in_words
from projections.chronicle import entry_of
from projections.difference import people_who_differ
from projections.rule_history import Remark
from projections.sentences import parts_of, plain


class DifferingTurn(Struct, frozen=True):
    """One turn that would differ: its sentence under the ruling and without it.

    If the turn would be illegal, the sentence is the reason; None: the turn would not stand.
    """

    turn: int
    session: int
    characters: tuple[str, ...]
    under: str | None
    without: str | None


class DifferingCount(Struct, frozen=True):
    """The number of turns of one character in one session that would differ."""

    session: int
    character: str
    turns: int


class Evidence(Struct, frozen=True):
    """The effects of a trial up to turn `upto`: the last turn, or the one before it was adopted or ended."""

    ruling: int
    upto: int
    #: the turns that were played under it
    played: tuple[int, ...]
    #: the turns under it, and turns that depend on them, that would differ without it
    differing: tuple[DifferingTurn, ...]
    #: the turns before it that would differ if it had counted from the beginning
    earlier: tuple[DifferingTurn, ...]
    #: the sheets that would differ at the end: character -> "hp 7, without it 9"
    sheets: Mapping[str, str]
    #: whether it was adopted or ended
    over: bool = False

    @property
    def shares(self) -> tuple[DifferingCount, ...]:
        """The number of differing turns by session and character."""
        counts: dict[tuple[int, str], int] = {}
        for turn in self.differing:
            for name in turn.characters or ("nobody in particular",):
                counts[turn.session, name] = counts.get((turn.session, name), 0) + 1
        return tuple(DifferingCount(session, name, count) for (session, name), count in sorted(counts.items()))

    def sentence(self) -> str:
        """The evidence in one or two sentences."""
        under, differing, earlier = len(self.played), len(self.differing), len(self.earlier)
        turns = f"{under} {'turn was' if under == 1 else 'turns were'} played under it"
        without = f"without it {quantity(differing, 'turn')} would read differently" if differing else ""
        came_of_it = f"{turns}; {without or 'without it every turn would read the same'}."
        before = f" If it had counted from the beginning, {quantity(earlier, 'earlier turn')}"
        return (
            f"{came_of_it if under or differing or self.over else 'Nothing was played under it so far.'}"
            f"{f'{before} would read differently.' if earlier else ''}"
        )


class Without(Struct, frozen=True):
    """What the turns from a trial on would come to without it, as two fields of `Evidence`."""

    differing: tuple[DifferingTurn, ...]
    sheets: Mapping[str, str]


class EvidenceStore(Protocol):
    """What was worked out before, by keys that name the log, the trial and the rules that decided."""

    def find(self, key: bytes) -> bytes | None:
        """The value of a key; None if it was not kept."""

    def keep(self, key: bytes, value: bytes) -> None:
        """Keep a value for the next time; it may be lost."""


T = TypeVar("T")
#: To be raised when sentences, or how trials are weighed, change: what was kept before is then worked out anew.
VERSION = 1


def evidence_of(
    handler: CommandHandler,
    trial: Remark,
    turns_under: Iterable[int],
    over: int | None,
    store: EvidenceStore | None = None,
) -> Evidence:
    """The evidence of a standing trial. `turns_under`: the turns under it; `over`: the turn that adopted or ended it.

    For a ruling that sets no option every turn would be the same, so that nothing is decided again. A long log takes
    its time to be decided again, so that it is done once where there is a `store`.
    """
    log = handler.log
    upto = log.last() if over is None else over - 1
    turns = tuple(turn for turn in turns_under if turn <= upto)
    if not trial.set:
        return Evidence(trial.ruling or 0, upto, turns, (), (), {}, over is not None)
    first = trial.late or trial.since or trial.turn - 1
    without = _once(store, AsOf(log, upto), trial, Without, lambda log_then: _without(handler, log_then, trial))
    earlier: tuple[DifferingTurn, ...] = ()
    if first > 1:
        kind = tuple[DifferingTurn, ...]
        earlier = _once(store, AsOf(log, first), trial, kind, lambda log_then: _earlier(handler, log_then, trial))
    return Evidence(trial.ruling or 0, upto, turns, without.differing, earlier, without.sheets, over is not None)


def _once(store: EvidenceStore | None, log: AsOf, trial: Remark, kind: type[T], work_out: Callable[[AsOf], T]) -> T:
    """What is worked out about a trial in a log, or was before: the link of its last turn tells all that it holds."""
    if store is None:
        return work_out(log)
    rules = (log.rules, system_of(log.rules).version, VERSION)
    about = (str(kind), log.link(log.last()), *rules, trial.turn, trial.rule, trial.text, trial.set)
    key = sha256(msgspec.msgpack.encode(about, order="sorted")).digest()
    if (kept := store.find(key)) is not None:
        with suppress(msgspec.MsgspecError):
            return msgspec.msgpack.decode(kept, type=kind)
    result = work_out(log)
    store.keep(key, msgspec.msgpack.encode(result))
    return result


def _without(handler: CommandHandler, log_then: AsOf, trial: Remark) -> Without:
    """What would be otherwise from the ruling on, up to the end of this log, if it had not been made."""
    system = handler.system
    before = handler.for_log(log_then, draw_source=WithoutIdleFields(system))
    without = before.record(Undo(turns=(trial.turn,)), dry_run=True)
    changes = [change for change in without.changed if change.turn != trial.turn]
    differing = _otherwise(system, log_then, changes, without.conflicts, with_it=True)
    sheets = {}
    if without.state is not None:
        for name, person in people_who_differ(system, before.state(), without.state).items():
            fields = (
                f"{difference.field} {in_words(difference.old)}, without it {in_words(difference.new)}"
                for difference in person.fields
            )
            sheets[name] = "; ".join(fields)
    return Without(differing, sheets)


def _earlier(handler: CommandHandler, log_then: AsOf, trial: Remark) -> tuple[DifferingTurn, ...]:
    """The turns of this log, which ends before the ruling, that would differ if it had counted from the beginning."""
    ruling = Ruling(rule=trial.rule, text=trial.text or "tried", set=dict(trial.set), since="T1")
    try:
        outcome = handler.for_log(log_then, draw_source=WithoutIdleFields(handler.system)).record(ruling, dry_run=True)
    except (Refusal, Invalid, Conflict):  # its paragraph did not exist yet
        return ()
    changes = [change for change in outcome.changed if change.turn != outcome.turn.number]
    return _otherwise(handler.system, log_then, changes, outcome.conflicts, with_it=False)


def _otherwise(
    system: RuleSystem,
    log: Log,
    changes: Sequence[ChangedTurn],
    conflicts: Iterable[LaterTurn],
    *,
    with_it: bool,
) -> tuple[DifferingTurn, ...]:
    in_the_way = {conflict.turn: f"not possible: {Refusal(conflict.rule, conflict.reason)}" for conflict in conflicts}
    numbers, differing = {change.turn for change in changes}, []
    turns_by_number = {turn.number: turn for turn in effective_turns(log) if turn.number in numbers} if numbers else {}
    for change in changes:
        here = turns_by_number[change.turn]
        was = plain(parts_of(change.before)) if change.before is not None else None
        now = plain(parts_of(change.after)) if change.after is not None else in_the_way.get(change.turn)
        under, without = (was, now) if with_it else (now, was)
        characters = tuple(sorted(entry_of(system, here).characters))
        differing.append(DifferingTurn(change.turn, here.session, characters, under, without))
    return tuple(sorted(differing, key=lambda turn: turn.turn))
