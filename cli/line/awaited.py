"""Numbers that the rules wait for, told without their verb: `fingers rolls 12 and 5`, `strength 12 will 5`."""

from collections.abc import Iterator

from cli.line.errors import Ambiguous
from cli.line.offering import nearest_lines
from cli.line.spoken import people_first
from cli.line.values import JOINS, Context, names_between, number_of
from cli.line.verbs import verb_name
from cli.line.words import Line, quoted
from domain.system.field_schema import fields_of

#: What is said around the numbers.
AROUND = frozenset((
    "a", "an", "for", "gets", "got", "his", "her", "makes", "of", "on", "roll", "rolled", "rolls", "save", "saves",
    "saving", "the", "their", "throws", "with",
)) | frozenset(JOINS)  # fmt: skip


def awaited_told(line: Line, context: Context) -> Ambiguous | None:
    """The lines of those whom the rules wait for that a line of numbers may mean; None: it is no such line."""
    last = people_first(line, context)
    named = names_between(line, 0, last, context)
    said = [word.text.casefold().strip(",.!;:=") for word in line.words[last:]]
    said = [word for word in said if word and word not in AROUND]
    if not any(number_of(word) is not None for word in said):
        return None
    lines = [text for name in named or context.own() for text in _lines(name, said, context)]
    found = nearest_lines(context, "Which is meant?", lines)
    return found if found.choices else None


def _lines(name: str, said: list[str], context: Context) -> Iterator[str]:
    for decision in context.system.pending_for(context.state, name):
        for kind in dict.fromkeys(choice.action for choice in decision.choices if choice.asks):
            asked = {field.key for field in fields_of(kind) if field.kind.shape == "number"}
            if all(number_of(word) is not None or word in asked for word in said):
                yield " ".join([verb_name(kind), quoted(name), *said])
