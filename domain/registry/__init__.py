"""The registry of rule systems, and for each the closed table of what its log may contain.

A built-in system is one folder and one line in `domain.system.installed`; any other is a package that names its
class under the entry point group `campaign.rules`. Each is imported when it is asked for.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any, Union

import msgspec

from domain import common
from domain.naming import did_you_mean
from domain.refusal import Incomplete, Invalid, Unfit, Unknown
from domain.system.field_schema import Field, fields_of
from domain.system.installed import GROUP, entry_points_of_packages, installed
from domain.system.installed import SYSTEMS as SYSTEMS
from domain.system.rulesystem import RuleSystem, check_system
from domain.system.type_descriptions import LONGEST_VALUE, type_description, value_in_brief
from domain.turn import Action, Turn, TurnRedecided, TurnUndone, unsound


@cache
def system_of(key: str) -> RuleSystem:
    """The rule system with this key. Raises Unknown if there is none, Incomplete if it lacks a piece."""
    if key in SYSTEMS:
        # a test checks the built-in systems; checking here would slow down every command
        system: RuleSystem = import_module(f"domain.{key}").SYSTEM
        return system
    if key not in entry_points_of_packages():
        reason, known_keys = f"There is no rule system {key!r}", installed()
        raise Unknown("rule system", key, reason, lambda: did_you_mean(key, known_keys, otherwise=""))
    factory = entry_points_of_packages()[key].load()
    if not (isinstance(factory, type) and issubclass(factory, RuleSystem)):
        raise Incomplete(f"The entry point {key} of {GROUP} names no class that derives from RuleSystem.")
    own_system = check_system(factory())
    if own_system.key != key:
        raise Incomplete(
            f"The rule system {factory.__name__} has the key {own_system.key!r}; its entry point says {key!r}."
        )
    return own_system


class RecordTypes(msgspec.Struct, frozen=True):
    """The closed table of one rule system: every tag that its log may contain."""

    turn: type[Turn]
    action: Any
    redecided: type[TurnRedecided]
    #: any fact
    fact: Any
    #: any event
    event: Any


@cache
def record_types(key: str) -> RecordTypes:
    """The record types with the unions of this rule system's actions and events."""
    system = system_of(key)
    facts: Any = Union[(*common.EVENTS, *system.events)]
    redecided_type: Any = msgspec.defstruct(
        "TurnRedecided",
        [("events", tuple[facts, ...])],
        bases=(TurnRedecided,),
        frozen=True,
        kw_only=True,
        tag="turn.redecided",
    )
    action: Any = Union[(*common.ACTIONS, *system.actions)]
    event: Any = Union[facts, TurnUndone, redecided_type]
    events: Any = ("events", tuple[event, ...])
    turn = msgspec.defstruct("Turn", [("action", action), events], bases=(Turn,), frozen=True, kw_only=True)
    return RecordTypes(turn, action, redecided_type, facts, event)  # type: ignore[arg-type]


@cache
def tag_of(kind: type[msgspec.Struct]) -> str:
    return str(kind.__struct_config__.tag)


def verb_name(action: type[Action]) -> str:
    """The main verb of an action: "osr.short_rest" is `short-rest`, "session.open" is `session open`."""
    if action.verb:
        return action.verb
    head, dot, tail = tag_of(action).partition(".")
    is_common = action in common.ACTIONS
    return (f"{head} {tail}" if dot and is_common else tail or head).replace("_", "-")


@cache
def action_kinds(key: str) -> Mapping[str, type[Action]]:
    """The actions of a rule system and the common ones, by tag."""
    return {tag_of(kind): kind for kind in (*common.ACTIONS, *system_of(key).actions)}


def action_from(key: str, value: Mapping[str, Any]) -> Action:
    """An action from decoded JSON. Raises Invalid: an unknown tag or field, a wrong type, a number out of bounds."""
    try:
        wrong = unsound(value)
    except RecursionError:
        raise Invalid("This is nested too deeply to be an action.") from None
    if wrong:
        raise Invalid(f"An action cannot hold {wrong}.")
    tags = action_kinds(key)
    tag = value.get("type")
    if not isinstance(tag, str):
        raise Invalid('An action names its type, like {"type": "note", "text": "…"}.')
    if tag not in tags:
        raise Invalid(f"There is no action {tag!r} in {key}; {did_you_mean(tag, tags, otherwise='')}")
    fields = fields_of(tags[tag])
    field_keys = {field.key for field in fields}
    given_fields = {
        name: field_value for name, field_value in value.items() if name != "type" and field_value is not None
    }
    for name in value:
        if name != "type" and name not in field_keys:
            raise Invalid(
                f"{tag} has no field {name!r}; {did_you_mean(name, sorted(field_keys), otherwise='it has none.')}"
            )
    try:
        action = msgspec.convert({"type": tag, **given_fields}, tags[tag])
    except msgspec.ValidationError as error:
        raise _what_is_wrong(tags[tag], given_fields) or Invalid(f"{tag}: {error}.") from None
    action.check()
    for field in fields:
        text = getattr(action, field.name) if field.never_blank else None
        if text is not None and not text.strip():
            problem = f"{field.key} must not be blank."
            raise Unfit(f"In {tag}, {problem}", problem, field)
    return action


def _what_is_wrong(kind: type[Action], given_fields: Mapping[str, Any]) -> Unfit | None:
    """An error for the first field that is missing or does not fit its type."""
    tag = tag_of(kind)
    for field, field_info in zip(fields_of(kind), msgspec.structs.fields(kind), strict=True):
        if field.key not in given_fields:
            if field.required:
                problem = f"needs {field.key}: {type_description(field.kind)}."
                return Unfit(f"{tag} {problem}", f"It {problem}", field)
            continue
        if (unfit := _unfit(tag, field, field_info.type, given_fields[field.key])) is not None:
            return unfit
    return None


def does_not_fit(kind: type[Action], key: str, value: Any) -> Unfit | None:
    """An error for the value of one field of an action, if it does not fit its type."""
    described = zip(fields_of(kind), msgspec.structs.fields(kind), strict=True)
    return next(_unfit(tag_of(kind), field, info.type, value) for field, info in described if field.key == key)


def _unfit(tag: str, field: Field, hint: Any, value: Any) -> Unfit | None:
    try:
        msgspec.convert(value, hint)
    except msgspec.ValidationError:
        if field.dice and isinstance(value, list) and value:
            typed_so = ",".join(map(str, value))[:LONGEST_VALUE]
            problem = f"{field.key} must be dice as they were rolled, like 5,6, not {typed_so}."
        else:
            takes = type_description(field.kind, value)
            least = field.kind.bounds.get("min_length", 0)
            if field.names and isinstance(value, list) and len(value) < least:
                takes = f"{least} names or more"
            problem = f"{field.key} must be {takes}, not {value_in_brief(value)}."
        return Unfit(f"In {tag}, {problem}", problem, field, value)
    return None
