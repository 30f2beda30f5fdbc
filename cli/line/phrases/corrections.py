"""Corrections as people say them: `that was 1, not 14`, `no, it was Brog`, `Hob only took 1`, `change T44 to 7`.

Each is offered as an amendment of the latest turn that it fits, and nothing is amended before it is chosen.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from cli.line.amending import amendments
from cli.line.errors import Ambiguous, Meaning
from cli.line.grammar import Grammar
from cli.line.offers import TO_KEEP_IT, nearest_lines, note_line
from cli.line.phrase import Actions, LinePhrase
from cli.line.phrases.name_first import with_verb_first
from cli.line.phrases.turn_references import standing_actions, standing_turns
from cli.line.values import Context, number_of, people_meant_at
from cli.line.verbs import Verb, names_a_turn
from cli.line.vocabulary import (
    AROUND_CORRECTIONS,
    BEING_SO,
    BLOWS,
    CHANGING,
    FLIPPING,
    LEAST_OF_A_CHOICE,
    NOT,
    ONLY,
    OPENERS,
    POINTING,
    SIGNS,
    STOPS,
    STRUCK,
    WRONG,
)
from cli.line.words import Line, quote, rest_of, tokenize, without_genitive
from domain.common.revisions import Redo, Undo
from domain.log.points import turn_at
from domain.naming import LITTLE, key_of, plain_words
from domain.refusal import Invalid, Refusal
from domain.registry import verb_name
from domain.system.field_schema import Field, fields_of
from domain.turn import Action

#: Turns that a correction is tried on: each means that the log is replayed from there.
MOST_TRIED = 4


class _Correction(NamedTuple):
    """What a correction says: the numbers and the people that are right, and those that are not, and the turn."""

    numbers: list[int]
    names: list[str]
    wrong_numbers: list[int]
    wrong_names: list[str]
    turn: int | None
    #: words that a correction does not have, and all that is right as it was typed
    others: int
    right: str


def amendment_of_turn(phrase: LinePhrase) -> Actions:
    """The amendment of a line that names a turn first, or behind `amend`. Raises what `amendments` raises."""
    value, manner = amendments(phrase.line, phrase.at, phrase.context, phrase.whole_from)
    return Actions((value,), manner)


def correction(phrase: LinePhrase) -> Ambiguous | None:
    """The amendments that a phrase may mean, and the note; None: it corrects nothing."""
    line, context, words = phrase.line, phrase.context, phrase.bare
    of_turn, blow = _place_of_turn(phrase), _earlier_blow(phrase)
    if of_turn == 0 and not WRONG.isdisjoint(words[2:]):
        return nearest_lines(context, "Undo it?", [f"{verb_name(Undo)} {line.words[0].text}"])
    # `i brann healing` uses an item
    points = words[0] in POINTING and (words[0] != "i" or words[1:2] in (("mean",), ("meant",)))
    is_sure = words[0] in OPENERS or points or blow is not None or of_turn is not None
    if len(words) < 2 or not (is_sure or NOT in words[1:] or ONLY in words[1:3]):
        return None
    first = 0
    while first < len(words) - 1 and words[first] in OPENERS:
        first += 1
    lines = list(_instead(phrase, first)) if words[0] in OPENERS else []
    if not lines:
        turn = turn_at(line.words[of_turn].text, context.log) if of_turn is not None else None
        parts = _parts(line, first if of_turn is None else of_turn + 1, turn, context)
        if not parts.right or (parts.others and not is_sure):
            return None
        lines = list(_amendments(parts, phrase) if blow is None else _of_the_blow(phrase, blow))
    if lines:
        choices = [Meaning(text, text) for text in (*dict.fromkeys(lines), note_line(line))]
        return Ambiguous("What should it be? Type one of these:", "What should it be?", choices, 0)
    if (of_turn == 0 or blow is not None) and not parts.wrong_names:
        reason = "No such blow is in the log" if blow is not None else f"{line.words[0].text} holds nothing of the kind"
        return nearest_lines(context, reason, [note_line(line)], TO_KEEP_IT)
    return None


def _place_of_turn(phrase: LinePhrase) -> int | None:
    """Where the turn stands that is corrected: 0 in `T44 was 7`, 1 in `change T44 to 7`; None: it names none so."""
    words = phrase.bare
    if len(words) < 3:
        return None
    if words[0] in CHANGING and names_a_turn(phrase.line.words[1].text):
        return 1
    tells_so = not BEING_SO.isdisjoint(words[1:3]) or not FLIPPING.isdisjoint(words)
    return 0 if tells_so and names_a_turn(phrase.line.words[0].text) else None


def _earlier_blow(phrase: LinePhrase) -> int | None:
    """`ash's hit on the wight was 7`: the place of somebody's blow, of which it says what it was; None: of none."""
    words, line = phrase.bare, phrase.line.words
    places = (
        at + 1
        for at in range(len(words) - 2)
        if without_genitive(line[at].text) != line[at].text
        and words[at + 1] in STRUCK | BLOWS
        and not BEING_SO.isdisjoint(words[at + 2 :])
    )
    return next(places, None)


