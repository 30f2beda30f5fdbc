"""What the rules ask about, answered in the words of the question: `pip takes the major wound`, `death`."""

from collections.abc import Iterator, Mapping
from typing import Any

from cli.line.errors import Ambiguous
from cli.line.offers import can_be_read, nearest_lines, note_line
from cli.line.phrase import LinePhrase
from cli.line.values import Context, names_between
from cli.line.vocabulary import ARTICLES, CHOOSING, MANNER_WORDS, SUBJECT_PRONOUNS, TAKING
from cli.line.words import Line, quote, rest_of, tokenize
from domain.naming import plain_words
from domain.registry import verb_name
from domain.system.field_schema import fields_of
from domain.system.secrets import lies_face_down
from domain.turn import Action


def pending_choice(phrase: LinePhrase) -> Line | Ambiguous | None:
    """The line of the choice that a phrase names; offered, where it says more. None: it names none, or several."""
    line, context, here = phrase.line, phrase.context, phrase.behind_people
    names = names_between(line, 0, here, context) or list(context.own())
    here += here == 0 and phrase.bare[0] in SUBJECT_PRONOUNS
    while here < len(phrase.bare) and phrase.bare[here] in TAKING | CHOOSING | ARTICLES:
        here += 1
    if here >= len(phrase.bare):
        return None
    choices = dict(each for name in names for each in _choices(name, phrase, here))
    readable = {text: behind for text, behind in choices.items() if can_be_read(context, tokenize(text))}
    if len(readable) != 1:
        return None
    ((text, behind),) = readable.items()
    if behind == len(line.words):
        return tokenize(text)
    behind += behind + 1 < len(line.words) and phrase.bare[behind] in MANNER_WORDS | {"of"}
    further = " ".join([text, *rest_of(line, behind)])
    return nearest_lines(context, "Is that the choice?", [further, text, note_line(line)])


def _choices(name: str, phrase: LinePhrase, here: int) -> Iterator[tuple[str, int]]:
    """The lines of the choices open to somebody whose words stand at a place, each with the place behind these."""
    context = phrase.context
    for decision in context.system.pending_for(context.state, name):
        for choice in decision.choices:
            for value in () if lies_face_down(choice.action) else _texts(choice.fields, context):
                for words_for_it in _words_for(value, choice.action):
                    if phrase.bare[here : here + len(words_for_it)] == words_for_it:
                        yield f"{verb_name(choice.action)} {quote(name)} {value}", here + len(words_for_it)


def _words_for(value: str, kind: type[Action]) -> Iterator[tuple[str, ...]]:
    """The words of a choice: its own, and what people call it alone, as `dies`."""
    yield plain_words(value.replace("_", " "))
    for field in fields_of(kind):
        yield from ((word,) for word, choice_there in field.kind.also_said.items() if choice_there == value)


def _texts(fields: Mapping[str, Any], context: Context) -> Iterator[str]:
    """What a choice says beside whom it is about."""
    return (value for value in fields.values() if isinstance(value, str) and value not in context.state.characters)
