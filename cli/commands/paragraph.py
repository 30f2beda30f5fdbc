"""Add a paragraph to the rules, revise or withdraw one.

What a group plays by is kept like everything else: every earlier wording stays in the history of its paragraph, with
who changed it, when and why.
"""

from typing import Annotated, Any

from cli.shell import options
from cli.shell.declaration import ArgumentSpec, OptionSpec
from cli.shell.recording import records
from cli.shell.words import turn_numbers

Rule = Annotated[
    str, ArgumentSpec(help="The rule, like 6.4 or H1.", autocompletion=options.complete_rules, show_default=False)
]


@records()
def add(
    rule: Annotated[str, ArgumentSpec(help="A number that is not taken, like H1 or 6.13.", show_default=False)],
    title: Annotated[str, ArgumentSpec(help="What it is called.", show_default=False)],
    text: Annotated[str, ArgumentSpec(help="What it says.", show_default=False)],
    why: options.Why = None,
    because: options.Because = None,
) -> dict[str, Any]:
    """Add a paragraph of the group's own.

    Examples:
      campaign paragraph add H1 "Lamps" A lamp burns for an hour
      campaign paragraph add H1 Lamps "A lamp burns for an hour" --because T4
    """
    return {
        "type": "paragraph.add",
        "rule": rule,
        "title": title,
        "text": text,
        "why": why,
        "because": turn_numbers(because),
    }


@records()
def revise(
    rule: Rule,
    why: options.Reason,
    text: Annotated[str | None, ArgumentSpec(help="What it says now.", show_default=False)] = None,
    title: Annotated[str | None, OptionSpec(help="What it is called now.", show_default=False)] = None,
    because: options.Because = None,
) -> dict[str, Any]:
    """Give a paragraph other words; the earlier ones stay in its history.

    Examples:
      campaign paragraph revise 6.4 "A short rest takes an hour." --why "ten minutes were nothing"
    """
    return {
        "type": "paragraph.revise",
        "rule": rule,
        "text": text,
        "title": title,
        "why": why,
        "because": turn_numbers(because),
    }


@records()
def withdraw(
    rule: Rule,
    why: options.Reason,
    because: options.Because = None,
) -> dict[str, Any]:
    """Take a paragraph out of force; it is still read.

    Examples:
      campaign paragraph withdraw 6.5 nobody kept count
    """
    return {"type": "paragraph.withdraw", "rule": rule, "why": why, "because": turn_numbers(because)}


COMMANDS = {"add": add, "revise": revise, "withdraw": withdraw}
