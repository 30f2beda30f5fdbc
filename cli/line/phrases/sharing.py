"""What a group shares: `the party finds 90 gold, shared`, `split 30 gold`, offered as the part of each."""

from cli.line.errors import Ambiguous
from cli.line.offers import nearest_lines, note_line
from cli.line.phrase import LinePhrase
from cli.line.phrases.goods import first_count
from cli.line.values import names_between
from cli.line.vocabulary import ALL, PARTY, SHARING
from domain.common.tracking import Track
from domain.registry import verb_name
from domain.system.groups import even_parts


def sharing(phrase: LinePhrase) -> Ambiguous | None:
    """The lines that a number which is shared may mean, with the part of each; None: nothing is shared."""
    line, context, words = phrase.line, phrase.context, phrase.bare
    if not SHARING.intersection(word for word, at in zip(words, line.words, strict=True) if not at.quoted):
        return None
    count = first_count(line, 0, context)
    if count is None:
        return None
    people = names_between(line, 0, len(words), context)
    groups = [context.party() or context.able(), context.able()]
    if len(people) > 1 and not set(words) & {*ALL, *PARTY}:
        groups = [tuple(people)]
    elif set(words) & {*ALL}:
        groups = groups[1:]
    lines = [_parts(count.number, count.noun, group) for group in dict.fromkeys(groups) if group]
    whole = f"{verb_name(Track)} {count.noun} +{count.number}"
    question = f"How are {count.number} {count.noun} shared?"
    return nearest_lines(context, question, [*filter(None, lines), whole, note_line(line)])


def _parts(number: int, noun: str, group: tuple[str, ...]) -> str:
    """The line with the part of each; what cannot be parted goes to the first of them. Empty: there is too little."""
    parts = even_parts(number, len(group))
    if not parts[-1]:
        return ""
    others = [f"{name} +{part}" for name, part in zip(group[1:], parts[1:], strict=True)]
    return " ".join([verb_name(Track), group[0], noun, f"+{parts[0]}", *others, "shared"])
