"""Lines as people speak: whom first (`oswin takes 2 from a dart trap`, `oswin -2`), and wishes by another name.

Each becomes the line that says the same with its verb first; what the rules have no verb for is answered with the
nearest that they have, or with the line that keeps it beside them.
"""

import re
from collections.abc import Sequence

from cli.line import tracking
from cli.line.blows import BEING, FROM, NO_FOE, blow_at, upon_listed
from cli.line.diagnosis import diagnosed, refuse_out_of_turn
from cli.line.errors import Ambiguous, Misread, Missing, NoVerb, PlaysSeveral, Unclear
from cli.line.grammar import Grammar
from cli.line.offering import can_be_read, nearest_lines, noted
from cli.line.parts import part_at_somebody, part_first
from cli.line.reader import read
from cli.line.table import behind_unit, vital_units
from cli.line.unkept import LESS, MORE, NOW, counted_by_rules, noun_at, of_somebody, of_something
from cli.line.values import (
    ALL,
    ARTICLES,
    COUNTED,
    FOR,
    JOINS,
    PARTY,
    Context,
    before_a_number,
    number_of,
    people_at,
    somebody_meant,
)
from cli.line.verbs import Verb, kinds_called, kinds_meant, systems_with, verb_name, verbs_of
from cli.line.words import Line, quoted, rest_of, typed, written
from domain.common import ACTIONS as COMMON
from domain.common.notes import Note
from domain.common.tracking import Track
from domain.naming import key_of, letters, nearest
from domain.refusal import Refusal
from domain.system.field_schema import fields_of
from domain.turn import Action

#: What people say for the system's own loss and for its healing, with a number behind it.
SIGNED = {
    **dict.fromkeys(("takes", "take", "took", "loses", "lose", "lost", "suffers", "suffer", "suffered"), "-"),
    **dict.fromkeys(("heals", "heal", "healed", "regains", "regain", "regained"), "+"),
}
#: What is also said of wounds and cards, and of points where these are named.
RECOVERING = frozenset(("recovers", "recover", "recovered"))
#: What people say before so much damage.
GETTING = frozenset(("gets", "get", "got", "receives", "received"))
#: Words of whoever speaks for the whole table, and those before a group.
WE, BEFORE_A_GROUP = ("we",), ("the", "our")
#: What people say before a condition that somebody gets.
HAVING = frozenset(("has", "gains", "gain", "gained", "becomes", "became"))
#: What people say before a verb of several words: `takes a short rest`.
TAKING = frozenset(("take", "takes", "took", "has", "have", "makes", "make", "does", "do"))
#: What may be read as a reading of money and things, and not of points: `loses 10 gold`.
GOODS = frozenset((
    "coin", "coins", "copper", "cp", "ep", "gem", "gems", "gold", "gp", "pp", "silver", "sp", "treasure", "xp",
))  # fmt: skip
#: What is lost is hardly ever what does it.
LOSING = frozenset(("loses", "lose", "lost"))
#: The question about a line of which the rules have several, or one that is likely.
WHICH = "Which do you mean?"
#: Before the lines that keep what the rules do not.
TO_KEEP_IT = "To write it down anyway:"
#: The first word of a verb means it behind a name where it has so many letters: `bram levels`, and not `bram dies`.
LEAST_OF_A_VERB = 5
#: Verbs of so many words are looked for behind a name.
LONGEST_VERB = 3


def verb_first(line: Line, context: Context) -> Line | None:
    """The line that begins with its verb, of one that begins with somebody's name; None: it is none that is known.

    Raises Ambiguous where it may mean several things, or what the rules have no verb for.
    """
    as_typed, line = line, _with_group(line, context)
    last = people_first(line, context)
    if not 0 < last < len(line.words):
        return None
    whom = " ".join(written(line, at) for at in range(last))
    lost = _lost_or_healed(line, last, whom, context)
    if lost is not None:
        return lost
    condition = _condition(line, last, whom, context)
    if condition is not None:
        return condition
    blow = blow_at(line, last, context, noted(as_typed))
    if blow is not None:
        return blow
    verbs, behind = verbs_said(context, line, last)
    tracked = [verb for verb in tracking.verbs(context) if letters(verb.name) == letters(line.words[last].text)]
    if not verbs and tracked:
        verbs, behind = tracked, last + 1
    another = _for_another(line, last, behind, verbs, context)
    if another is not None:
        return another
    for verb in verbs:
        if offered := part_at_somebody(line, _those_first(line, last, context)[1], behind, verb.kind, context):
            raise offered
    lines = [text for verb in verbs for text in _lines_of(verb, whom, rest_of(line, behind), context)]
    if len(lines) < 2:
        return typed(lines[0]) if lines and not _is_hopeless(typed(lines[0]), verbs[0], line, context) else None
    awaited = _awaited(verbs, _those_first(line, last, context)[1], context)
    if len(awaited) == 1:
        lines = _lines_of(awaited[0], whom, rest_of(line, behind), context)
        if awaited == verbs[:1] or not _is_said(verbs[0], line):
            return typed(lines[0]) if lines else None
    if not awaited:
        for verb in verbs:
            for name in _those_first(line, last, context)[1]:
                refuse_out_of_turn(context, verb.kind, name)
    found = nearest_lines(context, WHICH, lines)
    if not found.choices:
        return None
    raise found


