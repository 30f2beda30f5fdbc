"""What the player still decides about an action that is asked for: the questions that its rules ask, and the answers.

An action says in `undecided` what is left to decide about it as it stands, as a matter like any other: a way that is
the action as it stands, one that says more of it, or another action altogether. Every surface asks it (the table, the
shell on a terminal, a page), one after the other until nothing is left; where nobody can be asked, the action is done
as it stands.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from domain.naming import called
from domain.system.field_schema import Field, fields_of
from domain.system.pending import Choice, PendingDecision
from domain.system.rulesystem import RuleSystem
from domain.system.secrets import secrets_of
from domain.turn import Action, Event

if TYPE_CHECKING:
    from domain.system.state import Game

YES_OR_NO = ("yes", "no")


class Draft:
    """An action before it is done, and what its rules may look at to see what is left to decide."""

    def __init__(self, system: RuleSystem, state: "Game", decided: Callable[[], Sequence[Event]]) -> None:
        self.system, self.state = system, state
        self._decided = decided

    @property
    def options(self) -> Any:
        return self.state.options

    @cached_property
    def events(self) -> Sequence[Event]:
        """What it comes to as it stands; none if it is refused, or where chance would be drawn for it first."""
        return self._decided()


def as_it_stands(action: Action, says: str) -> Choice:
    """The way that leaves an action as it is."""
    return Choice(type(action), _fields(action), says=says)


def with_more(action: Action, says: str, *asks: str, **fields: Any) -> Choice:
    """The way that says more of an action; None takes back what it says. `asks` are fields still to be said."""
    told = {name: value for name, value in {**_fields(action), **fields}.items() if value is not None}
    return Choice(type(action), told, asks, says)


def _fields(action: Action) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(action)
    return {name: value for name, value in told.items() if name != "type"}


def legal_values(system: RuleSystem, state: "Game", kind: type[Action], field: Field, whose: str | None) -> list[str]:
    """The values that a field can have now, where they can be counted off; none: any, or there is none."""
    found = system.proposals(state, kind, field.key, whose)
    if found is not None:
        hidden = system.spoilers(state, kind, field.key)
        return [str(each) for each in found if each not in hidden]
    item = field.kind.item if field.kind.shape == "list" and field.kind.item is not None else field.kind
    return list(YES_OR_NO) if item.shape == "flag" else list(map(str, item.told_choices or item.values or ()))


def narrowed(system: RuleSystem, state: "Game", choice: Choice) -> PendingDecision | None:
    """A way that asks for a field, as one way for each value that the field can have; None: it is to be typed."""
    if not choice.asks:
        return None
    field = next(each for each in fields_of(choice.action) if each.key == choice.asks[0])
    values = legal_values(system, state, choice.action, field, about(choice))
    if field.key not in secrets_of(choice.action):
        # what was chosen for one field of an action is not there any more for the next; where that is a secret it is,
        # for what is missing would tell it
        said = [
            str(each) for value in choice.fields.values() for each in (value if isinstance(value, list) else [value])
        ]
        values = [each for each in values if each not in said]
    choices = tuple(
        replace(
            choice, fields={**choice.fields, field.key: _value(field, each, choice)}, asks=choice.asks[1:], says=each
        )
        for each in values
    )
    who = f"{called(name)}: " if (name := about(choice)) is not None else ""
    return PendingDecision(choices, who + (field.description or field.key)) if choices else None


def _value(field: Field, told: str, choice: Choice) -> Any:
    """A value as a field holds it; one more of a list."""
    if field.kind.shape == "list":
        return [*choice.fields.get(field.key, ()), told]
    return told == YES_OR_NO[0] if field.kind.shape == "flag" else told


def about(choice: Choice) -> str | None:
    """The character whom a way is about: the first that it names."""
    for field in fields_of(choice.action):
        if field.names == "character" and isinstance(name := choice.fields.get(field.key), str):
            return name
    return None
