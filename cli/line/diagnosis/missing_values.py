"""What a line does not say yet: the sentence that asks for it, with the line as it would be right."""

from collections.abc import Sequence

from cli.line.ambiguities import ambiguity_of
from cli.line.clause import Clause
from cli.line.errors import Ambiguous, Missing, Unclear
from cli.line.offers import line_if_read
from cli.line.reading import Reading
from cli.line.search import read
from cli.line.values import number_of, people_at
from cli.line.vocabulary import MANNER_WORDS
from cli.line.words import quote, tokenize, words_to_type
from domain.choice import Choice
from domain.naming import nearest, short_for
from domain.system.drafts import legal_values
from domain.system.field_schema import Field

#: So many examples of a value are tried where one is missing.
MOST_EXAMPLES = 3


def missing_values(clause: Clause, reading: Reading, missing: list[Field], place: int | None = None) -> Missing:
    """What a line does not say, with the word that stands at the place of it; None: the line ends too early."""
    if place is None or missing[0] is clause.grammar.remark:
        return _missing_at_the_end(clause, reading, missing)
    field, word, legal = missing[0], clause.words[place].text, _legal(clause, reading, missing[0])
    needs = f"{clause.grammar.name} needs {_takes(clause, reading, field)}"
    advice = _before_the_words(clause, field, place)
    like = _with_the_nearest_choice(clause, field, place) if not advice else []
    if field.kind.shape == "number" and not (legal or field.kind.letter):
        whole = "whole " if any(map(str.isdigit, word)) else ""
        return Missing(f"{needs}; {word!r} is not a {whole}number{advice}.", missing, place, legal, word, like=like)
    return Missing(f"{needs}, not {word!r}{advice}.", missing, place, legal, word, like=like)


def _missing_at_the_end(clause: Clause, reading: Reading, missing: list[Field]) -> Missing:
    """What a line that ends too early does not say, with the line as it would be right."""
    who = clause.grammar.who
    values = {who.key: reading.whose} if who is not None and reading.whose is not None else {}
    action = Choice(clause.grammar.verb.kind, values, tuple(field.key for field in missing))
    legal, like = _legal(clause, reading, missing[0]), _whole_lines(clause, reading, missing)
    return Missing(_needs(clause, reading, missing), missing, len(clause.words), legal, of=action, like=like)


def _needs(clause: Clause, reading: Reading, missing: list[Field]) -> str:
    """The sentence that a verb needs these."""
    needs = "; and ".join(_takes(clause, reading, field) for field in missing)
    return f"{clause.grammar.name} needs {needs}."


def _takes(clause: Clause, reading: Reading, field: Field) -> str:
    """What a field takes, behind its name; the name of what takes FIELD=VALUE is typed by nobody."""
    takes = clause.grammar.takes(field, reading.whose, missing=True)
    return takes if field is clause.grammar.loose else f"{field.key}: {takes}"


def _legal(clause: Clause, reading: Reading, field: Field) -> Sequence[str]:
    """The legal values of a field for the one whom the line is about."""
    context = clause.context
    return legal_values(context.system, context.state, clause.grammar.verb.kind, field, reading.whose)


def _with_the_nearest_choice(clause: Clause, field: Field, place: int) -> list[str]:
    """The line with the choice that was nearly typed; none where nothing is near, or more is wrong."""
    choice = nearest(clause.words[place].text, field.kind.offered_choices)
    line = clause.line
    words = words_to_type(line)
    return [] if choice is None else line_if_read(clause, [*words[:place], choice, *words[place + 1 :]])


def value_between(clause: Clause, reading: Reading, missing: list[Field], here: int) -> Ambiguous | None:
    """`monk hits ash with his hammer`: the line with each choice in the place of how it is done; None: no such line.

    A choice that stands among those words is the only one.
    """
    choices = missing[0].kind.offered_choices
    words = [word.text.casefold().strip(",.") for word in clause.words[here:]]
    if words[0] not in MANNER_WORDS or len(missing) > 1:
        return None
    words_before = words_to_type(clause.line, 0, here)
    values = [choice for choice in choices if choice in words] or choices
    lines = [line for value in values for line in line_if_read(clause, [*words_before, value])]
    return Ambiguous.between(_needs(clause, reading, missing), lines, here) if lines else None


def with_each_choice(clause: Clause, reading: Reading, missing: list[Field], here: int) -> Ambiguous | None:
    """`lark takes a breather behind a rock`: the line with each choice before its words; None: no such line."""
    field, *others = missing
    is_word = here + 1 == len(clause.words)  # which may be meant as the choice
    if (
        field.kind.shape != "choice"
        or others
        or is_word
        or nearest(clause.words[here].text, field.kind.offered_choices)
    ):
        return None
    texts = words_to_type(clause.line)
    lines = [
        line
        for value in _legal(clause, reading, field)
        for line in line_if_read(clause, [*texts[:here], value, *texts[here:]])
    ]
    return Ambiguous.between(_needs(clause, reading, missing), lines, here) if lines else None


def _whole_lines(clause: Clause, reading: Reading, missing: list[Field]) -> list[str]:
    """The line with an example of each thing that is missing, and other examples of the last; none where that fails."""
    grammar, context = clause.grammar, clause.context
    if missing[0].names == "character" and missing[0] is next(iter(grammar.fields.values())):
        reordered = somebody_first(clause)
        if reordered:
            return reordered
    first: list[str] = []
    last: list[str] = []
    examples: list[str] = []
    for field in missing:
        legal = _legal(clause, reading, field)
        if field.names == "character":
            examples = [short_for(next(iter(context.own()), "brog"), context.state.characters)]
        elif legal:
            examples = [value for value in legal if value not in last][:MOST_EXAMPLES]
        elif field.kind.shape == "number":
            examples = [str(max(1, field.kind.bounds.get("ge", 1)))]
        else:
            examples = []
        if not examples:
            return []
        (first if field is next(iter(grammar.fields.values())) else last).append(examples[0])
    last_words = last or first
    texts = words_to_type(clause.line)
    lines = []
    for example in examples:
        last_words[-1] = example
        behind = [quote(value) for value in last]
        lines += line_if_read(clause, [*texts[: clause.start], *map(quote, first), *texts[clause.start :], *behind])
    return lines


def somebody_first(clause: Clause, *, doubted: bool = False) -> list[str]:
    """The line with whoever is named last in front: `attack reed ash`, of which Ash alone can attack."""
    words = words_to_type(clause.line)
    for place in range(len(words) - 1, clause.start, -1):
        try:
            people = people_at(clause.words, place, clause.context)
        except Unclear:
            continue
        if people is not None and len(people[0]) == 1:
            reordered = [
                *words[: clause.start],
                *words[place : people[1]],
                *words[clause.start : place],
                *words[people[1] :],
            ]
            return line_if_read(clause, reordered, doubted=doubted)
    return []


def _before_the_words(clause: Clause, field: Field, place: int) -> str:
    """Where a number that stands behind the words belongs, if it is the only one that there is."""
    words = clause.words
    later = [at for at in range(place + 1, len(words)) if number_of(words[at].text) is not None]
    if field.kind.shape != "number" or len(later) != 1:
        return ""
    order = [*range(clause.start, place), later[0], *(at for at in range(place, len(words)) if at != later[0])]
    verb = clause.grammar.name
    line = " ".join([verb, *(clause.line.text[words[at].start : words[at].end] for at in order)])
    result = read(clause.context, clause.grammar.verb, tokenize(line), len(verb.split()))
    helps = result.whole and ambiguity_of(result) is None
    return f"; words come last, like {line}" if helps else ""