def _is_hopeless(said: Line, verb: Verb, line: Line, context: Context) -> bool:
    """Whether the line of a verb by a nickname holds words that are nothing of it: `brann uses 2 potions`."""
    if verb.kind is Track or _is_said(verb, line):
        return False
    result = read(context, verb, said, len(verb.name.split()))
    return not result.whole and not isinstance(diagnosed(result), Missing | Unclear)


def _is_said(verb: Verb, line: Line) -> bool:
    """Whether a line says a verb by its own words, and not by what people call it."""
    return {form for word in line.words for form in _forms(word.text.casefold())}.issuperset(verb.words)


def _lines_of(verb: Verb, whom: str, rest: Sequence[str], context: Context) -> list[str]:
    """The line of a verb behind a name; of one that is about nobody, like `agnes rolls 2d6`, with the name as words."""
    grammar = Grammar(context, verb)
    if grammar.who is not None or verb.kind is Track or grammar.words_alone:
        return [" ".join([verb.name, whom, *part_first(verb.kind, rest)])]
    return [choice.line for choice in nearest_lines(context, "", [" ".join([verb.name, *rest, whom])]).choices]


def people_first(line: Line, context: Context) -> int:
    """The place behind those whom a line names first: `brog, wen and ada lose 2`; 0: nobody.

    Raises PlaysSeveral for a player who plays several.
    """
    beyond = 0
    while beyond < len(line.words):
        join = bool(beyond) and line.words[beyond].text.casefold() in JOINS
        try:
            found = people_at(line.words, beyond + join, context)
        except PlaysSeveral:
            raise
        except Unclear:
            return 0
        if found is None or (beyond and not join and not line.words[beyond - 1].text.endswith(",")):
            break
        beyond = found[1]
    return beyond


def _with_group(line: Line, context: Context) -> Line:
    """`we rest` and `the party rests` as lines of a group. Raises Ambiguous for somebody whose name begins so."""
    words = [word.text.casefold() for word in line.words[:2]]
    if len(words) > 1 and words[0] in BEFORE_A_GROUP and words[1] in (*PARTY, *ALL):
        return typed(" ".join(rest_of(line, 1)))
    if len(words) < 2 or words[0] not in WE:
        return line
    found = people_at(line.words, 0, context)
    everybody = typed(" ".join([ALL[0], *rest_of(line, 1)]))
    if found is None:
        return everybody
    names = [typed(" ".join([*found[0], *rest_of(line, 1)])), everybody]
    lines = [each.text for name in names if (each := verb_first(name, context)) is not None]
    raise nearest_lines(context, f"Is {line.words[0].text} {found[0][0]}, or everybody?", lines)


