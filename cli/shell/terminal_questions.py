"""The questions that the rules ask about an action, on a terminal."""

from collections.abc import Sequence

from cli.line.choosing import (
    IN_THE_WAY,
    KEYS,
    LEFT_ALONE,
    SETTLED,
    Choosing,
    asked_of,
    counted_off,
    decided,
    decided_after,
    is_typed,
    left_open,
    taken,
)
from cli.line.errors import Missing, NoVerb
from cli.line.spelling import begun, shown
from cli.line.understanding import Understood, line_meant, understand
from cli.line.values import Context
from cli.line.words import Line, given, typed
from cli.shell.ending import Unanswered
from cli.terminal.asking import picked, typed_on
from cli.terminal.screen import complain
from domain.common.revisions import Conflicts
from domain.log.backdating import NOW, Backdating
from domain.log.command_handler import CommandHandler
from domain.log.revising import Outcome
from domain.refusal import Invalid, Refusal
from domain.system.pending import Choice, PendingDecision
from domain.system.state import Game
from domain.turn import Action

#: Said of what may be settled later as well.
LATER = "later"


def decided_here(handler: CommandHandler, actions: Sequence[Action], backdating: Backdating) -> tuple[Action, ...]:
    """The actions as whoever sits there decides about them. Raises Unanswered if nothing is answered."""
    return _answered(handler, decided(handler, actions, handler.state(), backdating))


def decided_afterwards(handler: CommandHandler, outcome: Outcome, before: Game) -> tuple[Action, ...]:
    """What changes a turn that was just made, once chance has spoken; nothing, if it is as it should be."""
    return _answered(handler, decided_after(handler, outcome, before))


def completed_here(context: Context, line: Line, missing: Missing) -> Understood:
    """What a line means with what it does not say yet: chosen where that can be counted off, else typed behind it.

    Raises Unanswered if nothing is answered.
    """
    why = missing.reason
    while True:
        try:
            told = _typed_on(context, line, missing, why)
        except (KeyboardInterrupt, EOFError) as stopped:
            raise Unanswered(stopped) from None
        try:
            return understand(told, context)
        except Missing as still:
            why = still.reason
            if still.of is not None:
                line, missing = told, still
        except (Invalid, Refusal) as error:
            why = str(error)


def _typed_on(context: Context, line: Line, missing: Missing, why: str) -> Line:
    """The line with what is answered. Raises Unanswered if nothing is, KeyboardInterrupt, EOFError."""
    question = counted_off(context.system, context.state, missing)
    if question is not None:
        asked, choices = question
        key = picked(asked, list(zip(KEYS, (says for _, says in choices), strict=False)))
        return line.followed_by(given([choices[KEYS.index(key)][0]]))
    complain(why)
    beginning = left_open(context.system, line, missing)
    whole = typed_on(beginning).rstrip()
    if whole == beginning.rstrip():
        raise Unanswered
    on = line.followed_by(typed(whole.removeprefix(line.text).strip()))
    return line_meant(on, whole.removeprefix(beginning), context)


def settled_conflicts() -> Conflicts:
    """What becomes of later turns that are not legal any more. Raises Unanswered if it is left."""
    leaves = "l"
    try:
        key = picked(IN_THE_WAY, [*((how[0], says) for how, says in SETTLED.items()), (leaves, LEFT_ALONE)])
    except (KeyboardInterrupt, EOFError) as stopped:
        raise Unanswered(stopped) from None
    if key == leaves:
        raise Unanswered
    return next(how for how in SETTLED if how[0] == key)


def settled_here(handler: CommandHandler, matter: PendingDecision) -> tuple[Action, ...]:
    """What settles something that a turn has left open; nothing where it is left so, by its key or without one."""
    state = handler.state()
    if is_typed(handler.system, state, matter):
        return _typed_here(handler, matter)
    told = [*(_told(handler, way) for way in matter.choices), matter.leave or LATER]
    try:
        key = picked(asked_of(matter), list(zip(KEYS, told, strict=False)), leaves=True)
    except (KeyboardInterrupt, EOFError):
        complain("")  # the turn is saved all the same; what the shell says next begins a line
        return ()
    chosen = KEYS.index(key) if key else len(matter.choices)
    return _answered(handler, taken(handler, matter.choices[chosen], state)) if chosen < len(matter.choices) else ()


def _typed_here(handler: CommandHandler, matter: PendingDecision) -> tuple[Action, ...]:
    """The same where a line settles it: asked until it can be read, or nothing is typed."""
    (way,) = matter.choices
    context = Context(handler.system, handler.state(), handler.log)
    beginning = begun(context, way)
    if matter.why:
        complain(matter.why)
    complain(f"{shown(context, way)} (Enter: {matter.leave or LATER})")
    while True:
        try:
            line = typed_on(beginning)
            if line.strip() == beginning.strip():
                return ()
            meant = understand(line_meant(typed(line), line.removeprefix(beginning), context), context)
            return decided_here(handler, meant.actions, NOW)
        except NoVerb:
            complain(
                "No line that can be done here begins so; Enter leaves what is asked, and then anything can be typed."
            )
        except (Invalid, Refusal) as error:
            complain(str(error))
        except (KeyboardInterrupt, EOFError):
            complain("")
            return ()


def _told(handler: CommandHandler, way: Choice) -> str:
    return way.says or shown(Context(handler.system, handler.state(), handler.log), way)


def _answered(handler: CommandHandler, asked: Choosing) -> tuple[Action, ...]:
    context = Context(handler.system, handler.state(), handler.log)
    way: Choice | None = None
    try:
        while True:
            try:
                matter = next(asked) if way is None else asked.send(way)
            except StopIteration as stop:
                if not isinstance(stop.value, Choice):
                    return tuple(stop.value)
                beginning = begun(context, stop.value)
                line = typed_on(beginning)
                return understand(line_meant(typed(line), line.removeprefix(beginning), context), context).actions
            told = [_told(handler, each) for each in matter.choices]
            way = matter.choices[KEYS.index(picked(matter.why, list(zip(KEYS, told, strict=False))))]
    except (KeyboardInterrupt, EOFError) as stopped:
        raise Unanswered(stopped) from None
