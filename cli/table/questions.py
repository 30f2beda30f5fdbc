"""The questions that a line at the table may ask besides its verbs."""

from domain.system.rulesystem import RuleSystem

#: Commands that a table answers beside the verbs. What makes, chooses or opens something else is for the shell.
QUESTIONS = (
    "why", "when", "status", "log", "show", "diff", "rules", "recap", "stats", "query", "seal", "manual",
    "help", "quit",
)  # fmt: skip


def questions_of(system: RuleSystem) -> tuple[str, ...]:
    """What a line may ask: the reading commands, and what the log knows under these rules besides sheets."""
    return (*QUESTIONS, *(lookup.verb for lookup in system.lookups))
