"""Blows as people tell them: `oswin hits skeleton 3`, `a goblin bites agnes for 4`, `hilda is hit for 5 by a ghoul`.

Whoever is struck is whom the verb of the rules is about, wherever they stand in the line: whoever strikes is never hurt
by what they do.
"""

from difflib import get_close_matches
from typing import NamedTuple

from cli.line.errors import Ambiguous, Missing, Unclear
from cli.line.offering import nearest_lines, note_line
from cli.line.phrase import LinePhrase
from cli.line.table import behind_unit, vital_units
from cli.line.values import (
    Context,
    before_a_number,
    number_of,
    people_at,
    somebody_meant,
    title_behind_article,
    without_article,
    without_number,
)
from cli.line.verbs import verb_name
from cli.line.vocabulary import AGAINST, ANOTHER, BEING, DEALING, FOR, FROM, STRIKING, STRUCK, SUFFERING
from cli.line.words import Line, next_of_several, quoted, rest_of, split_at_joins, typed, written
from domain.choice import Choice
from domain.naming import key_of
from domain.system.field_schema import Field, fields_of
from domain.turn import Action

#: Said of a foe of whom the log keeps nothing.
NO_FOE = "{} keeps no hit points of a foe that is not enrolled"
#: A word is as like a name as this, from 0 to 1, where it may be misspelt: `1Hob`.
LIKE_A_SLIP = 0.75
#: What names whoever strikes in so many words at most.
LONGEST_STRIKER = 5


class _Blow(NamedTuple):
    """The points of a blow, as a number and as they were typed, and the words around them: up to them, and behind."""

    points: int | None
    typed: str
    before: int
    behind: int


def blow_at(line: Line, at: int, context: Context, note: str) -> Line | None:
    """The line of the rules for a blow by or upon those whom the words up to `at` name; None: there is no blow in it.

    `note` keeps the line as it is.

    Raises Ambiguous where either side may be meant, or where the log keeps nothing of the foe.
    """
    harm = harm_of(context)
    if harm is None:
        return None
    words = [word.text.casefold().rstrip(",") for word in line.words]
    being = words[at] in BEING
    place = at + being
    if place >= len(words):
        return None
    tells = words[place] in (STRUCK if being else STRIKING | STRUCK)
    deals = not being and words[place] in DEALING and _deals(line, place + 1, context)
    if not tells and not deals and (being or not _has_an_object(line, place, harm)):
        return None
    whom, first = _words(line, 0, at), place + 1
    try:
        blow = _points(line, first, context, harm)
    except Ambiguous:
        if (attack := _upon_a_thing(line, words[place], whom, first, context)) is not None:
            return attack
        raise
    if being or words[first : first + 1] == ["by"] or words[blow.behind : blow.behind + 1] == ["by"]:
        return _loss_of_the_struck(line, whom, first, blow, context, harm)
    target = _target(line, first, blow, context)
    if target is not None:
        return _loss_by(line, whom, target, blow, context, harm)
    strikes = _as_strike(line, words[place], whom, first, blow, context)
    if isinstance(strikes, Line):
        return strikes
    losses = []
    if words[place] in STRUCK and blow.points is not None and blow.before == first:
        losses = [" ".join([verb_name(harm), whom, str(blow.points), *_source(line, first, blow, harm)])]
    reason = NO_FOE.format(context.system.key)
    if losses or strikes:
        reason = "Who strikes, and who is struck?"
    raise nearest_lines(context, reason, [*losses, *strikes, note])


def blow_of_a_foe(phrase: LinePhrase) -> Line | None:
    """The line for a blow by somebody whom the log need not know; None: the phrase begins with none."""
    return foe_first(phrase.line, phrase.context)


def foe_first(line: Line, context: Context) -> Line | None:
    """The line for a blow by somebody whom the log need not know: `a goblin hits old tom for 3`; None: it is none."""
    harm = harm_of(context)
    if harm is None:
        return None
    for at in range(1, min(LONGEST_STRIKER + 1, len(line.words) - 1)):
        word = line.words[at].text.casefold()
        if word not in STRIKING | STRUCK:
            continue
        names = tuple(context.state.characters)
        another = line.words[0].text.casefold() in ANOTHER and not without_article(line.words, 0, names)
        if not another and any(somebody_meant(line.words, before, context) for before in range(at)):
            return None
        who = _words(line, 0, at)
        blow = _points(line, at + 1, context, harm)
        target = _target(line, at + 1, blow, context)
        if target is None:
            return None
        attack = _of_the_foe(line, at, target, context)
        if attack is not None:
            return attack
        if at == 1 and (meant := _striker_meant(line, context)) is not None:
            losses = [
                _loss_by(line, name, target, blow, context, harm).text for name in (meant, quoted(who, always=True))
            ]
            raise nearest_lines(context, f"There is no character {who!r}; did you mean {meant}?", losses)
        if _remark(harm) is None:
            loss = (
                [_loss_line(context, harm, _words(line, *target), blow.points, []).text]
                if blow.points is not None
                else []
            )
            reason = f"{context.system.key} knows nobody called {who}"
            raise nearest_lines(context, reason, [*loss, note_line(line)])
        return _loss_by(line, who, target, blow, context, harm)
    return None