def _of_the_blow(phrase: LinePhrase, blow: int) -> Iterator[str]:
    """The amendment of the latest blow by whoever is named before it, upon whomever is named behind it."""
    line, context = phrase.line, phrase.context
    being = next(at for at in range(blow, len(line.words)) if phrase.bare[at] in BEING_SO)
    by = set(plain_words(without_genitive(line.words[blow - 1].text)))
    struck = {word for at in range(blow + 1, being) for word in plain_words(phrase.bare[at])} - LITTLE
    parts = _parts(line, being + 1, None, context)._replace(names=[])
    for number, action in standing_actions(context):
        fields = {field.key: getattr(action, field.name) for field in fields_of(type(action))}
        names = set(plain_words(" ".join(value for value in fields.values() if isinstance(value, str))))
        unknown = "source" in fields and fields["source"] is None and struck
        if not _is_blow(action) or not struck <= names or not (by <= names or unknown):
            continue
        lines = [f"T{number} {change}" for change in _changes(parts, action, context)]
        if can_be := [text for text in lines if _can_be_amended(text, phrase)]:
            yield from can_be
            return


def _is_blow(action: Action) -> bool:
    return type(action).number_sign == "-" or not BLOWS.isdisjoint(verb_name(type(action)).split("-"))


def _instead(phrase: LinePhrase, first: int) -> Iterator[str]:
    """A whole line behind `no,`: in the place of the latest turn, and as one of its own; an undo is its own alone."""
    own, context = tokenize(" ".join(rest_of(phrase.line, first))), phrase.context
    if first == 0 or not own.words:
        return
    actions = phrase.outcome_of(own)
    if isinstance(actions, Invalid | Refusal):
        return
    turn = next(standing_turns(context), None)
    if len(actions) == 1 and isinstance(actions[0], Undo | Redo):
        yield own.text
    elif len(actions) == 1 and turn is not None and type(actions[0]) is type(turn.action):
        rewritten = with_verb_first(own, context)
        own_text = own.text if rewritten is None else rewritten.text
        yield from [text for text in [f"T{turn.number} = {own_text}"] if _can_be_amended(text, phrase)]
        yield own_text


def _parts(line: Line, first: int, turn: int | None, context: Context) -> _Correction:
    parts = _Correction([], [], [], [], turn, 0, "")
    others, wrong, here, right = 0, False, first, list[int]()
    while here < len(line.words):
        word = line.words[here].text.casefold().strip(",.!:;")
        people = people_meant_at(line.words, here, context)
        number = number_of(word) if not line.words[here].quoted else None
        beyond = here + 1
        if people is not None and len(people[0]) == 1:
            (parts.wrong_names if wrong else parts.names).append(people[0][0])
            beyond = people[1]
        elif number is not None and word[0] not in SIGNS:
            (parts.wrong_numbers if wrong else parts.numbers).append(number)
        elif word in (NOT, "instead", "isn't", "wasn't"):
            wrong = True
            here = beyond + (line.words[beyond : beyond + 1] != () and line.words[beyond].text.casefold() == "of")
            continue
        elif word in AROUND_CORRECTIONS | POINTING | OPENERS | STRUCK | {ONLY}:
            wrong = wrong and word != "but"
            here = beyond
            continue
        else:
            others += 1
        right += range(here, here if wrong else beyond)
        if people is not None or number is not None:
            wrong = False
        here = beyond
    text = line.rest(right[0], right[-1] + 1).strip(STOPS) if right else ""
    return parts._replace(others=others, right=text)


