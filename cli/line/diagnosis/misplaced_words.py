"""Words that have no place where they stand: the lines without them, or with them elsewhere, that can be read."""

from collections.abc import Sequence

from cli.line.clause import Clause
from cli.line.errors import Ambiguous, Misread
from cli.line.offers import WHICH, line_if_read, nearest_lines
from cli.line.reading import Reading
from cli.line.remarks import is_number, is_one_more
from cli.line.search import read_from_verb
from cli.line.values import number_of
from cli.line.verbs import Verb
from cli.line.vocabulary import JOINS, LOSING, MANNER_WORDS, SIGNS, STOPS
from cli.line.words import quote, tokenize, words_to_type
from domain.naming import called, key_of, somebody
from domain.registry import verb_name
from domain.system.pending import choices_in
from domain.system.type_descriptions import either


def misplaced_words(clause: Clause, reading: Reading, here: int) -> Misread:
    """What is wrong with the words from a place on, of a line that lacks nothing."""
    if (unclear := _without_words_between(clause, here) or _which_number(clause, reading)) is not None:
        return unclear
    if lines := [*_without_joins(clause, here), *_by_its_field(clause, reading, here)]:
        return nearest_lines(clause.context, WHICH, lines)
    word = clause.words[here].text
    return Misread(f"{word!r} does not fit here; {_what_has_a_place(clause, reading, word, here)}", here)


def _without_words_between(clause: Clause, here: int) -> Ambiguous | None:
    """`bruna hits bandit 1 with her axe, v`: the line without how it is done; None: nothing fits behind that either."""
    texts = words_to_type(clause.line)
    if texts[here].casefold() not in MANNER_WORDS:
        return None
    for end in range(here + 2, len(texts)):
        for line in line_if_read(clause, [*texts[:here], *texts[end:]]):
            left = clause.line.rest(here, end).rstrip(STOPS)
            return Ambiguous.between(f"{clause.grammar.name} cannot take {left!r}.", [line], here)
    return None


def _which_number(clause: Clause, reading: Reading) -> Ambiguous | None:
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
        for line in line_if_read(clause, [*texts[: before.start], number, *texts[end:]])
    ]
    if end == here or not lines:
        return None
    dice = clause.grammar.fields[before.field].dice
    together = line_if_read(clause, [*texts[: before.start], *numbers, *texts[end:]]) if dice else []
    lines = [] if together else lines
    expected_lines = together or _awaited_with(clause, reading, [*numbers, *texts[end:]])
    sentence = "Which do you mean?" if expected_lines else f"Which is it, {either(numbers)}?"
    return Ambiguous.between(sentence, (*expected_lines, *lines), here)


def _awaited_with(clause: Clause, reading: Reading, behind: Sequence[str]) -> list[str]:
    """The lines of what the rules wait for from the one whom a line names, which take these words: two cards."""
    context, lines = clause.context, list[str]()
    for name in reading.names[:1]:
        pending = context.system.pending_for(context.state, name)
        for kind in dict.fromkeys(choice.action for choice in choices_in(pending)):
            line = tokenize(" ".join([verb_name(kind), quote(name), *behind]))
            result = read_from_verb(context, Verb(verb_name(kind), kind), line)
            lines += [line.text] if result.whole and result.best.words is None else []
    return lines


def _without_joins(clause: Clause, here: int) -> list[str]:
    """`sr brann, loses trample`: the line without what only leads to its values; none where that is not all."""
    words = words_to_type(clause.line)
    left = [text for text in words[here:] if text.casefold() not in (*LOSING, *JOINS)]
    return line_if_read(clause, [*words[:here], *left]) if 0 < len(left) < len(words) - here else []


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
    lines = [line for field in fields for line in line_if_read(clause, [*before, f"{field.key}={value}"])]
    return lines[::-1] if value[:1] in SIGNS - {"+"} else lines  # what has a minus is hardly added


def _what_has_a_place(clause: Clause, reading: Reading, word: str, here: int) -> str:
    """What may still be said, for whoever said something else."""
    grammar = clause.grammar
    is_word = number_of(word) is None and "=" not in word and not clause.option_named(here)
    if is_word and (as_note := _cause_as_a_note(clause, here)):
        return as_note
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
    if not takes_dice or word.casefold() in MANNER_WORDS:
        for beginning in line_if_read(clause, words_to_type(line, 0, here)):
            return f"say {beginning.rstrip(STOPS)}, without {line.rest(here, len(line.words))!r}."
    help_line = f"help {grammar.name} says what else it takes."
    if takes_dice:
        return f"dice go behind a name ({called(somebody(clause.context.state.characters))} 545), and {help_line}"
    if any(field is not grammar.who and reading.is_open(field) for field in grammar.fields.values()):
        return help_line
    return f"{grammar.name} takes nothing more."


def _cause_as_a_note(clause: Clause, here: int) -> str:
    """The line up to here and a note with its words, of a loss that has no place for what did it; else ""."""
    words = words_to_type(clause.line, 0, here)
    is_loss = clause.grammar.remark is None and clause.grammar.verb.kind.number_sign
    lines = line_if_read(clause, words) if is_loss else []
    text = clause.line.rest(here, len(clause.words)).rstrip(".")
    return "".join(f"say {line}, and record what caused it as a note: note {text}." for line in lines)
