"""Points lost or healed, as people tell it: `wen takes 3 from the cold`, `brog drinks a potion, 3 hp`.

Where the rules have no verb for it, what comes nearest is offered.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from cli.line import tracking
from cli.line.action_roles import action_of_sign, harm_of, points_of
from cli.line.errors import Ambiguous, Misread
from cli.line.offers import TO_KEEP_IT, WHICH, can_be_read, nearest_lines, note_line
from cli.line.phrase import LinePhrase
from cli.line.phrases.goods import lines_of_the_rules, noun_at, of_somebody
from cli.line.phrases.turn_references import standing_actions
from cli.line.values import (
    Context,
    before_a_number,
    behind_unit,
    names_between,
    number_of,
    people_at,
    people_meant_at,
    those_first,
)
from cli.line.verbs import kinds_called, vital_units
from cli.line.vocabulary import (
    AGAINST,
    ARTICLES,
    AT_A_FIGURE,
    BEFORE_POINTS,
    BEING,
    ENDS,
    FOR,
    FROM,
    GETTING,
    GOODS,
    HALF,
    HEALED,
    HEALING_NOUNS,
    HEALING_STEMS,
    LOSING,
    NUMBER_WORDS,
    OWNING,
    RECOVERING,
    SIGN_OF,
    SPENDING,
    TIME_AND_DISTANCE,
    singular,
)
from cli.line.words import Line, Word, quote, rest_of, tokenize
from domain.registry import verb_name
from domain.system.field_schema import fields_of
from domain.turn import Action


class _Points(NamedTuple):
    """So many points that a phrase tells of, and of whom: where the number stands, and what is behind its unit."""

    points: int
    names: list[str]
    place: int
    behind: int


def healing(phrase: LinePhrase) -> Ambiguous | None:
    """What gives so many points back to whoever is named last, as the lines nearest to it; None: nothing does."""
    context, words = phrase.context, phrase.bare
    harm = harm_of(context)
    if harm is None or action_of_sign(context, "+") is not None:
        return None
    if (OWNING & set(words) and "left" not in words) or words[0].startswith(HEALING_STEMS):
        return None
    of_somebody_named = _points_of_somebody(phrase, harm)
    if of_somebody_named is None:
        return None
    points, names, place, behind = of_somebody_named
    has_unit = behind > place + 1
    if has_unit and words[behind - 1] in (verb_name(harm), *harm.synonyms):
        first = names_between(phrase.line, 0, phrase.behind_people, context)
        whom = names if first == names else names[-1:]  # `oswin, hilde: 3 damage`
        return _losses(phrase, harm, whom, points)
    is_figure = words[place - 1] in AT_A_FIGURE or "left" in words[behind:]
    if is_figure and (has_unit or words[place - 2] in BEING):
        return _at_a_figure(phrase, names[-1], points, harm)
    if place == 0 and words[1] in AGAINST and not has_unit:
        return _losses(phrase, harm, names[-1:], points)
    is_given_back = any(word.startswith(HEALING_STEMS) or word in HEALING_NOUNS for word in words)
    if not is_given_back and not has_unit:
        return None
    offer = no_healing(context, quote(names[-1]), points, _what_healed(phrase, place, behind))
    return offer if isinstance(offer, Ambiguous) else None


def _points_of_somebody(phrase: LinePhrase, harm: type[Action]) -> _Points | None:
    """The only number of a phrase, and all whom it names, but as the source; None: it has not both."""
    line, context, words = phrase.line, phrase.context, phrase.bare
    numbers, names, here = list[tuple[int, int]](), list[str](), 0
    while here < len(words):
        people = people_meant_at(line.words, here, context)
        if people is not None:
            is_source = any(word in FROM for word in words[max(0, here - 1) : here])
            names += people[0] if len(people[0]) == 1 and not is_source else ()
            here = people[1]
            continue
        number = None if line.words[here].quoted else number_of(words[here])
        numbers += [(here, number)] if number is not None else []
        here += 1
    if len(numbers) != 1 or not names or numbers[0][1] < 1:
        return None
    place, points = numbers[0]
    return _Points(points, names, place, behind_unit(line.words, place + 1, vital_units(context.system, harm)))


def _losses(phrase: LinePhrase, harm: type[Action], names: Sequence[str], points: int) -> Ambiguous:
    """The loss of so many points, or the words as they are."""
    loss = " ".join([verb_name(harm), *map(quote, names), str(points)])
    return nearest_lines(phrase.context, WHICH, [loss, note_line(phrase.line)])


def _what_healed(phrase: LinePhrase, place: int, behind: int) -> str:
    """What gave points back, of the words around them; `healed` where they say no more than somebody's name."""
    line, context = phrase.line, phrase.context
    begins = place - (phrase.bare[place - 1] in BEFORE_POINTS)
    around = [*line.words[:begins], *line.words[behind:]]
    around = [word for word in around if word.text.casefold() != "back"]
    why = " ".join(word.text.rstrip(",.") for word in _cause(around, context))
    is_name = len(around) < 2 and people_at(tokenize(why).words, 0, context) is not None
    return "healed" if is_name or not why else why


