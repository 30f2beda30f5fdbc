"""Why a line cannot be read, in a sentence that says what to type: looked for in the reading that came nearest."""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from cli.line.ambiguities import ambiguity_of
from cli.line.attacks import attack_behind_the_verb
from cli.line.clause import FREE, Clause
from cli.line.errors import Ambiguous, Meaning, Misread, Missing, NoField, Unclear
from cli.line.leftover import is_number, is_one_more
from cli.line.offering import WHICH, nearest_lines
from cli.line.people import beginnings
from cli.line.phrase import LinePhrase
from cli.line.reading import Reading
from cli.line.search import Result, continuations, read
from cli.line.values import Context, number_of, people_at, without_number
from cli.line.verbs import Verb
from cli.line.vocabulary import JOINS, LOSING, OF_A_MANNER, SIGNS, STOPS
from cli.line.words import quote, tokenize, words_to_type
from domain.choice import Choice
from domain.naming import called, did_you_mean, find_name, key_of, nearest, not_their_turn, short_for, somebody
from domain.refusal import Invalid, Refusal, Unknown
from domain.registry import verb_name
from domain.system.drafts import legal_values
from domain.system.field_schema import Field
from domain.system.pending import choices_in
from domain.system.rulesystem import RuleSystem
from domain.system.type_descriptions import either
from domain.turn import Action

#: So many examples of a value are tried where one is missing.
MOST_EXAMPLES = 3


def diagnosis(phrase: LinePhrase) -> Misread:
    """What is wrong with a line of which no reading is whole. Raises Refusal for somebody who is not there."""
    assert phrase.result is not None
    return error_of(phrase.result)


def error_of(result: Result) -> Misread:
    """What is wrong with a line of which no reading is whole. Raises Refusal for somebody who is not there."""
    error = result.best.fault or _dead_end(result.clause, result.best)
    _miss_somebody(result, error)
    clause = result.clause
    for name in result.best.names:
        refuse_out_of_turn(clause.context, clause.grammar.verb.kind, name)
    return _of_the_unnumbered(result, error) or _either_way(clause, error) or error


def refuse_out_of_turn(context: Context, kind: type[Action], name: str) -> None:
    """Raise Refusal where it is not somebody's turn, and an action is done in one's own alone.

    Where nobody's is open it says what comes first.
    """
    system, state = context.system, context.state
    turn = system.whose_turn(state)
    if not kind.in_turn or turn == name:
        return
    pending = (system.pending_for(state, name) or system.pending_for_table(state)) if turn is None else ()
    raise Refusal(kind.in_turn, not_their_turn(name, turn), choices_in(pending))


def _of_the_unnumbered(result: Result, error: Misread) -> Misread | None:
    """`d goblin 2`, where Goblin is there beside Goblin 2: the line of Goblin, who loses 2; None: it is none such."""
    clause, reading = result.clause, result.best
    piece = next((piece for piece in reversed(reading.pieces) if piece.how == "name"), None)
    if not isinstance(error, Missing) or [field.kind.shape for field in error.fields] != ["number"]:
        return None
    if piece is None or piece.end - piece.start < 2 or not reading.names:
        return None
    bare = without_number(reading.names[-1], tuple(clause.context.state.characters))
    if bare is None:
        return None
    words = words_to_type(clause.line)
    # by its name, as a shell takes quotes off
    value = f"{error.fields[0].key}={words[piece.end - 1]}"
    first = [*words[: piece.start], quote(bare), value, *words[piece.end :]]
    meanings = [Meaning(line, line) for line in _if_understood(clause, first)]
    name = f"{reading.names[-1]} or {bare}"
    return Ambiguous(f"{error} Or say:", f"Is it {name}?", meanings, piece.start) if meanings else None


