"""Blows as people tell them: `oswin hits skeleton 3`, `a goblin bites agnes for 4`, `hilda is hit for 5 by a ghoul`.

Whoever is struck is whom the verb of the rules is about, wherever they stand in the line: whoever strikes is never hurt
by what they do.
"""

from difflib import get_close_matches

from cli.line.action_roles import attacks_of, harm_of, points_of, remark_of
from cli.line.errors import Ambiguous, Missing
from cli.line.offers import nearest_lines, note_line
from cli.line.phrase import LinePhrase
from cli.line.phrases.attacks import attack_of_the_foe, attack_on_a_thing, attacks_by, attacks_of_a_newcomer
from cli.line.phrases.blow_words import BlowPoints, points_at, target_around, target_at
from cli.line.values import (
    Context,
    before_a_number,
    number_of,
    people_at,
    people_meant_at,
    somebody_meant,
    without_article,
    without_number,
)
from cli.line.vocabulary import (
    AGAIN,
    AGAINST,
    ANOTHER,
    BEING,
    DEALING,
    FOR,
    FROM,
    STOPS,
    STRIKING,
    STRUCK,
    SUFFERING,
    bases_of,
)
from cli.line.words import (
    Line,
    next_of_several,
    quote,
    rest_of,
    tokenize,
    with_words,
    word_to_type,
    words_between,
    words_to_type,
)
from domain.choice import Choice
from domain.naming import called, key_of, nearest
from domain.registry import verb_name
from domain.system.field_schema import fields_of
from domain.turn import Action

#: Said of a foe of whom the log keeps nothing.
NO_FOE = "{} keeps no hit points of a foe that is not enrolled"
#: The same under rules that enrol none.
NO_MONSTERS = "The log keeps no monsters: their hit points and conditions stay at the table"
#: A word is as like a name as this, from 0 to 1, where it may be misspelt: `1Hob`.
LIKE_A_SLIP = 0.75
#: What names whoever strikes in so many words at most.
LONGEST_STRIKER = 5


def blow_at(line: Line, at: int, context: Context, note: str) -> Line | None:
    """The line of the rules for a blow by or upon those whom the words up to `at` name; None: there is no blow in it.

    `note` keeps the line as it is.

    Raises Ambiguous where either side may be meant, or where the log keeps nothing of the foe.
    """
    harm = harm_of(context)
    if harm is None:
        return None
    words = [word.text.casefold().rstrip(STOPS) for word in line.words]
    being = words[at] in BEING
    place = at + being
    if place >= len(words):
        return None
    whom, first = words_between(line, 0, at), place + 1
    if being and (harm_line := _harm_called_so(line, words[place], whom, first, context)) is not None:
        return harm_line
    tells = words[place] in (STRUCK if being else STRIKING | STRUCK)
    deals = not being and words[place] in DEALING and _deals(line, place + 1, context)
    if not tells and not deals and (being or not _has_an_object(line, place, harm)):
        return None
    try:
        blow = points_at(line, first, context, harm)
    except Ambiguous:
        if (attack := attack_on_a_thing(line, words[place], whom, first, context)) is not None:
            return attack
        raise
    is_by = words[first : first + 1] == ["by"]
    if being and is_by and blow.points is None:
        of_the_foe = _attack_by(line, words[place], whom, first, context)
        if of_the_foe is not None:
            return of_the_foe
    if being or is_by or words[blow.behind : blow.behind + 1] == ["by"]:
        return _loss_of_the_struck(line, whom, first, blow, context, harm)
    target = target_around(line, first, blow, context)
    if target is not None:
        return _loss_by(line, whom, target, blow, context, harm)
    strikes = attacks_by(line, words[place], whom, first, blow, context)
    if isinstance(strikes, Line):
        return strikes
    if not strikes and (question := somebody_struck(line, place, context, note)) is not None:
        raise question
    losses = []
    if words[place] in STRUCK and blow.points is not None and blow.before == first:
        losses = [" ".join([verb_name(harm), whom, str(blow.points), *_source(line, first, blow, context, harm)])]
    reason = NO_FOE.format(context.system.key)
    if losses or strikes:
        reason = "Who strikes, and who is struck?"
    raise nearest_lines(context, reason, [*losses, *strikes, note])


def _attack_by(line: Line, word: str, whom: str, first: int, context: Context) -> Line | None:
    """`ash is attacked by the wolf`: the line of a foe that the log keeps, as `the wolf attacked ash`; None: of none.

    `first` is the place of `by`.
    """
    reordered = tokenize(" ".join([*rest_of(line, first + 1), word, whom]))
    whom_at = len(line.words) - first
    return attack_of_the_foe(reordered, whom_at - 1, (whom_at, len(reordered.words)), context)


