"""The first evening under a rule system, line by line: its first steps, and examples of each of its verbs.

`evening.txt` among the data of a rule system is what `campaign play < evening.txt` takes. Up to its first empty line
it is what one begins with; a line that begins with # is a remark.
"""

from functools import cache

from cli.line.errors import Misread
from cli.line.verbs import names_a_turn, verb_at
from cli.line.words import typed
from domain.system.installed import data_folder
from domain.turn import Action

#: The reading commands that an evening may ask.
QUESTIONS = ("why", "status", "log", "show")
#: How many examples of a verb its help quotes.
MOST_EXAMPLES = 3


@cache
def evening_of(rules: str) -> str:
    """The evening as it is written; a rule system that brings none has an empty one."""
    path = data_folder(rules) / "evening.txt"
    return path.read_text("utf-8") if path.is_file() else ""


def lines_of(text: str) -> tuple[str, ...]:
    """What is typed, without remarks."""
    return tuple(line for line in text.splitlines() if line.strip() and not line.startswith("#"))


def first_steps(rules: str) -> tuple[str, ...]:
    """What a new campaign begins with."""
    return lines_of(evening_of(rules).partition("\n\n")[0])


def short_lines(rules: str) -> tuple[str, ...]:
    """The lines of the evening that say something with a verb of one letter."""
    return tuple(line for line in lines_of(evening_of(rules)) if line[1:2] == " ")


def examples_of(rules: str, action: type[Action]) -> tuple[str, ...]:
    """Lines of the evening that begin with a verb of this action, in as many ways as there are."""
    found = [line for line in lines_of(evening_of(rules)) if _action_in(rules, line) is action]
    # the short way and the long way first, then whatever else there is
    by_verb = {line.partition(" ")[0]: line for line in reversed(found)}
    ways = [line for line in found if line in by_verb.values()]
    return tuple([*ways, *(line for line in found if line not in ways)][:MOST_EXAMPLES])


def _action_in(rules: str, line: str) -> type[Action] | None:
    words = typed(line)
    if names_a_turn(words.words[0].text):
        return None
    try:
        verb, _ = verb_at(rules, words, 0, QUESTIONS)
    except Misread:
        return None
    return None if isinstance(verb, str) else verb.kind