def _striker_meant(line: Line, context: Context) -> str | None:
    """Whose name the first word nearly is; None: nobody's."""
    by_key = {key_of(name): name for name in context.state.characters}
    close = get_close_matches(key_of(line.words[0].text), by_key, n=1, cutoff=LIKE_A_SLIP)
    return by_key[close[0]] if close and not line.words[0].quoted else None


def harm_of(context: Context) -> type[Action] | None:
    """The action of whoever loses points, under these rules."""
    return next((kind for kind in context.system.actions if kind.sign == "-"), None)


def _has_an_object(line: Line, at: int, harm: type[Action]) -> bool:
    """Whether the verb of whoever loses points stands before somebody or something: `hilda damage goblin 5`."""
    called_so = {verb_name(harm), *harm.shorts, *harm.also_called} - SUFFERING
    behind = line.words[at + 1 : at + 2]
    is_object = bool(behind) and not behind[0].quoted and behind[0].text.isalpha() and behind[0].text != FOR
    return line.words[at].text.casefold() in called_so and is_object


def _deals(line: Line, at: int, context: Context) -> bool:
    """Whether a number, and whoever loses so many, stand behind a verb."""
    is_number = at < len(line.words) and number_of(line.words[at].text) is not None
    places = range(at + 1, len(line.words) - 1)
    to = next((place for place in places if line.words[place].text.casefold() in AGAINST), None)
    return is_number and to is not None and target_at(line, to, context) is not None


def _remark(kind: type[Action]) -> Field | None:
    return next((field for field in fields_of(kind) if field.remark), None)


def _words(line: Line, begin: int, end: int) -> str:
    return " ".join(written(line, at) for at in range(begin, end))


def _points(line: Line, first: int, context: Context, harm: type[Action]) -> _Blow:
    """The points from a place on, with the places before `for` and behind what they count.

    A number behind `for`, before what it counts or behind whoever is struck is one; any other only where it is alone.
    Raises Ambiguous for several others.
    """
    units, others = vital_units(context.system, harm), list[_Blow]()
    at, named = first, first
    while at < len(line.words):
        if (beyond := _behind_a_name(line, at, context)) > at:
            at = named = beyond
            continue
        points = None if line.words[at].quoted else number_of(line.words[at].text)
        if points is not None and points >= 0:
            leads = at > first and line.words[at - 1].text.casefold() == FOR
            blow = _Blow(points, line.words[at].text, at - leads, behind_unit(line.words, at + 1, units))
            if leads or at == named or blow.behind > at + 1:
                return blow
            others.append(blow)
        at += 1
    if len(others) > 1:
        numbers = " ".join(line.words[other.behind - 1].text for other in others)
        raise Ambiguous(
            f"Which of {numbers} are the points? Say them last, like for 3.", f"Which of {numbers} are the points?", []
        )
    return others[0] if others else _Blow(None, "", len(line.words), len(line.words))


def _behind_a_name(line: Line, at: int, context: Context) -> int:
    """The place behind somebody who is named at a place, with a number that is part of the name; else the same."""
    if not somebody_meant(line.words, at, context):
        return at
    try:
        found = people_at(line.words, at, context)
    except Unclear:
        return at
    return at if found is None else found[1]


def _target(line: Line, first: int, blow: _Blow, context: Context) -> tuple[int, int] | None:
    """The places of those who are struck: before the points, or, where nothing stands there, behind them."""
    for at in (first, *((blow.behind,) if blow.before == first else ())):
        here = at + (at < len(line.words) and line.words[at].text.casefold() in AGAINST)
        here = without_article(line.words, here, tuple(context.state.characters))
        beyond = here
        place: int | None = here
        while somebody_meant(line.words, beyond if place is None else place, context):
            found = people_at(line.words, beyond if place is None else place, context)
            if found is None or place is None:
                break
            beyond = found[1]
            place = next_of_several(line.words, beyond)
        if beyond > here:
            return here, beyond
    return None


def target_at(line: Line, first: int, context: Context) -> tuple[int, int] | None:
    """The places of those who are named from a place on; None: nobody is."""
    return _target(line, first, _Blow(None, "", len(line.words), len(line.words)), context)


