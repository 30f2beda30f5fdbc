"""Confirming a change of earlier turns: whose turns it changes, and how it can leave later results as they were."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from domain.common.revisions import Amend, Conflicts, Redo, Undo
from domain.log.backdating import with_conflict_answer
from domain.log.command_handler import Command, CommandHandler
from domain.log.revising import cards_differ
from domain.log.revision_draft import latest_line
from domain.naming import genitive
from domain.refusal import LaterTurn
from domain.system.rulesystem import RuleSystem
from domain.turn import Action

if TYPE_CHECKING:  # most of what is recorded changes nothing recorded before
    from projections.preview import ActionPreview

#: The question before earlier turns change.
CONFIRM = "Do this?"
#: The end of that question if the turn that changes is somebody else's line.
OF_ANOTHER: dict[type[Action], str] = {Undo: "Undo it?", Redo: "Restore it?", Amend: "Change it?"}


def question_about(handler: CommandHandler, commands: Sequence[Command], preview: "ActionPreview") -> str:
    """The question before earlier turns change; it says whose line one of them is, if it is somebody else's."""
    for command in commands:
        numbers = _turns_in(handler, command.action, preview)
        turns = handler.log.read(numbers[0] - 1, numbers[-1]) if numbers else ()
        for turn in turns:
            if turn.number in numbers and turn.by is not None and turn.by != command.by:
                return f"T{turn.number} is {genitive(turn.by)} line. {OF_ANOTHER[type(command.action)]}"
    return CONFIRM


def _turns_in(handler: CommandHandler, action: Action, preview: "ActionPreview") -> list[int]:
    """The turns that an undo, a redo or an amendment is about, in their order; none for any other action."""
    match action:
        case Undo(turns=turns) if turns is not None:
            return sorted(turns)
        case Undo(last=None, to=None):
            return sorted(latest_line(handler.log, handler.number))
        case Redo():
            return [change.turn for change in preview.changed if change.before is None]
        case Amend():
            return sorted(action.new_actions)
    return []


def comes_to_more(
    handler: CommandHandler, commands: Sequence[Command], preview: "ActionPreview", settled: Sequence[LaterTurn]
) -> bool:
    """Whether a preview changes more than the turns that the lines are about and the later turns `settled`."""
    named = {later.turn for later in settled}.union(
        *(_turns_in(handler, command.action, preview) for command in commands)
    )
    return bool(preview.sheets or preview.moved or {change.turn for change in preview.changed} - named)


def keeping_results(
    commands: Sequence[Command],
    preview: "ActionPreview",
    simulate: Callable[[Sequence[Command]], "ActionPreview"],
    system: RuleSystem,
) -> tuple[list[Command], "ActionPreview"] | None:
    """An undo that keeps later results as announced, and its preview, if it would else turn up other cards in them.

    None if it would not, if what becomes of them is said already, or if keeping them does not help. `simulate` gives
    the preview of commands.
    """
    (first, *others) = commands
    if others or not isinstance(first.action, Undo) or first.action.conflicts or not _other_cards(preview, system):
        return None
    keeping = with_conflicts(commands, "keep")
    preview_of_keeping = simulate(keeping)
    return None if _other_cards(preview_of_keeping, system) else (keeping, preview_of_keeping)


def _other_cards(preview: "ActionPreview", system: RuleSystem) -> bool:
    """Whether a turn that stands on would turn up other cards than those that were announced."""
    standing = (turn for turn in preview.changed if turn.before is not None and turn.after is not None)
    return any(cards_differ(system, turn.before, turn.after) for turn in standing)


def with_conflicts(commands: Sequence[Command], conflicts: Conflicts) -> list[Command]:
    """The commands with what becomes of later turns that are no longer legal."""
    settlements = [
        (command, with_conflict_answer(command.action, command.backdating, conflicts)) for command in commands
    ]
    return [replace(command, action=action, backdating=backdating) for command, (action, backdating) in settlements]