def _amendments(parts: _Correction, phrase: LinePhrase) -> Iterator[str]:
    """The lines that amend the latest turn of which what is wrong is true, and which what is right can change.

    Where somebody was hit it is a loss. A turn that the rules do not let be changed so is not the one that is meant.
    """
    context, tried = phrase.context, 0
    of_a_blow = not STRUCK.isdisjoint(phrase.bare)
    is_meant = _is_blow if not parts.wrong_names else lambda action: type(action).number_sign == "-"
    for number, action in standing_actions(context):
        if parts.turn not in (None, number) or (of_a_blow and not is_meant(action)):
            continue
        changes = list(_changes(parts, action, context))
        if changes:
            lines = [f"T{number} {change}" for change in changes]
            can_be = [text for text in lines if _can_be_amended(text, phrase)]
            yield from can_be
            tried += 1
            if can_be or tried == MOST_TRIED:
                return
            continue
        older = parts.wrong_names or parts.wrong_numbers or parts.names or parts.others
        if not older and parts.turn is None and _numbers(action):
            return  # nothing says that an older one is meant


def _changes(parts: _Correction, action: Action, context: Context) -> Iterator[str]:
    """What becomes what of one action."""
    grammar = Grammar(context, Verb(verb_name(type(action)), type(action)))
    values = {field.key: getattr(action, field.name) for field in fields_of(type(action))}
    who = grammar.who.key if grammar.who is not None else ""
    if (thing := _thing(parts, values, grammar)) is not None:
        yield thing
        return
    if (choice := _choice(parts, values, grammar)) is not None:
        yield choice
        return
    if parts.others > 1:
        return
    if parts.numbers and not parts.wrong_names:
        of_others = parts.names and values.get(who) not in parts.names
        numbers = [field for field in _numbers(action) if values[field.key] not in (None, parts.numbers[0])]
        fits = [field for field in numbers if not parts.wrong_numbers or values[field.key] in parts.wrong_numbers]
        named = [field for field in fits if field.key in plain_words(parts.right)]
        if fits and not of_others:
            yield f"{(named or fits)[0].key}={parts.numbers[0]}"
        return
    if len(parts.names) != 1 or not isinstance(values.get(who), str):
        return
    name, source = quote(parts.names[0]), values.get("source")
    is_held = key_of(str(values[who])) in map(key_of, parts.wrong_names or parts.names)
    if is_held == bool(parts.wrong_names):
        yield f"{who}={name}"
    remark = grammar.remark
    source_words = set(plain_words(str(source)))
    is_wrong = not parts.wrong_names or any(set(plain_words(wrong)) <= source_words for wrong in parts.wrong_names)
    if remark is not None and remark.key == "source" and source is not None and is_wrong:
        yield f"{remark.key}={name}"


def _thing(parts: _Correction, values: Mapping[str, Any], grammar: Grammar) -> str | None:
    """What is struck or drawn, where that is what is right: `no, that was guard 1`, `no, +2`; None: it is not."""
    right_begins = parts.others and parts.right[:1].isalpha()
    for field in grammar.fields.values():
        value = values.get(field.key)
        if value is None or grammar.words_alone or field is grammar.who:
            continue
        if field.said_alone and re.fullmatch(field.said_alone, parts.right, re.IGNORECASE):
            return f"{field.key}={quote(parts.right)}"
        shares = bool(set(plain_words(str(value))) & set(plain_words(parts.right)))
        is_one = field.thing and parts.others == 1
        if field is grammar.remark and right_begins and (is_one or shares or parts.turn is not None):
            return f"{field.key}={quote(parts.right)}"
    return None


def _choice(parts: _Correction, values: Mapping[str, Any], grammar: Grammar) -> str | None:
    """The one choice that is right and was not what is held: `the foe flipped xx`, `that was dexterity`; None: none."""
    fields = [
        f"{field.key}={choice}"
        for field in grammar.fields.values()
        for choice in field.kind.offered_choices
        if field.kind.shape == "choice" and values.get(field.key) != choice
        for word in plain_words(parts.right)
        if word == choice or (len(word) >= LEAST_OF_A_CHOICE and choice.startswith(word))
    ]
    return fields[0] if len(fields) == 1 else None


def _numbers(action: Action) -> list[Field]:
    """The fields of an action that hold a number which somebody says."""
    # what is said in its place: nobody means `abilities_used` by a bare number
    positional = (field for field in fields_of(type(action)) if field.required or field.in_order)
    fields = [field for field in positional if not (field.turn or field.dice or field.kind.reference)]
    return [field for field in fields if isinstance(getattr(action, field.name), int) and field.kind.shape != "flag"]


def _can_be_amended(text: str, phrase: LinePhrase) -> bool:
    """Whether a line that amends a turn can be understood."""
    return not isinstance(phrase.outcome_of(tokenize(text)), Invalid | Refusal)
