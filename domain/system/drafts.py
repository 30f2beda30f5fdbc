"""Drafts: an action before it is recorded, and the questions that its rules still ask the player.

`Action.open_decision` returns a `PendingDecision` while something is open. Its choices are the action unchanged, the
action with more fields, or another action. Every surface (the table, the shell, a page) asks until nothing is open. If
nobody can answer, the action is recorded unchanged.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from domain.choice import Choice
from domain.naming import called
from domain.system.field_schema import Field, fields_of
from domain.system.pending import PendingDecision
from domain.system.rulesystem import RuleSystem
from domain.system.secrets import secrets_of
from domain.turn import Action, Event

if TYPE_CHECKING:
    from domain.system.state import Game

YES_OR_NO = ("yes", "no")


class Draft:
    """An action before it is recorded, with what its rules need to see what is still open."""

    def __init__(self, system: RuleSystem, state: "Game", decide: Callable[[], Sequence[Event]]) -> None:
        self.system, self.state = system, state
        self._decide = decide

    @property
    def options(self) -> Any:
        return self.state.options

    @cached_property
    def events(self) -> Sequence[Event]:
        """The events of the unchanged action; empty if it is refused, or if something would have to be drawn first."""
        return self._decide()


def as_it_stands(action: Action, says: str) -> Choice:
    """The choice that leaves an action unchanged."""
    return Choice(type(action), _fields(action), says=says)


def with_more(action: Action, says: str, *asks: str, **fields: Any) -> Choice:
    """The choice that adds fields to an action; None removes one. `asks` are the fields still to be filled in."""
    filled_fields = {name: value for name, value in {**_fields(action), **fields}.items() if value is not None}
    return Choice(type(action), filled_fields, asks, says)


def _fields(action: Action) -> dict[str, Any]:
    values: dict[str, Any] = msgspec.to_builtins(action)
    return {name: value for name, value in values.items() if name != "type"}


def legal_values(
    system: RuleSystem,
    state: "Game",
    kind: type[Action],
    field: Field,
    name: str | None,
    fields: Mapping[str, Any] | None = None,
) -> list[str]:
    """The legal values of a field now, with these fields of the action so far; empty if they are none or no list."""
    proposals = system.proposals_for(state, kind, field.key, name, fields or {})
    if proposals is not None:
        spoilers = system.spoilers(state, kind, field.key)
        return [str(value) for value in proposals if value not in spoilers]
    one = field.one
    return list(YES_OR_NO) if one.shape == "flag" else list(map(str, one.offered_choices or one.values or ()))


def narrow(system: RuleSystem, state: "Game", choice: Choice) -> PendingDecision | None:
    """A choice that asks for a field, as one choice for each answer to it; None if its value has to be typed."""
    if not choice.asks:
        return None
    field = next(candidate for candidate in fields_of(choice.action) if candidate.key == choice.asks[0])
    values = legal_values(system, state, choice.action, field, about(choice))
    if field.key not in secrets_of(choice.action):
        # a value chosen for one field is not offered for the next; if the field is secret it is, because the gap would
        # reveal it
        chosen_values = [
            str(part) for value in choice.fields.values() for part in (value if isinstance(value, list) else [value])
        ]
        values = [value for value in values if value not in chosen_values]
    fill = choice.action.answers.get(field.key)
    fill = fill or {value: {field.key: _value(field, value, choice)} for value in values}
    choices = tuple(
        replace(choice, fields={**choice.fields, **fields}, asks=choice.asks[1:], says=says)
        for says, fields in fill.items()
    )
    prefix = f"{called(name)}: " if (name := about(choice)) is not None else ""
    return PendingDecision(choices, prefix + (field.description or field.key)) if choices else None


def _value(field: Field, text: str, choice: Choice) -> Any:
    """A value in the form that the field stores; for a list, the list with this value appended."""
    if field.kind.shape == "list":
        return [*choice.fields.get(field.key, ()), text]
    return text == YES_OR_NO[0] if field.kind.shape == "flag" else text


def about(choice: Choice) -> str | None:
    """The character a choice is about: the first one it names."""
    for field in fields_of(choice.action):
        if field.names == "character" and isinstance(name := choice.fields.get(field.key), str):
            return name
    return None
