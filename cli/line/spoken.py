"""Lines as people speak: whom first (`oswin takes 2 from a dart trap`, `oswin -2`), and wishes by another name.

Each becomes the line that says the same with its verb first; what the rules have no verb for is answered with the
nearest that they have.
"""

import re
from collections.abc import Sequence

from cli.line import tracking
from cli.line.doubts import doubt
from cli.line.errors import Ambiguous, Meaning, Misread, NoVerb, Unclear
from cli.line.reader import read
from cli.line.table import behind_unit, vital_units
from cli.line.values import JOINS, Context, number_of, people_at
from cli.line.verbs import Verb, kinds_called, verb_at, verb_name, verbs_of
from cli.line.words import Line, typed, written
from domain.common.tracking import Track, must_be_free
from domain.naming import letters
from domain.refusal import Invalid, Refusal
from domain.turn import Action

#: What people say for the system's own loss and for its healing, with a number behind it.
SIGNED = {
    **dict.fromkeys(("takes", "take", "took", "loses", "lose", "lost", "suffers", "suffer", "suffered"), "-"),
    **dict.fromkeys(("heals", "heal", "healed", "regains", "regain", "regained"), "+"),
}
#: What a source begins with that is no part of it.
FROM = ("from", "by")


def verb_first(line: Line, context: Context) -> Line | None:
    """The line that begins with its verb, of one that begins with somebody's name; None: it is none that is known."""
    try:
        last = _people_named(line, context)
    except Unclear:
        return None
    if not 0 < last < len(line.words):
        return None
    whom = " ".join(written(line, at) for at in range(last))
    said, behind = line.words[last].text, last + 1
    sign, points = _signed(line, last)
    if sign:
        kind = next((kind for kind in context.system.actions if kind.sign == sign), None)
        if kind is not None:
            behind = behind_unit(line.words, behind + (said.casefold() in SIGNED), vital_units(context.system, kind))
            behind += behind + 1 < len(line.words) and line.words[behind].text.casefold() in FROM
            return typed(" ".join([verb_name(kind), whom, str(points), *_rest(line, behind)]))
        raise _no_healing(context, whom, points)
    tracked = [verb for verb in tracking.verbs(context) if letters(verb.name) == letters(said)]
    verbs = _verbs_said(context, said) or tracked
    struck = _struck(line, last, whom, verbs, context)
    if struck is not None:
        return struck
    lines = [typed(" ".join([verb.name, whom, *_rest(line, behind)])) for verb in verbs]
    if len(lines) > 1:
        lines = [typed(choice.line) for choice in nearest_lines(context, "", [each.text for each in lines]).choices]
    return lines[0] if len(lines) == 1 else None


def _people_named(line: Line, context: Context) -> int:
    """The place behind those whom a line names first: `brog, wen and ada lose 2`; 0: nobody. Raises Unclear."""
    beyond = 0
    while beyond < len(line.words):
        join = bool(beyond) and line.words[beyond].text.casefold() in JOINS
        found = people_at(line.words, beyond + join, context)
        if found is None or (beyond and not join and not line.words[beyond - 1].text.endswith(",")):
            break
        beyond = found[1]
    return beyond


def _struck(line: Line, at: int, who: str, verbs: Sequence[Verb], context: Context) -> Line | None:
    """`oswin hits skeleton 3`, where whoever is named by the verb suffers it: whoever is named behind does."""
    if len(verbs) != 1 or verbs[0].kind.sign != "-":
        return None
    try:
        found = people_at(line.words, at + 1, context)
    except Unclear:
        return None
    if found is None:
        return None
    number = found[1] + (found[1] < len(line.words) and line.words[found[1]].text.casefold() == "for")
    points = number_of(line.words[number].text) if number < len(line.words) else None
    if points is None:
        return None
    whom = " ".join(written(line, each) for each in range(at + 1, found[1]))
    behind = behind_unit(line.words, number + 1, vital_units(context.system, verbs[0].kind))
    return typed(" ".join([verbs[0].name, whom, str(points), who, *_rest(line, behind)]))


def _rest(line: Line, behind: int) -> list[str]:
    return (
        [line.text[line.words[behind].start :]]
        if behind < len(line.words) and _is_typed(line)
        else [written(line, at) for at in range(behind, len(line.words))]
    )


def _is_typed(line: Line) -> bool:
    """Whether a line stands as somebody typed it, and not as a shell handed its words over."""
    return typed(line.text).words == line.words


