"""A short line that can be typed now, as the state of the campaign calls for it, or from the example evening."""

from collections.abc import Collection, Iterator, Sequence

from cli.line.evening import action_of, evening_of, first_steps, lines_of, short_lines
from cli.line.people import people_at
from cli.line.understanding import understand
from cli.line.values import Context
from cli.line.verbs import verb_in
from cli.line.words import quote, tokenize
from domain.common import ACTIONS
from domain.common.sessions import SessionOpen
from domain.log.deciding import names_in
from domain.naming import short_for
from domain.refusal import Invalid, Refusal
from domain.registry import verb_name
from domain.system.field_schema import fields_of
from domain.turn import Action

#: Characters of an example at most, so that the keys have room behind it, and of its verb.
LONGEST, LONGEST_VERB = 36, 5


def next_lines(context: Context) -> Iterator[str]:
    """Lines for what comes next, the likeliest first: a session is opened, somebody enrols.

    Else they are those of the example evening behind the latest verb, about whose turn it is, or who comes after those
    that acted last. Whether the rules allow them is not asked.
    """
    if not context.state.campaign.session:
        yield verb_name(SessionOpen)
        return
    last = context.log.last()
    (latest,) = context.log.read(last - 1, last)
    names = _in_turn(context, names_in(latest.action))
    if names:
        yield from _behind(type(latest.action), context, names)
    yield example_line(context)


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
        verb, at = verb_in(context, line)
        assert not isinstance(verb, str)
        who = next((field for field in fields_of(verb.kind) if field.required and field.names), None)
        if who is None or at >= len(line.words) or (who.names == "new character") is bool(names):
            return ""
        people = people_at(context, line, at)
        if people is not None and not set(people[0]) <= set(names):
            return ""  # it is about a character that belongs to somebody else
        if names and people is None:
            if any(field.required and field.kind.reference for field in fields_of(verb.kind)):
                return ""  # the cards in the example are another character's
            name = quote(short_for(names[0], names))
            example = f"{example[: line.words[at].start]}{name}{example[line.words[at].end :]}"
        understand(example, context)
        return example
    except (Invalid, Refusal):
        return ""