def _either_way(clause: Clause, error: Misread) -> Misread | None:
    """`attack wolf lark`, where Lark alone can attack so: her attack, or that of the foe; None: it is neither."""
    if not isinstance(error, Missing) or error.fields[:1] != (clause.grammar.who,) or not error.like:
        return None
    try:
        attack = attack_behind_the_verb(clause.line, clause.start, clause.context)
    except (Invalid, Refusal):
        return None
    meanings = [Meaning(line, line) for line in (*error.like[:1], *([attack.text] if attack is not None else []))]
    return Ambiguous("Who attacks? Say:", "Who attacks?", meanings, clause.start) if attack is not None else None


def _dead_end(clause: Clause, reading: Reading) -> Misread:
    """What is wrong where nothing fits any more, or where the line ends too early."""
    grammar, here = clause.grammar, reading.place
    if here >= len(clause.words):
        words, missing = reading.words, reading.missing()
        if words is not None and (asked := _with_each_choice(clause, reading, missing, words.start)) is not None:
            return asked
        return error_of_missing(clause, reading, missing, None if words is None else words.start)
    if name := clause.option_named(here):
        advice = did_you_mean(name, list(grammar.fields), otherwise="it has none.")
        return NoField(f"{grammar.name} has no field {name!r}; {advice}", name, here)
    missing = [field for field in reading.missing() if field not in (grammar.who, grammar.remark, grammar.loose)]
    if missing and not _are_no_words(clause, here):
        return (
            _without_manner(clause, reading, missing, here)
            or _with_each_choice(clause, reading, missing, here)
            or error_of_missing(clause, reading, missing, here)
        )
    if (without := _without_words_between(clause, here)) is not None:
        return without
    if (which := _which_number(clause, reading, here)) is not None:
        return which
    if lines := [*_without_joins(clause, here), *_by_its_field(clause, reading, here)]:
        return nearest_lines(clause.context, WHICH, lines)
    word = clause.words[here].text
    return Misread(f"{word!r} does not fit here; {_what_has_a_place(clause, reading, word, here)}", here)


def _which_number(clause: Clause, reading: Reading, here: int) -> Ambiguous | None:
    """`d brog 1 and 4`: the line with each of several numbers where the verb takes one; None: it is not so."""
    words, pieces = clause.words, [piece for piece in reading.pieces if piece.how != "filler"]
    if not pieces:
        return None
    before = pieces[-1]
    here = before.end
    if before.how != "value" or before.end - before.start > 1 or not is_number(words[before.start]):
        return None
    places, end = [before.start], here
    while end < len(words) and (is_number(words[end]) or is_one_more(words[end:])):
        end += not is_number(words[end])
        places.append(end)
        end += 1
    texts = words_to_type(clause.line)
    numbers = [texts[place].rstrip(STOPS) for place in places]
    lines = [
        line
        for number in dict.fromkeys(numbers)
        for line in _if_understood(clause, [*texts[: before.start], number, *texts[end:]])
    ]
    if end == here or not lines:
        return None
    dice = clause.grammar.fields[before.field].dice
    together = _if_understood(clause, [*texts[: before.start], *numbers, *texts[end:]]) if dice else []
    lines = [] if together else lines
    expected_lines = together or _awaited_with(clause, reading, [*numbers, *texts[end:]])
    sentence = "Which do you mean?" if expected_lines else f"Which is it, {either(numbers)}?"
    return Ambiguous(f"{sentence} Say:", sentence, [Meaning(line, line) for line in (*expected_lines, *lines)], here)


def _without_joins(clause: Clause, here: int) -> list[str]:
    """`sr brann, loses trample`: the line without what only leads to its values; none where that is not all."""
    words = words_to_type(clause.line)
    left = [text for text in words[here:] if text.casefold() not in (*LOSING, *JOINS)]
    return _if_understood(clause, [*words[:here], *left]) if 0 < len(left) < len(words) - here else []