def _lost_or_healed(line: Line, last: int, whom: str, context: Context) -> Line | None:
    """`wen takes 3 from the cold`, `wen -3`, `wen heals 2`: the system's own loss and healing, of a number of points.

    Raises Ambiguous for a number of something else.
    """
    sign, points, number = _signed(line, last, context)
    if not sign:
        return None
    kind = next((kind for kind in context.system.actions if kind.sign == sign), None)
    behind = behind_unit(line.words, number + 1, vital_units(context.system, kind) if kind is not None else ())
    noun = noun_at(line, behind, context) if behind == number + 1 else ""
    if noun and number > last and (by_rules := counted_by_rules(line, last, whom, points, noun, context)):
        raise nearest_lines(context, WHICH, by_rules)
    lines = []
    if kind is not None:
        struck = before_a_number(line, 0, last, context)
        lines = [" ".join([verb_name(kind), struck, str(points), *_behind_points(line, number, kind, context)])]
    if noun and _is_kept(noun, line.words[last].text, kind, context):
        kept = _kept(line, last, number, noun, context)
        if kept or kind is not None:
            raise nearest_lines(context, f"{points} {noun}: which do you mean?", [*(kept or [noted(line)]), *lines])
    if not lines and noun:
        return None
    if not lines:
        error = no_healing(context, whom, points)
        if isinstance(error, Ambiguous) or line.words[last].text.casefold() not in BEING:
            raise error
        raise nearest_lines(context, error.reason, [noted(line)], TO_KEEP_IT)
    has_words = kind is not None and number > last and behind < len(line.words) and not _keeps_words(kind)
    if kind is not None and has_words and not can_be_read(context, typed(lines[0])):
        alone = f"{verb_name(kind)} {whom} {points}"
        raise nearest_lines(context, f"{verb_name(kind)} has no place for what did it", [alone, noted(line)])
    return typed(lines[0])


def _is_kept(noun: str, said: str, kind: type[Action] | None, context: Context) -> bool:
    """Whether a number of something may be no points: `loses 10 gold`, and not `-2 ghoul`."""
    return (
        kind is None
        or said.casefold() in LOSING
        or noun.casefold() in GOODS
        or tracking.like_tracked(noun, context) is not None
    )


def _kept(line: Line, last: int, number: int, noun: str, context: Context) -> list[str]:
    """The lines that keep so much more or less of something: `takes 40 gold`, `+50 xp`. Raises Refusal."""
    who, names = _those_first(line, last, context)
    if number > last:
        return of_somebody(line, last, who, names, context)
    again = typed(" ".join([who, noun, line.words[last].text, *rest_of(line, last + 2)]))
    return of_somebody(again, last, who, names, context)


def _those_first(line: Line, last: int, context: Context) -> tuple[str, list[str]]:
    """Those whom a line names first, as words of a line about what is tracked, and their names."""
    names: list[str] = []
    here = 0
    while here < last:
        found = people_at(line.words, here, context)
        names += found[0] if found is not None else ()
        here = found[1] if found is not None else here + 1
    return " ".join(word.text for word in line.words[:last]), names


def unkept(line: Line, context: Context) -> Ambiguous | None:
    """What somebody who is named first does that no verb is for, as the line that keeps it; None: it tells of nobody.

    Raises Refusal for what the rules keep themselves.
    """
    as_typed, line = line, _with_group(line, context)
    last = people_first(line, context)
    if not 0 < last < len(line.words) or all(number_of(word.text) is not None for word in line.words[last:]):
        return None
    verbs, _ = verbs_said(context, line, last)
    kept = of_somebody(line, last, *_those_first(line, last, context), context) if not verbs else []
    if not kept and (told := _told_by(line, last, context)):
        return nearest_lines(context, WHICH, [*told, noted(as_typed)])
    return _to_keep(context, f"{context.system.key} has no verb for that", kept or [noted(as_typed)])


def _told_by(line: Line, last: int, context: Context) -> list[str]:
    """The lines of what the word behind a name tells of: `mirko sprains his ankle`, with its words as the remark."""
    said, whom = line.words[last].text.casefold(), " ".join(written(line, at) for at in range(last))
    lines = []
    for kind in context.system.actions:
        if said in kind.told_by:
            sets = [f"{name}={value}" for name, value in kind.told_by[said].items()]
            lines.append(" ".join([verb_name(kind), whom, *sets, *rest_of(line, last)]))
    return lines


def _signed(line: Line, at: int, context: Context) -> tuple[str, int, int]:
    """Whether a number is lost ("-") or healed ("+") at a place, how many, and where the number stands; "": neither."""
    words = [word.text.casefold() for word in line.words]
    if re.fullmatch(r"[+-][0-9]{1,15}", words[at]):
        return words[at][0], abs(int(words[at])), at
    here = at + (words[at] in BEING and words[at + 1 : at + 2] in (["healed"], ["cured"]))
    sign = "+" if here > at else SIGNED.get(words[at], "")
    if words[at] in GETTING and words[at + 2 : at + 3] == ["damage"]:
        sign = "-"
    if words[at] in RECOVERING and behind_unit(line.words, at + 2, _units(context)) > at + 2:
        sign = "+"
    here += 1 + (sign == "+" and words[here + 1 : here + 2] == [FOR])
    if not sign or here >= len(words):
        return "", 0, at
    points = number_of(words[here])
    if points is None and behind_unit(line.words, here + 1, _units(context)) > here + 1:
        points = COUNTED.get(words[here])
    return ("", 0, at) if points is None else (sign, points, here)


