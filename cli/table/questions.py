"""The list of questions: the reading commands that a line at the table may be, beside verbs."""

from domain.system.rulesystem import RuleSystem

#: Commands that a table answers. Those that make, choose or open something else are left to the shell.
QUESTIONS = (
    "why", "when", "status", "log", "show", "diff", "rules", "recap", "stats", "query", "seal", "manual",
    "help", "quit",
)  # fmt: skip


def questions_of(system: RuleSystem) -> tuple[str, ...]:
    """The questions of a line: the reading commands, and the lookups of the rule system."""
    return (*QUESTIONS, *(lookup.verb for lookup in system.lookups))
