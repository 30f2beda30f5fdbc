"""Lines that name whom they are about first: `oswin rests`, `agnes rallies old tom`, `ysa is poisoned`.

Each becomes the line that says the same with its verb first.
"""

from collections.abc import Sequence

from cli.line import tracking
from cli.line.diagnosis.missing_people import not_in_turn
from cli.line.diagnosis.unread_line import error_of
from cli.line.errors import Ambiguous, Meaning, Misread, Missing, Unclear
from cli.line.example_lines import example_line
from cli.line.grammar import Grammar
from cli.line.offers import WHICH, can_be_read, nearest_lines, note_line
from cli.line.phrase import LinePhrase
from cli.line.phrases.blows import blow_at, foe_first
from cli.line.phrases.card_phrases import of_a_part, part_at_somebody, part_first
from cli.line.phrases.conditions import condition_of
from cli.line.phrases.help_for_another import for_another
from cli.line.phrases.loss_and_healing import loss_or_healing
from cli.line.phrases.verbs_behind_names import verbs_behind_a_name
from cli.line.search import read_from_verb
from cli.line.values import Context, people_at, people_first, those_first, without_article
from cli.line.verbs import Verb, verbs_of
from cli.line.vocabulary import ALL, BEFORE_A_GROUP, MANNER_WORDS, PARTY, STOPS, WE, bases_of
from cli.line.words import Line, rest_of, tokenize, words_between
from domain.common.tracking import Track
from domain.naming import letters
from domain.refusal import Invalid, Refusal
from domain.system.pending import choices_in


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
    outcome = phrase.outcome_of(without)
    if isinstance(outcome, Ambiguous):
        # what is written down keeps its article
        note, own = note_line(without), Meaning(note_line(line), note_line(line))
        return outcome.only([own if choice.line == note else choice for choice in outcome.choices])
    return without


def _verb_behind_an_article(phrase: LinePhrase) -> Line | Ambiguous | None:
    """`a wound for ash: a broken arm`: the line that begins with its verb, and the note; None: no verb stands there."""
    if not any(verb.name in phrase.bare[1:2] for verb in verbs_of(phrase.context.system.key)):
        return None
    without = tokenize(" ".join(rest_of(phrase.line, 1)))
    outcome = phrase.outcome_of(without)
    if isinstance(outcome, Missing):
        return without
    if isinstance(outcome, Invalid | Refusal):
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


def lines_with_verb_first(line: Line, context: Context) -> list[str]:
    """The lines with their verb first that may be meant by one that begins with somebody's name; [] for none."""
    try:
        with_verb = verb_first(line, context)
    except Ambiguous as error:
        return [choice.line for choice in error.choices]
    except (Invalid, Refusal):
        return []
    return [with_verb.text] if with_verb is not None else []


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
    condition = condition_of(line, last, whom, context)
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
    another = for_another(line, last, behind, verbs, context)
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
        open_now = [verb for verb in verbs if in_turn or not verb.kind.own_turn_rule] or verbs
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
    manner = behind < len(line.words) and line.words[behind].text.casefold() in MANNER_WORDS
    if manner and can_be_read(context, alone):
        raise nearest_lines(context, WHICH, [alone.text, note])


def _is_hopeless(rewritten: Line, verb: Verb, line: Line, context: Context) -> bool:
    """Whether the line of a verb by a nickname holds words that are nothing of it: `brann uses 2 potions`."""
    if verb.kind is Track or _names_the_verb(verb, line):
        return False
    result = read_from_verb(context, verb, rewritten)
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


def _pending_verbs(verbs: Sequence[Verb], names: Sequence[str], context: Context) -> list[Verb]:
    """Those of several verbs that the rules wait for from each of these people."""
    pending = context.system.pending_for
    kinds = [{choice.action for choice in choices_in(pending(context.state, name))} for name in names]
    return [verb for verb in verbs if kinds and all(verb.kind in own for own in kinds)]


def name_alone(phrase: LinePhrase) -> Misread:
    """That of a phrase nothing but a character's name can be read."""
    line = phrase.line
    example = example_line(phrase.context)
    like = f", like {example}" if example else ""
    name = line.text[line.words[0].start : line.words[phrase.behind_people - 1].end]
    return Misread(f"{name} is a character, and a line begins with a verb{like}.", 0)
