"""Lines about what no rules keep (gold, experience, torches, spells), as the lines that keep it.

Where a number of something is said that is `track …`, with where it comes from; anything else is a note.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cli.line.phrase import LinePhrase
from cli.line.tracking import like_tracked
from cli.line.values import Context, number_of, people_at, people_meant_at, somebody_meant
from cli.line.vocabulary import (
    ALL,
    APIECE,
    BEFORE_A_NUMBER,
    GAINING,
    GIVEN_FOR,
    NUMBER_WORDS,
    OPENERS,
    OWNING,
    PARTY,
    PIECES,
    SPENDING,
    TIME_AND_DISTANCE,
    singular,
)
from cli.line.words import Line, next_of_several, quote, rest_of, words_to_type
from domain.common.tracking import Track, must_be_free, tracked_names
from domain.naming import LITTLE, called, find_name, same_letters
from domain.refusal import Refusal
from domain.registry import verb_name
from domain.system.field_schema import fields_of


class Count(NamedTuple):
    """A number of something within a line, and the places around it."""

    number: int
    noun: str
    begin: int
    end: int


def of_somebody(line: Line, last: int, who: str, names: Sequence[str], context: Context) -> list[str]:
    """The lines that keep a number of something, said of those before the place `last`; `who` names them in a line.

    Raises Refusal for what the rules keep themselves.
    """
    word = line.words[last].text.casefold()
    if word in GAINING | SPENDING | OWNING:
        count = first_count(line, last + 1, context)
        if count is not None and singular(count.noun.casefold()) in TIME_AND_DISTANCE:
            return []  # `we take 10 minutes`
        return [] if count is None else list(_changes(line, last, who, names, count, context))
    number = _number(line, last + 1)
    if number is None or not word.isalpha() or line.words[last].quoted:
        return []
    if line.words[last + 1].text[0] not in "+-" and noun_at(line, last + 2, context):
        return []  # `casts 2 spells`: nobody knows whether that is more or less
    for name in names:
        _must_be_unkept(context, name, word)
    noun = like_tracked(word, context)
    if noun is None and line.words[last + 1].text[0] == "-":
        return []
    noun = noun or word
    source = rest_of(line, last + 2)
    return [" ".join([verb_name(Track), *whom, noun, line.words[last + 1].text, *source]) for whom in _whose(who)]


def of_something(line: Line, at: int, context: Context) -> list[str]:
    """The lines that keep what begins with a noun or a verb: `torches 6`, `gold hob +3`, `light a torch`.

    Raises Refusal for somebody who is not there.
    """
    words, word = line.words, line.words[at].text
    if word.casefold() in GAINING | SPENDING:
        count = first_count(line, at + 1, context)
        return [] if count is None else list(_changes(line, at, "", (), count, context))
    if not word.isalpha() or word.casefold() in OPENERS or at + 1 >= len(words):
        return []
    people = people_meant_at(words, at + 1, context)
    here = people[1] if people is not None else at + 1
    if people is None and _number(line, here) is None:
        if _number(line, here + 1) is not None and words[here + 1].text[0] in "+-":
            find_name(words[here].text, context.state.characters)
        return []
    number = _number(line, here)
    if number is None or noun_at(line, here + 1, context) or _number(line, here + 1) is not None:
        return []
    if words[here].text[0] == "-":
        return []  # nobody has any of it yet
    for name in people[0] if people is not None else (None,):
        _must_be_unkept(context, name, word)
    who = [word.text for word in words[at + 1 : here]]  # in quotes it were what is tracked
    return [" ".join([verb_name(Track), *who, word, words[here].text, *rest_of(line, here + 1)])]


def _must_be_unkept(context: Context, name: str | None, noun: str) -> None:
    """Raise Refusal for what the rules keep themselves, with what changes it and still lacks a value."""
    try:
        must_be_free(context.system, context.state, name, noun)
    except Refusal as error:
        raise Refusal(error.rule, error.reason, [choice for choice in error.choices if choice.asks]) from None


def _number(line: Line, at: int) -> int | None:
    return None if at >= len(line.words) or line.words[at].quoted else number_of(line.words[at].text)


def noun_at(line: Line, at: int, context: Context) -> str:
    """What is counted, where a word at a place may be that; nothing where it may not."""
    if at >= len(line.words) or line.words[at].quoted:
        return ""
    word = line.words[at].text.rstrip(".,;!")
    if not word.isalpha() or word.casefold() in LITTLE or somebody_meant(line.words, at, context):
        return ""
    return like_tracked(word, context) or word


def first_count(line: Line, first: int, context: Context) -> Count | None:
    """The first number of something from a place on; words for a number count what is tracked already."""
    for at in range(first, len(line.words) - 1):
        number, noun = _number(line, at), noun_at(line, at + 1, context)
        if number is None and same_letters(noun, tracked_names(context.state)) is not None:
            number = NUMBER_WORDS.get(line.words[at].text.casefold())
        if number and noun:
            end = at + 2
            end += end < len(line.words) and line.words[end].text.casefold().rstrip(".,;") in PIECES
            return Count(abs(number), noun, at, end)
    return None


def _whose(who: str) -> list[list[str]]:
    """Whose it is, as words of a line: what a whole group has may also be the table's."""
    if who in PARTY:
        return [[], [who]]
    return [[who], []] if who in ALL else [[who]]


