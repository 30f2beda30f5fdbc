"""When the paper sheet and the log differ: the single turn that most likely made it so.

Tried newest first: what if this turn had not been, or had been logged with one number a little different, or with
another card than the one that was reported or drawn? The nearest turn for which everything agrees is the suspect.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec
from msgspec import Struct

from domain.common.revisions import Amend, Undo
from domain.common.sheets import Override, SheetCheck
from domain.log.command_handler import CommandHandler
from domain.log.deciding import names_in
from domain.log.effective_history import EffectiveTurn, effective_turns
from domain.log.simulation import FaceDown, Simulation
from domain.refusal import Invalid, Refusal
from domain.system.field_schema import fields_of
from domain.turn import Action

#: How many turns of the character are tried, and with how many other things that only the paper has.
MOST, MOST_OTHERS = 60, 4


class Suspect(Struct, frozen=True):
    """A turn whose undo (`field` None) or amendment (`field` to `value`) makes the sheets agree."""

    turn: int
    field: str | None = None
    value: Any = None


def likeliest(handler: CommandHandler, character: str, expect: Mapping[str, Any]) -> Suspect | None:
    """The suspect, None if no single turn explains it. `expect` is sheet field -> value as on paper."""
    # a guess is no way to look at what undoing something would draw
    handler = handler.simulating(Simulation(1, FaceDown(handler.system, handler.log.read())))
    state = handler.state()
    shown = handler.system.fields_view(state, character)
    steps = {
        expected - shown[name]
        for name, expected in expect.items()
        if _is_number(expected) and _is_number(shown.get(name)) and expected != shown[name]
    }
    others = [
        each
        for name, expected in expect.items()
        if isinstance(expected, list) and isinstance(shown.get(name), list)
        for each in expected
        if each not in shown[name]
    ]

    def agrees(action: Undo | Amend) -> bool:
        try:
            after = handler.state_after(action)
        except (Refusal, Invalid):
            return False
        if after is None or character not in after.characters:
            return False
        effective_turn = handler.system.fields_view(after, character)
        return all(effective_turn.get(name) == expected for name, expected in expect.items())

    for effective_turn in islice(_turns_of(handler, character), MOST):
        number = effective_turn.number
        if agrees(Undo(turns=(number,))):
            return Suspect(number)
        asked = msgspec.to_builtins(effective_turn.action)
        for name, value in _otherwise(type(effective_turn.action), asked, steps, others[:MOST_OTHERS]):
            if agrees(Amend(turn=number, action={**asked, name: value})):
                return Suspect(number, name, value)
    return None


def _turns_of(handler: CommandHandler, character: str) -> Iterator[EffectiveTurn]:
    for effective_turn in reversed(list(effective_turns(handler.log))):
        touched = {getattr(event, "character", None) for event in effective_turn.facts} | set(
            names_in(effective_turn.action)
        )
        fixed = isinstance(effective_turn.action, Override | SheetCheck)
        if (
            effective_turn.standing
            and effective_turn.number > 1
            and character in touched
            and effective_turn.facts
            and not fixed
        ):
            yield effective_turn


def _otherwise(
    kind: type[Action], asked: Mapping[str, Any], steps: set[int], others: Sequence[Any]
) -> Iterator[tuple[str, Any]]:
    """Each field of an action with a value that may have been meant; what was drawn could have been told."""
    for field in fields_of(kind):
        value = asked.get(field.key)
        if field.kind.reference:
            yield from ((field.key, other) for other in others if other != value)
        elif field.kind.item is not None and field.kind.item.reference and isinstance(value, list | tuple):
            for place in range(len(value)):
                yield from ((field.key, [*value[:place], other, *value[place + 1 :]]) for other in others)
        elif value is not None:
            yield from ((field.key, other) for other in _variants(value, steps))


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _variants(value: Any, steps: set[int]) -> Iterator[Any]:
    """The same value with one of its numbers off by one of the steps, either way."""
    if _is_number(value):
        for step in sorted(steps, key=abs):
            yield value - step
            yield value + step
    elif isinstance(value, list | tuple):
        for place, each in enumerate(value):
            for other in _variants(each, steps):
                yield [*value[:place], other, *value[place + 1 :]]
    elif isinstance(value, dict):
        for key, each in value.items():
            for other in _variants(each, steps):
                yield {**value, key: other}