def _by_its_field(clause: Clause, reading: Reading, here: int) -> list[str]:
    """`perk brann -1 -1`: the line with the changes that are left as the value of each list that it may still take."""
    last, start = reading.pieces[-1], here
    fields = [field for field in clause.grammar.fields.values() if reading.is_open(field)]
    if last.how == "named" and last.field in clause.grammar.fields:
        fields, start = [clause.grammar.fields[last.field]], last.end - 1  # `remove -1 -1`
    words = words_to_type(clause.line)
    changes = [text.strip(STOPS) for text in words[start:] if text.casefold() not in JOINS]
    if any(text[:1] not in SIGNS or number_of(text) is None for text in changes):
        return []
    value, before = ",".join(changes), words[: last.start if start < here else here]
    fields = [field for field in fields if not field.required and field.kind.shape == "list"]
    lines = [line for field in fields for line in _if_understood(clause, [*before, f"{field.key}={value}"])]
    return lines[::-1] if value[:1] in SIGNS - {"+"} else lines  # what has a minus is hardly added


def _awaited_with(clause: Clause, reading: Reading, behind: Sequence[str]) -> list[str]:
    """The lines of what the rules wait for from the one whom a line names, which take these words: two cards."""
    context, lines = clause.context, list[str]()
    for name in reading.names[:1]:
        pending = context.system.pending_for(context.state, name)
        for kind in dict.fromkeys(choice.action for choice in choices_in(pending)):
            line = tokenize(" ".join([verb_name(kind), quote(name), *behind]))
            result = read(context, Verb(verb_name(kind), kind), line, len(verb_name(kind).split()))
            lines += [line.text] if result.whole and result.best.words is None else []
    return lines


def _without_manner(clause: Clause, reading: Reading, missing: list[Field], here: int) -> Ambiguous | None:
    """`monk hits ash with his hammer`: the line with each choice in the place of how it is done; None: no such line.

    A choice that stands among those words is the only one.
    """
    choices = missing[0].kind.offered_choices
    words = [word.text.casefold().strip(",.") for word in clause.words[here:]]
    if words[0] not in OF_A_MANNER or len(missing) > 1:
        return None
    words_before = words_to_type(clause.line, 0, here)
    values = [choice for choice in choices if choice in words] or choices
    lines = [line for value in values for line in _if_understood(clause, [*words_before, value])]
    needs = error_of_missing(clause, reading, missing, None).whole
    return Ambiguous(f"{needs} Say:", needs, [Meaning(line, line) for line in lines], here) if lines else None


def _with_each_choice(clause: Clause, reading: Reading, missing: list[Field], here: int) -> Ambiguous | None:
    """`lark takes a breather behind a rock`: the line with each choice before its words; None: no such line."""
    context, (field, *others) = clause.context, missing
    is_word = here + 1 == len(clause.words)  # which may be meant as the choice
    if (
        field.kind.shape != "choice"
        or others
        or is_word
        or nearest(clause.words[here].text, field.kind.offered_choices)
    ):
        return None
    values = legal_values(context.system, context.state, clause.grammar.verb.kind, field, reading.whose)
    texts = words_to_type(clause.line)
    lines = [line for value in values for line in _if_understood(clause, [*texts[:here], value, *texts[here:]])]
    needs = error_of_missing(clause, reading, missing, None).whole
    return Ambiguous(f"{needs} Say:", needs, [Meaning(line, line) for line in lines], here) if lines else None


def _without_words_between(clause: Clause, here: int) -> Ambiguous | None:
    """`bruna hits bandit 1 with her axe, v`: the line without how it is done; None: nothing fits behind that either."""
    texts = words_to_type(clause.line)
    if texts[here].casefold() not in OF_A_MANNER:
        return None
    for end in range(here + 2, len(texts)):
        for line in _if_understood(clause, [*texts[:here], *texts[end:]]):
            left = clause.line.rest(here, end).rstrip(STOPS)
            sentence = f"{clause.grammar.name} cannot take {left!r}."
            return Ambiguous(f"{sentence} Say:", sentence, [Meaning(line, line)], here)
    return None


