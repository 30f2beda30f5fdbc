"""Cards and their halves as people name them: `brann performs the top of trample`, `ysa casts mana bolt`."""

from collections.abc import Sequence

from cli.line.errors import Ambiguous, Misread, Unclear
from cli.line.offers import WHICH, nearest_lines, note_line, offer_of
from cli.line.phrase import Actions, LinePhrase
from cli.line.search import read
from cli.line.values import Context, people_at, title_at
from cli.line.verbs import Verb, kinds_called, verbs_of
from cli.line.vocabulary import AGAINST, AROUND_PARTS, ARTICLES, PERFORMING, STOPS, USING
from cli.line.words import Line, quote, rest_of, tokenize, word_to_type, words_between
from domain.registry import verb_name
from domain.system.field_schema import fields_of
from domain.system.type_descriptions import either
from domain.turn import Action


def part_first(kind: type[Action], rest: Sequence[str]) -> Sequence[str]:
    """`the top half of Trample` as `top Trample`, where the rules choose a part of a card; other words as they are."""
    parts = _parts(kind)
    line = tokenize(" ".join(rest)) if parts else None
    if line is None or not line.words:
        return rest
    words = [word.text.casefold() for word in line.words]
    at = int(words[0] in ARTICLES)
    if not set(words[at : at + 1]) & set(parts):
        return rest
    behind = at + 1
    for filler in ("half", "of"):
        behind += words[behind : behind + 1] == [filler]
    return [word_to_type(line, at), *rest_of(line, behind)]


def of_a_part(verbs: list[Verb], line: Line, behind: int) -> list[Verb]:
    """Those of several verbs that need the part of a card which stands behind them: `plays trample top`; else all."""
    words = {word.text.casefold().strip(STOPS) for word in line.words[behind:] if not word.quoted}
    return [verb for verb in verbs if words & set(_parts(verb.kind))] or verbs


def both_parts(phrase: LinePhrase) -> Actions | None:
    """`brann plays trample top and eye bottom`: each part as a turn, in this order; None: it is no such line."""
    context, verb = phrase.context, phrase.verb
    for kind in context.system.actions if verb is None else (verb.kind,):
        if not _parts(kind):
            continue
        at, name = _doer(phrase)
        first = None if verb is None else next(iter(verb.sets.values()), None)
        is_called = verb is None and {kind} & {*kinds_called(context.system.key, *phrase.bare[at : at + 1])}
        pairs = _pairs(phrase, at + bool(is_called), kind, name, first) if name is not None else []
        if len(pairs) > 1:
            whole = (tokenize(" ".join([verb_name(kind), quote(name or ""), *pair])) for pair in pairs)
            readings = (read(context, Verb(verb_name(kind), kind), line, 1) for line in whole)
            return Actions(tuple(value for reading in readings for value in reading.actions()), {})
    return None


def _doer(phrase: LinePhrase) -> tuple[int, str | None]:
    """The place behind the one who is named where a phrase says who does it, and the name, or whose turn it is."""
    people = people_at(phrase.line.words, phrase.at, phrase.context)
    if people is None:
        return phrase.at, phrase.context.system.whose_turn(phrase.context.state)
    return people[1], people[0][0] if len(people[0]) == 1 else None


def _pairs(phrase: LinePhrase, at: int, kind: type[Action], name: str, part: str | None) -> list[tuple[str, str]]:
    """The cards from a place on with the part of each, in words of a line; none where anything else stands there."""
    context, words = phrase.context, phrase.line.words
    card = next(field for field in fields_of(kind) if field.required and field.kind.reference)
    legal = context.system.proposals(context.state, kind, card.key, name) or ()
    parts = {part: part for part in _parts(kind)}
    shorts = (verb for verb in verbs_of(context.system.key) if verb.kind is kind and verb.sets)
    parts |= {verb.name: str(next(iter(verb.sets.values()))) for verb in shorts}
    pairs, title, here = list[tuple[str, str]](), None, at
    while here < len(words):
        if phrase.bare[here] in parts:
            if part is not None:
                return []
            part, here = parts[phrase.bare[here]], here + 1
        elif phrase.bare[here] in AROUND_PARTS:
            here += 1
        else:
            try:
                fit = title_at(words, here, legal)
            except Unclear:
                return []
            if fit is None or title is not None:
                return []
            title, here = fit
        if part is not None and title is not None:
            pairs, part, title = [*pairs, (quote(title), part)], None, None
    return pairs if part is None and title is None else []


