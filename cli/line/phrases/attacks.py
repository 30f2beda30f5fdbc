"""The attacks that the rules have, as lines of whoever strikes: one of us, or a foe that the log lists."""

from collections.abc import Iterator

from cli.line.action_roles import attacks_of, remark_of
from cli.line.ambiguities import ambiguity_of
from cli.line.diagnosis.unread_line import error_of
from cli.line.errors import Ambiguous, Meaning, Missing, Unclear
from cli.line.offers import WHICH, nearest_lines, note_line
from cli.line.phrase import LinePhrase
from cli.line.phrases.blow_words import BlowPoints, target_at
from cli.line.phrases.turn_references import standing_turns
from cli.line.search import read_from_verb
from cli.line.values import Context, names_between, number_of, title_behind_article
from cli.line.verbs import Verb
from cli.line.vocabulary import ARTICLES, FOR, STOPS, STRIKING, bases_of, third_person
from cli.line.words import Line, quote, rest_of, split_at_joins, tokenize, word_to_type, words_between, words_to_type
from domain.naming import capitalised, key_of
from domain.refusal import Invalid, Refusal
from domain.registry import verb_name
from domain.system.field_schema import Field, fields_of
from domain.turn import Action


def attacks_upon_a_foe(line: Line, at: int, context: Context) -> list[str]:
    """The attacks of each of us upon whom the log lists and a line names at a place; none where it names nobody."""
    lines: list[str] = []
    for kind in attacks_of(context):
        listed = [field for field in fields_of(kind) if field.added_by is not None]
        foes = [context.system.proposals(context.state, kind, field.key, None) or () for field in listed]
        try:
            title = title_behind_article(line.words, at, foes[0]) if foes else None
        except Unclear:
            continue
        names = [name for name in context.able() if name in context.own()] if title is not None else []
        lines += [" ".join([verb_name(kind), quote(name), quote(title[0])]) for name in names if title is not None]
    return lines


def next_target(phrase: LinePhrase) -> Ambiguous | None:
    """`and the archer for 2` behind an attack upon another: the line that attacks that too; None: there was none."""
    context, turn = phrase.context, phrase.context.system.whose_turn(phrase.context.state)
    if number_of(phrase.bare[-1]) is None or turn is None:
        return None
    latest = next((turn.action for turn in standing_turns(context) if not type(turn.action).only_when_pending), None)
    kind = next((kind for kind in attacks_of(context) if type(latest) is kind), None)
    remark = remark_of(kind) if kind is not None else None
    if kind is None or remark is None or not remark.thing or getattr(latest, "character", None) != turn:
        return None
    words = [word for word in rest_of(phrase.line, 1) if word != FOR]
    offer = nearest_lines(context, WHICH, [" ".join([verb_name(kind), *words]), note_line(phrase.line)])
    return offer if len(offer.choices) > 1 else None


def attack_on_a_thing(line: Line, word: str, who: str, first: int, context: Context) -> Line | None:
    """The line of an attack upon what has no more than a name, with its words as they are; None: there is no such.

    What is a number of the attack, and what is none, the reader of that line knows.
    """
    for kind in attacks_of(context):
        called_so = _is_called(kind, word) or word in STRIKING
        if called_so and (remark := remark_of(kind)) is not None and remark.thing:
            return tokenize(" ".join([verb_name(kind), who, *rest_of(line, first)]))
    return None


def _is_called(kind: type[Action], word: str) -> bool:
    """Whether a word for a blow is one for an action."""
    return not {verb_name(kind), *kind.synonyms}.isdisjoint(bases_of(word))


