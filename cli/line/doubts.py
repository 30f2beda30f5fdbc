"""What may be two things, and is refused with a line for each of them: nothing is guessed.

What fits two names or two fields is refused where it stands. And nothing that could be a value ends among the words:
such a line is refused with the value before the words, and with all of it as words in quotes.
"""

import re
from collections.abc import Sequence
from itertools import islice, product
from typing import Any

from msgspec import Struct

from cli.line.errors import LineError, may_be
from cli.line.field_values import begins_value, name_at, value_at
from cli.line.grammar import is_text, known_in
from cli.line.lacking import check_complete, meant_instead, slips, takes
from cli.line.people import BUT, is_join, row_at, somebody_among_words
from cli.line.said import Said
from cli.line.trials import ANY_TEXT, refusal_of
from cli.line.values import LONGEST_TITLE, SIGNS, is_signed, json_or_text, number_at, run_at, turn_number_of
from cli.line.verbs import LEAST_OF_A_BEGINNING, names_a_turn
from cli.line.words import NAME, quote
from domain.common.paragraphs import free_number
from domain.common.tracking import Track, tracked_names
from domain.log.backdating import PLACES
from domain.naming import (
    EVERYBODY,
    PARTY,
    find_name,
    fitting,
    key_of,
    nearest,
    plain_words,
    same_letters,
    short_for,
    spelt_like,
)
from domain.refusal import Invalid, Refusal
from domain.registry import action_from, tag_of
from domain.system.field_schema import Field

#: Little words that lead to a name which stands too late in the line.
LEADING = ("for", "to", "on", "of", "from", "than")
#: Words before a value that it does not have: nothing is offered that says the opposite.
DENYING = ("not", "no", "never", "without")
#: Words that leave out whoever is named behind them.
EXCEPTING = (*BUT, "not", "without", "save", "minus", "excluding", "besides", "bar", "apart", "other")
#: Lines that are named at most for values of one field.
MOST_WAYS = 3
WHOM = "Whom is it about? A name stands before the values."


class Doubt(Struct, frozen=True):
    """Words from `at` up to `beyond` that could be a value."""

    at: int
    beyond: int
    #: how the value is typed before the words; "": it cannot be
    value: str = ""
    #: whether it is a place in the log, which stands last
    is_place: bool = False


# -- two names, two fields ---------------------------------------------------------------------------------------------


def refuse_two_names(said: Said, begin: int, people: tuple[Sequence[str], int]) -> None:
    """`d goblin 2`, where Goblin 2 and Goblin are there: it is one's name, or the other's value."""
    names, end = people
    number, comma, _ = said.words[end - 1].text.partition(",")
    if not names or end - begin < 2 or not number.isdecimal():
        return
    name, shorter = names[0], plain_words(said.line.rest(begin, end - 1))
    other = next((other for other in said.context.state.characters if plain_words(other) == shorter), None)
    # with a value of its own behind it, it is a name; dice may be one more
    is_value = said.grammar.faces is not None or (
        other is not None and begins_value(said, end - 1, other) and not begins_value(said, end, name)
    )
    if other is not None and is_value:
        is_row = name_at(said, end + is_join(said.line, end)) is not None
        lacks = comma if is_row else " 1" if said.missing() else ""
        both = {f"{other} with {number}": f"{quote(other, always=True)} {number}",
                name: f"{quote(name, always=True)}{lacks}"}  # fmt: skip
        raise may_be(said.line, begin, end, both)


def without_doubt(said: Said, found: Sequence[tuple[Field, Any, int]]) -> tuple[Field, Any, int]:
    """The only value of those that fit: one that is said whole wins; two kinds are refused with both."""
    kinds = {(field.kind.shape, field.names, field.added_by, field.kind.choices): (field, value, end)
             for field, value, end in reversed(found)}  # fmt: skip
    ways = list(reversed(kinds.values()))
    whole = [way for way in ways if plain_words(str(way[1])) == plain_words(said.line.rest(said.at, way[2]))]
    if len(whole or ways) == 1:
        return (whole or ways)[0]
    both = {str(value): f"{field.key}={quote(str(value))}" for field, value, _ in ways}
    raise may_be(said.line, said.at, ways[0][2], both)


