"""Lines that say more than one thing: `d hilda 2 a troll, d agnes 3 a troll`, whose second half is no source."""

from collections.abc import Sequence

from msgspec import to_builtins

from cli.line.clause import Clause
from cli.line.diagnosis.unread_line import error_of
from cli.line.errors import AS_WORDS, Ambiguous, Meaning, Unclear
from cli.line.offers import WHICH, note_line
from cli.line.phrase import Actions, LinePhrase
from cli.line.phrases.announcements import is_the_end
from cli.line.phrases.name_first import verb_first
from cli.line.search import Result, read, read_from_verb
from cli.line.values import Context, number_of, people_at, somebody_meant
from cli.line.verbs import Verb, verbs_of
from cli.line.vocabulary import ENDS
from cli.line.words import Line, joins, quote, rest_of, tokenize, word_to_type, words_between, words_to_type
from domain.common.notes import Note
from domain.common.sessions import SessionClose
from domain.common.tracking import Track
from domain.refusal import Invalid, Refusal
from domain.registry import verb_name
from domain.system.field_schema import fields_of
from domain.turn import Action

WHICH_FIRST = "One thing at a time: which comes first?"
#: Before the lines of each of two things.
ONE_THING = "A line does one thing; type one of these:"


def behind_the_first_word(phrase: LinePhrase) -> Line:
    """`and he dies`, `oops, T20 was 7`: the line without the word that joins it to the one before."""
    return tokenize(" ".join(rest_of(phrase.line, 1)))


def several_at_once(phrase: LinePhrase) -> Actions | None:
    """`brog hits wen for 3, ada hits brog for 2`: both, where each of them is a whole line; None: it is one thing.

    What the second does not say is whom it is about: that is whoever the first names.
    """
    line, words = phrase.line, phrase.line.words
    whom = words_between(line, 0, phrase.behind_people)
    for place in range(1, len(words)):
        behind = place
        while joins(words, behind, then=True):
            behind += 1
        ends = words[place - 1].text.endswith((*ENDS, ".")) and not words[place - 1].quoted
        if not (ends or behind > place) or behind == len(words) or joins(words, place - 1, then=True):
            continue
        # what it says of several things was met at an earlier place
        first = phrase.outcome_of_one_thing(tokenize(words_between(line, 0, place).rstrip("".join((*ENDS, ".")))))
        if isinstance(first, Invalid | Refusal):
            continue
        second = words_between(line, behind, len(words))
        for more in (second, *([f"{whom} {second}"] if whom else [])):
            further = phrase.outcome_of(tokenize(more))
            if isinstance(further, Invalid | Refusal):
                continue
            actions = [*first, *further]
            if len(actions) > 1 and not any(isinstance(action, Note) for action in actions):
                return None if _share_a_remark(actions) else Actions(tuple(map(to_builtins, actions)), {})
    return None


def line_within(phrase: LinePhrase) -> Ambiguous | None:
    """`kesk casts a fireball, everyone takes 3`: the line behind what only tells, and the note; None: there is none."""
    line, words = phrase.line, phrase.line.words
    for place in range(phrase.behind_people + 1, len(words)):
        behind = place
        while joins(words, behind, then=True):
            behind += 1
        ends = words[place - 1].text.endswith((*ENDS, ".", ":")) and not words[place - 1].quoted
        about = any(somebody_meant(words, at, phrase.context) for at in range(behind, min(behind + 3, len(words))))
        if not (ends or behind > place) or not about:
            continue
        text = words_between(line, behind, len(words))
        outcome = phrase.outcome_of(tokenize(text))
        if isinstance(outcome, Ambiguous):
            lines = [choice.line for choice in outcome.choices if not choice.line.startswith("note ")]
        elif isinstance(outcome, Invalid | Refusal) or any(isinstance(action, Note | Track) for action in outcome):
            continue
        else:
            lines = [text]
        if lines:
            return Ambiguous.between(WHICH, (*lines, note_line(line)), place)
    return None


def _share_a_remark(actions: Sequence[Action]) -> bool:
    """Whether the remark of one may be that of others of the same kind, which say none: `3 and hob 2 from the fire`."""
    kinds, remarks = {type(action) for action in actions}, set[bool]()
    for action in actions:
        remarks |= {getattr(action, field.name) is not None for field in fields_of(type(action)) if field.remark}
    return len(kinds) == 1 and len(remarks) > 1


def second_in_the_words(phrase: LinePhrase) -> Ambiguous | None:
    """The question about a line whose remark holds another line; None: it holds none."""
    result = phrase.result
    assert result is not None
    clause, words = result.clause, result.best.words
    if words is None or clause.grammar.words_alone or clause.grammar.who is None:
        return None
    line = clause.line
    for place in range(words.start, words.end):
        before = line.words[place - 1]
        if joins(line.words, place, then=True) and place + 1 < words.end:
            begin = place + 1
        elif before.text.endswith((*ENDS, ".")) and not before.quoted:
            begin = place
        else:
            begin = place if place > words.start and _may_begin_another(clause, place) else words.end
        if begin == words.end or line.words[begin].quoted:
            continue
        if is_the_end(line.rest(begin, words.end)):
            return _asked(result, place, verb_name(SessionClose))
        if (second := _line_at(result, begin)) is not None:
            return _asked(result, place, second.clause.line.text, _both(result, place, second))
    return None