def attacks_by(line: Line, word: str, who: str, first: int, blow: BlowPoints, context: Context) -> Line | list[str]:
    """The line of whoever strikes; those that may be meant, where the rules call it otherwise."""
    doers = tokenize(who)
    things = split_at_joins(doers.words, 0, len(doers.words))
    names = (" ".join(word_to_type(doers, at) for at in places) for places in things)
    strikers = [name for together in names for name in together.split(",") if name]
    lines = []
    for kind in attacks_of(context):
        takes_points = any(field.in_order and field.kind.shape == "number" for field in fields_of(kind))
        if takes_points and blow.points is not None:
            whom = words_to_type(line, first, blow.before)
            words = [blow.typed, *whom, *rest_of(line, blow.behind)]
        else:
            words = rest_of(line, first)
        manner = _manner(kind, word)
        if not takes_points and blow.points is not None and blow.before > first and _is_for(line, blow):
            # the rules roll for the blow: the points that are said are no card and no die
            words = [*words_to_type(line, first, blow.before), *rest_of(line, blow.behind)]
            striking = [" ".join([verb_name(kind), striker, *words, *manner]) for striker in strikers]
            raise nearest_lines(
                context, f"{verb_name(kind)} takes no points: cards and dice decide", [*striking, note_line(line)]
            )
        lines += [" ".join([verb_name(kind), striker, *words, *manner]) for striker in strikers]
        remark = remark_of(kind)
        upon_a_thing = takes_points and blow.points is not None and remark is not None and remark.thing
        upon_the_listed = blow.points is None and _names_a_foe(kind, line, first, context)
        if upon_a_thing and blow.before > first and (rest := _names_a_choice(line, blow.behind, context)):
            without = " ".join([verb_name(kind), who, blow.typed, *whom, *manner])
            raise nearest_lines(context, f"Is {rest!r} part of the name?", [without, lines[-1], note_line(line)])
        called_so = manner or upon_a_thing or upon_the_listed or _is_called(kind, word)
        if called_so and blow.before > first and len(strikers) == 1:
            return _with_the_foe_result(kind, tokenize(lines[-1]), context)
    return lines


def _names_a_choice(line: Line, at: int, context: Context) -> str:
    """The words from a place on, where one of them is a choice of the rules: `for 3, wound`; "" where none is."""
    choices = {
        key_of(choice)
        for kind in context.system.actions
        for field in fields_of(kind)
        for choice in field.kind.offered_choices
    }
    words = (key_of(word.text.strip(STOPS)) for word in line.words[at:] if not word.quoted)
    return words_between(line, at, len(line.words)).strip(STOPS) if not choices.isdisjoint(words) else ""


def _names_a_foe(kind: type[Action], line: Line, first: int, context: Context) -> bool:
    """Whether the words from a place on name one of those whom the log lists, and nobody else."""
    listed = [field for field in fields_of(kind) if field.added_by is not None]
    names = [name for field in listed for name in context.system.proposals(context.state, kind, field.key, None) or ()]
    try:
        return title_behind_article(line.words, first, names) is not None
    except Unclear:
        return False


def results_of_foes(context: Context) -> list[Field]:
    """The fields for what a foe came to, which the attacks of foes always say."""
    return [
        field
        for kind, _ in _of_foes(context)
        for field in fields_of(kind)
        if field.required and field.kind.shape == "choice"
    ]


def _with_the_foe_result(kind: type[Action], line: Line, context: Context) -> Line:
    """The line of an attack, as it is. Raises Ambiguous for one that leaves out what the foe's own attack has to say.

    `ash attacks the wolf` is no attack upon a foe who does not know of it, unless that is said.
    """
    of_foes = {field.key for field in results_of_foes(context)}
    field_of_foe = next((field for field in fields_of(kind) if field.key in of_foes), None)
    if field_of_foe is None:
        return line
    result = read_from_verb(context, Verb(verb_name(kind), kind), line)
    listed = [field for field in fields_of(kind) if field.added_by is not None]
    upon_a_foe = any(result.best.value_of(field.key) is not None for field in listed)
    if not result.whole or not upon_a_foe or result.best.value_of(field_of_foe.key) is not None:
        return line
    if result.best.unlisted and (unclear := ambiguity_of(result)) is not None:
        # who it is is asked first; behind the name of whoever strikes, the answer leads here again
        raise unclear.only([Meaning(choice.says, _striker_first(choice.line)) for choice in unclear.choices])
    what, _, otherwise = field_of_foe.description.partition(";")
    question = f"{capitalised(what.partition(':')[0])}:"
    values = field_of_foe.kind.offered_choices
    choices = [
        Meaning(field_of_foe.kind.with_reading(value), f"{line.text} {field_of_foe.key}={value}") for value in values
    ]
    choices.append(Meaning(otherwise.partition(": ")[2] or "nothing", line.text))
    raise Ambiguous(f"{question} say:", question, choices, 0)


