"""Set sheet fields by the referee's word.

Examples:
  campaign override brog hp=9 he drank at the holy well
"""

from typing import Annotated, Any

from cli.shell import options
from cli.shell.declaration import ArgumentSpec
from cli.shell.recording import records
from cli.shell.words import sheet_values


@records()
def override(
    character: options.OneCharacter,
    fields: Annotated[
        list[str],
        ArgumentSpec(
            metavar="FIELD=VALUE...",
            help="What to set.",
            autocompletion=options.complete_sheet_fields,
            show_default=False,
        ),
    ],
    why: options.Reason,
) -> dict[str, Any]:
    return {"type": "override", "character": character, "set": sheet_values(fields), "why": why}
