"""The terminal as a face of the conversation: it prints each step and reads each answer."""

from typing import TYPE_CHECKING

from cli.line.errors import LineError
from cli.line.spelling import line_of_choice
from cli.line.understanding import Question
from cli.recording.conversation import LATER, Conversation
from cli.recording.steps import Ask, Done, Previewed, Step, TurnsRecorded, TypeOn
from cli.shell.command_context import ask_first
from cli.shell.ending import CONFLICT, DONE, Ended, Unanswered
from cli.terminal.answers import afterword, answer_json, print_answer
from cli.terminal.asking import ask_rest, pick
from cli.terminal.screen import Screen, complain

if TYPE_CHECKING:
    from projections.preview import ActionPreview


#: The error for a line of its own typed at the prompt for the rest of another.
LEAVE_FIRST = "No answer begins like that. Press Enter to leave the question."


def converse(conversation: Conversation, step: Step, screen: Screen, *, as_json: bool) -> Question | None:
    """Run a conversation to its end; return the reading command if the line is one.

    Raises Unanswered if a question was left before anything was recorded, Ended after a dry run, and whatever the
    conversation raises.
    """
    is_recorded = is_typed_on = False
    while not isinstance(step, Done):
        match step:
            case Question() if is_typed_on:
                complain(LEAVE_FIRST)
                step = conversation.proceed()
            case Question():
                return step
            case Previewed(preview):
                _print_preview(conversation, preview, screen, as_json)
                raise Ended(CONFLICT if preview.conflicts else DONE)
            case TurnsRecorded():
                _print_recorded(conversation, step, screen, as_json)
                is_recorded = True
                step = conversation.proceed()
            case Ask():
                step = _ask(conversation, step, screen, as_json)
            case TypeOn():
                is_typed_on = True
                step = conversation.type(_ask_rest(conversation, step))
    if not is_recorded:
        raise Unanswered
    return None


def _print_preview(conversation: Conversation, preview: "ActionPreview", screen: Screen, as_json: bool) -> None:
    # only previews need these, and recording must be instant
    from cli.terminal.previews import print_preview
    from projections.preview_json import preview_json

    if as_json:
        screen.json(preview_json(conversation.handler.system, preview))
    else:
        print_preview(conversation.handler.system, preview, screen)
    screen.flush()


def _print_recorded(conversation: Conversation, step: TurnsRecorded, screen: Screen, as_json: bool) -> None:
    system = conversation.handler.system
    if as_json:
        for outcome in step.outcomes:
            screen.json(answer_json(system, outcome.turn), pretty=len(step.outcomes) == 1)
        screen.flush()
        return
    if step.notice:
        complain(step.notice)
    state = conversation.handler.state()
    for outcome in step.outcomes:
        print_answer(
            system,
            outcome,
            state,
            screen,
            table_before=system.pending_for_table(step.before),
            next_decisions=step.pending,
            shown_before=step.preview is not None,
        )
    if more := afterword(system, conversation.handler.log, step.outcomes):
        screen.line(f"    {more}", indent=None)
    if step.revises:
        from cli.terminal.previews import print_sheets
        from projections.sheet_changes import new_sheet_changes

        shown = step.preview.sheets if step.preview else ()
        print_sheets(new_sheet_changes(shown, system, step.before, conversation.handler.state()), screen)
    screen.flush()


def _ask(conversation: Conversation, ask: Ask, screen: Screen, as_json: bool) -> Step:
    """Ask a question and return the next step. Raises Unanswered, unless the turn is recorded already."""
    if ask.preview is not None and ask.keeping is not None and not as_json:
        from cli.terminal.previews import (
            print_with_and_without_keeping,  # hardly any change of earlier turns is asked about so
        )

        print_with_and_without_keeping(conversation.handler.system, ask.preview, ask.keeping, screen)
        screen.flush()
    elif ask.preview is not None:
        _print_preview(conversation, ask.preview, screen, as_json)
    elif ask.conflicts:
        for later in ask.conflicts:
            complain(f"T{later.turn}: {later.refusal}")
    if ask.kind == "confirm" and ask.keeping is None:
        ask_first(ask.why)
        return conversation.choose("yes")
    context = conversation.audience.context
    words = [
        (answer.key, answer.says or (line_of_choice(context, answer.choice) if answer.choice is not None else ""))
        for answer in ask.with_keys
    ]
    try:
        key = pick(ask.why, words, leaves=ask.kind == "open")
    except (KeyboardInterrupt, EOFError) as stopped:
        if ask.stands is None:
            raise Unanswered(stopped) from None
        complain("")  # the next output begins a line
        key = ""
    if key:
        return conversation.choose(key)
    if ask.leaving is not None:
        return conversation.choose(ask.leaving)
    conversation.leave()
    return conversation.step


def _ask_rest(conversation: Conversation, step: TypeOn) -> str:
    """Ask for the rest of a line and return the line. Raises Unanswered, unless the decision may be left pending."""
    if step.error is not None:
        complain(LEAVE_FIRST if isinstance(step.error, LineError) and step.error.no_verb else str(step.error))
    elif step.settles is not None and step.choice is not None:
        if step.settles.why:
            complain(step.settles.why)
        line = line_of_choice(conversation.audience.context, step.choice)
        complain(f"{line} (Enter: {step.settles.leave or LATER})")
    try:
        text = ask_rest(step.beginning)
    except (KeyboardInterrupt, EOFError) as stopped:
        if step.settles is None:
            raise Unanswered(stopped) from None
        complain("")
        return step.beginning
    if text.strip() == step.beginning.strip() and step.settles is None:
        raise Unanswered
    return text