def _source(line: Line, first: int, blow: _Blow, harm: type[Action]) -> list[str]:
    """All words around the points, as where they come from; none where the rules keep no such thing."""
    behind = blow.behind + (blow.behind < len(line.words) and line.words[blow.behind].text.casefold() in FROM)
    before = [written(line, at) for at in range(first, blow.before)]
    before = before[1:] if before and before[0].casefold() in FROM else before
    return [*before, *rest_of(line, behind)] if _remark(harm) is not None else []


def _loss_of_the_struck(line: Line, whom: str, first: int, blow: _Blow, context: Context, harm: type[Action]) -> Line:
    """The line of whoever is struck. Raises Ambiguous where it has no place for whoever strikes."""
    loss = _loss_line(context, harm, whom, blow.points, _source(line, first, blow, harm))
    if _remark(harm) is None and (blow.before > first or blow.behind < len(line.words)):
        raise nearest_lines(context, f"{verb_name(harm)} keeps the points and nothing more", [loss.text])
    return loss


def _loss_by(line: Line, who: str, target: tuple[int, int], blow: _Blow, context: Context, harm: type[Action]) -> Line:
    """The line of whoever is struck by somebody who is named first."""
    attacks = _attacks(context)
    if _remark(harm) is None and attacks:
        return typed(" ".join([verb_name(attacks[0]), who, *rest_of(line, target[0])]))
    between = [written(line, at) for at in range(target[1], blow.before)] if target[1] < blow.before else []
    behind = max(blow.behind, target[1])
    further: list[str] = []
    while (more := _one_more(line, behind, context, harm)) is not None:
        further, behind = [*further, more[0]], more[1]
    return _loss_line(
        context, harm, _words(line, *target), blow.points, [*further, who, *between, *rest_of(line, behind)]
    )


def _one_more(line: Line, behind: int, context: Context, harm: type[Action]) -> tuple[str, int] | None:
    """Somebody else who is struck with points of their own behind those of another, and the place behind these."""
    place = next_of_several(line.words, behind)
    target = target_at(line, place, context) if place is not None else None
    blow = _points(line, target[1], context, harm) if target is not None else None
    if target is None or blow is None or blow.points is None or blow.before != target[1]:
        return None
    return f"{before_a_number(line, *target, context)} {blow.points}", blow.behind


def _loss_line(context: Context, harm: type[Action], whom: str, points: int | None, source: list[str]) -> Line:
    """The line of the rules. Raises Missing for one without its points."""
    if points is None and (found := people_at(typed(whom).words, 0, context)) is not None:
        bare = without_number(found[0][-1], tuple(context.state.characters))
        if bare is not None:
            number, field = (
                found[0][-1].split()[-1],
                next(own for own in fields_of(harm) if own.kind.shape == "number"),
            )
            text = " ".join([verb_name(harm), quoted(bare), f"{field.key}={number}", *source])
            raise nearest_lines(context, f"How much does {found[0][-1]} lose, or does {bare} lose {number}?", [text])
    if points is None:
        field = next(field for field in fields_of(harm) if field.required and field.kind.shape == "number")
        like = " ".join([verb_name(harm), whom, "3", *source])
        raise Missing("How much is it?", [field], of=Choice(harm, {}, (field.key,)), like=[like])
    struck = before_a_number(typed(whom), 0, len(typed(whom).words), context)
    return typed(" ".join([verb_name(harm), struck, str(points), *source]))


def _attacks(context: Context) -> list[type[Action]]:
    """The actions of whoever strikes, under rules that have them."""
    return [
        kind
        for kind in context.system.actions
        if kind.sign != "-" and {"attack", "hit"} & {verb_name(kind), *kind.also_called}
    ]


def attack_upon_the_first_foe(context: Context) -> str:
    """An attack of the first of us upon the first whom the log lists; "" where it lists nobody."""
    names = [name for name in context.able() if name in context.own()]
    for kind in _attacks(context):
        for field in fields_of(kind):
            foes = context.system.proposals(context.state, kind, field.key, None) if field.added_by is not None else ()
            if foes and names:
                return " ".join([verb_name(kind), quoted(names[0]), quoted(foes[0])])
    return ""


def attacks_upon_a_foe(line: Line, at: int, context: Context) -> list[str]:
    """The attacks of each of us upon whom the log lists and a line names at a place; none where it names nobody."""
    lines: list[str] = []
    for kind in _attacks(context):
        listed = [field for field in fields_of(kind) if field.added_by is not None]
        known = [context.system.proposals(context.state, kind, field.key, None) or () for field in listed]
        try:
            found = title_behind_article(line.words, at, known[0]) if known else None
        except Unclear:
            continue
        names = [name for name in context.able() if name in context.own()] if found is not None else []
        lines += [" ".join([verb_name(kind), quoted(name), quoted(found[0])]) for name in names if found is not None]
    return lines


