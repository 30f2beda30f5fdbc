"""What people wish for or tell of that no verb is for: the nearest line of the rules, or the line that keeps it."""

from collections.abc import Sequence

from cli.line.attacks import attacks_upon_a_foe
from cli.line.blows import NO_FOE
from cli.line.errors import Ambiguous, Misread
from cli.line.goods import of_somebody, of_something
from cli.line.loss_and_healing import no_healing, of_nobody
from cli.line.name_first import verb_first, verbs_behind_a_name, with_group
from cli.line.offering import TO_KEEP_IT, WHICH, nearest_lines, note_line
from cli.line.phrase import LinePhrase
from cli.line.values import Context, number_of, people_at, people_first, somebody_meant, those_first
from cli.line.verbs import kinds_meant, systems_with, verb_name
from cli.line.vocabulary import SIGNED
from cli.line.words import Line, quoted, rest_of, typed, words_between
from domain.common.notes import Note
from domain.common.tracking import Track
from domain.naming import nearest
from domain.refusal import Refusal


def unrecorded_outcome(phrase: LinePhrase) -> Ambiguous | None:
    """What somebody who is named first does that no verb is for, as the line that keeps it; None: it tells of nobody.

    Raises Refusal for what the rules keep themselves.
    """
    as_typed, context = phrase.line, phrase.context
    line = with_group(as_typed, context)
    last = people_first(line, context)
    if not 0 < last < len(line.words) or all(number_of(word.text) is not None for word in line.words[last:]):
        return None
    verbs, _ = verbs_behind_a_name(context, line, last)
    kept = of_somebody(line, last, *those_first(line, last, context), context) if not verbs else []
    if not kept and (outcomes := _outcomes(line, last, context)):
        return nearest_lines(context, WHICH, [*outcomes, note_line(as_typed)])
    return _to_keep(context, f"{context.system.key} has no verb for that", kept or [note_line(as_typed)])


def _outcomes(line: Line, last: int, context: Context) -> list[str]:
    """The lines of what the word behind a name tells of: `mirko sprains his ankle`, with its words as the remark."""
    word, whom = line.words[last].text.casefold(), words_between(line, 0, last)
    lines = []
    for kind in context.system.actions:
        if word in kind.told_by:
            sets = [f"{name}={value}" for name, value in kind.told_by[word].items()]
            lines.append(" ".join([verb_name(kind), whom, *sets, *rest_of(line, last)]))
    return lines


def wish(phrase: LinePhrase) -> Misread:
    """What a phrase wishes for whose first word is no verb: the lines that are nearest to it, where they can be read.

    Where there are none, the line that keeps it. Raises Refusal for what the rules keep themselves.
    """
    line, at, context, error = phrase.line, phrase.at, phrase.context, phrase.no_verb
    assert error is not None
    kinds, beyond = kinds_meant(context.system.key, line, at)
    lines = [" ".join([verb_name(kind), *rest_of(line, beyond)]) for kind in kinds]
    if SIGNED.get(line.words[at].text.casefold()) == "+" and not any(
        kind.sign == "+" for kind in context.system.actions
    ):
        people = people_at(line.words, at + 1, context) if somebody_meant(line.words, at + 1, context) else None
        points = number_of(line.words[people[1]].text) if people is not None and people[1] < len(line.words) else None
        if people is not None and points is not None:
            return no_healing(context, words_between(line, at + 1, people[1]), points)
    nearest = nearest_lines(context, error.reason, lines)
    if nearest.choices:
        return nearest
    if (asked := of_nobody(line, context)) is not None:
        return asked
    behind = "".join(word.text for word in line.words[at + 1 : at + 2])
    struck = behind.isalpha() and not somebody_meant(line.words, at + 1, context)
    if struck and (attacks := attacks_upon_a_foe(line, at + 1, context)):
        return nearest_lines(context, "Who attacks?", [*attacks, note_line(line, at)])
    if struck and any(kind.sign == "-" for kind in kinds):
        return nearest_lines(context, NO_FOE.format(context.system.key), [note_line(line, at)], TO_KEEP_IT)
    if (near := _near_name(line, at, context)) is not None:
        return near
    word = line.words[at].text
    if error.reason.endswith("?") or len(line.words) < at + 2 or not word[:1].isalpha() or systems_with(word):
        return error
    kept = of_something(line, at, context)
    return _to_keep(context, error.reason, kept or [note_line(line, at)])


def _to_keep(context: Context, reason: str, lines: Sequence[str]) -> Ambiguous:
    """The lines that keep what the rules do not, with the reason; or those of the rules, which need none."""
    beside = (verb_name(Track), verb_name(Note))
    if all(text.partition(" ")[0] in beside for text in lines):
        return nearest_lines(context, reason, lines, TO_KEEP_IT)
    return nearest_lines(context, WHICH, lines)


def _near_name(line: Line, at: int, context: Context) -> Ambiguous | None:
    """`hlda takes 5`: the line of whoever's name that nearly is, and the note; None: there is no such line."""
    word = line.words[at]
    name = nearest(word.text, context.state.characters) if not word.quoted and at + 1 < len(line.words) else None
    if name is None:
        return None
    whole = typed(" ".join([quoted(name), *rest_of(line, at + 1)]))
    try:
        spoken = verb_first(whole, context)
    except Ambiguous as unclear:
        lines = [choice.line for choice in unclear.choices]
    except (Misread, Refusal):
        lines = []
    else:
        lines = [spoken.text] if spoken is not None else []
    offer = nearest_lines(context, f"There is no character {word.text!r}; did you mean {name}?", lines)
    return offer if offer.choices else None
