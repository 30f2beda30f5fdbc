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
from domain.registry import tag_of
from domain.turn import Turn, packed, unsound

#: Of no turn is it said how it is to be stored.
NOTHING_STORED: Mapping[int, bytes] = MappingProxyType({})


class TurnTranscoder(Transcoder):
    """Turns to msgpack and back, by the closed set of types of their rule system."""

    def __init__(self, kind: type[Turn]) -> None:
        self._decoder = msgspec.msgpack.Decoder(kind)

    def encode(self, obj: Any) -> bytes:
        """The bytes of a turn, tested by decoding them. Raises NotSaved if the turn does not come back unchanged."""
        try:
            state = packed(obj)
            again = self._decoder.decode(state)
            wrong = unsound(msgspec.to_builtins(again)) or (None if again.moment.tzinfo else "a time without its zone")
        except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise NotSaved(f"Turn T{obj.number} cannot be stored as it is: {error}.") from error
        if wrong or packed(again) != state:
            raise NotSaved(f"Turn T{obj.number} cannot be stored as it is: it holds {wrong or 'what no turn holds'}.")
        return state

    def decode(self, data: bytes) -> Turn:
        return self._decoder.decode(data)


class TurnMapper(LibraryMapper[str]):
    """Turns of one stream to the library's stored events and back."""

    def __init__(
        self, campaign_id: str, transcoder: TurnTranscoder, as_stored: Mapping[int, bytes] = NOTHING_STORED
    ) -> None:
        """`as_stored` has the bytes of turns that were stored elsewhere, by their numbers: they stay what they were."""
        super().__init__(transcoder)
        self._campaign_id, self._as_stored = campaign_id, as_stored

    def to_stored_event(self, domain_event: Any) -> StoredEvent:
        turn: Turn = domain_event
        state = self._as_stored.get(turn.number) or self.transcoder.encode(turn)
        return StoredEvent(self._campaign_id, turn.number, tag_of(type(turn.action)), state)

    def to_domain_event(self, stored_event: StoredEvent) -> Any:
        return self.transcoder.decode(stored_event.state)
