"""Ambiguities of a whole reading: words of its remark that may be values, and names that the log does not list.

A reading that is whole is looked through for words that mean something to the verb: a field, a flag, a value of a field
that is still open, `NAME=VALUE`, `why`, `by`, `after`; and for a name that the log's own list does not hold. Each is a
question with the lines that would mean one thing alone.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType

from msgspec import structs

from cli.line.clause import PLACES, Clause
from cli.line.errors import Ambiguous, Meaning, Misread, Missing, Unclear
from cli.line.named_values import as_flag, by_its_name
from cli.line.reading import How, People, Piece, Reading, Unlisted
from cli.line.search import Result, read
from cli.line.values import number_of, people_at, title_at, title_behind_article
from cli.line.verbs import names_a_turn
from cli.line.vocabulary import (
    ARTICLES,
    BEING,
    COUNTED,
    DYING,
    EARLIER,
    ENDS,
    FOR,
    OF_A_MANNER,
    PRONOUNS,
    SIGNS,
    STOPS,
    WITH,
    singular,
)
from cli.line.words import (
    Line,
    joins,
    quote,
    split_at_joins,
    tokenize,
    with_words,
    words_between,
    words_to_type,
)
from domain.naming import fitting, key_of, listed, nearest, plain_words
from domain.refusal import Invalid
from domain.registry import action_from, tag_of
from domain.system.field_schema import Field, fields_of
from domain.system.options import options_of

#: A word of so few letters is no card's and no item's that stands among others.
SHORT = 4
#: What choosing says that leaves the words alone.
AS_WORDS = "part of the words"


def ambiguity_of(result: Result) -> Ambiguous | None:
    """What has to be asked about a whole reading before it is done; None: it means one thing."""
    clause, reading = result.clause, result.best
    if reading.unlisted is not None:
        return _not_on_the_list(clause, reading, reading.unlisted)
    ways = {piece.how for piece in reading.pieces}
    for about, of_reading in OF_READINGS:
        if not ways.isdisjoint(about) and (ambiguity := of_reading(clause, reading)) is not None:
            return ambiguity
    words = reading.words
    if words is None or clause.grammar.words_alone:
        return None
    if (option := _option_of_a_ruling(clause, reading)) is not None:
        return option
    if all(clause.words[place].quoted for place in range(words.start, words.end)):
        return None
    ambiguities = (of_words(clause, reading, words) for of_words in OF_WORDS)
    return next((ambiguity for ambiguity in ambiguities if ambiguity is not None), None)


def _meaning_among_words(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:
    """The first word of the remark that may be a rule."""
    for place in range(words.start, words.end):
        if not clause.words[place].quoted:
            meanings = list(dict.fromkeys(_meanings(clause, reading, place, words.end)))
            if meanings:
                return among_words(clause.line, place, meanings, (words.start, words.end), _descriptions(clause))
    return None


def _hint_among_words(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:
    """The first word of the remark that hints at a field with a number."""
    for place in range(words.start, words.end):
        if not clause.words[place].quoted and (hinted := _hinted_number(clause, reading, place)) is not None:
            return among_words(clause.line, place, [hinted], (words.start, words.end), _descriptions(clause))
    return None


def _more_behind_a_join(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:  # noqa: ARG001
    """`d brog 4 and falls`, `d brog 4 a trap and he falls`: what is joined to a whole line is no source."""
    for place in range(words.start, words.end):
        if joins(clause.words, place, then=True) and (place == words.start or _tells_more(clause, place, words.end)):
            return among_words(clause.line, place, [(words.end, "")], (words.start, words.end))
    return None


def _descriptions(clause: Clause) -> dict[str, str]:
    """What each field of the verb is, by its key."""
    return {field.key: field.description for field in clause.grammar.fields.values()}


def _tells_more(clause: Clause, place: int, end: int) -> bool:
    """Whether `and` leads to a sentence of its own: `and it dies`, `and is down`."""
    behind = clause.words[place + 1].text.casefold() if place + 1 < end else ""
    return behind in PRONOUNS | BEING | DYING | {"it"}


def _another_of_a_kind(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:
    """`pip shoots ghoul 2 for 3` where Ghoul 1 alone is there: whether 2 is the points, or one who is not there."""
    line, (name, *others) = clause.line, reading.names or ("",)
    piece = next((piece for piece in reading.pieces if piece.how == "name"), None)
    base, _, number = name.rpartition(" ") if name[-1:].isdecimal() else (name, "", "")
    if others or piece is None:
        return None
    second, texts = piece.end, words_to_type(line)
    points = [at for at in range(words.start, words.end) if number_of(line.words[at].text) is not None]
    counted = number_of(line.words[second].text) if second < words.start else None
    leads = points and (line.words[points[0] - 1].text.casefold() == FOR or (bool(number) and points[0] == second + 1))
    if counted is None or not leads or plain_words(words_between(line, piece.start, second))[-1] == number:
        return None
    begins = [*texts[: piece.start], quote(name, always=True)]
    left = [*texts[words.start : points[0] - (points[0] > words.start)], *texts[points[0] + 1 :]]
    lines = [
        " ".join([*begins, texts[points[0]], *left]),
        " ".join([*begins, texts[second], quote(line.rest(words.start, words.end), always=True)]),
    ]
    sentence = f"There is no {base} {counted}. Which do you mean?"
    return Ambiguous(f"{sentence} Say:", sentence, [Meaning(text, text) for text in lines], second)


def _misspelt_person(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:
    """`d pip 2 bramm 3 fire`: whether a word before a number is somebody whose name is misspelt; None: it is not."""
    line, names = clause.line, clause.context.state.characters
    for place in range(words.start, words.end - 1):
        word = line.words[place]
        near = nearest(word.text, names) if word.text.isalpha() and not word.quoted else None
        is_another = near is not None and near not in reading.names and key_of(word.text) not in plain_words(near)
        if near is None or not is_another or number_of(line.words[place + 1].text) is None:
            continue
        corrected_line = with_words(line, place, place + 1, quote(near))
        result = read(clause.context, clause.grammar.verb, tokenize(corrected_line), clause.start)
        if result.whole and near in result.best.names:
            as_words = quote(line.rest(words.start, words.end), always=True)
            lines = [corrected_line, with_words(line, words.start, words.end, as_words)]
            sentence = f"There is no character {word.text!r}; did you mean {near}?"
            return Ambiguous(f"{sentence} Say:", sentence, [Meaning(text, text) for text in lines], place)
    return None


def among_words(
    line: Line,
    place: int,
    meanings: Sequence[tuple[int, str]],
    span: tuple[int, int],
    descriptions: Mapping[str, str] = MappingProxyType({}),
) -> Ambiguous:
    """Whether some of the words are a value, or words like the others; each meaning with where it ends.

    `descriptions` say what each field is.
    """
    word = line.rest(place, meanings[0][0])
    choices = [
        Meaning(
            _in_words(value.removeprefix("--"), descriptions) or "leave it out",
            _line_with_value(line, span, (place, end), value, stays=end == place + 1 and _adds_to(word, value)),
        )
        for end, value in meanings
    ]
    text = quote(line.rest(*span), always=True)
    choices.append(Meaning(AS_WORDS, with_words(line, *span, text)))
    lead = f"{word!r} can be read in more than one way; type one of these:"
    return Ambiguous(lead, f"{word}:", choices, place, explained=True)


def _line_with_value(line: Line, span: tuple[int, int], within: tuple[int, int], value: str, *, stays: bool) -> str:
    """The line with a value in front of the words of a span, and an option of the line behind all.

    The words `within` it that mean the value are left out, unless what they say `stays` true of the rest.
    """
    (start, beyond), (place, end) = span, within
    others = words_to_type(line, start, beyond)
    if not stays:
        begins = _with_what_leads_to_it(line, place, start, is_last=end == beyond)
        del others[begins - start : end - start]
        if others and end == beyond:
            others[-1] = others[-1].rstrip("".join(ENDS))
    if value.startswith("--"):
        return f"{with_words(line, start, beyond, *others)} {value}"
    return with_words(line, start, beyond, value, *others)


def _adds_to(word: str, value: str) -> bool:
    """Whether a value says something else than its word, which stays among the words: `poisoned`, save=yes."""
    name = value.partition("=")[0]
    is_repeated = key_of(word.strip(",.;!")) in key_of(value) or "=" in word
    return not (is_repeated or value.startswith("--") or name in word)


def _with_what_leads_to_it(line: Line, place: int, start: int, *, is_last: bool) -> int:
    """Where a value begins with what only joins it to the words: `and poison`; at their end, `with the armor`."""
    leading = (*WITH, *ARTICLES) if is_last else ()
    while place > start:
        word = line.words[place - 1]
        if not joins(line.words, place - 1) and (word.quoted or word.text.casefold() not in leading):
            break
        place -= 1
    return place


def _in_words(value: str, descriptions: Mapping[str, str]) -> str:
    """`effects=wound` as people say it: what the field is, and its value; what is no value of a field as it is."""
    name, sign, text = value.partition("=")
    # what stands behind a semicolon is about leaving it out
    return f"{descriptions[name].partition(';')[0]}: {text}" if sign and descriptions.get(name) else value


def _meanings(clause: Clause, reading: Reading, place: int, beyond: int) -> Iterator[tuple[int, str]]:
    """What a word may be besides words: up to which place, and as a word of the line that means it alone."""
    word = clause.words[place].text
    name, sign, value = word.partition("=")
    if sign and name and re.fullmatch(r"[\w.-]*[^\W\d_][\w.-]*", name):
        is_field = clause.grammar.field_called(name, whole=True) is not None or clause.settable(name.replace("-", "_"))
        entry = None if is_field else _entry_of_a_map(clause, reading, name, value)
        yield place + 1, entry or (word if is_field and value else "")
        return
    yield from _flags_meant(clause, reading, place)
    try:
        yield from _named_value_meant(clause, reading, place, beyond)
    except Missing:
        raise
    except Misread:
        yield place + 1, ""
        return
    # what is the name of a choice is hardly a part of the name of a card
    yield from sorted(_values(clause, reading, place, beyond), key=lambda meaning: '"' in meaning[1])
    if place + 1 < len(clause.words):
        yield from _meant_with_the_next(clause, reading, place, beyond)
    if word.casefold().rstrip(",.;") in EARLIER and not reading.manner and clause.context.log.last() > 1:
        yield place + 1, f"--before T{clause.context.log.last()}"


def _flags_meant(clause: Clause, reading: Reading, place: int) -> Iterator[tuple[int, str]]:
    """The flags that a word may be: by their names, or hinted at."""
    word = clause.words[place].text
    for way in as_flag(clause, reading, place):
        field = clause.grammar.fields[way.pieces[-1].field]
        flag = way.shared[field.key]
        if flag is not bool(field.default):
            yield way.place, f"{field.key}={'yes' if flag else 'no'}"
    for field in clause.grammar.fields.values():
        if field.kind.shape != "flag":
            continue
        if not reading.is_open(field) and key_of(word) == key_of(field.key):
            yield place + 1, ""  # it is said already, perhaps otherwise
        if reading.is_open(field) and word.casefold().rstrip(",.;!") in field.hinted_by:
            yield place + 1, f"{field.key}={'no' if field.default else 'yes'}"


def _named_value_meant(clause: Clause, reading: Reading, place: int, beyond: int) -> Iterator[tuple[int, str]]:
    """The field of which a word is the name, with its value. Raises Misread for a value that does not fit."""
    word = clause.words[place].text
    try:
        ways = [way for way in by_its_name(clause, reading, place) if way.place > place + 1]
    except Missing:
        remark = clause.grammar.remark
        leads = remark is not None and key_of(clause.words[place - 1].text) == key_of(remark.key)
        if ("_" in word or "-" in word) and not leads:  # `source lose_hand` is a source
            raise
        return  # a word of everyday English with nothing behind it
    if not ways or key_of(word) != ways[0].pieces[-1].field.replace("_", "-").casefold().replace("-", "_"):
        return
    field = clause.grammar.fields[ways[0].pieces[-1].field]
    if clause.tests(reading).is_free(field):
        yield beyond, f"{field.key}={quote(clause.line.rest(place + 1, beyond), always=True)}"
    else:
        yield ways[0].place, f"{field.key}={_inner(clause, place + 1, ways[0].place)}"


def _meant_with_the_next(clause: Clause, reading: Reading, place: int, beyond: int) -> Iterator[tuple[int, str]]:
    """What a word and the next one may be: `strength 2`, `by Jo`, `after T6`."""
    word, following = clause.words[place].text, clause.words[place + 1].text
    if place + 1 < beyond:
        named, number = (word, following) if number_of(word.lstrip("-")) is None else (following, word)
        if len(named) >= SHORT and (entry := _entry_of_a_map(clause, reading, named.rstrip(STOPS), number)) is not None:
            yield place + 2, entry
    if len(word) < SHORT and _is_of_another_verb(clause, word, following):
        yield place + 2, ""
    if word.casefold() == "by" and place + 2 == beyond and "by" not in clause.grammar.fields:
        yield beyond, f"--by {quote(following)}"
    if word.casefold() in PLACES and names_a_turn(following):
        yield place + 2, f"--{word.casefold()} {following}"


def _is_of_another_verb(clause: Clause, name: str, number: str) -> bool:
    """`dc 15` in the words for a wound: whether a short name with a number is a field of another verb."""
    fields = (field for kind in clause.context.system.actions for field in fields_of(kind))
    is_field = any(field.key == name.casefold() and field.kind.shape == "number" for field in fields)
    return is_field and clause.grammar.field_called(name, whole=True) is None and number_of(number) is not None


def _entry_of_a_map(clause: Clause, reading: Reading, name: str, number: str) -> str | None:
    """`strength=2` as a value of the open field that takes such entries; None: no field does."""
    points = number_of(number.lstrip("-"))
    state, kind = clause.context.state, clause.grammar.verb.kind
    for field in clause.grammar.fields.values():
        if field.kind.shape != "map" or field.keyed_by_names or field.under or not reading.is_open(field):
            continue
        entries = clause.context.system.proposals(state, kind, field.key, None) or ()
        if points and any(key_of(entry).startswith(key_of(name)) for entry in entries):
            return f"{field.key}={name}={points}"
    return None


def _hinted_number(clause: Clause, reading: Reading, place: int) -> tuple[int, str] | None:
    """`negate 5`: the value of a field that is no flag, behind a word that hints at it; None: there is no such field.

    Raises Missing for a hint without a number.
    """
    hint = clause.words[place].text.casefold().rstrip(STOPS)
    fields = clause.grammar.fields.values()
    field = next((own for own in fields if hint in own.hinted_by and own.kind.shape != "flag"), None)
    if field is None or not reading.is_open(field):
        return None
    following = clause.words[place + 1 : place + 2]
    if not following or number_of(following[0].text) is None:
        reason = f"{hint!r} needs {field.key}=…: {clause.grammar.takes(field, reading.whose)}"
        raise Missing(f"{reason}; if you mean words, put them in quotes.", (field,), place + 1)
    return place + 2, f"{field.key}={following[0].text}"


def _inner(clause: Clause, start: int, end: int) -> str:
    """Several words as one value."""
    return ",".join(clause.words[place].text.removesuffix(",") for place in range(start, end))


def _values(clause: Clause, reading: Reading, place: int, beyond: int) -> Iterator[tuple[int, str]]:
    """The value of a field that is still open, named in full among the words."""
    fits, whose = clause.tests(reading), reading.whose
    for field in clause.grammar.fields.values():
        several, kind = field.kind.shape == "list", field.one
        # `keep` and `drop` are options of the line, wherever they stand
        told_apart = field.remark or field.names or field.turn or field.key == "conflicts"
        if told_apart or not (reading.is_open(field) or several):
            continue
        if kind.shape == "choice":
            word = key_of(clause.words[place].text.rstrip(",.;"))
            choice = next((name for name in kind.offered_choices if key_of(name) == word), kind.also_said.get(word))
            is_taken = choice is None or _holds(reading, field, choice)
            if not is_taken and _goes_with(clause, reading, field, choice):
                yield place + 1, f"{field.key}={choice}"
        elif (kind.reference or kind.values or kind.shape == "text") and not field.required:
            legal = tuple(map(str, fits.legal(field, whose) or ()))
            title = _title(clause, place, beyond, legal)
            if title is not None and not _holds(reading, field, title[0]):
                yield title[1], f"{field.key}={quote(title[0])}"


def _goes_with(clause: Clause, reading: Reading, field: Field, choice: object) -> bool:
    """Whether a choice could be said beside everything else that the line says: `2 a magic spring` takes days."""
    value = [choice] if field.kind.shape == "list" else choice
    try:
        action_from(clause.context.system.key, {**reading.actions()[-1], field.key: value})
    except Invalid:
        return False
    return True


def _title(clause: Clause, place: int, beyond: int, legal: Sequence[str]) -> tuple[str, int] | None:
    """A card, an item or a summon that is named by a whole word of its name."""
    word = clause.words[place].text.rstrip(",.;")
    short = len(word) < SHORT and key_of(word) not in map(key_of, legal)
    if short or number_of(word) is not None:
        return None
    try:
        title = title_at(clause.words[:beyond], place, legal)
    except Misread:
        return None
    if title is None or not set(plain_words(word)) & set(plain_words(title[0])):
        return None
    return title


def _holds(reading: Reading, field: Field, value: str) -> bool:
    """Whether a list holds a value already."""
    values = reading.value_of(field.key)
    return isinstance(values, list) and value in map(str, values)


def _option_of_a_ruling(clause: Clause, reading: Reading) -> Ambiguous | None:
    """An option of the rules with a value in the words of a ruling that sets none: quoted or not, it is asked about."""
    loose, words = clause.grammar.loose, reading.words
    if loose is None or clause.grammar.who is not None or words is None or loose.key in reading.shared:
        return None
    if loose.key in reading.dropped:
        return None
    line = clause.line
    text = str(reading.shared[words.field])
    options = options_of(clause.context.system.options)
    for name, value in re.findall(r"(?<![\w-])([A-Za-z][\w-]*)=([\w-]+)", text):
        if name.replace("-", "_") not in options:
            continue
        rest = " ".join(text.replace(f"{name}={value}", "").split()) or name.replace("_", " ")
        setting = quote(rest, always=True)
        words_alone = quote(text.replace(f"{name}={value}", f"{name} {value}"), always=True)
        choices = (
            Meaning("the option", f"{with_words(line, words.start, words.end, setting)} {name}={value}"),
            Meaning(AS_WORDS, with_words(line, words.start, words.end, words_alone)),
        )
        lead = f"{name}={value} among the words sets nothing; type one of these:"
        return Ambiguous(lead, f"{name}={value}:", choices, words.start, explained=True)
    return None


def _of_one(clause: Clause, reading: Reading) -> Ambiguous | None:
    """What says which of several counts, where there is only one: how many there are, or it is left out."""
    for field in clause.grammar.fields.values():
        piece = next((piece for piece in reading.pieces if piece.field == field.key and piece.end > piece.start), None)
        if field.of_several is None or piece is None:
            continue
        many, reports = (reading.value_of(key) for key in field.of_several)
        count = many if many is not None else len(reports or ()) or None
        if many is not None and many > 1:
            continue
        line, number = clause.line, field.of_several[0]
        is_option = line.words[piece.start].text.startswith("--")
        if is_option and (count == 1 or reading.value_of(field.key) == field.default):
            continue  # it is said by name, as in JSON: `--cards 1 --keep worst`, `--keep best`
        own = words_between(line, piece.start, piece.end)
        choices = []
        if count is None or (many is None and count > 1):
            how_many = f"{number}={count or 2}"
            choices.append(Meaning(how_many, with_words(line, piece.start, piece.start, how_many)))
        if count is None or count == 1:
            choices.append(Meaning(f"leave {field.key} out", with_words(line, piece.start, piece.end)))
        lead = f"{field.key} says which of several {number} counts; say:"
        return Ambiguous(lead, f"{own}:", choices, piece.start)
    return None


def _dice_behind_several(clause: Clause, reading: Reading) -> Ambiguous | None:
    """`hilda and agnes rest 4 5`: whose dice these are that stand behind several names; None: it is said whose."""
    group, line = reading.groups[-1], clause.line
    nth = next((at for at, name in enumerate(group.faces) if _names_before(group, name)), None)
    if nth is None:
        return None
    whose = list(group.faces)[nth]
    names, dice = [*_names_before(group, whose), whose], group.faces[whose]
    share, left = divmod(len(dice), len(names))
    shares = [] if left else [{name: dice[at * share :][:share] for at, name in enumerate(names)}]
    pieces = [piece for piece in reading.pieces if piece.how in ("name", "dice")]
    rolls = [piece for piece in pieces if piece.how == "dice"]
    start, end = pieces[0].start, pieces[-1].end
    others = [piece for piece in reading.pieces if start < piece.start < end and piece not in pieces]
    before = [words_between(line, piece.start, piece.end) for piece in others if piece.how != "filler"]
    choices = []
    for mine in (*shares, *({name: dice} for name in names)):
        faces = {**{name: own for name, own in group.faces.items() if name not in names}, **mine}
        drawn = [quote(name) for name in group.names if name not in faces]
        rolled = [f"{quote(name)} {''.join(map(str, own))}" for name, own in faces.items()]
        says = listed([f"{name} {' '.join(map(str, own))}" for name, own in mine.items()])
        choices.append(Meaning(says, with_words(line, start, end, *rolled, *drawn, *before)))
    sentence = f"Whose dice are {line.rest(rolls[nth].start, rolls[nth].end)}?"
    return Ambiguous(f"{sentence} Say:", sentence, choices, start, explained=True)


def _names_before(group: People, name: str) -> list[str]:
    """The names without dice directly before one that has some."""
    names = group.names[: group.names.index(name)]
    return list(takewhile(lambda other: other not in group.faces, reversed(names)))[::-1]


def _within_a_name(clause: Clause, reading: Reading) -> Ambiguous | None:
    """`enrol Sparks spellweaver jo`: a class that ended within a new name, before a word that is no class."""
    pieces = {piece.field: piece for piece in reading.pieces if piece.how == "value"}
    order, line = clause.grammar.order, clause.line
    name = next((pieces.get(field.key) for field in order if field.names == "new character"), None)
    if name is None or line.words[name.start].quoted:
        return None
    for field in order:
        names = clause.tests(reading).legal(field, None) if field.key in pieces and field.required else None
        if not names or key_of(str(reading.value_of(field.key))) in map(key_of, names):
            continue
        if not any(title_at(line.words, at, names) for at in range(name.start + 1, name.end)):
            continue
        start, end = pieces[field.key].start, pieces[field.key].end
        words = words_to_type(line)
        text = line.rest(start, end)
        choices = [
            Meaning(f"{other.key} {text}", " ".join([*words[:start], other.key, *words[start:]]))
            for other in clause.grammar.fields.values()
            if other.kind.shape == "text" and reading.is_open(other)
        ]
        sentence = f"There is no {field.key} {text!r}."
        return Ambiguous(f"{sentence} Say:" if choices else sentence, sentence, choices, start)
    return None


def _within_a_thing(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:
    """A signed number among the words for a thing, or several things in one: the lines that are right."""
    remark, line = clause.grammar.remark, clause.line
    if remark is None or not remark.thing:
        return None
    texts = words_to_type(line)
    for place in (at for at in range(words.start, words.end) if not clause.words[at].quoted):
        text = clause.words[place].text
        if text[0] in SIGNS and number_of(text.replace("−", "-")) is not None:
            without = " ".join([*texts[:place], *texts[place + 1 :]])
            sentence = f"{text} is not part of a name."
            return Ambiguous(f"{sentence} Say:", sentence, [Meaning(without, without)], place)
        if text.casefold().rstrip(STOPS) in COUNTED and clause.words[place - 1].text.casefold() == FOR:
            from cli.line.speech import in_plain_words  # hardly any name has a number in words

            plain = in_plain_words(line) or line
            sentence = f"{line.rest(place - 1, place + 1)} is not part of a name."
            return Ambiguous(f"{sentence} Say:", sentence, [Meaning(plain.text, plain.text)], place)
    if (used := _used_with_it(clause, reading, words, texts)) is not None:
        return used
    lines = _of_each_thing(clause, reading, words, texts)
    following = clause.words[words.end].text if words.end < len(clause.words) else ""
    if joins(clause.words, words.end - 1) and number_of(following) is not None:
        # `archers 2 and 3`: the number behind `and` is one more of them, and no value
        both = _things(clause, structs.replace(words, end=words.end + 1), texts)
        behind = texts[words.end + 1 :]
        names = (quote(" ".join([*map(singular, thing[:-1]), thing[-1]]), always=True) for thing in both)
        lines = [" ".join([*texts[: words.start], name, *behind]) for name in names]
    if len(lines) < 2:
        return None
    sentence = f"Each {remark.key} is a line of its own: which comes first?"
    return Ambiguous(f"{sentence} Say:", sentence, [Meaning(text, text) for text in lines], words.start)


def _used_with_it(clause: Clause, reading: Reading, words: Piece, texts: Sequence[str]) -> Ambiguous | None:
    """`a guard 3 with a sword`: what stands behind the points of a blow is hardly part of a name; None: nothing does.

    What whoever strikes owns is none, and has a line of its own.
    """
    bare = (clause.words[at].text.casefold() for at in range(words.start + 1, words.end - 1))
    place = next((at for at, word in enumerate(bare, words.start + 1) if word in WITH), None)
    if place is None:
        return None
    is_owned = _is_owned(clause, reading, place + 1, words.end)
    before = (number_of(clause.words[at].text) for at in range(clause.start, place))
    if not is_owned and (words.end < len(texts) or all(number is None for number in before)):
        return None
    without, name = " ".join(texts[:place]), quote(" ".join(texts[words.start : words.end]), always=True)
    whole = " ".join([*texts[: words.start], name, *texts[words.end :]])
    used = repr(" ".join(texts[place : words.end]))
    owned, otherwise = (
        f"{used} is no part of a name: what is used is a line of its own.",
        f"Is {used} part of the name?",
    )
    sentence = owned if is_owned else otherwise
    return Ambiguous(f"{sentence} Say:", sentence, [Meaning(text, text) for text in (without, whole)], place)


def _is_owned(clause: Clause, reading: Reading, begin: int, end: int) -> bool:
    """Whether words up to a place name something that whoever acts can use now."""
    system, state = clause.context.system, clause.context.state
    for kind in system.actions:
        needs = [field for field in fields_of(kind) if field.required and not field.names]
        if len(needs) != 1 or not needs[0].kind.reference or reading.whose is None:
            continue
        try:
            fit = title_at(clause.words, begin, system.proposals(state, kind, needs[0].key, reading.whose) or ())
        except Unclear:
            continue
        if fit is not None and fit[1] == end:
            return True
    return False


def _of_each_thing(clause: Clause, reading: Reading, words: Piece, texts: Sequence[str]) -> list[str]:
    """The line of each of the things that the words name, with what holds for all of them: `guard 1 and archer for 3`.

    A number at the end of each is its own, where none stands before them and none is said to be `for` them.
    """
    things = _things(clause, words, texts)
    numbers = any(word.isdecimal() for thing in things for word in thing)
    leads = next((piece for piece in reading.pieces if piece.start == words.end and piece.how == "filler"), None)
    before, behind = texts[: words.start], texts[words.end if leads is None else leads.end :]
    others = [piece for piece in reading.pieces if piece.end <= words.start and piece.how not in ("name", "filler")]
    again = [texts[at] for piece in others for at in range(piece.start, piece.end)]
    verb = [clause.grammar.name, *map(quote, reading.names)]
    for_all = not numbers or leads is not None
    lines = []
    for place, thing in enumerate(things):
        first = before if not place else verb if FOR in thing[:-1] else [*verb, *again]
        name = [word for word in thing if word != FOR]
        lines.append(" ".join([*first, *name, *(behind if for_all or place == len(things) - 1 else ())]))
    return lines


def _things(clause: Clause, words: Piece, texts: Sequence[str]) -> list[list[str]]:
    """The words for each thing, as `and`, `then` and commas part them; a number alone is one more of those before."""
    things = (
        [texts[at] if clause.words[at].quoted else texts[at].rstrip(",") for at in places]
        for places in split_at_joins(clause.words, words.start, words.end)
    )
    names: list[list[str]] = []
    for thing in things:
        kind = [word for word in names[-1] if not word.isdecimal()] if names and thing[0].isdecimal() else []
        names.append([*kind, *thing])
    return names


def _beside_another(clause: Clause, reading: Reading) -> Ambiguous | None:
    """`foe reed 3` beside Reed lurker: one more of a short name, or the one who is there.

    In quotes, or behind the name of its field, which a shell leaves as it is, a name is meant as it stands.
    """
    context, grammar = clause.context, clause.grammar
    first = grammar.order[0].key if grammar.order else None
    piece = next((piece for piece in reading.pieces if piece.field == first), None)
    if piece is None or piece.how != "value":
        return None
    # the field that takes a name of the list to which this verb adds
    tag = tag_of(grammar.verb.kind)
    listed_in = ((kind, field) for kind in context.system.actions for field in fields_of(kind) if field.added_by == tag)
    if (first_listing := next(listed_in, None)) is None:
        return None
    kind, field = first_listing
    flags = [other.key for other in clause.grammar.fields.values() if other.kind.shape == "flag"]
    name = str(reading.value_of(piece.field))
    names = context.system.proposals(context.state, kind, field.key, None) or ()
    near = [other for other in fitting(name, names) if key_of(other) != key_of(name)]
    quoted_already = any(clause.words[at].quoted for at in range(piece.start, piece.end))
    if not near or quoted_already or any(map(reading.value_of, flags)):
        return None  # who is said to be gone is one of those that are there
    meanings = [(f"a new one, {name}", name), *((f"{other} again", other) for other in near)]
    choices = [
        Meaning(says, with_words(clause.line, piece.start, piece.end, f"{piece.field}={quote(meant)}"))
        for says, meant in meanings
    ]
    sentence = f"{listed(near)} {'is' if len(near) == 1 else 'are'} there already."
    return Ambiguous(f"{sentence} Say:", sentence, choices, piece.start)


def _not_on_the_list(clause: Clause, reading: Reading, unlisted: Unlisted) -> Ambiguous:
    """Somebody whom the log's own list does not hold: one more, or one of those there are."""
    line = clause.line
    names = clause.tests(reading).legal(clause.grammar.fields[unlisted.field], reading.whose) or ()
    if (several := _with_several(clause, unlisted, names)) is not None:
        return several

    def line_with(*words: str) -> str:
        return with_words(line, unlisted.start, unlisted.end, *words)

    choices = [Meaning("add one", line_with("new", quote(unlisted.name)))]
    sentence = f"There is no {unlisted.field.replace('_', ' ')} called {unlisted.name}"
    places = range(unlisted.start + 1, unlisted.end)
    end = next((at for at in places if line.words[at].text.casefold() in OF_A_MANNER), unlisted.end)
    without = ""
    if end < unlisted.end:
        rest = line.rest(end, unlisted.end).rstrip(",")
        without = f", without {rest!r}"
        sentence = f"{sentence}; {clause.grammar.name} cannot take {rest!r}"
        choices = [Meaning(f"add one{without}", line_with("new", quote(line.rest(unlisted.start, end)))), *choices]
        title = title_behind_article(line.words[:end], unlisted.start, names)
        names = [title[0]] if title is not None and title[1] == end else names
    there = [Meaning(f"{name}{without}", line_with(quote(name))) for name in names]
    is_slip = nearest(" ".join(word for word in unlisted.name.split() if word.casefold() not in ARTICLES), names)
    choices = [*there, choices[-1]] if is_slip or (len(names) == 1 and without) else [*choices, *there]
    sentence = f"{sentence}."
    return Ambiguous(f"{sentence} Say:", sentence, choices, unlisted.start)