def _are_no_words(clause: Clause, here: int) -> bool:
    words = clause.words[here:]
    return (
        clause.grammar.remark is not None and not words[0].quoted and re.match("-[A-Za-z]", words[0].text) is not None
    )


def error_of_missing(clause: Clause, reading: Reading, missing: list[Field], place: int | None) -> Missing:
    """What the line does not say, and the word that stands in its place."""
    grammar, context = clause.grammar, clause.context
    field = missing[0]
    # the name of what takes FIELD=VALUE is typed by nobody
    needs = [
        f"{'' if lack is grammar.loose else f'{lack.key}: '}{grammar.takes(lack, reading.whose, missing=True)}"
        for lack in missing
    ]
    sentence, further = f"{grammar.name} needs {needs[0]}", needs[1:]
    legal = legal_values(context.system, context.state, grammar.verb.kind, field, reading.whose)
    if place is None or field is grammar.remark:
        who = grammar.who
        values = {who.key: reading.whose} if who is not None and reading.whose is not None else {}
        way = Choice(grammar.verb.kind, values, tuple(other.key for other in missing))
        whole = "; and ".join([sentence, *further])
        like = _whole_lines(clause, reading, missing)
        return Missing(f"{whole}.", missing, len(clause.words), legal, of=way, like=like)
    word = clause.words[place].text
    advice = _before_the_words(clause, field, place)
    like = _as_meant(clause, field, place) if not advice else []
    if field.kind.shape == "number" and not (legal or field.kind.letter):
        whole = "whole " if any(map(str.isdigit, word)) else ""
        return Missing(f"{sentence}; {word!r} is not a {whole}number{advice}.", missing, place, legal, word, like=like)
    return Missing(f"{sentence}, not {word!r}{advice}.", missing, place, legal, word, like=like)


def _as_meant(clause: Clause, field: Field, place: int) -> list[str]:
    """The line with the choice that was nearly typed; none where nothing is near, or more is wrong."""
    choice = nearest(clause.words[place].text, field.kind.offered_choices)
    line = clause.line
    words = words_to_type(line)
    return [] if choice is None else _if_understood(clause, [*words[:place], choice, *words[place + 1 :]])


def _if_understood(clause: Clause, words: Sequence[str], *, doubted: bool = False) -> list[str]:
    """The line of these words, if it is understood; with `doubted` the first meaning of one that is asked about."""
    line = " ".join(words)
    result = read(clause.context, clause.grammar.verb, tokenize(line), clause.start)
    unclear = ambiguity_of(result) if result.whole else None
    if unclear is None:
        return [line] if result.whole else []
    return [choice.line for choice in unclear.choices[:1]] if doubted else []


def _whole_lines(clause: Clause, reading: Reading, missing: list[Field]) -> list[str]:
    """The line with an example of each thing that is missing, and other examples of the last; none where that fails."""
    grammar, context = clause.grammar, clause.context
    if missing[0].names == "character" and missing[0] is next(iter(grammar.fields.values())):
        reordered = _somebody_first(clause)
        if reordered:
            return reordered
    first: list[str] = []
    last: list[str] = []
    examples: list[str] = []
    for field in missing:
        legal = legal_values(context.system, context.state, grammar.verb.kind, field, reading.whose)
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
        lines += _if_understood(clause, [*texts[: clause.start], *map(quote, first), *texts[clause.start :], *behind])
    return lines


def _somebody_first(clause: Clause, *, doubted: bool = False) -> list[str]:
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
            return _if_understood(clause, reordered, doubted=doubted)
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


def _without_words(clause: Clause, here: int) -> str:
    """The line up to here and a note with its words, of a loss that has no place for what did it; else ""."""
    words = words_to_type(clause.line, 0, here)
    is_loss = clause.grammar.remark is None and clause.grammar.verb.kind.sign
    lines = _if_understood(clause, words) if is_loss else []
    text = clause.line.rest(here, len(clause.words)).rstrip(".")
    return "".join(f"say {line}, and record what caused it as a note: note {text}." for line in lines)