def part_at_somebody(
    line: Line, names: Sequence[str], behind: int, kind: type[Action], context: Context
) -> Ambiguous | None:
    """`ysa casts mana bolt at the guard`: the line of each part of the card, and the note; None: it is no such line."""
    card = next((field for field in fields_of(kind) if field.required and field.kind.reference), None)
    if card is None or not _parts(kind) or len(names) != 1 or behind >= len(line.words):
        return None
    legal = context.system.proposals(context.state, kind, card.key, names[0]) or ()
    try:
        title = title_at(line.words, behind, legal)
    except Unclear:
        return None
    if title is None or title[1] >= len(line.words) or line.words[title[1]].text.casefold() not in AGAINST:
        return None
    beginning = " ".join([verb_name(kind), quote(names[0]), quote(title[0])])
    reason = f"{verb_name(kind)} keeps no target. Is it {either(_parts(kind))}?"
    return nearest_lines(context, reason, [*(f"{beginning} {part}" for part in _parts(kind)), note_line(line)])


def _parts(kind: type[Action]) -> tuple[str, ...]:
    """The parts of a card of which an action needs one; none where it needs no card, or the whole."""
    required_fields = [field for field in fields_of(kind) if field.required]
    if not any(field.kind.reference for field in required_fields):
        return ()
    return next((tuple(field.kind.offered_choices) for field in required_fields if field.kind.shape == "choice"), ())


def card_alone(phrase: LinePhrase) -> Misread | None:
    """The verbs for a card that can be used now and stands in the place of a verb; None: no card stands there.

    With a part behind it (`trample bottom`) the line of that part.
    """
    line, context, system, at = phrase.line, phrase.context, phrase.context.system, phrase.behind_people
    whose = system.whose_turn(context.state)
    if at >= len(line.words):
        return None
    for kind in system.actions:
        field = next((candidate for candidate in fields_of(kind) if candidate.required and not candidate.names), None)
        if field is None or not field.kind.reference:
            continue
        legal = system.proposals(context.state, kind, field.key, whose)
        try:
            title = title_at(line.words, at, legal) if legal else None
        except Unclear:
            title = None
        if title is not None:
            thing = line.rest(at, title[1])
            if (offer := _line_of_part(phrase, kind, thing, title[1])) is not None:
                return offer
            titles = {
                verb.means: verb.name for verb in reversed(verbs_of(system.key)) if verb.kind is kind and verb.sets
            }
            lines = [f"{name} {thing}" for name in reversed(titles.values() or [verb_name(kind)])]
            return Misread(f"Say what happens to {title[0]}: {either(lines)}.", 0)
    return None


def card_used(phrase: LinePhrase) -> Ambiguous | None:
    """`uses trample top`: the line of that part of a card, of whoever's turn it is; None: it is of no card."""
    context, at = phrase.context, phrase.behind_people
    if phrase.bare[at : at + 1] == () or phrase.bare[at] not in (USING if at else USING | PERFORMING):
        return None
    for kind in context.system.actions:
        part = next((part for part in _parts(kind) if part in phrase.bare[at + 1 :]), None)
        places = range(at + 1, len(phrase.bare))
        titled = [place for place in places if phrase.bare[place] not in AROUND_PARTS | {part}]
        if part is not None and titled:
            # why a card cannot be used now is for the rules to say
            card = quote(words_between(phrase.line, titled[0], titled[-1] + 1).strip(f'{STOPS}"'))
            whom = [words_between(phrase.line, 0, at)] if at else []
            return offer_of(context, WHICH, [" ".join([verb_name(kind), *whom, card, part])])
    return None


def _line_of_part(phrase: LinePhrase, kind: type[Action], thing: str, behind: int) -> Ambiguous | None:
    """The line of the part of a card that is all that stands behind it; None: it is not."""
    part = " ".join(phrase.bare[behind:]).strip(" .!")
    if part not in _parts(kind):
        return None
    whom = [words_between(phrase.line, 0, phrase.behind_people)] if phrase.behind_people else []
    return offer_of(phrase.context, WHICH, [" ".join([verb_name(kind), *whom, thing, part])])
