"""What is announced to the whole table: a scene that begins (`we make camp`), and a foe's end (`wraith is dead`).

Each is offered as the line that records it, beside the line that keeps it as a note.
"""

from collections.abc import Iterator, Sequence

from cli.line.errors import Ambiguous, Unclear
from cli.line.offering import nearest_lines, noted
from cli.line.values import ARTICLES, Context, somebody_meant, title_said
from cli.line.verbs import verb_name
from cli.line.words import Line, quoted
from domain.registry import tag_of
from domain.system.field_schema import Field, fields_of
from domain.turn import Action

#: Words in which something is announced, at most.
MOST_WORDS = 8


def announced(line: Line, context: Context) -> Ambiguous | None:
    """The lines for a scene that begins or a foe that is gone; None: nothing of the kind is said."""
    if len(line.words) > MOST_WORDS or any(word.quoted for word in line.words):
        return None
    ends = list(_ends(line, context))
    if ends:
        return nearest_lines(context, "Is it gone?" if len(ends) == 1 else "Which one is gone?", [*ends, noted(line)])
    begins = list(_begins(line, context))
    return nearest_lines(context, "Does it begin now?", [*begins, noted(line)]) if begins else None


def _begins(line: Line, context: Context) -> Iterator[str]:
    """The lines that begin what a word of this one announces, where it names nobody."""
    said = [word.text.casefold().strip(".,;:!") for word in line.words]
    if any(somebody_meant(line.words, at, context) for at in range(len(said))):
        return
    for kind in context.system.actions:
        fields = [field for field in fields_of(kind) if field.required]
        if len(fields) == 1 and (announces := fields[0].kind.announced_by):
            values = dict.fromkeys(announces[word] for word in said if word in announces)
            yield from (f"{verb_name(kind)} {value}" for value in values)


def _ends(line: Line, context: Context) -> Iterator[str]:
    """The lines that take away whom the log lists, where a word of this one says that they are at an end."""
    said = {word.text.casefold().strip(".,;:!") for word in line.words}
    for kind in context.system.actions:
        flags = [field for field in fields_of(kind) if said & set(field.hinted_by)]
        known = _listed(kind, context) if flags else ()
        for name in _named(line, known) if known else ():
            yield f"{verb_name(kind)} {quoted(name)} {flags[0].key}"


def _listed(kind: type[Action], context: Context) -> Sequence[str]:
    """Those whom the log lists because this action added them."""
    fields: Iterator[tuple[type[Action], Field]] = (
        (other, field) for other in context.system.actions for field in fields_of(other)
    )
    found = next(((other, field) for other, field in fields if field.added_by == tag_of(kind)), None)
    return () if found is None else context.system.proposals(context.state, found[0], found[1].key, None) or ()


def _named(line: Line, known: Sequence[str]) -> Sequence[str]:
    """Those of a list whom a line names: one, or all whom the word may mean."""
    for at, word in enumerate(line.words):
        if word.text.casefold() in ARTICLES and at + 1 < len(line.words):
            continue  # it is looked at with what stands behind it
        try:
            found = title_said(line.words, at, known)
        except Unclear as error:
            return error.candidates
        if found is not None:
            return (found[0],)
    return ()