def _others(line: Line, end: int, noun: str, context: Context) -> tuple[list[tuple[str, int]] | None, int]:
    """The others who have a number of the same behind somebody: `20 gold and hob 10 gold`, and the place behind them.

    None: somebody has a number of something else.
    """
    others: list[tuple[str, int]] = []
    while True:
        place = next_of_several(line.words, end)
        if place is None or not somebody_meant(line.words, place, context):
            return others, end
        people = people_at(line.words, place, context)
        behind = people[1] if people is not None else place
        behind += behind < len(line.words) and line.words[behind].text.casefold() in GAINING
        number = _number(line, behind)
        if people is None or number is None:
            return others, end
        thing = noun_at(line, behind + 1, context)
        if thing and not same_letters(thing, (noun,)):
            return None, end
        others += [(name, abs(number)) for name in people[0]]
        end = behind + 1 + bool(thing)


def lines_of_the_rules(line: Line, verb: int, who: str, number: int, noun: str, context: Context) -> list[str]:
    """The lines of what the rules count in this unit, for somebody who gets so many: `picks up 3 coins`."""
    if line.words[verb].text.casefold() not in GAINING:
        return []
    return [
        " ".join([verb_name(kind), *([who] if who else []), str(number), noun])
        for kind in context.system.actions
        for field in fields_of(kind)
        if field.in_order and not kind.only_when_pending and noun.casefold() in field.units
    ]


def _rewards(line: Line, verb: int, who: str, count: Count, context: Context) -> Iterator[str]:
    """The lines of what the rules give somebody, called by its field or by what that holds: `1 experience`."""
    word, noun = line.words[verb].text.casefold(), count.noun.casefold()
    if word not in GAINING or not who:
        return
    behind = count.end + (count.end < len(line.words) and line.words[count.end].text.casefold() in GIVEN_FOR)
    why = [*words_to_type(line, verb + 1, count.begin), *rest_of(line, behind)]
    for kind in context.system.actions:
        fields = fields_of(kind)
        if any(field.remark for field in fields) and [field.names for field in fields if field.required] == [
            "character"
        ]:
            for field in fields:
                is_it = noun in (field.key.casefold(), field.description.casefold())
                if is_it and field.kind.shape == "number" and not field.required:
                    yield " ".join([verb_name(kind), who, f"{field.key}={count.number}", *why])


def _changes(line: Line, verb: int, who: str, names: Sequence[str], count: Count, context: Context) -> Iterator[str]:
    """The lines for so much more or less; of two people where one gives it to the other."""
    word, noun, is_group = line.words[verb].text.casefold(), count.noun, who in (*ALL, *PARTY)
    if by_rules := lines_of_the_rules(line, verb, who, count.number, noun, context):
        yield from by_rules
        return
    everybody = quote(",".join(names)) if len(names) > 1 and not is_group else who
    if rewards := list(_rewards(line, verb, everybody, count, context)):
        yield from rewards
        return
    for name in names:
        _must_be_unkept(context, name, noun)
    to, behind = _receiver(line, verb, names, count, context)
    end = max(count.end, behind)
    end += end < len(line.words) and line.words[end].text.casefold().rstrip(".,;") in APIECE
    others, beyond = _others(line, end, noun, context) if not to else ([], end)
    source = [*_words_before(line, max(verb + 1, behind), count.begin), *rest_of(line, beyond)]
    is_tables = same_letters(noun, context.state.table.tracked) is not None
    is_owned = any(same_letters(noun, context.state.characters[name].tracked) for name in names)
    if word in SPENDING and not is_owned and not is_tables:
        if to:  # nobody has any of it yet, and from then on one has
            yield _track(to, noun, f"+{count.number}", *(source or [who]))
        return
    sign = "" if word in OWNING else "+" if word in GAINING else "-"
    change = f"{sign}{count.number}"
    if to:
        yield _track(who, noun, change, to, f"+{count.number}", *source)
        return
    if others is None:
        return  # somebody else has something of another kind: that is two lines
    parts = [f"{name} {change}" for name in names[1:] if not is_group]
    parts += [f"{name} {sign}{number}" for name, number in others]
    if parts:
        yield _track(names[0] if len(names) > 1 and not is_group else who, noun, change, *parts, *source)
    elif is_tables and not is_owned:
        yield _track(noun, change, who, *source)
    else:
        for whom in _whose(who):
            yield _track(*whom, noun, change, *source)


def _track(*words: str) -> str:
    """The line that keeps something, of these words."""
    return " ".join([verb_name(Track), *filter(None, words)])


def _receiver(line: Line, verb: int, names: Sequence[str], count: Count, context: Context) -> tuple[str, int]:
    """To whom somebody gives it, in words, and the place behind them: `gives hob 5 gold`; nothing: to nobody."""
    if line.words[verb].text.casefold() not in SPENDING or len(names) != 1:
        return "", 0
    place = verb + 1
    if count.begin == place:
        place = count.end + (count.end < len(line.words) and line.words[count.end].text == "to")
    people = people_meant_at(line.words, place, context)
    if people is None or not people[0] or names[0] in people[0]:
        return "", 0
    return " ".join(word.text for word in line.words[place : people[1]]), people[1]


def _words_before(line: Line, begin: int, number: int) -> list[str]:
    """The words from a place up to a number, without those that lead to it."""
    while number > begin and line.words[number - 1].text.casefold() in BEFORE_A_NUMBER:
        number -= 1
    return words_to_type(line, begin, number)


def override_of_the_tracked(phrase: LinePhrase) -> Refusal | None:
    """The refusal of an override of what is tracked, whatever else its line lacks; None: it overrides no such thing."""
    line, at, context = phrase.line, phrase.at, phrase.context
    for word in line.words[at:]:
        name, sign, value = word.text.partition("=")
        tracked_name = same_letters(name, tracked_names(context.state)) if sign and not word.quoted else None
        if tracked_name is not None:
            text = f"{verb_name(Track)} {line.words[at].text} {quote(tracked_name)} {quote(value)}"
            return Refusal(
                None, f"{called(tracked_name)} is tracked beside the rules, so no override is needed: {text}"
            )
    return None
