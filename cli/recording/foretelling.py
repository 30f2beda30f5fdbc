"""The preview of a line in one sentence while it is typed; no chance is drawn for it."""

from collections.abc import Iterator, Sequence

from cli.line.spelling import line_of
from cli.line.understanding import Understood
from cli.recording.conversation import Conversation
from domain.common.revisions import REVISIONS, Adopt, Amend, Redo, Undo
from domain.log.backdating import Backdating
from domain.log.deciding import names_in, with_names
from domain.log.effective_history import since_of
from domain.log.points import turn_at
from domain.log.revising import ChangedTurn
from domain.naming import called, ended, listed
from domain.registry import action_from, verb_name
from domain.system.field_schema import fields_of
from domain.system.secrets import lies_face_down
from domain.times import local_now
from domain.turn import Action, TurnUndone
from projections.preview import ActionPreview, draws_in_words, simulate

#: What a turn is called that revises others.
CALLED = {Amend: "an amendment", Undo: "an undo", Redo: "a redo", Adopt: "an adoption"}
#: Turns that are decided again for a preview at most, so that typing stays fluent.
FAR = 100


def foretell(conversation: Conversation, understood: Understood, backdating: Backdating) -> str:
    """The effect of actions in a sentence, as the audience may know it. Raises what recording them raises."""
    return foretold(conversation, understood, backdating)[0]


def foretold(
    conversation: Conversation, understood: Understood, backdating: Backdating
) -> tuple[str, ActionPreview | None]:
    """The same with the preview behind it; None where that would reach too far back, or is not to be seen."""
    reach, log = _reach(conversation, understood, backdating), conversation.handler.log
    if reach is not None and log.last() - reach > FAR:
        lines = _lines_of(conversation, understood.actions, reach)
        return f"{lines}: this goes back to T{reach}; if it changes anything from there on, you see that first.", None
    if not all(map(conversation.audience.may_see_preview_of, understood.actions)):
        return _lines_of(conversation, understood.actions, reach), None
    preview = simulate(conversation.handler, *conversation.commands(understood.actions, understood, backdating))
    if many := len(preview.possible_conflicts):
        turns, them = ("turn", "it") if many == 1 else ("turns", "them")
        would = "would" if preview.conflicts else "may"
        return f"{many} later {turns} {would} no longer be legal; you are asked what to do with {them}.", preview
    parts = [
        own_sentence(conversation, change, action)
        for change, action in zip(preview.own, understood.actions, strict=True)
    ]
    late = [turn.place for turn in preview.turns if turn.place is not None]
    parts = [ended(part) for part in parts if part] if late else parts
    parts += [f"It happened directly after T{place}." for place in dict.fromkeys(late)]
    parts += _revisions_undone(conversation, preview)
    parts += sentences_of_earlier(conversation, preview.changed, understood.actions)
    parts += preview.unmoved
    return " ".join(filter(None, parts)) or _lines_of(conversation, understood.actions, reach), preview


def _reach(conversation: Conversation, understood: Understood, backdating: Backdating) -> int | None:
    """The earliest turn that would be decided again; None if the line revises nothing."""
    points = [backdating.after, backdating.before]
    log, clock = conversation.handler.log, local_now()
    numbers = [turn_at(point, log, now=clock) for point in points if point is not None]
    for action in understood.actions:
        numbers += [action.turn] if isinstance(action, Amend) else []
        numbers += action.turns or () if isinstance(action, Undo) else ()
        since = since_of(action)
        numbers += [since] if since is not None else []
    return min(numbers, default=None)


def _revisions_undone(conversation: Conversation, preview: ActionPreview) -> Iterator[str]:
    """Which amendments and undos are undone: of them nothing is seen but what becomes of other turns."""
    for undoing in (turn for turn in preview.turns if isinstance(turn.action, Undo)):
        for number in (event.turn for event in undoing.events if isinstance(event, TurnUndone)):
            for turn in conversation.handler.log.read(number - 1, number):
                if type(turn.action) in CALLED:
                    yield f"Undoes T{number}, {CALLED[type(turn.action)]}."


def sentences_of_earlier(
    conversation: Conversation, changes: Sequence[ChangedTurn], actions: Sequence[Action]
) -> Iterator[str]:
    """The effect of actions on earlier turns: the sentence of one, or of the one that is amended, and the others."""
    if len(changes) == 1 and not changes[0].open:
        (turn,) = changes
        how = "Undoes" if turn.after is None else "Restores" if turn.before is None else "Changes"
        events = (turn.before if turn.after is None else turn.after) or ()
        yield f"{how} T{turn.turn}: {conversation.audience.sentences(events)}"
        return
    amended = [action for action in actions if isinstance(action, Amend) and not action.also]
    for amend in amended if len(actions) == 1 else ():
        for turn in (turn for turn in changes if turn.turn == amend.turn):
            new_action = action_from(conversation.handler.log.rules, amend.action)
            yield f"T{turn.turn} becomes: {ended(own_sentence(conversation, turn, new_action))}"
            changes = [change for change in changes if change is not turn]
    back = [f"T{turn.turn}" for turn in changes if turn.after is None and not turn.open]
    again = [f"T{turn.turn}" for turn in changes if turn.before is None and not turn.open]
    others = [f"T{turn.turn}" for turn in changes if f"T{turn.turn}" not in (*back, *again)]
    if back:
        yield f"Undoes {listed(back)}."
    if again:
        yield f"Restores {listed(again)}."
    if others:
        yield f"Changes {listed(others)}."


def own_sentence(conversation: Conversation, change: ChangedTurn | None, action: Action) -> str:
    """What an action comes to, as the audience may know it; while that is open, or not to be seen, what it attempts."""
    if change is None:
        return _attempt(conversation, action)
    if change.open:
        draws = draws_in_words(change.draws, conversation.handler.system.draw_words)
        unknown = "what is drawn decides" if isinstance(action, REVISIONS) else "draws cards"
        attempt = f"{_attempt(conversation, action)}: {draws or unknown}."
        return " ".join(filter(None, [attempt, conversation.audience.sentences(change.certain)]))
    return conversation.audience.sentences(change.after or ())


def _attempt(conversation: Conversation, action: Action) -> str:
    """An action in words before its chance is drawn, with the names as enrolled."""
    kind = type(action)
    if lies_face_down(kind):
        return verb_name(kind)
    with_full_names = with_names(action, conversation.audience.known())
    return with_full_names.announcement() or _values_of(with_full_names)


def _values_of(action: Action) -> str:
    """The verb and the values of an action: "Bram: enrol, level 2"."""
    whom = [called(name) for name in names_in(action)]
    values = []
    for field in fields_of(type(action)):
        value = getattr(action, field.name)
        if value not in (None, (), field.default) and not field.names:
            text = listed(map(str, value)) if isinstance(value, tuple | list) else str(value)
            values.append(f"{field.key.replace('_', ' ')} {text}")
    verb = verb_name(type(action)).replace("-", " ")
    return f"{listed(whom)}: {', '.join([verb, *values])}" if whom else ", ".join([verb, *values])


def _lines_of(conversation: Conversation, actions: Sequence[Action], reach: int | None) -> str:
    context = conversation.audience.context.after(reach)
    kinds = zip(actions, map(type, actions), strict=True)
    return " ".join(verb_name(kind) if lies_face_down(kind) else line_of(context, action) for action, kind in kinds)
