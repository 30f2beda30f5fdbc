"""Numbers that the rules wait for, without their verb: `fingers rolls 12 and 5`, `strength 12 will 5`."""

from collections.abc import Iterator

from cli.line.errors import Ambiguous
from cli.line.offers import offer_of
from cli.line.phrase import LinePhrase
from cli.line.values import Context, names_between, number_of
from cli.line.vocabulary import AROUND_NUMBERS
from cli.line.words import quote
from domain.registry import verb_name
from domain.system.field_schema import fields_of


def pending_numbers(phrase: LinePhrase) -> Ambiguous | None:
    """The lines of those whom the rules wait for that numbers may mean; None: the phrase says something else."""
    line, context, last = phrase.line, phrase.context, phrase.behind_people
    names = names_between(line, 0, last, context)
    values = [word.text.casefold().strip(",.!;:=") for word in line.words[last:]]
    values = [word for word in values if word and word not in AROUND_NUMBERS]
    if not any(number_of(word) is not None for word in values):
        return None
    lines = [text for name in names or context.own() for text in _lines(name, values, context)]
    return offer_of(context, "Which is meant?", lines)


def _lines(name: str, values: list[str], context: Context) -> Iterator[str]:
    """The lines of decisions that wait for somebody, with these values."""
    for decision in context.system.pending_for(context.state, name):
        for kind in dict.fromkeys(choice.action for choice in decision.choices if choice.asks):
            number_fields = {field.key for field in fields_of(kind) if field.kind.shape == "number"}
            if all(number_of(word) is not None or word in number_fields for word in values):
                yield " ".join([verb_name(kind), quote(name), *values])
