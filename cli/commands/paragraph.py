"""Add, revise or withdraw a paragraph of the rules.

Every earlier wording stays in the history of its paragraph, with who changed it, when and why.
"""

from cli.shell.declaration import LineDeclaration
from domain.common.paragraphs import ParagraphAdd, ParagraphRevise, ParagraphWithdraw

ADD = """Add a paragraph of the group's own.

Examples:
  campaign paragraph add H1 "Lamps" A lamp burns for an hour
  campaign paragraph add H1 Lamps "A lamp burns for an hour" --because T4
"""
REVISE = """Reword a paragraph; the earlier words stay in its history.

Examples:
  campaign paragraph revise 6.4 "A short rest takes an hour." --why "ten minutes were nothing"
"""
WITHDRAW = """Withdraw a paragraph; it can still be read.

Examples:
  campaign paragraph withdraw 6.5 nobody kept count
"""

COMMANDS = {
    "add": LineDeclaration(ParagraphAdd, ADD),
    "revise": LineDeclaration(ParagraphRevise, REVISE),
    "withdraw": LineDeclaration(ParagraphWithdraw, WITHDRAW),
}
