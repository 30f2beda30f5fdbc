"""Lines that say more than one thing: `d hilda 2 a troll, d agnes 3 a troll`, whose second half is no source."""

from cli.line.errors import Ambiguous, Meaning
from cli.line.reader import Result, read
from cli.line.values import JOINS, Context
from cli.line.verbs import Verb, verbs_of
from cli.line.words import Line, quoted, rest_of, typed, written
from domain.refusal import Invalid, Refusal

#: What ends the first of two things, beside what joins names.
ENDS = (",", ";")
THEN = ("then",)


def two_things(result: Result) -> Ambiguous | None:
    """The question about a line whose remark holds another line; None: it holds none."""
    table, words = result.table, result.best.words
    if words is None or table.grammar.words_alone or table.grammar.who is None:
        return None
    line = table.line
    for place in range(words.start, words.end):
        joins = line.words[place].text.casefold() in (*JOINS, *THEN)
        before = line.words[place - 1]
        if joins and place + 1 < words.end:
            second = _line_at(line, place + 1, words.end, table.context)
        elif before.text.endswith(ENDS) and not before.quoted:
            second = _line_at(line, place, words.end, table.context)
        else:
            continue
        if second is not None:
            return _asked(result, place, second)
    return None


def _line_at(line: Line, place: int, end: int, context: Context) -> Result | None:
    """The words from a place on as a whole line about somebody; None: they are none."""
    said = typed(" ".join(written(line, at) for at in range(place, end)))
    try:
        if (spoken := _begins_with_verb(said, context)) is None:
            from cli.line.spoken import verb_first  # few remarks may be a second line

            said = verb_first(said, context) or said
            spoken = _begins_with_verb(said, context)
        if spoken is None:
            return None
        result = read(context, spoken, said, 1)
    except (Invalid, Refusal):
        return None
    return result if result.whole and result.best.names else None


def _begins_with_verb(line: Line, context: Context) -> Verb | None:
    """The verb of one word that a line begins with, under its whole or its short name."""
    word = line.words[0].text.casefold()
    return next((verb for verb in verbs_of(context.system.key) if verb.name == word), None)


def _asked(result: Result, place: int, second: Result) -> Ambiguous:
    """Both at once, where one line can say both; else one and the other, and all of it as words."""
    line, words = result.table.line, result.best.words
    assert words is not None
    first = " ".join(written(line, at) for at in range(place)).rstrip("".join(ENDS))
    whole = [written(line, at) for at in range(words.start)]
    text = quoted(line.rest(words.start, words.end), always=True)
    behind = rest_of(line, words.end)
    both = _both(result, place, second)
    lines = [both] if both is not None else [first, second.table.line.text]
    choices = [Meaning("both", both)] if both is not None else [Meaning(each, each) for each in lines]
    choices.append(Meaning("part of the words", " ".join([*whole, text, *behind])))
    question = f"{line.rest(place, words.end)}:" if both is not None else "One thing at a time: which comes first?"
    return Ambiguous("A line does one thing; type one of these:", question, choices, place, explained=True)


def _both(result: Result, place: int, second: Result) -> str | None:
    """One line that says both, of the same verb and with the same remark; None: they have not got that."""
    verb, other = result.table.grammar.verb, second.table.grammar.verb
    words, others = result.best.words, second.best.words
    if verb.kind is not other.kind or dict(verb.sets) != dict(other.sets) or words is None:
        return None
    line = result.table.line
    source = " ".join(written(line, at) for at in range(words.start, place)).rstrip("".join(ENDS))
    own = second.table.line
    behind = "" if others is None else own.rest(others.start, others.end)
    if behind not in ("", source):
        return None
    until = len(own.words) if others is None else others.start
    parts = [
        *(written(line, at) for at in range(words.start)),
        *(written(own, at) for at in range(second.table.start, until)),
        source,
    ]
    both = typed(" ".join(parts))
    read_so = read(result.table.context, verb, both, result.table.start)
    return both.text if read_so.whole and read_so.best.names == [*result.best.names, *second.best.names] else None
