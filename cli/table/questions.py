"""The list of questions: the reading commands that a line at the table may be, beside verbs."""

from functools import cache

from cli.line.understanding import Question
from cli.shell.catalogue import first_line
from domain.system.rulesystem import RuleSystem

#: Commands that a table answers. Those that make, choose or open something else are left to the shell.
QUESTIONS = (
    "why", "when", "status", "log", "show", "diff", "rules", "recap", "stats", "query", "seal", "manual",
    "help", "quit",
)  # fmt: skip
#: The help of those that only a table has.
OF_THE_TABLE = {"help": "Show how lines are typed, or explain a verb.", "quit": "Leave the table."}


def questions_of(system: RuleSystem) -> tuple[str, ...]:
    """The questions of a line: the reading commands, and the lookups of the rule system."""
    return (*QUESTIONS, *(lookup.verb for lookup in system.lookups))


@cache
def help_of(question: str, system: RuleSystem) -> str:
    """What a question shows, in one line."""
    lookups = {lookup.verb: lookup.help for lookup in system.lookups}
    return OF_THE_TABLE.get(question) or lookups.get(question) or first_line(question)


def preview_of_question(question: Question, system: RuleSystem) -> str:
    """What a line that is a question comes to."""
    if not question.words:
        return help_of(question.command, system)
    return f"Shows: {' '.join((question.command, *question.words))}"