def _may_begin_another(clause: Clause, place: int) -> bool:
    """`d brog 3 a rat d wen 2`, `… a rat wen 2`: whether a verb with somebody, or somebody with a number, stands there.

    Nothing else begins a line where nothing parts it from the words before.
    """
    words, context = clause.words, clause.context
    name = words[place].text.casefold()
    if words[place].quoted or place + 1 >= len(words):
        return False
    if any(verb.name == name for verb in verbs_of(context.system.key)):
        return somebody_meant(words, place + 1, context)
    if not somebody_meant(words, place, context):
        return False
    try:
        people = people_at(words, place, context)
    except Unclear:
        return False
    behind = words[people[1] : people[1] + 1] if people is not None else ()
    return bool(behind) and number_of(behind[0].text) is not None


def second_line(phrase: LinePhrase) -> Ambiguous | Refusal | None:
    """The question about a line that cannot be read on where `and` begins another; None: it does not.

    A Refusal where the line is about somebody who cannot be meant.
    """
    assert phrase.result is not None
    error = error_of(phrase.result)
    if isinstance(error, Refusal):
        return error
    if isinstance(error, Ambiguous):
        return None
    clause, place = phrase.result.clause, error.at or 0
    line, verb = clause.line, clause.grammar.verb
    if not joins(clause.words, place) or place + 1 >= len(line.words):
        return None
    first = tokenize(words_between(line, 0, place))
    try:
        result = read(clause.context, verb, first, clause.start)
        rest = tokenize(words_between(line, place + 1, len(line.words)))
        second = _line_about_somebody(rest, clause)
    except (Invalid, Refusal):
        return None
    if second is None or not result.whole:
        return None
    both = _both(result, len(first.words), second)
    lines = [both] if both is not None else [first.text, second.clause.line.text]
    question = f"{line.rest(place, len(line.words))}:" if both is not None else WHICH_FIRST
    return Ambiguous(ONE_THING, question, [Meaning(text, text) for text in lines], place)


def _line_at(result: Result, place: int) -> Result | None:
    """The words from a place on as a whole line about somebody, or as one of the same verb; None: they are none."""
    words, line = result.best.words, result.clause.line
    assert words is not None
    return _line_about_somebody(tokenize(words_between(line, place, words.end).rstrip(" .!")), result.clause)


def _line_about_somebody(part: Line, clause: Clause) -> Result | None:
    """A line within a clause, perhaps without the verb that the other has; None: it is none about anybody."""
    context = clause.context
    try:
        if (verb := _begins_with_verb(part, context)) is None:
            part = verb_first(part, context) or part
            verb = _begins_with_verb(part, context)
        needs = any(field.required for field in clause.grammar.order)
        if verb is None and needs and somebody_meant(part.words, 0, context):
            verb = clause.grammar.verb
            part = tokenize(" ".join([verb.name, *words_to_type(part)]))
        if verb is None:
            return None
        second = read_from_verb(context, verb, part)
    except (Invalid, Refusal):
        return None
    return second if second.whole and second.best.names else None


def _begins_with_verb(line: Line, context: Context) -> Verb | None:
    """The verb of one word that a line begins with, under its whole or its short name."""
    word = line.words[0].text.casefold()
    return next((verb for verb in verbs_of(context.system.key) if verb.name == word), None)


def _asked(result: Result, place: int, second: str, both: str | None = None) -> Ambiguous:
    """Both at once, where one line can say both; else one and the other, and all of it as words."""
    line, words = result.clause.line, result.best.words
    assert words is not None
    first = words_between(line, 0, place).rstrip("".join((*ENDS, ".")))
    whole = words_to_type(line, 0, words.start)
    text = quote(line.rest(words.start, words.end), always=True)
    behind = rest_of(line, words.end)
    lines = [both] if both is not None else [first, second]
    choices = [Meaning("both", both)] if both is not None else [Meaning(way, way) for way in lines]
    choices.append(Meaning(AS_WORDS, " ".join([*whole, text, *behind])))
    question = f"{line.rest(place, words.end)}:" if both is not None else WHICH_FIRST
    return Ambiguous(ONE_THING, question, choices, place, explained=True)


def _both(result: Result, place: int, second: Result) -> str | None:
    """One line that says both, of the same verb and with the same remark; None: they have not got that."""
    verb, other = result.clause.grammar.verb, second.clause.grammar.verb
    words, others = result.best.words, second.best.words
    if verb.kind is not other.kind or dict(verb.sets) != dict(other.sets):
        return None
    line = result.clause.line
    start = place if words is None else words.start
    source = words_between(line, start, place).rstrip("".join((*ENDS, ".")))
    own = second.clause.line
    behind = "" if others is None else own.rest(others.start, others.end)
    if behind not in ("", source) and words is not None:
        return None
    source = source or behind
    until = len(own.words) if others is None else others.start
    fillers = {piece.start for piece in second.best.pieces[1:] if piece.how == "filler"}
    parts = [
        *words_to_type(line, 0, start),
        *(word_to_type(own, at) for at in range(second.clause.start, until) if at not in fillers),
        source,
    ]
    both = tokenize(" ".join(filter(None, parts)))
    read_so = read(result.clause.context, verb, both, result.clause.start)
    return both.text if read_so.whole and read_so.best.names == [*result.best.names, *second.best.names] else None
