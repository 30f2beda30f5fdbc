"""A log whose rule system is not installed: the turns that every campaign has are read, and of any other its tag.

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
from domain.system.installed import is_installed
from domain.system.registry import Tagged, action_kinds, record_types, tag_of
from domain.system.rulesystem import RuleSystem
from domain.system.state import Options, Sheet, Table
from domain.turn import Action, Event, Sentence, Turn, TurnRedecided, TurnUndone


class Untold(Action, frozen=True, kw_only=True):
    """What somebody asked for by rules that are missing; `character` is whom it is about, where it says so."""

    character: Any = None

    def told(self) -> Sentence:
        """Its tag and its character, and what it takes to know more."""
        tag = tag_of(type(self))
        of = f" of {called(self.character)}" if isinstance(self.character, str) else ""
        return (f"{tag}{of}: told only with {tag.partition('.')[0]} installed.",)


class UntoldEvent(Event, frozen=True, omit_defaults=True):
    """What happened by rules that are missing: its action's line says so."""

    character: Any = None

    def told(self) -> Sentence:
        return ()

    told_to_others = told

    def fold(self, state: Any) -> None:
        """What it leaves behind is known to its rules alone."""


class Uninstalled(RuleSystem):
    """Rules that a log names and nobody brings."""

    version, chapters, sheet, table, options = 0, (), Sheet, Table, Options


@cache
def system_to_read(rules: str) -> RuleSystem:
    """What a log is told by where its rule system is not installed."""
    kind: type[RuleSystem] = type("Uninstalled", (Uninstalled,), {"key": rules, "cite": rules})
    return kind()


class _Types(Struct, frozen=True):
    """How a turn is read, with what nobody may be able to read left as it is stored."""

    turn: Any
    action: Any
    event: Any
    #: The tags of what every campaign has.
    known: frozenset[str]


@cache
def _types() -> _Types:
    facts: list[tuple[str, Any]] = [("events", tuple[msgspec.Raw, ...])]
    asked: tuple[str, Any] = ("action", msgspec.Raw)
    turn = msgspec.defstruct("Turn", [asked, *facts], bases=(Turn,), kw_only=True)
    redecided: Any = msgspec.defstruct(
        "TurnRedecided", facts, bases=(TurnRedecided,), kw_only=True, tag=tag_of(TurnRedecided)
    )
    event: Any = Union[(*common.EVENTS, TurnUndone, redecided)]
    kinds: tuple[type[Struct], ...] = (*common.ACTIONS, *common.EVENTS, TurnUndone, TurnRedecided)
    return _Types(turn, Union[common.ACTIONS], event, frozenset(map(tag_of, kinds)))


@cache
def _untold(base: type[Struct], tag: str) -> type[Struct]:
    """What stands for the actions or events of one tag."""
    return msgspec.defstruct("Untold", [], bases=(base,), frozen=True, gc=False, tag=tag, forbid_unknown_fields=False)


def _read(raw: bytes, known: Any, base: type[Struct]) -> Any:
    tag = msgspec.msgpack.decode(raw, type=Tagged).type
    return msgspec.msgpack.decode(raw, type=known if tag in _types().known else _untold(base, tag))


def _action(raw: bytes) -> Action:
    action: Any = _read(raw, _types().action, Untold)
    if isinstance(action, Amend):
        # an action in an action: no more of it is told than of one that stands alone
        inside = _action(msgspec.msgpack.encode(action.action))
        return replace(action, action=msgspec.to_builtins(inside))
    told: Action = action
    return told


def _event(raw: bytes) -> Event:
    event: Any = _read(raw, _types().event, UntoldEvent)
    if isinstance(event, TurnRedecided):
        facts: Any = event.events
        # its dice and cards may have lain face down; who could tell is missing
        return TurnRedecided(event.turn, tuple(map(_event, facts)), kept=event.kept)
    told: Event = event
    return told


def _decoded(data: bytes) -> Turn:
    turn: Any = msgspec.msgpack.decode(data, type=_types().turn)
    whole: Turn = replace(turn, action=_action(turn.action), events=tuple(map(_event, turn.events)))
    return whole


def decoder_of(rules: str) -> Callable[[bytes], Turn]:
    """What reads a stored turn: by the closed table of its rule system, else as far as it can be read without."""
    return msgspec.msgpack.Decoder(record_types(rules).turn).decode if is_installed(rules) else _decoded


def stored_action(rules: str, value: Any) -> Action:
    """An action that is on record inside another."""
    if not is_installed(rules):
        return _action(msgspec.msgpack.encode(value))
    # by the type that its tag names: for the union msgspec would work out anew, each time, how all of them are read
    action: Action = msgspec.convert(value, action_kinds(rules).get(value["type"], record_types(rules).action))
    return action
