"""A short line that can be typed now, as the state of the campaign calls for it, or from the example evening."""

from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from cli.line import tracking
from cli.line.action_roles import attacks_of, harm_of
from cli.line.evening import action_of, evening_of, first_steps, lines_of, short_lines
from cli.line.offers import can_be_read
from cli.line.values import Context, numbered, people_at
from cli.line.words import quote, tokenize
from domain.common import ACTIONS
from domain.common.sessions import SessionOpen
from domain.log.deciding import names_in
from domain.naming import called, short_for
from domain.refusal import Invalid, Refusal
from domain.registry import verb_name
from domain.system.field_schema import fields_of
from domain.turn import Action

#: Characters of an example at most, so that the keys have room behind it, and of its verb.
LONGEST, LONGEST_VERB = 36, 5


def next_lines(context: Context) -> Iterator[str]:
    """Lines for what comes next, the likeliest first: a session is opened, somebody enrols, a foe is attacked.

    Else they are those of the example evening behind the latest verb, about whose turn it is, or who comes after those
    that acted last. Whether the rules allow them is not asked.
    """
    if not context.state.campaign.session:
        yield verb_name(SessionOpen)
        return
    last = context.log.last()
    (latest,) = context.log.read(last - 1, last)
    names = _in_turn(context, names_in(latest.action))
    attack = _attack_upon_the_first_foe(replace(context, acts_for=names[:1]), latest.action)
    if attack and can_be_read(context, tokenize(attack)):
        yield attack
    if names:
        yield from _behind(type(latest.action), context, names)
    yield example_line(context)


def _attack_upon_the_first_foe(context: Context, latest: Action) -> str:
    """An attack of the first of us upon the first whom the log lists, or a blow between the two sides; "" without foes.

    Behind a blow by one side comes one by the other.
    """
    names = [name for name in context.able() if name in context.own()]
    system, state, harm = context.system, context.state, harm_of(context)
    enrolled = [name for name in state.characters if system.is_foe(state, name) and not system.fallen(state, name)]
    if enrolled and names and harm is not None:
        everybody, shorts = tuple(state.characters), sorted(harm.shorts, key=len)
        sides = [(enrolled[0], called(names[0])), (names[0], called(enrolled[0]))]
        struck_before = getattr(latest, "character", None) if type(latest) is harm else None
        struck, striker = sides[struck_before in enrolled]
        whom = quote(short_for(struck, everybody), always=numbered(struck, everybody))
        return " ".join([*shorts[:1], whom, "3", striker]) if shorts else ""
    for kind in attacks_of(context):
        for field in fields_of(kind):
            foes = context.system.proposals(context.state, kind, field.key, None) if field.added_by is not None else ()
            if foes and names:
                return " ".join([verb_name(kind), quote(names[0]), quote(foes[0])])
    return ""


def _in_turn(context: Context, those_who_acted: Collection[str]) -> Sequence[str]:
    """Our own, whoever's turn it is first, or else who comes after those that acted last."""
    ours = [name for name in context.able() if name in context.own()] or list(context.own())
    acting = context.system.whose_turn(context.state)
    if acting in ours:
        first = ours.index(acting)
    else:
        first = 1 + max((at for at, name in enumerate(ours) if name in those_who_acted), default=-1)
    return (*ours[first:], *ours[:first])


def _behind(kind: type[Action], context: Context, names: Sequence[str]) -> Iterator[str]:
    """A line of the example evening for each other verb, from the first with this one on, short as typed."""
    lines = [line for line in lines_of(evening_of(context.system.key)) if len(line) <= LONGEST]
    kinds = [action_of(context.system.key, line) for line in lines]
    before = {None, kind, *ACTIONS}
    for example, verb in list(zip(lines, kinds, strict=True))[kinds.index(kind) if kind in kinds else 0 :]:
        is_short = len(example.partition(" ")[0]) <= LONGEST_VERB
        if is_short and verb not in before and (line := _about_somebody(example, context, names)):
            before.add(verb)
            yield line


def example_line(context: Context) -> str:
    """A short line that can be typed now, from the example evening; one that enrols if nobody is enrolled.

    "" if no line fits.
    """
    rules, names = context.system.key, context.own()
    lines = short_lines(rules) if names else first_steps(rules)
    return next((line for example in lines if (line := _about_somebody(example, context, names))), "")


def _about_somebody(example: str, context: Context, names: Sequence[str]) -> str:
    """An example line with the name of an enrolled character in it; "" if it does not fit."""
    line = tokenize(example)
    try:
        verb, at = tracking.verb_in(context, line)
        assert not isinstance(verb, str)
        who = next((field for field in fields_of(verb.kind) if field.required and field.names), None)
        if who is None or at >= len(line.words) or (who.names == "new character") is bool(names):
            return ""
        people = people_at(line.words, at, context)
        if people is not None and not set(people[0]) <= set(names):
            return ""  # it is about a character that belongs to somebody else
        if names and people is None:
            if any(field.required and field.kind.reference for field in fields_of(verb.kind)):
                return ""  # the cards in the example are another character's
            name = quote(short_for(names[0], names))
            example = f"{example[: line.words[at].start]}{name}{example[line.words[at].end :]}"
        return example if can_be_read(context, tokenize(example)) else ""
    except (Invalid, Refusal):
        return ""