def _units(context: Context) -> set[str]:
    """What counts the points that are lost or healed under these rules."""
    return {unit for kind in context.system.actions if kind.sign for unit in vital_units(context.system, kind)}


def _keeps_words(kind: type[Action]) -> bool:
    """Whether an action has a place for what did it."""
    return any(field.remark for field in fields_of(kind))


def _behind_points(line: Line, number: int, kind: type[Action], context: Context) -> list[str]:
    """The words behind the points that stand at a place, without what counts them and without `from`."""
    behind = behind_unit(line.words, number + 1, vital_units(context.system, kind))
    return rest_of(line, behind + (behind + 1 < len(line.words) and line.words[behind].text.casefold() in FROM))


def of_nobody(line: Line, context: Context) -> Ambiguous | None:
    """A loss or healing of which nobody is named, `loses 2 stamina`, as the line for each; None: it is none."""
    sign, points, number = _signed(line, 0, context)
    kind = next((kind for kind in context.system.actions if kind.sign == sign), None) if sign else None
    if kind is None or number_of(line.words[0].text) is not None:
        return None
    counted = behind_unit(line.words, number + 1, vital_units(context.system, kind)) > number + 1
    noun = "" if counted else noun_at(line, number + 1, context)
    if noun and _is_kept(noun, line.words[0].text, kind, context):
        return None  # `take 2 coins`
    source = _behind_points(line, number, kind, context) if _keeps_words(kind) else []
    names = [name for name in context.able() if name in context.own()]
    lines = [" ".join([verb_name(kind), quoted(name), str(points), *source]) for name in names]
    return nearest_lines(context, f"Who {line.rest(0, len(line.words)).rstrip('.?!')}?", [*lines, noted(line)])


def verbs_said(context: Context, line: Line, at: int) -> tuple[list[Verb], int]:
    """The verbs that may be meant behind a name, and the place behind them.

    `brog rests`, `wren flips`, `bram levels up`, `ysa takes a short rest`, and what people call a verb.
    """
    words = [word.text.casefold() for word in line.words]
    starts = [at]
    if words[at] in TAKING and at + 1 < len(words):
        starts.append(at + 1 + (words[at + 1] in ARTICLES and at + 2 < len(words)))
    known = verbs_of(context.system.key)
    for start in starts:
        places = [place for place in range(start, len(words)) if words[place] not in ARTICLES]
        for count in range(min(LONGEST_VERB, len(places)), 1, -1):
            forms = [_forms(words[place]) for place in places[:count]]
            named = [
                verb
                for verb in known
                if len(verb.words) == count and all(a in b for a, b in zip(verb.words, forms, strict=True))
            ]
            if named:
                return [named[0], *_ending_with(named[0], known)], places[count - 1] + 1
        for said in _forms(words[start]):
            named = [verb for verb in known if verb.name == said and len(said) > 1]
            if named:
                return named[:1], start + 1
        called_so, behind = kinds_meant(context.system.key, line, start)
        if called_so:
            return [Verb(verb_name(kind), kind) for kind in called_so], behind
    begun = {verb.kind: verb for verb in reversed(known) if len(verb.words) > 1 and verb.words[0] in _forms(words[at])}
    is_clear = len(words[at]) >= LEAST_OF_A_VERB and words[at] not in MORE | LESS | NOW
    return (list(begun.values()) if is_clear else []), at + 1


def _ending_with(verb: Verb, known: Sequence[Verb]) -> list[Verb]:
    """The verbs that end with the words of another: `declare-long-rest` with those of `long-rest`."""
    count = len(verb.words)
    return [other for other in known if len(other.words) > count and other.words[-count:] == verb.words]


def _awaited(verbs: Sequence[Verb], names: Sequence[str], context: Context) -> list[Verb]:
    """Those of several verbs that the rules wait for from each of these people."""
    pending = context.system.pending_for
    kinds = [
        {choice.action for decision in pending(context.state, name) for choice in decision.choices} for name in names
    ]
    return [verb for verb in verbs if kinds and all(verb.kind in each for each in kinds)]


