"""What is said of the evening itself: that it begins or ends, who plays whom, and what is a rule of the house."""

import re
from collections.abc import Iterator

from cli.line.offering import nearest_lines, noted
from cli.line.turns_told import latest_turns
from cli.line.values import Context
from cli.line.verbs import verb_name
from cli.line.words import Line, quoted, typed
from domain.common.rulings import Ruling
from domain.common.sessions import SessionClose, SessionOpen
from domain.log.effective_history import effective_history
from domain.naming import key_of
from domain.system.field_schema import NEW, fields_of

#: What people say when an evening begins, and when it ends.
BEGINS = re.compile(r"(let'?s|let us|we) (start|begin|play|go)( now| playing)?|(the )?evening (starts|begins)( now)?")
ENDS = re.compile(
    r"(that'?s|that is) (it|all)( for (tonight|today|now|this evening))?|good ?night( all| everyone)?"
    r"|(we('re| are)? )?(stop|done|finished|call it a (night|day))( here| now| for (tonight|today))*"
    r"|(the )?(evening|session|game) (is over|ends)( here| now)?"
)
#: Who plays whom, and who joins.
PLAYING = re.compile(r"(?P<player>\S+) (joins as|plays|is playing|will play) (?P<rest>\S.*)", re.IGNORECASE)
JOINING = re.compile(r"(?P<name>\S.*?),? joins( us| the party| the group)?(?P<more>,? .*)?", re.IGNORECASE)
HOUSE_RULE = re.compile(r"(a |new )?house ?rule:? (?P<text>\S.*)", re.IGNORECASE)


def gathering_told(line: Line, context: Context) -> Line | None:
    """The line for a rule of the house; None: nothing is said of the evening.

    Raises Ambiguous for what may open or close a session, or say who plays whom.
    """
    text = line.text.strip(" .!").replace("’", "'")
    if (rule := HOUSE_RULE.fullmatch(text)) is not None:
        return typed(f"{verb_name(Ruling)} {rule['text']}")
    for said, kind, question in ((BEGINS, SessionOpen, "Does it begin?"), (ENDS, SessionClose, "Is it over?")):
        if said.fullmatch(text.casefold()):
            raise nearest_lines(context, question, [verb_name(kind), noted(line)])
    joins = list(_joins(text, context))
    found = nearest_lines(context, "Who joins?", [*joins, noted(line)]) if joins else None
    if found is not None and len(found.choices) > 1:
        raise found
    return None


def _joins(text: str, context: Context) -> Iterator[str]:
    """The lines that enrol somebody, or say who plays somebody who is enrolled already."""
    kinds = (kind for kind in context.system.actions if any(field.names == NEW for field in fields_of(kind)))
    enrol = next(kinds, None)
    if enrol is None:
        return
    if (played := PLAYING.fullmatch(text)) is not None:
        name, sign, more = played["rest"].partition(",")
        known = next((own for own in context.state.characters if key_of(own) == key_of(name)), None)
        player = f"player={quoted(played['player'])}"
        if known is None:
            yield " ".join([verb_name(enrol), quoted(name.strip()), player, *([more.strip()] if sign else [])])
        for turn in latest_turns(context) if known is not None else ():
            action = effective_history(context.log).action(turn)
            if type(action) is enrol and key_of(getattr(action, "character", "")) == key_of(known or ""):
                yield f"T{turn.number} {player}"
                return
    elif (joined := JOINING.fullmatch(text)) is not None:
        name, more = joined["name"], (joined["more"] or "").strip(" ,")
        if not any(key_of(own) == key_of(name) for own in context.state.characters):
            yield " ".join([verb_name(enrol), quoted(name), *([more] if more else [])])
