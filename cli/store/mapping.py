"""The mapping of turns to the event store library's records: one stored event for each turn.

The originator is the stream, its version the turn's number, the topic the action's tag. The state is msgpack, by the
closed set of types of the rule system.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec
from eventsourcing.persistence import Mapper as LibraryMapper
from eventsourcing.persistence import StoredEvent, Transcoder

from domain.log.port import NotSaved
from domain.registry import RecordTypes, tag_of
from domain.turn import Turn, packed, unsound

#: Of no turn is it said how it is to be stored.
NOTHING_STORED: Mapping[int, bytes] = MappingProxyType({})


class TurnTranscoder(Transcoder):
    """Turns to msgpack and back, by the closed set of types of their rule system."""

    def __init__(self, types: RecordTypes) -> None:
        self._turn = msgspec.msgpack.Decoder(types.turn)

    def encode(self, obj: Any) -> bytes:
        """The bytes of a turn, tested by decoding them. Raises NotSaved if the turn does not come back unchanged."""
        try:
            if obj.moment.tzinfo is None:
                raise ValueError("it holds a time without its zone")
            data = msgspec.msgpack.encode(obj)
            fields = msgspec.msgpack.decode(data)
            state = msgspec.msgpack.encode(fields)
            again = self.decode(state)
            if wrong := unsound(fields):
                raise ValueError(f"it holds {wrong}")
            if msgspec.msgpack.encode(again) != data and packed(again) != state:
                raise ValueError("it holds what no turn holds")
            return state
        except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise NotSaved(f"Turn T{obj.number} cannot be stored as it is: {error}.") from error

    def decode(self, data: bytes) -> Turn:
        return self._turn.decode(data)


class TurnMapper(LibraryMapper[str]):
    """Turns of one stream to the library's stored events and back."""

    def __init__(
        self, campaign_id: str, transcoder: TurnTranscoder, stored_bytes: Mapping[int, bytes] = NOTHING_STORED
    ) -> None:
        """`stored_bytes` are those of turns that were stored elsewhere, by number: they stay what they were."""
        super().__init__(transcoder)
        self._campaign_id, self._stored_bytes = campaign_id, stored_bytes

    def to_stored_event(self, domain_event: Any) -> StoredEvent:
        turn: Turn = domain_event
        state = self._stored_bytes.get(turn.number) or self.transcoder.encode(turn)
        return StoredEvent(self._campaign_id, turn.number, tag_of(type(turn.action)), state)

    def to_domain_event(self, stored_event: StoredEvent) -> Any:
        return self.transcoder.decode(stored_event.state)