def half_of_the_latest(phrase: LinePhrase) -> Ambiguous | None:
    """`brog takes half`: the amendment of his latest loss, and half of the latest as one of his own; None: no half."""
    line, context, last = phrase.line, phrase.context, phrase.behind_people
    harm = harm_of(context)
    if harm is None or SIGN_OF.get(phrase.bare[last]) != "-" or phrase.bare[last + 1 : last + 2] != (HALF,):
        return None
    together = [(number, loss) for number, loss in standing_actions(context) if type(loss) is harm]
    field = points_of(harm)
    who = next(field for field in fields_of(harm) if field.names == "character")
    if not together:
        return None
    half = getattr(together[0][1], field.name) // 2
    behind = rest_of(line, behind_unit(line.words, last + 2, vital_units(context.system, harm)))
    lines = list[str]()
    for name in names_between(line, 0, last, context):
        lines += [f"T{number} {field.key}={half}" for number, loss in together if getattr(loss, who.name) == name][:1]
        lines.append(" ".join([verb_name(harm), quote(name), str(half), *behind]))
    return nearest_lines(context, WHICH, [*lines, note_line(line)])


def _at_a_figure(phrase: LinePhrase, name: str, points: int, harm: type[Action]) -> Ambiguous | None:
    """`brog is at 3 hp`, `brog drops to 3 hp`: the loss that makes so many, and the referee's word; None: no figure."""
    context = phrase.context
    figure = getattr(context.state.characters[name], context.system.vital[0], None)
    if not isinstance(figure, int):
        return None
    lines = [f"{verb_name(harm)} {quote(name)} {figure - points}"] if points < figure else []
    overrides = _overrides(context, quote(name), points - figure, "as said at the table")
    return nearest_lines(context, WHICH, [*lines, *overrides, note_line(phrase.line)])


def _cause(words: Sequence[Word], context: Context) -> Sequence[Word]:
    """What gave the points back, of all that is said around them: `a potion` of `brog drinks a potion and`."""
    end = len(words)
    while end and words[end - 1].text.casefold() in BEFORE_POINTS:
        end -= 1
    title = people_at(words, 0, context) if words else None
    begin = title[1] if title is not None else 0
    if begin < end and words[begin].text.casefold() not in SPENDING:
        return words[:end]
    return words[begin + 1 : end]


