"""Turns as the event store library stores them: one event each, packed by the closed table of their rule system.

The originator is the stream, its version the turn's number, the topic the action's tag.
"""

from typing import Any

import msgspec
from eventsourcing.persistence import Mapper, StoredEvent, Transcoder

from domain.log.port import NotSaved
from domain.registry import tag_of
from domain.turn import Turn, unsound


class TurnTranscoder(Transcoder):
    """Turns as msgpack, by the closed table of their rule system."""

    def __init__(self, kind: type[Turn]) -> None:
        self._decoder = msgspec.msgpack.Decoder(kind)

    def encode(self, obj: Any) -> bytes:
        """The bytes, once they have been read back. Raises NotSaved for what would not come back as it was."""
        try:
            state = msgspec.msgpack.encode(obj)
            again = self._decoder.decode(state)
            wrong = unsound(msgspec.to_builtins(again)) or (None if again.moment.tzinfo else "a time without its zone")
        except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise NotSaved(f"Turn T{obj.number} cannot be stored as it is: {error}.") from error
        if wrong or msgspec.msgpack.encode(again) != state:
            raise NotSaved(f"Turn T{obj.number} cannot be stored as it is: it holds {wrong or 'what no turn holds'}.")
        return state

    def decode(self, data: bytes) -> Turn:
        return self._decoder.decode(data)


class TurnMapper(Mapper[str]):
    """Turns of one campaign as stored events."""

    def __init__(self, campaign_id: str, transcoder: TurnTranscoder) -> None:
        super().__init__(transcoder)
        self._campaign_id = campaign_id

    def to_stored_event(self, domain_event: Any) -> StoredEvent:
        turn: Turn = domain_event
        state = self.transcoder.encode(turn)
        return StoredEvent(self._campaign_id, turn.number, tag_of(type(turn.action)), state)

    def to_domain_event(self, stored_event: StoredEvent) -> Any:
        return self.transcoder.decode(stored_event.state)
