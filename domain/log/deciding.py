"""Deciding: one action against one state, under the options in force there."""

from collections.abc import Callable
from functools import cache
from typing import Any

from msgspec.structs import replace

from domain.naming import called, find_name, fit_name, key_of
from domain.refusal import Invalid, Refusal
from domain.system.chance import Chance
from domain.system.decision import Deciding, Decision
from domain.system.field_schema import fields_of
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.turn import Action


def decide(
    system: RuleSystem,
    state: Game,
    action: Action,
    chance: Chance,
    number: int,
    last_change: Callable[[str, str], int | None] | None = None,
) -> Deciding:
    """Decide one action as turn `number`. Raises Refusal or Invalid; the state given is left as it was."""
    named = with_names(action, state)
    decision: Deciding = Decision(system, state.copy(), named, chance, number, last_change)
    named.decide(decision)
    return decision


def with_names(action: Action, state: Game) -> Action:
    """The action with every name as enrolled.

    Raises Refusal for a name that nobody bears (or, enrolling, that somebody bears), Invalid for one that is
    unfit or given twice in one list.
    """
    changes: dict[str, Any] | None = None
    characters = state.characters
    for name, whose, are_keys in _naming_fields(type(action)):
        value = getattr(action, name)
        # nearly always a name is given as it was enrolled, and the field stays as it is
        if value is None or (whose == "character" and isinstance(value, str) and value in characters):
            continue
        if are_keys:
            if value.keys() <= characters.keys():
                continue
            meant: Any = {find_name(each, characters): held for each, held in value.items()}
            _refuse_doubles(name, meant, value)
        elif whose == "new character":
            meant = _new_name(value, state)
        elif whose == "ally":
            by_key = {key_of(each): each for each in characters}
            meant = tuple([by_key.get(key_of(each), each) for each in value])
            _refuse_doubles(name, {key_of(each) for each in value}, value)
        elif isinstance(value, str):
            meant = find_name(value, characters)
        else:
            meant = tuple([each if each in characters else find_name(each, characters) for each in value])
            if len(meant) > 1:
                _refuse_doubles(name, set(meant), value)
            if meant == value:
                continue
        if changes is None:
            changes = {}
        changes[name] = meant
    return action if changes is None else replace(action, **changes)


def names_in(action: Action) -> tuple[str, ...]:
    """The characters that an action names, in its order."""
    found: list[str] = []
    for name, _, are_keys in _naming_fields(type(action)):
        value = getattr(action, name)
        if value is not None and not are_keys:
            found += [value] if isinstance(value, str) else value
    return tuple(dict.fromkeys(found) if len(found) > 1 else found)


@cache
def _naming_fields(action: type[Action]) -> tuple[tuple[str, str | None, bool], ...]:
    """The fields of an action that hold names: (the field, whose names they are, whether its keys are the names)."""
    return tuple(
        (field.name, field.names, field.keyed_by_names)
        for field in fields_of(action)
        if field.names or field.keyed_by_names
    )


def _refuse_doubles(field: str, unique: Any, given: Any) -> None:
    if len(unique) != len(given):
        raise Invalid(f"{field} names the same character twice.")


def _new_name(name: str, state: Game) -> str:
    fit = fit_name(name)
    for each in state.characters:
        if key_of(each) == key_of(fit):
            raise Refusal(None, f"{called(each)} is enrolled already; choose another name.")
    return fit