def loss_or_healing(line: Line, last: int, whom: str, context: Context) -> Line | None:
    """`wen takes 3 from the cold`, `wen -3`, `wen heals 2`: the system's own loss and healing, of a number of points.

    Raises Ambiguous for a number of something else.
    """
    sign, points, number = _loss_or_healing_at(line, last, context)
    if not sign:
        return None
    kind = action_of_sign(context, sign)
    behind = behind_unit(line.words, number + 1, vital_units(context.system, kind) if kind is not None else ())
    noun = noun_at(line, behind, context) if behind == number + 1 else ""
    if noun and singular(noun.casefold()) in TIME_AND_DISTANCE:
        return None  # `we take 10 minutes`
    if noun and number > last and (by_rules := lines_of_the_rules(line, last, whom, points, noun, context)):
        raise nearest_lines(context, WHICH, by_rules)
    lines = []
    if kind is not None:
        victim = before_a_number(line, 0, last, context)
        # what stands behind a comma may be another line
        amount = (
            f"{points}," if line.words[behind - 1].text.endswith(ENDS) and behind < len(line.words) else str(points)
        )
        lines = [" ".join([verb_name(kind), victim, amount, *_behind_points(line, number, kind, context)])]
    if noun and _may_be_goods(noun, line.words[last].text, kind, context):
        things = _as_goods(line, last, number, noun, context)
        if things or kind is not None:
            raise nearest_lines(
                context, f"{points} {noun}: which do you mean?", [*(things or [note_line(line)]), *lines]
            )
    if not lines and noun:
        return None
    if not lines:
        error = no_healing(context, whom, points)
        if isinstance(error, Ambiguous) or line.words[last].text.casefold() not in BEING:
            raise error
        raise nearest_lines(context, error.reason, [note_line(line)], TO_KEEP_IT)
    has_words = kind is not None and number > last and behind < len(line.words) and not _keeps_words(kind)
    if kind is not None and has_words and not can_be_read(context, tokenize(lines[0])):
        alone = f"{verb_name(kind)} {whom} {points}"
        raise nearest_lines(context, f"{verb_name(kind)} cannot record what caused it", [alone, note_line(line)])
    return tokenize(lines[0])


def _may_be_goods(noun: str, word: str, kind: type[Action] | None, context: Context) -> bool:
    """Whether a number of something may be no points: `loses 10 gold`, `takes 3 arrows`, and not `-2 ghoul`."""
    return (
        kind is None
        or word.casefold() in LOSING
        or noun.casefold() in GOODS
        or (word.casefold() in SIGN_OF and singular(noun) != noun)
        or tracking.like_tracked(noun, context) is not None
    )


def _as_goods(line: Line, last: int, number: int, noun: str, context: Context) -> list[str]:
    """The lines that keep so much more or less of something: `takes 40 gold`, `+50 xp`. Raises Refusal."""
    who, names = those_first(line, last, context)
    if number > last:
        return of_somebody(line, last, who, names, context)
    again = tokenize(" ".join([who, noun, line.words[last].text, *rest_of(line, last + 2)]))
    return of_somebody(again, last, who, names, context)


def _loss_or_healing_at(line: Line, at: int, context: Context) -> tuple[str, int, int]:
    """Whether a number is lost ("-") or healed ("+") at a place, how many, and where the number stands; "": neither."""
    words = [word.text.casefold() for word in line.words]
    if re.fullmatch(r"[+-][0-9]{1,15}", words[at]):
        return words[at][0], abs(int(words[at])), at
    here = at + (words[at] in BEING and not HEALED.isdisjoint(words[at + 1 : at + 2]))
    sign = "+" if here > at else SIGN_OF.get(words[at], "")
    if words[at] in GETTING and words[at + 2 : at + 3] == ["damage"]:
        sign = "-"
    if words[at] in RECOVERING and behind_unit(line.words, at + 2, _units(context)) > at + 2:
        sign = "+"
    here += 1 + (sign == "+" and words[here + 1 : here + 2] == [FOR])
    if not sign or here >= len(words):
        return "", 0, at
    points = number_of(words[here])
    if points is None and behind_unit(line.words, here + 1, _units(context)) > here + 1:
        points = NUMBER_WORDS.get(words[here])
        if words[here] in ARTICLES and here + 2 < len(words) and words[here + 2] in BEFORE_POINTS:
            points = None  # `takes a hit for 4`
    return ("", 0, at) if points is None else (sign, points, here)