def _striker_first(text: str) -> str:
    """`ash attack the wolf` of `attack ash the wolf`."""
    verb, striker, *others = words_to_type(tokenize(text))
    return " ".join([striker, third_person(verb), *others])


def _is_for(line: Line, blow: BlowPoints) -> bool:
    """Whether the points of a blow stand behind `for`."""
    return blow.before < len(line.words) and line.words[blow.before].text.casefold() == FOR


def _whom(line: Line, target: tuple[int, int], context: Context) -> list[str]:
    """The words from those who are struck on; several as one word, so that each is struck."""
    here, beyond = target
    are_several = len(split_at_joins(line.words, here, beyond)) > 1
    names = names_between(line, here, beyond, context) if are_several else []
    return [quote(",".join(names)), *rest_of(line, beyond)] if names else rest_of(line, here)


def _manner(kind: type[Action], word: str) -> list[str]:
    """What the word for a blow says of how it is dealt: `shoots`, where the rules tell a shot from other attacks."""
    return [f"{field.key}={field.kind.also_said[word]}" for field in fields_of(kind) if word in field.kind.also_said]


def either_attacker(phrase: LinePhrase) -> Ambiguous | None:
    """`attack wolf lark`, where Lark alone can attack so: her attack, or that of the foe; None: it is neither."""
    assert phrase.result is not None
    clause = phrase.result.clause
    if clause.grammar.verb.kind not in attacks_of(phrase.context):
        return None
    error = error_of(phrase.result)
    if not isinstance(error, Missing) or error.fields[:1] != (clause.grammar.who,) or not error.like:
        return None
    try:
        attack = _attack_behind_the_verb(clause.line, clause.start, clause.context)
    except (Invalid, Refusal):
        return None
    if attack is None:
        return None
    return Ambiguous.between("Who attacks?", (error.like[0], attack.text), clause.start)


def _attack_behind_the_verb(line: Line, start: int, context: Context) -> Line | None:
    """The attack of a foe that a line names behind its verb, before whoever is struck: `attack wolf lark`."""
    for at in range(start + 1, len(line.words)):
        whom = target_at(line, at, context)
        if whom is not None and whom[0] == at and line.words[start - 1].text.isalpha():
            reordered = tokenize(
                " ".join([words_between(line, start, at), line.words[start - 1].text, *rest_of(line, at)])
            )
            return attack_of_the_foe(reordered, at - start, (at - start + 1, whom[1] - start + 1), context)
    return None


def _of_foes(context: Context) -> Iterator[tuple[type[Action], Field]]:
    """The actions of foes upon one of us, each with the field that names the foe."""
    for kind in context.system.actions:
        fields = [field for field in fields_of(kind) if field.required]
        if fields and fields[0].added_by is not None and any(field.names == "character" for field in fields):
            yield kind, fields[0]


def attacks_of_a_newcomer(line: Line, at: int, target: tuple[int, int], context: Context) -> list[str]:
    """The attacks of a foe who is not on the log's list yet: `a wolf bites bo`; none where the rules list no foes."""
    name = quote(words_between(line, int(line.words[0].text.casefold() in ARTICLES), at))
    return [" ".join([verb_name(kind), "new", name, *_whom(line, target, context)]) for kind, _ in _of_foes(context)]


def attack_of_the_foe(line: Line, at: int, target: tuple[int, int], context: Context) -> Line | None:
    """The attack of a foe that the log keeps: `reed lurker hits ash v`; None: it keeps no such foe."""
    for kind, foe in _of_foes(context):
        legal = context.system.proposals(context.state, kind, foe.key, None) or ()
        try:
            title = title_behind_article(line.words, 0, legal)
        except Unclear as error:
            title = None
            names = list(error.candidates) if error.at == at - 1 else []
        else:
            names = [title[0]] if title is not None and title[1] == at else []
        manner = _manner(kind, line.words[at].text.casefold())
        lines = [" ".join([verb_name(kind), quote(name), *_whom(line, target, context), *manner]) for name in names]
        if len(lines) > 1:
            question = f"Which {line.words[at - 1].text}?"
            # what the foe flipped is asked about the one that is chosen
            raise Ambiguous.between(question, (*lines, note_line(line)), 0)
        if lines:
            return tokenize(lines[0])
    return None