def _upon_a_thing(line: Line, word: str, who: str, first: int, context: Context) -> Line | None:
    """The line of an attack upon what has no more than a name, with its words as they are; None: there is no such.

    What is a number of the attack, and what is none, the reader of that line knows.
    """
    for kind in _attacks(context):
        if _is_called(kind, word) and (remark := _remark(kind)) is not None and remark.thing:
            return typed(" ".join([verb_name(kind), who, *rest_of(line, first)]))
    return None


def _is_called(kind: type[Action], word: str) -> bool:
    """Whether a word for a blow is one for an action."""
    return bool({word, word.removesuffix("s")} & {verb_name(kind), *kind.also_called})


def _as_strike(line: Line, word: str, who: str, first: int, blow: _Blow, context: Context) -> Line | list[str]:
    """The line of whoever strikes; those that may be meant, where the rules call it otherwise."""
    doers = typed(who)
    things = split_at_joins(doers.words, 0, len(doers.words))
    names = (" ".join(written(doers, at) for at in places) for places in things)
    strikers = [name for together in names for name in together.split(",") if name]
    lines = []
    for kind in _attacks(context):
        takes_points = any(field.in_order and field.kind.shape == "number" for field in fields_of(kind))
        if takes_points and blow.points is not None:
            whom = [written(line, at) for at in range(first, blow.before)]
            words = [blow.typed, *whom, *rest_of(line, blow.behind)]
        else:
            words = rest_of(line, first)
        manner = _manner(kind, word)
        if not takes_points and blow.points is not None and blow.before > first and _is_for(line, blow):
            # the rules roll for the blow: the points that are said are no card and no die
            words = [*(written(line, at) for at in range(first, blow.before)), *rest_of(line, blow.behind)]
            striking = [" ".join([verb_name(kind), striker, *words, *manner]) for striker in strikers]
            raise nearest_lines(
                context, f"{verb_name(kind)} takes no points: cards and dice decide", [*striking, note_line(line)]
            )
        lines += [" ".join([verb_name(kind), striker, *words, *manner]) for striker in strikers]
        called_so = manner or _is_called(kind, word)
        if called_so and blow.before > first and len(strikers) == 1:
            return typed(lines[-1])
    return lines


def _is_for(line: Line, blow: _Blow) -> bool:
    """Whether the points of a blow stand behind `for`."""
    return blow.before < len(line.words) and line.words[blow.before].text.casefold() == FOR


def _whom(line: Line, target: tuple[int, int], context: Context) -> list[str]:
    """The words from those who are struck on; several as one word, so that each is struck."""
    names: list[str] = []
    here, beyond = target
    are_several = len(split_at_joins(line.words, here, beyond)) > 1
    while are_several and here < beyond:
        found = people_at(line.words, here, context)
        names += found[0] if found is not None else ()
        here = found[1] if found is not None else here + 1
    return [quoted(",".join(names)), *rest_of(line, beyond)] if names else rest_of(line, target[0])


def _manner(kind: type[Action], word: str) -> list[str]:
    """What the word for a blow says of how it is dealt: `shoots`, where the rules tell a shot from other attacks."""
    return [f"{field.key}={field.kind.also_said[word]}" for field in fields_of(kind) if word in field.kind.also_said]


def of_the_foe(line: Line, start: int, context: Context) -> Line | None:
    """The attack of a foe that a line names behind its verb, before whoever is struck: `attack wolf lark`."""
    for at in range(start + 1, len(line.words)):
        whom = target_at(line, at, context)
        if whom is not None and whom[0] == at and line.words[start - 1].text.isalpha():
            turned = typed(" ".join([_words(line, start, at), line.words[start - 1].text, *rest_of(line, at)]))
            return _of_the_foe(turned, at - start, (at - start + 1, whom[1] - start + 1), context)
    return None


def _of_the_foe(line: Line, at: int, target: tuple[int, int], context: Context) -> Line | None:
    """The attack of a foe that the log keeps: `reed lurker hits ash v`; None: it keeps no such foe."""
    for kind in context.system.actions:
        fields = [field for field in fields_of(kind) if field.required]
        if not fields or fields[0].added_by is None or not any(field.names == "character" for field in fields):
            continue
        legal = context.system.proposals(context.state, kind, fields[0].key, None) or ()
        try:
            found = title_behind_article(line.words, 0, legal)
        except Unclear as error:
            found = None
            meant = list(error.candidates) if error.at == at - 1 else []
        else:
            meant = [found[0]] if found is not None and found[1] == at else []
        manner = _manner(kind, line.words[at].text.casefold())
        lines = [" ".join([verb_name(kind), quoted(name), *_whom(line, target, context), *manner]) for name in meant]
        if len(lines) > 1:
            raise nearest_lines(context, f"Which {line.words[at - 1].text}?", [*lines, note_line(line)])
        if lines:
            return typed(lines[0])
    return None