def refuse_range(said: Said, field: Field, beyond: int) -> None:
    """One word between two turns, as in `undo T5 through T6`, leads to a range, or is a reason."""
    if not field.turn or field.kind.shape != "list" or beyond + 2 != said.end or said.words[beyond].quoted:
        return
    first, last = said.words[beyond - 1].text, said.words[beyond + 1].text
    if re.fullmatch(r"[Tt]\d+", first) and re.fullmatch(r"[Tt]\d+", last):
        ways = [said.line.replaced(beyond - 1, beyond + 2, f"{first}..{last}"), said.in_quotes(beyond)]
        raise said.refuse(f"{last!r} may be a value or part of the words.", beyond + 1, *ways)


def refuse_shared_report(said: Said) -> None:
    """What one of several rolled or turned over, said of all of them: `flip all dex 4`."""
    grammar = said.grammar
    for group in said.groups if len(said.names) > 1 and not grammar.several else ():
        for field in grammar.fields.values():
            value = group.values.get(field.key, said.shared.get(field.key))
            is_of_all = field.key in said.shared or len(group.names) > 1
            if value is not None and is_of_all and (field.dice or field.reported):
                placed = [group.values[own.key] for own in grammar.order if own.key in group.values]
                named = [f"{field.key}={_typed(value)}"] if field.key in said.shared else []
                like = " ".join([grammar.verb.name, quote(group.names[0]), *map(_typed, placed), *named])
                reason = f"Whose {_typed(value)} is it? Each name has its own behind it, like {like}."
                raise said.refuse(reason, said.begin)