def _units(context: Context) -> set[str]:
    """What counts the points that are lost or healed under these rules."""
    return {unit for kind in context.system.actions if kind.number_sign for unit in vital_units(context.system, kind)}


def _keeps_words(kind: type[Action]) -> bool:
    """Whether an action has a place for what did it."""
    return any(field.remark for field in fields_of(kind))


def _behind_points(line: Line, number: int, kind: type[Action], context: Context) -> list[str]:
    """The words behind the points that stand at a place, without what counts them and without `from`."""
    behind = behind_unit(line.words, number + 1, vital_units(context.system, kind))
    return rest_of(line, behind + (behind + 1 < len(line.words) and line.words[behind].text.casefold() in FROM))


def loss_of_nobody(phrase: LinePhrase) -> Ambiguous | None:
    """The line for each, of a loss or healing that names nobody; None: it is none."""
    return of_nobody(phrase.line, phrase.context)


def of_nobody(line: Line, context: Context) -> Ambiguous | None:
    """A loss or healing of which nobody is named, `loses 2 stamina`, as the line for each; None: it is none."""
    sign, points, number = _loss_or_healing_at(line, 0, context)
    kind = action_of_sign(context, sign) if sign else None
    if kind is None or number_of(line.words[0].text) is not None:
        return None
    has_unit = behind_unit(line.words, number + 1, vital_units(context.system, kind)) > number + 1
    noun = "" if has_unit else noun_at(line, number + 1, context)
    if noun and _may_be_goods(noun, line.words[0].text, kind, context):
        return None  # `take 2 coins`
    source = _behind_points(line, number, kind, context) if _keeps_words(kind) else []
    names = [name for name in context.able() if name in context.own()]
    lines = [" ".join([verb_name(kind), quote(name), str(points), *source]) for name in names]
    return nearest_lines(context, f"Who {line.rest(0, len(line.words)).rstrip('.?!')}?", [*lines, note_line(line)])


def no_healing(
    context: Context, whom: str, points: int | None, why: str = "healed", lines: Sequence[str] = ()
) -> Misread:
    """Nothing gives back points by themselves under these rules: what does something like it, or these lines."""
    reason = f"{context.system.key} has no verb that restores {context.system.vital[1]} alone"
    overrides = _overrides(context, whom, points, why) if points is not None else []
    offer = nearest_lines(context, reason, [*overrides, *(lines or _rests(context, whom, points))])
    return offer if offer.choices else Misread(offer.reason, 0)


def _rests(context: Context, whom: str, points: int | None) -> list[str]:
    """The rests that heal, with the number as their die and without it: what is hoped for is no die that was rolled."""
    rests = [verb_name(kind) for kind in kinds_called(context.system.key, "heal")]
    return [f"{rest} {whom}{die}" for rest in rests for die in (f" {points}", "")]


def _overrides(context: Context, whom: str, points: int, why: str) -> list[str]:
    """The referee's word, where it is one person whose figure is a number."""
    field, people = context.system.vital[0], people_at(tokenize(whom).words, 0, context)
    if people is None or len(people[0]) != 1:
        return []
    value_now = getattr(context.state.characters[people[0][0]], field, None)  # what is derived cannot be overridden
    if not isinstance(value_now, int):
        return []
    system, state, name = context.system, context.state, people[0][0]
    figures = system.figures(state, name, dict(system.sheet_view(state, name)))
    most = next((figure.full for figure in figures if figure.vital), None)
    now = value_now + points if most is None or points > most else min(value_now + points, most)
    words = quote(why, always=True) if " by " in why else why  # `by Agnes` may say whose line it is
    return [f"override {whom} {field}={now} {words}"] if now != value_now else []