def _harm_called_so(line: Line, word: str, whom: str, first: int, context: Context) -> Line | None:
    """`ash is wounded`, where the rules have a verb for it that takes words: its line.

    None: they have not, or points are said.
    """
    kinds = [
        kind
        for kind in context.system.actions
        if verb_name(kind) in bases_of(word)[1:] and any(field.remark and field.required for field in fields_of(kind))
    ]
    if not kinds or any(number_of(other.text) is not None for other in line.words[first:]):
        return None
    how = line.rest(first, len(line.words)) if first < len(line.words) else ""
    # `by reed` may say whose line it is
    by = bool(how) and line.words[first].text.casefold() in FROM
    return tokenize(" ".join(filter(None, [verb_name(kinds[0]), whom, quote(how, always=True) if by else how])))


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
        if word not in STRIKING | STRUCK and not (word in DEALING and _deals(line, at + 1, context)):
            continue
        names = tuple(context.state.characters)
        another = line.words[0].text.casefold() in ANOTHER and not without_article(line.words, 0, names)
        if not another and any(somebody_meant(line.words, before, context) for before in range(at)):
            return None
        who = words_between(line, 0, at)
        blow = points_at(line, at + 1, context, harm)
        target = target_around(line, at + 1, blow, context)
        if target is None:
            return None
        attack = attack_of_the_foe(line, at, target, context)
        if attack is not None:
            return attack
        if at == 1 and (near := _striker_meant(line, context)) is not None:
            losses = [
                _loss_by(line, name, target, blow, context, harm).text for name in (near, quote(who, always=True))
            ]
            raise nearest_lines(context, f"There is no character {who!r}; did you mean {near}?", losses)
        if remark_of(harm) is None:
            loss = (
                [_loss_line(context, harm, words_between(line, *target), blow.points, []).text]
                if blow.points is not None
                else []
            )
            newcomers = attacks_of_a_newcomer(line, at, target, context) if not loss else []
            raise Ambiguous.between(f"There is no foe called {who}.", (*loss, *newcomers, note_line(line)), 0)
        return _loss_by(line, who, target, blow, context, harm)
    return None


def perhaps_a_blow(line: Line, context: Context) -> list[str]:
    """The loss of whoever is named behind a word that nobody knows, with points: `a wolf jumps kesk for 3`."""
    harm = harm_of(context)
    if harm is None or remark_of(harm) is None:
        return []
    for at in range(2, min(LONGEST_STRIKER + 2, len(line.words) - 1)):
        target = target_at(line, at, context)
        blow = points_at(line, at, context, harm) if target is not None else None
        if target is not None and blow is not None and blow.before >= target[1] and blow.points is not None:
            return [_loss_by(line, words_between(line, 0, at - 1), target, blow, context, harm).text]
    return []


def somebody_struck(line: Line, at: int, context: Context, note: str) -> Ambiguous | None:
    """`archer hits grimm for 4`, behind the verb at a place: the loss of each who may be meant, and the note.

    None: no name that nobody has stands there with points, or it is like none and may be a thing.
    """
    harm, first = harm_of(context), at + 1
    if harm is None or remark_of(harm) is None or first >= len(line.words) or line.words[first].quoted:
        return None
    name, behind = line.words[first].text, points_at(line, first + 1, context, harm)
    near = nearest(name, context.state.characters) if name.isalpha() else None
    if behind.points is None or behind.before != first + 1 or (near is None and not name[:1].isupper()):
        return None
    whom = [near] if near is not None else [name_there for name_there in context.own() if name_there in context.party()]
    who, reason = words_between(line, 0, at), f"There is no character {name!r}"
    losses = [
        _loss_by(line_of, who, (first, first + 1), behind, context, harm).text
        for line_of in (tokenize(with_words(line, first, first + 1, quote(name_there))) for name_there in whom)
    ]
    sentence = f"{reason}; did you mean {near}?" if near is not None else f"{reason}. Who is struck?"
    return nearest_lines(context, sentence, [*losses, note])


def _striker_meant(line: Line, context: Context) -> str | None:
    """Whose name the first word nearly is; None: nobody's."""
    by_key = {key_of(name): name for name in context.state.characters}
    close = get_close_matches(key_of(line.words[0].text), by_key, n=1, cutoff=LIKE_A_SLIP)
    return by_key[close[0]] if close and not line.words[0].quoted else None


