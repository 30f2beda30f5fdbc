"""Conditions that somebody gets or loses: `ysa is poisoned`, `ysa loses poison`, `the poison on ysa ends`."""

from collections.abc import Sequence

from cli.line.errors import Ambiguous
from cli.line.offers import WHICH, nearest_lines, note_line, offer_of
from cli.line.phrase import LinePhrase
from cli.line.values import Context, people_meant_at
from cli.line.vocabulary import ANY_MORE, ARTICLES, BEING, FROM, HAVING, LOSING, NO_LONGER, NOT_BEING, bases_of
from cli.line.words import Line, quote, tokenize
from domain.naming import key_of
from domain.registry import verb_name
from domain.system.field_schema import fields_of


def condition_of(line: Line, last: int, whom: str, context: Context) -> Line | None:
    """`ysa is poisoned`, `ysa loses poison`: the line of a verb that takes a person and a choice of conditions.

    `whom` are the words before the place `last`. None: it tells of no condition, or the rules have no such verb. Raises
    Ambiguous where that has no place for what did it: `ysa is poisoned by the archer`.
    """
    words = [word.text.casefold().rstrip(".!").replace("’", "'") for word in line.words]
    loses, denies = words[last] in LOSING, words[last] in NOT_BEING
    has_being = loses or denies or words[last] in BEING | HAVING
    place = last + has_being
    lengths = (count for count, denial in NO_LONGER.items() if tuple(words[place : place + count]) == denial)
    length = next(lengths, 0) if has_being else 0
    has_article = loses and place < len(words) and words[place] in ARTICLES
    place += length + has_article
    is_denied = loses or denies or length > 0
    behind = words[place + 1 :]
    has_cause = bool(behind) and " ".join(behind) not in ANY_MORE
    if place >= len(words) or (has_cause and behind[0] not in FROM):
        return None
    participles = bases_of(words[place])[1:] if words[place].endswith("ed") else []
    forms = [words[place], *participles] if has_being else participles
    for kind in context.system.actions:
        needs = [field for field in fields_of(kind) if field.required]
        if len(needs) != 2 or needs[0].names != "character" or needs[1].kind.shape != "choice":
            continue
        choices = [name for name in needs[1].kind.offered_choices if key_of(name) in forms]
        if not choices or (is_denied and not any(field.kind.shape == "flag" for field in fields_of(kind))):
            continue
        text = " ".join([verb_name(kind), whom, *(["not"] if is_denied else []), choices[0]])
        if has_cause:
            raise nearest_lines(context, f"{verb_name(kind)} cannot record what caused it", [text, note_line(line)])
        return tokenize(text)
    return None


def condition_gone(phrase: LinePhrase) -> Ambiguous | None:
    """`remove poison from ysa`, `the poison on ysa ends`: the line of whoever loses it; None: it is no such thing."""
    line, context = phrase.line, phrase.context
    names = {name for at in range(len(phrase.bare)) for name in _named_at(line, at, context)}
    for kind in context.system.actions if len(names) == 1 else ():
        needs, flags = fields_of(kind)[:2], [field for field in fields_of(kind) if field.kind.shape == "flag"]
        if flags and needs[0].names == "character" and needs[1].kind.shape == "choice":
            choices = [name for name in needs[1].kind.offered_choices if key_of(name) in phrase.bare]
            lines = [f"{verb_name(kind)} {quote(next(iter(names)))} not {name}" for name in choices]
            return offer_of(context, WHICH, lines)
    return None


def _named_at(line: Line, at: int, context: Context) -> Sequence[str]:
    """Those whom a word names by so much of a name that it is hardly another word."""
    people = people_meant_at(line.words, at, context)
    return () if people is None else people[0]
