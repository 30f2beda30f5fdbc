"""Deciding: one action against one state, with the options in force there and the names in it spelled as enrolled."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from msgspec.structs import replace

from domain.naming import called, find_name, fit_name, heard_alike, key_of, refuse_other_meaning
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
    """Decide one action as turn `number`, on a copy of the state. Raises Refusal or Invalid."""
    resolved_action = with_names(action, state)
    if not chance.lenient:  # older logs may have such names
        _refuse_misleading_name(resolved_action, state)
    decision: Deciding = Decision(system, state.copy(), resolved_action, chance, number, last_change)
    resolved_action.decide(decision)
    return decision


def with_names(action: Action, state: Game) -> Action:
    """The action with every name of a character spelled as enrolled.

    Raises Refusal for an unknown name, or for a new name that is in use; Invalid for a new name that is not allowed,
    and for a name given twice in one list.
    """
    changes: dict[str, Any] | None = None
    characters = state.characters
    for name, named_as, are_keys in _naming_fields(type(action)):
        value = getattr(action, name)
        # the fast path: nearly always a name is spelled as enrolled
        if value is None or (named_as == "character" and isinstance(value, str) and value in characters):
            continue
        if are_keys:
            if value.keys() <= characters.keys():
                continue
            new_value: Any = {find_name(key, characters): value_of_name for key, value_of_name in value.items()}
            _refuse_doubles([find_name(key, characters) for key in value])
        elif named_as == "new character":
            new_value = _new_name(value, state)
        elif named_as == "ally":
            by_key = {key_of(name_of_character): name_of_character for name_of_character in characters}
            new_value = tuple([by_key.get(key_of(typed_name), typed_name) for typed_name in value])
            _refuse_doubles(value)
        elif isinstance(value, str):
            new_value = find_name(value, characters)
        else:
            new_value = tuple(
                [typed_name if typed_name in characters else find_name(typed_name, characters) for typed_name in value]
            )
            if len(new_value) > 1:
                _refuse_doubles(new_value)
            if new_value == value:
                continue
        if changes is None:
            changes = {}
        changes[name] = new_value
    return action if changes is None else replace(action, **changes)


def names_in(action: Action) -> tuple[str, ...]:
    """The characters that an action names, in order."""
    names: list[str] = []
    for name, _, are_keys in _naming_fields(type(action)):
        value = getattr(action, name)
        if value is not None and not are_keys:
            names += [value] if isinstance(value, str) else value
    return tuple(dict.fromkeys(names) if len(names) > 1 else names)


@cache
def _naming_fields(action: type[Action]) -> tuple[tuple[str, str | None, bool], ...]:
    """The fields of an action with names: (field, kind of name, whether the names are keys of a mapping)."""
    return tuple(
        (field.name, field.names, field.keyed_by_names)
        for field in fields_of(action)
        if field.names or field.keyed_by_names
    )


def _refuse_doubles(names: Iterable[str]) -> None:
    names_so_far: set[str] = set()
    for name in names:
        if key_of(name) in names_so_far:
            raise Invalid(f"{called(name)} is named twice.")
        names_so_far.add(key_of(name))


def _refuse_misleading_name(action: Action, state: Game) -> None:
    for field, named_as, _ in _naming_fields(type(action)):
        if named_as != "new character":
            continue
        name = getattr(action, field)
        refuse_other_meaning(name)
        if (alike := heard_alike(name, state.characters)) is not None:
            raise Refusal(None, f"{called(alike)} is enrolled already, and is heard alike; choose another name.")


def _new_name(name: str, state: Game) -> str:
    fit = fit_name(name)
    for name_there in state.characters:
        if key_of(name_there) == key_of(fit):
            raise Refusal(None, f"{called(name_there)} is enrolled already; choose another name.")
    return fit
