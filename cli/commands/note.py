"""Write a note into the log.

Examples:
  campaign note the ghoul had a key
  campaign note --about brog afraid of water since the mill
"""

from typing import Annotated, Any

from cli.shell import options
from cli.shell.declaration import ArgumentSpec, OptionSpec
from cli.shell.recording import records
from cli.shell.words import turn_number


@records()
def note(
    text: Annotated[str, ArgumentSpec(help="The note.", show_default=False)],
    about: Annotated[
        str | None, OptionSpec(help="A character.", autocompletion=options.complete_characters, show_default=False)
    ] = None,
    rule: Annotated[
        str | None, OptionSpec(help="A rule, like 6.4.", autocompletion=options.complete_rules, show_default=False)
    ] = None,
    turn: Annotated[str | None, OptionSpec(help="A turn, like T4.", show_default=False)] = None,
    disputed: Annotated[
        bool, OptionSpec("--disputed", help="With --rule: the table does not agree about it.", show_default=False)
    ] = False,
) -> dict[str, Any]:
    return {
        "type": "note",
        "text": text,
        "about": about,
        "rule": rule,
        "turn": turn_number(turn) if turn is not None else None,
        "disputed": disputed,
    }
