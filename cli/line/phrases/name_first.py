"""Lines that name whom they are about first: `oswin rests`, `agnes rallies old tom`, `ysa is poisoned`.

Each becomes the line that says the same with its verb first.
"""

import re
from collections.abc import Sequence

from cli.line import tracking
from cli.line.diagnosis.missing_people import not_in_turn
from cli.line.diagnosis.unread_line import error_of
from cli.line.errors import Ambiguous, Meaning, Misread, Missing, Unclear
from cli.line.example_lines import example_line
from cli.line.grammar import Grammar
from cli.line.offering import TO_KEEP_IT, WHICH, can_be_read, nearest_lines, note_line, offer_of
from cli.line.phrase import LinePhrase
from cli.line.phrases.blows import blow_at, foe_first
from cli.line.phrases.card_phrases import of_a_part, part_at_somebody, part_first
from cli.line.phrases.loss_and_healing import loss_or_healing, no_healing
from cli.line.search import read
from cli.line.values import (
    Context,
    number_of,
    people_at,
    people_first,
    somebody_meant,
    those_first,
    without_article,
)
from cli.line.verbs import Verb, kinds_meant, verbs_of
from cli.line.vocabulary import (
    ALL,
    ANY_MORE,
    ARTICLES,
    BEFORE_A_GROUP,
    BEING,
    DETERMINERS,
    FROM,
    GAINING,
    HAVING,
    LOSING,
    NO_LONGER,
    NOT_BEING,
    OF_A_MANNER,
    OWNING,
    PARTY,
    SIGNED,
    SPENDING,
    STOPS,
    TAKING,
    WE,
    bases_of,
)
from cli.line.words import Line, quote, rest_of, tokenize, words_between, words_to_type
from domain.common import ACTIONS as COMMON
from domain.common.tracking import Track
from domain.naming import key_of, letters, same_letters
from domain.refusal import Invalid, Refusal
from domain.registry import verb_name
from domain.system.field_schema import fields_of
from domain.system.pending import choices_in

#: The first word of a verb means it behind a name where it has so many letters: `bram levels`, and not `bram dies`.
LEAST_OF_A_VERB = 5
#: Verbs of so many words are looked for behind a name.
LONGEST_VERB = 3


def name_first(phrase: LinePhrase) -> Line | None:
    """The line with its verb first, of a phrase that begins with somebody's name; None: it is none that is known."""
    return verb_first(phrase.line, phrase.context)


def name_behind_an_article(phrase: LinePhrase) -> Line | Ambiguous | None:
    """The phrase without an article before the name that it begins with; None: no name stands there.

    An offer of it where a verb of the rules stands there: `a wound for ash`.
    """
    line, context = phrase.line, phrase.context
    if not without_article(line.words, 0, tuple(context.state.characters)):
        return _verb_behind_an_article(phrase)
    without = tokenize(" ".join(rest_of(line, 1)))
    try:
        phrase.actions_of(without)
    except Ambiguous as error:
        # what is written down keeps its article
        note, own = note_line(without), Meaning(note_line(line), note_line(line))
        return error.only([own if choice.line == note else choice for choice in error.choices])
    except (Invalid, Refusal):
        pass  # it is raised again
    return without


def _verb_behind_an_article(phrase: LinePhrase) -> Line | Ambiguous | None:
    """`a wound for ash: a broken arm`: the line that begins with its verb, and the note; None: no verb stands there."""
    if not any(verb.name in phrase.bare[1:2] for verb in verbs_of(phrase.context.system.key)):
        return None
    without = tokenize(" ".join(rest_of(phrase.line, 1)))
    try:
        phrase.actions_of(without)
    except Missing:
        return without
    except (Invalid, Refusal):
        return None
    return nearest_lines(phrase.context, WHICH, [without.text, note_line(phrase.line)])


def one_of_several(phrase: LinePhrase) -> Unclear | None:
    """Who may be meant by a first word that several names begin with; None: it means one, or nobody."""
    try:
        people_at(phrase.line.words, 0, phrase.context)
    except Unclear as error:
        return error
    return None


def with_verb_first(line: Line, context: Context) -> Line | None:
    """A line with its verb first, of one that may be a phrase about somebody; None: it is none that is known."""
    try:
        tracking.verb_in(context, line)
    except Invalid:
        return foe_first(line, context) or verb_first(line, context)
    return line