def _signed(line: Line, at: int) -> tuple[str, int]:
    """Whether a number is lost or healed at a place, and how many."""
    word = line.words[at].text
    if re.fullmatch(r"[+-][0-9]{1,15}", word):
        return word[0], abs(int(word))
    sign = SIGNED.get(word.casefold(), "")
    points = number_of(line.words[at + 1].text) if sign and at + 1 < len(line.words) else None
    return ("", 0) if points is None else (sign, points)


def _verbs_said(context: Context, word: str) -> list[Verb]:
    """The verbs that may be meant behind a name: `brog rests`, `wren flips`, and what people call a verb."""
    for said in (word, word.removesuffix("es"), word.removesuffix("s"), word.removesuffix("ed")):
        named = [verb for verb in verbs_of(context.system.key) if verb.name == said.casefold()]
        if named and len(said) > 1:
            return named[:1]
    return [Verb(verb_name(kind), kind) for kind in kinds_called(context.system.key, word.casefold())]


def _no_healing(context: Context, whom: str, points: int) -> Misread:
    """Nothing gives back points by themselves under these rules: what does something like it."""
    reason = f"{context.system.key} has no verb that gives back {context.system.vital[1]} alone"
    found = nearest_lines(context, reason, _healed_otherwise(context, whom, points))
    return found if found.choices else Misread(found.reason, 0)


def _healed_otherwise(context: Context, whom: str, points: int) -> list[str]:
    """What gives points back where no verb does that alone: a rest, or the referee's word.

    A rest is offered with the number as its die and without it: what is hoped for is no die that was rolled.
    """
    rests = [verb_name(kind) for kind in kinds_called(context.system.key, "heal")]
    lines = [f"{rest} {whom}{die}" for rest in rests for die in (f" {points}", "")]
    return [*lines, *_overridden(context, whom, points)]


def _overridden(context: Context, whom: str, points: int) -> list[str]:
    """The referee's word, where it is one person whose figure is a number."""
    field = context.system.vital[0]
    found = people_at(typed(whom).words, 0, context)
    if found is None or len(found[0]) != 1:
        return []
    held = getattr(context.state.characters[found[0][0]], field, None)  # what is derived cannot be overridden
    return [f"override {whom} {field}={held + points} healed"] if isinstance(held, int) else []


def wished(line: Line, at: int, context: Context, meant: Sequence[type[Action]], error: NoVerb) -> Misread:
    """What a line wishes for whose first word is no verb: the lines that are nearest to it, where they can be read."""
    rest = _rest(line, at + 1)
    lines = [" ".join([verb_name(kind), *rest]) for kind in meant]
    word = line.words[at].text
    if (
        SIGNED.get(word.casefold()) == "+"
        and at + 2 < len(line.words)
        and not any(kind.sign == "+" for kind in context.system.actions)
    ):
        points = number_of(line.words[at + 2].text)
        if points is not None:
            lines = _healed_otherwise(context, written(line, at + 1), points)
    found = nearest_lines(context, error.reason.rstrip("."), lines)
    if found.choices:
        return found
    kept = None if error.reason.endswith("?") else _to_track(line, at, context)
    if kept is None:
        return error
    lead = f"{error.reason.removesuffix('.')}; to keep it, say:"
    return Ambiguous(lead, error.reason, [Meaning(kept, kept)], at)


def _to_track(line: Line, at: int, context: Context) -> str | None:
    """`gold hob +3`, of something that nobody tracks yet: the line that begins to; None: it is not like that."""
    try:
        found = people_at(line.words, at + 1, context)
    except Unclear:
        return None
    name = line.words[at].text
    if found is None or len(found[0]) != 1 or found[1] + 1 != len(line.words) or not name.isalpha():
        return None
    number = number_of(line.words[found[1]].text)
    if number is None or number < 0:
        return None
    try:
        must_be_free(context.system, context.state, found[0][0], name)
    except Refusal:
        return None
    who = [word.text for word in line.words[at + 1 : found[1]]]  # in quotes it were what is tracked
    return " ".join([verb_name(Track), *who, name, str(number)])


def nearest_lines(context: Context, reason: str, lines: Sequence[str]) -> Ambiguous:
    """Lines that may be meant, of those that can be read."""
    choices = []
    for text in lines:
        try:
            line = typed(text)
            verb, at = verb_at(context.system.key, line)
            assert not isinstance(verb, str)
            result = read(context, verb, line, at)
            if result.whole and doubt(result) is None:
                choices.append(Meaning(text, text))
        except (Invalid, Refusal):
            continue
    told = reason if reason.endswith("?") else f"{reason}."
    return Ambiguous(f"{told} Say:" if choices else told, told, choices, 0)
