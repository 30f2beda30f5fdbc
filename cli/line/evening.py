"""The example evening of a rule system, from which first steps and the examples of verbs are taken.

`evening.txt` in the data of a rule system is a script for `campaign play`. The lines up to the first empty one are the
first steps of a campaign; lines that begin with # are comments.
"""

from functools import cache

from cli.line.errors import LineError
from cli.line.verbs import verb_at
from cli.line.words import tokenize
from domain.common.sessions import SessionOpen
from domain.registry import verb_name
from domain.system.installed import data_folder
from domain.turn import Action

#: The reading commands that an evening may hold.
QUESTIONS = ("why", "status", "log", "show")
#: Examples in the help of a verb at most.
MOST_EXAMPLES = 3


@cache
def evening_of(rules: str) -> str:
    """The text of the evening; "" for a rule system without one."""
    path = data_folder(rules) / "evening.txt"
    return path.read_text("utf-8") if path.is_file() else ""


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a script without comments and empty lines."""
    return tuple(line for line in text.splitlines() if line.strip() and not line.startswith("#"))


def first_steps(rules: str) -> tuple[str, ...]:
    """The first steps of a new campaign; the title of its first evening is its own."""
    steps = lines_of(evening_of(rules).partition("\n\n")[0])
    return tuple(verb_name(SessionOpen) if action_of(rules, line) is SessionOpen else line for line in steps)


def examples_of(rules: str, action: type[Action]) -> tuple[str, ...]:
    """Example lines of an action, with as many of its verbs as the evening uses."""
    lines = dict.fromkeys(lines_of(evening_of(rules)))
    examples = [line for line in lines if action_of(rules, line) is action]
    # one line for each verb first, then the others
    by_verb = {line.partition(" ")[0]: line for line in reversed(examples)}
    ways = [line for line in examples if line in by_verb.values()]
    return tuple([*ways, *(line for line in examples if line not in ways)][:MOST_EXAMPLES])


@cache
def action_of(rules: str, line: str) -> type[Action] | None:
    """The kind of action that a line of the evening records; None for one that only reads or amends."""
    try:
        verb, _ = verb_at(rules, tokenize(line), 0, QUESTIONS)
    except LineError:
        return None
    return None if isinstance(verb, str) else verb.kind