def verb_first(line: Line, context: Context) -> Line | None:
    """The line that begins with its verb, of one that begins with somebody's name; None: it is none that is known.

    Raises Ambiguous where it may mean several things, or what the rules have no verb for.
    """
    line_before, line = line, with_group(line, context)
    last = people_first(line, context)
    if not 0 < last < len(line.words):
        return None
    whom = words_between(line, 0, last)
    loss = loss_or_healing(line, last, whom, context)
    if loss is not None:
        return loss
    condition = _condition(line, last, whom, context)
    if condition is not None:
        return condition
    blow = blow_at(line, last, context, note_line(line_before))
    if blow is not None:
        return blow
    verbs, behind = verbs_behind_a_name(context, line, last)
    verbs = of_a_part(verbs, line, behind)
    tracking_verbs = [verb for verb in tracking.verbs(context) if letters(verb.name) == letters(line.words[last].text)]
    if not verbs and tracking_verbs:
        verbs, behind = tracking_verbs, last + 1
    another = _for_another(line, last, behind, verbs, context)
    if another is not None:
        return another
    for verb in verbs:
        if offer := part_at_somebody(line, those_first(line, last, context)[1], behind, verb.kind, context):
            raise offer
    lines = [text for verb in verbs for text in _lines_of(verb, whom, rest_of(line, behind), context)]
    if len(lines) < 2:
        if lines and _is_hopeless(tokenize(lines[0]), verbs[0], line, context):
            _offer_without_manner(verbs[0], line, behind, whom, note_line(line_before), context)
            return None
        return tokenize(lines[0]) if lines else None
    return _line_of_one(verbs, lines, line, last, behind, context)


def _line_of_one(
    verbs: list[Verb], lines: list[str], line: Line, last: int, behind: int, context: Context
) -> Line | None:
    """Of several verbs that a word may mean, the line of the one that can be now; None: of none.

    Raises Ambiguous where several can be, and Refusal where none can be outside of a turn.
    """
    whom, names = words_between(line, 0, last), those_first(line, last, context)[1]
    pending = _pending_verbs(verbs, names, context)
    if len(pending) == 1:
        lines = _lines_of(pending[0], whom, rest_of(line, behind), context)
        if pending == verbs[:1] or not _names_the_verb(verbs[0], line):
            return tokenize(lines[0]) if lines else None
    if not pending:
        # without an open turn those verbs are meant that need none
        in_turn = context.system.whose_turn(context.state) is not None
        open_now = [verb for verb in verbs if in_turn or not verb.kind.in_turn] or verbs
        for verb in open_now:
            for name in names:
                if (refusal := not_in_turn(context, verb.kind, name)) is not None:
                    raise refusal
        lines = [text for verb in open_now for text in _lines_of(verb, whom, rest_of(line, behind), context)]
    if len(lines) == 1:
        return tokenize(lines[0])
    offer = nearest_lines(context, WHICH, lines)
    if not offer.choices:
        return None
    raise offer


def _offer_without_manner(verb: Verb, line: Line, behind: int, whom: str, note: str, context: Context) -> None:
    """Raise Ambiguous with the line that leaves out how it is done: `hilde camps for the night`."""
    alone = tokenize(f"{verb.name} {whom}")
    manner = behind < len(line.words) and line.words[behind].text.casefold() in OF_A_MANNER
    if manner and can_be_read(context, alone):
        raise nearest_lines(context, WHICH, [alone.text, note])


def _is_hopeless(rewritten: Line, verb: Verb, line: Line, context: Context) -> bool:
    """Whether the line of a verb by a nickname holds words that are nothing of it: `brann uses 2 potions`."""
    if verb.kind is Track or _names_the_verb(verb, line):
        return False
    result = read(context, verb, rewritten, len(verb.name.split()))
    if result.whole:
        return False
    error = error_of(result)
    if isinstance(error, Refusal):
        raise error
    return not isinstance(error, Missing | Unclear)


def _names_the_verb(verb: Verb, line: Line) -> bool:
    """Whether a line says a verb by its own words, and not by what people call it."""
    return {form for word in line.words for form in bases_of(word.text.casefold().strip(STOPS))}.issuperset(verb.words)


def _lines_of(verb: Verb, whom: str, rest: Sequence[str], context: Context) -> list[str]:
    """The line of a verb behind a name; of one that is about nobody, like `agnes rolls 2d6`, with the name as words."""
    grammar = Grammar(context, verb)
    if grammar.who is not None or verb.kind is Track or grammar.words_alone:
        return [" ".join([verb.name, whom, *part_first(verb.kind, rest)])]
    words = rest if whom in (*ALL, *PARTY) else [*rest, whom]  # `we start scenario 1`
    return [choice.line for choice in nearest_lines(context, "", [" ".join([verb.name, *words])]).choices]


