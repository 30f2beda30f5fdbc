"""What a line would do, while it is typed: the actions in words, or what is missing, or what is unclear."""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from cli.line.errors import Misread, Missing, Unclear
from cli.line.understanding import Question, understand
from cli.line.values import Context
from cli.line.verbs import verb_name
from cli.line.words import typed
from domain.common.revisions import Amend
from domain.naming import called, listed
from domain.refusal import Invalid, Refusal
from domain.system.hints import Field, fields_of
from domain.system.registry import action_from
from domain.turn import Action


class Preview(Struct, frozen=True):
    """A line as far as it is understood. Whether the rules allow it is for a dry run to say."""

    #: empty as long as something is missing or unclear
    actions: tuple[Action, ...] = ()
    #: each action in words, every field of it
    told: tuple[str, ...] = ()
    question: Question | None = None
    #: the fields that are still to be said
    missing: tuple[Field, ...] = ()
    #: why there are no actions, in one sentence
    wrong: str = ""
    #: the place of the word that is wrong, counted from 0
    at: int | None = None
    #: what the word may mean, where it may mean several things
    candidates: tuple[str, ...] = ()


def preview(text: str, context: Context, questions: Sequence[str] = ()) -> Preview:
    """What a line would do, as it now stands. Raises nothing that a line may be guilty of."""
    try:
        found = understand(typed(text), context, questions)
    except Missing as error:
        return Preview(missing=error.fields, wrong=error.reason, at=error.at)
    except Unclear as error:
        return Preview(candidates=error.candidates, wrong=error.reason, at=error.at)
    except Misread as error:
        return Preview(wrong=error.reason, at=error.at)
    except (Invalid, Refusal) as error:
        return Preview(wrong=str(error))
    return Preview(found.actions, tuple(in_words(context, action) for action in found.actions), found.question)


def in_words(context: Context, action: Action) -> str:
    """An action with everything that is said in it: "damage: brog, amount 4, source a ghoul"."""
    if isinstance(action, Amend):
        inner = in_words(context, action_from(context.system.key, action.action))
        return f"T{action.turn} becomes {inner}{f', why {action.why}' if action.why else ''}"
    values = msgspec.to_builtins(action)
    told = [_said(field, values[field.key]) for field in fields_of(type(action)) if field.key in values]
    verb = verb_name(type(action)).replace("-", " ")
    return f"{verb}: {', '.join(told)}" if told else verb


def _said(field: Field, value: object) -> str:
    """One field. Whoever it is about needs no name of the field."""
    name = field.key.replace("_", " ")
    if isinstance(value, bool):
        return name if value else f"not {name}"
    if field.names == "character" and field.required:
        return listed(map(called, [value] if isinstance(value, str) else value))  # type: ignore[call-overload]
    if isinstance(value, dict):
        return f"{name} " + ", ".join(f"{called(str(key))} {_plain(each)}" for key, each in value.items())
    return f"{name} {_plain(value)}"


def _plain(value: object) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
