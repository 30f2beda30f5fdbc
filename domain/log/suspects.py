"""Suspects: the single turn that most likely explains why the paper sheet and the log differ.

Newest first, each turn is tried without it, with one of its numbers changed, and with another card than the reported
or drawn one. The first turn for which the sheets agree is the suspect.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec
from msgspec import Struct

from domain.common.revisions import Amend, Undo
from domain.common.sheets import Override, SheetCheck
from domain.log.command_handler import Command, CommandHandler
from domain.log.deciding import names_in
from domain.log.effective_history import effective_history
from domain.log.port import Log
from domain.log.simulation import FaceDown, Simulation
from domain.refusal import Invalid, Refusal
from domain.system.field_schema import fields_of
from domain.turn import Action

#: The maximum of turns of the character to try, and of values from the paper sheet to try in each.
MOST, MOST_OTHERS = 60, 4


class Suspect(Struct, frozen=True):
    """A turn whose undo (`field` None) or amendment (`field` to `value`) makes the sheets agree."""

    turn: int
    field: str | None = None
    value: Any = None


def likeliest(handler: CommandHandler, character: str, expect: Mapping[str, Any]) -> Suspect | None:
    """The suspect; None if no single turn explains the difference. `expect`: sheet field -> value on paper."""
    # simulated, so that a guess does not reveal what undoing a turn would draw
    guessing = Simulation(1, FaceDown(handler.system, handler.log.read()))
    state = handler.state()
    view = handler.system.fields_view(state, character)
    steps = {
        on_paper - view[name]
        for name, on_paper in expect.items()
        if _is_number(on_paper) and _is_number(view.get(name)) and on_paper != view[name]
    }
    paper_only = [
        member
        for name, on_paper in expect.items()
        if isinstance(on_paper, list) and isinstance(view.get(name), list)
        for member in on_paper
        if member not in view[name]
    ]

    def agrees(action: Undo | Amend) -> bool:
        try:
            revision = handler.revision_of(Command(action))
            assert revision is not None  # as an undo or an amendment always reaches back
            outcome = revision.outcome(guessing)
        except (Refusal, Invalid):
            return False
        after = outcome.state or handler.state()
        if outcome.conflicts or outcome.draws or character not in after.characters:
            return False
        view_after = handler.system.fields_view(after, character)
        return all(view_after.get(name) == on_paper for name, on_paper in expect.items())

    for number, action in islice(_turns_of(handler.log, character), MOST):
        if agrees(Undo(turns=(number,))):
            return Suspect(number)
        action_json = msgspec.to_builtins(action)
        for name, value in _alternatives(type(action), action_json, steps, paper_only[:MOST_OTHERS]):
            if agrees(Amend(turn=number, action={**action_json, name: value})):
                return Suspect(number, name, value)
    return None


def _turns_of(log: Log, character: str) -> Iterator[tuple[int, Action]]:
    """The standing turns that are about a character, newest first, each with its action; none that is always kept."""
    effective = effective_history(log)
    for turn in log.read_back(after=1):
        if not effective.stands(turn.number):
            continue
        action, facts = effective.action(turn), effective.facts(turn)
        names = {getattr(event, "character", None) for event in facts} | set(names_in(action))
        if character in names and facts and not isinstance(action, Override | SheetCheck):
            yield turn.number, action


def _alternatives(
    kind: type[Action], action_json: Mapping[str, Any], steps: set[int], paper_only: Sequence[Any]
) -> Iterator[tuple[str, Any]]:
    """Alternative values for the fields of an action, as (field, value), also for values that were drawn."""
    for field in fields_of(kind):
        value = action_json.get(field.key)
        if field.kind.reference:
            yield from ((field.key, alternative) for alternative in paper_only if alternative != value)
        elif field.kind.item is not None and field.kind.item.reference and isinstance(value, list | tuple):
            for place in range(len(value)):
                yield from (
                    (field.key, [*value[:place], alternative, *value[place + 1 :]]) for alternative in paper_only
                )
        elif value is not None:
            yield from ((field.key, alternative) for alternative in _variants(value, steps))


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _variants(value: Any, steps: set[int]) -> Iterator[Any]:
    """The value with one of its numbers changed by one of the steps, up or down."""
    if _is_number(value):
        for step in sorted(steps, key=abs):
            yield value - step
            yield value + step
    elif isinstance(value, list | tuple):
        for place, member in enumerate(value):
            for alternative in _variants(member, steps):
                yield [*value[:place], alternative, *value[place + 1 :]]
    elif isinstance(value, dict):
        for key, member in value.items():
            for alternative in _variants(member, steps):
                yield {**value, key: alternative}