def with_group(line: Line, context: Context) -> Line:
    """`we rest` and `the party rests` as lines of a group. Raises Ambiguous for somebody whose name begins so."""
    words = [word.text.casefold() for word in line.words[:2]]
    if len(words) > 1 and words[0] in BEFORE_A_GROUP and words[1] in (*PARTY, *ALL):
        return tokenize(" ".join(rest_of(line, 1)))
    if len(words) < 2 or words[0] not in WE:
        return line
    people = people_at(line.words, 0, context)
    everybody = tokenize(" ".join([ALL[0], *rest_of(line, 1)]))
    if people is None:
        return everybody
    names = [tokenize(" ".join([*people[0], *rest_of(line, 1)])), everybody]
    lines: list[str] = []
    for name in names:
        try:
            rewritten = verb_first(name, context)
        except Ambiguous as error:
            lines += [choice.line for choice in error.choices[:1]]
        else:
            lines += [rewritten.text] if rewritten is not None else []
    raise nearest_lines(context, f"Is {line.words[0].text} {people[0][0]}, or everybody?", lines)


def verbs_behind_a_name(context: Context, line: Line, at: int) -> tuple[list[Verb], int]:
    """The verbs that may be meant behind a name, and the place behind them.

    `brog rests`, `wren flips`, `bram levels up`, `ysa takes a short rest`, and what people call a verb.
    """
    words = [word.text.casefold().rstrip(STOPS) for word in line.words]
    starts = [at]
    if words[at] in TAKING and at + 1 < len(words):
        starts.append(at + 1 + (words[at + 1] in ARTICLES and at + 2 < len(words)))
    verbs = verbs_of(context.system.key)
    for start in starts:
        places = [place for place in range(start, len(words)) if words[place] not in DETERMINERS]
        for count in range(min(LONGEST_VERB, len(places)), 1, -1):
            forms = [bases_of(words[place]) for place in places[:count]]
            namesakes = [
                verb
                for verb in verbs
                if len(verb.words) == count and all(a in b for a, b in zip(verb.words, forms, strict=True))
            ]
            if namesakes:
                return [namesakes[0], *_ending_with(namesakes[0], verbs)], places[count - 1] + 1
        for form in bases_of(words[start]):
            namesakes = [verb for verb in verbs if verb.name == form and len(form) > 1]
            if namesakes:
                return namesakes[:1], start + 1
        called_so, behind = kinds_meant(context.system.key, line, start)
        if called_so:
            return [Verb(verb_name(kind), kind) for kind in called_so], behind
    bases = bases_of(words[at])
    by_kind = {verb.kind: verb for verb in reversed(verbs) if len(verb.words) > 1 and verb.words[0] in bases}
    is_clear = len(words[at]) >= LEAST_OF_A_VERB and words[at] not in GAINING | SPENDING | OWNING
    return (list(by_kind.values()) if is_clear else []), at + 1


def _ending_with(verb: Verb, verbs: Sequence[Verb]) -> list[Verb]:
    """The verbs that end with the words of another: `declare-long-rest` with those of `long-rest`."""
    count = len(verb.words)
    return [other for other in verbs if len(other.words) > count and other.words[-count:] == verb.words]


def _pending_verbs(verbs: Sequence[Verb], names: Sequence[str], context: Context) -> list[Verb]:
    """Those of several verbs that the rules wait for from each of these people."""
    pending = context.system.pending_for
    kinds = [{choice.action for choice in choices_in(pending(context.state, name))} for name in names]
    return [verb for verb in verbs if kinds and all(verb.kind in own for own in kinds)]


