"""Kept states: the fold at intervals, so that reading costs what follows and not what lies before.

They are disposable: made when turns are appended, never changed, only added, and passed over whenever there
is a doubt. A kept state holds at a point if it was made at or before it, of the same log, by the same
version of the rules, and if no later turn up to that point revises anything that it was folded from.
"""

from collections.abc import Iterable
from typing import Protocol

import msgspec
from msgspec import Struct

from domain.system import Game, RuleSystem, State
from domain.systems import record_types

#: A state is kept every so many turns.
EVERY = 200


class Kept(Struct, frozen=True):
    """The state after turn `turn` as the log told it when `as_of` was its last turn.

    The ids of both turns bind it to one log: an id is random and stands in no other history.
    """

    turn: int
    turn_id: str
    as_of: int
    as_of_id: str
    version: int
    state: bytes


class KeptStates(Protocol):
    """Somewhere to keep states of one log. Whatever goes wrong, there are just fewer of them."""

    def upto(self, turn: int, as_of: int) -> Iterable[Kept]:
        """Those after a turn at most `turn`, made at most at `as_of`, newest first."""

    def keep(self, kept: Kept) -> None:
        """Add one."""


def packed(state: Game, used: dict[str, set[int]]) -> bytes:
    """A state and the numbers given out so far, as bytes."""
    record = {
        "characters": state.characters,
        "table": state.table,
        "options": state.options,
        "campaign": state.campaign,
        "used": used,
    }
    return msgspec.msgpack.encode(record)


def unpacked(system: RuleSystem, data: bytes) -> tuple[Game, dict[str, set[int]]] | None:
    """The state again; None if these bytes are none."""
    try:
        record = msgspec.msgpack.decode(data, type=record_types(system.key).state)
    except (msgspec.MsgspecError, ValueError, TypeError):
        return None
    return State(record.characters, record.table, record.options, record.campaign), record.used
