"""Snapshots: packed states after some turns, so that a fold need not start at turn 1.

Snapshots are made every `EVERY` turns while turns are appended, and are immutable and disposable: without one, a fold
starts at turn 1. A snapshot is valid at a point of the log if its turn is not after that point and has the link that
the snapshot names, if the version of the rules is the same, and if no later turn up to that point revises a turn that
it was folded from.
"""

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from typing import Any, get_args

import msgspec
from msgspec import Struct

from domain.log.effective_history import EffectiveHistory, effective_history
from domain.log.port import Log, Snapshot
from domain.registry import system_of
from domain.system.rulesystem import RuleSystem
from domain.system.state import CampaignSheet, Game, State
from domain.system.used_numbers import UsedNumbers

#: The number of turns between snapshots.
EVERY = 200


class FoldBase(Struct, frozen=True):
    """The start of a fold: the state after turn `turn`, and the effective history of the turns after it."""

    turn: int
    state: Game
    #: The numbers given out up to that turn.
    used_numbers: UsedNumbers
    effective: EffectiveHistory


def nearest_base(system: RuleSystem, log: Log, turn: int, upto: int, whole: EffectiveHistory | None = None) -> FoldBase:
    """The nearest snapshot not after `turn` that is valid as of turn `upto`, else the opening state.

    `whole` is the effective history of the whole log as of `upto`, if it was read already.
    """
    snapshots = iter(log.snapshots.upto(turn))
    while (snapshot := next(snapshots, None)) is not None:
        if snapshot.version != system.version or snapshot.link != log.link(snapshot.turn):
            continue
        effective = whole or effective_history(log, upto, after=snapshot.turn)
        changes = [first for number, first in effective.changes if first <= snapshot.turn < number]
        if changes:
            # no snapshot from there on is valid: go to before it at once, as each try reads the revisions again
            snapshots = iter(log.snapshots.upto(min(changes) - 1))
            continue
        found_state = unpack_state(system, snapshot.state)
        if found_state is not None:
            return FoldBase(snapshot.turn, *found_state, effective)
    return FoldBase(0, system.opening(), UsedNumbers(), whole or effective_history(log, upto))


def snapshot_of(log: Log, turn: int, state: Game, used_numbers: UsedNumbers) -> Snapshot:
    """A snapshot of the state after a turn of this log. Raises DamagedLog if the turn has no link."""
    return Snapshot(turn, log.link(turn), system_of(log.rules).version, pack_state(state, used_numbers))


# -- packing -----------------------------------------------------------------------------------------------


def pack_state(state: Game, used_numbers: UsedNumbers) -> bytes:
    """A state and the numbers given out so far, packed as bytes."""
    return msgspec.msgpack.encode(
        {
            "characters": state.characters,
            "table": state.table,
            "options": state.options,
            "campaign": state.campaign,
            "used": used_numbers,
        }
    )


def unpack_state(system: RuleSystem, state: bytes) -> tuple[Game, UsedNumbers] | None:
    """The state and the numbers from packed bytes; None if they are no state of these rules."""
    try:
        record = msgspec.msgpack.decode(state, type=_record_of(system.key))
    except (msgspec.MsgspecError, ValueError, TypeError):
        return None
    return State(record.characters, record.table, record.options, record.campaign), record.used


@cache
def _record_of(rules: str) -> Any:
    system = system_of(rules)
    return msgspec.defstruct(
        "StateRecord",
        [
            ("characters", dict[str, system.sheet]),  # type: ignore[name-defined]
            ("table", system.table),
            ("options", system.options),
            ("campaign", CampaignSheet),
            ("used", UsedNumbers),
        ],
    )


@cache
def record_shapes(rules: str) -> bytes:
    """A hash of the fields of every Struct in a state of these rules.

    Snapshots are valid only for the same Structs: decoded with others they may mean something else.
    """
    return sha256("\n".join(_shape(_record_of(rules), set())).encode()).digest()


def _shape(kind: Any, seen_kinds: set[Any]) -> Iterator[str]:
    """A line for each Struct in a type, and one for each of its fields; each Struct once."""
    for part in get_args(kind):
        yield from _shape(part, seen_kinds)
    if not (isinstance(kind, type) and issubclass(kind, Struct)) or kind in seen_kinds:
        return
    seen_kinds.add(kind)
    hints: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        # those of the class alone; since Python 3.14 they are there only for who asks in this way
        hints |= getattr(base, "__annotations__", {})
    config = kind.__struct_config__
    yield f"{kind.__name__} {config.tag!r} {config.array_like} {config.omit_defaults}"
    for name in kind.__struct_fields__:
        yield f"{name}: {hints[name]!r}"
    for name in kind.__struct_fields__:
        yield from _shape(hints[name], seen_kinds)