def _condition(line: Line, last: int, whom: str, context: Context) -> Line | None:
    """`ysa is poisoned`, `ysa loses poison`, where the rules have a verb for whatever befalls somebody, of a choice.

    Raises Ambiguous where it has no place for what did it: `ysa is poisoned by the archer`.
    """
    words = [word.text.casefold().rstrip(".!").replace("’", "'") for word in line.words]
    loses, denies = words[last] in LOSING, words[last] in NOT_BEING
    being = loses or denies or words[last] in BEING | HAVING
    place = last + being
    denial = next(
        (count for count, end in NO_LONGER.items() if being and tuple(words[place : place + count]) == end), 0
    )
    place += denial + (loses and words[place : place + 1] != [] and words[place] in ARTICLES)
    is_denied = loses or denies or bool(denial)
    is_behind = words[place + 1 : place + 2] if " ".join(words[place + 1 :]) not in ANY_MORE else []
    if place >= len(words) or (is_behind and is_behind[0] not in FROM):
        return None
    word = words[place]
    for kind in context.system.actions:
        needs = [field for field in fields_of(kind) if field.required]
        if len(needs) == 2 and needs[0].names == "character" and needs[1].kind.shape == "choice":
            of_participle = bases_of(word)[1:] if word.endswith("ed") else []
            forms = [word, *of_participle] if being else of_participle
            choices = [name for name in needs[1].kind.offered_choices if key_of(name) in forms]
            if not choices or (is_denied and not any(field.kind.shape == "flag" for field in fields_of(kind))):
                continue
            text = " ".join([verb_name(kind), whom, *(["not"] if is_denied else []), choices[0]])
            if is_behind:
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
    people = people_at(line.words, at, context) if somebody_meant(line.words, at, context) else None
    return () if people is None else people[0]


def _for_another(line: Line, last: int, behind: int, verbs: Sequence[Verb], context: Context) -> Line | None:
    """`agnes rallies old tom`, where whoever the verb names is the other one, and not who does it; None: it is not so.

    Raises Ambiguous with the line of the other one alone, where the rules have no place for who does it.
    """
    line = _without_genitive(line, behind, context)
    if not somebody_meant(line.words, behind, context):
        return None
    people, (who, names) = people_at(line.words, behind, context), those_first(line, last, context)
    if people is None or not people[0] or set(people[0]) & set(names):
        return None
    target, rest = words_between(line, behind, people[1]), rest_of(line, people[1])
    lines = []
    for verb in verbs:
        grammar = Grammar(context, verb)
        if grammar.who is None or grammar.names_another:
            continue
        whole = tokenize(" ".join([verb.name, *words_to_type(line, 0, last), target, *rest]))
        result = read(context, verb, whole, len(verb.name.split()))
        words = result.best.words
        as_words = words is not None and words.start == len(verb.name.split()) + last
        if result.whole and set(result.best.names) <= set(names) and (not as_words or verb.kind in COMMON):
            continue  # it is a value, or the beginning of a reason
        number = number_of(line.words[people[1]].text) if people[1] < len(line.words) else None
        if verb.kind.sign and grammar.remark is not None and number is not None:
            return tokenize(" ".join([verb.name, target, str(number), who, *rest_of(line, people[1] + 1)]))
        whole_line = tokenize(" ".join([verb.name, target, *rest]))
        lines.append(whole_line.text if can_be_read(context, whole_line) else f"{verb.name} {target}")
    if not lines:
        return None
    reason = f"{verbs[0].name} names who it is for, not who does it"
    word = line.words[last].text.casefold()
    if SIGNED.get(word) == "+" and verbs[0].name not in bases_of(word):
        numbers_behind = (number_of(word.text) for word in line.words[people[1] :] if not word.quoted)
        numbers = [number for number in numbers_behind if number is not None]
        points = numbers[0] if len(numbers) == 1 else None
        raise no_healing(context, target, points, f"{who} heals", lines if points is None else ())
    offer = nearest_lines(context, reason, lines)
    raise offer if offer.choices else nearest_lines(context, reason, [note_line(line)], TO_KEEP_IT)


def _without_genitive(line: Line, at: int, context: Context) -> Line:
    """The line with somebody's name in the place of a genitive: `treats pip's leg` as `treats pip leg`."""
    word = line.words[at].text if at < len(line.words) and not line.words[at].quoted else ""
    name = re.sub("['’]s?$", "", word)
    if name == word or same_letters(name, context.state.characters) is None:
        return line
    return tokenize(" ".join([*words_to_type(line, 0, at), name, *rest_of(line, at + 1)]))


def name_alone(phrase: LinePhrase) -> Misread:
    """That of a phrase nothing but a character's name can be read."""
    line = phrase.line
    example = example_line(phrase.context)
    like = f", like {example}" if example else ""
    name = line.text[line.words[0].start : line.words[phrase.behind_people - 1].end]
    return Misread(f"{name} is a character, and a line begins with a verb{like}.", 0)