def _what_has_a_place(clause: Clause, reading: Reading, word: str, here: int) -> str:
    """What may still be said, for whoever said something else."""
    grammar = clause.grammar
    is_word = number_of(word) is None and "=" not in word and not clause.option_named(here)
    if is_word and (apart := _without_words(clause, here)):
        return apart
    name = word.partition("=")[0].removeprefix("--").casefold()
    near = [field.key for field in grammar.fields.values() if reading.is_open(field) and name in field.key.split("_")]
    keys = [
        field.key
        for field in grammar.fields.values()
        if reading.is_open(field) and field.kind.shape == "choice" and name in map(key_of, field.kind.offered_choices)
    ]
    if len(keys) == 1:
        return f"write it as {keys[0]}={name}."
    if near == [name]:
        return f"write it as {name}=…."
    if len(near) == 1:
        return f"did you mean {near[0]}?"
    line, takes_dice = clause.line, grammar.faces is not None and grammar.faces.key not in reading.shared
    if not takes_dice or word.casefold() in OF_A_MANNER:
        for beginning in _if_understood(clause, words_to_type(line, 0, here)):
            return f"say {beginning.rstrip(STOPS)}, without {line.rest(here, len(line.words))!r}."
    help_line = f"help {grammar.name} says what else it takes."
    if takes_dice:
        return f"dice go behind a name ({called(somebody(clause.context.state.characters))} 545), and {help_line}"
    if any(field is not grammar.who and reading.is_open(field) for field in grammar.fields.values()):
        return help_line
    return f"{grammar.name} takes nothing more."


def _miss_somebody(result: Result, error: Misread) -> None:
    """Raise Refusal if a line fails because its first word is the name of nobody."""
    clause, reading = result.clause, result.best
    grammar, start = clause.grammar, clause.start
    if grammar.who is None or start >= len(clause.words) or (error.at == start and isinstance(error, Unclear)):
        return
    word, context = clause.words[start], clause.context
    names = context.state.characters
    try:
        names_somebody = people_at(clause.words, start, context) is not None
    except Unclear:
        return
    first = beginnings(clause)[0]
    ways = [way for way in continuations(clause, first, start) if way.fault is None and way.cost < first.cost + FREE]
    is_no_name = not word.quoted and ("=" in word.text or word.text[0] in SIGNS)
    if names_somebody or ways or is_no_name:
        return  # nobody is called so: who it is about is left out
    left_out = reading.left_out
    if left_out is None and nearest(word.text, names) is None and _goes_by_turns(context.system, names):
        raise Refusal(
            None,
            f"Nobody's turn is open, and {word.text!r} is not a character; say whose: {either(names)}.",
            choices_in(context.system.pending_for_table(context.state)),
        )
    if left_out is None or nearest(word.text, names) or _is_whole_with_somebody(clause):
        try:
            find_name(word.text, names)
        except Unknown as error:
            for line in _somebody_first(clause, doubted=True):
                raise Unknown(error.kind, error.sought, f"{error.reason} Like: {line}") from None
            raise


def _is_whole_with_somebody(clause: Clause) -> bool:
    """Whether nothing is wrong with a line but its first word: somebody in its place, and all is understood."""
    words, start = clause.words, clause.start
    somebody_there = replace(words[start], text=somebody(clause.context.state.characters), quoted=True)
    line = replace(clause.line, words=(*words[:start], somebody_there, *words[start + 1 :]))
    try:
        return read(clause.context, clause.grammar.verb, line, start).whole
    except (Invalid, Refusal):
        return False


def _goes_by_turns(system: RuleSystem, characters: object) -> bool:
    """Whether the one it is about may be left out under these rules, while a turn is open."""
    return bool(characters) and type(system).whose_turn is not RuleSystem.whose_turn
