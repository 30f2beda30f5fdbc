"""Add a paragraph to the rules, revise or withdraw one.

What a group plays by is kept like everything else: every earlier wording stays in the history of its paragraph, with
who changed it, when and why.
"""

from cli.shell.declaration import LineDeclaration
from domain.common.paragraphs import ParagraphAdd, ParagraphRevise, ParagraphWithdraw

ADD = """Add a paragraph of the group's own.

Examples:
  campaign paragraph add H1 "Lamps" A lamp burns for an hour
  campaign paragraph add H1 Lamps "A lamp burns for an hour" --because T4
"""
REVISE = """Give a paragraph other words; the earlier ones stay in its history.

Examples:
  campaign paragraph revise 6.4 "A short rest takes an hour." --why "ten minutes were nothing"
"""
WITHDRAW = """Take a paragraph out of force; it is still read.

Examples:
  campaign paragraph withdraw 6.5 nobody kept count
"""

COMMANDS = {
    "add": LineDeclaration(ParagraphAdd, ADD),
    "revise": LineDeclaration(ParagraphRevise, REVISE),
    "withdraw": LineDeclaration(ParagraphWithdraw, WITHDRAW),
}
