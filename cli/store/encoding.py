"""Turns to the bytes in which they are stored."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import msgspec

from domain.log.hash_chain import StoredRow
from domain.log.port import NotSaved
from domain.registry import RecordTypes, tag_of
from domain.turn import Turn, packed, unsound

#: No turn was stored elsewhere before.
NOTHING_STORED: Mapping[int, bytes] = MappingProxyType({})


class TurnEncoder:
    """Turns to rows, whose record is msgpack, by the closed set of types of their rule system."""

    def __init__(self, types: RecordTypes) -> None:
        self._decode: Callable[[bytes], Turn] = msgspec.msgpack.Decoder(types.turn).decode

    def rows(self, turns: Sequence[Turn], stored_bytes: Mapping[int, bytes] = NOTHING_STORED) -> list[StoredRow]:
        """The number, the topic (the tag of the action) and the record of each turn. Raises as `_record` does.

        `stored_bytes` are the records of turns that were stored elsewhere, by number: they stay what they were.
        """
        return [
            (turn.number, tag_of(type(turn.action)), stored_bytes.get(turn.number) or self._record(turn))
            for turn in turns
        ]

    def _record(self, turn: Turn) -> bytes:
        """The bytes of a turn, tested by decoding them. Raises NotSaved if the turn does not come back unchanged."""
        try:
            if turn.moment.tzinfo is None:
                raise ValueError("it holds a time without its zone")
            data = msgspec.msgpack.encode(turn)
            fields = msgspec.msgpack.decode(data)
            # as `packed` does it; what is in between is looked at below
            state = msgspec.msgpack.encode(fields)
            again = self._decode(state)
            if wrong := unsound(fields):
                raise ValueError(f"it holds {wrong}")
            if msgspec.msgpack.encode(again) != data and packed(again) != state:
                raise ValueError("it holds what no turn holds")
            return state
        except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise NotSaved(f"Turn T{turn.number} cannot be stored as it is: {error}.") from error
