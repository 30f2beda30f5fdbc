"""A short line that can be typed now, as the state of the campaign calls for it, or from the example evening."""

from collections.abc import Sequence

from cli.line import tracking
from cli.line.blows import attack_upon_the_first_foe
from cli.line.evening import first_steps, short_lines
from cli.line.offering import can_be_read
from cli.line.values import Context, people_at
from cli.line.verbs import verb_name
from cli.line.words import quoted, typed
from domain.common.sessions import SessionOpen
from domain.naming import short_for
from domain.refusal import Invalid, Refusal
from domain.system.field_schema import fields_of


def next_line(context: Context) -> str:
    """A line for what comes next: a session is opened, somebody enrols, a foe of the log is attacked; else an example.

    "" if no line fits.
    """
    if not context.state.campaign.session:
        return verb_name(SessionOpen)
    attack = attack_upon_the_first_foe(context)
    return attack if attack and can_be_read(context, typed(attack)) else example_line(context)


def example_line(context: Context) -> str:
    """A short line that can be typed now, from the example evening; one that enrols if nobody is enrolled.

    "" if no line fits.
    """
    rules, names = context.system.key, context.own()
    lines = short_lines(rules) if names else first_steps(rules)
    return next((line for example in lines if (line := _about_somebody(example, context, names))), "")


def _about_somebody(example: str, context: Context, names: Sequence[str]) -> str:
    """An example line with the name of an enrolled character in it; "" if it does not fit."""
    line = typed(example)
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
            name = quoted(short_for(names[0], names))
            example = f"{example[: line.words[at].start]}{name}{example[line.words[at].end :]}"
        return example if can_be_read(context, typed(example)) else ""
    except (Invalid, Refusal):
        return ""