def _condition(line: Line, last: int, whom: str, context: Context) -> Line | None:
    """`ysa is poisoned`, `ysa poisoned`, where the rules have a verb for whatever befalls somebody, of a choice.

    Raises Ambiguous where it has no place for what did it: `ysa is poisoned by the archer`.
    """
    words = [word.text.casefold().rstrip(".!") for word in line.words]
    being = words[last] in BEING | HAVING
    negated = being and words[last + 1 : last + 2] == ["not"]
    place = last + being + negated
    is_behind = words[place + 1 : place + 2]
    if place >= len(words) or (is_behind and is_behind[0] not in FROM):
        return None
    said = words[place]
    for kind in context.system.actions:
        needed = [field for field in fields_of(kind) if field.required]
        if len(needed) == 2 and needed[0].names == "character" and needed[1].kind.shape == "choice":
            forms = [said, *_roots(said)] if being else _roots(said)
            chosen = [name for name in needed[1].kind.offered_choices if key_of(name) in forms]
            if not chosen:
                continue
            told = " ".join([verb_name(kind), whom, *(["not"] if negated else []), chosen[0]])
            if is_behind:
                raise nearest_lines(context, f"{verb_name(kind)} has no place for what did it", [told, noted(line)])
            return typed(told)
    return None


def _roots(word: str) -> list[str]:
    """What a participle is of: `poisoned`, `muddled`, `stunned`."""
    root = word.removesuffix("ed")
    return [root, f"{root}e", root[:-1]] if root != word else []


def _forms(word: str) -> list[str]:
    """A word, and what it may be a form of: `rests`, `rallies`, `rested`."""
    forms = [word, *(word.removesuffix(end) for end in ("es", "s", "ed"))]
    return list(dict.fromkeys([*forms, f"{word.removesuffix('ies')}y"] if word.endswith("ies") else forms))


def _for_another(line: Line, last: int, behind: int, verbs: Sequence[Verb], context: Context) -> Line | None:
    """`agnes rallies old tom`, where whoever the verb names is the other one, and not who does it; None: it is not so.

    Raises Ambiguous with the line of the other one alone, where the rules have no place for who does it.
    """
    if not somebody_meant(line.words, behind, context):
        return None
    found, (who, names) = people_at(line.words, behind, context), _those_first(line, last, context)
    if found is None or not found[0] or set(found[0]) & set(names):
        return None
    target, rest = " ".join(written(line, at) for at in range(behind, found[1])), rest_of(line, found[1])
    lines = []
    for verb in verbs:
        grammar = Grammar(context, verb)
        if grammar.who is None or grammar.names_another:
            continue
        whole = typed(" ".join([verb.name, *(written(line, at) for at in range(last)), target, *rest]))
        result = read(context, verb, whole, len(verb.name.split()))
        words = result.best.words
        as_words = words is not None and words.start == len(verb.name.split()) + last
        if result.whole and set(result.best.names) <= set(names) and (not as_words or verb.kind in COMMON):
            continue  # it is a value, or the beginning of a reason
        number = number_of(line.words[found[1]].text) if found[1] < len(line.words) else None
        if verb.kind.sign and grammar.remark is not None and number is not None:
            return typed(" ".join([verb.name, target, str(number), who, *rest_of(line, found[1] + 1)]))
        lines.append(" ".join([verb.name, target, *rest]))
    if not lines:
        return None
    reason = f"{verbs[0].name} names who it is for, not who does it"
    said = line.words[last].text.casefold()
    if SIGNED.get(said) == "+" and verbs[0].name not in _forms(said):
        said_of = (number_of(word.text) for word in line.words[found[1] :] if not word.quoted)
        numbers = [number for number in said_of if number is not None]
        points = numbers[0] if len(numbers) == 1 else None
        raise no_healing(context, target, points, f"{who} heals", lines if points is None else ())
    found_lines = nearest_lines(context, reason, lines)
    raise found_lines if found_lines.choices else nearest_lines(context, reason, [noted(line)], TO_KEEP_IT)


def no_healing(
    context: Context, whom: str, points: int | None, why: str = "healed", lines: Sequence[str] = ()
) -> Misread:
    """Nothing gives back points by themselves under these rules: what does something like it, or these lines."""
    reason = f"{context.system.key} has no verb that restores {context.system.vital[1]} alone"
    overridden = _overridden(context, whom, points, why) if points is not None else []
    found = nearest_lines(context, reason, [*overridden, *(lines or _rests(context, whom, points))])
    return found if found.choices else Misread(found.reason, 0)