def _typed(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else quote(str(value))


def refuse_number(said: Said, name: str, at: int) -> None:
    """A number behind the name of somebody new: `at ash new goblin 2` adds goblin 2, or is a value behind goblin."""
    if at < said.end and said.words[at].text.isdecimal() and not said.words[at - 1].quoted:
        number = said.words[at].text
        both = {
            "one name": quote(f"{name} {number}"),
            f"{name} with {number}": f"{quote(name, always=True)} {number}",
        }
        raise may_be(said.line, said.at + 1, at + 1, both)


def refuse_open_title(said: Said, field: Field, beyond: int) -> None:
    """A title of one's own before words ends where its quotes end: `paragraph add 6.13 "Wet ropes" Whoever …`."""
    line, at = said.line, said.at
    is_title = is_text(field) and field.never_blank and not field.kind.written_as and said.grammar.words is not None
    if is_title and not said.words[at].quoted and not line.from_shell and beyond < said.end:
        number, before = said.words[at - 1].text, ""
        if at > said.begin and said.given.get("rule") == number and not any(map(str.isdecimal, number)):
            at, before = at - 1, free_number(said.context.system, said.context.state)  # `paragraph add Phones are off`
        ends = (beyond, beyond + 1) if not said.words[at].quoted else ()
        ways = [line.replaced(at, end, before, quote(line.rest(at, end), always=True)) for end in ends]
        ways = ways or [line.replaced(at, at, before)]
        reason = f"Put the {field.key} in quotes, so that it ends where you mean"
        raise said.refuse(f"{reason}{', behind a number that is free' if before else ''}.", at, *ways)


def refuse_listed(said: Said, field: Field, value: Any, beyond: int) -> None:
    """A part of the name of what is on the log's own list, where a new name is told: `foe reed 4`.

    With a flag behind it, as in `foe reed gone`, it is about what is there.
    """
    known, at, word = known_in(said.context, said.grammar.verb.kind, field), said.at, said.words[said.at]
    if known is not None and word.text.casefold() == "new" and not word.quoted and beyond < said.end:
        without = said.line.replaced(at, at + 1)
        raise said.refuse(f"'new' does not fit here; {said.grammar.verb.name} adds whom it names.", at, without)
    is_there = any(said.grammar.flag_at(said.line, place, said.end) for place in range(beyond, said.end))
    if not known or value in known or word.quoted or is_there:
        return
    for end in range(min(at + LONGEST_TITLE, said.end), at, -1):
        text = said.line.rest(at, end)
        if meant := fitting(text, known):
            ways = {name: quote(name) for name in meant}
            error = may_be(said.line, at, end, {**ways, "a new name": quote(text, always=True)})
            is_numbered = any(plain_words(name)[-1].isdecimal() for name in meant)
            if is_numbered and end < said.end and said.words[end].text.isdecimal():  # the number may be its own
                error.nearest += (said.line.replaced(at, end + 1, quote(said.line.rest(at, end + 1))),)
            raise error


def refuse_slip(said: Said) -> None:
    """A slip in a name where somebody else would be meant, as nobody is named: `d tolna 4` in Brann's turn."""
    word, names = said.words[said.at] if said.at < said.end else None, tuple(said.context.state.characters)
    if word is None or word.quoted or not word.text.isalpha() or not said.names:
        return
    words = said.grammar.words
    may_be_words = words is not None and not said.missing()
    if may_be_words and words is not None and words.one.written_as is not None:
        return  # of these only what is written so is taken
    parts = {part: name for name in names for part in plain_words(name)}
    slip = spelt_like(plain_words(word.text)[0], parts)
    near = parts[slip[0]] if slip else None if may_be_words else nearest(word.text, names)
    named = said.grammar.word_at(said.line, said.at, said.end)[0].text
    is_said = said.grammar.field(named) is not None or said.grammar.flag_at(said.line, said.at, said.end)
    if near is None or is_said or begins_value(said, said.at, said.names[0]):
        return
    ways = [said.line.replaced(said.at, said.at + 1, quote(short_for(near, names)))]
    ways += [said.in_quotes(said.at)] if may_be_words else []
    raise said.refuse(f"There is no character {word.text!r}; did you mean {near}?", said.at, *ways)


# -- among the words ---------------------------------------------------------------------------------------------------


def refuse_doubts(said: Said, begin: int, end: int) -> None:
    """Refuse words with something among them that could be a name or a value of this line."""
    if said.group_at is not None and not said.grammar.any_words:
        _refuse_exception(said, said.group_at, begin, end)
    if not said.words[begin].quoted:
        _refuse_row_of_values(said, begin)
        _refuse_beginning(said, begin)
    if said.is_default:
        refuse_name(said, begin, end)
    _refuse_further_name(said, begin, end)
    _refuse_unit(said, begin, end)
    if found := _doubts(said, begin, end):
        raise _either(said, found, begin, end)


def _refuse_further_name(said: Said, begin: int, end: int) -> None:
    """Refuse a name directly behind a name, where the words would begin: `strain wren cass fell into the pit`.

    And a name that is all of the words behind several people with values: `d spider 4 brog, 3 ada`.
    """
    alone = name_at(said, begin) if len(said.groups) > 1 and not said.words[begin].quoted else None
    if alone is not None and alone[1] == end:
        reason = f"{said.line.rest(begin, end)!r} may be a name or part of the words."
        raise said.refuse(reason, begin, said.in_quotes(begin, end))
    group, before = said.groups[-1], said.words[begin - 1]
    is_behind = said.names and not (said.is_default or group.values or group.faces or said.shared or before.is_option)
    if not is_behind or said.words[begin].quoted or not said.grammar.words_follow_names:
        return
    names, at = [said.line.typed(begin - 1)], begin
    while (people := name_at(said, at)) is not None and people[1] < end and not {*people[0]} & {*said.names}:
        names, at = [*names, said.line.rest(at, people[1])], people[1]
    if len(names) > 1:
        several = said.line.replaced(begin - 1, at, ", ".join(names))
        raise said.refuse(
            f"{names[1]!r} may be a name or part of the words.", begin, several, said.in_quotes(begin, end)
        )


def _refuse_row_of_values(said: Said, begin: int) -> None:
    """Refuse as many numbers in a row as names: each name has its own behind it, as in `d ada 3 brog 4 darts`."""
    names, beyond = said.groups[-1].names, begin + len(said.groups[-1].names) - 1
    numbers = [word.text for word in said.words[begin - 1 : beyond]]
    before = said.words[said.begin : begin - 1]
    is_alone = len(said.groups) == 1 and before and not any(word.is_option or "=" in word.text for word in before)
    if not is_alone or said.grammar.several or not 1 < len(names) == len(numbers):
        return
    if all(map(str.isdecimal, numbers)):
        short = (quote(short_for(name, tuple(said.context.state.characters))) for name in names)
        pairs = [word for pair in zip(short, numbers, strict=True) for word in pair]
        # of a group nobody said the order
        is_named = not {*EVERYBODY, *PARTY} & {word.text.casefold() for word in before}
        ways = [said.line.replaced(said.begin, beyond, *pairs), said.in_quotes(begin)] if is_named else []
        raise said.refuse(f"Whose are {' '.join(numbers)}? Each name has its own behind it.", begin, *ways)


def _refuse_unit(said: Said, begin: int, end: int) -> None:
    """Refuse what is tracked, or another figure of the sheet, behind the number that counts it: `brog loses 5 gold`."""
    context, word = said.context, said.words[begin]
    sheet, number = context.state.characters.get(said.whose or ""), number_at(said.line, begin - 1)
    if sheet is None or number is None or word.quoted or said.grammar.any_words:
        return
    vital, text = context.system.vital, word.text.removesuffix(",")
    figures = [key for key, value in context.system.sheet_view(context.state, str(said.whose)).items()
               if isinstance(value, int) and not isinstance(value, bool) and not key.endswith(vital[0])]  # fmt: skip
    tracked = same_letters(text, [*sheet.tracked, *context.state.table.tracked])
    if tracked is None and same_letters(text, figures) is None:
        return
    whose = [quote(short_for(str(said.whose), tuple(context.state.characters)))] if tracked in sheet.tracked else []
    rest = list(map(said.line.typed, range(begin + 1, len(said.words))))
    counted = [quote(tracked), *whose] if tracked is not None else []
    ways = [" ".join([*counted, f"{sign}{abs(number[0])}", *rest]) for sign in "-+" if counted]
    ways.append(said.in_quotes(begin, end))
    raise said.refuse(f"{text!r} may be what is counted or part of the words.", begin, *ways)


def refuse_name(said: Said, begin: int, end: int) -> None:
    """Refuse somebody's name among words, where it may say whom the line is about."""
    everybody, state = tuple(said.context.state.characters), said.context.state
    may_be_foe = said.grammar.verb.kind is not Track  # who has no purse
    whom = [name for name in everybody if may_be_foe or not said.context.system.is_foe(state, name)]
    somebody = somebody_among_words(whom, said.line, begin, end)
    if somebody is None:
        return
    (name, at), words = somebody, said.grammar.words
    before = said.words[at - 1].text.casefold() if at > begin else ""
    first = at - (before in (*LEADING, *BUT))
    rest = [said.line.typed(place) for place in (*range(said.begin, first), *range(at + 1, len(said.words)))]
    ways = list[str]()
    if number_at(said.line, at + 1) is not None:  # somebody else's value
        ways = [said.in_quotes(begin)]
    elif before not in ("by", "from") and (words is None or before not in words.led_by):  # that is not whom it is about
        ways = [said.line.replaced(said.begin, len(said.words), quote(short_for(name, everybody)), *rest)]
    if said.names:
        ways.append(said.line.replaced(said.begin, said.begin, quote(short_for(said.names[0], everybody))))
    elif words is not None:  # it is nobody's, as what the table tracks
        ways.append(said.in_quotes(begin))
    raise said.refuse(WHOM, begin, *dict.fromkeys(ways))


def _refuse_exception(said: Said, group: int, begin: int, end: int) -> None:
    """Refuse words that leave somebody out of a group: `d all 2 fire except hilde`."""
    texts = [word.text.casefold() if not word.quoted else "" for word in said.words]
    for at in (at for at in range(begin, end) if texts[at] in EXCEPTING):
        whom = next((place for place in range(at + 1, end) if texts[place] not in (*LEADING, *EXCEPTING)), end)
        if texts[at] == "except" or somebody_among_words(said.names, said.line, whom, min(whom + 1, end)):
            people, ways = row_at(said.context, said.line, whom) if texts[at] in BUT else None, list[str]()
            if people is not None:
                verb = range(group + 1, group + 1 if is_signed(texts[group + 1]) else max(group + 1, said.begin))
                out = map(said.line.typed, [*verb, group, at, *range(whom, people[1])])
                rest = [said.line.typed(place).removesuffix(",") for place in range(verb.stop, at)]
                ways = [said.line.replaced(group, people[1], *out, *rest)]
            raise said.refuse(WHOM, at, *ways, said.in_quotes(begin, end))


def _refuse_beginning(said: Said, here: int) -> None:
    """Refuse what begins no words: a number, a sign, `and`; a reason before the turns that it is about."""
    grammar, text = said.grammar, said.words[here].text
    assert grammar.words is not None
    if any(field.turn and field.key == text.casefold() for field in grammar.order):
        ways = [said.line.replaced(here, here + 1), said.in_quotes(here)]  # `undo last 3 turns`
        raise said.refuse(f"{text!r} does not fit here.", here, *ways)
    lacks_turns = any(field.turn for field in said.open_in_order())
    if lacks_turns and not grammar.words.required and not {"last", "to"} & said.shared.keys():
        turns = re.fullmatch(r"([Tt]\d+)[-–−]([Tt]?\d+)", text)
        ways = [said.line.replaced(here, here + 1, f"{turns[1]}..{turns[2]}")] if turns is not None else []
        raise said.refuse(f"{text!r} is not a turn; name turns like T4, and then the reason.", here, *ways)
    takes_any = grammar.says_all or (grammar.any_words and not any(field.turn for field in grammar.order))
    if takes_any or grammar.words.one.written_as is not None:
        return
    if is_join(said.line, here) and begins_value(said, here + 1):
        raise said.refuse(f"{text!r} does not fit here.", here, said.line.replaced(here, here + 1))
    if text.casefold() in ("and", *BUT) or is_signed(text) or re.fullmatch(r"\d[\d,+−–-]*", text):
        raise said.refuse(
            f"{text!r} does not fit here.", here, *meant_instead(said, here, said.missing()), said.in_quotes(here)
        )


def _doubts(said: Said, begin: int, end: int) -> list[Doubt]:
    """All that could be a value among words that are not one text in quotes, from left to right."""
    is_quotation = said.words[begin].quoted and end == begin + 1
    ways = (_in_a_text,) if said.grammar.any_words else (_by_name, _of_another, _by_value)
    found, place, everybody = list[Doubt](), begin, tuple(said.context.state.characters)
    while place < end and not is_quotation:
        looks = () if said.words[place].quoted else ways
        doubt = next(filter(None, (look(said, place, begin, end) for look in looks)), None)
        is_numbered = place + 1 < end and said.words[place + 1].text.isdecimal()  # the 2 of Goblin 2 is no value
        name = run_at(said.line, place, everybody) if is_numbered else None
        found += [doubt] if doubt is not None else []
        place = doubt.beyond if doubt is not None else name[1] if name is not None else place + 1
    return found


def _in_a_text(said: Said, place: int, begin: int, end: int) -> Doubt | None:
    """What could be a value in a note, a ruling or a reason, which is words whatever it holds.

    First in it a flag, a field of the sheet, another verb for the action, which sets a field (`absent ada back`); then
    NAME=VALUE; and in a reason a turn, which may be one more of those that it is about.
    """
    grammar, word = said.grammar, said.words[place]
    name, sign, _ = word.text.partition("=")
    is_first, behind = place == begin, place + 1 < end
    if is_first and grammar.says_all and (flag := grammar.flag_at(said.line, place, place + 1)) is not None:
        return Doubt(place, place + 1, f"{flag[0].key}={'yes' if flag[1] else 'no'}")
    if is_first and grammar.loose is not None and grammar.loose in said.missing() and said.settable(name) and behind:
        at = place + 1 + (said.words[place + 1].text == "=" and place + 2 < end)
        return Doubt(place, at + 1, f"{name}={said.line.typed(at)}")
    sets = grammar.verb.kind.shorts.get(word.text.casefold(), grammar.verb.sets)
    if is_first and sets != grammar.verb.sets and not grammar.says_all:
        said_by_name = [f"{key}={'yes' if value is True else value}" for key, value in sets.items()]
        return Doubt(place, place + 1, " ".join(said_by_name))
    if not is_first and sign and said.names_a_value(name):
        value, beyond = said.longer_value(place, end) or (word.text, place + 1)
        return Doubt(place, beyond, value)
    if any(field.turn for field in grammar.order) and turn_number_of(word.text, said.context.log) is not None:
        return Doubt(place, place + 1, word.text)
    return None


def _by_name(said: Said, place: int, begin: int, end: int) -> Doubt | None:
    """A flag, NAME=VALUE, or a field by its name with what stands behind it."""
    grammar = said.grammar
    word, at = grammar.word_at(said.line, place, end)
    name, sign, text = word.text.partition("=")
    behind = said.words[at].text if at < end else ""
    if (flag := grammar.flag_at(said.line, place, end)) is not None:
        return Doubt(place, flag[2], f"{flag[0].key}={'yes' if flag[1] else 'no'}")
    if sign and NAME.fullmatch(name) and text:
        value, beyond = said.longer_value(place, end) or (word.text, at)  # `effect=cannot run`
        return Doubt(place, beyond, value)
    field = grammar.fields.get(name.casefold().replace("-", "_"))
    if field is None or field is grammar.who:
        return None
    if field is grammar.words:
        is_value = place == begin and at < end
        return Doubt(place, end, f"{field.key}={quote(said.line.rest(at, end), always=True)}") if is_value else None
    # what has a value already is said again: `d brog 3 dc 4 dc 5`
    if said.is_open(field) or (not is_text(field) and value_at(said, field, at) is not None):
        meant = [*slips(behind, field.one.offered_choices), quote(behind) if behind else ""]
        return Doubt(place, at + bool(behind), f"{field.key}={meant[0]}")
    return None


def _of_another(said: Said, place: int, begin: int, end: int) -> Doubt | None:
    """A place in the log, or somebody else with a value: `d brog 3 a rat wen -2`, `gold ada +5 the inn and wen 3`."""
    words, at = said.words, place + is_join(said.line, place)
    if place + 1 < end and words[place].text.casefold() in PLACES and names_a_turn(words[place + 1].text):
        return Doubt(place, place + 2, said.line.rest(place, place + 2), is_place=True)
    # behind a name alone a number is part of the words: `d brog 2 guard 1`
    is_behind_comma = place > begin and words[place - 1].text.endswith(",")
    is_apart = at > place or is_behind_comma or (place == begin and not said.names)
    is_near = any(is_signed(word.text) for word in words[at + 1 : min(at + LONGEST_TITLE, end)])
    people = name_at(said, at) if is_apart or is_near else None
    if people is None or people[1] >= end:
        return None
    is_tracked = same_letters(words[people[1]].text, tracked_names(said.context.state)) is not None
    if is_tracked and people[1] + 1 < end and is_signed(words[people[1] + 1].text):
        return Doubt(place, end)  # `pip gold +5 brog gold -1`
    number = number_at(said.line, people[1]) if is_signed(words[people[1]].text) else None
    if number is not None and number[1] <= end:
        is_same = words[people[1]].text.translate(SIGNS)[0] == said.grammar.verb.kind.number_sign
        value = f"{said.line.rest(at, people[1])} {abs(number[0])}"
        return Doubt(place, number[1], value if is_same and (place, number[1]) == (begin, end) else "")
    return Doubt(place, end) if is_apart and begins_value(said, people[1]) else None


def _by_value(said: Said, place: int, begin: int, end: int) -> Doubt | None:
    """A value of an open field: a number that a person would fill, a whole name; or what is said of the sheet."""
    for field in said.grammar.fields.values():
        if field not in (said.grammar.words, said.grammar.who) and said.is_open(field):
            at = place + (place + 1 < end and _begins_name(field, said.words[place].text))
            value = _value_of(said, field, at, is_alone=end == begin + 1)
            if value is not None:
                return Doubt(place, at + 1, f"{field.key}={value}")
    if (figure := _figure(said, place, end)) is not None:
        return figure
    if number_at(said.line, place) is not None and any(field.sides_in for field in said.grammar.order):
        return Doubt(place, place + 1)  # what was rolled stands directly behind the dice
    return None


def _begins_name(field: Field, text: str) -> bool:
    """Whether a word begins the name of a field with a number: the `str` of `saves tilda will 27 str 12`."""
    return field.one.shape == "number" and len(text) >= LEAST_OF_A_BEGINNING and field.key.startswith(text.casefold())


def _value_of(said: Said, field: Field, place: int, *, is_alone: bool) -> str | None:
    """A word as it is typed behind the name of a field; None: it is no value of that.

    Any number is one where it is all of the words, and none were asked for: `session open 5`.
    """
    word, words, in_order, one = said.words[place], said.grammar.words, field in said.grammar.order, field.one
    assert words is not None
    if field.turn:
        number = turn_number_of(word.text, said.context.log)
        return f"T{number}" if number is not None else None
    if one.shape == "number":
        counts = in_order or field.dice or field.filled or (is_alone and not words.required)
        return word.text if counts and number_at(said.line, place, signed=False) else None
    names = one.choices or one.values or (None if is_text(field) else said.titles(field)) or ()
    if word.text.isdecimal() and not one.choices:
        # cards may be reported only where they lie on the table
        cards = said.context.system.cards_to_report(said.context.state, said.grammar.verb.kind, field.key, said.whose)
        if not in_order or (one.values is not None and cards is None):
            return None
    whole = (str(name) for name in names if plain_words(str(name)) == plain_words(word.text))
    return next(map(quote, whole), None)


def _figure(said: Said, place: int, end: int) -> Doubt | None:
    """Something of the sheet, or a part of a field's name, with a number behind it: `d brann 4 shield 1`."""
    sheet, words = said.context.state.characters.get(said.whose or ""), said.grammar.words
    if sheet is None or words is None or words.one.written_as is not None or place + 1 >= end:
        return None
    name, number = said.words[place].text.casefold(), said.words[place + 1].text
    if not re.fullmatch(r"\d{1,4}", number):
        return None
    numbers = [field for field in said.grammar.fields.values() if field.kind.shape == "number" and said.is_open(field)]
    meant = [field.key for field in numbers if name in field.key.split("_")]
    own = {*said.context.system.sheet_view(said.context.state, str(said.whose)), *map(key_of, sheet.tracked)}
    if meant or name in own:
        return Doubt(place, place + 2, f"{meant[0]}={number}" if meant else "")
    return None


# -- the lines that can be meant ---------------------------------------------------------------------------------------


def _refusal_with(said: Said, value: str) -> Refusal | Invalid | None:
    """Why a value cannot be what it says, whatever the words are; None: it can."""
    name, _, text = value.partition("=")
    kind, words, loose = said.grammar.verb.kind, said.grammar.words, said.grammar.loose
    if loose is None or words is None or not said.settable(name):
        return None
    fields = {**said.given, loose.key: {name: json_or_text(text)}, words.key: ANY_TEXT}
    return refusal_of(said.context, [action_from(said.context.system.key, {"type": tag_of(kind), **fields})])


def _moved(said: Said, moved: Sequence[Doubt], begin: int, end: int, *, is_all: bool) -> str:
    """The line with these values before the words; in quotes what is left, unless they are all that could be one."""
    words = said.grammar.words
    assert words is not None
    taken = {at for doubt in moved for at in range(doubt.at, doubt.beyond)}
    rest = [at for at in range(begin, end) if at not in taken]
    texts = [said.line.typed(at).removesuffix(",") for at in rest]
    if rest and not is_all:
        is_led = len(rest) > 1 and said.words[rest[0]].text.casefold() in words.led_by
        texts = [*texts[:is_led], quote(" ".join(said.words[at].text for at in rest[is_led:]), always=True)]
    place = [doubt.value for doubt in moved if doubt.is_place]
    values = [doubt.value for doubt in moved if not doubt.is_place]
    return said.line.replaced(begin, end, *values, *texts, *place)


def _either(said: Said, found: Sequence[Doubt], begin: int, end: int) -> LineError:
    """The refusal with the lines that can be meant: the values moved before the words, and the words in quotes."""
    words = said.grammar.words
    assert words is not None
    missing = {field.key for field in said.missing() if field is not words}
    fill = {doubt.value.partition("=")[0] for doubt in found}
    if said.is_default and (begin, begin + 1) == (said.begin, found[0].at) and missing & fill:
        find_name(said.words[begin].text.removesuffix(","), said.context.state.characters)  # `heal Bob 3`
    if missing and not missing & fill and not any(map(said.settable, fill)):
        said.words_at = begin
        check_complete(said)  # as neither line can be read: `roll d% 45`
    number = next((doubt.at for doubt in found if number_at(said.line, doubt.at) is not None), begin)
    if missing & fill and somebody_among_words(tuple(said.context.state.characters), said.line, begin, number):
        raise said.refuse(WHOM, begin)  # `hild damage captain for 2`: whose the number is stands before it
    ways = list[str]()
    before = {said.words[at].text.casefold() for doubt in found for at in range(max(begin, doubt.at - 2), doubt.at)}
    by_field: dict[str, list[Doubt]] = {}
    for doubt in found:
        by_field.setdefault(doubt.value.partition("=")[0], []).append(doubt)
    by_field.pop("", None)
    if by_field and not before & {*DENYING}:  # of two numbers each may be the value
        choices = islice(product(*by_field.values()), MOST_WAYS)
        ways = [_moved(said, moved, begin, end, is_all=len(moved) == len(found)) for moved in choices]
    elif any(field.sides_in for field in said.grammar.order):
        ways = [said.in_quotes(begin - 1)]  # with what was taken as a result: `roll d6 "2 in 6"`
    first = found[0]
    text = said.line.rest(first.at, first.beyond)
    reason = f"{text!r} may be a value or part of the words."
    is_all = sum(doubt.beyond - doubt.at for doubt in found) == end - begin
    if words.required and first.value and is_all:
        refusal = _refusal_with(said, first.value)
        wants = f"If it is {first.value}, {words.key} comes behind it: {takes(said, words)}."
        reason = f"{reason} {wants if refusal is None else refusal}"
    return said.refuse(reason, first.at, *ways, said.in_quotes(begin, end))