def _has_an_object(line: Line, at: int, harm: type[Action]) -> bool:
    """Whether the verb of whoever loses points stands before somebody or something: `hilda damage goblin 5`."""
    called_so = {verb_name(harm), *harm.shorts, *harm.synonyms} - SUFFERING
    behind = line.words[at + 1 : at + 2]
    is_object = bool(behind) and not behind[0].quoted and behind[0].text.isalpha() and behind[0].text != FOR
    return line.words[at].text.casefold() in called_so and is_object


def _deals(line: Line, at: int, context: Context) -> bool:
    """Whether a number, and whoever loses so many, stand behind a verb."""
    is_number = at < len(line.words) and number_of(line.words[at].text) is not None
    places = range(at + 1, len(line.words) - 1)
    to = next((place for place in places if line.words[place].text.casefold() in AGAINST), None)
    return is_number and to is not None and target_at(line, to, context) is not None


def _source(line: Line, first: int, blow: BlowPoints, context: Context, harm: type[Action]) -> list[str]:
    """All words around the points, as where they come from; none where the rules keep no such thing."""
    behind = blow.behind + (blow.behind < len(line.words) and line.words[blow.behind].text.casefold() in FROM)
    before = words_to_type(line, first, blow.before)
    before = before[1:] if before and before[0].casefold() in FROM else before
    source = " ".join([*before, *rest_of(line, behind)])
    return [_named(source, context)] if source and remark_of(harm) is not None else []


def _named(who: str, context: Context) -> str:
    """Somebody as the log calls them, where all the words mean one: `fing hits rat 1 for 3` is told of Fingers."""
    words = tokenize(who).words
    people = people_meant_at(words, 0, context)
    return called(people[0][0]) if people is not None and people[1] == len(words) and len(people[0]) == 1 else who


def _loss_of_the_struck(
    line: Line, whom: str, first: int, blow: BlowPoints, context: Context, harm: type[Action]
) -> Line:
    """The line of whoever is struck. Raises Ambiguous where it has no place for whoever strikes."""
    loss = _loss_line(context, harm, whom, blow.points, _source(line, first, blow, context, harm))
    if remark_of(harm) is None and (blow.before > first or blow.behind < len(line.words)):
        raise nearest_lines(context, f"{verb_name(harm)} keeps the points and nothing more", [loss.text])
    return loss


def _loss_by(
    line: Line, who: str, target: tuple[int, int], blow: BlowPoints, context: Context, harm: type[Action]
) -> Line:
    """The line of whoever is struck by somebody who is named first."""
    attacks = attacks_of(context)
    if remark_of(harm) is None and attacks:
        return tokenize(" ".join([verb_name(attacks[0]), who, *rest_of(line, target[0])]))
    between = [word_to_type(line, at) for at in range(target[1], blow.before)] if target[1] < blow.before else []
    behind = max(blow.behind, target[1])
    further: list[str] = []
    while (more := _one_more(line, behind, context, harm)) is not None:
        further, behind = [*further, more[0]], more[1]
    if len(between) == 1 and between[0].casefold() in AGAIN:
        between = []  # `hits the ghoul back for 1`
    return _loss_line(
        context,
        harm,
        words_between(line, *target),
        blow.points,
        [*further, _named(who, context), *between, *rest_of(line, behind)],
    )


def _one_more(line: Line, behind: int, context: Context, harm: type[Action]) -> tuple[str, int] | None:
    """Somebody else who is struck with points of their own behind those of another, and the place behind these."""
    place = next_of_several(line.words, behind)
    target = target_at(line, place, context) if place is not None else None
    blow = points_at(line, target[1], context, harm) if target is not None else None
    if target is None or blow is None or blow.points is None or blow.before != target[1]:
        return None
    return f"{before_a_number(line, *target, context)} {blow.points}", blow.behind


def _loss_line(context: Context, harm: type[Action], whom: str, points: int | None, source: list[str]) -> Line:
    """The line of the rules. Raises Missing for one without its points."""
    if points is None and (people := people_at(tokenize(whom).words, 0, context)) is not None:
        bare = without_number(people[0][-1], tuple(context.state.characters))
        if bare is not None:
            number, field = (
                people[0][-1].split()[-1],
                points_of(harm),
            )
            text = " ".join([verb_name(harm), quote(bare), f"{field.key}={number}", *source])
            raise nearest_lines(context, f"How much does {people[0][-1]} lose, or does {bare} lose {number}?", [text])
    if points is None:
        field = points_of(harm)
        like = " ".join([verb_name(harm), whom, "3", *source])
        raise Missing("How much is it?", [field], of=Choice(harm, {}, (field.key,)), like=[like])
    target = before_a_number(tokenize(whom), 0, len(tokenize(whom).words), context)
    return tokenize(" ".join([verb_name(harm), target, str(points), *source]))