def _rests(context: Context, whom: str, points: int | None) -> list[str]:
    """The rests that heal, with the number as their die and without it: what is hoped for is no die that was rolled."""
    rests = [verb_name(kind) for kind in kinds_called(context.system.key, "heal")]
    return [f"{rest} {whom}{die}" for rest in rests for die in (f" {points}", "")]


def _overridden(context: Context, whom: str, points: int, why: str) -> list[str]:
    """The referee's word, where it is one person whose figure is a number."""
    field, found = context.system.vital[0], people_at(typed(whom).words, 0, context)
    if found is None or len(found[0]) != 1:
        return []
    held = getattr(context.state.characters[found[0][0]], field, None)  # what is derived cannot be overridden
    if not isinstance(held, int):
        return []
    system, state, name = context.system, context.state, found[0][0]
    figures = system.figures(state, name, dict(system.sheet_view(state, name)))
    most = next((figure.full for figure in figures if figure.vital), None)
    now = held + points if most is None or points > most else min(held + points, most)
    words = quoted(why, always=True) if " by " in why else why  # `by Agnes` may say whose line it is
    return [f"override {whom} {field}={now} {words}"] if now != held else []


def wished(line: Line, at: int, context: Context, error: NoVerb) -> Misread:
    """What a line wishes for whose first word is no verb: the lines that are nearest to it, where they can be read.

    Where there are none, the line that keeps it. Raises Refusal for what the rules keep themselves.
    """
    meant, beyond = kinds_meant(context.system.key, line, at)
    lines = [" ".join([verb_name(kind), *rest_of(line, beyond)]) for kind in meant]
    if SIGNED.get(line.words[at].text.casefold()) == "+" and not any(
        kind.sign == "+" for kind in context.system.actions
    ):
        found = people_at(line.words, at + 1, context) if somebody_meant(line.words, at + 1, context) else None
        points = number_of(line.words[found[1]].text) if found is not None and found[1] < len(line.words) else None
        if found is not None and points is not None:
            return no_healing(context, " ".join(written(line, place) for place in range(at + 1, found[1])), points)
    nearest = nearest_lines(context, error.reason, lines)
    if nearest.choices:
        return nearest
    if (asked := of_nobody(line, context)) is not None:
        return asked
    behind = "".join(word.text for word in line.words[at + 1 : at + 2])
    struck = behind.isalpha() and not somebody_meant(line.words, at + 1, context)
    if struck and (attacks := upon_listed(line, at + 1, context)):
        return nearest_lines(context, "Who attacks?", [*attacks, noted(line, at)])
    if struck and any(kind.sign == "-" for kind in meant):
        return nearest_lines(context, NO_FOE.format(context.system.key), [noted(line, at)], TO_KEEP_IT)
    if (misspelt := _misspelt(line, at, context)) is not None:
        return misspelt
    word = line.words[at].text
    if error.reason.endswith("?") or len(line.words) < at + 2 or not word[:1].isalpha() or systems_with(word):
        return error
    kept = of_something(line, at, context)
    return _to_keep(context, error.reason, kept or [noted(line, at)])


def _to_keep(context: Context, reason: str, lines: Sequence[str]) -> Ambiguous:
    """The lines that keep what the rules do not, with the reason; or those of the rules, which need none."""
    beside = (verb_name(Track), verb_name(Note))
    if all(text.partition(" ")[0] in beside for text in lines):
        return nearest_lines(context, reason, lines, TO_KEEP_IT)
    return nearest_lines(context, WHICH, lines)


def _misspelt(line: Line, at: int, context: Context) -> Ambiguous | None:
    """`hlda takes 5`: the line of whoever's name that nearly is, and the note; None: there is no such line."""
    word = line.words[at]
    name = nearest(word.text, context.state.characters) if not word.quoted and at + 1 < len(line.words) else None
    if name is None:
        return None
    whole = typed(" ".join([quoted(name), *rest_of(line, at + 1)]))
    try:
        spoken = verb_first(whole, context)
    except Ambiguous as unclear:
        lines = [choice.line for choice in unclear.choices]
    except (Misread, Refusal):
        lines = []
    else:
        lines = [spoken.text] if spoken is not None else []
    found = nearest_lines(context, f"There is no character {word.text!r}; did you mean {name}?", lines)
    return found if found.choices else None
