"""Words of a remark that may be values: what is asked where `d brann 3 a guard poison` may mean the condition.

The remark takes every word that nothing else takes. A word of it that is a field, a flag, a value of a field that is
still open, `NAME=VALUE`, `by` or `after` is asked about, with the line of each meaning.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from cli.line.clause import PLACES, Clause
from cli.line.errors import AS_WORDS, Ambiguous, Meaning, Misread, Missing, Unclear
from cli.line.named_values import as_flag, by_its_name
from cli.line.reading import Piece, Reading
from cli.line.values import number_of, people_at, title_at
from cli.line.verbs import names_a_turn
from cli.line.vocabulary import (
    ARTICLES,
    BEING,
    CONTRASTING,
    DYING,
    EARLIER,
    ENDS,
    KILLING,
    OPENERS,
    PERSONAL_OBJECTS,
    REGRETTING,
    SIGN_OF,
    SIGNS,
    STOPS,
    STRIKING,
    SUBJECT_PRONOUNS,
    TAKES_BACK,
    WITH,
    bases_of,
)
from cli.line.words import Line, Word, joins, quote, with_words, words_between, words_to_type
from domain.naming import key_of, plain_words
from domain.refusal import Invalid
from domain.registry import action_from
from domain.system.field_schema import Field, fields_of
from domain.system.options import options_of

#: A word of so few letters is no card's and no item's that stands among others.
SHORT = 4


class OtherMeaning(NamedTuple):
    """What a word of a remark may be besides words: the place behind it, and the word of a line that means it alone.

    That is "" where the line can only leave it out.
    """

    end: int
    value: str


def value_among_words(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:
    """`d brann 3 a guard poison`: what the first word of the remark that may be a value means."""
    for place in range(words.start, words.end):
        if not clause.words[place].quoted:
            meanings = list(dict.fromkeys(_meanings(clause, reading, place, words.end)))
            if meanings:
                return among_words(clause.line, place, meanings, (words.start, words.end), _descriptions(clause))
    return None


def hint_among_words(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:
    """`negate 5`: what the first word of the remark that hints at a field with a number means.

    Raises Missing for a hint without a number.
    """
    for place in range(words.start, words.end):
        if not clause.words[place].quoted and (hinted := _hinted_number(clause, reading, place)) is not None:
            return among_words(clause.line, place, [hinted], (words.start, words.end), _descriptions(clause))
    return None


def correction_among_words(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:
    """`d brog 3 no, 4`, `d brog 3 a rat, undo that`: what takes back the points before it is no source of them.

    Where another number is said, the line of each.
    """
    line, fields = clause.line, clause.grammar.fields
    for place in range(words.start, words.end):
        behind = [word.text.casefold().strip(STOPS) for word in clause.words[place : words.end]]
        is_parted = place == words.start or clause.words[place - 1].text.endswith(ENDS)
        if clause.words[place].quoted or not is_parted:
            continue
        rest = next((at for at, word in enumerate(behind) if word not in OPENERS), len(behind))
        number = number_of(behind[rest]) if rest == len(behind) - 1 else None
        piece = next((own for own in reading.pieces if own.field and fields[own.field].kind.shape == "number"), None)
        if rest and number is not None and piece is not None:
            parts = [words_between(line, words.start, place).rstrip("".join(ENDS)), *words_to_type(line, words.end)]
            begin, end = words_between(line, 0, piece.start), words_between(line, piece.end, words.start)
            said = words_between(line, piece.start, piece.end)
            lines = [" ".join(filter(None, [begin, own, end, *parts])) for own in (str(number), said)]
            return Ambiguous.between(f"Which is it, {said} or {number}?", lines, place)
        takes_back = re.fullmatch(TAKES_BACK, line.rest(place, words.end).casefold().replace("’", "'").strip(" .!"))
        if takes_back is not None or behind[0] in REGRETTING:
            return among_words(line, place, [OtherMeaning(words.end, "")], (words.start, words.end))
    return None


def more_behind_a_join(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:  # noqa: ARG001
    """`d brog 4 and falls`, `d brog 4 a trap and he falls`, `d brog 4 a rat but it misses`: no source is called so."""
    of_points = clause.grammar.verb.kind.number_sign != ""
    for place in range(words.start, words.end):
        word = clause.words[place]
        if joins(clause.words, place, then=True):
            is_more = place == words.start or _tells_more(clause, place, words.end)
            is_more = is_more or (of_points and _does_more(clause, place, words.end))
            is_more = is_more or _tells_of_a_death(clause, place, words.end)
        else:
            is_more = of_points and not word.quoted and word.text.casefold() in CONTRASTING
            is_parted = place > words.start and _is_parted(clause.words[place - 1])
            is_more = is_more or (is_parted and _tells_of_a_death(clause, place, words.end))
        if is_more:
            return among_words(clause.line, place, [OtherMeaning(words.end, "")], (words.start, words.end))
    return None


def _tells_more(clause: Clause, place: int, end: int) -> bool:
    """Whether `and` leads to a sentence of its own: `and it dies`, `and is down`."""
    behind = clause.words[place + 1].text.casefold() if place + 1 < end else ""
    return behind in SUBJECT_PRONOUNS | BEING | DYING | {"it"}


def _is_parted(word: Word) -> bool:
    """Whether what follows a word is no more of the same: behind a comma, and behind a modifier (`m +1 kill`)."""
    return not word.quoted and (word.text.endswith(ENDS) or word.text[0] in SIGNS)


def _tells_of_a_death(clause: Clause, place: int, end: int) -> bool:
    """`m +1, guard 2 dies`: whether the words from a place on say that somebody dies."""
    return any(word.text.casefold().rstrip(STOPS) in DYING | KILLING for word in clause.words[place:end])


def _does_more(clause: Clause, place: int, end: int) -> bool:
    """Whether `and` leads to what somebody does besides: `and takes 3`, `and kills it`, `and throws him down`."""
    behind = [word.text.casefold().rstrip(STOPS) for word in clause.words[place + 1 : end]]
    does = behind[:1] != [] and behind[0] in STRIKING | KILLING | SIGN_OF.keys()
    return does or not PERSONAL_OBJECTS.isdisjoint(behind[1:])


def option_of_a_ruling(clause: Clause, reading: Reading, words: Piece) -> Ambiguous | None:
    """`ruling 6.4 "We rest short_rest_together=true"`: an option with a value in the words, quoted or not.

    It is asked about where the ruling sets none.
    """
    loose = clause.grammar.loose
    if loose is None or clause.grammar.who is not None or loose.key in {*reading.shared, *reading.dropped}:
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


def among_words(
    line: Line,
    place: int,
    meanings: Sequence[OtherMeaning],
    span: tuple[int, int],
    descriptions: Mapping[str, str] = MappingProxyType({}),
) -> Ambiguous:
    """Whether what begins at a place is one of these values, or a word like the others of the `span`.

    `descriptions` say what each field is.
    """
    word = line.rest(place, meanings[0].end)
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


def _descriptions(clause: Clause) -> dict[str, str]:
    """What each field of the verb is, by its key."""
    return {field.key: field.description for field in clause.grammar.fields.values()}


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
    is_repeated = any(base in key_of(value) for base in bases_of(key_of(word.strip(",.;!")))) or "=" in word
    return not (is_repeated or value.startswith("--") or name in word)


def _with_what_leads_to_it(line: Line, place: int, start: int, *, is_last: bool) -> int:
    """Where a value begins with what only joins it to the words: `and poison`; at their end, `with the armor`."""
    leading = (*WITH, *ARTICLES, *BEING) if is_last else ()
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


def _meanings(clause: Clause, reading: Reading, place: int, beyond: int) -> Iterator[OtherMeaning]:
    """What a word may be besides words. Raises Missing for the name of a field that lacks its value."""
    word = clause.words[place].text
    name, sign, value = word.partition("=")
    if sign and name and re.fullmatch(r"[\w.-]*[^\W\d_][\w.-]*", name):
        is_field = clause.grammar.field_called(name, whole=True) is not None or clause.settable(name.replace("-", "_"))
        entry = None if is_field else _entry_of_a_map(clause, reading, name, value)
        yield OtherMeaning(place + 1, entry or (word if is_field and value else ""))
        return
    yield from _flags_meant(clause, reading, place)
    try:
        yield from _named_value_meant(clause, reading, place, beyond)
    except Missing:
        raise
    except Misread:
        yield OtherMeaning(place + 1, "")
        return
    # what is the name of a choice is hardly a part of the name of a card
    yield from sorted(_values(clause, reading, place, beyond), key=lambda meaning: '"' in meaning.value)
    if place + 1 < len(clause.words):
        yield from _meant_with_the_next(clause, reading, place, beyond)
    if word.casefold().rstrip(",.;") in EARLIER and not reading.manner and clause.context.log.last() > 1:
        yield OtherMeaning(place + 1, f"--before T{clause.context.log.last()}")


def _flags_meant(clause: Clause, reading: Reading, place: int) -> Iterator[OtherMeaning]:
    """The flags that a word may be: by their names, or hinted at."""
    word = clause.words[place].text
    for way in as_flag(clause, reading, place):
        field = clause.grammar.fields[way.pieces[-1].field]
        flag = way.shared[field.key]
        if flag is not bool(field.default):
            yield OtherMeaning(way.place, f"{field.key}={'yes' if flag else 'no'}")
    for field in clause.grammar.fields.values():
        if field.kind.shape != "flag":
            continue
        if not reading.is_open(field) and key_of(word) == key_of(field.key):
            yield OtherMeaning(place + 1, "")  # it is said already, perhaps otherwise
        if reading.is_open(field) and word.casefold().rstrip(",.;!") in field.hinted_by:
            yield OtherMeaning(place + 1, f"{field.key}={'no' if field.default else 'yes'}")


def _named_value_meant(clause: Clause, reading: Reading, place: int, beyond: int) -> Iterator[OtherMeaning]:
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
    if clause.fits(reading).is_free(field):
        yield OtherMeaning(beyond, f"{field.key}={quote(clause.line.rest(place + 1, beyond), always=True)}")
    else:
        yield OtherMeaning(ways[0].place, f"{field.key}={_inner(clause, place + 1, ways[0].place)}")


def _meant_with_the_next(clause: Clause, reading: Reading, place: int, beyond: int) -> Iterator[OtherMeaning]:
    """What a word and the next one may be: `strength 2`, `by Jo`, `after T6`."""
    word, following = clause.words[place].text, clause.words[place + 1].text
    if place + 1 < beyond:
        named, number = (word, following) if number_of(word.lstrip("-")) is None else (following, word)
        if len(named) >= SHORT and (entry := _entry_of_a_map(clause, reading, named.rstrip(STOPS), number)) is not None:
            yield OtherMeaning(place + 2, entry)
    if len(word) < SHORT and _is_of_another_verb(clause, word, following):
        yield OtherMeaning(place + 2, "")
    if word.casefold() == "by" and place + 2 == beyond and "by" not in clause.grammar.fields:
        yield OtherMeaning(beyond, f"--by {quote(following)}")
    if word.casefold() in PLACES and names_a_turn(following):
        yield OtherMeaning(place + 2, f"--{word.casefold()} {following}")


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


def _hinted_number(clause: Clause, reading: Reading, place: int) -> OtherMeaning | None:
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
    return OtherMeaning(place + 2, f"{field.key}={following[0].text}")


def _inner(clause: Clause, start: int, end: int) -> str:
    """Several words as one value."""
    return ",".join(clause.words[place].text.removesuffix(",") for place in range(start, end))


def _values(clause: Clause, reading: Reading, place: int, beyond: int) -> Iterator[OtherMeaning]:
    """The value of a field that is still open, named in full among the words."""
    fits, whose = clause.fits(reading), reading.whose
    for field in clause.grammar.fields.values():
        several, kind = field.kind.shape == "list", field.one
        # `keep` and `drop` are options of the line, wherever they stand
        told_apart = field.remark or field.names or field.turn or field.key == "conflicts"
        if told_apart or not (reading.is_open(field) or several):
            continue
        if kind.shape == "choice":
            word = key_of(clause.words[place].text.rstrip(",.;"))
            end = _behind_an_object(clause, reading, place + 1, beyond)
            # `a poisoned dart` poisons nobody yet, `and poisons him` does
            forms = bases_of(word) if end == beyond or joins(clause.words, end) else [word]
            also = kind.also_said.get(word)
            choice = next((name for name in kind.offered_choices if key_of(name) in forms), also)
            is_taken = choice is None or _holds(reading, field, choice)
            if not is_taken and _goes_with(clause, reading, field, choice):
                yield OtherMeaning(end, f"{field.key}={choice}")
        elif (kind.reference or kind.values or kind.shape == "text") and not field.required:
            legal = tuple(map(str, fits.legal(field, whose) or ()))
            title = _title(clause, place, beyond, legal)
            if title is not None and not _holds(reading, field, title[0]):
                yield OtherMeaning(title[1], f"{field.key}={quote(title[0])}")


def _behind_an_object(clause: Clause, reading: Reading, at: int, beyond: int) -> int:
    """The place behind whoever the line is about, where they are named once more at a place: `and poisons him`."""
    if at < beyond and clause.words[at].text.casefold().rstrip(STOPS) in PERSONAL_OBJECTS:
        return at + 1
    try:
        people = people_at(clause.words, at, clause.context) if at < beyond else None
    except Unclear:
        people = None
    return people[1] if people is not None and list(people[0]) == reading.names else at


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
