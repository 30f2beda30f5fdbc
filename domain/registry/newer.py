"""What only a newer version of the program can have recorded: tags and fields that are not known here."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from domain import common
from domain.registry import action_kinds, record_types, system_of, tag_of
from domain.registry.uninstalled import UnreadableAction
from domain.system.installed import is_installed
from domain.turn import Sentence, Turn, TurnRedecided, TurnUndone


def holds_unknown(rules: str, topic: str, data: bytes) -> bool:
    """Whether a stored turn, which cannot be decoded, has a tag or a field that this version does not know.

    `topic` is what it is listed as. False for what is no record of a turn, and where the rules are not installed.
    """
    try:
        value = msgspec.msgpack.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False
    if not (isinstance(value, dict) and is_installed(rules)):
        return False
    action, events = value.get("action"), value.get("events")
    if not (isinstance(action, dict) and action.get("type") == topic and isinstance(events, list)):
        return False
    facts: tuple[type[Struct], ...] = (*common.EVENTS, *system_of(rules).events, TurnUndone, TurnRedecided)
    if value.keys() - set(record_types(rules).turn.__struct_encode_fields__):
        return True
    return _are_unknown([action], action_kinds(rules)) or _are_unknown(events, {tag_of(kind): kind for kind in facts})


class RecordedLater(UnreadableAction, frozen=True):
    """An action that a newer version of the program recorded."""

    def sentence(self) -> Sentence:
        return ("Recorded by a newer version of campaign; update to read it.",)


def recorded_later(data: bytes) -> Turn:
    """What can be read of such a turn: its number, its tag, and who recorded it when. Nothing of it is folded."""
    value = msgspec.msgpack.decode(data)
    action: Any = msgspec.defstruct(
        "RecordedLater", [], bases=(RecordedLater,), frozen=True, tag=value["action"]["type"]
    )
    return Turn(
        number=value["number"], id=value["id"], at=value["at"], by=value["by"], action=action(), events=(), seed=0
    )


def _are_unknown(records: Iterable[Any], kinds: Mapping[str, type[Struct]]) -> bool:
    for record in records:
        tag = record.get("type") if isinstance(record, dict) else None
        if not isinstance(tag, str):
            continue
        kind = kinds.get(tag)
        if kind is None or record.keys() - {"type", *kind.__struct_encode_fields__}:
            return True
        if kind is TurnRedecided and _are_unknown(record.get("events") or (), kinds):
            return True
    return False
