"""Logs whose rule system is not installed: common turns are decoded, of all others only the tag.

That is enough to tell what was done and by whom, and which turns only the missing rules could tell. Nothing of it
can be folded, and nobody knows what of it is secret.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Union

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain import common
from domain.common.revisions import Amend
from domain.naming import called
from domain.registry import action_kinds, record_types, tag_of
from domain.system.installed import is_installed
from domain.system.rulesystem import RuleSystem
from domain.system.state import Options, Sheet, TableState
from domain.turn import Action, Event, Sentence, Turn, TurnRedecided, TurnUndone


class UnreadableAction(Action, frozen=True, kw_only=True):
    """An action of a missing rule system; `character` is whom it is about, if it says so."""

    character: Any = None

    def sentence(self) -> Sentence:
        tag = tag_of(type(self))
        about = f" of {called(self.character)}" if isinstance(self.character, str) else ""
        return (f"{tag}{about}: install {tag.partition('.')[0]} to read it.",)


class UnreadableEvent(Event, frozen=True, omit_defaults=True):
    """An event of a missing rule system; the sentence of its action stands for it."""

    character: Any = None

    def sentence(self) -> Sentence:
        return ()

    sentence_for_others = sentence

    def fold(self, state: Any) -> None:
        """Only the missing rules know its effect."""


class Uninstalled(RuleSystem):
    """A rule system that a log names and that is not installed."""

    version, chapters, sheet, table, options = 0, (), Sheet, TableState, Options


@cache
def system_to_read(rules: str) -> RuleSystem:
    """The stand-in for a rule system that is not installed."""
    kind: type[RuleSystem] = type("Uninstalled", (Uninstalled,), {"key": rules, "cite": rules})
    return kind()


class _TagOnly(Struct, frozen=True, gc=False):
    """The tag of a stored action or event."""

    type: str


class _Types(Struct, frozen=True):
    """The types that decode a turn while leaving unknown actions and events raw."""

    turn: Any
    action: Any
    event: Any
    #: The tags of the common actions and events.
    common_tags: frozenset[str]


@cache
def _types() -> _Types:
    facts: list[tuple[str, Any]] = [("events", tuple[msgspec.Raw, ...])]
    action_field: tuple[str, Any] = ("action", msgspec.Raw)
    turn = msgspec.defstruct("Turn", [action_field, *facts], bases=(Turn,), kw_only=True)
    redecided_type: Any = msgspec.defstruct(
        "TurnRedecided", facts, bases=(TurnRedecided,), kw_only=True, tag=tag_of(TurnRedecided)
    )
    event: Any = Union[(*common.EVENTS, TurnUndone, redecided_type)]
    kinds: tuple[type[Struct], ...] = (*common.ACTIONS, *common.EVENTS, TurnUndone, TurnRedecided)
    return _Types(turn, Union[common.ACTIONS], event, frozenset(map(tag_of, kinds)))


@cache
def _stand_in(base: type[Struct], tag: str) -> type[Struct]:
    return msgspec.defstruct("Untold", [], bases=(base,), frozen=True, tag=tag, forbid_unknown_fields=False)


def _read(raw: bytes, types: Any, base: type[Struct]) -> Any:
    tag = msgspec.msgpack.decode(raw, type=_TagOnly).type
    return msgspec.msgpack.decode(raw, type=types if tag in _types().common_tags else _stand_in(base, tag))


def _action(raw: bytes) -> Action:
    action: Any = _read(raw, _types().action, UnreadableAction)
    if isinstance(action, Amend):
        # the action inside an amendment is decoded as far as a separate one
        inside = _action(msgspec.msgpack.encode(action.action))
        return replace(action, action=msgspec.to_builtins(inside))
    result: Action = action
    return result


def _event(raw: bytes) -> Event:
    event: Any = _read(raw, _types().event, UnreadableEvent)
    if isinstance(event, TurnRedecided):
        facts: Any = event.events
        # its dice and cards may be secret, and only the missing rules could say
        return TurnRedecided(event.turn, tuple(map(_event, facts)), kept=event.kept)
    result: Event = event
    return result


def _decode(data: bytes) -> Turn:
    turn: Any = msgspec.msgpack.decode(data, type=_types().turn)
    whole: Turn = replace(turn, action=_action(turn.action), events=tuple(map(_event, turn.events)))
    return whole


def decoder_of(rules: str) -> Callable[[bytes], Turn]:
    """The decoder of stored turns: with the record types of the rule system, or as far as possible without them."""
    return msgspec.msgpack.Decoder(record_types(rules).turn).decode if is_installed(rules) else _decode


def stored_action(rules: str, value: Any) -> Action:
    """An action that is stored inside another."""
    if not is_installed(rules):
        return _action(msgspec.msgpack.encode(value))
    # by its own type: for the union msgspec would build a decoder for all types each time
    action: Action = msgspec.convert(value, action_kinds(rules).get(value["type"], record_types(rules).action))
    return action