def _with_several(clause: Clause, unlisted: Unlisted, names_there: Sequence[str]) -> Ambiguous | None:
    """`fa wraith mirko and hilda vv`: one of the list, and several people in a row, each of whom it is done to."""
    line, context = clause.line, clause.context
    title = title_behind_article(line.words[: unlisted.end], unlisted.start, names_there)
    if title is None or title[1] >= unlisted.end:
        return None
    names: list[str] = []
    here = title[1]
    while here < len(line.words) and (people := people_at(line.words, here, context)) is not None:
        names += people[0]
        here = people[1] + joins(line.words, people[1])
    if len(names) < 2 or here < unlisted.end:
        return None
    text = with_words(line, unlisted.start, here, quote(title[0]), quote(",".join(names)))
    sentence = f"{title[0]}, and {listed(names)}?"
    return Ambiguous(f"{sentence} Say:", sentence, (Meaning(text, text),), unlisted.start)


# -- the tables --------------------------------------------------------------------------------------------------------

#: What may be asked about a reading, in this order: how the words are understood of which it is, and the test.
OF_READINGS: tuple[tuple[Sequence[How], Callable[[Clause, Reading], Ambiguous | None]], ...] = (
    (("value", "named", "option", "flag"), _of_one),
    (("dice",), _dice_behind_several),
    (("value",), _beside_another),
    (("value",), _within_a_name),
)
#: What may be asked about its remark, unless all of that is quoted.
OF_WORDS = (
    _within_a_thing,
    _another_of_a_kind,
    _misspelt_person,
    _meaning_among_words,
    _hint_among_words,
    _more_behind_a_join,
)
